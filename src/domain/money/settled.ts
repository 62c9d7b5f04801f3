import type {UsageRecord} from '../billing.ts';
import {oncePer} from '../memo.ts';
import type {EpochMs} from '../time.ts';
import {
  endOf,
  isNewer,
  type MonthSoFar,
  mergeUsage,
  monthToDate,
  type Spend,
  spendPerDay,
  usageBySpan,
} from './spend.ts';
import {type PastCurve, pastCurve} from './spend-curve.ts';

/**
 * Ended records, with what they add to a month. None of that changes any more, so it is computed once per list of
 * deleted resources and month, and a poll only has to compute its live records.
 */
type Settled = MonthSoFar & {
  readonly records: readonly UsageRecord[];
  /** Cost per day of the month. */
  readonly days: readonly Spend[];
  readonly curve: PastCurve;
};

/** All records of an account, each span once: those that are settled, and those that may still change. */
export type Usage = {readonly settled: Settled; readonly open: readonly UsageRecord[]};

/**
 * Each span once, in a new list. It is cached, because for an account with many records it would be costly to create at
 * each reading.
 */
export const recordsOf = oncePer(({open, settled}: Usage): readonly UsageRecord[] => [...open, ...settled.records]);

type When = {readonly month: {readonly start: EpochMs; readonly end: EpochMs}; readonly now: EpochMs};

/** Both usage lists, as `mergeUsage` has them, in two parts. `deleted` must not be modified. */
export function usageOf(live: readonly UsageRecord[], deleted: readonly UsageRecord[], when: When): Usage {
  const {bySpan, others, settled} = partsOf(deleted, when);
  const open: UsageRecord[] = [];
  for (const [key, record] of usageBySpan(live, others)) {
    const known = bySpan.get(key);
    if (known === undefined) open.push(record);
    // The live list has a newer version of a span than the deleted list, which will soon be read again.
    else if (isNewer(record, known)) return {settled: settle([], when), open: mergeUsage(live, deleted)};
  }
  return {settled, open};
}

type SettledParts = {
  readonly bySpan: ReadonlyMap<string, UsageRecord>;
  readonly settled: Settled;
  /** What has not ended yet. */
  readonly others: readonly UsageRecord[];
};

type CachedParts = {
  readonly parts: SettledParts;
  readonly month: When['month'];
  readonly from: number;
  readonly until: number;
};

/** Dropped from memory together with their list. */
const keptByList = new WeakMap<readonly UsageRecord[], CachedParts>();

/** The parts of the deleted list; valid until the month or another of its records ends. */
function partsOf(deleted: readonly UsageRecord[], when: When): SettledParts {
  const {month, now} = when;
  const kept = keptByList.get(deleted);
  const isOfMonth = kept?.month.start === month.start && kept.month.end === month.end;
  if (kept !== undefined && isOfMonth && now > kept.from && now <= kept.until) return kept.parts;
  const [ended, others]: [UsageRecord[], UsageRecord[]] = [[], []];
  let [from, until] = [-Infinity, Infinity];
  const bySpan = new Map<string, UsageRecord>();
  for (const [key, record] of usageBySpan([], deleted)) {
    const end = endOf(record);
    (end < now ? ended : others).push(record);
    if (end < now) bySpan.set(key, record);
    if (end < now) from = Math.max(from, end);
    else until = Math.min(until, end);
  }
  const parts = {bySpan, others, settled: settle(ended, when)};
  keptByList.set(deleted, {parts, month, from, until});
  return parts;
}

function settle(records: readonly UsageRecord[], {month, now}: When): Settled {
  return {
    records,
    ...monthToDate(records, {monthStart: month.start, monthEnd: month.end, now}),
    days: spendPerDay(records, {...month, now}),
    curve: pastCurve(records, now),
  };
}
