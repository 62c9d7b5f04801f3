import type {UsageRecord} from '../billing.ts';
import {type MicroUsd, usdNumber, ZERO_MICRO_USD} from '../money.ts';
import {DAY_MS, type EpochMs, epochMs} from '../time.ts';
import {type BilledDay, type DaySpend, spendByDay} from './billed-day.ts';
import {type Grouping, type Inventory, type SpendGroup, spendGroups} from './group.ts';
import {type CostReading, type CostReport, isBeforeRecords, recordCostsWithin, unknownDays} from './report.ts';
import {recordsOf, usageOf} from './settled.ts';

/** What one day cost by group, and what the same groups cost the day before. */
export type DayCost = {
  readonly by: Grouping;
  readonly day: DaySpend;
  /** Today: less of it is over than of the day before. */
  readonly isOpen: boolean;
  /** Undefined if nothing says what was spent before. */
  readonly dayBefore: DaySpend | undefined;
  /**
   * Costliest first, followed by groups that cost something only the day before; undefined if unknown for this
   * grouping. They add up to the day, because what no record explains is a group of its own.
   */
  readonly groups: readonly DayGroup[] | undefined;
};

export type DayGroup = {
  readonly key: string;
  readonly spent: MicroUsd | undefined;
  readonly spentBefore: MicroUsd | undefined;
  /** Of the day; undefined if that cost nothing. */
  readonly shareRatio: number | undefined;
  /** In micro-dollars; undefined if one of both is unknown, or the day is not over. */
  readonly change: number | undefined;
};

/** What each machine was billed on a day; undefined if the provider does not say. */
type MachineBills = CostReading['machineHistories'];

/** A day and the one before it, as far as the days tell what they cost; undefined if the day itself is unknown. */
export function dayPair(
  known: Pick<CostReport, 'days' | 'usage' | 'reading'>,
  start: EpochMs,
): Pick<DayCost, 'day' | 'dayBefore'> | undefined {
  const at = known.days.findIndex(each => each.start === start);
  const unknown = unknownDays(known);
  const records = recordsOf(known.usage);
  const isTold = (each: DaySpend) =>
    each.source === 'billed' || !(unknown.has(each) || isBeforeRecords(each, records, known.reading.now));
  const [day, dayBefore] = [known.days[at], known.days[at - 1]].map(each =>
    each !== undefined && isTold(each) ? each : undefined,
  );
  return day === undefined ? undefined : {day, dayBefore};
}

/**
 * The UTC days of any time, also outside the month of a report: as the report has them where it does, otherwise from
 * bills, and from records where there is none.
 */
export function daysWithin(
  report: CostReport,
  {start, end}: {readonly start: EpochMs; readonly end: EpochMs},
  billed: readonly BilledDay[],
): readonly DaySpend[] {
  const {usage, days, reading} = report;
  const known = new Map(days.map(day => [day.start, day]));
  if (known.has(start) && known.has(epochMs(end - DAY_MS))) return days;
  const {now} = reading;
  const usageThen = usageOf(recordsOf(usage), [], {month: {start, end}, now});
  return spendByDay(usageThen, {days: billed}, {start, end, now}).days.map(day => known.get(day.start) ?? day);
}

/** A day by group. `bills` are those of exactly these days, for days that the provider has billed. */
export function dayCost(
  {usage, reading: {now}}: Pick<CostReport, 'usage' | 'reading'>,
  {day, dayBefore}: Pick<DayCost, 'day' | 'dayBefore'>,
  {
    by,
    inventory,
    bills,
  }: {
    readonly by: Grouping;
    readonly inventory: Inventory | undefined;
    readonly bills: {readonly day: MachineBills; readonly dayBefore: MachineBills};
  },
): DayCost {
  const isOpen = day.start + DAY_MS > now;
  if (inventory === undefined) return {by, day, isOpen, dayBefore, groups: undefined};
  const records = recordsOf(usage);
  const groupsOn = (each: DaySpend, histories: MachineBills) =>
    groupsOfDay(records, each, {by, inventory, histories, now});
  const spent = groupsOn(day, bills.day);
  const before = dayBefore === undefined ? undefined : groupsOn(dayBefore, bills.dayBefore);
  const total = usdNumber(day.cost);
  const groups = comparedWith(before, spent).map(
    (each): DayGroup => ({
      ...each,
      shareRatio: each.spent !== undefined && total > 0 ? each.spent / 1e6 / total : undefined,
      change:
        each.spent === undefined || each.spentBefore === undefined || isOpen
          ? undefined
          : each.spent - each.spentBefore,
    }),
  );
  return {by, day, isOpen, dayBefore, groups};
}

function groupsOfDay(
  records: readonly UsageRecord[],
  {start, end, cost}: DaySpend,
  {
    by,
    inventory,
    histories,
    now,
  }: {
    readonly by: Grouping;
    readonly inventory: Inventory;
    readonly histories: MachineBills;
    readonly now: EpochMs;
  },
): readonly SpendGroup[] {
  const costs = recordCostsWithin(records, {start, end, now}, histories);
  return spendGroups(costs, by, {inventory, total: cost}).filter(({spent}) => spent !== ZERO_MICRO_USD);
}

function comparedWith(
  before: readonly SpendGroup[] | undefined,
  groups: readonly SpendGroup[],
): readonly Pick<DayGroup, 'key' | 'spent' | 'spentBefore'>[] {
  const earlier = new Map(before?.map(({key, spent}) => [key, spent]));
  const known = new Set(groups.map(({key}) => key));
  const ended = (before ?? []).filter(({key}) => !known.has(key)).map(({key}) => ({key, spent: ZERO_MICRO_USD}));
  return [...groups, ...ended].map(({key, spent}) => ({
    key,
    spent,
    spentBefore: before === undefined ? undefined : earlier.has(key) ? earlier.get(key) : ZERO_MICRO_USD,
  }));
}
