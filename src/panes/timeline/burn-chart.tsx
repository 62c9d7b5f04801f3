import {burnBins} from '../../domain/money/burn-history.ts';
import {WINDOWS_MS} from '../../domain/window.ts';
import type {ReactNode} from 'react';
import {DAY_MS, type EpochMs, epochMs} from '../../domain/time.ts';
import {missingLine} from '../../resources/detail.ts';
import type {TimelineRow} from '../../resources/timeline.ts';
import {areBillsAwaited, usageFeed} from '../../state/billing.ts';
import {presentBurn, presentBurnHistory} from '../../state/timeline.ts';
import {axisChart} from '../../ui/chart.ts';
import {formatDollarTick, formatRate, formatUtcDay, formatUtcMinute} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import {listView} from '../list/collection-view.ts';
import type {Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';
import {rowUnderCursor, type TimelineContext, timelinePart} from './part.ts';

const LABEL_CELLS = 8;
/** The ends of the axis and the quarters between them. */
const TIME_COUNT = 5;

/** The burn rate over the window, with marks below it for steps; the entry under the cursor stands out. */
export function BurnChart({place: {columns, rows}, ...context}: TimelineContext & {readonly place: Place}): ReactNode {
  const {scene} = context;
  const width = columns - 2;
  const drawn = chartLines(context, {width, height: rows - 2});
  return (
    <TitledBox
      {...feedFrame(scene, usageFeed)}
      title={[
        {text: 'burn rate, $/h', tone: 'focus'},
        {text: drawn.summary === '' ? '' : `  ${drawn.summary}`, tone: 'dim'},
      ]}
      lines={drawn.lines}
      width={columns}
      height={rows}
    />
  );
}

type DrawnChart = {readonly lines: readonly Line[]; readonly summary: string};

function chartLines(
  context: TimelineContext,
  {width, height}: {readonly width: number; readonly height: number},
): DrawnChart {
  const {scene, view} = context;
  const history = presentBurnHistory(scene);
  if (history === undefined) return {lines: [missingLine(scene, usageFeed, 'usage')], summary: ''};
  const {glyphs} = scene.theme;
  const plotWidth = width - LABEL_CELLS - 1;
  const count = plotWidth * (glyphs.charts === 'braille' ? 2 : 1);
  const windowMs = WINDOWS_MS[view.own.window];
  const start = scene.now - windowMs;
  const bins = burnBins(history, {now: scene.now, windowMs, count});
  const lines = axisChart(bins, {
    width,
    height: height - 1,
    format: value => formatDollarTick(value).padStart(LABEL_CELLS),
    glyphs,
    isArea: true,
    tone: 'money',
    times: timesOf(start, windowMs),
  });
  const past = areBillsAwaited(scene, windowMs) ? 'the past estimated: reading bills…' : 'the past as averages';
  const marks: Line = [
    {text: ' '.repeat(LABEL_CELLS + 1)},
    ...markLine(context, {start: epochMs(start), windowMs, plotWidth}),
  ];
  return {
    lines: [...lines.slice(0, -1), marks, ...lines.slice(-1)],
    summary: `now ${formatRate(presentBurn(scene.store))}, ${past}  steps: ${glyphs.up} up ${glyphs.down} down ${glyphs.cross} health`,
  };
}

function timesOf(start: number, windowMs: number): readonly string[] {
  return Array.from({length: TIME_COUNT}, (_, index) => {
    const at = epochMs(start + (index * windowMs) / (TIME_COUNT - 1));
    return windowMs > DAY_MS ? formatUtcDay(at) : formatUtcMinute(at);
  });
}

type ChartRange = {readonly start: EpochMs; readonly windowMs: number; readonly plotWidth: number};

/** One mark per column: the entry under the cursor before others, and a step in the burn rate before one in health. */
function markLine(context: TimelineContext, span: ChartRange): Line {
  const chosen = rowUnderCursor(context);
  const {scene, view} = context;
  const {rows} = timelinePart.list.shown({scene, view: listView(view), of: view.own.window});
  const cells: (Span | undefined)[] = Array.from({length: span.plotWidth}, () => undefined);
  const put = (row: TimelineRow, tone: Span['tone']) => {
    const column = columnOf(row, span);
    if (column !== undefined && tone !== undefined) cells[column] = {text: signOf(row, scene), tone};
  };
  for (const row of rows) if (row.step === 'health') put(row, 'danger');
  for (const row of rows) if (row.step === 'burn') put(row, 'warning');
  if (chosen !== undefined) put(chosen, 'marked');
  return cells.map(cell => cell ?? {text: ' '});
}

function columnOf({entry: {at}}: TimelineRow, {start, windowMs, plotWidth}: ChartRange): number | undefined {
  if (at === undefined || at < start) return undefined;
  return Math.min(plotWidth - 1, Math.floor(((at - start) / windowMs) * plotWidth));
}

function signOf({step, entry}: TimelineRow, {theme: {glyphs}}: Scene): string {
  if (step === 'burn') return (entry.rateChange?.numerator ?? 0n) < 0n ? glyphs.down : glyphs.up;
  return step === 'health' ? glyphs.cross : glyphs.middleDot;
}
