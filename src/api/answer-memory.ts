import type {Answer} from './client.ts';
import type {Quarantined, Query, ReadEndpoint} from './endpoint.ts';
import {queryText} from './endpoint.ts';
import type {KnownPage, List} from './list.ts';

/** One record as it was read: good, or quarantined. */
export type RecordRead<R> =
  | {readonly ok: true; readonly value: R; readonly lost?: readonly Quarantined[]}
  | {readonly ok: false; readonly quarantined: Quarantined};

export type ReadRequest = {readonly path: string; readonly query: Query};

type KnownList<R> = {readonly pages: readonly KnownPage<RecordRead<R>>[]; readonly answer: Answer<R> | undefined};

/** As many as the store keeps; beyond that the answer read longest ago is forgotten. */
const MAX_ANSWERS = 2000;
const NOTHING: KnownList<never> = {pages: [], answer: undefined};

/**
 * The last answer to each read. A quiet account returns the same bytes on every poll: a page with the same digest is
 * not parsed again, and an answer of unchanged records is the same object, so that everything computed from it stays
 * valid.
 */
export class AnswerMemory {
  // The read decides the type of its answer, which the map cannot express: hence the one cast in `recall`.
  readonly #known = new Map<string, KnownList<unknown>>();

  recall<R>(endpoint: ReadEndpoint<never, R>, request: ReadRequest): KnownList<R> {
    return (this.#known.get(keyOf(endpoint, request)) as KnownList<R> | undefined) ?? NOTHING;
  }

  /** The answer made from a list's pages: the previous object if no record is new. */
  keep<R>(endpoint: ReadEndpoint<never, R>, request: ReadRequest, list: List<RecordRead<R>>): Answer<R> {
    const before = this.recall(endpoint, request);
    if (before.answer !== undefined && areEach(before.pages, list.pages)) return before.answer;
    const made = answerOf(list);
    if (endpoint.isOneTime) return made;
    const answer = before.answer !== undefined && isSameAnswer(before.answer, made) ? before.answer : made;
    const key = keyOf(endpoint, request);
    this.#known.delete(key);
    this.#known.set(key, {pages: list.pages, answer});
    const oldest = this.#known.keys().next();
    if (this.#known.size > MAX_ANSWERS && !oldest.done) this.#known.delete(oldest.value);
    return answer;
  }
}

function keyOf({id}: ReadEndpoint<never, unknown>, {path, query}: ReadRequest): string {
  return `${id} ${path}${queryText(query)}`;
}

/** Unchanged records are the same objects, even on a page that has changed elsewhere or that is too long to be held. */
export function isSameAnswer(before: Answer<unknown>, now: Answer<unknown>): boolean {
  return (
    before.incompleteReason === now.incompleteReason &&
    before.serviceCount === now.serviceCount &&
    areEach(before.repeatedIds ?? [], now.repeatedIds ?? []) &&
    areEach(before.absentParts ?? [], now.absentParts ?? []) &&
    areEach(before.records, now.records) &&
    areEach(before.quarantined, now.quarantined)
  );
}

function areEach(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((each, index) => each === now[index]);
}

function answerOf<R>({taken, pages: _pages, ...completeness}: List<RecordRead<R>>): Answer<R> {
  return {
    records: taken.flatMap(read => (read.ok ? [read.value] : [])),
    quarantined: taken.flatMap(read => (read.ok ? (read.lost ?? []) : [read.quarantined])),
    ...completeness,
  };
}
