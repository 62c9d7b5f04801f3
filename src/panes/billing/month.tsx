import {type ReactNode, useMemo} from 'react';
import {type Usd, usdNumber} from '../../domain/money.ts';
import {type BillingFigures, topSpenders} from '../../domain/money/figures.ts';
import {forecastByDay, knownMonthToDate, spendByHour} from '../../domain/money/report.ts';
import {DAY_MS, type EpochMs} from '../../domain/time.ts';
import {missingLine} from '../../resources/detail.ts';
import {usageFeed} from '../../state/billing.ts';
import type {Feed} from '../../state/feed.ts';
import {type Bar, barChart} from '../../ui/bar-chart.ts';
import {formatCounted, formatDollarTick, formatKnown, formatUsd} from '../../ui/format.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import type {Theme} from '../../ui/theme.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {barLook, ESTIMATED_DAYS} from '../day-bars.ts';
import {feedFrame} from '../feed-state.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';
import {anomalyLines, forecastLine, gapsLine, projectionLine, sumsLine} from './outlook-lines.ts';
import {areBillsAwaited, monthSourceSpans} from './service-lines.ts';

/** The month by day with its forecast: what has been spent, and where it will end. The text says how old bills are. */
export const Month = memoBox(
  function Month({
    scene,
    figures,
    place,
    isHourly,
  }: MonthSources & {readonly place: Place; readonly isHourly: boolean}): ReactNode {
    const {theme, preferences} = scene;
    const days = figures === undefined ? 'month' : daysTitle(figures, preferences.budget, theme, place.columns);
    const title = figures !== undefined && isHourly ? `last ${SHOWN_HOURS} hours, $ per hour (UTC)` : days;
    const text = figures === undefined ? [missingLine(scene, usageFeed, 'usage')] : monthLines(scene, figures);
    const {columns} = place;
    const rows = place.rows - text.length;
    const chart = useMemo(
      () =>
        figures === undefined
          ? []
          : isHourly
            ? hoursChart(figures, theme, {columns, rows})
            : monthChart(figures, preferences.budget, theme, {columns, rows}),
      [figures, isHourly, preferences.budget, theme, columns, rows],
    );
    return <FeedBox title={title} scene={scene} feed={usageFeed} place={place} lines={[...chart, ...text]} />;
  },
  {countsSeconds: true},
);

/** The month by day only, if there is no room for the text. */
export const MonthDays = memoBox(function MonthDays({
  scene,
  figures,
  place,
}: MonthSources & {readonly place: Place}): ReactNode {
  const lines =
    figures === undefined
      ? [missingLine(scene, usageFeed, 'usage')]
      : monthChart(figures, scene.preferences.budget, scene.theme, place);
  const {budget} = scene.preferences;
  const title = figures === undefined ? 'month' : daysTitle(figures, budget, scene.theme, place.columns);
  return <FeedBox title={title} scene={scene} feed={usageFeed} place={place} lines={lines} />;
});

/** The title of the month by day, and the legend of its chart, as far as whole words fit. */
function daysTitle(figures: BillingFigures, budget: Usd | undefined, {glyphs}: Theme, columns: number): Line {
  const full = glyphs.levels.at(-1) ?? '';
  const closed = figures.days.slice(0, -1);
  const hasBilled = closed.some(({source}) => source === 'billed');
  // Without a bill of the month, the line about its source names the other bars.
  const isBilled = figures.reading.billedMonth !== undefined;
  const estimated = ESTIMATED_DAYS.filter(kind => isBilled && closed.some(({source}) => source === kind.source));
  const ends = (figures.commitments ?? []).some(({contract: {endsAt}}) => isWithin(endsAt, figures.month));
  const legend: readonly Line[] = [
    ...(hasBilled ? [[{text: full, tone: 'series' as const}, {text: ' billed'}]] : []),
    ...estimated.map(({fill, words}): Line => [{text: fill(glyphs), tone: 'text'}, {text: ` ${words}`}]),
    [{text: full, tone: 'money'}, {text: ' today'}],
    [{text: glyphs.dottedVertical, tone: 'dim'}, {text: ' forecast, 80% likely'}],
    ...(budget === undefined ? [] : [[{text: glyphs.dottedHorizontal, tone: 'warning' as const}, {text: ' budget'}]]),
    ...(ends ? [[{text: 'N! contract ends'}]] : []),
  ];
  let title: Line = [{text: 'month, $ per day (UTC)', tone: 'title'}];
  for (const part of legend) {
    const longer: Line = [...title, {text: '  '}, ...part];
    if (lineWidth(longer) + TITLE_EDGE_CELLS > columns) break;
    title = longer;
  }
  return title;
}

/** The corners and blanks around a title, and the age at its right. */
const TITLE_EDGE_CELLS = 14;

function isWithin(at: EpochMs | undefined, {start, end}: BillingFigures['month']): boolean {
  return at !== undefined && at >= start && at < end;
}

/** As many bars as fit side by side at 120 columns. */
const SHOWN_HOURS = 48;
/** Time steps whose labels fit below bars one cell wide. */
const LABELLED_HOURS = 6;

/** The last hours beside the history of days; the current one so far. */
function hoursChart(figures: BillingFigures, {glyphs}: Theme, place: Place): readonly Line[] {
  const hours = spendByHour(figures, SHOWN_HOURS);
  const bars = hours.map(({start, dollars, source}, index): Bar => {
    const hour = new Date(start).getUTCHours();
    const label = hour % LABELLED_HOURS === 0 ? String(hour) : '';
    return {value: dollars, label, ...barLook(source, index === hours.length - 1)};
  });
  return barChart(bars, {
    width: place.columns - 4,
    height: Math.max(0, place.rows - 2),
    format: value => formatDollarTick(value).padStart(6),
    glyphs,
    line: undefined,
  }).map(padded);
}

/** Past days, forecast days with their low and high estimates, and the daily budget. */
function monthChart(figures: BillingFigures, budget: Usd | undefined, {glyphs}: Theme, place: Place): readonly Line[] {
  const {month, days} = figures;
  const dayCount = Math.round((month.end - month.start) / DAY_MS);
  const ahead = new Map(forecastByDay(figures).map(each => [dayOf(each.start, month.start), each]));
  const cliffDays = new Set((figures.commitments ?? []).map(({contract}) => dayOf(contract.endsAt, month.start)));
  const bars = Array.from({length: dayCount}, (_, index): Bar => {
    const day = days[index];
    const isMarked = cliffDays.has(index);
    const label = `${index + 1}${isMarked ? '!' : ''}`;
    if (day === undefined) {
      const {dollars, low80, high80} = ahead.get(index) ?? {};
      return {value: dollars, mayFallTo: low80, mayReach: high80, label, isMarked, tone: 'dim'};
    }
    return {value: usdNumber(day.cost), label, isMarked, ...barLook(day.source, index === days.length - 1)};
  });
  return barChart(bars, {
    width: place.columns - 4,
    height: Math.max(0, place.rows - 2),
    format: value => formatDollarTick(value).padStart(6),
    glyphs,
    line: budget === undefined ? undefined : {value: usdNumber(budget) / dayCount, tone: 'warning'},
  }).map(padded);
}

function dayOf(at: EpochMs | undefined, start: EpochMs): number | undefined {
  return at === undefined ? undefined : Math.floor((at - start) / DAY_MS);
}

export function monthSpentLine(figures: BillingFigures): Line {
  const missing = [
    ...(figures.lacksDeleted ? ['without deleted resources'] : []),
    ...(figures.estimated.unpricedCount > 0
      ? [`${formatCounted(figures.estimated.unpricedCount, 'resource')} unpriced`]
      : []),
  ].join(', ');
  return [
    {text: ' month-to-date ', tone: 'dim'},
    {text: formatKnown(knownMonthToDate(figures), formatUsd), tone: ['money', 'strong']},
    {text: missing === '' ? '' : `  ${missing}`, tone: 'warning'},
  ];
}

function monthLines(scene: Scene, figures: BillingFigures): readonly Line[] {
  const spenders = topSpenders(figures);
  // Amounts that are unknown or about to change are not said to add up.
  const sums =
    areBillsAwaited(scene) || knownMonthToDate(figures) === undefined
      ? gapsLine(figures, spenders)
      : sumsLine(figures, spenders, scene.theme.glyphs.check);
  return [
    [...monthSpentLine(figures), ...sums],
    monthSourceSpans(scene, figures),
    forecastLine(figures),
    projectionLine(figures),
    ...anomalyLines(figures),
  ];
}

export function FeedBox({
  title,
  scene,
  feed,
  place,
  lines,
}: {
  readonly title: Line | string;
  readonly scene: Scene;
  readonly feed: Feed<unknown>;
  readonly place: Place;
  readonly lines: readonly Line[];
}): ReactNode {
  return (
    <TitledBox {...feedFrame(scene, feed)} title={title} lines={lines} width={place.columns} height={place.rows} />
  );
}

export type MonthSources = {readonly scene: Scene; readonly figures: BillingFigures | undefined};

function padded(line: Line): Line {
  return [{text: ' '}, ...line];
}
