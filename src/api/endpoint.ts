import {assert} from '../domain/assert.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {isObject} from './fields.ts';

/**
 * An endpoint is a value: a row of the interface table. Reads and operations are two types, so that an operation cannot
 * be passed to anything that polls, pages or repeats.
 */
export type Endpoint = ReadEndpoint<never, unknown> | OperationEndpoint<never>;

export type ReadEndpoint<Params, R> = {
  readonly effect: 'read';
  readonly id: string;
  readonly method: 'GET';
  /** The path as in the interface table, with `{id}` for a parameter. */
  readonly template: string;
  readonly path: (params: Params) => string;
  readonly query: (params: Params) => Query;
  /** The raw records of one reply; undefined if the reply does not have the expected form. */
  readonly collect: (body: unknown) => readonly unknown[] | undefined;
  readonly record: (raw: unknown) => ParsedRecord<R>;
  readonly paging: Paging;
  /**
   * For lists that can be very long and are read in pieces: `collect` gets bodies with a part of the list each; the
   * last one has everything else.
   */
  readonly comesInPieces: boolean;
  /**
   * Whether its records keep numbers and nothing that the service wrote: a body that repeats the key then needs no
   * search for it, which takes as long as the parsing.
   */
  readonly keepsNumbersOnly: boolean;
  /** What to do about a reply that is too long, as the end of a sentence: `; ask for less`. Empty if nothing helps. */
  readonly tooLongAdvice: (params: Params) => SafeText;
  /** Whether the reply is one long text, such as a log. */
  readonly isLongText: boolean;
  /** Whether the answer may be shown only once and so must not be kept. */
  readonly isOneTime: boolean;
  /** Whether the answer is the one record with the requested `id`. A record with another id answers another request. */
  readonly isById: boolean;
  /**
   * The body to use when what looks like a failure is an answer for this endpoint: a log that is not there yet is a 2xx
   * with `status: false`, and an empty history is a 404. Undefined if it is a real failure.
   */
  readonly readsFailure: (httpStatus: number, body: unknown) => unknown;
  /** What the service itself reports as missing from this reply, such as a region that did not answer. */
  readonly absentParts: (body: unknown) => readonly SafeText[];
};

export type OperationEndpoint<Params> = {
  readonly effect: 'operation';
  readonly id: string;
  /** Power operations are GETs in this interface, so the method does not tell what is safe to repeat. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly template: string;
  readonly path: (params: Params) => string;
  readonly query: (params: Params) => Query;
  /** The JSON body; undefined for a request without one. */
  readonly body: (params: Params) => unknown;
  /** Whether the body of a 2xx reply is the service's own "scheduled": a yes by default, or its result. */
  readonly isAccepted: (body: unknown) => boolean;
  /** What else the reply contains; undefined if that is unreadable, which is not a failure. */
  readonly result: (body: unknown) => OperationResult | undefined;
};

/** Parameters that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One parsed record. A good record may still have lost parts of it. */
export type ParsedRecord<R> =
  | {readonly ok: true; readonly value: R; readonly lost?: readonly Quarantined[]}
  | {readonly ok: false; readonly fields: readonly SafeText[]};

/** An id that cannot be read as one may be of any length: more of it would only fill the terminal. */
export const MAX_ID_LENGTH = 60;

/** A record, or part of one, that could not be parsed: which one, and the fields at fault. */
export type Quarantined = {readonly id?: SafeText; readonly fields: readonly SafeText[]};

export type Paging =
  | 'none'
  | {
      readonly pageParameter: 'page';
      /** The service silently ignores an unknown paging parameter and then always returns page 1. */
      readonly sizeParameter: 'pageSize' | 'per_page' | 'page_size';
      readonly pageSize: number;
      /** The total may count groups of records instead of records, so it does not show the end. */
      readonly countsGroups?: true;
    };

/**
 * Last path segments no read may have: the service acts on them, or would if they were a GET. Listed separately from
 * the operations, so that a mistake there opens no way for a read.
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
/** What follows these is a name anyone may choose, so a bucket called `restore` is allowed. */
const FREE_NAME_PARENTS: ReadonlySet<string> = new Set(['name-availability', 'buckets', 'console']);

type ReadDeclaration<Params, R> = Pick<ReadEndpoint<Params, R>, 'id' | 'template' | 'collect' | 'record'> &
  Partial<
    Pick<
      ReadEndpoint<Params, R>,
      | 'query'
      | 'paging'
      | 'comesInPieces'
      | 'keepsNumbersOnly'
      | 'tooLongAdvice'
      | 'isLongText'
      | 'isOneTime'
      | 'isById'
      | 'readsFailure'
      | 'absentParts'
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
    keepsNumbersOnly: false,
    tooLongAdvice: () => say``,
    isLongText: false,
    isOneTime: false,
    isById: false,
    readsFailure: () => undefined,
    absentParts: () => [],
    ...declared,
  };
}

type OperationDeclaration<Params> = Pick<OperationEndpoint<Params>, 'id' | 'method' | 'template'> &
  Partial<Pick<OperationEndpoint<Params>, 'query' | 'body' | 'isAccepted' | 'result'>>;

/** A request that makes the service act: sent at most once per confirmation, and never retried. */
export function defineOperation<Params extends object>(
  declared: OperationDeclaration<Params>,
): OperationEndpoint<Params> {
  return {
    effect: 'operation',
    path: params => fillPath(declared.template, params, 1),
    query: () => ({}),
    body: () => undefined,
    isAccepted: body => saysYes(body) || declared.result?.(body) !== undefined,
    result: () => undefined,
    ...declared,
  };
}

/** Whether a path would make the service act; a read must never be able to build one. */
export function endsInOperation(path: string): boolean {
  const segments = path.split('/').filter(segment => segment !== '');
  const [parent = '', last = ''] = segments.length > 1 ? segments.slice(-2) : ['', ...segments];
  return !FREE_NAME_PARENTS.has(parent) && ACTING_SEGMENTS.has(decodeSegment(last).toLowerCase());
}

/** The query as part of a URL, with its `?`; empty if there are no parameters. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * Ids above 2^53 lose digits and would name another object. Operations also refuse the id 0, which reads accept. What
 * names make of the path is checked before it is sent.
 */
function fillPath(template: string, params: object, leastId: 0 | 1): string {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(params));
  return template.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = values.get(name);
    if (typeof value === 'string') return encodeURIComponent(value.toWellFormed());
    assert(
      typeof value === 'number' && Number.isSafeInteger(value) && value >= leastId,
      `${name} is not a positive integer`,
    );
    return String(value);
  });
}

/** Whether a name can be part of a path. A dot segment survives percent-encoding and would leave it. */
export function fitsPath(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

/** Whether each segment of a path is one. Both clients refuse any other, since a name may come from anywhere. */
export function isWholePath(path: string): boolean {
  const [before, ...segments] = path.split('/');
  return before === '' && segments.every(fitsPath);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A body that says so in its `status`, or `success`. A message alone is no yes: gateways send one as well. */
export function saysYes(body: unknown): boolean {
  return isObject(body) && [body.status, body.success].some(isYes);
}

export function isYes(flag: unknown): boolean {
  if (typeof flag === 'number') return flag === 1 || (flag >= 200 && flag < 300);
  return flag === true || (typeof flag === 'string' && /^\s*(?:true|ok|success)\s*$/i.test(flag));
}

/** Whether the answer to an operation that is not in the interface table is the service's: a yes, or a record. */
export function isYesOrRecord(body: unknown): boolean {
  return (
    saysYes(body) ||
    (isObject(body) &&
      Object.values(body)
        .flat()
        .some(each => isObject(each) && 'id' in each))
  );
}
