import type {MachineMetrics} from '../../domain/series.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, HOUR_MS, SECOND_MS} from '../../domain/time.ts';
import {type MachineActivity, machineActivity, sampleAge, type Trend} from '../../domain/utilization.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {type MetricWindow, metricsFeed} from '../../state/machines.ts';
import {axisChart} from '../../ui/chart.ts';
import {formatBytes, formatDuration, formatPercent, formatUtcDay, formatUtcMinute} from '../../ui/format.ts';
import {isPresent, largest, sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line, lineWidth} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

const WINDOWS_MS: Readonly<Record<MetricWindow, DurationMs>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '1d': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};

/** Figures of five cells at the axis, so that charts above each other share their time axis. */
const LABEL_CELLS = 5;
const AXIS_CELLS = LABEL_CELLS + 1;
const TWO_COLUMNS_FROM = 60;
const MIN_CHART_ROWS = 4;
const HIGH_RATIO = 0.9;

type Bins = readonly (number | undefined)[];
type Chart = {
  readonly title: string;
  readonly figures: string;
  readonly bins: Bins;
  readonly isRatio: boolean;
  /** What the line stands for, where the figures do not say it. */
  readonly drawn?: string;
  /** The figures no longer tell the present, and say how old they are. */
  readonly isOld: boolean;
};

/** Processor, memory, network and disk over the window, as many as the place has room for. */
export function chartLines(
  scene: Scene,
  machine: VirtualMachine,
  window: MetricWindow,
  size: {readonly columns: number; readonly rows: number},
): readonly Line[] {
  const feed = metricsFeed(machine.id, window);
  const metrics = lastValue(scene.store.get(feed));
  if (metrics === undefined) return [missingLine(scene, feed, 'metrics')];
  const {glyphs} = scene.theme;
  const key = `charts ${window} ${size.columns}x${size.rows} ${timeKey(metrics, scene.now)} ${glyphs.name}`;
  return drawnOnce(metrics, key, () => drawCharts(metrics, machine, {window, size, now: scene.now, glyphs}));
}

/**
 * Samples come every five seconds at best. On a grid of time the bins of old samples stay where they are from one
 * second to the next, and a chart is drawn again only when something in it can have changed.
 */
function onGrid(now: EpochMs): EpochMs {
  return epochMs(Math.floor(now / GRID_MS) * GRID_MS);
}

const GRID_MS: DurationMs = 15 * SECOND_MS;

/** What of the time a drawing depends on: where the bins stand and, of old samples, the age beside the figures. */
function timeKey(metrics: MachineMetrics, now: EpochMs): string {
  const age = sampleAge(metrics, now);
  return `${onGrid(now)} ${age?.isOld === true ? formatDuration(age.ageMs) : ''}`;
}

/** The last drawing of each reading, dropped with it. */
const drawings = new WeakMap<object, {readonly key: string; readonly lines: readonly Line[]}>();

function drawnOnce(metrics: object, key: string, draw: () => readonly Line[]): readonly Line[] {
  const known = drawings.get(metrics);
  if (known?.key === key) return known.lines;
  const lines = draw();
  drawings.set(metrics, {key, lines});
  return lines;
}

type Drawing = {
  readonly window: MetricWindow;
  readonly size: {readonly columns: number; readonly rows: number};
  readonly now: EpochMs;
  readonly glyphs: Scene['theme']['glyphs'];
};

function drawCharts(
  metrics: MachineMetrics,
  machine: VirtualMachine,
  {window, size, now, glyphs}: Drawing,
): readonly Line[] {
  const isTwoColumns = size.columns >= TWO_COLUMNS_FROM;
  const columns = isTwoColumns ? Math.floor((size.columns - 2) / 2) : size.columns;
  const dotsPerCell = glyphs.charts === 'braille' ? 2 : 1;
  const binCount = Math.max(4, (columns - AXIS_CELLS) * dotsPerCell);
  const span = {now: onGrid(now), windowMs: WINDOWS_MS[window], binCount};
  const charts = chartsOf(machineActivity(metrics, machine.flavor, span), machine, now);
  const perColumn = isTwoColumns ? 2 : 4;
  const rows = Math.max(MIN_CHART_ROWS, Math.floor(size.rows / perColumn));
  const drawn = charts.map(chart => drawChart(chart, glyphs, {columns, rows, times: timesOf(span)}));
  if (!isTwoColumns) return drawn.flat();
  const [cpu = [], memory = [], network = [], disk = []] = drawn;
  return [...sideBySide(cpu, memory, columns), ...sideBySide(network, disk, columns)];
}

/** The same as a few lines with small graphs, where there is no room for charts. */
export function stripLines(
  scene: Scene,
  machine: VirtualMachine,
  window: MetricWindow,
  columns: number,
): readonly Line[] {
  const feed = metricsFeed(machine.id, window);
  const metrics = lastValue(scene.store.get(feed));
  if (metrics === undefined) return [missingLine(scene, feed, 'metrics')];
  const {theme, now} = scene;
  const {glyphs} = theme;
  return drawnOnce(metrics, `strip ${window} ${columns} ${timeKey(metrics, now)} ${glyphs.name}`, () => {
    const width = Math.max(4, columns - STRIP_LABEL_CELLS - STRIP_FIGURE_CELLS);
    const span = {now: onGrid(now), windowMs: WINDOWS_MS[window], binCount: width};
    return chartsOf(machineActivity(metrics, machine.flavor, span), machine, now).map(chart => [
      {text: ` ${chart.title}`.padEnd(STRIP_LABEL_CELLS), tone: 'title'},
      ...sparkline(chart.bins, {width, glyphs, max: chart.isRatio ? 1 : undefined, ...(chart.isOld ? DIM : {})}),
      {text: `  ${chart.figures}`, ...(chart.isOld ? DIM : {})},
    ]);
  });
}

const DIM = {tone: 'dim'} as const;
const STRIP_LABEL_CELLS = 6;
const STRIP_FIGURE_CELLS = 30;

function chartsOf(activity: MachineActivity, {flavor}: VirtualMachine, now: EpochMs): readonly Chart[] {
  const {cpu, memory, networkIn, networkOut, diskRead, diskWrite} = activity;
  const ram = flavor?.ramGb === undefined ? '' : ` of ${flavor.ramGb} GB`;
  return [
    {title: 'CPU', isRatio: true, bins: cpu.bins, ...ratioFigures(cpu, '', now)},
    {title: 'MEM', isRatio: true, bins: memory.bins, ...ratioFigures(memory, ram, now)},
    {title: 'NET', ...bothWays({in: networkIn, out: networkOut}, now)},
    {title: 'DISK', ...bothWays({read: diskRead, write: diskWrite}, now)},
  ];
}

type Figures = Pick<Chart, 'figures' | 'isOld'>;

function ratioFigures(trend: Trend, of: string, now: EpochMs): Figures {
  const {value, isOld, age} = shownValue([trend], now);
  const figure = `${formatPercent(value(trend))}${of}`;
  return {figures: isOld ? `${age}${figure}` : `${figure}  max ${formatPercent(peak(trend))}`, isOld};
}

/** The two directions of a traffic, under their words. */
function bothWays(ways: Readonly<Record<string, Trend>>, now: EpochMs): Figures & Omit<Chart, 'title'> {
  const trends = Object.values(ways);
  const {value, isOld, age} = shownValue(trends, now);
  const words = Object.entries(ways).map(([word, trend]) => `${word} ${formatBytes(value(trend))}/s`);
  const [first = {bins: []}, second = {bins: []}] = trends;
  return {
    figures: `${age}${words.join('  ')}`,
    isOld,
    bins: sumOf(first.bins, second.bins),
    isRatio: false,
    drawn: 'sum',
  };
}

/** What holds now; where nothing does, what was measured last, and its age, which stands first and so is never cut. */
function shownValue(trends: readonly Trend[], now: EpochMs) {
  const newest = trends.flatMap(trend => trend.newest?.sampledAt ?? []);
  const isOld = trends.every(({latest}) => latest === undefined) && newest.length > 0;
  return {
    isOld,
    value: ({latest, newest}: Trend) => (isOld ? newest?.value : latest),
    age: isOld ? `${formatDuration(Math.max(0, now - Math.max(...newest)))} ago: ` : '',
  };
}

/** A bin is a mean over its time, above which the latest sample may stand. */
function peak({latest, bins}: Trend): number | undefined {
  return largest([...bins, latest]);
}

/** Both directions as one line; where only one was measured the sum is unknown too. */
function sumOf(left: Bins, right: Bins): Bins {
  return left.map((value, index) => {
    const other = right[index];
    return isPresent(value) && isPresent(other) ? value + other : undefined;
  });
}

function drawChart(
  chart: Chart,
  glyphs: Drawing['glyphs'],
  place: {readonly columns: number; readonly rows: number; readonly times: readonly string[]},
): readonly Line[] {
  const format = chart.isRatio ? formatPercent : formatBytes;
  const options = {
    width: place.columns,
    height: place.rows - 1,
    format: (value: number) => format(value).padStart(LABEL_CELLS),
    glyphs,
    isArea: chart.isRatio,
    times: place.times,
    min: 0,
    ...(chart.isOld ? DIM : {}),
  };
  const told: Line = [
    {text: ` ${chart.title}  `, tone: 'title'},
    {text: chart.figures, ...(chart.isOld ? DIM : {})},
  ];
  const drawn: Line = chart.drawn === undefined ? [] : [{text: `  drawn: ${chart.drawn}`, tone: 'dim'}];
  return [
    lineWidth([...told, ...drawn]) <= place.columns ? [...told, ...drawn] : told,
    ...axisChart(chart.bins, chart.isRatio ? {...options, max: 1, ...thresholdIn(options.height)} : options),
  ];
}

/** In a low chart the line of ninety percent would stand on the tick of a hundred. */
function thresholdIn(rows: number): {readonly threshold?: number} {
  return rows < MIN_THRESHOLD_ROWS ? {} : {threshold: HIGH_RATIO};
}

const MIN_THRESHOLD_ROWS = 12;

function timesOf({now, windowMs}: {readonly now: EpochMs; readonly windowMs: DurationMs}): readonly string[] {
  const format = windowMs > DAY_MS ? formatUtcDay : formatUtcMinute;
  return [now - windowMs, now - windowMs / 2, now].map(moment => format(epochMs(moment)));
}

function sideBySide(left: readonly Line[], right: readonly Line[], columns: number): readonly Line[] {
  return left.map((line, index) => [...fitLine(line, columns), {text: '  '}, ...(right[index] ?? [])]);
}
