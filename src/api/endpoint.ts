import {assert} from '../domain/assert.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import type {SafeText} from '../domain/safe-text.ts';

/**
 * An endpoint is a value: a row of the interface table that the client can walk. What is read and what is done are
 * two types, so that an operation cannot be given to anything that polls, pages or repeats.
 */
export type Endpoint = ReadEndpoint<never, unknown> | OperationEndpoint<never>;

export type ReadEndpoint<Params, R> = {
  readonly effect: 'read';
  readonly id: string;
  readonly method: 'GET';
  /** The path as the interface table writes it, with `{id}` where a parameter goes. */
  readonly template: string;
  readonly path: (params: Params) => string;
  readonly query: (params: Params) => Query;
  /** The raw records of one reply; undefined when the reply is not the expected envelope. */
  readonly collect: (body: unknown) => readonly unknown[] | undefined;
  readonly record: (raw: unknown) => ParsedRecord<R>;
  readonly paging: Paging;
  /**
   * Whether the answer is a list that can be very long. It is then read in pieces: `collect` gets bodies that have a part
   * of the list each, and everything else in the last of them.
   */
  readonly comesInPieces: boolean;
  /** Whether the answer may be shown only once, so that it is not kept. */
  readonly isOneTime: boolean;
  /** Whether the answer is the one record of the `id` asked for: with another id it is an answer to another question. */
  readonly isById: boolean;
  /**
   * The body to read instead where a failure is an answer for this endpoint: a log that is not there yet is a 2xx with
   * `status: false`, and a history without entries is a 404. Undefined where the failure stands.
   */
  readonly readsFailure: (httpStatus: number, body: unknown) => unknown;
  /** Names of what the service itself says is missing from this reply, like a region that did not answer. */
  readonly absentParts: (body: unknown) => readonly SafeText[];
};

export type OperationEndpoint<Params> = {
  readonly effect: 'operation';
  readonly id: string;
  /** Power operations are GETs on this interface; the method says nothing about what is safe to repeat. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly template: string;
  readonly path: (params: Params) => string;
  readonly query: (params: Params) => Query;
  /** What goes out as JSON; undefined for a request without a body. */
  readonly body: (params: Params) => unknown;
  /** Whether a 2xx reply is the service's own "scheduled", judged by its parsed body. */
  readonly isAccepted: (body: unknown) => boolean;
  /** What the reply carries beyond that; undefined where it says nothing readable, which fails nothing. */
  readonly result: (body: unknown) => OperationResult | undefined;
};

/** A parameter that is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One record as parsed by itself. A record may be good as a whole and still have lost parts. */
export type ParsedRecord<R> =
  | {readonly ok: true; readonly value: R; readonly lost?: readonly Quarantined[]}
  | {readonly ok: false; readonly fields: readonly SafeText[]};

/** A record, or a part of one, that could not be read: which, and the fields at fault. */
export type Quarantined = {readonly id?: SafeText; readonly fields: readonly SafeText[]};

export type Paging =
  | 'none'
  | {
      readonly pageParameter: 'page';
      /** A wrong name is silently ignored by the service, which then always returns page 1. */
      readonly sizeParameter: 'pageSize' | 'per_page' | 'page_size';
      readonly pageSize: number;
    };

/**
 * What no read may end in: the service acts there, or would if it took a GET. Written beside the operations and not made
 * from them, so that a mistake in one of them opens no way for a read.
 */
const ACTING_SEGMENTS: ReadonlySet<string> = new Set([
  'start',
  'stop',
  'hard-reboot',
  'hibernate',
  'hibernate-restore',
  'resize',
  'label',
  'sg-rules',
  'attach-floatingip',
  'detach-floatingip',
  'attach-callback',
  'update-callback',
  'delete-callback',
  'attach-firewalls',
  'update-attachments',
  'firewall-rules',
  'attach-volumes',
  'detach-volumes',
  'request-console',
  'enhanced-metrics',
  'restore',
  'reconcile',
  'delete',
  'generate',
  'accept',
  'remove-member',
]);
/** Below these comes a name that anyone may choose, so that a bucket called `restore` is a bucket. */
const FREE_NAME_PARENTS: ReadonlySet<string> = new Set(['name-availability', 'buckets', 'console']);

type ReadDeclaration<Params, R> = Pick<ReadEndpoint<Params, R>, 'id' | 'template' | 'collect' | 'record'> &
  Partial<
    Pick<
      ReadEndpoint<Params, R>,
      'query' | 'paging' | 'comesInPieces' | 'isOneTime' | 'isById' | 'readsFailure' | 'absentParts'
    >
  >;

/** A GET that changes nothing. */
export function defineRead<Params extends object, R>(declared: ReadDeclaration<Params, R>): ReadEndpoint<Params, R> {
  assert(!endsInOperation(declared.template), `${declared.id} is declared a read and ends in an operation`);
  return {
    effect: 'read',
    method: 'GET',
    path: params => fillPath(declared.template, params, 0),
    query: () => ({}),
    paging: 'none',
    comesInPieces: declared.paging !== undefined,
    isOneTime: false,
    isById: false,
    readsFailure: () => undefined,
    absentParts: () => [],
    ...declared,
  };
}

type OperationDeclaration<Params> = Pick<OperationEndpoint<Params>, 'id' | 'method' | 'template'> &
  Partial<Pick<OperationEndpoint<Params>, 'query' | 'body' | 'isAccepted' | 'result'>>;

/** A request that makes the service act: sent at most once per confirmation, and never again. */
export function defineOperation<Params extends object>(
  declared: OperationDeclaration<Params>,
): OperationEndpoint<Params> {
  return {
    effect: 'operation',
    path: params => fillPath(declared.template, params, 1),
    query: () => ({}),
    body: () => undefined,
    isAccepted: hasEnvelope,
    result: () => undefined,
    ...declared,
  };
}

/** Whether a path would make the service act: a read must never be able to build one. */
export function endsInOperation(path: string): boolean {
  const segments = path.split('/').filter(segment => segment !== '');
  const [parent = '', last = ''] = segments.length > 1 ? segments.slice(-2) : ['', ...segments];
  return !FREE_NAME_PARENTS.has(parent) && ACTING_SEGMENTS.has(decodeSegment(last).toLowerCase());
}

/** The query as it stands in the URL, with its `?`; empty when there is nothing to ask. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Ids beyond 2^53 lose digits and would name another object; nothing is done to what is called zero. */
function fillPath(template: string, params: object, leastId: 0 | 1): string {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(params));
  return template.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = values.get(name);
    if (typeof value === 'string') return encodeName(value, name);
    assert(
      typeof value === 'number' && Number.isSafeInteger(value) && value >= leastId,
      `${name} is not a positive integer`,
    );
    return String(value);
  });
}

function encodeName(value: string, name: string): string {
  // A dot segment survives percent-encoding and would climb out of the path.
  assert(value !== '' && value !== '.' && value !== '..', `${name} cannot be part of a path`);
  return encodeURIComponent(value.toWellFormed());
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The envelope of every scheduled operation: `{status: true, message}`. */
function hasEnvelope(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return ('status' in body && body.status === true) || ('message' in body && typeof body.message === 'string');
}
