import {assert} from '../domain/assert.ts';
import type {ExportedReads} from './exported-series.ts';
import type {GpuReads} from './gpu-load.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import type {Result} from '../domain/failure.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../domain/time.ts';
import {AnswerMemory, type ReadRequest, type RecordRead} from './answer-memory.ts';
import {pinTo, urlAt} from './base-url.ts';
import {OpeningBuffers} from './body.ts';
import {
  endsInOperation,
  isWholePath,
  type OperationEndpoint,
  MAX_ID_LENGTH,
  type Quarantined,
  queryText,
  type ReadEndpoint,
} from './endpoint.ts';
import {BYTES_PER_MIB, notSent, type OnRequest, outsideText, type Seen, type ServiceConnection} from './exchange.ts';
import {isObject, present} from './fields.ts';
import {numberText} from './json.ts';
import {judgeOperation} from './judge.ts';
import {readList} from './list.ts';
import {exchangeOperation} from './operation-exchange.ts';
import {type IncompleteReason, type ListBounds, MAX_LIST_RECORDS} from './paging.ts';
import {leadReads, routeTo} from './proxy.ts';
import {exchangeRead} from './read-exchange.ts';
import {inSlices} from './slices.ts';
import {withoutKey} from './without-key.ts';

export type ClientOptions = {
  /** Checked with `checkBaseUrl`; the key is sent to its origin only. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** All secrets of the process, which no text of the service may show; the key if absent. */
  readonly secrets?: readonly Secret[];
  readonly clock: Clock;
  readonly readTimeoutMs?: DurationMs;
  /** The request budget: resolves when one more request may be sent. */
  readonly admit: (purpose: 'read' | 'page' | 'operation') => Promise<void>;
  readonly onAnswer?: (seen: Seen) => void;
  readonly onRequest?: OnRequest;
  /** Limits for one list: its records, and the bytes of all its pages after decompression. */
  readonly maxListBytes?: number | undefined;
  readonly maxListRecords?: number | undefined;
  /** Limits for a list that is passed on page by page, if they are above those; the usual ones if absent. */
  readonly streamedBounds?: Required<ListBounds>;
  /** Shared by clients that send the same reads; a new one if absent. */
  readonly memory?: AnswerMemory;
  /** How requests are sent; over the network if absent. */
  readonly exchange?: Exchange;
  /** Where to look up `HTTPS_PROXY` and `NO_PROXY`; the environment of the process if absent. */
  readonly proxyEnvironment?: EnvironmentVariables;
};

/** The two transports: reads may share a connection; an operation has its own and is sent once. */
export type Exchange = {readonly read: typeof exchangeRead; readonly operation: typeof exchangeOperation};

export type OperationClientOptions = ClientOptions & {
  /** Whether certificate checks are switched off for the process. Operations are never sent then. */
  readonly isTlsUnchecked: boolean;
};

type ReadOptions = {readonly signal?: AbortSignal | undefined};

export type ReadClient = {
  /** The parsed records. If the answer has the same bytes as the last one, this is the very same object. */
  readonly read: <Params, R>(
    endpoint: ReadEndpoint<Params, R>,
    params: Params,
    options?: ReadOptions,
  ) => Promise<Result<Answer<R>>>;
  /** The service's own records, including unreadable ones: what `-o json` prints. */
  readonly readRaw: <Params>(
    endpoint: ReadEndpoint<Params, unknown>,
    params: Params,
    options?: ReadOptions & {
      /**
       * Receives records as they arrive; one that is on two pages comes twice. Only their ids are kept then, so the
       * limits are wider.
       */
      readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
    },
  ) => Promise<Result<RawAnswer>>;
  /** Answers what the service does not know, if the profile names a Prometheus: GPUs, and windows beyond a month. */
  readonly prometheus?: {readonly gpus: GpuReads; readonly exported: ExportedReads};
};

/** Created only if operations are allowed: in read-only mode the object does not exist. */
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
  /** The service's own count, if it gives one and not all records were read. */
  readonly serviceCount?: number;
  /** Ids that the list has twice: which of two records is right is unknown. */
  readonly repeatedIds?: readonly string[];
  /** What the service itself reports as missing, such as regions that did not answer; absent if nothing is. */
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
/**
 * Of records that are passed on, only the ids are kept, so more of them can be read. The limits only end a list without
 * end: fifty times ten thousand machines are 900 MiB.
 */
const STREAMED_BOUNDS = {maxBytes: 1024 * BYTES_PER_MIB, maxRecords: 500_000};
/** The request would go to another address than the one meant. */
const UNFIT_NAME = notSent(say`a name in the path is empty, "." or ".."`);
export const OVER_THE_NETWORK: Exchange = {read: exchangeRead, operation: exchangeOperation};

/** The client for reads and operations. Every failure is returned as a value; only a mistake of our own rejects. */
export function createClient(options: ClientOptions): ReadClient {
  const {exchange = OVER_THE_NETWORK, readTimeoutMs = READ_TIMEOUT_MS, maxListBytes = MAX_LIST_BYTES} = options;
  const bounds = {maxBytes: maxListBytes, maxRecords: options.maxListRecords ?? MAX_LIST_RECORDS};
  const {streamedBounds: streamed = STREAMED_BOUNDS} = options;
  const streamedBounds = {
    maxBytes: Math.max(bounds.maxBytes, streamed.maxBytes),
    maxRecords: Math.max(bounds.maxRecords, streamed.maxRecords),
  };
  const connection = connectionOf(options);
  leadReads(connection.route, options.proxyEnvironment ?? process.env);
  const buffers = new OpeningBuffers();
  const way = {
    connection,
    exchange: exchange.read,
    admit: options.admit,
    timeoutMs: readTimeoutMs,
    buffers,
    pageSizes: new Map<string, number>(),
  };
  const memory = options.memory ?? new AnswerMemory();
  return {
    read: async (endpoint, params, {signal} = {}) => {
      const request = requestOf(endpoint, params);
      if (!isWholePath(request.path)) return UNFIT_NAME;
      const known = memory.recall(endpoint, request);
      const take = (raw: unknown) => readRecord(endpoint.record, raw);
      const list = await readList(way, {
        endpoint,
        ...request,
        tooLongAdvice: endpoint.tooLongAdvice(params),
        signal,
        bounds,
        take,
        keepsText: !endpoint.keepsNumbersOnly,
        known: known.pages,
      });
      return list.ok ? {ok: true, value: memory.keep(endpoint, request, list.value)} : list;
    },
    readRaw: async (endpoint, params, {signal, onPage} = {}) => {
      const request = requestOf(endpoint, params);
      if (!isWholePath(request.path)) return UNFIT_NAME;
      const isKept = onPage === undefined;
      const list = await readList(way, {
        endpoint,
        ...request,
        tooLongAdvice: endpoint.tooLongAdvice(params),
        signal,
        onPage,
        bounds: isKept ? bounds : streamedBounds,
        take: (raw: unknown) => (isKept ? raw : undefined),
        keepsText: true,
        known: [],
      });
      if (!list.ok) return list;
      const {taken, pages: _pages, ...completeness} = list.value;
      return {ok: true, value: {...completeness, raw: isKept ? taken : []}};
    },
  };
}

function requestOf<Params>(endpoint: ReadEndpoint<Params, unknown>, params: Params): ReadRequest {
  const path = endpoint.path(params);
  assert(!endsInOperation(path), `the read ${endpoint.id} would make the service act`);
  return {path, query: endpoint.query(params)};
}

/** Parses each record on its own, so that a bad one hides only itself. */
function readRecord<R>(record: ReadEndpoint<never, R>['record'], raw: unknown): RecordRead<R> {
  const reading = record(raw);
  if (reading.ok) return reading;
  const id = isObject(raw) ? idText(raw.id ?? raw.resource_id) : undefined;
  return {
    ok: false,
    quarantined: present({
      id: id === undefined ? undefined : safeText(id, {maxLength: MAX_ID_LENGTH}),
      fields: reading.fields,
    }),
  };
}

/** Even an unusable id is the best name for a record that could not be parsed. */
function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? id : numberText(id);
}

/** Sends operations: one call sends one request, whatever happens. */
export function createOperationClient(options: OperationClientOptions): OperationClient {
  const connection = connectionOf(options);
  const {exchange = OVER_THE_NETWORK} = options;
  return {
    sendOnce: async (endpoint, params) => {
      if (options.isTlsUnchecked) {
        return notSent(say`certificate checks are off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations need them`);
      }
      const path = endpoint.path(params);
      if (!isWholePath(path)) return UNFIT_NAME;
      const body = endpoint.body(params);
      const request = {
        method: endpoint.method,
        url: urlAt(connection.pin, path + queryText(endpoint.query(params))),
        ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      };
      await options.admit('operation');
      const reply = await exchange.operation(connection, request);
      if (!reply.ok) return reply;
      const judged = await inSlices(
        judgeOperation(connection, reply.value, request.url, endpoint.isAccepted),
        connection.clock,
      );
      if (!judged.ok) return judged;
      const {httpStatus, body: text} = reply.value;
      // Whether it was accepted is judged by then: what it repeats of the key changes only what is shown.
      const shown = await inSlices(withoutKey(connection, text, judged.value), connection.clock);
      return {
        ok: true,
        value: present({httpStatus, message: messageIn(connection, shown), result: endpoint.result(shown)}),
      };
    },
  };
}

/** The transports used by both clients and by raw requests. */
export function connectionOf({
  baseUrl,
  key,
  secrets = [key],
  clock,
  onAnswer,
  onRequest,
  proxyEnvironment = process.env,
}: ClientOptions): ServiceConnection {
  const route = routeTo(new URL(baseUrl), proxyEnvironment);
  return {pin: pinTo(baseUrl), key, secrets, clock, route, ...present({onAnswer, onRequest})};
}

function messageIn(connection: ServiceConnection, body: unknown): SafeText {
  return isObject(body) && typeof body.message === 'string' ? outsideText(connection, body.message) : safeText('');
}
