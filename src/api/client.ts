import {assert} from '../domain/assert.ts';
import type {Result} from '../domain/failure.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../domain/time.ts';
import {pinTo, urlAt} from './base-url.ts';
import {endsInOperation, type OperationEndpoint, type Quarantined, queryText, type ReadEndpoint} from './endpoint.ts';
import {type Line, notSent, oddAnswer, outsideText, type Seen} from './exchange.ts';
import {isObject, present} from './fields.ts';
import {numberText} from './json.ts';
import {judge} from './judge.ts';
import {exchangeOperation} from './operation-exchange.ts';
import {type IncompleteReason, walkPages} from './paging.ts';
import {type Environment, leadReads, routeTo} from './proxy.ts';
import {exchangeRead} from './read-exchange.ts';
import {parseInSlices} from './slices.ts';

export type ClientOptions = {
  /** Checked by `checkBaseUrl` before; the key goes to its origin and nowhere else. */
  readonly baseUrl: string;
  readonly key: Secret;
  readonly clock: Clock;
  readonly readTimeoutMs?: DurationMs;
  /** The request budget: resolves when one more request may go out. */
  readonly admit: (purpose: 'read' | 'operation') => Promise<void>;
  readonly onAnswer?: (seen: Seen) => void;
  /** How a request travels; over the network where nothing is said. */
  readonly exchange?: Exchange;
  /** Where `HTTPS_PROXY` and `NO_PROXY` stand; the environment of the process unless given. */
  readonly proxyEnvironment?: Environment;
};

/** The two ways of a request: what is read may share a connection, what is done has its own and is sent once. */
export type Exchange = {readonly read: typeof exchangeRead; readonly operation: typeof exchangeOperation};

export type OperationClientOptions = ClientOptions & {
  /** Whether certificate checks are switched off for the process, which an operation is never sent under. */
  readonly isTlsUnchecked: boolean;
};

export type ReadClient = {
  readonly read: <Params, R>(
    endpoint: ReadEndpoint<Params, R>,
    params: Params,
    options?: {
      readonly signal?: AbortSignal | undefined;
      /** Gets the raw records of each page as it comes, a record of two pages twice. */
      readonly onPage?: ((raw: readonly unknown[]) => void) | undefined;
    },
  ) => Promise<Result<Answer<R>>>;
};

/** Made only where operations are allowed: in read-only mode the object does not exist. */
export type OperationClient = {
  readonly fire: <Params>(endpoint: OperationEndpoint<Params>, params: Params) => Promise<Result<OperationReply>>;
};

export type Answer<R> = {
  readonly records: readonly R[];
  /** The service's own records, the unreadable ones among them: what `-o json` prints. */
  readonly raw: readonly unknown[];
  readonly quarantined: readonly Quarantined[];
  readonly isIncomplete?: IncompleteReason;
  /** What the service itself says is missing, like the regions that did not answer; absent when nothing is. */
  readonly absentParts?: readonly SafeText[];
};

/** The service took the order; what comes of it only a later read can tell. */
export type OperationReply = {
  readonly httpStatus: number;
  readonly message: SafeText;
  readonly result?: OperationResult;
};

const READ_TIMEOUT_MS = 15 * SECOND_MS;
const OVER_THE_NETWORK: Exchange = {read: exchangeRead, operation: exchangeOperation};

/** What the cloud says. Every failure comes back as a value; only a mistake of our own rejects. */
export function createClient(options: ClientOptions): ReadClient {
  const line = lineOf(options);
  const {exchange = OVER_THE_NETWORK} = options;
  leadReads(line.route);
  const timeoutMs = options.readTimeoutMs ?? READ_TIMEOUT_MS;
  return {
    read: async (endpoint, params, {signal, onPage} = {}) => {
      const collect: typeof endpoint.collect = body => {
        const records = endpoint.collect(body);
        if (records !== undefined) onPage?.(records);
        return records;
      };
      const path = endpoint.path(params);
      assert(!endsInOperation(path), `the read ${endpoint.id} would make the service act`);
      const absentParts: SafeText[] = [];
      const walk = await walkPages(endpoint.paging, collect, async paging => {
        await options.admit('read');
        const url = urlAt(line.pin, path + queryText({...endpoint.query(params), ...paging}));
        const reply = await exchange.read(line, {method: endpoint.method, url}, {timeoutMs, signal});
        if (!reply.ok) return reply;
        const judged = judge(line, reply.value, url, endpoint.readsFailure);
        if (judged.ok) absentParts.push(...endpoint.absentParts(judged.value));
        return judged;
      });
      if (!walk.ok) return walk;
      const other = endpoint.isById ? otherId(path, walk.value.raw) : undefined;
      if (other !== undefined) return oddAnswer(say`asked for #${askedId(path)}, and the answer is of #${other}`);
      const parsed = await parseInSlices(walk.value.raw, endpoint.record, line.clock);
      return {ok: true, value: {...parsed, ...walk.value, ...(absentParts.length === 0 ? {} : {absentParts})}};
    },
  };
}

/** Sends operations: one request for one call, whatever comes of it. */
export function createOperationClient(options: OperationClientOptions): OperationClient {
  const line = lineOf(options);
  const {exchange = OVER_THE_NETWORK} = options;
  return {
    fire: async (endpoint, params) => {
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
      const judged = judge(line, reply.value, request.url);
      if (!judged.ok) return judged;
      if (!endpoint.isAccepted(judged.value)) return oddAnswer(say`JSON of another shape than the interface's`);
      const {httpStatus} = reply.value;
      const result = endpoint.result(judged.value);
      return {ok: true, value: present({httpStatus, message: messageIn(line, judged.value), result})};
    },
  };
}

/** The line to the service that both clients, and what is asked raw, go by. */
export function lineOf({baseUrl, key, clock, onAnswer, proxyEnvironment = process.env}: ClientOptions): Line {
  const route = routeTo(new URL(baseUrl), proxyEnvironment);
  return {pin: pinTo(baseUrl), key, clock, route, ...(onAnswer === undefined ? {} : {onAnswer})};
}

/** The id that a record has instead of the one asked for; what is no number is unreadable in itself. */
function otherId(path: string, raw: readonly unknown[]): SafeText | undefined {
  const ids = raw.map(record => (isObject(record) ? numberText(record.id) : undefined));
  const other = ids.find(id => id !== undefined && id !== askedId(path));
  return other === undefined ? undefined : safeText(other);
}

/** A path by id ends in it. */
function askedId(path: string): SafeText {
  return safeText(path.slice(path.lastIndexOf('/') + 1));
}

function messageIn(line: Line, body: unknown): SafeText {
  return isObject(body) && typeof body.message === 'string' ? outsideText(line, body.message) : safeText('');
}
