import {Command} from 'commander';
import type {Endpoint} from '../../api/endpoint.ts';
import {ENDPOINTS} from '../../api/endpoints.ts';
import {type NormalisedPath, normalisePath} from '../../api/normalised-path.ts';
import {createAccessKey} from '../../api/object-storage.ts';
import {type RawRequest, readRaw, sendRaw} from '../../api/raw-client.ts';
import {describeFailure, type Result} from '../../domain/failure.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import type {RawEntry} from '../../state/operations/journal.ts';
import {type Account, openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print, whileSent} from '../command-io.ts';
import {dataText} from '../print/data-text.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {repeatable} from '../option-values.ts';
import {givenText} from '../given-text.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags, codeOfSent} from '../run-command.ts';

type ApiFlags = CommonFlags & {
  readonly body?: string;
  readonly query: readonly string[];
  readonly yes?: boolean;
  readonly showSecrets?: boolean;
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `skydeck api`: any endpoint, raw. Anything not known to be a read is treated as an operation. */
export const apiCommand: BuildCommand = (io, end) => {
  const command = new Command('api')
    .description('Call any endpoint and print its answer. A request that is not a known read needs --yes.')
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'below the base URL, e.g. /core/virtual-machines')
    .option('--body <json>', 'the request body; @FILE reads a file, - standard input')
    .addOption(repeatable('-q, --query <name=value>', 'a query parameter'))
    .option('--yes', 'send an operation, once')
    .option('--show-secrets', 'print kubeconfigs and other secrets');
  return addCommonOptions(command, ['json', 'ndjson', 'yaml']).action(
    async (method: string, path: string, flags: ApiFlags) => end(await runApi(io, method.toUpperCase(), path, flags)),
  );
};

async function runApi(io: CommandIo, method: string, path: string, flags: ApiFlags): Promise<ExitCode> {
  if (!METHODS.includes(method)) return failed(io, `the method must be one of ${METHODS.join(', ')}`, EXIT.usage);
  const body = await bodyOf(io, flags.body);
  if ('mistake' in body) return failed(io, body.mistake, EXIT.usage);
  const pairs = flags.query.map(pairOf);
  if (pairs.includes(undefined)) return failed(io, '-q needs name=value', EXIT.usage);
  if (/^[a-z][a-z\d+.-]*:/i.test(path)) {
    return failed(
      io,
      'give a path of the service, e.g. /core/virtual-machines; the base URL comes from the profile',
      EXIT.usage,
    );
  }
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const basePath = new URL(account.baseUrl).pathname;
  const target = normalisePath(path, method, {endpoints: ENDPOINTS, basePath});
  if (target === undefined) return failed(io, 'not a valid request path', EXIT.usage);
  const request = requestOf(
    method,
    target,
    pairs.flatMap(pair => (pair === undefined ? [] : [pair])),
    body.text,
  );
  if (target.read !== undefined && body.text === undefined)
    return ask(io, account, {request, read: target.read}, flags);
  const words = `${request.method} ${request.pathAndQuery}`;
  if (account.options.isReadOnly)
    return failed(io, account.redact(`${words} is an operation, and this session is read-only`), EXIT.usage);
  if (flags.yes !== true) {
    return failed(
      io,
      account.redact(`${words} is an operation or unknown, so it may change things: add --yes`),
      EXIT.usage,
    );
  }
  if (isShownOnce(method, target) && flags.showSecrets !== true) {
    return failed(
      io,
      account.redact(`${words} returns a secret that is shown only once: add --show-secrets`),
      EXIT.usage,
    );
  }
  let isSent = false;
  const onSend = () => {
    isSent = true;
  };
  return whileSent(
    io,
    () => (isSent ? [account.redact(words)] : []),
    () => send(io, account, {request, operation: target.operation}, {...flags, onSend}),
  );
}

/** Without its secrets the answer would be useless, and it cannot be requested again. */
function isShownOnce(method: string, {path}: NormalisedPath): boolean {
  return method === createAccessKey.method && path === createAccessKey.template;
}

function requestOf(
  method: string,
  {path, query}: NormalisedPath,
  pairs: readonly (readonly [string, string])[],
  body: string | undefined,
): RawRequest {
  const text = [...query, ...pairs]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return {method, pathAndQuery: text === '' ? path : `${path}?${text}`, ...(body === undefined ? {} : {body})};
}

async function ask(
  io: CommandIo,
  account: Account,
  {request, read}: {readonly request: RawRequest; readonly read: Endpoint},
  flags: ApiFlags,
): Promise<ExitCode> {
  const progress = openProgress(io, account.clock, 'waiting for the answer');
  const startedAt = account.clock.monotonicNow();
  const answer = await readRaw(wireOf(account), request, read.effect === 'read' ? read.readsFailure : undefined);
  progress.end();
  note(account, {request, answer, effect: 'read'}, startedAt);
  return tell(io, account, {request, answer, effect: 'read'}, flags);
}

/** The journal gets a line before the request is sent, and one with the answer; the effect is not watched. */
async function send(
  io: CommandIo,
  account: Account,
  {request, operation}: {readonly request: RawRequest; readonly operation: NormalisedPath['operation']},
  {onSend, ...flags}: ApiFlags & {readonly onSend: () => void},
): Promise<ExitCode> {
  const {clock} = account;
  const words = safeText(`${request.method} ${request.pathAndQuery}`);
  const line = {operationId: io.newId(), confirmedAt: clock.wallNow(), request: words};
  const unwritten = write(account, {...line, at: line.confirmedAt, phase: 'sent'});
  if (unwritten !== undefined) {
    // Its line may be on the disk nevertheless.
    write(account, {...line, at: clock.wallNow(), phase: 'NOT_SENT', detail: safeText(unwritten)});
    complain(io, `${words}: the journal cannot be written (${unwritten}), so nothing was sent`);
    return EXIT.noAnswer;
  }
  onSend();
  const progress = openProgress(io, clock, 'sent once, waiting for the answer');
  const isTlsUnchecked = io.environment.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  const startedAt = clock.monotonicNow();
  const answer = await sendRaw({...wireOf(account), isTlsUnchecked}, request, operation?.isAccepted);
  progress.end();
  const untold = write(account, {...line, at: clock.wallNow(), ...outcomeOf(account, request, answer)});
  if (untold !== undefined) complain(io, `${words}: the answer could not be written to the journal (${untold})`);
  note(account, {request, answer, effect: 'operation'}, startedAt);
  return codeOfSent(io, await tell(io, account, {request, answer, effect: 'operation'}, flags));
}

/** Why the line is not on disk; undefined if it is. */
function write({session}: Account, entry: RawEntry): string | undefined {
  try {
    session.journal.append(entry);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The service's message about a body may repeat the body, which may contain a secret. */
function outcomeOf({redact}: Account, {body}: RawRequest, answer: Result<unknown>): Pick<RawEntry, 'phase' | 'detail'> {
  if (answer.ok) return {phase: 'accepted', detail: say`sent raw, its effect was not watched`};
  const {failure} = answer;
  const isUnknown = exitCodeOf(failure, 'operation') === EXIT.unknownOutcome;
  const phase = failure.kind === 'not-sent' ? 'NOT_SENT' : isUnknown ? 'unknown' : 'REFUSED';
  const isKept = body === undefined || !('message' in failure);
  const kept = isKept ? failure : {...failure, message: say`the body is not recorded`};
  return {phase, detail: safeText(redact(describeFailure(kept)))};
}

type RawExchange = {
  readonly request: RawRequest;
  readonly answer: Result<unknown>;
  readonly effect: 'read' | 'operation';
};

/** The line of `--log`. */
function note({log, clock}: Account, {request, answer, effect}: RawExchange, startedAt: number): void {
  log?.({
    effect,
    request: `${request.method} ${request.pathAndQuery}`,
    params: {},
    elapsedMs: Math.round(clock.monotonicNow() - startedAt),
    outcome: answer.ok ? 'answered' : describeFailure(answer.failure),
  });
}

function wireOf({baseUrl, key, secrets, clock, link, session, options}: Account) {
  const {readTimeoutMs} = options;
  const limit = readTimeoutMs === undefined ? {} : {readTimeoutMs};
  return {baseUrl, key, secrets, clock, admit: session.budget.admit, onAnswer: link.saw, ...limit};
}

async function tell(
  io: CommandIo,
  account: Account,
  {request, answer, effect}: RawExchange,
  {showSecrets = false, output}: ApiFlags,
): Promise<ExitCode> {
  if (answer.ok) {
    // The option is for secrets of the service: our own key stays masked.
    await print(io, account.redact(dataText(answer.value, {showsSecrets: showSecrets, format: output})));
    return EXIT.done;
  }
  const code = exitCodeOf(answer.failure, effect);
  const words = `${request.method} ${request.pathAndQuery}: ${describeFailure(answer.failure)}`;
  const fate = code === EXIT.unknownOutcome ? '; sent once, its outcome is unknown' : '';
  complain(io, account.redact(`${words}${fate}`));
  return code;
}

type GivenBody = {readonly text: string | undefined} | {readonly mistake: string};

/** JSON sent unchanged, once it is known to be valid. */
async function bodyOf(io: CommandIo, given: string | undefined): Promise<GivenBody> {
  if (given === undefined) return {text: undefined};
  const read = await bodyText(io, given);
  if (!read.ok) return {mistake: `--body ${given}: ${read.mistake}`};
  const {text} = read;
  try {
    JSON.parse(text);
    return {text};
  } catch {
    return {mistake: '--body is not JSON'};
  }
}

async function bodyText(io: CommandIo, given: string): ReturnType<typeof givenText> {
  if (given === '-') return givenText(io, '-');
  return given.startsWith('@') ? givenText(io, given.slice(1)) : {ok: true, text: given};
}

function pairOf(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
