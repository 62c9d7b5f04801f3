import type {Decision, Refusal} from '../world/operation.ts';

// The service's reply forms and error bodies. Every answer is built here.

export function json(body: unknown, httpStatus = 200): Response {
  return jsonText(JSON.stringify(body), httpStatus);
}

/** Anything that JSON can hold. */
export function jsonText(text: string, httpStatus = 200): Response {
  return new Response(text, {status: httpStatus, headers: {'content-type': 'application/json'}});
}

export function succeeded(
  message: string,
  payload: Readonly<Record<string, unknown>> = {},
  httpStatus: 200 | 201 = 200,
): Response {
  return json({status: true, message, ...payload}, httpStatus);
}

/** The answer to a change: the refusal in the service's words, or what `made` builds from the result. */
export function answered<T>(outcome: Decision<T>, answer: (result: T) => Response): Response {
  return outcome.isAccepted ? answer(outcome.result) : refusalAnswer(outcome.refusal);
}

export function badRequest(message: string): Response {
  return refused(400, message, 'bad_request');
}

export function unauthorized(): Response {
  return refused(401, 'Unauthorized: the api_key header is missing or names no valid key.', 'unauthorized');
}

export function forbidden(action: string): Response {
  return refused(403, `Your role does not allow you to ${action}.`, 'forbidden');
}

export function notFound(message: string): Response {
  return refused(404, message, 'not_found');
}

export function methodNotAllowed(method: string, path: string): Response {
  return refused(405, `The method ${method} is not allowed for ${path}.`, 'not_allowed');
}

// The documents give no error_reason for 402, 406, 413, 421, 422 and 429.
export function notAcceptable(message: string): Response {
  return json({status: false, message}, 406);
}

export function tooLarge(limitBytes: number): Response {
  const answer = json({status: false, message: `The body of the request is larger than ${limitBytes} bytes.`}, 413);
  // The rest of the body is not read, so the connection cannot be used again.
  answer.headers.set('connection', 'close');
  return answer;
}

/** For a name in the `Host` header that is not this computer's own. */
export function misdirected(host: string): Response {
  return json({status: false, message: `This service answers only on loopback, not as '${host}'.`}, 421);
}

export function tooManyRequests(limit: number): Response {
  return json({status: false, message: `Rate limit of ${limit} requests per minute exceeded.`}, 429);
}

/** Unknown fields are refused in a third form: no message, a list of complaints per field. */
export function unknownFields(names: readonly string[]): Response {
  return json({status: false, errors: Object.fromEntries(names.map(name => [name, ['Unknown field.']]))}, 400);
}

/** Invalid values, field by field. */
export function unprocessable(errors: Readonly<Record<string, readonly string[]>>): Response {
  return json({status: false, errors}, 422);
}

/** The framework's own validation answers in another form: no status, no reason, one line per field. */
export function invalidInput(errors: Readonly<Record<string, string>>): Response {
  return json({errors, message: 'Input payload validation failed'}, 400);
}

/** Object storage uses another framework, which lists what is wrong and where. */
export function unprocessableRequest(
  detail: readonly {readonly loc: readonly string[]; readonly msg: string; readonly type: string}[],
): Response {
  return json({detail}, 422);
}

/** The older body for an unexpected failure. */
export function internalError(): Response {
  return json({message: 'Internal Server Error'}, 500);
}

/** An error as the service would word it for a status; used when a fault replaces a real cause. */
export function plausibleError(httpStatus: number): Response {
  const reason = REASON_BY_STATUS[httpStatus];
  if (httpStatus === 401) return unauthorized();
  if (reason !== undefined) return refused(httpStatus, MESSAGE_BY_REASON[reason] ?? reason, reason);
  if (httpStatus >= 502) return gatewayPage(httpStatus);
  return json({status: false, message: `The request could not be served (${httpStatus}).`}, httpStatus);
}

/** What a proxy in front of the service answers when the service does not: not JSON at all. */
export function gatewayPage(httpStatus: number): Response {
  const page = `<html>\r\n<head><title>${httpStatus}</title></head>\r\n<body><h1>${httpStatus}</h1><hr>gateway</body>\r\n</html>\r\n`;
  return new Response(page, {status: httpStatus, headers: {'content-type': 'text/html'}});
}

function refusalAnswer({kind, message}: Refusal): Response {
  switch (kind) {
    case 'missing':
      return notFound(message);
    case 'duplicate':
      return refused(409, message, 'already_exist');
    case 'credit':
      return json({status: false, message}, 402);
    case 'not-allowed':
      // Something else must be removed first; the service uses the code of a wrong method for this too.
      return refused(405, message, 'not_allowed');
    default:
      return badRequest(message);
  }
}

function refused(httpStatus: number, message: string, errorReason: string): Response {
  return json({status: false, message, error_reason: errorReason}, httpStatus);
}

const REASON_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_allowed',
  409: 'already_exist',
  500: 'server_error',
};
const MESSAGE_BY_REASON: Readonly<Record<string, string>> = {
  bad_request: 'The request cannot be carried out.',
  forbidden: 'Your role does not allow you to do this.',
  not_found: 'The resource does not exist.',
  not_allowed: 'This is not allowed.',
  already_exist: 'The resource already exists.',
  server_error: 'Something went wrong on our side.',
};
