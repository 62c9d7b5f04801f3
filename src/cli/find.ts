import type {Failure} from '../domain/failure.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Reader, Resource} from './resource.ts';

/** One object of the account, by its id or its name. */
export type FoundObject = {readonly id: number; readonly name: SafeText; readonly raw: unknown};

export type Found =
  | {readonly ok: true; readonly value: FoundObject}
  | {readonly ok: false; readonly failure: Failure}
  /** More than one goes by that name. */
  | {readonly ok: false; readonly mistake: SafeText};

const MAX_NAMED = 10;

/** What was named, as the service knows it: an id is asked for directly, a name is sought in the list. */
export async function find(reader: Reader, resource: Resource, wanted: string): Promise<Found> {
  const id = idOf(wanted);
  if (id !== undefined && resource.one !== undefined) {
    const one = await resource.one(reader, id);
    const raw = one.ok ? one.value.raw[0] : undefined;
    if (raw !== undefined) return foundIn(resource, [raw], wanted);
    // A name can look like an id, so what is no id may still be a name.
    if (!one.ok && one.failure.kind !== 'not-found') return one;
  }
  const listed = await resource.list({...reader, onPage: undefined});
  if (!listed.ok) return listed;
  const matching = listed.value.raw.filter(raw => goesBy(resource, raw, wanted));
  return foundIn(resource, matching, wanted);
}

/** Whether a record has this id or this name. */
export function goesBy(resource: Resource, raw: unknown, wanted: string): boolean {
  const {id, name} = resource.parseRaw(raw);
  return id === wanted || (name !== undefined && (name === wanted || name === safeText(wanted)));
}

/** A whole positive number that is exact; anything else can only be a name. */
export function idOf(wanted: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(wanted) ? Number(wanted) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

function foundIn(resource: Resource, matching: readonly unknown[], wanted: string): Found {
  const kind = safeText(resource.names[1] ?? resource.names[0]);
  const [raw] = matching;
  if (raw === undefined) {
    return {ok: false, failure: {kind: 'not-found', message: say`there is no ${kind} "${safeText(wanted)}"`}};
  }
  if (matching.length > 1) {
    const ids = matching.slice(0, MAX_NAMED).map(each => resource.parseRaw(each).id ?? say`?`);
    const more = matching.length > MAX_NAMED ? say` and ${matching.length - MAX_NAMED} more` : say``;
    const list = joinSafe(ids, ', ');
    return {
      ok: false,
      mistake: say`${matching.length} go by the name "${safeText(wanted)}": use an id (${list}${more})`,
    };
  }
  const {id, name} = resource.parseRaw(raw);
  const number = idOf(id ?? '');
  return number === undefined
    ? {ok: false, failure: {kind: 'odd-answer', detail: say`${kind} "${safeText(wanted)}" has no usable id`}}
    : {ok: true, value: {id: number, name: name ?? safeText(''), raw}};
}
