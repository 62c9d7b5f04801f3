import type {DaySpend} from '../domain/money/billed-day.ts';
import {usdNumber} from '../domain/money.ts';
import {lastValue} from '../domain/snapshot.ts';
import {DAY_MS, dayStart, type EpochMs, epochMs} from '../domain/time.ts';
import {presentDaysSince} from '../state/billing.ts';
import {accountDaysFeed, LONG_WINDOWS_MS} from '../state/long-metrics.ts';
import {presentBurnHistory} from '../state/timeline.ts';
import {formatUsdFigure, formatUtcDate, formatWeekday} from '../ui/format.ts';
import {shareBar} from '../ui/gauge.ts';
import type {Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import {type Column, number, text, type Value} from './column.ts';
import type {RowInput} from './resource.ts';

/** One day of the account, from the exporter's series in Prometheus or computed from usage. */
export type AccountDay = {
  readonly at: EpochMs;
  readonly source: 'Prometheus' | 'usage';
  readonly burn: number | undefined;
  /** Share of the highest burn rate in the list, 0 to 1: the length of the bar. */
  readonly burnShare: number | undefined;
  /** Today, which is not over: its cost grows. */
  readonly isOpen: boolean;
  /** What the day cost, as its detail says: today so far. */
  readonly cost: Pick<DaySpend, 'cost' | 'source'> | undefined;
  readonly monthToDate: number | undefined;
  readonly critical: number | undefined;
  readonly warning: number | undefined;
  readonly notice: number | undefined;
};

export const DAY_COLUMNS: readonly Column<AccountDay>[] = [
  {
    key: 'day',
    title: 'DAY',
    value: ({at}) => ({text: `${formatWeekday(at)} ${formatUtcDate(at)}`, number: at, plain: formatUtcDate(at)}),
    list: {minWidth: 14},
  },
  {
    key: 'burn',
    title: 'BURN $/h',
    unit: 'dollars',
    value: ({burn}) => figure(burn),
    list: {minWidth: 18, maxWidth: 60, flex: 2, draw: burnCell},
  },
  {
    key: 'cost',
    title: 'COST $',
    align: 'right',
    unit: 'dollars',
    value: costOf,
    list: {minWidth: 9, tone: ({isOpen}) => (isOpen ? 'text' : 'money')},
  },
  {
    key: 'month',
    title: 'MONTH $',
    align: 'right',
    unit: 'dollars',
    value: ({monthToDate}) => figure(monthToDate),
    list: {minWidth: 9, tone: 'money'},
  },
  {key: 'critical', title: 'CRIT', align: 'right', value: ({critical}) => number(critical), list: {minWidth: 4}},
  {key: 'warning', title: 'WARN', align: 'right', value: ({warning}) => number(warning), list: {minWidth: 4}},
  {key: 'notice', title: 'NOTICE', align: 'right', value: ({notice}) => number(notice), list: {minWidth: 6}},
  {
    key: 'source',
    // The cost has a source of its own.
    title: 'BURN FROM',
    value: ({source}) => textOf(source),
    list: {minWidth: 10, tone: 'dim', priority: 1},
  },
];

function textOf(words: string): Value {
  return text(words) ?? {text: words};
}

function figure(value: number | undefined): Value | undefined {
  return value === undefined ? undefined : {text: value.toFixed(2), number: value, plain: value.toFixed(6)};
}

/** `~` marks an estimate, and `+` what is not all. */
function costOf({cost: day, isOpen}: AccountDay): Value | undefined {
  if (day === undefined) return undefined;
  const dollars = usdNumber(day.cost);
  const sign = day.source === 'billed' ? '' : '~';
  return {text: `${sign}${formatUsdFigure(day.cost)}${isOpen ? '+' : ''}`, number: dollars, plain: dollars.toFixed(6)};
}

const FIGURE_CELLS = 9;

function burnCell({burn, burnShare}: AccountDay, width: number, theme: Theme): Line {
  const figure = (burn === undefined ? '–' : burn.toFixed(2)).padStart(FIGURE_CELLS);
  const room = width - FIGURE_CELLS - 1;
  const tone = burn === undefined ? 'dim' : 'money';
  if (room < 3) return [{text: figure, tone}];
  return [{text: `${figure} `, tone}, ...shareBar(burnShare, {width: room, glyphs: theme.glyphs})];
}

/**
 * A year of days, newest first: from Prometheus, and from usage for the days before its first. Undefined until one of
 * them was read.
 */
export function accountDays(
  known: Pick<RowInput, 'store' | 'now' | 'monotonicNow' | 'preferences'>,
): readonly AccountDay[] | undefined {
  const {store, now} = known;
  const measured = lastValue(store.get(accountDaysFeed));
  const history = presentBurnHistory(known);
  if (measured === undefined && history === undefined) return undefined;
  const byPrometheus = (measured ?? []).map(({at, ...figures}) => ({
    ...NOTHING,
    ...figures,
    at,
    source: 'Prometheus' as const,
  }));
  const before = byPrometheus[0]?.at ?? now + DAY_MS;
  const start = Math.max(now - LONG_WINDOWS_MS['1y'], history?.startsAt ?? Number.POSITIVE_INFINITY);
  const byUsage: Omit<AccountDay, 'burnShare' | 'cost' | 'isOpen'>[] = [];
  for (let at = before - DAY_MS; at > start && history !== undefined; at -= DAY_MS) {
    byUsage.push({...NOTHING, at: epochMs(at), source: 'usage', burn: history.dayMeanPerHour(at)});
  }
  const days = [...byPrometheus.toReversed(), ...byUsage];
  const costs = presentDaysSince(known, days.at(-1)?.at ?? now);
  const highest = Math.max(0, ...days.flatMap(({burn}) => burn ?? []));
  return days.map(day => ({
    ...day,
    isOpen: dayStart(day.at) + DAY_MS > now,
    cost: costs.get(dayStart(day.at)),
    burnShare: day.burn === undefined || highest === 0 ? undefined : day.burn / highest,
  }));
}

const NOTHING = {
  burn: undefined,
  monthToDate: undefined,
  critical: undefined,
  warning: undefined,
  notice: undefined,
} as const;
