import type {ResourceChange} from '../action.ts';
import {isResourceType, RESOURCE_WORDS, stemOf} from '../cloud-resource.ts';
import {hourlyUsd, type Rate, sumRates} from '../money.ts';
import {nameInWords, type SafeText, safeText, say} from '../safe-text.ts';
import {type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import {momentWords, subjectKeyOf, type TimelineEntry, type TimelineSource, type TimelineSubject} from './entry.ts';

/**
 * Longer than a list's polling interval and than two clocks differ, and shorter than anybody starts and stops one
 * machine twice in a row.
 */
const SAME_WITHIN_MS: DurationMs = 2 * MINUTE_MS;

/** Machines that begin or end this shortly after each other were started or ended together. */
const TOGETHER_WITHIN_MS: DurationMs = 5 * MINUTE_MS;

/** The source that knows the time best provides the entry; the others add to it. */
const RANKS: Readonly<Record<TimelineSource, number>> = {event: 0, operation: 1, billing: 2, change: 3, finding: 4};

/** Merges all entries, newest first: what several sources report appears once, and what began together is one entry. */
export function timelineOf(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const all = unique(entries);
  const sent = all.filter(({source, changes}) => source === 'operation' && changes.length > 0);
  return folded(merged(together(all.map(entry => attributed(entry, sent))))).sort(newestFirst);
}

/**
 * If no two readings show what a hibernation saved, the machine's metered rate does: added to the last hibernation of
 * each.
 * @param entries newest first
 */
export function withHibernationChanges(
  entries: readonly TimelineEntry[],
  changes: ReadonlyMap<number, Rate>,
): readonly TimelineEntry[] {
  const byMachine = Map.groupBy(entries, ({subjects: [{type, id}]}) => (type === 'vm' ? id : undefined));
  const estimates = new Map(
    [...changes].flatMap(([id, change]): readonly (readonly [TimelineEntry, Rate])[] => {
      const entry = unmeteredHibernation(byMachine.get(id) ?? []);
      return entry === undefined ? [] : [[entry, change]];
    }),
  );
  return entries.map(entry => {
    const change = estimates.get(entry);
    if (change === undefined) return entry;
    const note = say`the change of the burn rate is estimated from the metered rate of the machine and its price`;
    return {...entry, rateChange: change, isEstimated: true, notes: [...entry.notes, note]};
  });
}

/**
 * The last hibernation among a machine's entries, newest first; undefined if one of the entries that tell it, such as
 * its request, has the metered change already.
 */
function unmeteredHibernation(own: readonly TimelineEntry[]): TimelineEntry | undefined {
  const isOf = ({changes}: TimelineEntry, change: ResourceChange) => changes.includes(change);
  const hasFailed = (index: number) => {
    const next = own.slice(0, index).findLast(entry => isOf(entry, 'hibernated') || isOf(entry, 'restore failed'));
    return next !== undefined && isOf(next, 'restore failed');
  };
  const restoredIndex = own.findIndex((entry, index) => isOf(entry, 'restored') && !hasFailed(index));
  const since = restoredIndex < 0 ? own : own.slice(0, restoredIndex);
  const index = since.findIndex(entry => isOf(entry, 'hibernated'));
  const isMetered = since.some(
    (entry, each) =>
      entry.rateChange !== undefined && (isOf(entry, 'hibernated') || (each < index && isRateChange(entry))),
  );
  return isMetered ? undefined : since[index];
}

/**
 * A machine that was just created is metered later than it is seen, or is free while it is created: its price counts
 * meanwhile, with the first entry of its creation.
 * @param entries newest first
 * @param rates of the machines that are not metered yet; undefined if its price is unknown
 */
export function withCreationChanges(
  entries: readonly TimelineEntry[],
  rates: ReadonlyMap<number, Rate | undefined>,
): readonly TimelineEntry[] {
  const created = entries.filter(({changes, subjects}) => changes.includes('created') && subjects.length === 1);
  const byMachine = Map.groupBy(created, ({subjects: [{type, id}]}) => (type === 'vm' ? id : undefined));
  const priced = new Map(
    [...rates].flatMap(([id, rate]) => {
      const first = byMachine.get(id)?.at(-1);
      return first === undefined ? [] : [[first, rate] as const];
    }),
  );
  return entries.map(entry => {
    if (!priced.has(entry)) return entry;
    const {rateChange: _, ...unpriced} = entry;
    const rateChange = priced.get(entry);
    return rateChange === undefined
      ? {...unpriced, isUnpriced: true, notes: [...entry.notes, UNKNOWN_PRICE]}
      : {...entry, rateChange, isEstimated: true, notes: [...entry.notes, NOT_METERED]};
  });
}

const NOT_METERED = say`the change of the burn rate is its price: it is not metered yet`;
const UNKNOWN_PRICE = say`the change of the burn rate is unknown: it is not metered yet, and has no known price`;

/** An operation with an unknown end is not the same as what its user does this much later. */
const MAX_UNDER_WAY_MS: DurationMs = HOUR_MS;

/**
 * The service reports one operation in several events, such as request and completion, under the key's user: everything
 * that user does from the confirmation to the end counts as done by you.
 */
function attributed(entry: TimelineEntry, sent: readonly TimelineEntry[]): TimelineEntry {
  const {source, who} = entry;
  if (source !== 'event' || who?.kind !== 'user' || who.isOfKey !== true) return entry;
  return sent.some(operation => isPartOf(entry, operation)) ? {...entry, who: {kind: 'you'}} : entry;
}

function isPartOf({at, subjects: [subject], changes}: TimelineEntry, operation: TimelineEntry): boolean {
  const {at: sentAt, endedAt, subjects} = operation;
  if (at === undefined || sentAt === undefined) return false;
  const until = endedAt === undefined ? sentAt + MAX_UNDER_WAY_MS : endedAt + SAME_WITHIN_MS;
  if (at < sentAt - SAME_WITHIN_MS || at > until) return false;
  const isSubject = isAbout(operation, subject) || (subject.type === 'vm' && isNodeName(subject.name, subjects[0]));
  return isSubject && changes.some(change => operation.changes.includes(change));
}

/** Nodes contain the name of their cluster, and deleting the cluster deletes them. */
function isNodeName(name: SafeText, {type, name: clusterName}: TimelineSubject): boolean {
  return type === 'cluster' && name.startsWith(`${clusterName}-`);
}

/**
 * An autoscaler starts and stops a machine all day: this many equal entries, with pauses no longer than this, become
 * one.
 */
const MIN_REPEATS = 4;
const MAX_PAUSE_MS: DurationMs = 15 * MINUTE_MS;

function folded(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const alike = Map.groupBy(entries, entry => (isRoutine(entry) ? routineKey(entry) : entry.key));
  return [...alike.values()].flatMap(group =>
    group.length < MIN_REPEATS ? group : chains(group, MAX_PAUSE_MS).flatMap(repeats),
  );
}

/** Entries that neither change cost nor are a problem. */
function isRoutine({source, at, rateChange, isTrouble}: TimelineEntry): boolean {
  return (source === 'event' || source === 'change') && at !== undefined && rateChange === undefined && !isTrouble;
}

function routineKey({source, subjects: [subject], what, who}: TimelineEntry): string {
  return `${source} ${subjectKeyOf(subject)} ${actorKey(who)} ${what}`;
}

function actorKey(who: TimelineEntry['who']): string {
  return who?.kind === 'user' ? `user ${who.id}` : (who?.kind ?? 'nobody');
}

function repeats(chain: readonly [TimelineEntry, ...TimelineEntry[]]): readonly TimelineEntry[] {
  const [oldest] = chain;
  const newest = chain.at(-1);
  if (chain.length < MIN_REPEATS || newest === undefined || oldest.at === undefined) return chain;
  return [
    {
      ...newest,
      // The same while it continues.
      key: `repeated ${oldest.key}`,
      what: say`${newest.what} (${chain.length} times)`,
      repeated: {what: newest.what, count: chain.length},
      notes: [say`${chain.length} times since ${momentWords(oldest.at)}; this is the last`, ...newest.notes],
    },
  ];
}

/**
 * For a short list: a machine that starts and stops all the time is one entry, its newest, with what it went through;
 * by whom, if one person did it all. Problems stay as they are.
 * @param entries newest first
 */
export function foldedByMachine(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const isOfMachine = ({source, at, subjects: [{type}], isTrouble}: TimelineEntry) =>
    (source === 'event' || source === 'change') && type === 'vm' && at !== undefined && !isTrouble;
  const alike = Map.groupBy(entries, entry => (isOfMachine(entry) ? subjectKeyOf(entry.subjects[0]) : entry.key));
  return [...alike.values()].flatMap(group => chains(group, MAX_PAUSE_MS).flatMap(changesInOne)).sort(newestFirst);
}

function changesInOne(chain: readonly [TimelineEntry, ...TimelineEntry[]]): readonly TimelineEntry[] {
  const [oldest] = chain;
  const newest = chain.at(-1);
  const count = chain.reduce((sum, {repeated}) => sum + (repeated?.count ?? 1), 0);
  if (chain.length === 1 || count < MIN_REPEATS || newest === undefined) return chain;
  const {who, ...rest} = newest;
  const what = newest.repeated?.what ?? newest.what;
  const isByOne = who !== undefined && chain.every(each => actorKey(each.who) === actorKey(who));
  return [{...rest, ...(isByOne ? {who} : {}), key: `changes ${oldest.key}`, what: say`${what} (${count} changes)`}];
}

function unique(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  return [...new Map(entries.map(entry => [entry.key, entry])).values()];
}

/** Entries without a known time come last. */
function newestFirst(left: TimelineEntry, right: TimelineEntry): number {
  return (
    (right.at ?? Number.NEGATIVE_INFINITY) - (left.at ?? Number.NEGATIVE_INFINITY) || left.key.localeCompare(right.key)
  );
}

/** Spans with numbered names that began, or ended, within minutes of each other: one step of the burn rate. */
function together(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const [spans, others] = [entries.filter(isSpan), entries.filter(entry => !isSpan(entry))];
  const alike = Map.groupBy(
    spans,
    ({subjects: [subject], changes}) => `${subject.type} ${changes[0]} ${stemOf(subject.name)}`,
  );
  return [
    ...others,
    ...[...alike.values()].flatMap(group => chains(group, TOGETHER_WITHIN_MS).map(chain => stepOf(chain))),
  ];
}

function isSpan({source, changes, at}: TimelineEntry): boolean {
  return source === 'billing' && changes.length > 0 && at !== undefined;
}

/** In order of time, split where the pause is longer. */
function chains(
  entries: readonly TimelineEntry[],
  maxPauseMs: DurationMs,
): readonly (readonly [TimelineEntry, ...TimelineEntry[]])[] {
  const all: [TimelineEntry, ...TimelineEntry[]][] = [];
  for (const entry of entries.toSorted((left, right) => (left.at ?? 0) - (right.at ?? 0))) {
    const chain = all.at(-1);
    const last = chain?.at(-1)?.at;
    if (chain !== undefined && (entry.at ?? 0) - (last ?? 0) <= maxPauseMs) chain.push(entry);
    else all.push([entry]);
  }
  return all;
}

function stepOf(chain: readonly [TimelineEntry, ...TimelineEntry[]]): TimelineEntry {
  const [first, ...others] = chain;
  const last = others.at(-1);
  if (last?.at === undefined) return first;
  const subjects = chain.flatMap(entry => entry.subjects);
  const rates = chain.flatMap(({rateChange}) => rateChange ?? []);
  const unpricedCount = chain.length - rates.length;
  return {
    ...first,
    // The same while more are added.
    key: `step ${first.key}`,
    until: last.at,
    subjects: [first.subjects[0], ...subjects.slice(1)],
    what: say`${first.what} for ${chain.length} ${spanWords(first.subjects[0].type)}`,
    ...(rates.length === 0 ? {} : {rateChange: sumRates(rates)}),
    notes: [
      say`${subjects.map(({name}) => nameInWords(name)).reduce((all, name) => say`${all}, ${name}`)}`,
      ...(unpricedCount === 0 ? [] : [say`${unpricedCount} of them have no usable rate and are not included`]),
    ],
  };
}

function spanWords(type: TimelineSubject['type']): SafeText {
  return isResourceType(type) ? RESOURCE_WORDS[type].many : say`resources`;
}

function merged(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const kept = new Map<string, TimelineEntry[]>();
  for (const entry of byRank(entries)) {
    const known = entry.subjects.flatMap(subject => kept.get(subjectKeyOf(subject)) ?? []);
    const match = nearestMatch(entry, known);
    if (match === undefined) keep(kept, entry);
    else replace(kept, match, joined(match, entry));
  }
  return [...new Set([...kept.values()].flat())];
}

/** Operations on one subject in the order of how close the event of each is, so that each event goes to its own. */
function byRank(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const events = Map.groupBy(
    entries.filter(({source}) => source === 'event'),
    ({subjects: [subject]}) => subjectKeyOf(subject),
  );
  const closeness = new Map(
    entries.flatMap(entry => {
      if (entry.source !== 'operation') return [];
      const own = (events.get(subjectKeyOf(entry.subjects[0])) ?? []).filter(event => isSame(entry, event));
      return [[entry, Math.min(...own.map(event => apart(entry, event)))] as const];
    }),
  );
  const closer = (left: TimelineEntry, right: TimelineEntry) =>
    compareNumbers(closeness.get(left) ?? 0, closeness.get(right) ?? 0);
  return entries.toSorted((left, right) => rankOf(left) - rankOf(right) || closer(left, right));
}

/** Infinities are equal: their difference is not a number. */
function compareNumbers(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

/** A changed metered rate does not say why: it only adds to an entry that does. */
function rankOf(entry: TimelineEntry): number {
  return isRateChange(entry) ? RANKS.finding + 1 : RANKS[entry.source];
}

function isRateChange({source, changes, rateChange}: TimelineEntry): boolean {
  return source === 'billing' && changes.length === 0 && rateChange !== undefined;
}

function keep(kept: Map<string, TimelineEntry[]>, entry: TimelineEntry): void {
  for (const key of new Set(entry.subjects.map(subjectKeyOf))) kept.set(key, [...(kept.get(key) ?? []), entry]);
}

function replace(kept: Map<string, TimelineEntry[]>, old: TimelineEntry, entry: TimelineEntry): void {
  for (const key of new Set(old.subjects.map(subjectKeyOf)))
    kept.set(key, kept.get(key)?.map(each => (each === old ? entry : each)) ?? []);
}

function nearestMatch(entry: TimelineEntry, known: readonly TimelineEntry[]): TimelineEntry | undefined {
  let nearest: {readonly match: TimelineEntry; readonly apartMs: DurationMs} | undefined;
  // What changes the rate is not the request for it but its success.
  for (const match of isRateChange(entry) ? known.toSorted(newestFirst) : known) {
    if (!isSame(entry, match)) continue;
    const apartMs = apart(entry, match);
    if (apartMs <= SAME_WITHIN_MS && apartMs < (nearest?.apartMs ?? Infinity)) nearest = {match, apartMs};
  }
  return nearest?.match;
}

/**
 * Whether two sources may report the same event: never two entries of one source, nor what somebody else did. What
 * several objects did together is not part of what one of them did.
 */
function isSame(entry: TimelineEntry, other: TimelineEntry): boolean {
  if (entry.subjects.length > 1) return false;
  if (isRateChange(entry)) return other.rateChange === undefined && other.source !== 'finding';
  if (entry.source === 'operation' && other.alsoFrom.includes('operation')) return false;
  if (entry.source === other.source || entry.source === 'finding' || other.source === 'finding') return false;
  if (entry.who?.kind === 'you' && other.who?.kind === 'user' && other.who.isOfKey !== true) return false;
  return entry.changes.some(change => other.changes.includes(change));
}

/** The time between two events; none if one may have been within the other. */
function apart(left: TimelineEntry, right: TimelineEntry): DurationMs {
  const [one, other] = [spanOf(left), spanOf(right)];
  if (one === undefined || other === undefined) return Infinity;
  return Math.max(0, one.from - other.to, other.from - one.to);
}

function spanOf({after, at, until}: TimelineEntry): {readonly from: EpochMs; readonly to: EpochMs} | undefined {
  return at === undefined ? undefined : {from: after ?? at, to: until ?? at};
}

function joined(match: TimelineEntry, entry: TimelineEntry): TimelineEntry {
  const who = entry.who?.kind === 'you' ? entry.who : (match.who ?? entry.who);
  const sources = new Set([...match.alsoFrom, entry.source, ...entry.alsoFrom]);
  sources.delete(match.source);
  const rateChange = match.rateChange ?? entry.rateChange;
  return {
    ...match,
    ...(who === undefined ? {} : {who}),
    ...(rateChange === undefined ? {} : {rateChange}),
    alsoFrom: [...sources],
    notes: [...match.notes, say`${safeText(entry.source)}: ${entry.what}`, ...entry.notes],
    isTrouble: match.isTrouble || entry.isTrouble,
  };
}

/** The effect of an entry on the account, of a kind that makes a person ask why. */
export type Step = 'burn' | 'health';

/** A change of the burn rate below a dollar an hour and below a twentieth of it does not count as a step. */
const MIN_STEP_PER_HOUR = 1;
const MIN_STEP_SHARE = 0.05;

export function stepOfEntry(
  {rateChange, isTrouble, source, subjects}: TimelineEntry,
  burn: Rate | undefined,
): Step | undefined {
  const change = rateChange === undefined ? 0 : Math.abs(hourlyUsd(rateChange));
  const least = Math.max(MIN_STEP_PER_HOUR, MIN_STEP_SHARE * (burn === undefined ? 0 : hourlyUsd(burn)));
  if (change >= least) return 'burn';
  // Problems with rules, contracts or the credit are not about health.
  const isOfWork = source !== 'finding' || subjects[0].type === 'vm' || subjects[0].type === 'cluster';
  return isTrouble && isOfWork ? 'health' : undefined;
}

/** The subjects of an entry in a few words: its name, or the common part of the names. */
export function subjectWords({subjects: [first, ...others]}: Pick<TimelineEntry, 'subjects'>): SafeText {
  if (others.length === 0 || first.type === 'account') return first.name;
  const stem = stemOf(first.name);
  return others.every(({name}) => stemOf(name) === stem)
    ? say`${safeText(`${stem}*`)} (${others.length + 1})`
    : say`${nameInWords(first.name)} and ${others.length} more`;
}

/** Whether an entry is about an object. */
export function isAbout({subjects}: TimelineEntry, wanted: TimelineSubject): boolean {
  const key = subjectKeyOf(wanted);
  return subjects.some(subject => subjectKeyOf(subject) === key);
}
