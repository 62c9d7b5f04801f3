import {offsetTimestamp} from '../http/timestamps.ts';
import {unit} from './random.ts';
import {emptyLoad, type Host, type Load, loadDuring, SLOT_MS, type WorkloadPlan} from './workload.ts';

/** One boot of a machine. Counters start at zero with it. */
export type Boot = {
  readonly bootedAt: number;
  endedAt: number | null;
  readonly hasPublicIp: boolean;
};

/** Totals since boot at the start of a slot: seconds of CPU time, and bytes. */
type Checkpoint = {readonly slot: number; readonly totals: Readonly<Totals>};

/** What is needed to answer for one machine; `boots` oldest first. */
export type MetricSource = {
  readonly seed: number;
  readonly plan: WorkloadPlan;
  readonly cpuCount: number;
  readonly gpuCount: number;
  readonly ramGb: number;
  readonly createdAt: number;
  readonly boots: readonly Boot[];
  /** The beginning of the record: earlier work is in the counters but in no row. */
  readonly recordedSince: number;
};

/** The requested moments: samples from `from`, none after `until`. */
export type MetricWindow = {readonly from: number; readonly until: number; readonly now: number};

type MetricRow = readonly [time: string, granularity: number, value: number];
type MetricSeries = {readonly unit: string; readonly columns: readonly string[]; readonly data: MetricRow[]};
export type MetricAnswer = Readonly<Record<MetricName, MetricSeries>>;
type MetricName = 'cpu' | 'memory.usages' | 'network.in' | 'network.out' | 'disk.read' | 'disk.write';

/** The values `duration` may take, in milliseconds. */
export const DURATIONS: ReadonlyMap<string, number> = new Map(
  [1, 2, 4, 6, 12]
    .map((hours): [string, number] => [`${hours}h`, hours * 3_600_000])
    .concat([1, 3, 7, 15, 30].map((days): [string, number] => [`${days}d`, days * 86_400_000])),
);

/** How long samples are kept: the longest duration that can be requested, plus a day. */
export const RETENTION_MS = 31 * 86_400_000;
const COARSE_S = SLOT_MS / 1000;
// The documents show samples of 300 seconds, and in one example of 60.
const FINE_MS = 60_000;
const FINE_WINDOW_MS = 15 * 60_000;
const STEPS_PER_SLOT = SLOT_MS / FINE_MS;
const SLOTS_PER_DAY = 288;
/** A younger machine has no samples yet. */
const YOUNG_MS = 10 * 60_000;
const MIB_PER_GB = 1024;
const NS_PER_S = 1e9;
/** The days whose mean stands for the work done before the record began. */
const REFERENCE_DAYS = 2;
/** Separates the noise inside a slot from that of the workload. */
const STEP_NOISE = 0x5bd1;
const MAX_KNOWN_BOOTS = 20_000;
const MEMORY_NOISE = 0x3c6e;

export function metricAnswer(source: MetricSource, window: MetricWindow): MetricAnswer {
  const answer = emptyAnswer();
  if (window.now - source.createdAt < YOUNG_MS) return answer;
  for (const boot of source.boots) {
    const until = Math.min(boot.endedAt ?? window.until, window.until);
    if (until < window.from || boot.bootedAt > until) continue;
    appendBoot(answer, source, boot, {...window, until});
  }
  return answer;
}

type Totals = {cpuS: number; networkIn: number; networkOut: number; diskRead: number; diskWrite: number};

/** Walks forward through one boot, slot by slot; the totals are those at the start of the slot. */
type Walk = {
  readonly source: MetricSource;
  readonly host: Host;
  readonly checkpoints: Checkpoint[];
  slot: number;
  readonly totals: Totals;
  readonly load: Load;
  /** How the work is spread over the slot; computed once a moment inside it is requested. */
  spread: Spread | undefined;
};

/** The cumulative weight before each step of a slot; the last is that of the whole slot. */
type Spread = {readonly slot: number; readonly before: Float64Array};

function appendBoot(answer: MetricAnswer, source: MetricSource, boot: Boot, window: MetricWindow): void {
  const fineFrom = window.now - FINE_WINDOW_MS;
  const from = Math.max(window.from, boot.bootedAt, source.recordedSince);
  const walk = walkNear(from, source, boot);
  for (let at = ceilTo(from, SLOT_MS); at <= Math.min(window.until, fineFrom - 1); at += SLOT_MS) {
    forwardTo(walk, at);
    appendRow(answer, walk, at, COARSE_S);
  }
  for (let at = ceilTo(Math.max(from, fineFrom), FINE_MS); at <= window.until; at += FINE_MS) {
    forwardTo(walk, at);
    appendRow(answer, walk, at, FINE_MS / 1000);
  }
}

/** A walk positioned at or before a moment: at the nearest checkpoint, or else at the boot. */
function walkNear(from: number, source: MetricSource, boot: Boot): Walk {
  const host: Host = {...source, hasPublicIp: boot.hasPublicIp, bootedAt: boot.bootedAt};
  const fromSlot = Math.floor(from / SLOT_MS);
  const checkpoints = checkpointsOf(source, boot);
  const checkpoint = checkpoints.findLast(({slot}) => slot <= fromSlot);
  const isOlderThanRecord = boot.bootedAt < source.recordedSince;
  const start = isOlderThanRecord ? source.recordedSince : boot.bootedAt;
  const slot = checkpoint?.slot ?? Math.floor(start / SLOT_MS);
  const totals = {...(checkpoint?.totals ?? zeroTotals())};
  const walk: Walk = {source, host, checkpoints, slot, totals, load: emptyLoad(), spread: undefined};
  loadDuring(source.plan, host, slot, walk.load);
  if (checkpoint !== undefined) return walk;
  if (isOlderThanRecord) addEstimate(walk);
  // What the slot would have done before the boot is subtracted, so that totals are zero at the boot itself.
  else addLoad(totals, walk.load, -COARSE_S * partOfSlot(walk, start));
  return walk;
}

/**
 * Totals at the starts of days, ascending, so that an hour's chart need not walk through a month. They depend only on
 * these values, so worlds that begin alike, as in most tests, compute the same month only once.
 */
function checkpointsOf({plan, seed, cpuCount, gpuCount, recordedSince}: MetricSource, boot: Boot): Checkpoint[] {
  const key = JSON.stringify([plan, seed, cpuCount, gpuCount, recordedSince, boot.bootedAt, boot.hasPublicIp]);
  const known = knownCheckpoints.get(key) ?? [];
  if (knownCheckpoints.size >= MAX_KNOWN_BOOTS) knownCheckpoints.clear();
  knownCheckpoints.set(key, known);
  return known;
}

const knownCheckpoints = new Map<string, Checkpoint[]>();

// The work between a boot and the beginning of the record: the mean of the first recorded days, times the duration.
function addEstimate({source, host, slot, totals}: Walk): void {
  const load = emptyLoad();
  const slotCount = REFERENCE_DAYS * SLOTS_PER_DAY;
  const secondsPerSlot = (source.recordedSince - host.bootedAt) / 1000 / slotCount;
  for (let index = 0; index < slotCount; index += 1) {
    loadDuring(source.plan, host, slot + index, load);
    addLoad(totals, load, secondsPerSlot);
  }
}

function forwardTo(walk: Walk, at: number): void {
  const targetSlot = Math.floor(at / SLOT_MS);
  while (walk.slot < targetSlot) {
    addLoad(walk.totals, walk.load, COARSE_S);
    walk.slot += 1;
    loadDuring(walk.source.plan, walk.host, walk.slot, walk.load);
    if (walk.slot % SLOTS_PER_DAY === 0 && (walk.checkpoints.at(-1)?.slot ?? 0) < walk.slot) {
      walk.checkpoints.push({slot: walk.slot, totals: {...walk.totals}});
    }
  }
}

function appendRow(answer: MetricAnswer, walk: Walk, at: number, granularityS: number): void {
  const time = offsetTimestamp(at);
  const seconds = COARSE_S * partOfSlot(walk, at);
  const {totals, load} = walk;
  const append = (name: MetricName, value: number) => answer[name].data.push([time, granularityS, value]);
  append('cpu', Math.round((totals.cpuS + load.cores * seconds) * NS_PER_S));
  append('memory.usages', usedMib(walk, at));
  append('network.in', Math.round(totals.networkIn + load.networkIn * seconds));
  append('network.out', Math.round(totals.networkOut + load.networkOut * seconds));
  append('disk.read', Math.round(totals.diskRead + load.diskRead * seconds));
  append('disk.write', Math.round(totals.diskWrite + load.diskWrite * seconds));
}

// The share of the slot's work done by a moment inside it. The steps differ, since otherwise every chart of recent
// minutes would be a straight line; together they always make the whole.
function partOfSlot(walk: Walk, at: number): number {
  const into = (at - walk.slot * SLOT_MS) / FINE_MS;
  if (into <= 0) return 0;
  if (walk.spread?.slot !== walk.slot) walk.spread = spreadOf(walk);
  const {before} = walk.spread;
  const step = Math.min(Math.floor(into), STEPS_PER_SLOT);
  const start = before[step] ?? 0;
  const end = before[step + 1] ?? start;
  return (start + (end - start) * (into - step)) / (before[STEPS_PER_SLOT] ?? 1);
}

function spreadOf({host, slot, load}: Walk): Spread {
  const before = new Float64Array(STEPS_PER_SLOT + 1);
  for (let step = 0; step < STEPS_PER_SLOT; step += 1) {
    const weight = 1 + load.sway * (2 * unit(host.seed ^ STEP_NOISE, slot, step) - 1);
    before[step + 1] = (before[step] ?? 0) + weight;
  }
  return {slot, before};
}

function usedMib({source, host, load}: Walk, at: number): number {
  const variation = 0.004 * (unit(host.seed ^ MEMORY_NOISE, Math.floor(at / FINE_MS)) - 0.5);
  const ratio = Math.min(1, Math.max(0.005, load.memoryRatio + variation));
  return Math.round(ratio * source.ramGb * MIB_PER_GB * 100) / 100;
}

function addLoad(totals: Totals, load: Load, seconds: number): void {
  totals.cpuS += load.cores * seconds;
  totals.networkIn += load.networkIn * seconds;
  totals.networkOut += load.networkOut * seconds;
  totals.diskRead += load.diskRead * seconds;
  totals.diskWrite += load.diskWrite * seconds;
}

function zeroTotals(): Totals {
  return {cpuS: 0, networkIn: 0, networkOut: 0, diskRead: 0, diskWrite: 0};
}

function emptyAnswer(): MetricAnswer {
  return {
    cpu: emptySeries('ns'),
    'memory.usages': emptySeries('MB'),
    'network.in': emptySeries('B'),
    'network.out': emptySeries('B'),
    'disk.read': emptySeries('B'),
    'disk.write': emptySeries('B'),
  };
}

function emptySeries(unitName: string): MetricSeries {
  return {unit: unitName, columns: ['time', 'granularity', 'value'], data: []};
}

function ceilTo(at: number, step: number): number {
  return Math.ceil(at / step) * step;
}
