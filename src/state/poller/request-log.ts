import {appendFileSync} from 'node:fs';
import type {OperationClient, ReadClient} from '../../api/client.ts';
import type {ReadEndpoint} from '../../api/endpoint.ts';
import {type FileKind, openOwnFile} from '../../config/own-files.ts';
import {describeFailure, type Result} from '../../domain/failure.ts';
import {type Clock, isoText} from '../../domain/time.ts';

/** Writes one line for each request and its result. */
export type RequestLog = (entry: {
  readonly effect: 'read' | 'operation';
  readonly request: string;
  readonly params: unknown;
  readonly elapsedMs: number;
  readonly outcome: string;
}) => void;

/** How every line begins, and so the log of an earlier run. */
const LOG: FileKind = {
  beginning: /^\{"at":"[^"]+","effect":"/,
  refusal: 'is not a log of skydeck; name another file',
};

/**
 * Opens the file of `--log FILE`, new or the log of an earlier run, and sets its mode to 0600. Lines are JSON without the
 * key; `redact` makes sure of that. Throws if the file is anything else or cannot be written, because whoever asks for a
 * log wants to know.
 */
export function openRequestLog(path: string, clock: Clock, redact: (text: string) => string): RequestLog {
  // Kept open, so that nothing is written to another file put in its place later.
  const file = openOwnFile(path, 'append', LOG);
  return ({effect, ...entry}) => {
    const line = JSON.stringify({at: isoText(clock.wallNow()), effect, ...entry}, withoutPrivateFields);
    appendFileSync(file, `${redact(line)}\n`);
  };
}

/** Start-up scripts and callback addresses often hold passwords, so the log says only that there was one. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set(['userData', 'url', 'callbackUrl']);

function withoutPrivateFields(field: string, value: unknown): unknown {
  return PRIVATE_FIELDS.has(field) && value !== undefined ? '[not recorded]' : value;
}

/** Wraps a client and logs every read. */
export function loggedReads(client: ReadClient, log: RequestLog, clock: Clock): ReadClient {
  async function logged<T>(
    {method, template}: Pick<ReadEndpoint<never, unknown>, 'method' | 'template'>,
    params: unknown,
    {reading, countOf}: {reading: () => Promise<Result<T>>; countOf: (answer: T) => number},
  ): Promise<Result<T>> {
    const startedAt = clock.monotonicNow();
    const result = await reading();
    note(log, {
      effect: 'read',
      request: `${method} ${template}`,
      params,
      elapsedMs: Math.round(clock.monotonicNow() - startedAt),
      outcome: result.ok ? `${countOf(result.value)} records` : outcomeOf(result),
    });
    return result;
  }

  return {
    read: (endpoint, params, options) =>
      logged(endpoint, params, {
        reading: () => client.read(endpoint, params, options),
        countOf: ({records}) => records.length,
      }),
    readRaw: (endpoint, params, options) =>
      logged(endpoint, params, {
        reading: () => client.readRaw(endpoint, params, options),
        countOf: ({raw}) => raw.length,
      }),
  };
}

/** Wraps a client and logs every operation. */
export function loggedOperations(client: OperationClient, log: RequestLog, clock: Clock): OperationClient {
  return {
    sendOnce: async (endpoint, params) => {
      const startedAt = clock.monotonicNow();
      const result = await client.sendOnce(endpoint, params);
      note(log, {
        effect: 'operation',
        request: `${endpoint.method} ${endpoint.template}`,
        params,
        elapsedMs: Math.round(clock.monotonicNow() - startedAt),
        outcome: result.ok ? `accepted (${result.value.httpStatus})` : outcomeOf(result),
      });
      return result;
    },
  };
}

/** The request is sent even if the disk is full and its line cannot be written. */
function note(log: RequestLog, entry: Parameters<RequestLog>[0]): void {
  try {
    log(entry);
  } catch {
    // The answer is passed on to the caller.
  }
}

function outcomeOf(result: Extract<Result<unknown>, {ok: false}>): string {
  return describeFailure(result.failure);
}
