import type {Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import type {Paging, Query, ReadEndpoint} from './endpoint.ts';
import {oddAnswer} from './exchange.ts';
import {inside, isObject, readNumber} from './fields.ts';

/** Why a list ends before the service's own end. */
export type IncompleteReason = 'page-limit' | 'record-limit' | 'repeated-page' | 'fewer-than-counted';

/** The raw records of all pages, each once, in the service's order. */
export type Walk = {readonly raw: readonly unknown[]; readonly isIncomplete?: IncompleteReason};

const MAX_PAGES = 1000;
/** Twice the largest fleet skydeck is built for. */
const MAX_RECORDS = 20_000;

type Collect = ReadEndpoint<never, unknown>['collect'];
type ReadPage = (query: Query) => Promise<Result<unknown>>;

/** Reads a list to its honest end. A page that fails fails the whole: half a fleet is no fleet. */
export async function walkPages(paging: Paging, collect: Collect, readPage: ReadPage): Promise<Result<Walk>> {
  if (paging === 'none') return readOnce(collect, readPage);
  const seen = new Map<string, unknown>();
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const read = await readPage({[paging.pageParameter]: page, [paging.sizeParameter]: paging.pageSize});
    if (!read.ok) return read;
    const records = collect(read.value);
    if (records === undefined) return unexpectedShape();
    const knownBefore = seen.size;
    // Lists move between pages: a record met twice keeps its place and takes its newer form.
    for (const record of records) seen.set(identityOf(record), record);
    const end = endOf({
      page,
      facts: pageFacts(read.value),
      length: records.length,
      added: seen.size - knownBefore,
      seen: seen.size,
      askedSize: paging.pageSize,
    });
    if (end === 'complete') return walked(seen);
    if (end !== 'continue') return walked(seen, end);
  }
  return walked(seen, 'page-limit');
}

async function readOnce(collect: Collect, readPage: ReadPage): Promise<Result<Walk>> {
  const read = await readPage({});
  if (!read.ok) return read;
  const raw = collect(read.value);
  return raw === undefined ? unexpectedShape() : {ok: true, value: {raw}};
}

type Facts = {
  readonly count?: number | undefined;
  readonly size?: number | undefined;
  readonly pages?: number | undefined;
};
type Progress = {
  readonly page: number;
  readonly facts: Facts;
  readonly length: number;
  readonly added: number;
  readonly seen: number;
  readonly askedSize: number;
};

/**
 * Whether the walk ends here. The total says it best; without one, a page shorter than the size the service says it
 * used. Where the service says neither, only an empty or a repeated page is an end: it may have honoured a smaller
 * size than the one asked for, without a word.
 */
function endOf({page, facts, length, added, seen, askedSize}: Progress): 'complete' | 'continue' | IncompleteReason {
  const {count, size, pages} = facts;
  if (seen > MAX_RECORDS) return 'record-limit';
  if (count !== undefined && seen >= count) return 'complete';
  const isLastPage = pages !== undefined && page >= pages;
  if (length === 0 || (added > 0 && isLastPage)) return count === undefined ? 'complete' : 'fewer-than-counted';
  if (added === 0) return count === undefined && length !== askedSize ? 'complete' : 'repeated-page';
  return count === undefined && size !== undefined && length < size ? 'complete' : 'continue';
}

/** The total, the page size and the page count stand beside the list, in `pagination`, in `meta`, or one level down with it. */
function pageFacts(body: unknown): Facts {
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

/** A billing record keeps its id in `attributes`. A record without any is known by its whole text. */
function identityOf(record: unknown): string {
  const id = isObject(record) ? (record.id ?? inside(record, 'attributes')?.id) : undefined;
  return typeof id === 'number' || typeof id === 'string' ? `id ${id}` : JSON.stringify(record);
}

function walked(seen: ReadonlyMap<string, unknown>, isIncomplete?: IncompleteReason): Result<Walk> {
  const raw = [...seen.values()].slice(0, MAX_RECORDS);
  return {ok: true, value: isIncomplete === undefined ? {raw} : {raw, isIncomplete}};
}

function unexpectedShape(): Result<Walk> {
  return oddAnswer(say`JSON of another shape than the interface's`);
}
