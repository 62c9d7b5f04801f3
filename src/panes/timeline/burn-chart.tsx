import {type BurnHistory, burnBins} from '../../domain/money/burn-history.ts';
import {type Window, WINDOWS_MS} from '../../domain/window.ts';
import {type ReactNode, useMemo} from 'react';
import {DAY_MS, type EpochMs, epochMs} from '../../domain/time.ts';
import {awaitedText, missingLine} from '../../resources/detail.ts';
import type {TimelineRow} from '../../resources/timeline.ts';
import {areBillsAwaited, usageFeed} from '../../state/billing.ts';
import {presentBurn, presentBurnHistory} from '../../state/timeline.ts';
import {axisChart} from '../../ui/chart.ts';
import {formatDollarTick, formatRate, formatUtcDay, formatUtcMinute} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';
import type {Theme} from '../../ui/theme.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';

const LABEL_CELLS = 8;
/** The ends of the axis and the quarters between them. */
const TIME_COUNT = 5;

type BurnChartProps = {
  readonly scene: Scene;
  readonly window: Window;
  /** The entries as listed: steps among them are marked. */
  readonly rows: readonly TimelineRow[];
  /** The entry under the cursor. */
  readonly chosen: TimelineRow | undefined;
  readonly place: Place;
};

/** The burn rate over the window, with marks below it for steps; the entry under the cursor stands out. */
export const BurnChart = memoBox(function BurnChart({scene, window, rows, chosen, place}: BurnChartProps): ReactNode {
  const {columns, rows: height} = place;
  const chart = useChart(scene, window, {width: columns - 2, height: height - 2});
  return (
    <TitledBox
      {...feedFrame(scene, usageFeed)}
      title={[
        {text: 'burn rate, $/h', tone: 'focus'},
        {text: chart === undefined ? '' : `  ${summaryText(scene, window)}`, tone: 'dim'},
      ]}
      lines={
        chart === undefined
          ? [missingLine(scene, usageFeed, 'usage')]
          : [...chart.plot, marksLine(rows, chosen, chart, scene.theme), ...chart.times]
      }
      width={columns}
      height={height}
    />
  );
});

type ChartRange = {readonly start: EpochMs; readonly windowMs: number; readonly plotWidth: number};
type DrawnChart = ChartRange & {readonly plot: readonly Line[]; readonly times: readonly Line[]};

/** Drawn once for new facts, and not for each entry the cursor moves to. Undefined until usage was read. */
function useChart(
  scene: Scene,
  window: Window,
  {width, height}: {readonly width: number; readonly height: number},
): DrawnChart | undefined {
  const {now, theme, facts = scene} = scene;
  const history = presentBurnHistory(scene);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time counts in the steps of the facts.
  return useMemo(
    () => history && drawnChart(history, {now, windowMs: WINDOWS_MS[window], width, height, glyphs: theme.glyphs}),
    [history, facts, window, width, height, theme.glyphs],
  );
}

function drawnChart(
  history: BurnHistory,
  {
    now,
    windowMs,
    width,
    height,
    glyphs,
  }: {
    readonly now: EpochMs;
    readonly windowMs: number;
    readonly width: number;
    readonly height: number;
    readonly glyphs: Theme['glyphs'];
  },
): DrawnChart {
  const plotWidth = width - LABEL_CELLS - 1;
  const count = plotWidth * (glyphs.charts === 'braille' ? 2 : 1);
  const start = epochMs(now - windowMs);
  const lines = axisChart(burnBins(history, {now, windowMs, count}), {
    width,
    height: height - 1,
    format: value => formatDollarTick(value).padStart(LABEL_CELLS),
    glyphs,
    isArea: true,
    tone: 'money',
    times: timesOf(start, windowMs),
  });
  return {start, windowMs, plotWidth, plot: lines.slice(0, -1), times: lines.slice(-1)};
}

function summaryText(scene: Scene, window: Window): string {
  const {glyphs} = scene.theme;
  const past = areBillsAwaited(scene, WINDOWS_MS[window])
    ? `the past estimated: ${awaitedText(scene, 'bills')}`
    : 'the past as averages';
  const now = formatRate(presentBurn(scene.store));
  return `now ${now}, ${past}  steps: ${glyphs.up} up ${glyphs.down} down ${glyphs.cross} health`;
}

function timesOf(start: number, windowMs: number): readonly string[] {
  return Array.from({length: TIME_COUNT}, (_, index) => {
    const at = epochMs(start + (index * windowMs) / (TIME_COUNT - 1));
    return windowMs > DAY_MS ? formatUtcDay(at) : formatUtcMinute(at);
  });
}

/** One mark per column: the entry under the cursor before others, and a step in the burn rate before one in health. */
function marksLine(
  rows: readonly TimelineRow[],
  chosen: TimelineRow | undefined,
  range: ChartRange,
  theme: Theme,
): Line {
  const cells: (Span | undefined)[] = Array.from({length: range.plotWidth}, () => undefined);
  const put = (row: TimelineRow, tone: Span['tone']) => {
    const column = columnOf(row, range);
    if (column !== undefined && tone !== undefined) cells[column] = {text: signOf(row, theme), tone};
  };
  for (const row of rows) if (row.step === 'health') put(row, 'danger');
  for (const row of rows) if (row.step === 'burn') put(row, 'warning');
  if (chosen !== undefined) put(chosen, 'marked');
  return [{text: ' '.repeat(LABEL_CELLS + 1)}, ...cells.map(cell => cell ?? {text: ' '})];
}

function columnOf({entry: {at}}: TimelineRow, {start, windowMs, plotWidth}: ChartRange): number | undefined {
  if (at === undefined || at < start) return undefined;
  return Math.min(plotWidth - 1, Math.floor(((at - start) / windowMs) * plotWidth));
}

function signOf({step, entry}: TimelineRow, {glyphs}: Theme): string {
  if (step === 'burn') return (entry.rateChange?.numerator ?? 0n) < 0n ? glyphs.down : glyphs.up;
  return step === 'health' ? glyphs.cross : glyphs.middleDot;
}
