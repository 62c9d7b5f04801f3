import {BUSY_FROM_RATIO, gpuFigures, isOldLoad} from '../gpu-load.ts';
import {say} from '../safe-text.ts';
import {counterRates, type MachineMetrics, type RateSample} from '../series.ts';
import {type EpochMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import {activityLimits, machineWork, NS_PER_SECOND} from '../utilization.ts';
import type {MachineFlavor, VirtualMachine} from '../virtual-machine.ts';
import {
  asOf,
  givingBack,
  heldMs,
  type KnownAccount,
  machineSubject,
  restartOf,
  type TriageRule,
  judgeRunning,
} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/** A shorter silence is usual between jobs. After a day the machine is idle, which is another rule. */
const MIN_SILENCE_MS = 30 * MINUTE_MS;
const MAX_SILENCE_MS = 24 * HOUR_MS;
/**
 * The window before the silence, the share of it that must have been measured, and the share of those samples that must
 * show work.
 */
const PAST_MS = 20 * HOUR_MS;
const MIN_MEASURED_MS = 6 * HOUR_MS;
const MIN_WORK_RATIO = 0.9;

/** A machine that worked without a break for hours, and stopped: a job that ended, or one that crashed. */
export const fallenSilent: TriageRule = {
  id: 'fallen-silent',
  looksFor: say`machines that stopped working`,
  needsState: true,
  judge: account =>
    judgeRunning(account, (machine, metrics, readAt) => {
      const {rates, now, metricsOf} = account;
      // It may have worked before its last start, but been silent only since.
      const silence = silenceOf(metricsOf(machine) ?? metrics, machine.flavor, readAt);
      if (silence === undefined || silence.since < restartOf(machine, account)) return undefined;
      const gpu = gpuNow(machine, account);
      // The host may be idle while a GPU works.
      if (gpu !== undefined && gpu > BUSY_FROM_RATIO) return undefined;
      const rate = rates?.get(machine.id);
      const {words, answer} = givingBack(machine);
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`inactive after hours of work`,
        since: silence.since,
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`no host-side activity for ${durationWords(heldMs({since: silence.since, readAt, now}))}, after work in ${percentWords(silence.workRatio)} of the ${durationWords(silence.pastMs)} before`,
          gpu === undefined ? say`GPU load is not reported by this API` : say`its GPUs are idle now, according to DCGM`,
          ...asOf(readAt, now),
        ],
        chart: 'cpu',
        advice: say`Check whether its job crashed. ${words} if nothing else is to run.`,
        ...answer,
      };
    }),
};

/** What its GPUs do now, if DCGM reports it. */
function gpuNow(machine: VirtualMachine, {gpusOf, now}: KnownAccount): number | undefined {
  const load = gpusOf(machine)?.load;
  return load === undefined || isOldLoad(load, now) ? undefined : gpuFigures(load).utilization;
}

function silenceOf(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  now: EpochMs,
): {readonly since: EpochMs; readonly workRatio: number; readonly pastMs: number} | undefined {
  const {quietSince: since} = machineWork(metrics, flavor, now);
  const limits = activityLimits(flavor);
  if (since === undefined || limits === undefined) return undefined;
  const silentMs = now - since;
  if (silentMs < MIN_SILENCE_MS || silentMs > MAX_SILENCE_MS) return undefined;
  const rates = [...counterRates(metrics.cpu ?? [])];
  const before = rates.filter(({endedAt}) => endedAt <= since && endedAt > since - PAST_MS);
  const measuredMs = lengthOf(before);
  if (measuredMs < MIN_MEASURED_MS) return undefined;
  const workRatio = lengthOf(before.filter(({perSecond}) => perSecond > limits.cores * NS_PER_SECOND)) / measuredMs;
  return workRatio >= MIN_WORK_RATIO ? {since, workRatio, pastMs: measuredMs} : undefined;
}

function lengthOf(rates: readonly RateSample[]): number {
  return rates.reduce((sum, {startedAt, endedAt}) => sum + (endedAt - startedAt), 0);
}
