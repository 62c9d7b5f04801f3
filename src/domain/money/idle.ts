import {type GpuActivity, gpuActivitySince, gpusIdleFor} from '../gpu-load.ts';
import {memoPer} from '../memo.ts';
import {counterRates, type MachineMetrics, packedRates, percentile, type Rates} from '../series.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS, WEEK_MS} from '../time.ts';
import {
  type ActivityLimits,
  activityLimits,
  cpuRates,
  capacityOf,
  machineWork,
  memoryUtilization,
  NS_PER_SECOND,
} from '../utilization.ts';
import type {MachineFlavor} from '../virtual-machine.ts';

export type Confidence = 'high' | 'medium' | 'low';

/**
 * Whether a machine is working, judged from its host: the interface does not report GPU load, so `idle` means no
 * activity besides it, unless DCGM reports the GPUs too.
 */
export type IdleVerdict =
  | {
      readonly verdict: 'idle';
      readonly rule: 'long' | 'went-quiet';
      readonly since: EpochMs;
      readonly confidence: Confidence;
      readonly activeRatio: number;
      /** The GPUs were idle as well, according to DCGM. */
      readonly areGpusIdle: boolean;
    }
  /** Quiet for a day, and perhaps every week at this time: shown, but not counted as waste. */
  | {
      readonly verdict: 'quiet';
      readonly since: EpochMs;
      readonly activeRatio: number;
      /** Enough was measured to rule out that it is idle; otherwise it may be. */
      readonly isLongMeasured: boolean;
    }
  | {readonly verdict: 'active'}
  /** Too young, or too little was measured. */
  | {readonly verdict: 'unknown'};

/** How long a machine must be quiet: `idleMs` to count as idle, `quietMs` to be mentioned. */
export type IdleWindows = {readonly idleMs: DurationMs; readonly quietMs: DurationMs};

const MAX_ACTIVE_RATIO = 0.05;
/** Half an hour of activity is work; cron jobs and updates are shorter. */
const WORK_MS = 30 * MINUTE_MS;
const MIN_MEASURED_RATIO = 0.8;
const GOOD_MEASURED_RATIO = 0.95;
/** With this many active samples at the end, a machine is working again. */
const BACK_SAMPLES = 2;
const EMPTY_MEMORY_RATIO = 0.1;
const LOADED_MEMORY_RATIO = 0.5;
const MIN_SERVING_RATIO = 0.01;

/** A stretch between readings, or several adjacent ones that are alike. */
export type Activity = {readonly startedAt: number; readonly endedAt: number; readonly isActive: boolean};

/**
 * The verdict over two windows of at least eight days: long idle, or quiet now but working a week ago. `runs` is what
 * was learnt about the time before these metrics. The time before `startedAt`, the machine's last start, can make it
 * active, but not idle.
 */
export function idleVerdict(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  {
    now,
    idleMs,
    quietMs,
    runs = [],
    gpus: measuredGpus,
    startedAt = epochMs(0),
  }: IdleWindows & {
    readonly now: EpochMs;
    readonly runs?: readonly Activity[];
    readonly gpus?: GpuActivity | undefined;
    readonly startedAt?: EpochMs;
  },
): IdleVerdict {
  const gpus = measuredGpus === undefined ? undefined : gpuActivitySince(measuredGpus, startedAt);
  // A job may keep a GPU busy while its host waits for it, doing nothing.
  if (gpusIdleFor(gpus, {now, lengthMs: quietMs}) === false) return {verdict: 'active'};
  const limits = activityLimits(flavor);
  const all = limits === undefined ? [] : afterRuns(runs, activityOf(metrics, flavor, limits));
  const day = windowOf(all, now - quietMs, now);
  if (day.measuredRatio < MIN_MEASURED_RATIO) return {verdict: 'unknown'};
  if (!isIdle(day) || isBack(all)) return {verdict: 'active'};
  const activity = activitySince(all, startedAt);
  const recent = windowOf(activity, now - quietMs, now);
  if (recent.measuredRatio < MIN_MEASURED_RATIO) return {verdict: 'unknown'};
  const since = quietSince(activity);
  const long = windowOf(activity, now - idleMs, now);
  const weekAgo = windowOf(activity, now - WEEK_MS - quietMs, now - WEEK_MS);
  const isLongMeasured = long.measuredRatio >= MIN_MEASURED_RATIO;
  const isLong = isLongMeasured && isIdle(long);
  const wentQuiet = weekAgo.measuredRatio >= MIN_MEASURED_RATIO && !isIdle(weekAgo);
  const memory = memoryRatios(metrics, flavor, Math.max(startedAt, now - quietMs));
  // A program that is loaded may answer now and then, as rare inference does, unless the GPUs are known to be idle.
  const areGpusIdle = gpusIdleFor(gpus, {now, lengthMs: isLong ? idleMs : quietMs}) === true;
  const mayServe = recent.activeRatio >= MIN_SERVING_RATIO && isLoaded(memory) && !areGpusIdle;
  if (mayServe || (!isLong && !wentQuiet)) {
    return {verdict: 'quiet', since, activeRatio: recent.activeRatio, isLongMeasured};
  }
  const base: Confidence = isLong && long.measuredRatio >= GOOD_MEASURED_RATIO ? 'high' : 'medium';
  return {
    verdict: 'idle',
    rule: isLong ? 'long' : 'went-quiet',
    since,
    confidence: areGpusIdle ? 'high' : withMemory(base, memory),
    activeRatio: (isLong ? long : recent).activeRatio,
    areGpusIdle,
  };
}

/**
 * Whether a machine may be idle although too little was measured to say so. A machine younger than the limit is not.
 */
export function mayBeIdle(
  verdict: IdleVerdict | undefined,
  {
    createdAt,
    now,
    idleMs,
  }: {readonly createdAt: EpochMs | undefined; readonly now: EpochMs; readonly idleMs: DurationMs},
): boolean {
  if (createdAt !== undefined && now - createdAt < idleMs) return false;
  const isKnown = verdict?.verdict === 'quiet' ? verdict.isLongMeasured : verdict?.verdict !== 'unknown';
  return verdict === undefined || !isKnown;
}

/** Since when a machine has been inactive; `isAtLeast` if nothing further back is known. */
export type QuietTime = {readonly since: EpochMs; readonly isAtLeast: boolean};

/**
 * For a machine judged idle or quiet: since when, ignoring cron jobs. For others: their last activity, in these metrics
 * and in what was learnt before. Undefined for a machine that is working now.
 */
export function quietTime(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  {
    now,
    runs,
    idleSince,
  }: {readonly now: EpochMs; readonly runs: readonly Activity[]; readonly idleSince?: EpochMs | undefined},
): QuietTime | undefined {
  if (activityLimits(flavor) === undefined) return undefined;
  const start = cpuRates(metrics, flavor?.cpuCount).at(0)?.startedAt ?? now;
  if (idleSince !== undefined) {
    const [oldest] = runs;
    return {since: idleSince, isAtLeast: idleSince <= Math.min(oldest?.startedAt ?? start, start)};
  }
  const {quietSince: lastActive} = machineWork(metrics, flavor, now);
  if (lastActive === undefined) return undefined;
  if (lastActive - start > MAX_STEP_MS) return {since: lastActive, isAtLeast: false};
  let since = start;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined || run.startedAt >= start) continue;
    if (since - run.endedAt > WORK_MS) break;
    if (run.isActive && run.endedAt - run.startedAt >= MINUTE_MS) return {since, isAtLeast: false};
    since = epochMs(run.startedAt);
  }
  return {since, isAtLeast: true};
}

/** The documented time between two samples: a series starts at most this much later than another. */
const MAX_STEP_MS = 5 * MINUTE_MS;

/** What these metrics add to what was learnt before, in as few stretches as possible. */
export function learntActivity(
  runs: readonly Activity[],
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  since: number,
): readonly Activity[] {
  const limits = activityLimits(flavor);
  const all = limits === undefined ? runs : afterRuns(runs, activityOf(metrics, flavor, limits));
  const joined: {startedAt: number; endedAt: number; isActive: boolean}[] = [];
  for (const {startedAt, endedAt, isActive} of all) {
    if (endedAt <= since) continue;
    const last = joined.at(-1);
    if (last !== undefined && last.endedAt === startedAt && last.isActive === isActive) last.endedAt = endedAt;
    else joined.push({startedAt, endedAt, isActive});
  }
  return joined;
}

/** The runs known before, up to where the newer ones begin. */
function afterRuns(runs: readonly Activity[], newer: readonly Activity[]): readonly Activity[] {
  const start = newer[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  const before = runs
    .filter(run => run.startedAt < start)
    .map(run => (run.endedAt > start ? {...run, endedAt: start} : run));
  return [...before, ...newer];
}

function activitySince(activity: readonly Activity[], since: number): readonly Activity[] {
  const [first] = activity;
  if (first === undefined || first.startedAt >= since) return activity;
  return activity
    .filter(({endedAt}) => endedAt > since)
    .map(each => (each.startedAt < since ? {...each, startedAt: since} : each));
}

/** One byte per stretch: 1 is active. */
const flagsOnce = memoPer<MachineMetrics, Uint8Array>();

/** Each stretch between two readings of the CPU counter, and whether anything in it exceeded its limit. */
function activityOf(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  limits: ActivityLimits,
): readonly Activity[] {
  const cpu = cpuRates(metrics, flavor?.cpuCount);
  const flags = flagsOnce(metrics, capacityOf(flavor), () => flagsOf(cpu, metrics, limits));
  return Array.from(cpu, ({startedAt, endedAt}, index) => ({startedAt, endedAt, isActive: flags[index] === 1}));
}

function flagsOf(cpu: Rates, metrics: MachineMetrics, limits: ActivityLimits): Uint8Array {
  const others = [
    above(counterRates(metrics.networkOut ?? []), limits.networkOutBytesPerSecond),
    above(counterRates(metrics.diskRead ?? []), limits.diskReadBytesPerSecond),
    above(counterRates(metrics.diskWrite ?? []), limits.diskWriteBytesPerSecond),
  ];
  const packed = packedRates(cpu);
  return Uint8Array.from({length: packed.length}, (_, index) => {
    const from = packed.startAt(index);
    const to = packed.endAt(index);
    return packed.perSecondAt(index) > limits.cores * NS_PER_SECOND || others.some(other => other(from, to)) ? 1 : 0;
  });
}

/** Whether any of these rates exceeds a limit within a stretch; to be called in ascending order. */
function above(rates: Rates, limit: number): (from: number, to: number) => boolean {
  const packed = packedRates(rates);
  let index = 0;
  return (from, to) => {
    while (index < packed.length && (packed.endAt(index) <= from || packed.perSecondAt(index) <= limit)) index += 1;
    return index < packed.length && packed.startAt(index) < to;
  };
}

type ActivityWindow = {readonly measuredRatio: number; readonly activeRatio: number; readonly longestMs: DurationMs};

function windowOf(activity: readonly Activity[], start: number, end: number): ActivityWindow {
  let [measuredMs, activeMs, longestMs, runMs, runEnd] = [0, 0, 0, 0, Number.NaN];
  for (const {startedAt, endedAt, isActive} of activity) {
    const from = Math.max(start, startedAt);
    const to = Math.min(end, endedAt);
    if (from >= to) continue;
    measuredMs += to - from;
    if (!isActive) continue;
    activeMs += to - from;
    runMs = runEnd === from ? runMs + (to - from) : to - from;
    runEnd = to;
    longestMs = Math.max(longestMs, runMs);
  }
  return {
    measuredRatio: measuredMs / (end - start),
    activeRatio: measuredMs > 0 ? activeMs / measuredMs : 0,
    longestMs,
  };
}

function isIdle({activeRatio, longestMs}: ActivityWindow): boolean {
  return activeRatio < MAX_ACTIVE_RATIO && longestMs < WORK_MS;
}

function isBack(activity: readonly Activity[]): boolean {
  return activity.length >= BACK_SAMPLES && activity.slice(-BACK_SAMPLES).every(({isActive}) => isActive);
}

/** The end of the last run of work; the first sample if there was none. */
function quietSince(activity: readonly Activity[]): EpochMs {
  let [since, runStart, runEnd] = [activity[0]?.startedAt ?? 0, Number.NaN, Number.NaN];
  for (const {startedAt, endedAt, isActive} of activity) {
    if (!isActive) continue;
    if (runEnd !== startedAt) runStart = startedAt;
    runEnd = endedAt;
    if (runEnd - runStart >= WORK_MS) since = runEnd;
  }
  return epochMs(since);
}

const LEVELS: readonly Confidence[] = ['low', 'medium', 'high'];

/** Memory near its base value means that nothing is loaded; full memory means that something may be serving. */
function withMemory(confidence: Confidence, ratios: readonly number[]): Confidence {
  const high = percentile(ratios, 0.95);
  const isEmpty = high !== undefined && high < EMPTY_MEMORY_RATIO;
  const change = isEmpty ? 1 : isLoaded(ratios) ? -1 : 0;
  return LEVELS[Math.min(LEVELS.length - 1, Math.max(0, LEVELS.indexOf(confidence) + change))] ?? confidence;
}

function isLoaded(ratios: readonly number[]): boolean {
  return (percentile(ratios, 0.5) ?? 0) > LOADED_MEMORY_RATIO;
}

function memoryRatios(metrics: MachineMetrics, flavor: MachineFlavor | undefined, since: number): readonly number[] {
  const ratios = [...memoryUtilization(metrics, flavor?.ramGb)];
  return ratios.flatMap(({sampledAt, value}) => (sampledAt >= since ? [value] : []));
}
