import type {Failure, Result} from '../domain/failure.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {checkKey, createRedactor, type Secret} from '../domain/secret.ts';
import {type Clock, type DurationMs, type EpochMs, momentOf, type MonotonicMs} from '../domain/time.ts';
import {isPinned, type Pin} from './base-url.ts';
import type {ProxyRoute} from './proxy.ts';

/** A request, without the key: `authorised` adds that header at the last moment. */
export type WireRequest = {
  readonly method: string;
  readonly url: URL;
  readonly body?: string;
};

export type WireReply = {
  readonly httpStatus: number;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
};

/**
 * An answer whose status and headers have arrived. Its body is read in chunks, so that it is never in memory as a
 * whole.
 */
export type OpenReply = Pick<WireReply, 'httpStatus' | 'header'> & {
  /** The next bytes, decompressed, valid until the next call; undefined at the end. */
  readonly next: () => Promise<Result<Uint8Array | undefined>>;
  /**
   * Closes the connection if the body was not read to its end. Must always be called, because the time limit runs until
   * then.
   */
  readonly close: () => void;
};

/** Options shared by reads and operations. */
export type ServiceConnection = {
  readonly pin: Pin;
  readonly key: Secret;
  /** What no text may show: the key, and every other secret that the process knows. */
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  readonly route: ProxyRoute;
  readonly onAnswer?: (seen: Seen) => void;
  readonly onRequest?: OnRequest;
};

/** Called when a read is sent; what it returns is called when its answer begins, or when there will be none. */
export type OnRequest = (sentAt: MonotonicMs) => () => void;

/** What an answer says besides its content: round-trip time, and the service's clock. */
export type Seen = {
  readonly latencyMs: DurationMs;
  readonly serverDate?: EpochMs;
  /** It had a date that cannot be read. */
  readonly hasOddDate?: true;
  readonly httpStatus?: number;
};

export const BYTES_PER_MIB = 1024 * 1024;
/**
 * Of an error, also where a longer answer would be taken. An error is one sentence and a gateway's page a few KiB, but a
 * tight limit would hide the status, which alone says whether an operation was refused.
 */
export const MAX_ERROR_BODY_BYTES = 1024 * 1024;
const MAX_DETAIL_LENGTH = 300;

/**
 * The only place that reveals the key: it goes into the headers of a request to the pinned origin. Any other request is
 * refused before a byte is sent.
 */
export function authorised(
  {pin, key, route}: ServiceConnection,
  request: WireRequest,
): Result<Readonly<Record<string, string>>> {
  if (!isPinned(pin, request.url)) return notSent(say`the request would leave the service's own origin`);
  if (route.kind === 'blocked') return notSent(route.mistake);
  const checked = checkKey(key.reveal());
  if (!checked.ok) return notSent(checked.mistake);
  return {
    ok: true,
    value: {
      accept: 'application/json',
      // The state of now is asked for, not what a cache in between remembers of it.
      'cache-control': 'no-cache',
      ...(request.body === undefined ? {} : {'content-type': 'application/json'}),
      api_key: key.reveal(),
    },
  };
}

/** Reports an answer's round-trip time, and the service's clock from its headers; an old copy has the time of then. */
export function reportHead(
  connection: Pick<ServiceConnection, 'clock' | 'onAnswer'>,
  sentAt: number,
  httpStatus: number,
  header: WireReply['header'],
): void {
  const dateHeader = oldCopy({header}, 0) === undefined ? header('date') : undefined;
  const serverDate = readHttpDate(dateHeader);
  connection.onAnswer?.({
    latencyMs: connection.clock.monotonicNow() - sentAt,
    httpStatus,
    ...(serverDate === undefined ? {} : {serverDate}),
    ...(serverDate === undefined && dateHeader !== undefined ? {hasOddDate: true} : {}),
  });
}

/** An HTTP date, always GMT. */
export function readHttpDate(header: string | undefined): EpochMs | undefined {
  if (header === undefined || !/ GMT$/.test(header)) return undefined;
  return momentOf(Date.parse(header));
}

/**
 * Text from outside in a form that may be shown: without secrets, and without control characters a terminal would obey.
 */
export function outsideText({secrets}: Pick<ServiceConnection, 'secrets'>, text: string): SafeText {
  return safeText(createRedactor(secrets)(text), {maxLength: MAX_DETAIL_LENGTH});
}

export function notSent(detail: SafeText): {readonly ok: false; readonly failure: Failure} {
  return {ok: false, failure: {kind: 'not-sent', detail}};
}

export function oddAnswer(detail: SafeText): {readonly ok: false; readonly failure: Failure} {
  return {ok: false, failure: {kind: 'odd-answer', detail}};
}

/** Something else than the service answered. */
export function foreignAnswer(detail: SafeText): {readonly ok: false; readonly failure: Failure} {
  return {ok: false, failure: {kind: 'odd-answer', detail, isForeign: true}};
}

/**
 * What an answer is if a cache in between made it from one that is older than `toleratedSeconds`, as its `Age` says; of
 * several caches in a row the oldest copy counts. An age is a whole number; any other number is still one, and the rest is
 * ignored (RFC 9111, 5.1).
 */
export function oldCopy({header}: Pick<WireReply, 'header'>, toleratedSeconds: number) {
  const ages = (header('age') ?? '').split(',').map(Number);
  const age = Math.max(0, ...ages.filter(each => !Number.isNaN(each)));
  return age > toleratedSeconds
    ? oddAnswer(say`a copy that is ${safeText(String(age), {maxLength: 12})} s old, from a cache in between`)
    : undefined;
}

export function tooLarge(
  limitBytes: number,
  advice: SafeText = say``,
): {readonly ok: false; readonly failure: Failure} {
  const detail = say`a body of more than ${limitBytes / BYTES_PER_MIB} MiB${advice}`;
  return {ok: false, failure: {kind: 'odd-answer', detail, isTooLarge: true}};
}

export function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
