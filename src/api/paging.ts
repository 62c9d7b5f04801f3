import {createHash} from 'node:crypto';
import type {Failure, Result} from '../domain/failure.ts';
import {isAlike} from '../domain/memo.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {Paging, Query} from './endpoint.ts';
import {inside, isObject, readNumber} from './fields.ts';

/**
 * Why a list may be incomplete: it ended before the service's own count, two of its records have the same id, or its
 * count changed from page to page, so that a record may have moved to a page that had been read already.
 */
export type IncompleteReason =
  | 'page-limit'
  | 'record-limit'
  | 'size-limit'
  | 'repeated-page'
  | 'fewer-than-counted'
  | 'changed-while-read'
  | 'repeated-id';

/** The records of one reply, each with its identity and its parsed form. */
export type ListPage<T> = {
  readonly taken: readonly Taken<T>[];
  readonly facts: PageFacts;
  /** What the service itself reports as missing, by name. */
  readonly absentParts: readonly SafeText[];
  readonly byteCount: number;
  /** Why the rest of the page was not read. */
  readonly isCutBy?: 'record-limit' | 'size-limit';
};
/**
 * Empty if no other page can repeat the record: without an id, the identity is the record's whole text, which may be
 * two weeks of metrics.
 */
export type Taken<T> = {readonly identity: string; readonly value: T};

/** The parsed records, each once, in the service's order. */
export type Walk<T> = {
  readonly taken: readonly T[];
  readonly incompleteReason?: IncompleteReason;
  /** The service's own count, if it gives one and not all records were read. */
  readonly serviceCount?: number;
  /** Ids that two records have, as they are shown. Only the second of them is among the records. */
  readonly repeatedIds?: readonly string[];
};

/** Limits for one list, all its pages together. */
export type ListBounds = {readonly maxBytes: number; readonly maxRecords?: number};

/** Limits for one page. */
export type PageRoom = {readonly recordCount: number; readonly byteCount: number};

const MAX_PAGES = 1000;
/** Twice the largest fleet skydeck is built for. */
export const MAX_LIST_RECORDS = 20_000;
/** Usage has a record for each resource on a single page: this many for each machine. */
const UNPAGED_RATIO = 2.5;
/**
 * If nothing says how many pages there are, or a number that is never read, reading stops after this many that are
 * smaller than the service's own page size (ten).
 */
const MAX_POOR_PAGES = 20;
const POOR_PAGE_LENGTH = 10;

/** The limits that end a reading early, leaving the rest of the list unknown. */
const ENDS_BY_BOUND: ReadonlySet<string> = new Set([
  'page-limit',
  'record-limit',
  'size-limit',
] satisfies IncompleteReason[]);

type ReadPage<T> = (query: Query, room: PageRoom) => Promise<Result<ListPage<T>>>;

/**
 * Reads all pages of a list. If a page fails, the whole read fails: otherwise part of a fleet could be taken for all of
 * it. Only where nothing says how many pages there are, a page that does not exist is the end.
 */
export async function walkPages<T>(
  paging: Paging,
  {maxBytes, maxRecords = MAX_LIST_RECORDS}: ListBounds,
  readPage: ReadPage<T>,
): Promise<Result<Walk<T>>> {
  if (paging === 'none') return readOnce({maxBytes, maxRecords}, readPage);
  const seen = new Map<string, T>();
  let byteCount = 0;
  const repeated = new Set<string>();
  const changed = new Set<string>();
  const counts = new Set<number>();
  let isEndTold = false;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    // A page may repeat everything before it.
    const room = {recordCount: maxRecords, byteCount: maxBytes - byteCount};
    const read = await readPage({[paging.pageParameter]: page, [paging.sizeParameter]: paging.pageSize}, room);
    if (!read.ok && (page === 1 || isEndTold || !isNoPage(read.failure))) return read;
    if (!read.ok) return walked([...seen.values()], changed.size > 0 ? 'repeated-id' : undefined, {repeated: changed});
    // Groups are counted in the page size too, and some are empty.
    const {pages} = read.value.facts;
    const facts: PageFacts = paging.countsGroups === true ? {pages} : read.value.facts;
    if (facts.count !== undefined) counts.add(facts.count);
    isEndTold ||= facts.count !== undefined || facts.pages !== undefined;
    byteCount += read.value.byteCount;
    const knownBefore = seen.size;
    const onPage = new Set<string>();
    const changedOnPage = new Set<string>();
    for (const {identity, value} of read.value.taken) {
      // Lists shift between pages: a record met twice keeps its place and takes its newer form.
      if (seen.has(identity) && !isAlike(seen.get(identity), value)) changedOnPage.add(identity);
      seen.set(identity, value);
      // Nothing shifts within one page, so it is unknown which of two records with one id is right.
      if (onPage.has(identity)) repeated.add(identity);
      onPage.add(identity);
    }
    // A page of nothing new is the same page again, from a service that does not know the parameter.
    const isNews = seen.size > knownBefore;
    if (isNews) for (const identity of changedOnPage) changed.add(identity);
    const length = read.value.taken.length;
    const progress = {
      page,
      length,
      added: seen.size - knownBefore,
      seen: seen.size,
      askedSize: paging.pageSize,
      maxRecords,
    };
    const end = read.value.isCutBy ?? endOf(facts, progress);
    if (end === 'continue') continue;
    // If the list shifted, the count is that of its ids. Otherwise these may be two records with one id.
    const {count} = facts;
    if (end !== 'complete' || count === undefined) for (const identity of changed) repeated.add(identity);
    const reason = reasonOf(end, {isRepeated: repeated.size > 0, isChanged: counts.size > 1});
    if (reason === 'complete') return walked([...seen.values()]);
    return walked([...seen.values()].slice(0, maxRecords), reason, {serviceCount: count, repeated});
  }
  return walked([...seen.values()], 'page-limit', {repeated});
}

function reasonOf(
  end: 'complete' | IncompleteReason,
  {isRepeated, isChanged}: {readonly isRepeated: boolean; readonly isChanged: boolean},
): 'complete' | IncompleteReason {
  if (ENDS_BY_BOUND.has(end)) return end;
  if (isChanged) return 'changed-while-read';
  return isRepeated ? 'repeated-id' : end;
}

/** How a service may say that there is no such page. */
function isNoPage(failure: Failure): boolean {
  return failure.kind === 'not-found' || (failure.kind === 'refused' && failure.httpStatus === 406);
}

/** In a list without pages, two equal records are two records. */
async function readOnce<T>(
  {maxBytes, maxRecords}: Required<ListBounds>,
  readPage: ReadPage<T>,
): Promise<Result<Walk<T>>> {
  const read = await readPage({}, {recordCount: UNPAGED_RATIO * maxRecords, byteCount: maxBytes});
  if (!read.ok) return read;
  const {taken, isCutBy} = read.value;
  return walked(
    taken.map(({value}) => value),
    isCutBy,
  );
}

function walked<T>(
  taken: readonly T[],
  incompleteReason?: IncompleteReason,
  {serviceCount, repeated}: {readonly serviceCount?: number | undefined; readonly repeated?: ReadonlySet<string>} = {},
): Result<Walk<T>> {
  if (incompleteReason === undefined) return {ok: true, value: {taken}};
  const repeatedIds = [...(repeated ?? [])].flatMap(identity =>
    identity.startsWith(ID_IDENTITY) ? [safeText(identity.slice(ID_IDENTITY.length))] : [],
  );
  return {
    ok: true,
    value: {
      taken,
      incompleteReason,
      ...(serviceCount === undefined ? {} : {serviceCount}),
      ...(repeatedIds.length === 0 ? {} : {repeatedIds}),
    },
  };
}

export type PageFacts = {
  readonly count?: number | undefined;
  readonly size?: number | undefined;
  readonly pages?: number | undefined;
};
type PagingProgress = {
  readonly page: number;
  readonly length: number;
  readonly added: number;
  readonly seen: number;
  readonly askedSize: number;
  readonly maxRecords: number;
};

/**
 * Whether this is the last page. The total decides if there is one that is not below what was read already; otherwise a
 * page shorter than the page size the service says it used. If it says neither, only an empty or repeated page ends the
 * list, because the service may silently use a smaller page size than requested.
 */
function endOf(
  {count: total, size, pages}: PageFacts,
  {page, length, added, seen, askedSize, maxRecords}: PagingProgress,
): 'complete' | 'continue' | IncompleteReason {
  if (seen > maxRecords) return 'record-limit';
  if (seen === total) return 'complete';
  const count = total !== undefined && seen > total ? undefined : total;
  const isLastPage = pages !== undefined && page >= pages;
  if (length === 0 || (added > 0 && isLastPage)) return count === undefined ? 'complete' : 'fewer-than-counted';
  if (added === 0) return count === undefined && length !== askedSize ? 'complete' : 'repeated-page';
  if (count === undefined && size !== undefined && length < size) return 'complete';
  // An end beyond what is read at all is none. Without a total, a page that is shorter than the page size is the last.
  const isTotalNear = count === undefined ? size !== undefined : count <= maxRecords;
  const isEndTold = isTotalNear || (pages !== undefined && pages <= MAX_PAGES);
  // The last page may be short, so only the pages before it are checked.
  const isPoor = page >= MAX_POOR_PAGES && seen - added < (page - 1) * POOR_PAGE_LENGTH;
  return isPoor && !isEndTold ? 'page-limit' : 'continue';
}

/** The total, page size and page count are beside the list, in `pagination`, in `meta`, or one level down with it. */
export function pageFacts(body: unknown): PageFacts {
  if (!isObject(body)) return {};
  const holders = [body, ...Object.values(body).filter(isObject)];
  const places = holders.flatMap(holder => [holder, holder.pagination, holder.meta]).filter(isObject);
  const find = (...names: readonly string[]) =>
    places
      .flatMap(place => names.map(name => readNumber(place[name])))
      .find(found => found !== undefined && found >= 0);
  return {
    count: find('count', 'total_count'),
    size: find('page_size', 'per_page'),
    pages: find('total_pages', 'pages'),
  };
}

/** Identities are kept between readings, and a record's text may be a megabyte. */
const MAX_IDENTITY_LENGTH = 64;
const ID_IDENTITY = 'id ';

/** A billing record has its id in `attributes`. A record without any id is identified by its whole text. */
export function identityOf(record: unknown): string {
  const id = isObject(record) ? (record.id ?? inside(record, 'attributes')?.id) : undefined;
  const identity = typeof id === 'number' || typeof id === 'string' ? `${ID_IDENTITY}${id}` : JSON.stringify(record);
  return identity.length <= MAX_IDENTITY_LENGTH ? identity : createHash('sha256').update(identity).digest('base64');
}
