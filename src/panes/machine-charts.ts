import {memoPer} from '../domain/memo.ts';
import {gigabytesText} from '../domain/number-text.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {type GpuHistory, type GpuLoad, gpuFigures, gpuTrend} from '../domain/gpu-load.ts';
import type {Feed} from '../state/feed.ts';
import {gpuHistoryFeed, presentGpuLoads} from '../state/gpu-load.ts';
import {lastValue} from '../domain/snapshot.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, isAhead, SECOND_MS} from '../domain/time.ts';
import {
  type MachineActivity,
  machineActivity,
  sampleAge,
  type Trend,
  trendSince,
  withFinest,
} from '../domain/utilization.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {missingLine} from '../resources/detail.ts';
import {loadSince, UTILIZATION_LEVELS} from '../resources/machines.ts';
import {WINDOWS, WINDOWS_MS} from '../domain/window.ts';
import {hourMetrics, metricsFeed} from '../state/machines.ts';
import {LONG_WINDOWS, LONG_WINDOWS_MS, type LongMetrics, longMetricsFeed} from '../state/long-metrics.ts';
import {wrapLine} from '../ui/wrap.ts';
import {axisChart, type Direction, mirroredChart} from '../ui/chart.ts';
import {formatBytes, formatDuration, formatPercent, formatUtcDay, formatUtcMinute} from '../ui/format.ts';
import {type Bins, largest, sparkline} from '../ui/sparkline.ts';
import {fitLine, type Line, lineWidth, type Span, widthOf} from '../ui/text.ts';
import type {Scene} from './pane.ts';
import type {Place} from './sizes.ts';

/** The time windows to choose from; those beyond a month need a Prometheus. */
export const CHART_WINDOWS = [...WINDOWS, ...LONG_WINDOWS] as const;
export type ChartWindow = (typeof CHART_WINDOWS)[number];

const CHART_WINDOWS_MS: Readonly<Record<ChartWindow, DurationMs>> = {...WINDOWS_MS, ...LONG_WINDOWS_MS};

/** Figures at the axis are five cells wide, so that charts above each other share their time axis. */
const LABEL_CELLS = 5;
const AXIS_CELLS = LABEL_CELLS + 1;
/** Between the edges at 60 columns: even the smallest terminal shows two by two charts. */
const TWO_COLUMNS_FROM = 58;
const MIN_CHART_ROWS = 4;

type DirectionFigure = Direction & {readonly figure: string};
type Directions = {
  readonly kind: 'directions';
  readonly unit: string;
  readonly up: DirectionFigure;
  readonly down: DirectionFigure;
};

/** What one chart shows: a share of a capacity, or bytes per second in two directions. */
type Chart = {
  readonly title: string;
  /** The same text in ever shorter forms; the longest that fits is shown. */
  readonly figures: readonly string[];
  readonly drawn: {readonly kind: 'share'; readonly bins: Bins; readonly hasLegend: boolean} | Directions;
  /** The figures are too old to describe the present, and show their age. */
  readonly isOld: boolean;
};

/** CPU, memory, network and disk over the window, as many as fit. */
export function chartLines(scene: Scene, machine: VirtualMachine, window: ChartWindow, size: Place): readonly Line[] {
  const reading = readingOver(scene, machine, window);
  if ('feed' in reading) return [missingLine(scene, reading.feed, 'metrics')];
  if (reading.instead === undefined) return drawnCharts(scene, machine, reading, size);
  const lines = wrapLine([{text: ` the last 30d, by the service: ${reading.instead}`, tone: 'warning'}], size.columns);
  return [...lines, ...drawnCharts(scene, machine, reading, {...size, rows: size.rows - lines.length})];
}

type ChartedMetrics = {
  readonly metrics: MachineMetrics;
  /** The combined readings of all windows: longer ones are read less often, and may come in longer steps. */
  readonly known: readonly MachineMetrics[];
  readonly window: ChartWindow;
  readonly isByPrometheus: boolean;
  /** Why the service returned less time than was requested. */
  readonly instead?: SafeText | undefined;
};

/** A machine over a window, as far as it is known; otherwise the feed that supplies it. */
export function readingOver(
  {store}: Scene,
  machine: VirtualMachine,
  window: ChartWindow,
): ChartedMetrics | {readonly feed: Feed<unknown>} {
  const known = WINDOWS.flatMap(each => lastValue(store.get(metricsFeed(machine.id, each))) ?? []);
  const short = WINDOWS.find(each => each === window);
  if (short !== undefined) {
    const feed = metricsFeed(machine.id, short);
    const metrics = short === '1h' ? hourMetrics(store, machine.id) : lastValue(store.get(feed));
    return metrics === undefined ? {feed} : {metrics, known, window, isByPrometheus: false};
  }
  const feed = longFeed(machine, window);
  const value = lastValue(store.get(feed));
  if (value === undefined) return {feed};
  const {metrics, instead} = value;
  const isByPrometheus = instead === undefined;
  return {metrics, known, instead, isByPrometheus, window: isByPrometheus ? window : '30d'};
}

/** The feed that supplies a machine over a window. */
export function chartFeed(machine: VirtualMachine, window: ChartWindow): Feed<unknown> {
  const short = WINDOWS.find(each => each === window);
  return short === undefined ? longFeed(machine, window) : metricsFeed(machine.id, short);
}

function longFeed(machine: VirtualMachine, window: ChartWindow): Feed<LongMetrics> {
  return longMetricsFeed(machine, LONG_WINDOWS.find(each => each === window) ?? '90d');
}

function drawnCharts(
  scene: Scene,
  machine: VirtualMachine,
  reading: ChartedMetrics,
  size: {readonly columns: number; readonly rows: number},
): readonly Line[] {
  const {metrics, window} = reading;
  const {glyphs} = scene.theme;
  const gpus = gpusOver(scene, machine, window);
  const since = loadSince(machine, scene);
  const dependencies = [
    window,
    size.columns,
    size.rows,
    glyphs.name,
    ...timeParts(reading, scene.now, since),
    ...gpuParts(gpus),
  ];
  const drawing = {size, now: scene.now, glyphs, gpus, since};
  return chartsOnce(metrics, dependencies, () => drawCharts(reading, machine, drawing));
}

/** The GPUs of a machine now and over the window; undefined if nothing reports them. */
type GpuReadings = {readonly load: GpuLoad; readonly history: GpuHistory};

function gpusOver({store}: Scene, {id}: VirtualMachine, window: ChartWindow): GpuReadings | undefined {
  const load = presentGpuLoads(store)?.get(id);
  if (load === undefined) return undefined;
  const history = window === '1h' ? load.history : lastValue(store.get(gpuWindowFeed(id, load, window)));
  return {load, history: history ?? {}};
}

/** The feed of a machine's GPUs over a window. */
export function gpuWindowFeed(id: VirtualMachine['id'], {host}: GpuLoad, window: ChartWindow): Feed<GpuHistory> {
  return gpuHistoryFeed({id, host}, {name: window, windowMs: CHART_WINDOWS_MS[window]});
}

/**
 * Samples arrive every five seconds at best. On a fixed time grid the bins of old samples stay in place from one second
 * to the next, and a chart is redrawn only when something in it can have changed.
 */
function onGrid(now: EpochMs): EpochMs {
  return epochMs(Math.floor(now / GRID_MS) * GRID_MS);
}

const GRID_MS: DurationMs = 15 * SECOND_MS;

/**
 * The part of the time that a drawing depends on: the position of the bins and, for samples that are old or from before
 * the present load, the age beside the figures.
 */
function timeParts({metrics, known}: ChartedMetrics, now: EpochMs, since: number | undefined): readonly unknown[] {
  const age = sampleAge(metrics, now);
  const newest = known.map(each => sampleAge(each, now)?.sampledAt);
  const isOld = age !== undefined && (age.isOld || age.sampledAt < (since ?? 0));
  return [onGrid(now), since, isOld ? formatDuration(age.ageMs) : undefined, ...newest];
}

function gpuParts(gpus: GpuReadings | undefined): readonly unknown[] {
  return [gpus?.load.sampledAt, gpus?.history.utilization?.length];
}

const chartsOnce = memoPer<ChartedMetrics['metrics'], readonly Line[]>();
const stripOnce = memoPer<ChartedMetrics['metrics'], readonly Line[]>();

type ChartDrawing = {
  readonly size: Place;
  readonly now: EpochMs;
  readonly glyphs: Scene['theme']['glyphs'];
  readonly gpus: GpuReadings | undefined;
  /** From when on samples describe the present load. */
  readonly since: number | undefined;
};

function drawCharts(
  reading: ChartedMetrics,
  machine: VirtualMachine,
  {size, now, glyphs, gpus, since}: ChartDrawing,
): readonly Line[] {
  const {window} = reading;
  const isTwoColumns = size.columns >= TWO_COLUMNS_FROM;
  const columns = isTwoColumns ? Math.floor((size.columns - 2) / 2) : size.columns;
  const dotsPerCell = glyphs.charts === 'braille' ? 2 : 1;
  const binCount = Math.max(4, (columns - AXIS_CELLS) * dotsPerCell);
  const span = {now: onGrid(now), windowMs: CHART_WINDOWS_MS[window], binCount};
  const timeScale = {window, binCount, now, since};
  const charts = [
    ...chartsOf(activityOf(reading, machine, span), machine, timeScale),
    ...(gpus === undefined ? [] : gpuCharts(gpus, machine, {...timeScale, span})),
  ];
  const perColumn = isTwoColumns ? Math.ceil(charts.length / 2) : charts.length;
  const rows = Math.max(MIN_CHART_ROWS, Math.floor(size.rows / perColumn));
  const drawn = charts.map(chart => drawChart(chart, glyphs, {columns, rows, times: timesOf(span)}));
  if (!isTwoColumns) return drawn.flat();
  const [cpu = [], memory = [], network = [], disk = [], gpu = [], gpuMemory = []] = drawn;
  return [
    ...sideBySide(cpu, memory, columns),
    ...sideBySide(gpu, gpuMemory, columns),
    ...sideBySide(network, disk, columns),
  ];
}

/** What a window shows, with present value and peak from the finest reading of the same time. */
function activityOf(
  {metrics, known}: ChartedMetrics,
  {flavor}: VirtualMachine,
  span: Parameters<typeof machineActivity>[2],
): Trends {
  const shown = machineActivity(metrics, flavor, span);
  const others = known
    .filter(each => each !== metrics)
    .map(each => machineActivity(each, flavor, {...span, binCount: 1}));
  const finest = (name: keyof Trends) =>
    withFinest(
      shown[name],
      others.map(each => each[name]),
    );
  return {
    cpu: finest('cpu'),
    memory: finest('memory'),
    networkIn: finest('networkIn'),
    networkOut: finest('networkOut'),
    diskRead: finest('diskRead'),
    diskWrite: finest('diskWrite'),
  };
}

type Trends = Omit<MachineActivity, 'isWorking' | 'quietSince'>;

/** The network traffic of one machine, under its name: exactly `rows` lines if its metrics were read. */
export function networkLines(scene: Scene, machine: VirtualMachine, {columns, rows}: Place): readonly Line[] {
  const feed = metricsFeed(machine.id, '1h');
  const metrics = hourMetrics(scene.store, machine.id);
  const name: Line = [{text: ` ${machine.name}`, tone: 'strong', isName: true}];
  if (metrics === undefined) return [[...name, {text: ' '}, ...missingLine(scene, feed, 'metrics')]];
  const {now} = scene;
  const {glyphs} = scene.theme;
  const binCount = Math.max(4, (columns - AXIS_CELLS) * (glyphs.charts === 'braille' ? 2 : 1));
  const span = {now: onGrid(now), windowMs: CHART_WINDOWS_MS['1h'], binCount};
  const [, , network] = chartsOf(machineActivity(metrics, machine.flavor, span), machine, {
    window: '1h',
    binCount,
    now,
    since: loadSince(machine, scene),
  });
  if (network === undefined) return [name];
  return [name, ...drawChart(network, glyphs, {columns, rows: rows - 1, times: timesOf(span)})];
}

/** The same as a few lines with small graphs, if charts do not fit. */
export function stripLines(
  scene: Scene,
  machine: VirtualMachine,
  chosen: ChartWindow,
  columns: number,
): readonly Line[] {
  const reading = readingOver(scene, machine, chosen);
  if ('feed' in reading) return [missingLine(scene, reading.feed, 'metrics')];
  const {metrics, window} = reading;
  const {theme, now} = scene;
  const {glyphs} = theme;
  const gpus = gpusOver(scene, machine, window);
  const since = loadSince(machine, scene);
  const dependencies = [window, columns, glyphs.name, ...timeParts(reading, now, since), ...gpuParts(gpus)];
  return stripOnce(metrics, dependencies, () => {
    const binCount = stripGraphCells(columns);
    const span = {now: onGrid(now), windowMs: CHART_WINDOWS_MS[window], binCount};
    const timeScale = {window, binCount, now, since};
    const [cpu, memory, network, disk] = chartsOf(activityOf(reading, machine, span), machine, timeScale);
    // There is room for four lines: with GPUs, their load matters more than the disk.
    const [gpu] = gpus === undefined ? [] : gpuCharts(gpus, machine, {...timeScale, span});
    const charts = (gpu === undefined ? [cpu, memory, network, disk] : [cpu, gpu, memory, network]).flatMap(
      chart => chart ?? [],
    );
    return charts.map(chart => stripLine(chart, columns, glyphs));
  });
}

const DIM = {tone: 'dim'} as const;
const STRIP_LABEL_CELLS = 6;
const STRIP_FIGURE_CELLS = 30;

function stripLine(chart: Chart, columns: number, glyphs: ChartDrawing['glyphs']): Line {
  const {drawn, figures, isOld} = chart;
  const title: Span = {text: ` ${chart.title}`.padEnd(STRIP_LABEL_CELLS), tone: 'title'};
  const dim = isOld ? DIM : {};
  if (drawn.kind === 'directions') return [title, ...twoSparklines(drawn, {columns, glyphs, dim})];
  const width = stripGraphCells(columns);
  const text = figures.find(each => widthOf(each) <= STRIP_FIGURE_CELLS - 2) ?? figures.at(-1) ?? '';
  const options = {width, glyphs, max: 1, ...(isOld ? DIM : {thresholds: UTILIZATION_LEVELS})};
  return [title, ...sparkline(drawn.bins, options), {text: `  ${text}`, ...dim}];
}

function stripGraphCells(columns: number): number {
  return Math.max(4, columns - STRIP_LABEL_CELLS - STRIP_FIGURE_CELLS);
}

/** `write` and a blank. */
const DIRECTION_CELLS = 6;
/** `1000K` after a blank. */
const BYTES_CELLS = 6;

/** Both directions side by side on one scale, each with its name and present value. */
function twoSparklines(
  {up, down, unit}: Directions,
  {
    columns,
    glyphs,
    dim,
  }: {readonly columns: number; readonly glyphs: ChartDrawing['glyphs']; readonly dim: {readonly tone?: 'dim'}},
): Line {
  const max = largest([...up.values, ...down.values]);
  const room = columns - STRIP_LABEL_CELLS - widthOf(unit) - 2;
  const width = Math.max(2, Math.floor(room / 2) - DIRECTION_CELLS - BYTES_CELLS);
  return [
    ...[up, down].flatMap(
      ({name, values, tone, figure}): Line => [
        {text: name.padEnd(DIRECTION_CELLS), tone: 'dim'},
        ...sparkline(inFewerBins(values, width), {width, glyphs, max, tone, ...dim}),
        {text: ` ${figure}`.padEnd(BYTES_CELLS), ...dim},
      ],
    ),
    {text: ` ${unit}`, tone: 'dim'},
  ];
}

/** The same time in fewer bins, each as high as the highest bin it replaces. */
function inFewerBins(bins: Bins, count: number): Bins {
  return Array.from({length: count}, (_, index) => {
    const start = Math.floor((index * bins.length) / count);
    return largest(bins.slice(start, Math.max(start + 1, Math.floor(((index + 1) * bins.length) / count))));
  });
}

type TimeScale = {
  readonly window: ChartWindow;
  readonly binCount: number;
  readonly now: EpochMs;
  /** From when on samples describe the present load. */
  readonly since: number | undefined;
};

function chartsOf(activity: Trends, {flavor}: VirtualMachine, timeScale: TimeScale): readonly Chart[] {
  const {cpu, memory, networkIn, networkOut, diskRead, diskWrite} = activity;
  const cpus = flavor?.cpuCount === undefined ? '' : ` of ${flavor.cpuCount} vCPUs`;
  const ram = flavor?.ramGb === undefined ? '' : ` of ${gigabytesText(flavor.ramGb)}`;
  return [
    {title: 'CPU', drawn: {kind: 'share', bins: cpu.bins, hasLegend: true}, ...shareFigures(cpu, cpus, timeScale)},
    {
      title: 'MEM',
      drawn: {kind: 'share', bins: memory.bins, hasLegend: false},
      ...shareFigures(memory, ram, timeScale),
    },
    {title: 'NET', ...bothWays(['in', networkIn], ['out', networkOut], timeScale)},
    {title: 'DISK', ...bothWays(['read', diskRead], ['write', diskWrite], timeScale)},
  ];
}

/** The load of the GPUs with their power, and the memory of the fullest with the temperature of the hottest. */
function gpuCharts(
  {load, history}: GpuReadings,
  {flavor}: VirtualMachine,
  {span, ...timeScale}: TimeScale & {readonly span: Parameters<typeof gpuTrend>[2]},
): readonly Chart[] {
  const trendOf = (measure: keyof GpuHistory) =>
    withFinest(gpuTrend({sampledAt: load.sampledAt, history}, measure, span), [
      gpuTrend(load, measure, {...span, binCount: 1}),
    ]);
  const [work, memory] = [trendOf('utilization'), trendOf('memory')];
  const {watts, celsius} = gpuFigures(load);
  const of = ` of ${load.gpus.length} × ${flavor?.gpuModel ?? 'GPU'}`;
  const behind = (text: string, value: number | undefined) => (value === undefined ? '' : `  ${value}${text}`);
  return [
    {
      title: 'GPU',
      drawn: {kind: 'share', bins: work.bins, hasLegend: false},
      ...shareFigures(work, `${of}${behind(' W', watts)}`, timeScale),
    },
    {
      title: 'GMEM',
      drawn: {kind: 'share', bins: memory.bins, hasLegend: false},
      ...shareFigures(memory, `${behind(' °C', celsius)}`, timeScale),
    },
  ];
}

type ChartFigures = Pick<Chart, 'figures' | 'isOld'>;

function shareFigures(trend: Trend, of: string, timeScale: TimeScale): ChartFigures {
  const {value, isOld, age} = shownValue([trend], timeScale);
  const now = formatPercent(value(trend));
  if (isOld) return {figures: [`${age}: ${now}${of}`, `${age}: ${now}`], isOld};
  const max = `max ${formatPercent(trend.peak)}`;
  return {
    figures: [
      `${now}${of}  ${max} in ${timeScale.window} (chart: means of ${binWidth(timeScale)})`,
      `${now}${of}  ${max} in ${timeScale.window}`,
      `${now}  ${max} in ${timeScale.window}`,
      now,
    ],
    isOld,
  };
}

/** A bin is a mean over its time, so the chart may stay below the highest sample. */
function binWidth({window, binCount}: TimeScale): string {
  return formatDuration(Math.max(SECOND_MS, CHART_WINDOWS_MS[window] / binCount));
}

/** The two directions of traffic: the first is drawn upwards, the second downwards. */
function bothWays(
  [upName, up]: readonly [string, Trend],
  [downName, down]: readonly [string, Trend],
  timeScale: TimeScale,
): Omit<Chart, 'title'> {
  const {value, isOld, age} = shownValue([up, down], timeScale);
  const now = (trend: Trend) => formatBytes(value(trend));
  const max = (trend: Trend) => `${now(trend)} max ${formatBytes(trend.peak)}`;
  const dated = isOld ? `${age}: ` : '';
  const short = [
    `${dated}bytes/s ${upName} ${now(up)} ${downName} ${now(down)}`,
    `${dated}${upName} ${now(up)} ${downName} ${now(down)}/s`,
  ];
  return {
    figures: isOld
      ? short
      : [`bytes/s  ${upName} ${max(up)}  ${downName} ${max(down)}  in ${timeScale.window}`, ...short],
    isOld,
    drawn: {
      kind: 'directions',
      unit: isOld ? `bytes/s ${age}` : 'bytes/s',
      up: {name: upName, values: up.bins, tone: 'series', figure: now(up)},
      down: {name: downName, values: down.bins, tone: 'accent', figure: now(down)},
    },
  };
}

/** The present value; if there is none, the last one measured with its age, which comes first and so is never cut. */
function shownValue(all: readonly Trend[], {now, since}: TimeScale) {
  const trends = all.map(trend => trendSince(trend, since));
  const newest = trends.flatMap(trend => trend.newest?.sampledAt ?? []);
  const isOld = trends.every(({latest}) => latest === undefined) && newest.length > 0;
  return {
    isOld,
    value: (trend: Trend) => (isOld ? trend.newest?.value : trendSince(trend, since).latest),
    age: isOld ? ageWords(epochMs(Math.max(...newest)), now) : '',
  };
}

function ageWords(sampledAt: EpochMs, now: EpochMs): string {
  return isAhead(sampledAt, now)
    ? `${formatDuration(sampledAt - now)} ahead`
    : `${formatDuration(Math.max(0, now - sampledAt))} ago`;
}

function drawChart(
  chart: Chart,
  glyphs: ChartDrawing['glyphs'],
  place: {readonly columns: number; readonly rows: number; readonly times: readonly string[]},
): readonly Line[] {
  const {drawn, isOld} = chart;
  const options = {width: place.columns, height: place.rows - 1, glyphs, isArea: true, times: place.times};
  const plotted =
    drawn.kind === 'share'
      ? axisChart(drawn.bins, {
          ...options,
          max: 1,
          format: value => formatPercent(value).padStart(LABEL_CELLS),
          ...(isOld ? DIM : {levels: UTILIZATION_LEVELS}),
        })
      : mirroredChart(isOld ? {...drawn.up, ...DIM} : drawn.up, isOld ? {...drawn.down, ...DIM} : drawn.down, {
          ...options,
          scale: 'binary',
          format: value => formatBytes(value).replace('.0', '').padStart(LABEL_CELLS),
        });
  return [headLine(chart, place.columns, glyphs), ...plotted];
}

function headLine({title, figures, drawn, isOld}: Chart, columns: number, glyphs: ChartDrawing['glyphs']): Line {
  const name: Span = {text: ` ${title}  `, tone: 'title'};
  const room = columns - widthOf(name.text);
  const legend = drawn.kind === 'share' && drawn.hasLegend && !isOld ? levelLegend(glyphs) : [];
  // A shorter text with the legend says more than a longer one without, except the very shortest.
  const withLegend = figures.slice(0, -1).find(text => widthOf(text) + LEGEND_GAP + lineWidth(legend) <= room);
  const text = withLegend ?? figures.find(each => widthOf(each) <= room) ?? figures.at(-1) ?? '';
  const titleLine: Line = [name, {text, ...(isOld ? DIM : {})}];
  if (legend.length === 0 || withLegend === undefined) return titleLine;
  return [...titleLine, {text: ' '.repeat(room - widthOf(text) - lineWidth(legend))}, ...legend];
}

const LEGEND_GAP = 2;

function levelLegend({states}: ChartDrawing['glyphs']): Line {
  const [busy = '', full = ''] = UTILIZATION_LEVELS.map(({from}) => formatPercent(from));
  return [
    {text: states.shutoff, tone: 'series'},
    {text: ` <${busy} `, tone: 'dim'},
    ...UTILIZATION_LEVELS.flatMap(
      ({tone}, index): Line => [
        {text: states.shutoff, tone},
        {text: index === 0 ? ` <${full} ` : ` ${full}+`, tone: 'dim'},
      ],
    ),
  ];
}

/** The start, the middle and the end of a window, as a chart has them below it. */
export function timesOf({now, windowMs}: {readonly now: EpochMs; readonly windowMs: DurationMs}): readonly string[] {
  const format = windowMs > DAY_MS ? formatUtcDay : formatUtcMinute;
  return [now - windowMs, now - windowMs / 2, now].map(moment => format(epochMs(moment)));
}

function sideBySide(left: readonly Line[], right: readonly Line[], columns: number): readonly Line[] {
  return left.map((line, index) => [...fitLine(line, columns), {text: '  '}, ...(right[index] ?? [])]);
}
