import {closest} from '../domain/closest-word.ts';
import type {Failure} from '../domain/failure.ts';
import {hasEscapes, joinSafe, nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {formatCounted} from '../ui/format.ts';
import {type Listed, type RawListing, rawField, type Reader} from './listing.ts';
import type {Resource} from './resource.ts';

/** Finds one record of the account by id or name. */
export type FoundObject = {readonly id: number; readonly name: SafeText; readonly raw: unknown};

export type FindOutcome =
  | {readonly ok: true; readonly value: FoundObject}
  | {readonly ok: false; readonly failure: Failure}
  /** Several records have this name. */
  | {readonly ok: false; readonly mistake: SafeText};

/** The records with a name; if there are none, the name that was probably meant. */
export type Matching = RawListing & {readonly meant?: SafeText | undefined};

const MAX_NAMED = 10;

/** An id is requested directly; a name is looked up in the list. */
export async function find(reader: Reader, resource: Resource, wanted: string): Promise<FindOutcome> {
  const id = idOf(wanted);
  let notThere: FindOutcome | undefined;
  if (id !== undefined && resource.one !== undefined) {
    const one = await resource.one.read(reader, id);
    const raw = one.ok ? one.value.raw[0] : undefined;
    if (raw !== undefined) return foundIn(resource, [raw], wanted);
    // A name can look like an id, so if no record has the id, it is looked up as a name.
    if (!one.ok && one.failure.kind !== 'not-found') return one;
    if (!one.ok) notThere = one;
  }
  const listed = await listedOnce(reader, resource);
  if (!listed.ok) return listed;
  const {raw: matching, incompleteReason, meant} = sought(resource, listed.value, wanted);
  const [raw] = matching;
  const isCertain = incompleteReason === undefined || matching.length > 1 || resource.parseRaw(raw).id === wanted;
  if (isCertain) return foundIn(resource, matching, wanted, meant);
  return raw === undefined && notThere !== undefined ? notThere : undecided(resource, raw, wanted, incompleteReason);
}

/**
 * Why another record may be meant than the one found: it has the same id, or the word is the id of the one and the name
 * of the other. An operation on the wrong one cannot be taken back. Undefined if there is no other; a list that cannot
 * be read names none.
 */
export async function otherMeaning(
  reader: Reader,
  resource: Resource,
  {wanted, found}: {readonly wanted: string; readonly found: FoundObject},
): Promise<Extract<FindOutcome, {ok: false}> | undefined> {
  const listed = await listedOnce(reader, resource);
  if (!listed.ok) return undefined;
  const kind = resource.words.one;
  const id = String(found.id);
  const all = listed.value.raw.map(each => resource.parseRaw(each));
  if (listed.value.repeatedIds?.includes(id) === true || all.filter(each => each.id === id).length > 1) {
    const detail = say`the list has ${kind} #${found.id} twice, so which one is meant is unknown`;
    return {ok: false, failure: {kind: 'incomplete', detail}};
  }
  const other = id === wanted ? all.find(each => each.id !== wanted && each.name === wanted) : undefined;
  if (other === undefined) return undefined;
  return {
    ok: false,
    mistake: say`"${safeText(wanted)}" is the id of ${kind} ${nameInWords(found.name)} and the name of ${kind} #${other.id ?? say`?`}: use the name of the one or the id of the other`,
  };
}

/** Read once for all names and ids that a command is given. */
function listedOnce(reader: Reader, resource: Resource): Promise<Listed> {
  const [kind] = resource.names;
  const listed = reader.lists.get(kind) ?? resource.list({...reader, onPage: undefined});
  reader.lists.set(kind, listed);
  return listed;
}

/**
 * The records with this id or name. If none matches, one that could not be read, or that has lost its name, may be the
 * one that is meant.
 */
export function sought(resource: Resource, listing: RawListing, wanted: string): Matching {
  const raw = listing.raw.filter(each => goesBy(resource, each, wanted));
  // Another of this name may be meant, even if no more of it can be read.
  if (raw.length > 0) return {...listing, raw: listing.raw.filter(each => mayGoBy(resource, each, wanted))};
  if (idOf(wanted) !== undefined) return {...listing, raw};
  const all = listing.raw.map(each => resource.parseRaw(each));
  const incompleteReason = listing.incompleteReason ?? whyNamesAreMissing(all);
  if (incompleteReason !== undefined) return {...listing, incompleteReason, raw};
  const meant = meantName(
    wanted,
    all.flatMap(({name}) => name ?? []),
  );
  return {...listing, raw, meant};
}

/** A kind whose records may be without a name leaves it undefined; an empty one could not be read. */
function whyNamesAreMissing(all: readonly ReturnType<Resource['parseRaw']>[]): string | undefined {
  const unreadCount = all.filter(({isReadable}) => !isReadable).length;
  if (unreadCount > 0) return `${formatCounted(unreadCount, 'record')} could not be read`;
  const namelessCount = all.filter(({name}) => name === '').length;
  if (namelessCount === 0) return undefined;
  return `${formatCounted(namelessCount, 'record')} ${namelessCount === 1 ? 'has' : 'have'} no readable name`;
}

/** The name that was probably meant, among those that can be typed and are not taken for an option. */
export function meantName(wanted: string, names: readonly SafeText[]): SafeText | undefined {
  return closest(
    wanted,
    names.filter(name => !hasEscapes(name) && !name.startsWith('-')),
  );
}

/** If the list is incomplete, a missing name may be in the rest, and a name that was found may occur there again. */
export function undecided(
  resource: Resource,
  raw: unknown,
  wanted: string,
  incompleteReason: string,
): Extract<FindOutcome, {readonly failure: Failure}> {
  const kind = resource.words.one;
  const why = say`the list may be incomplete (${safeText(incompleteReason)})`;
  const id = raw === undefined ? undefined : resource.parseRaw(raw).id;
  const detail =
    raw === undefined
      ? say`whether there is a ${kind} "${safeText(wanted)}" is not known: ${why}`
      : say`whether only one ${kind} is called "${safeText(wanted)}" is not known: ${why}; use an id (${id ?? say`?`})`;
  return {ok: false, failure: {kind: 'incomplete', detail}};
}

/** Whether a record has this id or this name. */
function goesBy(resource: Resource, raw: unknown, wanted: string): boolean {
  const {id, name} = resource.parseRaw(raw);
  return id === wanted || (name !== undefined && (name === wanted || name === safeText(wanted)));
}

/** The same, but by the name in a record that could not be read, too. */
function mayGoBy(resource: Resource, raw: unknown, wanted: string): boolean {
  if (resource.parseRaw(raw).isReadable) return goesBy(resource, raw, wanted);
  const name = rawField(raw, 'name');
  return typeof name === 'string' && safeText(name) === safeText(wanted);
}

/** The message every command gives when no record has the name; `meant` is the name that was probably meant. */
export function notFound({words}: Pick<Resource, 'words'>, wanted: string, meant?: SafeText): SafeText {
  const instead = meant === undefined ? say`` : say`; did you mean ${nameInWords(meant)}?`;
  return say`${words.one} "${safeText(wanted)}" not found${instead}`;
}

/** A positive whole number without loss of precision; anything else can only be a name. */
export function idOf(wanted: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(wanted) ? Number(wanted) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

function foundIn(resource: Resource, matching: readonly unknown[], wanted: string, meant?: SafeText): FindOutcome {
  const kind = resource.words.one;
  const [raw] = matching;
  if (raw === undefined) {
    return {
      ok: false,
      failure: {kind: 'not-found', message: notFound(resource, wanted, meant), isSoughtInList: true},
    };
  }
  if (matching.length > 1) {
    const ids = matching.slice(0, MAX_NAMED).map(each => resource.parseRaw(each).id ?? say`?`);
    const more = matching.length > MAX_NAMED ? say` and ${matching.length - MAX_NAMED} more` : say``;
    const list = joinSafe(ids, ', ');
    return {
      ok: false,
      mistake: say`${matching.length} are called "${safeText(wanted)}": use an id (${list}${more})`,
    };
  }
  const {id, name} = resource.parseRaw(raw);
  const number = idOf(id ?? '');
  return number === undefined
    ? {ok: false, failure: {kind: 'odd-answer', detail: say`${kind} "${safeText(wanted)}" has no usable id`}}
    : {ok: true, value: {id: number, name: name ?? safeText(''), raw}};
}
