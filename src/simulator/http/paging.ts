import {invalidInput, succeeded} from './answers.ts';
import type {RouteRequest} from './route.ts';

/** One page of a list with its paging fields, or what was wrong with the request, field by field. */
export type Page<T> =
  | {readonly isValid: true; readonly records: readonly T[]; readonly keys: PageKeys}
  | {readonly isValid: false; readonly errors: Readonly<Record<string, string>>};

/** Null if the request did not ask for paging. */
type PageKeys = {readonly page: number | null; readonly page_size: number | null; readonly count: number};

const LARGEST_PAGE = 1000;
const DEFAULT_PAGE_SIZE = 10;

/** A list in the usual reply form, cut to the requested page. */
export function answerPage<T>(
  request: Pick<RouteRequest, 'query'>,
  records: readonly T[],
  {message, name, bodyOf}: {readonly message: string; readonly name: string; readonly bodyOf: (record: T) => object},
): Response {
  const page = pageOf(request, records);
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded(message, {...page.keys, [name]: page.records.map(bodyOf)});
}

/**
 * Cuts the requested page. Without either parameter the whole list is returned and the paging fields are null. A size
 * above the maximum is silently reduced to it, as the answer's `page_size` shows. Parts of the service have other names
 * for the size.
 */
export function pageOf<T>(
  {query}: Pick<RouteRequest, 'query'>,
  records: readonly T[],
  sizeName: 'pageSize' | 'per_page' = 'pageSize',
): Page<T> {
  const [pageText, sizeText] = [query('page'), query(sizeName)];
  const count = records.length;
  if (pageText === undefined && sizeText === undefined) {
    return {isValid: true, records, keys: {page: null, page_size: null, count}};
  }
  const page = positiveInteger(pageText, 1);
  const asked = positiveInteger(sizeText, DEFAULT_PAGE_SIZE);
  if (page === undefined || asked === undefined) {
    const errors = {
      ...(page === undefined ? {page: 'must be an integer of at least 1'} : {}),
      ...(asked === undefined ? {[sizeName]: 'must be an integer of at least 1'} : {}),
    };
    return {isValid: false, errors};
  }
  const size = Math.min(asked, LARGEST_PAGE);
  const start = (page - 1) * size;
  return {isValid: true, records: records.slice(start, start + size), keys: {page, page_size: size, count}};
}

/** Whether the search matches one of some texts: as a part of it, in any case. Without a search, everything matches. */
export function finder({query}: Pick<RouteRequest, 'query'>): (...texts: readonly (string | number)[]) => boolean {
  const search = query('search')?.toLowerCase();
  return (...texts) => search === undefined || texts.some(text => String(text).toLowerCase().includes(search));
}

function positiveInteger(text: string | undefined, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
