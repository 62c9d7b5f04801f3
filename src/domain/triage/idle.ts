import {unreachable} from '../assert.ts';
import {excludedMachines} from '../cost.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import {type IdleVerdict, idleVerdict, mayBeIdle} from '../money/idle.ts';
import {idleWaste} from '../money/waste.ts';
import type {DurationMs, EpochMs} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {
  asOf,
  type RuleFinding,
  givingBack,
  heldMs,
  type KnownAccount,
  restartOf,
  machineSubject,
  type TriageRule,
} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/** A running machine that has done nothing for days, by the metrics of its host. */
export const idle: TriageRule = {
  id: 'idle',
  isWaste: true,
  needsState: true,
  judge: account => {
    const {
      machines,
      usage = [],
      rates,
      metricsOf,
      metricsReadAt,
      runsOf,
      isActivityAwaited,
      gpusOf,
      preferences,
      now,
    } = account;
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const excluded = excludedMachines(usage);
    const running = machines.filter(({id, status}) => status === 'ACTIVE' && !excluded.has(id));
    const unjudged: Record<Gap, VirtualMachine[]> = {metrics: [], day: [], week: []};
    const findings = running.flatMap((machine): readonly RuleFinding[] => {
      const [metrics, readAt] = [metricsOf(machine), metricsReadAt(machine)];
      const verdict =
        metrics === undefined
          ? undefined
          : idleVerdict(metrics, machine.flavor, {
              now: readAt,
              runs: runsOf(machine),
              gpus: gpusOf(machine)?.activity,
              startedAt: restartOf(machine, account),
              ...preferences.idle,
            });
      const gap = gapOf(machine, verdict, {now: readAt, idleMs: preferences.idle.idleMs});
      if (gap !== undefined) unjudged[gap].push(machine);
      const rate = rates?.get(machine.id);
      if (verdict?.verdict !== 'idle' || idleWaste(machine, {verdict, rate, now: readAt}) === undefined) return [];
      const {words, answer} = givingBack(machine);
      const rule = verdict.rule === 'long' ? say`` : say`; it worked at this time a week ago`;
      return [
        {
          severity: 'warning',
          subject: machineSubject(machine),
          summary: say`idle and billed`,
          since: verdict.since,
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            say`no host-side activity for ${durationWords(heldMs({since: verdict.since, readAt, now}))}: active in ${percentWords(verdict.activeRatio)} of the time${rule}`,
            ...gpuEvidence(verdict, machine),
            ...asOf(readAt, now),
          ],
          chart: 'cpu',
          advice: say`${words} if it is not needed.`,
          ...answer,
        },
      ];
    });
    const gaps = gapWords(unjudged, preferences.idle);
    const {metrics, day, week} = unjudged;
    const isAwaited = metrics.length + day.length === 0 && week.every(isActivityAwaited);
    return {findings, cannotJudge: gaps, isAwaited};
  },
};

/** DCGM proves it; without DCGM only the host's metrics suggest it. */
function gpuEvidence(
  {areGpusIdle, confidence}: Extract<IdleVerdict, {verdict: 'idle'}>,
  {flavor}: VirtualMachine,
): readonly SafeText[] {
  if (areGpusIdle) return [say`its GPUs were idle in that time, according to DCGM; confidence ${safeText(confidence)}`];
  const unknown = flavor?.gpuCount === 0 ? say`` : say`; GPU load is not reported by this API`;
  return [say`confidence ${safeText(confidence)}${unknown}`];
}

/** What is missing to judge a machine: its metrics, the last day, or the week before that. */
type Gap = 'metrics' | 'day' | 'week';

/** A machine with a gap is one that the list of waste counts as possibly idle. */
function gapOf(
  {createdAt}: VirtualMachine,
  verdict: IdleVerdict | undefined,
  {now, idleMs}: {readonly now: EpochMs; readonly idleMs: DurationMs},
): Gap | undefined {
  if (!mayBeIdle(verdict, {createdAt, now, idleMs})) return undefined;
  if (verdict === undefined) return 'metrics';
  return verdict.verdict === 'unknown' ? 'day' : 'week';
}

function gapWords(
  unjudged: Readonly<Record<Gap, readonly VirtualMachine[]>>,
  {idleMs, quietMs}: KnownAccount['preferences']['idle'],
): readonly SafeText[] {
  return (['metrics', 'day', 'week'] as const).flatMap(gap => {
    const [first, ...others] = unjudged[gap];
    if (first === undefined) return [];
    const whose = others.length === 0 ? first.name : say`${others.length + 1} machines`;
    switch (gap) {
      case 'metrics':
        return say`the metrics of ${whose} were not read`;
      case 'day':
        return say`too little was measured of ${whose} in the last ${durationWords(quietMs)}`;
      case 'week':
        return say`the last ${durationWords(idleMs)} of ${whose} were not read yet, or not measured`;
      default:
        return unreachable(gap);
    }
  });
}
