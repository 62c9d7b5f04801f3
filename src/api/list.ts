import type {Failure, Result} from '../domain/failure.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {isAlike} from '../domain/memo.ts';
import type {DurationMs} from '../domain/time.ts';
import {urlAt} from './base-url.ts';
import {
  digestOf,
  MAX_HELD_OPENING_BYTES,
  MAX_NUMBERS_BODY_BYTES,
  MAX_TEXT_BODY_BYTES,
  MAX_WHOLE_BODY_BYTES,
  type OpeningBuffers,
  takeOpening,
} from './body.ts';
import {type Paging, type Query, queryText, type ReadEndpoint} from './endpoint.ts';
import {isSuccess, MAX_ERROR_BODY_BYTES, type ServiceConnection} from './exchange.ts';
import {type PageBody, type ReadPage, readPage} from './page.ts';
import {type IncompleteReason, type ListBounds, type PageRoom, type Taken, walkPages} from './paging.ts';
import type {exchangeRead} from './read-exchange.ts';

/** How the reads of all endpoints are sent. */
export type ReadPath = {
  readonly connection: ServiceConnection;
  readonly exchange: typeof exchangeRead;
  /** Pages of a list after the first are paced. */
  readonly admit: (purpose: 'read' | 'page') => Promise<void>;
  readonly timeoutMs: DurationMs;
  readonly buffers: OpeningBuffers;
  /** By the endpoint's id: the page size that is asked for since the usual one was refused. */
  readonly pageSizes: Map<string, number>;
};

export type ListWish<T> = {
  readonly endpoint: Pick<
    ReadEndpoint<never, unknown>,
    | 'id'
    | 'method'
    | 'paging'
    | 'isById'
    | 'collect'
    | 'readsFailure'
    | 'absentParts'
    | 'comesInPieces'
    | 'keepsNumbersOnly'
    | 'isLongText'
  >;
  readonly path: string;
  readonly query: Query;
  readonly tooLongAdvice: SafeText;
  readonly signal: AbortSignal | undefined;
  readonly bounds: ListBounds;
  readonly take: (raw: unknown) => T;
  /** Whether what is taken can contain texts of the service. */
  readonly keepsText: boolean;
  /** Called with the raw records of each page. */
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  /** The pages of the previous reading: an unchanged page is not parsed again. */
  readonly known: readonly KnownPage<T>[];
};

/** A page with the digest of its body. A body too long to be held as a whole has none, only those of its pieces. */
export type KnownPage<T> = ReadPage<T> & {readonly digest: string | undefined};

export type List<T> = {
  readonly taken: readonly T[];
  readonly pages: readonly KnownPage<T>[];
  readonly incompleteReason?: IncompleteReason;
  readonly serviceCount?: number;
  readonly absentParts?: readonly SafeText[];
};

type PageRequest<T> = {readonly url: URL; readonly room: PageRoom; readonly before: KnownPage<T> | undefined};

/** The largest page size that a document allows; our own are larger, for fewer requests. */
const DOCUMENTED_PAGE_SIZE = 100;

/**
 * Parses all records a read returns, page by page. If the service refuses the first page, that may be because of its
 * size: it is asked for once more with a documented size.
 */
export async function readList<T>(way: ReadPath, wish: ListWish<T>): Promise<Result<List<T>>> {
  const {id, paging} = wish.endpoint;
  const pages: KnownPage<T>[] = [];
  if (paging === 'none') return readPages(way, wish, {paging, pages});
  const known = way.pageSizes.get(id);
  const list = await readPages(way, wish, {paging: {...paging, pageSize: known ?? paging.pageSize}, pages});
  const mayBeSize = known === undefined && pages.length === 0 && paging.pageSize > DOCUMENTED_PAGE_SIZE;
  if (!mayBeSize || list.ok || !isRefusedQuery(list.failure)) return list;
  const again = await readPages(way, wish, {paging: {...paging, pageSize: DOCUMENTED_PAGE_SIZE}, pages});
  // If it was not the size, it is not tried again; a failure of another kind does not tell.
  if (again.ok) way.pageSizes.set(id, DOCUMENTED_PAGE_SIZE);
  else if (isRefusedQuery(again.failure)) way.pageSizes.set(id, paging.pageSize);
  return again;
}

function isRefusedQuery(failure: Failure): boolean {
  return failure.kind === 'refused' && [400, 406, 422].includes(failure.httpStatus);
}

async function readPages<T>(
  way: ReadPath,
  wish: ListWish<T>,
  {paging, pages}: {readonly paging: Paging; readonly pages: KnownPage<T>[]},
): Promise<Result<List<T>>> {
  const walkOnce = (firstAdmission: 'read' | 'page') =>
    walkPages<T>(paging, wish.bounds, async (place, room) => {
      await way.admit(pages.length === 0 ? firstAdmission : 'page');
      const url = urlAt(way.connection.pin, wish.path + queryText({...wish.query, ...place}));
      const read = await requestPage(way, wish, {url, room, before: wish.known[pages.length]});
      if (!read.ok) return read;
      pages.push(read.value);
      return {ok: true, value: read.value.page};
    });
  let walk = await walkOnce('read');
  // What was passed on cannot be taken back.
  if (walk.ok && walk.value.incompleteReason === 'changed-while-read' && wish.onPage === undefined) {
    pages.length = 0;
    walk = await walkOnce('page');
  }
  if (!walk.ok) return walk;
  const absentParts = pages.flatMap(({page}) => page.absentParts);
  return {ok: true, value: {...walk.value, pages, ...(absentParts.length === 0 ? {} : {absentParts})}};
}

async function requestPage<T>(
  way: ReadPath,
  wish: ListWish<T>,
  request: PageRequest<T>,
): Promise<Result<KnownPage<T>>> {
  const {connection, exchange, timeoutMs, buffers} = way;
  const {endpoint, signal} = wish;
  const reply = await exchange(connection, {method: endpoint.method, url: request.url}, {timeoutMs, signal});
  if (!reply.ok) return reply;
  try {
    return await buffers.lend(async buffer => {
      const limitBytes = isSuccess(reply.value.httpStatus) ? openingLimit(endpoint) : MAX_ERROR_BODY_BYTES;
      const opening = await takeOpening(reply.value, limitBytes, buffer);
      return opening.ok
        ? receive(connection, wish, request, {reply: reply.value, opening: opening.value, limitBytes})
        : opening;
    });
  } finally {
    reply.value.close();
  }
}

/** What comes in pieces need not be held as a whole. */
function openingLimit({
  comesInPieces,
  keepsNumbersOnly,
  isLongText,
}: Pick<ReadEndpoint<never, unknown>, 'comesInPieces' | 'keepsNumbersOnly' | 'isLongText'>): number {
  if (comesInPieces) return MAX_HELD_OPENING_BYTES;
  if (isLongText) return MAX_TEXT_BODY_BYTES;
  return keepsNumbersOnly ? MAX_NUMBERS_BODY_BYTES : MAX_WHOLE_BODY_BYTES;
}

async function receive<T>(
  connection: ServiceConnection,
  wish: ListWish<T>,
  {url, room, before}: PageRequest<T>,
  body: PageBody,
): Promise<Result<KnownPage<T>>> {
  const {reply, opening} = body;
  const digest = opening.isWhole ? `${reply.httpStatus} ${digestOf(opening.bytes)}` : undefined;
  if (before !== undefined && digest !== undefined && digest === before.digest) return {ok: true, value: before};
  const askedId = wish.endpoint.isById ? askedIdIn(wish.path) : undefined;
  const known = before?.pieces ?? [];
  const read = await readPage(connection, body, {...wish, url, askedId, room, known, keep: keeping(before)});
  if (!read.ok) return read;
  // How much of a long page fits depends on the pages before it.
  const isWhole = read.value.page.isCutBy === undefined;
  return {ok: true, value: {...read.value, digest: isWhole ? digest : undefined}};
}

/**
 * A page changes if one of its records does. Unchanged records stay the same objects, so nothing is computed again for
 * them, and the new copies can be collected at once.
 */
function keeping<T>(before: KnownPage<T> | undefined): (each: Taken<T>) => Taken<T> {
  let known: ReadonlyMap<string, Taken<T>> | undefined;
  return each => {
    known ??= new Map(before?.page.taken.map(taken => [taken.identity, taken]));
    const same = known.get(each.identity);
    return same !== undefined && isAlike(same.value, each.value) ? same : each;
  };
}

/** The id that a path ends in. */
function askedIdIn(path: string): SafeText {
  return safeText(path.slice(path.lastIndexOf('/') + 1));
}
