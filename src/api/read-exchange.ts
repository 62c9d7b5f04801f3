import ky from 'ky';
import type {Failure, Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import type {DurationMs} from '../domain/time.ts';
import {
  authorised,
  notSent,
  oldCopy,
  type OpenReply,
  outsideText,
  reportHead,
  type ServiceConnection,
  type WireRequest,
} from './exchange.ts';

type Limits = {readonly timeoutMs: DurationMs; readonly signal?: AbortSignal | undefined};
/** Secrets are removed from failure messages. */
type ConnectionParts = Pick<ServiceConnection, 'secrets' | 'clock' | 'onAnswer' | 'onRequest'>;
type Refused = Extract<Result<never>, {ok: false}>;

/** The ages on the screen are right to the second. */
const MAX_AGE_SECONDS = 1;

/**
 * One read over the shared, kept-alive connections. The time limit covers the whole answer, so a slow trickle is cut
 * off too. No error of the HTTP library leaves this file: its errors carry the request, and the request carries the
 * key.
 */
export async function exchangeRead(
  connection: ServiceConnection,
  request: WireRequest,
  limits: Limits,
): Promise<Result<OpenReply>> {
  const headers = authorised(connection, request);
  if (!headers.ok) return headers;
  const reply = await exchangeWith(connection, {...request, headers: headers.value}, limits);
  const old = reply.ok ? oldCopy(reply.value, MAX_AGE_SECONDS) : undefined;
  if (reply.ok && old !== undefined) reply.value.close();
  return old ?? reply;
}

/** The same with headers for another host, which never include the service's key. */
export async function exchangeWith(
  connection: ConnectionParts,
  request: WireRequest & {readonly headers: Readonly<Record<string, string>>},
  limits: Limits,
): Promise<Result<OpenReply>> {
  const {signal, timeoutMs} = limits;
  if (signal?.aborted) return notSent(say`cancelled before sending`);
  const giveUp = new AbortController();
  const stop = () => giveUp.abort();
  let isTimedOut = false;
  signal?.addEventListener('abort', stop, {once: true});
  const cancelTimer = connection.clock.after(timeoutMs, () => {
    isTimedOut = true;
    stop();
  });
  const end = () => {
    cancelTimer();
    signal?.removeEventListener('abort', stop);
  };
  const fail = (error: unknown): Refused => {
    end();
    if (isTimedOut) return {ok: false, failure: {kind: 'timed-out', afterMs: timeoutMs}};
    if (signal?.aborted) return {ok: false, failure: {kind: 'cut', detail: say`cancelled by skydeck`}};
    return {ok: false, failure: transportFailure(connection, error)};
  };
  const hasAnswer = connection.onRequest?.(connection.clock.monotonicNow());
  try {
    const response = await send(connection, request, giveUp.signal);
    return {ok: true, value: openReply(response, {end, fail, signal: giveUp.signal})};
  } catch (error) {
    return fail(error);
  } finally {
    hasAnswer?.();
  }
}

async function send(
  connection: ConnectionParts,
  request: WireRequest & {readonly headers: Readonly<Record<string, string>>},
  signal: AbortSignal,
): Promise<Response> {
  const sentAt = connection.clock.monotonicNow();
  const response = await ky(request.url, {
    method: request.method,
    headers: request.headers,
    signal,
    // By default the library repeats GETs, and sends the key along when it follows a redirect.
    retry: 0,
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
  });
  reportHead(connection, sentAt, response.status, name => response.headers.get(name) ?? undefined);
  return response;
}

type ReplyEnds = {
  readonly end: () => void;
  readonly fail: (error: unknown) => Refused;
  readonly signal: AbortSignal;
};

function openReply(response: Response, {end, fail, signal}: ReplyEnds): OpenReply {
  const reader = response.body?.getReader();
  let chunk: Uint8Array<ArrayBuffer> | undefined;
  // Node holds the signal of a request weakly: once it is collected, giving up does not end the body by itself.
  const cancel = () => void reader?.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, {once: true});
  return {
    httpStatus: response.status,
    header: name => response.headers.get(name) ?? undefined,
    next: async () => {
      try {
        free(chunk);
        chunk = (await reader?.read())?.value;
        if (signal.aborted) return fail(signal.reason);
        return {ok: true, value: chunk};
      } catch (error) {
        return fail(error);
      }
    },
    close: () => {
      end();
      // Nothing is closed if the body has ended or the connection is gone.
      cancel();
    },
  };
}

/**
 * Frees the memory of a chunk at once. The garbage collector sees a chunk as one small object and would let 20 MiB of
 * them wait. A chunk that is only part of its buffer is left alone.
 */
function free(chunk: Uint8Array<ArrayBuffer> | undefined): void {
  if (chunk?.byteLength === chunk?.buffer.byteLength) chunk?.buffer.transfer(0);
}

/** Error codes of failures before a connection can carry a request. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
]);
const TLS_CODE = /^(?:CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;
/** The proxy refused the tunnel, so the request was not sent. */
const NO_TUNNEL = /^Proxy response /;
/** Errors of the HTTP parser and the decompressor: what answered is not the service. */
const ODD_CODE = /^(?:HPE_|Z_|ERR_(?:BROTLI|ZLIB|ZSTD)_|UND_ERR_(?:HEADERS_OVERFLOW|RESPONSE))/;
/** The HTTP library wraps the fetch error, which wraps the socket's. */
const MAX_CAUSES = 5;

function transportFailure(connection: ConnectionParts, error: unknown): Failure {
  const root = rootCause(error);
  const code = textOf(root, 'code');
  const detail = outsideText(connection, describe(root, code));
  const isBeforeSending =
    ['connect', 'getaddrinfo'].includes(textOf(root, 'syscall')) || NO_TUNNEL.test(textOf(root, 'message'));
  if (isBeforeSending || NOT_SENT_CODES.has(code) || TLS_CODE.test(code)) return {kind: 'not-sent', detail};
  const isOdd = ODD_CODE.test(code) || textOf(root, 'name') === 'HTTPParserError';
  return isOdd ? {kind: 'odd-answer', detail} : {kind: 'cut', detail};
}

/** The innermost error; if several addresses were tried in turn, that of the first. */
function rootCause(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    const inner = root instanceof AggregateError ? root.errors[0] : root instanceof Error ? root.cause : undefined;
    if (!(inner instanceof Error)) break;
    root = inner;
  }
  return root;
}

function describe(root: unknown, code: string): string {
  const message = textOf(root, 'message');
  const [, refusedAt] = /^connect ECONNREFUSED (\S+)$/.exec(message) ?? [];
  if (refusedAt !== undefined) return `connection refused (${refusedAt})`;
  return message === '' ? code || 'no reason given' : message;
}

function textOf(value: unknown, field: 'code' | 'syscall' | 'name' | 'message'): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Object.getOwnPropertyDescriptor(value, field)?.value;
  return typeof found === 'string' ? found : '';
}
