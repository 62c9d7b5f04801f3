import type {UsageRecord} from '../billing.ts';
import {isBurning, usableRate} from '../cost.ts';
import {memoPer} from '../memo.ts';
import {
  allocate,
  type MicroUsd,
  type Rate,
  rational,
  scaleUsd,
  sumRates,
  sumUsd,
  toMicroUsd,
  ZERO_USD,
} from '../money.ts';
import type {SafeText} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {PRICES} from './prices.ts';
import {
  type CostReading,
  type CostReport,
  costReport,
  isMonthBilled,
  NOT_ATTRIBUTED,
  recordCosts,
  unpricedCount,
} from './report.ts';
import type {Usage} from './settled.ts';
import {monthEnd, monthStart, resourceKey} from './spend.ts';

/** The cost report with what the screens need besides. What could not be computed is absent, and counted. */
export type BillingFigures = CostReport & {
  /** Active records without a usable rate and machines without a record, which are missing from the burn rate. */
  readonly unpricedCount: number;
  readonly month: {readonly start: EpochMs; readonly end: EpochMs};
  /** The list of deleted resources has not arrived: the month lacks what was deleted in it. */
  readonly lacksDeleted: boolean;
};

/** What one resource has cost this month; all spenders add up to the month exactly. */
export type Spender = {
  readonly key: string;
  readonly resourceId: number;
  readonly resourceType: string;
  readonly name: SafeText;
  /** Undefined if unknown. */
  readonly spent: MicroUsd | undefined;
  /** Of month-to-date; undefined while that is zero or unknown. */
  readonly shareRatio: number | undefined;
  /** Relative to the costliest: the length of its bar. */
  readonly barRatio: number;
  /** What it costs now; undefined if unknown. */
  readonly rate: Rate | undefined;
  readonly isActive: boolean;
};

export function computeFigures(
  live: readonly UsageRecord[],
  deleted: readonly UsageRecord[] | undefined,
  now: EpochMs,
  known: Partial<CostReading> = {},
): BillingFigures {
  const month = {start: monthStart(now), end: monthEnd(now)};
  const report = costReport({...NOTHING_KNOWN, ...known, live, deleted, now, month});
  return {...report, month, unpricedCount: unpricedCount(report), lacksDeleted: deleted === undefined};
}

/** Whether month-to-date lacks what was deleted in the month: no bill of some day, and the list was not read. */
export function lacksDeletedSpend({
  lacksDeleted,
  days,
  reading,
}: Pick<BillingFigures, 'lacksDeleted' | 'days' | 'reading'>): boolean {
  return lacksDeleted && reading.billedMonth === undefined && days.some(({source}) => source !== 'billed');
}

const NOTHING_KNOWN = {
  billed: [],
  machineHistories: undefined,
  machines: undefined,
  volumes: undefined,
  contracts: undefined,
  prices: PRICES,
} as const;

/** What each resource cost in the month, costliest first; ended resources that cost nothing are left out. */
export function topSpenders(report: CostReport): readonly Spender[] {
  const {usage, reading, monthToDate} = report;
  const {now, month, machineHistories} = reading;
  // The bill of a day moves cost between days: the month stays the same, and so do its spenders.
  const {numerator, denominator} = monthToDate;
  const inputs = [now, month.start, month.end, machineHistories, isMonthBilled(reading), numerator, denominator];
  return spendersOnce(usage, inputs, () => spendersOf(report));
}

const spendersOnce = memoPer<Usage, readonly Spender[]>();

function spendersOf(report: CostReport): readonly Spender[] {
  const {monthToDate: total} = report;
  const spans = [...Map.groupBy(recordCosts(report), ({record}) => resourceKey(record))];
  const sums = spans.map(([, group]) => sumUsd(group.map(({cost}) => cost)));
  const rest = sumUsd([total, scaleUsd(sumUsd(sums), rational(-1n, 1n))]);
  const parts = allocate([...sums, rest]);
  const whole = {total: parts.reduce<number>((sum, part) => sum + part, 0), largest: Math.max(0, ...parts)};
  const resources = spans.map(([key, group], index) =>
    spenderOf(
      key,
      group.map(({record}) => record),
      group.some(({isUnknown}) => isUnknown) && !parts[index] ? undefined : (parts[index] ?? NONE),
      whole,
    ),
  );
  const unattributed = parts.at(-1) ?? NONE;
  return [...resources, ...(unattributed === 0 ? [] : [unattributedSpender(unattributed, whole)])]
    .filter(({spent, isActive}) => spent !== 0 || isActive)
    .sort((left, right) => (right.spent ?? 0) - (left.spent ?? 0) || left.resourceId - right.resourceId);
}

const NONE = toMicroUsd(ZERO_USD);

/** What of the month no resource explains. */
export function unattributedSpend(spenders: readonly Spender[]): MicroUsd {
  return spenders.find(({key}) => key === NOT_ATTRIBUTED)?.spent ?? NONE;
}

function unattributedSpender(
  spent: MicroUsd,
  {total, largest}: {readonly total: number; readonly largest: number},
): Spender {
  return {
    key: NOT_ATTRIBUTED,
    resourceId: 0,
    resourceType: '',
    name: NOT_ATTRIBUTED,
    spent,
    shareRatio: total > 0 ? spent / total : undefined,
    barRatio: largest > 0 ? Math.max(0, spent / largest) : 0,
    rate: undefined,
    isActive: false,
  };
}

function spenderOf(
  key: string,
  group: readonly UsageRecord[],
  spent: MicroUsd | undefined,
  whole: {readonly total: number; readonly largest: number},
): Spender {
  const newest = group.reduce((left, right) => ((right.createdAt ?? 0) > (left.createdAt ?? 0) ? right : left));
  const burning = group.filter(isBurning);
  const rates = burning.flatMap(record => usableRate(record) ?? []);
  return {
    key,
    resourceId: newest.resourceId,
    resourceType: newest.resourceType,
    name: newest.name,
    spent,
    shareRatio: spent !== undefined && whole.total > 0 ? spent / whole.total : undefined,
    barRatio: whole.largest > 0 ? (spent ?? 0) / whole.largest : 0,
    rate: rates.length === burning.length ? sumRates(rates) : undefined,
    isActive: burning.length > 0,
  };
}
