import type {ReactNode} from 'react';
import {type ChargePeriod, monthSoFar, todaySoFar} from '../../domain/billing-history.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {knownBurn, knownMonthToDate, lacksContractEnds} from '../../domain/money/report.ts';
import {hourlyUsd, isPositive, type Rate, type Usd, usdNumber} from '../../domain/money.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {awaitedText} from '../../resources/detail.ts';
import {WASTE_WORDS, type WasteRow, wasteRows, wasteTotal} from '../../resources/waste.ts';
import {billingFigures, deletedUsageFeed, historyFeed, usageFeed} from '../../state/billing.ts';
import {formatKnown, formatPercent, formatRateFigure, formatRate, formatShortUsd, formatUsd} from '../../ui/format.ts';
import {useMoment} from '../../ui/moment.ts';
import {sparkline} from '../../ui/sparkline.ts';
import {cutMiddle, fitLine, type Line, lineWidth} from '../../ui/text.ts';
import {budgetLines} from '../budget.ts';
import {feedAge} from '../feed-state.ts';
import {memoBox, type Scene} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import {TABS} from '../tabs.ts';
import {burnLines} from './evidence.ts';
import type {OverviewLayout} from './layout.ts';
import {Part, type BoxProps} from './part.tsx';

const LABEL_CELLS = 13;
/** In a box that is too narrow for that. */
const LEAST_LABEL_CELLS = 10;
const WHOLE_WORDS_FROM = 40;

/** Burn rate, spending and what is left: in two lines, or one fact per line if there is room. */
export const Money = memoBox(function Money({scene: known, layout}: BoxProps): ReactNode {
  const scene = {...known, ...useMoment(isBillOld(known))};
  const figures = billingFigures(scene);
  const lines = layout.isWide ? wideLines(scene, figures, layout.money) : narrowLines(scene, figures);
  return <Part title="money" scene={scene} feed={usageFeed} place={layout.money} layout={layout} lines={lines} />;
});

/** Whether the age of a bill is shown, which counts seconds. */
function isBillOld({store, now}: Scene): boolean {
  return [todaySoFar(now), monthSoFar(now)].some(period => store.get(historyFeed(period)).status === 'stale');
}

function narrowLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const [today, month] = [spentToday(scene, figures), spentThisMonth(scene, figures)];
  const note = month.note === '' ? today.note : month.note;
  return [
    [
      {text: figures === undefined ? ' burn ' : ' '},
      ...burnSpans(figures),
      {text: `  today ${today.text}  month ${month.text}`},
      {text: note === '' ? '' : `  ${note}`, tone: 'warning'},
    ],
    [
      {text: ` credit ${creditText(scene)}  runway `},
      ...runwayLine(scene, figures),
      ...labelled('  waste ', wastedLine(scene)),
    ],
  ];
}

/** The facts, then a day of the burn rate, then waste, as far as there is room. */
function wideLines(
  scene: Scene,
  figures: BillingFigures | undefined,
  {columns, rows}: OverviewLayout['money'],
): readonly Line[] {
  const facts = factLines(scene, figures, columns - BOX_COLUMNS);
  const room = rows - BOX_ROWS - facts.length;
  const burn = burnLines(scene, {width: columns - BOX_COLUMNS, rows: room}).map((line): Line => [{text: ' '}, ...line]);
  const left = room - burn.length;
  return [...facts, ...burn, ...(left < 1 ? [] : wasteLines(scene, left, columns - BOX_COLUMNS))];
}

/** The edges of a box, and a blank at either side. */
const BOX_ROWS = 2;
const BOX_COLUMNS = 4;
const COST_CELLS = 8;

/** The costliest waste, by name; the last line says how much more there is. */
function wasteLines(scene: Scene, count: number, width: number): readonly Line[] {
  const hourly = ({waste: {rate}}: WasteRow) => (rate === undefined ? -1 : hourlyUsd(rate));
  // Billing lists what has cost most so far; here each line says what it costs now.
  const rows = (wasteRows(scene) ?? []).toSorted((left, right) => hourly(right) - hourly(left));
  const shown = rows.length <= count ? rows : rows.slice(0, count - 1);
  const hidden = rows.length - shown.length;
  return [
    ...shown.map(row => wasteLine(row, width)),
    ...(hidden === 0
      ? []
      : [[{text: ` +${hidden} more in ${TABS.billing.key} ${TABS.billing.title}`, tone: 'dim' as const}]]),
  ];
}

function wasteLine({waste: {name, kind, rate}, fix}: WasteRow, width: number): Line {
  return [
    {text: ' '},
    ...fitLine(
      [
        // Which one it is matters more than the last words about it.
        {text: cutMiddle(name, Math.floor((width - COST_CELLS) / 2)), tone: 'strong'},
        {text: `  ${WASTE_WORDS[kind]}: ${fix.action}`, tone: 'dim'},
      ],
      width - COST_CELLS,
    ),
    {text: formatRateFigure(rate).padStart(COST_CELLS), tone: 'money'},
  ];
}

function factLines(scene: Scene, figures: BillingFigures | undefined, width: number): readonly Line[] {
  const {glyphs} = scene.theme;
  const labelCells = width < WHOLE_WORDS_FROM ? LEAST_LABEL_CELLS : LABEL_CELLS;
  const fact = (label: string, value: Line): Line => [
    {text: ` ${label}`.padEnd(labelCells + 1), tone: 'dim'},
    ...value,
  ];
  const waste = wastedLine(scene, figures, width - labelCells);
  const days = figures?.days.map(({cost}) => usdNumber(cost));
  const dayCells = Math.min(width - labelCells, Math.max(1, days?.length ?? 0));
  const perDay =
    days === undefined ? [{text: 'unknown', tone: 'dim' as const}] : sparkline(days, {width: dayCells, glyphs, min: 0});
  return [
    fact('burn', burnSpans(figures)),
    fact('today', spentLine(spentToday(scene, figures))),
    fact('month', spentLine(spentThisMonth(scene, figures))),
    fact('per day', perDay),
    fact(labelCells === LABEL_CELLS ? 'if unchanged' : 'unchanged', [
      {text: formatKnown(figures?.projection.ifNothingChanges, formatShortUsd), tone: 'money'},
      // In place of when it is, as there is no room for both.
      figures !== undefined && lacksContractEnds(figures)
        ? {text: ' without contract ends', tone: 'warning'}
        : {text: figures === undefined ? '' : ' at month end', tone: 'dim'},
    ]),
    fact('credit', [{text: creditText(scene), tone: 'money'}]),
    fact('runway', runwayLine(scene, figures)),
    ...(waste.length === 0 ? [] : [fact('waste', waste)]),
    ...budgetLines(scene, figures).map((line, index) => fact(index === 0 ? 'budget' : '', line)),
  ];
}

/** `$31.44/h`; `$31.44/h+` while something of unknown price is billed, which the header counts. */
function burnSpans(figures: BillingFigures | undefined): Line {
  const burn = figures && knownBurn(figures);
  const isPart = burn !== undefined && (figures?.unpricedCount ?? 0) > 0;
  return [{text: `${formatKnown(burn, formatRate)}${isPart ? '+' : ''}`, tone: ['money', 'strong']}];
}

/** `~` marks an estimate. The note says why it is one, or how old a bill is that could not be read again. */
type Spent = {readonly text: string; readonly note: string};

function spentToday(scene: Scene, figures: BillingFigures | undefined): Spent {
  const today = figures?.days.at(-1);
  return spent(scene, todaySoFar(scene.now), {cost: today?.cost, isBilled: today?.source === 'billed'});
}

function spentThisMonth(scene: Scene, figures: BillingFigures | undefined): Spent {
  const period = monthSoFar(scene.now);
  const isBilled =
    lastValue(scene.store.get(historyFeed(period)))?.records[0]?.billedCost !== undefined ||
    figures?.days.every(({source}) => source === 'billed') === true;
  return spent(scene, period, {cost: figures && knownMonthToDate(figures), isBilled});
}

function spent(
  scene: Scene,
  period: ChargePeriod,
  {cost, isBilled}: {readonly cost: Usd | undefined; readonly isBilled: boolean},
): Spent {
  const text = formatKnown(cost, formatUsd);
  if (cost === undefined) return {text, note: ''};
  const feed = historyFeed(period);
  const {status} = scene.store.get(feed);
  if (isBilled) return {text, note: status === 'stale' ? `billed ${feedAge(scene, feed)} ago` : ''};
  const isReading = status === 'waiting' || scene.store.get(deletedUsageFeed).status === 'waiting';
  return {text: `~${text}`, note: isReading ? awaitedText(scene, 'bills') : 'estimated'};
}

function spentLine({text, note}: Spent): Line {
  return [
    {text, tone: 'money'},
    {text: note === '' ? '' : `  ${note}`, tone: 'warning'},
  ];
}

/** What is wasted and, if there is room, its share of the burn rate; nothing if no waste is known. */
function wastedLine(scene: Scene, figures?: BillingFigures, width = 0): Line {
  const waste = wasteTotal(scene);
  if (waste === undefined || !isPositive(waste.perHour)) return [];
  const line: Line = [
    {text: waste.isAtLeast ? 'at least ' : '', tone: 'dim'},
    {text: formatRate(waste.perHour), tone: 'warning'},
  ];
  const whole: Line = [...line, {text: shareOf(waste.perHour, figures?.burn), tone: 'dim'}];
  return lineWidth(whole) <= width ? whole : line;
}

function labelled(label: string, value: Line): Line {
  return value.length === 0 ? [] : [{text: label}, ...value];
}

function shareOf(waste: Rate, burn: Rate | undefined): string {
  return burn === undefined || !isPositive(burn)
    ? ''
    : `  ${formatPercent(hourlyUsd(waste) / hourlyUsd(burn))} of the burn`;
}
