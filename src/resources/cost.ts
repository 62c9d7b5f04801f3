import type {DaySource} from '../domain/money/billed-day.ts';
import type {DayCost, DayGroup} from '../domain/money/day-cost.ts';
import type {Grouping, SpendGroup} from '../domain/money/group.ts';
import {decimalFigure, type MicroUsd, toMicroUsd, type Usd, usdNumber} from '../domain/money.ts';
import {formatPercent, formatUsd} from '../ui/format.ts';
import type {Column, Value} from './column.ts';

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
    {key: 'per_hour_usd', title: 'PER HOUR', align: 'right', value: ({perHour}) => amount(perHour)},
    {key: 'month_to_date_usd', title: 'MONTH', align: 'right', value: ({spent}) => amount(spent)},
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

export function changeText(micro: number): string {
  const cents = Math.round(Math.abs(micro) / 1e4);
  const sign = cents === 0 ? '' : micro > 0 ? '+' : '-';
  return `${sign}$${decimalFigure(BigInt(cents), 2)}`;
}

function amount(spent: MicroUsd | undefined): Value | undefined {
  if (spent === undefined) return undefined;
  return {text: formatUsd(spent), number: spent, plain: decimalFigure(BigInt(spent), 6)};
}
