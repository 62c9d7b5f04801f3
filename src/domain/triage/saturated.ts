import {type SafeText, safeText, say} from '../safe-text.ts';
import {binRates, counterRates, type MachineMetrics, type Rates, type RateSample, type Rows} from '../series.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS} from '../time.ts';
import {cpuRates, memoryUtilization, NS_PER_SECOND} from '../utilization.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {
  asOf,
  type RuleFinding,
  heldMs,
  type KnownAccount,
  machineSubject,
  type TriageRule,
  judgeRunning,
} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/**
 * A batch job normally uses all of its CPU, so full CPU has to last long; with full memory, a process is soon killed.
 */
const CPU_LIMIT = {ratio: 0.97, heldMs: 60 * MINUTE_MS};
const MEMORY_LIMIT = {ratio: 0.95, heldMs: 10 * MINUTE_MS};
/** A run whose newest sample is older than this may be over. */
const CURRENT_MS: DurationMs = 15 * MINUTE_MS;

type Level = {readonly at: EpochMs; readonly ratio: number};

/**
 * The interface gives the traffic of a disk or a network, not its capacity. So it is taken to be at its limit if its
 * traffic has been high and constant for an hour, at a level far above any before.
 */
const STREAM_HELD_MS: DurationMs = 60 * MINUTE_MS;
const STREAM_BINS = 12;
const MAX_STREAM_VARIATION = 0.04;
const STREAM_BEFORE_MS: DurationMs = 24 * 60 * MINUTE_MS;
const MIN_BEFORE_BINS = 36;
const MAX_BEFORE_RATIO = 0.6;
const STREAMS = [
  {key: 'networkIn', name: say`inbound network`, leastPerSecond: 100e6},
  {key: 'networkOut', name: say`outbound network`, leastPerSecond: 100e6},
  {key: 'diskRead', name: say`disk reads`, leastPerSecond: 150e6},
  {key: 'diskWrite', name: say`disk writes`, leastPerSecond: 150e6},
] as const;

/** A machine whose CPU, memory, disk or network has been at its limit for a while. */
export const saturated: TriageRule = {
  id: 'saturated',
  looksFor: say`full CPU or memory`,
  needsState: true,
  judge: account =>
    judgeRunning(account, (machine, metrics, readAt) => findingsOf({machine, metrics, readAt}, account)),
};

type Base = Pick<RuleFinding, 'subject' | 'rate' | 'commands'>;
/** When the metrics were read, and the present time. */
type ReadingTime = {readonly readAt: EpochMs; readonly now: EpochMs};

function findingsOf(
  {
    machine,
    metrics,
    readAt,
  }: {readonly machine: VirtualMachine; readonly metrics: MachineMetrics; readonly readAt: EpochMs},
  {rates, now}: KnownAccount,
): readonly RuleFinding[] {
  const at = {readAt, now};
  const rate = rates?.get(machine.id);
  const base: Base = {
    subject: machineSubject(machine),
    ...(rate === undefined ? {} : {rate}),
    commands: [say`skydeck metrics ${machine.id} --duration 1d`],
  };
  return [
    ...memoryFindings(machine, metrics, base, at),
    ...cpuFindings(machine, metrics, base, at),
    ...streamFindings(metrics, base, at),
  ];
}

function memoryFindings(
  machine: VirtualMachine,
  metrics: MachineMetrics,
  base: Base,
  {readAt, now}: ReadingTime,
): readonly RuleFinding[] {
  const memory = memoryUtilization(metrics, machine.flavor?.ramGb);
  const run = runAbove(memory, ({sampledAt, value}) => ({at: sampledAt, ratio: value}), MEMORY_LIMIT, readAt);
  if (run === undefined) return [];
  const held = durationWords(heldMs({since: run.since, readAt, now}));
  return [
    {
      ...base,
      severity: 'warning',
      summary: say`memory nearly full`,
      since: run.since,
      evidence: [say`memory at ${percentWords(run.latest)}, above 95% for ${held}`, ...asOf(readAt, now)],
      chart: 'memory',
      advice: say`Find what uses it before a process is killed, or use a larger flavor.`,
    },
  ];
}

function cpuFindings(
  {flavor}: VirtualMachine,
  metrics: MachineMetrics,
  base: Base,
  {readAt, now}: ReadingTime,
): readonly RuleFinding[] {
  const cpuCount = flavor?.cpuCount ?? 0;
  const cpu = cpuCount > 0 ? cpuRates(metrics, cpuCount) : [];
  const levelOf = ({endedAt, perSecond}: RateSample) => ({at: endedAt, ratio: perSecond / (NS_PER_SECOND * cpuCount)});
  const run = runAbove(cpu, levelOf, CPU_LIMIT, readAt);
  if (run === undefined) return [];
  const held = durationWords(heldMs({since: run.since, readAt, now}));
  return [
    {
      ...base,
      severity: 'notice',
      summary: say`CPU at its limit`,
      since: run.since,
      evidence: [say`CPU at ${percentWords(run.latest)} of all cores, above 97% for ${held}`, ...asOf(readAt, now)],
      chart: 'cpu',
      advice: say`Nothing to do if this is a batch job; otherwise check what runs on it.`,
    },
  ];
}

function streamFindings(metrics: MachineMetrics, base: Base, {readAt, now}: ReadingTime): readonly RuleFinding[] {
  return STREAMS.flatMap(({key, name, leastPerSecond}): readonly RuleFinding[] => {
    const level = streamLevel(counterRates(metrics[key] ?? []), leastPerSecond, readAt);
    if (level === undefined) return [];
    return [
      {
        ...base,
        severity: 'notice',
        summary: say`possible limit: ${name}`,
        since: epochMs(readAt - STREAM_HELD_MS),
        evidence: [
          say`${name} at ${streamWords(level)} for an hour without a change, far above the day before`,
          say`the limit itself is not reported by this API`,
          ...asOf(readAt, now),
        ],
        chart: key,
        advice: say`Check what uses it; a larger flavor or a second machine may have more.`,
      },
    ];
  });
}

/** Whether a rate was ever as great since a moment. */
function wasReached(rates: Rates, leastPerSecond: number, since: number): boolean {
  for (let index = rates.length - 1; index >= 0; index -= 1) {
    const rate = rates.at(index);
    if (rate === undefined || rate.endedAt <= since) return false;
    if (rate.perSecond >= leastPerSecond) return true;
  }
  return false;
}

/** The level of constant traffic in the last hour, if it was never near that level before. */
function streamLevel(rates: Rates, leastPerSecond: number, now: EpochMs): number | undefined {
  // Most machines never have so much traffic.
  if (!wasReached(rates, leastPerSecond, now - STREAM_HELD_MS)) return undefined;
  const bins = (from: number, to: number, count: number) =>
    binRates(rates, {start: epochMs(from), end: epochMs(to), count}).flatMap(bin => bin ?? []);
  const held = bins(now - STREAM_HELD_MS, now, STREAM_BINS);
  const highest = Math.max(...held);
  // The newest bin may still be empty.
  if (held.length < STREAM_BINS - 1 || highest < leastPerSecond) return undefined;
  if (Math.min(...held) < (1 - MAX_STREAM_VARIATION) * highest) return undefined;
  const start = now - STREAM_HELD_MS;
  const before = bins(start - STREAM_BEFORE_MS, start, STREAM_BEFORE_MS / (5 * MINUTE_MS));
  if (before.length < MIN_BEFORE_BINS || Math.max(...before) > MAX_BEFORE_RATIO * highest) return undefined;
  return highest;
}

function streamWords(perSecond: number): SafeText {
  return safeText(perSecond >= 1e9 ? `${(perSecond / 1e9).toFixed(1)} GB/s` : `${Math.round(perSecond / 1e6)} MB/s`);
}

/** The present unbroken run above a limit, if it has lasted long enough. */
function runAbove<Measured>(
  measured: Rows<Measured>,
  levelOf: (measured: Measured) => Level,
  {ratio: limit, heldMs}: {readonly ratio: number; readonly heldMs: DurationMs},
  now: EpochMs,
): {readonly since: EpochMs; readonly latest: number} | undefined {
  const newest = measured.at(-1);
  if (newest === undefined) return undefined;
  const {at, ratio: latest} = levelOf(newest);
  if (latest < limit || now - at > CURRENT_MS) return undefined;
  let since = at;
  for (let index = measured.length - 2; index >= 0; index -= 1) {
    const before = measured.at(index);
    const level = before === undefined ? undefined : levelOf(before);
    if (level === undefined || level.ratio < limit) break;
    since = level.at;
  }
  return now - since >= heldMs ? {since, latest} : undefined;
}
