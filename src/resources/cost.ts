import {contractName, daysLeft} from '../domain/contract.ts';
import type {DaySource} from '../domain/money/billed-day.ts';
import type {DayCost, DayGroup} from '../domain/money/day-cost.ts';
import {type Commitment, coverageRatio, utilizationRatio} from '../domain/money/commitment.ts';
import type {Grouping, SpendGroup} from '../domain/money/group.ts';
import type {Waste} from '../domain/money/waste.ts';
import {accrue, decimalFigure, type MicroUsd, minutesOf, toMicroUsd, type Usd, usdNumber} from '../domain/money.ts';
import {DAY_MS, type EpochMs, MINUTE_MS} from '../domain/time.ts';
import {
  formatCounted,
  formatDuration,
  formatHourlyUsd,
  formatPercent,
  formatRate,
  formatRateChange,
  formatUsd,
  formatUtcDate,
} from '../ui/format.ts';
import {type Column, knownPart, type Value} from './column.ts';

/** How the cost of a day is known. */
export const DAY_SOURCE_WORDS: Readonly<Record<DaySource, string>> = {
  billed: 'as billed by the provider',
  samples: 'estimated from own samples',
  events: 'estimated from usage and events',
  usage: 'estimated from usage',
};

/** A month by group. */
export function monthCostColumns(by: Grouping, monthToDate: Usd): readonly Column<SpendGroup>[] {
  const total = usdNumber(monthToDate);
  return [
    {key: 'key', title: by.toUpperCase(), value: ({key}) => ({text: key})},
    {
      key: 'per_hour_usd',
      title: 'PER HOUR',
      align: 'right',
      value: ({perHour, isPerHourAtLeast}) => knownPart(amount(perHour, formatHourlyUsd), isPerHourAtLeast),
    },
    {
      key: 'month_to_date_usd',
      title: 'MONTH',
      align: 'right',
      value: ({spent, isSpentAtLeast}) => knownPart(amount(spent), isSpentAtLeast),
    },
    {
      key: 'share',
      title: 'SHARE',
      align: 'right',
      value: ({spent}) => (spent === undefined || total <= 0 ? undefined : {text: formatPercent(spent / 1e6 / total)}),
      list: {minWidth: 5, priority: 1},
    },
  ];
}

/** The columns of a file: figures that add up, in exact dollars. */
export const MONTH_COST_FILE = ['key', 'month_to_date_usd', 'per_hour_usd'];
export const DAY_COST_FILE = ['key', 'usd', 'day_before_usd'];

/** One day by group, and the same groups the day before: the deck's table and the command's. */
export function dayCostColumns({by}: Pick<DayCost, 'by'>): readonly Column<DayGroup>[] {
  return [
    {
      key: 'key',
      title: by.toUpperCase(),
      value: ({key}) => ({text: key}),
      list: {minWidth: 12, maxWidth: 40, flex: 1},
    },
    {
      key: 'usd',
      title: 'COST',
      align: 'right',
      value: ({spent}) => amount(spent),
      list: {minWidth: 11, tone: 'money'},
    },
    {
      key: 'share',
      title: 'SHARE',
      align: 'right',
      value: ({shareRatio}) => (shareRatio === undefined ? undefined : {text: formatPercent(shareRatio)}),
      list: {minWidth: 5, priority: 2},
    },
    {
      key: 'day_before_usd',
      title: 'DAY BEFORE',
      align: 'right',
      value: ({spentBefore}) => amount(spentBefore),
      list: {minWidth: 11, priority: 1},
    },
    {
      key: 'change',
      title: 'CHANGE',
      align: 'right',
      value: ({change}) => (change === undefined ? undefined : {text: changeText(change), number: change}),
      list: {minWidth: 11},
    },
  ];
}

/** The whole day as a line below its groups, which add up to it. */
export function dayTotal({day, dayBefore, isOpen}: DayCost): DayGroup {
  const [spent, spentBefore] = [toMicroUsd(day.cost), dayBefore && toMicroUsd(dayBefore.cost)];
  return {
    key: 'total',
    spent,
    spentBefore,
    shareRatio: usdNumber(day.cost) > 0 ? 1 : undefined,
    change: spentBefore === undefined || isOpen ? undefined : spent - spentBefore,
  };
}

/** What is wasted, as the report of costs lists it. */
export function wasteCostColumns({now}: {readonly now: EpochMs}): readonly Column<Waste>[] {
  return [
    {key: 'kind', title: 'WASTE', value: ({kind}) => ({text: kind})},
    {
      key: 'resource',
      title: 'RESOURCE',
      value: ({resourceType, resourceId, name}) => ({text: `${resourceType} ${name === '' ? `#${resourceId}` : name}`}),
    },
    {
      key: 'since',
      title: 'FOR',
      align: 'right',
      value: ({since}) => (since === undefined ? undefined : {text: formatDuration(now - since)}),
      list: {minWidth: 6, priority: 2},
    },
    {key: 'cost', title: 'PER HOUR', align: 'right', value: ({rate}) => ({text: formatRate(rate)})},
    {
      key: 'lost',
      title: 'SO FAR',
      align: 'right',
      value: ({soFar}) => ({text: formatUsd(soFar)}),
      list: {minWidth: 9, priority: 1},
    },
    {key: 'sure', title: 'SURE', value: ({confidence}) => ({text: confidence}), list: {minWidth: 6, priority: 3}},
    {key: 'evidence', title: 'EVIDENCE', isProse: true, value: ({evidence}) => ({text: evidence})},
  ];
}

/** What is committed by contract, how much of it is used, and what its end changes. */
export function commitmentColumns({now}: {readonly now: EpochMs}): readonly Column<Commitment>[] {
  return [
    {key: 'contract', title: 'CONTRACT', value: ({contract}) => ({text: contractName(contract)})},
    {key: 'ends', title: 'ENDS', value: ({contract}) => ({text: endText(contract, now)})},
    {
      key: 'used',
      title: 'USED',
      align: 'right',
      value: ({use}) => use && {text: formatPercent(utilizationRatio(use))},
      list: {minWidth: 5, priority: 2},
    },
    {
      key: 'covered',
      title: 'COVERED',
      align: 'right',
      value: ({use}) => use && {text: formatPercent(coverageRatio(use))},
      list: {minWidth: 7, priority: 3},
    },
    {
      key: 'unused',
      title: 'UNUSED',
      align: 'right',
      value: ({use}) => use && {text: formatUsd(use.unused)},
      list: {minWidth: 9, priority: 1},
    },
    {key: 'after', title: 'AFTER ITS END', isProse: true, value: commitment => ({text: afterText(commitment)})},
  ];
}

function endText(contract: Commitment['contract'], now: EpochMs): string {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'end unknown';
  const date = formatUtcDate(contract.endsAt);
  return days < 0 ? `${date} (past)` : `${date} (in ${formatDuration(days * DAY_MS)})`;
}

/** What happens to what it covers. Deletion is shown as a loss even though it saves money. */
function afterText({contract, machines, cliff}: Commitment): string {
  if (machines?.length === 0) return 'covers no machines';
  const count = machines === undefined ? 'what it covers' : formatCounted(machines.length, 'machine');
  const change =
    cliff === undefined
      ? 'at an unknown change'
      : formatRateChange(usdNumber(accrue(cliff, minutesOf(60 * MINUTE_MS))));
  switch (contract.expirationPolicy.kind) {
    case 'delete':
      return `${count} DELETED, ${change}`;
    case 'market':
      return `market price for ${count}, ${change}`;
    case 'unknown':
      return `unknown policy: deletion of ${count} is possible, market price ${change}`;
  }
}

export function changeText(micro: number): string {
  const cents = Math.round(Math.abs(micro) / 1e4);
  const sign = cents === 0 ? '' : micro > 0 ? '+' : '-';
  return `${sign}$${decimalFigure(BigInt(cents), 2)}`;
}

function amount(spent: MicroUsd | undefined, format: (amount: MicroUsd) => string = formatUsd): Value | undefined {
  if (spent === undefined) return undefined;
  return {text: format(spent), number: spent, plain: decimalFigure(BigInt(spent), 6)};
}
