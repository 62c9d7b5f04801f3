import {csvLine} from '../../domain/csv.ts';
import type {DaySpend} from '../../domain/money/billed-day.ts';
import {type Grouping, type SpendGroup, spendGroups} from '../../domain/money/group.ts';
import {type CostReport, recordCostsWithin, unknownDays} from '../../domain/money/report.ts';
import {recordsOf} from '../../domain/money/settled.ts';
import {decimalFigure, type MicroUsd, toMicroUsd, usdNumber, ZERO_USD} from '../../domain/money.ts';
import {DAY_MS, type EpochMs, epochMs, parseTimestamp} from '../../domain/time.ts';
import {formatPercent, formatUsd, formatUtcDate, UNKNOWN} from '../../ui/format.ts';
import {inventoryOf, type readCosts, readMachineBills} from './reading.ts';
import type {TablePrinter} from '../print/table-text.ts';

/** What one day cost by group, and what the same groups cost the day before. */
export type DayCost = {
  readonly by: Grouping;
  readonly day: DaySpend;
  /** Today: less of it is over than of the day before. */
  readonly isOpen: boolean;
  /** Undefined if the day is the first of its month, or if nothing says what was spent before. */
  readonly dayBefore: DaySpend | undefined;
  /**
   * Costliest first, followed by groups that cost something only the day before; undefined if unknown for this
   * grouping.
   */
  readonly groups: readonly DayGroup[] | undefined;
};

type DayGroup = {
  readonly key: string;
  readonly spent: MicroUsd | undefined;
  readonly spentBefore: MicroUsd | undefined;
};

const MAX_GROUPS = 15;
const MAX_CHANGES = 3;
/** A cent, in micro-dollars. */
const MIN_CHANGE = 10_000;
const NOTHING = toMicroUsd(ZERO_USD);
const WORDS = {
  billed: 'as billed by the provider',
  samples: 'estimated from own samples',
  events: 'estimated from usage and events',
  usage: 'estimated from usage',
} as const;

/** The start of a UTC day given as `yesterday`, `today` or `2026-11-20`; undefined for anything else. */
export function dayNamed(written: string, now: EpochMs): EpochMs | undefined {
  const today = epochMs(Math.floor(now / DAY_MS) * DAY_MS);
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
  const at = report.days.findIndex(each => each.start === start);
  const unknown = unknownDays(report);
  const known = (each: DaySpend | undefined) => (each === undefined || unknown.has(each) ? undefined : each);
  const [day, dayBefore] = [known(report.days[at]), known(report.days[at - 1])];
  if (day === undefined) return undefined;
  const isOpen = start + DAY_MS > report.reading.now;
  const inventory = inventoryOf(report.reading, by);
  if (inventory === undefined) return {by, day, isOpen, dayBefore, groups: undefined};
  const groupsOn = async ({start: from, end, source, cost}: DaySpend) => {
    const histories =
      source === 'billed' ? await readMachineBills(asking, {startsAt: from, endsAt: end}, report.reading) : undefined;
    const costs = recordCostsWithin(recordsOf(report.usage), {start: from, end, now: report.reading.now}, histories);
    return spendGroups(costs, by, {inventory, total: cost}).filter(({spent}) => spent !== NOTHING);
  };
  const spent = await groupsOn(day);
  const before = dayBefore === undefined ? undefined : await groupsOn(dayBefore);
  return {by, day, isOpen, dayBefore, groups: comparedWith(before, spent)};
}

function comparedWith(before: readonly SpendGroup[] | undefined, groups: readonly SpendGroup[]): readonly DayGroup[] {
  const earlier = new Map(before?.map(({key, spent}) => [key, spent]));
  const known = new Set(groups.map(({key}) => key));
  const ended = (before ?? []).filter(({key}) => !known.has(key)).map(({key}) => ({key, spent: NOTHING}));
  return [...groups, ...ended].map(({key, spent}) => ({
    key,
    spent,
    spentBefore: before === undefined ? undefined : earlier.has(key) ? earlier.get(key) : NOTHING,
  }));
}

/** As text: the day and the day before, then what it was spent on. */
export function dayText({by, day, isOpen, dayBefore, groups}: DayCost, table: TablePrinter): string {
  const lineOf = ({start, cost, source}: DaySpend, until = '') =>
    `${formatUtcDate(start)}  ${formatUsd(cost)}${until}  ${WORDS[source]}\n`;
  const lines = [lineOf(day, isOpen ? ' so far' : ''), dayBefore === undefined ? '' : lineOf(dayBefore)];
  const head = `${lines.join('')}${isOpen ? '' : changesLine(groups ?? [])}\n`;
  if (groups === undefined) return `${head}spend by ${by} is unknown\n`;
  const total = usdNumber(day.cost);
  const rows = groups
    .slice(0, MAX_GROUPS)
    .map(({key, spent, spentBefore}) => [
      key,
      spent === undefined ? UNKNOWN : formatUsd(spent),
      spent !== undefined && total > 0 ? formatPercent(spent / 1e6 / total) : UNKNOWN,
      spentBefore === undefined ? UNKNOWN : formatUsd(spentBefore),
      spent === undefined || spentBefore === undefined || isOpen ? UNKNOWN : changeText(spent - spentBefore),
    ]);
  const columns = [
    {title: by.toUpperCase(), rank: 0},
    {title: 'COST', align: 'right', rank: 0},
    {title: 'SHARE', align: 'right', rank: 2},
    {title: 'DAY BEFORE', align: 'right', rank: 1},
    {title: 'CHANGE', align: 'right', rank: 0},
  ] as const;
  const hidden = groups.length - rows.length;
  return `${head}${table(columns, rows)}${hidden > 0 ? `${hidden} more; -o csv prints all\n` : ''}`;
}

/** The largest changes against the day before, up or down. */
function changesLine(groups: readonly DayGroup[]): string {
  const changes = groups
    .map(({key, spent, spentBefore}) => ({
      key,
      change: spent === undefined || spentBefore === undefined ? 0 : spent - spentBefore,
    }))
    .filter(({change}) => Math.abs(change) >= MIN_CHANGE)
    .sort((left, right) => Math.abs(right.change) - Math.abs(left.change));
  if (changes.length === 0) return '';
  const named = changes.slice(0, MAX_CHANGES).map(({key, change}) => `${key} ${changeText(change)}`);
  const more = changes.length > MAX_CHANGES ? `, ${changes.length - MAX_CHANGES} more` : '';
  return `changed     ${named.join(', ')}${more}\n`;
}

function changeText(micro: number): string {
  const cents = Math.round(Math.abs(micro) / 1e4);
  const sign = cents === 0 ? '' : micro > 0 ? '+' : '-';
  return `${sign}$${decimalFigure(BigInt(cents), 2)}`;
}

/** Integer micro-dollars, UTC, half-open; null is unknown. */
export function dayJson({day, dayBefore, groups}: DayCost): object {
  const json = ({start, end, cost, source}: DaySpend) => ({
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
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

export function dayCsv({groups}: DayCost): string {
  const dollars = (micro: MicroUsd | undefined) => (micro === undefined ? '' : decimalFigure(BigInt(micro), 6));
  const rows = (groups ?? []).map(({key, spent, spentBefore}) => csvLine([key, dollars(spent), dollars(spentBefore)]));
  return [csvLine(['key', 'usd', 'day_before_usd']), ...rows].join('');
}
