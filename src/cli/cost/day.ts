import type {DaySpend} from '../../domain/money/billed-day.ts';
import {type DayCost, type DayGroup, dayCost, dayPair} from '../../domain/money/day-cost.ts';
import type {Grouping} from '../../domain/money/group.ts';
import type {CostReport} from '../../domain/money/report.ts';
import {toMicroUsd} from '../../domain/money.ts';
import {DAY_MS, dayStart, type EpochMs, epochMs, isoText, parseTimestamp} from '../../domain/time.ts';
import {changeText, DAY_COST_FILE, DAY_SOURCE_WORDS, dayCostColumns} from '../../resources/cost.ts';
import {formatUsd, formatUtcDate, UNKNOWN} from '../../ui/format.ts';
import {inventoryOf, type readCosts, readMachineBills} from './reading.ts';
import {csvText} from '../print/print-records.ts';
import {printedTable, type TablePrinter} from '../print/table-text.ts';

const MAX_GROUPS = 15;
const MAX_CHANGES = 3;
/** A cent, in micro-dollars. */
const MIN_CHANGE = 10_000;

/** The start of a UTC day given as `yesterday`, `today` or `2026-11-20`; undefined for anything else. */
export function dayNamed(written: string, now: EpochMs): EpochMs | undefined {
  const today = dayStart(now);
  if (written === 'today') return today;
  if (written === 'yesterday') return epochMs(today - DAY_MS);
  return /^\d{4}-\d{2}-\d{2}$/.test(written) ? parseTimestamp(written) : undefined;
}

/** Undefined if the report has no such day, or if its cost is unknown. */
export async function readDay(
  asking: Parameters<typeof readCosts>[0],
  report: CostReport,
  {start, by}: {readonly start: EpochMs; readonly by: Grouping},
): Promise<DayCost | undefined> {
  const pair = dayPair(report, start);
  if (pair === undefined) return undefined;
  const inventory = inventoryOf(report.reading, by);
  const billsOf = async (of: DaySpend | undefined) =>
    inventory !== undefined && of?.source === 'billed'
      ? readMachineBills(asking, {startsAt: of.start, endsAt: of.end}, report.reading)
      : undefined;
  const bills = {day: await billsOf(pair.day), dayBefore: await billsOf(pair.dayBefore)};
  return dayCost(report, pair, {by, inventory, bills});
}

/** As text: the day and the day before, then what it was spent on. */
export function dayText(cost: DayCost, table: TablePrinter): string {
  const {by, day, isOpen, dayBefore, groups} = cost;
  const lineOf = ({start, cost: spent, source}: DaySpend, until = '') =>
    `${formatUtcDate(start)}  ${formatUsd(spent)}${until}  ${DAY_SOURCE_WORDS[source]}\n`;
  const lines = [lineOf(day, isOpen ? ' so far' : ''), dayBefore === undefined ? '' : lineOf(dayBefore)];
  const head = `${lines.join('')}${changesLine(groups ?? [])}\n`;
  if (groups === undefined) return `${head}spend by ${by} is unknown\n`;
  const shown = groups.slice(0, MAX_GROUPS);
  const hidden = groups.length - shown.length;
  return `${head}${table(...printedTable(dayCostColumns(cost), shown, UNKNOWN))}${hidden > 0 ? `${hidden} more; -o csv prints all\n` : ''}`;
}

/** The largest changes against the day before, up or down. */
function changesLine(groups: readonly DayGroup[]): string {
  const changes = groups
    .map(({key, change = 0}) => ({key, change}))
    .filter(({change}) => Math.abs(change) >= MIN_CHANGE)
    .sort((left, right) => Math.abs(right.change) - Math.abs(left.change));
  if (changes.length === 0) return '';
  const named = changes.slice(0, MAX_CHANGES).map(({key, change}) => `${key} ${changeText(change)}`);
  const more = changes.length > MAX_CHANGES ? `, ${changes.length - MAX_CHANGES} more` : '';
  return `changed     ${named.join(', ')}${more}\n`;
}

/** Integer micro-dollars, UTC, half-open; null is unknown. */
export function dayJson({day, dayBefore, groups}: DayCost): object {
  const json = ({start, end, cost, source}: DaySpend) => ({
    start: isoText(start),
    end: isoText(end),
    microusd: toMicroUsd(cost),
    source,
  });
  return {
    day: json(day),
    dayBefore: dayBefore === undefined ? null : json(dayBefore),
    groups:
      groups?.map(({key, spent, spentBefore}) => ({
        key,
        microusd: spent ?? null,
        dayBeforeMicrousd: spentBefore ?? null,
      })) ?? null,
  };
}

export function dayCsv(cost: DayCost): string {
  return csvText(dayCostColumns(cost), DAY_COST_FILE, cost.groups);
}
