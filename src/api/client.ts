import {assert} from '../domain/assert.ts';
import type {PastReads} from './exported-past.ts';
import type {GpuReads} from './gpu-load.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import type {Result} from '../domain/failure.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../domain/time.ts';
import {AnswerMemory, type Question, type RecordRead} from './answer-memory.ts';
import {pinTo, urlAt} from './base-url.ts';
import {OpeningBuffers} from './body.ts';
import {endsInOperation, type OperationEndpoint, type Quarantined, queryText, type ReadEndpoint} from './endpoint.ts';
import {BYTES_PER_MIB, notSent, oddAnswer, outsideText, type Seen, type ServiceConnection} from './exchange.ts';
import {isObject, present} from './fields.ts';
import {numberText} from './json.ts';
import {judgeOperation} from './judge.ts';
import {readList} from './list.ts';
import {exchangeOperation} from './operation-exchange.ts';
import {type IncompleteReason, MAX_LIST_RECORDS} from './paging.ts';
import {leadReads, routeTo} from './proxy.ts';
import {exchangeRead} from './read-exchange.ts';

export type ClientOptions = {
  /** Checked by `checkBaseUrl` before; the key goes to its origin and nowhere else. */
  readonly baseUrl: string;
  readonly key: Secret;
  readonly clock: Clock;
  readonly readTimeoutMs?: DurationMs;
  /** The request budget: resolves when one more request may go out. */
  readonly admit: (purpose: 'read' | 'page' | 'operation') => Promise<void>;
  readonly onAnswer?: (seen: Seen) => void;
  /** How much of one list is read: its records, and the bytes of all its pages, unpacked. */
  readonly maxListBytes?: number | undefined;
  readonly maxListRecords?: number | undefined;
  /** Shared by clients that ask the same questions; one of its own where nothing is said. */
  readonly memory?: AnswerMemory;
  /** How a request travels; over the network where nothing is said. */
  readonly exchange?: Exchange;
  /** Where `HTTPS_PROXY` and `NO_PROXY` stand; the environment of the process unless given. */
  readonly proxyEnvironment?: EnvironmentVariables;
};

/** The two ways of a request: what is read may share a connection, what is done has its own and is sent once. */
export type Exchange = {readonly read: typeof exchangeRead; readonly operation: typeof exchangeOperation};

export type OperationClientOptions = ClientOptions & {
  /** Whether certificate checks are switched off for the process, which an operation is never sent under. */
  readonly isTlsUnchecked: boolean;
};

type ReadOptions = {readonly signal?: AbortSignal | undefined};

export type ReadClient = {
  /** What the records say. Where every byte of the answer is that of the last time, it is the very same object. */
  readonly read: <Params, R>(
    endpoint: ReadEndpoint<Params, R>,
    params: Params,
    options?: ReadOptions,
  ) => Promise<Result<Answer<R>>>;
  /** The service's own records, the unreadable ones among them: what `-o json` prints. */
  readonly readRaw: <Params>(
    endpoint: ReadEndpoint<Params, unknown>,
    params: Params,
    options?: ReadOptions & {
      /** Gets the records as they come, one of two pages twice; then none are kept, and no bound on their size holds. */
      readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
    },
  ) => Promise<Result<RawAnswer>>;
  /** What the service does not know, where the profile names a Prometheus that may: GPUs, and more than a month. */
  readonly prometheus?: {readonly gpus: GpuReads; readonly past: PastReads};
};

/** Made only where operations are allowed: in read-only mode the object does not exist. */
export type OperationClient = {
  readonly sendOnce: <Params>(endpoint: OperationEndpoint<Params>, params: Params) => Promise<Result<OperationReply>>;
};

export type Answer<R> = Completeness & {
  readonly records: readonly R[];
  readonly quarantined: readonly Quarantined[];
};

export type RawAnswer = Completeness & {readonly raw: readonly unknown[]};

type Completeness = {
  readonly incompleteReason?: IncompleteReason;
  /** How many there are by the service, where not all of them were read and it says so. */
  readonly serviceCount?: number;
  /** What the service itself says is missing, like the regions that did not answer; absent when nothing is. */
  readonly absentParts?: readonly SafeText[];
};

/** The service accepted the request; only a later read shows its effect. */
export type OperationReply = {
  readonly httpStatus: number;
  readonly message: SafeText;
  readonly result?: OperationResult;
};

const READ_TIMEOUT_MS = 15 * SECOND_MS;
/** Ten thousand machines are 18 MiB. */
const MAX_LIST_BYTES = 128 * BYTES_PER_MIB;
/** Records that are not kept need no bound. */
const UNBOUNDED = {maxBytes: Number.POSITIVE_INFINITY, maxRecords: Number.POSITIVE_INFINITY};
const OVER_THE_NETWORK: Exchange = {read: exchangeRead, operation: exchangeOperation};

/** What the cloud says. Every failure comes back as a value; only a mistake of our own rejects. */
export function createClient(options: ClientOptions): ReadClient {
  const {exchange = OVER_THE_NETWORK, readTimeoutMs = READ_TIMEOUT_MS, maxListBytes = MAX_LIST_BYTES} = options;
  const bounds = {maxBytes: maxListBytes, maxRecords: options.maxListRecords ?? MAX_LIST_RECORDS};
  const line = lineOf(options);
  leadReads(line.route, options.proxyEnvironment ?? process.env);
  const buffers = new OpeningBuffers();
  const way = {line, exchange: exchange.read, admit: options.admit, timeoutMs: readTimeoutMs, buffers};
  const memory = options.memory ?? new AnswerMemory();
  return {
    read: async (endpoint, params, {signal} = {}) => {
      const question = questionOf(endpoint, params);
      const known = memory.recall(endpoint, question);
      const take = (raw: unknown) => readRecord(endpoint.record, raw);
      const list = await readList(way, {
        endpoint,
        ...question,
        signal,
        bounds,
        take,
        known: known.pages,
      });
      return list.ok ? {ok: true, value: memory.keep(endpoint, question, list.value)} : list;
    },
    readRaw: async (endpoint, params, {signal, onPage} = {}) => {
      const isKept = onPage === undefined;
      const list = await readList(way, {
        endpoint,
        ...questionOf(endpoint, params),
        signal,
        onPage,
        bounds: isKept ? bounds : UNBOUNDED,
        take: (raw: unknown) => (isKept ? raw : undefined),
        known: [],
      });
      if (!list.ok) return list;
      const {taken, pages: _pages, ...completeness} = list.value;
      return {ok: true, value: {...completeness, raw: isKept ? taken : []}};
    },
  };
}

function questionOf<Params>(endpoint: ReadEndpoint<Params, unknown>, params: Params): Question {
  const path = endpoint.path(params);
  assert(!endsInOperation(path), `the read ${endpoint.id} would make the service act`);
  return {path, query: endpoint.query(params)};
}

/** Each record by itself: one that is bad hides only itself. */
function readRecord<R>(record: ReadEndpoint<never, R>['record'], raw: unknown): RecordRead<R> {
  const reading = record(raw);
  if (reading.ok) return reading;
  const id = isObject(raw) ? idText(raw.id ?? raw.resource_id) : undefined;
  return {ok: false, quarantined: present({id: id === undefined ? undefined : safeText(id), fields: reading.fields})};
}

/** An unusable id is still the best name for what could not be read. */
function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? id : numberText(id);
}

/** Sends operations: one request for one call, whatever comes of it. */
export function createOperationClient(options: OperationClientOptions): OperationClient {
  const line = lineOf(options);
  const {exchange = OVER_THE_NETWORK} = options;
  return {
    sendOnce: async (endpoint, params) => {
      if (options.isTlsUnchecked) {
        return notSent(say`certificate checks are off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations need them`);
      }
      const body = endpoint.body(params);
      const request = {
        method: endpoint.method,
        url: urlAt(line.pin, endpoint.path(params) + queryText(endpoint.query(params))),
        ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      };
      await options.admit('operation');
      const reply = await exchange.operation(line, request);
      if (!reply.ok) return reply;
      const judged = judgeOperation(line, reply.value, request.url);
      if (!judged.ok) return judged;
      if (!endpoint.isAccepted(judged.value)) return oddAnswer(say`JSON that does not match the API`);
      const {httpStatus} = reply.value;
      const result = endpoint.result(judged.value);
      return {ok: true, value: present({httpStatus, message: messageIn(line, judged.value), result})};
    },
  };
}

/** The line to the service that both clients, and what is asked raw, go by. */
export function lineOf({
  baseUrl,
  key,
  clock,
  onAnswer,
  proxyEnvironment = process.env,
}: ClientOptions): ServiceConnection {
  const route = routeTo(new URL(baseUrl), proxyEnvironment);
  return {pin: pinTo(baseUrl), key, clock, route, ...(onAnswer === undefined ? {} : {onAnswer})};
}

function messageIn(line: ServiceConnection, body: unknown): SafeText {
  return isObject(body) && typeof body.message === 'string' ? outsideText(line, body.message) : safeText('');
}
