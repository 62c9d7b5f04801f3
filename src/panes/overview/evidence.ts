import {burnBins} from '../../domain/money/burn-history.ts';
import {gpuTrend} from '../../domain/gpu-load.ts';
import {presentGpuLoads} from '../../state/gpu-load.ts';
import {DAY_MS, type DurationMs, HOUR_MS} from '../../domain/time.ts';
import type {EvidenceChart, Finding} from '../../domain/triage/finding.ts';
import {machineTrend} from '../../domain/utilization.ts';
import {awaitedText} from '../../resources/detail.ts';
import {areBillsAwaited} from '../../state/billing.ts';
import {observedMachines} from '../../state/machines.ts';
import {presentBurnHistory} from '../../state/timeline.ts';
import {knownMetrics} from '../../state/triage.ts';
import {axisChart, chartSummary} from '../../ui/chart.ts';
import {formatBytesPerSecond, formatDollarTick, formatPercent} from '../../ui/format.ts';
import {type Bins, isPresent, sparkline} from '../../ui/sparkline.ts';
import type {Line} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import {timesOf} from '../machine-charts.ts';
import type {Scene} from '../pane.ts';

/** A step is visible against a day; a burn rate that rose earlier is shown with the time before it. */
export const EVIDENCE_WINDOW_MS: DurationMs = DAY_MS;
const BEFORE_RATIO = 1.5;
/** The words take one line, and the dots need three. */
const MIN_CHART_ROWS = 4;
const MAX_CHART_ROWS = 7;
/** From this height on, a chart has its times below the dots. */
const TIMED_FROM_ROWS = 5;

type EvidenceDrawing = {
  readonly name: string;
  /** `peak` is the highest value: a bin is an average over its time. */
  readonly trendOf: (count: number) => {
    readonly bins: Bins;
    readonly latest: number | undefined;
    readonly peak: number | undefined;
  };
  readonly format: (value: number) => string;
  readonly windowMs: DurationMs;
  /** The value at full height; the largest value if absent. */
  readonly max?: number;
  readonly tone?: Tone;
  /** Bills that it should show are still to come, so it is an estimate. */
  readonly areBillsAwaited?: boolean;
};

/** What proves a finding, in at most `rows` lines: a chart with an axis, or a row of bars if there is less room. */
export function evidenceLines(
  finding: Finding,
  scene: Scene,
  {width, rows}: {readonly width: number; readonly rows: number},
): readonly Line[] {
  const drawn = rows < 1 ? undefined : drawnOf(finding, scene);
  return drawn === undefined ? [] : drawnLines(drawn, scene, {width, rows});
}

/** The burn rate of the last day, in as many lines as a finding gets. */
export function burnLines(scene: Scene, room: {readonly width: number; readonly rows: number}): readonly Line[] {
  const drawn = room.rows < MIN_CHART_ROWS ? undefined : burnOf({}, scene);
  return drawn === undefined ? [] : drawnLines(drawn, scene, room);
}

function drawnLines(
  drawn: EvidenceDrawing,
  scene: Scene,
  {width, rows}: {readonly width: number; readonly rows: number},
): readonly Line[] {
  const {glyphs} = scene.theme;
  const {name, trendOf, windowMs, areBillsAwaited = false, ...options} = drawn;
  const title = `${name} ${Math.round(windowMs / HOUR_MS)}h`;
  if (rows < MIN_CHART_ROWS) return [sparkLine(areBillsAwaited ? `${title} ~` : title, drawn, scene, width)];
  const {bins, latest, peak} = trendOf(Math.max(1, width - AXIS_CELLS) * (glyphs.charts === 'braille' ? 2 : 1));
  if (!bins.some(isPresent)) return [];
  const height = Math.min(rows, MAX_CHART_ROWS) - 1;
  const summary = areBillsAwaited
    ? awaitedText(scene, 'bills')
    : chartSummary(bins, options.format, {last: latest, peak});
  return [
    [{text: wholeParts(`${title}  ${summary}`, width), tone: 'dim'}],
    ...axisChart(bins, {
      ...options,
      width,
      height,
      glyphs,
      isArea: true,
      ...(height < TIMED_FROM_ROWS ? {} : {times: timesOf({now: scene.now, windowMs})}),
    }),
  ];
}

/** As many of the parts, separated by two blanks, as fit. */
function wholeParts(words: string, width: number): string {
  const parts = words.split('  ');
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ');
}

/** About the width of an axis with its figures, and of the present value beside a row of bars. */
const AXIS_CELLS = 6;
const VALUE_CELLS = 10;

function sparkLine(
  title: string,
  {trendOf, format, max, tone}: EvidenceDrawing,
  {theme: {glyphs}}: Scene,
  width: number,
): Line {
  const {bins, latest} = trendOf(Math.max(1, width - title.length - VALUE_CELLS));
  const options = {width: bins.length, glyphs, min: 0, ...(max === undefined ? {} : {max})};
  return [
    {text: `${title} `, tone: 'dim'},
    ...sparkline(bins, tone === undefined ? options : {...options, tone}),
    {text: latest === undefined ? '' : ` ${format(latest)}`},
  ];
}

function drawnOf(finding: Finding, scene: Scene): EvidenceDrawing | undefined {
  // A finding about a machine without a chart of its own shows the CPU: activity helps to judge any trouble.
  const chart = finding.chart ?? (finding.subject.type === 'vm' ? 'cpu' : undefined);
  if (chart === undefined) return undefined;
  if (chart === 'burn') return burnOf(finding, scene);
  return chart === 'gpu' || chart === 'gpuMemory' ? gpusOf(chart, finding, scene) : readingsOf(chart, finding, scene);
}

function burnOf({since}: Pick<Finding, 'since'>, scene: Scene): EvidenceDrawing | undefined {
  const {now} = scene;
  const history = presentBurnHistory(scene);
  if (history === undefined) return undefined;
  const windowMs = Math.max(EVIDENCE_WINDOW_MS, since === undefined ? 0 : BEFORE_RATIO * (now - since));
  const peak = history.highestWithin(now - windowMs, now) * HOUR_MS;
  const trendOf = (count: number) => {
    const bins = burnBins(history, {now, windowMs, count});
    // The newest bin shows the present value.
    return {bins, latest: bins.findLast(isPresent), peak};
  };
  return {
    name: 'burn $/h',
    trendOf,
    format: formatDollarTick,
    windowMs,
    tone: 'money',
    // The overview reads no bills of earlier days.
    areBillsAwaited: areBillsAwaited(scene, EVIDENCE_WINDOW_MS),
  };
}

function gpusOf(chart: 'gpu' | 'gpuMemory', {subject}: Finding, {store, now}: Scene): EvidenceDrawing | undefined {
  const machine = observedMachines(store)?.find(({id}) => subject.type === 'vm' && id === subject.id);
  const load = machine === undefined ? undefined : presentGpuLoads(store)?.get(machine.id);
  if (load === undefined) return undefined;
  const measure = chart === 'gpu' ? 'utilization' : 'memory';
  const trendOf = (binCount: number) => gpuTrend(load, measure, {now, windowMs: HOUR_MS, binCount});
  const name = chart === 'gpu' ? 'GPU load' : 'GPU memory';
  return {name, trendOf, format: formatPercent, windowMs: HOUR_MS, max: 1};
}

const NAMES: Readonly<Record<Exclude<EvidenceChart, 'burn' | 'gpu' | 'gpuMemory'>, string>> = {
  cpu: 'CPU',
  memory: 'memory',
  networkIn: 'network in',
  networkOut: 'network out',
  diskRead: 'disk reads',
  diskWrite: 'disk writes',
};

function readingsOf(chart: keyof typeof NAMES, {subject}: Finding, scene: Scene): EvidenceDrawing | undefined {
  const machine = observedMachines(scene.store)?.find(({id}) => subject.type === 'vm' && id === subject.id);
  const metrics = machine === undefined ? undefined : knownMetrics(machine, scene);
  if (machine === undefined || metrics === undefined) return undefined;
  const isRatio = chart === 'cpu' || chart === 'memory';
  const trendOf = (binCount: number) =>
    machineTrend(metrics, machine.flavor, {
      signal: chart,
      now: scene.now,
      windowMs: EVIDENCE_WINDOW_MS,
      binCount,
    });
  const format = isRatio ? formatPercent : formatBytesPerSecond;
  return {name: NAMES[chart], trendOf, format, windowMs: EVIDENCE_WINDOW_MS, ...(isRatio ? {max: 1} : {})};
}
