import type {Inquiry} from '../route.ts';

/** An id from the path; 0, which nothing has, for whatever is no number. */
export function numberedPart({part}: Pick<Inquiry, 'part'>, name: string): number {
  return /^\d{1,15}$/.test(part(name)) ? Number(part(name)) : 0;
}
