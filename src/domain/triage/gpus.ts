import {type GpuLoad, type GpuActivity, type GpuState, gpuActivitySince, gpusIdleFor, isOldLoad} from '../gpu-load.ts';
import {hourlyUsd} from '../money.ts';
import {type IdleVerdict, idleVerdict} from '../money/idle.ts';
import {joinSafe, type SafeText, safeText, say} from '../safe-text.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {
  beforeStart,
  type RuleFinding,
  type KnownAccount,
  restartOf,
  machineSubject,
  type TriageRule,
  type Verdict,
  givingBack,
} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

// The service reports nothing about GPUs: these rules use what a Prometheus has from NVIDIA's DCGM exporter. Without
// one they are not judged.

/** A machine whose GPUs are idle, whatever its processors do. */
export const gpuIdle: TriageRule = {
  id: 'gpu-idle',
  isWaste: true,
  needs: 'gpus',
  needsState: true,
  judge: account => judged(account, idleFinding),
};

/** A GPU whose driver reported an error (XID). */
export const gpuError: TriageRule = {
  id: 'gpu-error',
  needs: 'gpus',
  needsState: true,
  judge: account => judged(account, errorFinding),
};

/** A GPU that is slowed by heat or by its power supply. */
export const gpuThrottled: TriageRule = {
  id: 'gpu-throttled',
  needs: 'gpus',
  needsState: true,
  judge: account => judged(account, throttledFinding),
};

/** A GPU whose memory is full. */
export const gpuMemoryFull: TriageRule = {
  id: 'gpu-memory-full',
  needs: 'gpus',
  needsState: true,
  judge: account => judged(account, memoryFinding),
};

type LoadedMachine = {
  readonly machine: VirtualMachine;
  readonly load: GpuLoad;
  /** Since its last start. */
  readonly activity: GpuActivity | undefined;
  readonly startedAt: EpochMs;
  readonly account: KnownAccount;
};

function judged(account: KnownAccount, judge: (known: LoadedMachine) => RuleFinding | undefined): Verdict {
  const {machines, gpusOf, gpuFailure, now} = account;
  if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
  const restarted: VirtualMachine[] = [];
  const findings = machines.flatMap(machine => {
    const gpus = machine.status === 'ACTIVE' ? gpusOf(machine) : undefined;
    if (gpus === undefined || isOldLoad(gpus.load, now)) return [];
    const startedAt = restartOf(machine, account);
    if (gpus.load.sampledAt < startedAt) {
      restarted.push(machine);
      return [];
    }
    const activity = gpus.activity === undefined ? undefined : gpuActivitySince(gpus.activity, startedAt);
    return judge({machine, account, startedAt, load: gpus.load, activity}) ?? [];
  });
  if (gpuFailure !== undefined) return {findings, cannotJudge: say`GPU load was not read: ${gpuFailure}`};
  return restarted.length === 0 ? {findings} : {findings, cannotJudge: beforeStart('GPU load', restarted)};
}

function base({machine, account: {rates}}: LoadedMachine) {
  const rate = rates?.get(machine.id);
  return {subject: machineSubject(machine), ...(rate === undefined ? {} : {rate})};
}

function idleFinding(known: LoadedMachine): RuleFinding | undefined {
  const {machine, load, activity, startedAt, account} = known;
  const {now, preferences, rates, metricsOf, metricsReadAt, runsOf} = account;
  const rate = rates?.get(machine.id);
  const isBilled = rate !== undefined && hourlyUsd(rate) > 0;
  if (!isBilled || activity === undefined) return undefined;
  if (gpusIdleFor(activity, {now, lengthMs: preferences.idle.quietMs}) !== true) return undefined;
  const metrics = metricsOf(machine);
  const verdict =
    metrics === undefined
      ? undefined
      : idleVerdict(metrics, machine.flavor, {
          now: metricsReadAt(machine),
          runs: runsOf(machine),
          gpus: activity,
          startedAt,
          ...preferences.idle,
        });
  // If the whole machine is idle, another rule reports it.
  if (verdict?.verdict === 'idle') return undefined;
  const {words, answer} = givingBack(machine);
  const since = activity.busyAt ?? activity.measuredSince;
  return {
    ...base(known),
    severity: 'warning',
    summary: say`GPUs idle and billed`,
    since,
    evidence: [
      say`${noneWords(load.gpus.length)} worked for ${durationWords(now - since)}, according to DCGM`,
      ...hostEvidence(verdict),
    ],
    chart: 'gpu',
    advice: say`${words}, or use a flavor without GPUs.`,
    ...answer,
  };
}

/** What the rest of the machine does; empty if too little is known. */
function hostEvidence(verdict: IdleVerdict | undefined): readonly SafeText[] {
  if (verdict?.verdict === 'active') return [say`its CPU, disks or network are busy`];
  return verdict?.verdict === 'quiet' ? [say`its CPU, disks and network are nearly idle`] : [];
}

/**
 * Codes of NVIDIA's catalogue that are caused by a program, and those after which a GPU has to be reset or replaced.
 */
const PROGRAM_ERRORS = new Set([13, 31, 43, 45, 68]);
const HARDWARE_ERRORS = new Map<number, SafeText>([
  [48, say`double-bit memory error`],
  [62, say`internal micro-controller halt`],
  [64, say`memory row could not be remapped`],
  [74, say`NVLink error`],
  [79, say`GPU has fallen off the bus`],
  [92, say`high rate of single-bit memory errors`],
  [94, say`contained memory error`],
  [95, say`uncontained memory error`],
  [119, say`GPU system processor timed out`],
  [120, say`GPU system processor error`],
]);

function errorFinding(known: LoadedMachine): RuleFinding | undefined {
  const {machine, load} = known;
  const failed = load.gpus.flatMap(({index, xid}) => (xid === undefined || xid === 0 ? [] : [{index, xid}]));
  if (failed.length === 0) return undefined;
  const isHardware = failed.some(({xid}) => HARDWARE_ERRORS.has(xid));
  const isProgram = failed.every(({xid}) => PROGRAM_ERRORS.has(xid));
  return {
    ...base(known),
    severity: isHardware ? 'critical' : isProgram ? 'notice' : 'warning',
    summary: isHardware ? say`GPU hardware error` : say`GPU error`,
    evidence: failed.map(({index, xid}) => {
      const words =
        HARDWARE_ERRORS.get(xid) ?? (PROGRAM_ERRORS.has(xid) ? say`usually caused by a program` : undefined);
      return say`the last error of GPU ${index} is XID ${xid}${words === undefined ? say`` : say`: ${words}`}`;
    }),
    chart: 'gpu',
    advice: isProgram
      ? say`Check what ran on it: such an error usually comes from a program, not from the GPU.`
      : say`Move its work away, reboot it, and tell the provider if the error comes back.`,
    commands: [say`skydeck ssh ${machine.id} -- nvidia-smi -q`, say`skydeck vm hard-reboot ${machine.id}`],
  };
}

function throttledFinding(known: LoadedMachine): RuleFinding | undefined {
  const slowed = known.load.gpus.filter(({isThrottled}) => isThrottled);
  if (slowed.length === 0) return undefined;
  return {
    ...base(known),
    severity: 'warning',
    summary: say`GPU slowed by heat or power`,
    evidence: [say`the clock of ${numberWords(slowed)} has been lowered for at least five minutes${hottest(slowed)}`],
    chart: 'gpu',
    advice: say`Ask the provider about the cooling and power of its host. Work on it takes longer meanwhile.`,
    commands: [say`skydeck ssh ${known.machine.id} -- nvidia-smi -q -d PERFORMANCE,TEMPERATURE`],
  };
}

function hottest(gpus: readonly GpuState[]): SafeText {
  const degrees = gpus.flatMap(({celsius}) => celsius ?? []);
  return degrees.length === 0 ? say`` : say`, at ${Math.max(...degrees)} \u00b0C`;
}

/** Programs that reserve memory at their start take nine tenths of it; above this share the next allocation fails. */
const FULL_RATIO = 0.98;
const FULL_FOR_MS: DurationMs = 10 * MINUTE_MS;

function memoryFinding(known: LoadedMachine): RuleFinding | undefined {
  const {load, startedAt, account} = known;
  const series = [...(load.history.memory ?? [])].filter(({sampledAt}) => sampledAt >= startedAt);
  const newest = series.at(-1);
  if (newest === undefined || newest.value < FULL_RATIO) return undefined;
  let since = newest.sampledAt;
  for (let index = series.length - 2; index >= 0; index -= 1) {
    const sample = series.at(index);
    if (sample === undefined || sample.value < FULL_RATIO) break;
    since = sample.sampledAt;
  }
  if (account.now - since < FULL_FOR_MS) return undefined;
  return {
    ...base(known),
    severity: 'notice',
    summary: say`GPU memory nearly full`,
    since: epochMs(since),
    evidence: [
      say`the fullest of its GPUs is at ${percentWords(newest.value)}, above 98% for ${durationWords(account.now - since)}`,
    ],
    chart: 'gpuMemory',
    advice: say`Nothing to do if a program keeps all of it on purpose; otherwise the next allocation fails.`,
    commands: [say`skydeck ssh ${known.machine.id} -- nvidia-smi`],
  };
}

function noneWords(count: number): SafeText {
  return count === 1 ? say`its GPU has not` : say`none of its ${count} GPUs has`;
}

function numberWords(gpus: readonly GpuState[]): SafeText {
  return say`GPU ${joinSafe(
    gpus.map(({index}) => safeText(String(index))),
    ', ',
  )}`;
}
