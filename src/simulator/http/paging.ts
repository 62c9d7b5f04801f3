import type {PageKeys} from './answer.ts';

/** One page of a list, with the keys that stand beside it; or what was wrong with the request, field by field. */
export type Page<T> =
  | {readonly isValid: true; readonly records: readonly T[]; readonly keys: PageKeys}
  | {readonly isValid: false; readonly errors: Readonly<Record<string, string>>};

type PageQuery = {
  readonly page: string | undefined;
  readonly pageSize: string | undefined;
  /** What this part of the service calls the size. */
  readonly sizeName?: 'pageSize' | 'per_page';
};

const LARGEST_PAGE = 1000;
const DEFAULT_PAGE_SIZE = 10;

/**
 * Cuts the page the request asked for. Without either parameter the whole list comes back and the keys are null; a
 * size above what is honoured is cut to it, without a word, as the answer's `page_size` shows.
 */
export function pageOf<T>(records: readonly T[], query: PageQuery): Page<T> {
  const count = records.length;
  if (query.page === undefined && query.pageSize === undefined) {
    return {isValid: true, records, keys: {page: null, page_size: null, count}};
  }
  const page = positiveInteger(query.page, 1);
  const asked = positiveInteger(query.pageSize, DEFAULT_PAGE_SIZE);
  if (page === undefined || asked === undefined) {
    const errors = {
      ...(page === undefined ? {page: 'must be an integer of at least 1'} : {}),
      ...(asked === undefined ? {[query.sizeName ?? 'pageSize']: 'must be an integer of at least 1'} : {}),
    };
    return {isValid: false, errors};
  }
  const size = Math.min(asked, LARGEST_PAGE);
  const start = (page - 1) * size;
  return {isValid: true, records: records.slice(start, start + size), keys: {page, page_size: size, count}};
}

function positiveInteger(text: string | undefined, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
