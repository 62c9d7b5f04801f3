import {STATUS_CODES} from 'node:http';
import type {Failure, Result} from '../domain/failure.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Steps} from '../domain/steps.ts';
import {type Clock, type DurationMs, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import {isYes, type OperationEndpoint, type ReadEndpoint} from './endpoint.ts';
import {
  foreignAnswer,
  isSuccess,
  oddAnswer,
  oldCopy,
  outsideText,
  readHttpDate,
  type ServiceConnection,
  type WireReply,
} from './exchange.ts';
import {isObject} from './fields.ts';
import {memberNames, type Parsed, parseJson} from './json.ts';

const MIN_RETRY_AFTER_MS = SECOND_MS;
const MAX_RETRY_AFTER_MS = 10 * MINUTE_MS;
/** No form has more fields; the rest of a longer list is dropped. */
const MAX_FIELD_ERRORS = 10;
/** Longer plain text is a page, not a message. */
const MAX_PLAIN_LENGTH = 200;

/**
 * The parsed body of a successful reply, or what went wrong: judged by HTTP status first, then by the body, since a 2xx
 * of this service can still be a refusal, and not every reply has a `status` (parts of billing say `success`).
 * `readsFailure` accepts a body that would be a failure at any other endpoint.
 */
export function* judge(
  connection: ServiceConnection,
  reply: WireReply,
  url: URL,
  readsFailure: ReadEndpoint<never, unknown>['readsFailure'] = () => undefined,
): Steps<Result<unknown>> {
  const parsed = yield* parseJson(reply.body);
  return judgeParsed(connection, reply, {url, parsed, readsFailure});
}

type Read = {
  readonly url: URL;
  readonly parsed: Parsed;
  readonly readsFailure?: ReadEndpoint<never, unknown>['readsFailure'];
};

function judgeParsed(
  connection: ServiceConnection,
  reply: WireReply,
  {url, parsed, readsFailure = () => undefined}: Read,
): Result<unknown> {
  const {httpStatus} = reply;
  if (isSuccess(httpStatus) && !parsed.ok) return oddAnswer(parsed.detail);
  const body = parsed.ok ? parsed.value : undefined;
  if (isSuccess(httpStatus) && !isRefusal(body)) return {ok: true, value: body};
  const instead = parsed.ok ? readsFailure(httpStatus, body) : undefined;
  if (instead !== undefined) return {ok: true, value: instead};
  const failure = isSuccess(httpStatus)
    ? refusal(connection, httpStatus, body)
    : failureOf(connection, reply, {url, body});
  return {ok: false, failure};
}

/**
 * The same for an operation. A 4xx from a gateway in between says nothing about what the service did, so only a refusal
 * in the service's own form counts as one, and a body that says both yes and no, or says it twice, counts as neither. A
 * request to wait (429) is always believed, since no form is documented for it. What a cache remembers is the answer to
 * another request. A 2xx in none of the forms in which this operation is accepted is no word of the service either.
 */
export function* judgeOperation(
  connection: ServiceConnection,
  reply: WireReply,
  url: URL,
  isAccepted: OperationEndpoint<never>['isAccepted'],
): Steps<Result<unknown>> {
  const old = oldCopy(reply, 0);
  if (old !== undefined) return old;
  const parsed = yield* parseJson(reply.body);
  const judged = judgeParsed(connection, reply, {url, parsed});
  const {httpStatus} = reply;
  if (isSuccess(httpStatus) && !ACCEPTING.has(httpStatus))
    return oddAnswer(say`HTTP ${httpStatus}, which this service never answers to an operation`);
  const verdict = parsed.ok ? verdictOf(parsed.value) : 'none';
  const isRepeated = parsed.ok && repeatsVerdict(reply.body);
  if (isSuccess(httpStatus) && isRepeated) return oddAnswer(say`it says more than once whether it was done`);
  if (isSuccess(httpStatus) && verdict === 'both')
    return oddAnswer(say`it says both that it was done and that it was not`);
  if (judged.ok && !isAccepted(judged.value)) return oddAnswer(say`JSON that does not match the API`);
  if (judged.ok || httpStatus < 400 || httpStatus >= 500 || httpStatus === 429) return judged;
  if (verdict !== 'no' || isRepeated) return unexpected(httpStatus);
  // A 404 that proves nothing gone still says that nothing was done.
  const isUnproved = judged.failure.kind === 'odd-answer' && parsed.ok;
  return isUnproved ? {ok: false, failure: refusal(connection, httpStatus, parsed.value)} : judged;
}

/**
 * The documented answers of operations that were accepted: 201 for some of what is created, 202 for a log request.
 * Others come from something in between, such as a proxy that changed the body (203) or kept a part (206).
 */
const ACCEPTING: ReadonlySet<number> = new Set([200, 201, 202]);

/** If a body has both, only `status` counts, as in most of the interface. */
function isRefusal(body: unknown): boolean {
  const verdict = verdictOf(body);
  return verdict === 'no' || (verdict === 'both' && isObject(body) && isNo(body.status));
}

/**
 * What a body says about its request. The four error forms mean no, except for a bare `{message}`, which gateways send
 * as well; `status` may be text or a number, too.
 */
function verdictOf(body: unknown): 'yes' | 'no' | 'both' | 'none' {
  if (!isObject(body)) return 'none';
  const {status, success, error_reason: reason, errors, detail} = body;
  // Beside a resource, the word may be its state: a reconciliation is requested for clusters in ERROR.
  const isState = typeof status === 'string' && /^\s*error\s*$/i.test(status) && isObject(body.cluster);
  const saysNo =
    [isState ? undefined : status, success].some(isNo) || isFilled(reason) || isFilled(errors) || hasObjects(detail);
  const saysYes = [status, success].some(isYes);
  if (saysNo) return saysYes ? 'both' : 'no';
  return saysYes ? 'yes' : 'none';
}

const VERDICT_MEMBERS: ReadonlySet<string> = new Set(['status', 'success', 'error_reason', 'errors', 'detail']);

/** Parsing keeps only the last of several members of the same name, so the others would go unheard. */
function repeatsVerdict(body: string): boolean {
  const names = memberNames(body).filter(name => VERDICT_MEMBERS.has(name));
  return new Set(names).size < names.length;
}

/**
 * A 404 proves that something is gone, and gateways answer one in JSON too, so it has to be as the service documents
 * it: an `error_reason` of `not_found`, and no word that says otherwise.
 */
function saysNotFound(body: unknown, text: string): boolean {
  if (!isObject(body) || verdictOf(body) !== 'no' || repeatsVerdict(text)) return false;
  const {error_reason: reason} = body;
  return typeof reason === 'string' && /^\s*not_found\s*$/i.test(reason);
}

function isNo(flag: unknown): boolean {
  if (typeof flag === 'number') return flag === 0 || flag >= 400;
  return flag === false || (typeof flag === 'string' && /^\s*(?:false|error|fail(?:ed|ure)?)\s*$/i.test(flag));
}

function isFilled(error: unknown): boolean {
  if (typeof error === 'string') return error.trim() !== '';
  return Array.isArray(error) ? error.length > 0 : isObject(error) && Object.keys(error).length > 0;
}

function hasObjects(detail: unknown): boolean {
  return Array.isArray(detail) && detail.some(isObject);
}

function failureOf(
  connection: ServiceConnection,
  reply: WireReply,
  {url, body}: {readonly url: URL; readonly body: unknown},
): Failure {
  const {httpStatus} = reply;
  if (httpStatus === 429) return {kind: 'rate-limited', ...askedWait(reply, connection.clock)};
  if (httpStatus < 400) return redirected(connection, reply, url);
  const own = messageOf(connection, body);
  const said = own ?? plainMessage(connection, reply.body);
  const message = said ?? say`no message`;
  if (httpStatus === 503) return {kind: 'service-error', httpStatus, message, ...askedWait(reply, connection.clock)};
  if (httpStatus >= 500) return {kind: 'service-error', httpStatus, message};
  if (httpStatus === 401 || httpStatus === 403) return {kind: 'not-authorised', httpStatus, message};
  // Whatever stands in between can answer a 4xx too: a page, a line of text, or nothing is no word of the service.
  const isOwn = httpStatus === 404 ? saysNotFound(body, reply.body) : own !== undefined || verdictOf(body) === 'no';
  if (!isOwn) return unexpected(httpStatus, said).failure;
  if (httpStatus === 404) return {kind: 'not-found', message};
  return refusal(connection, httpStatus, body, own);
}

function unexpected(httpStatus: number, said?: SafeText) {
  return foreignAnswer(say`HTTP ${httpStatus} in an unexpected form${said === undefined ? say`` : say`: ${said}`}`);
}

/**
 * Without an `error_reason` a 400 means a bad request, and other statuses get their HTTP name; of a 2xx, it is what in the
 * body says no.
 */
function refusal(
  connection: ServiceConnection,
  httpStatus: number,
  body: unknown,
  said = messageOf(connection, body),
): Failure {
  const own = isObject(body) && typeof body.error_reason === 'string' && body.error_reason.trim();
  const byStatus = httpStatus > 400 ? STATUS_CODES[httpStatus] : undefined;
  const reason = own || (isSuccess(httpStatus) ? refusingPart(body) : (byStatus ?? 'bad_request'));
  return {kind: 'refused', httpStatus, reason: outsideText(connection, reason), message: said ?? safeText('')};
}

/** `status: false`: the flag of a body that says no. */
function refusingPart(body: unknown): string {
  const flags = isObject(body) ? Object.entries({status: body.status, success: body.success}) : [];
  const [name, flag] = flags.find(([, value]) => isNo(value)) ?? [];
  return name === undefined ? 'errors' : `${name}: ${JSON.stringify(flag)}`;
}

/**
 * The message of the four error forms: `{message, error_reason}`, `{message, errors: {field: text}}`, `{errors: {field:
 * [text]}}` and a bare `{message}`; also the object storage's `{detail: [{loc, msg}]}`.
 */
function messageOf(connection: ServiceConnection, body: unknown): SafeText | undefined {
  if (!isObject(body)) return undefined;
  const fields = [...fieldErrors(body.errors), ...detailErrors(body.detail)].slice(0, MAX_FIELD_ERRORS);
  const parts = [body.message, fields.join('; ')].filter(part => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : outsideText(connection, parts.join(': '));
}

function fieldErrors(errors: unknown): string[] {
  if (!isObject(errors)) return [];
  return Object.entries(errors).map(([field, error]) => `${field}: ${[error].flat().map(wordsOf).join(', ')}`);
}

function detailErrors(detail: unknown): string[] {
  if (typeof detail === 'string') return [detail];
  if (!Array.isArray(detail)) return [];
  return detail.filter(isObject).map(({loc, msg}) => `${[loc].flat().map(wordsOf).join('.')}: ${wordsOf(msg)}`);
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unreadable';
}

/** A gateway answers with a page, a line of text, or nothing. */
function plainMessage(connection: ServiceConnection, body: string): SafeText | undefined {
  const plain = body.trim();
  const isMessage = plain !== '' && plain.length <= MAX_PLAIN_LENGTH && !/^[<{["]/.test(plain);
  return isMessage ? outsideText(connection, plain) : undefined;
}

/** `Retry-After` in its two forms, seconds and a date; a date is compared with the service's own clock. */
function askedWait(reply: WireReply, clock: Clock): {readonly retryAfterMs?: DurationMs} {
  const header = reply.header('retry-after')?.trim();
  const until = readHttpDate(header);
  const serviceNow = readHttpDate(reply.header('date')) ?? clock.wallNow();
  const waitMs =
    header !== undefined && /^\d+$/.test(header) ? Number(header) * SECOND_MS : until && until - serviceNow;
  return waitMs === undefined ? {} : {retryAfterMs: clampWait(waitMs)};
}

function clampWait(waitMs: number): DurationMs {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, waitMs));
}

function redirected(connection: ServiceConnection, reply: WireReply, url: URL): Failure {
  const location = reply.header('location');
  const target = location === undefined ? null : URL.parse(location, url.href);
  if (target === null)
    return {kind: 'odd-answer', detail: say`a redirect (HTTP ${reply.httpStatus}) that does not say where to`};
  const host = outsideText(connection, target.host);
  return {kind: 'redirected', host, ...(target.origin === url.origin && {isSameOrigin: true})};
}
