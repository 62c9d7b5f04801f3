import {appendFileSync} from 'node:fs';
import type {OperationClient, ReadClient} from '../api/client.ts';
import type {ReadEndpoint} from '../api/endpoint.ts';
import {openOwnFile} from '../config/own-files.ts';
import {describeFailure, type Result} from '../domain/failure.ts';
import type {Clock} from '../domain/time.ts';

/** Writes one line for each request and what came of it. */
export type RequestLog = (entry: {
  readonly effect: 'read' | 'operation';
  readonly request: string;
  readonly params: unknown;
  readonly elapsedMs: number;
  readonly outcome: string;
}) => void;

/**
 * Opens the log of `--log FILE`, mode 0600 also where the file was there before. Lines are JSON; the key cannot stand in
 * them, and `redact` makes sure. Throws when the file cannot be written: a person who asks for a log wants to know.
 */
export function openRequestLog(path: string, clock: Clock, redact: (text: string) => string): RequestLog {
  // Kept open, so that nothing that takes the file's place later is written to.
  const file = openOwnFile(path, 'append');
  return entry => {
    const line = JSON.stringify({at: new Date(clock.wallNow()).toISOString(), ...entry}, withoutPrivateFields);
    appendFileSync(file, `${redact(line)}\n`);
  };
}

/** Start-up scripts and addresses to call often hold passwords; that there was one is all the log has to say. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set(['userData', 'url', 'callbackUrl']);

function withoutPrivateFields(field: string, value: unknown): unknown {
  return PRIVATE_FIELDS.has(field) && value !== undefined ? '[kept out]' : value;
}

/** The same client, with every read in the log. */
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

/** The same client, with every operation in the log. */
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

/** A request is sent also where the disk is full and its line cannot be written. */
function note(log: RequestLog, entry: Parameters<RequestLog>[0]): void {
  try {
    log(entry);
  } catch {
    // The answer goes on to whoever waits for it.
  }
}

function outcomeOf(result: Extract<Result<unknown>, {ok: false}>): string {
  return describeFailure(result.failure);
}
