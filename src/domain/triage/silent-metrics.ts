import {countedWords} from '../listed-words.ts';
import {sumRates} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {type SampleAge, sampleAge} from '../utilization.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {
  asOf,
  type RuleFinding,
  heldMs,
  isSilent,
  lastStartOf,
  MAX_METRICS_AGE_MS,
  machineSubject,
  SILENT_AFTER_MS,
  type TriageRule,
  withUnread,
} from './finding.ts';
import {durationWords} from './words.ts';

/** If this share of the machines sends none, the fault is not theirs; a few may be silent by chance. */
export const SERVICE_RATIO = 0.9;
export const MIN_SERVICE_COUNT = 5;

/** A running machine that sends no metrics; one finding about the metrics of all if nearly all machines send none. */
export const silentMetrics: TriageRule = {
  id: 'silent-metrics',
  looksFor: say`machines without metrics`,
  needsState: true,
  judge: account => {
    const {machines, rates, metricsOf, metricsReadAt, now} = account;
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const unread: VirtualMachine[] = [];
    const silent: VirtualMachine[] = [];
    let judgedCount = 0;
    const findings = machines.flatMap((machine): readonly RuleFinding[] => {
      if (machine.status !== 'ACTIVE') return [];
      const [metrics, readAt] = [metricsOf(machine), metricsReadAt(machine)];
      // A machine sends nothing before it runs, so the time counts from its creation, start or restoration.
      const activeAt = lastStartOf(machine, account);
      if (readAt - activeAt < SILENT_AFTER_MS) return [];
      if (metrics === undefined || now - readAt > MAX_METRICS_AGE_MS) unread.push(machine);
      if (metrics === undefined) return [];
      judgedCount += 1;
      if (!isSilent(metrics, {now: readAt, since: activeAt})) return [];
      const newest = sampleAge(metrics, readAt);
      const isAhead = newest?.aheadMs !== undefined;
      if (!isAhead) silent.push(machine);
      const since = newest === undefined || newest.sampledAt < activeAt ? activeAt : newest.sampledAt;
      const rate = rates?.get(machine.id);
      return [
        {
          severity: 'warning',
          subject: machineSubject(machine),
          summary: isAhead ? say`metrics dated in the future` : say`no metrics while running`,
          ...(since === 0 || isAhead ? {} : {since}),
          ...(rate === undefined ? {} : {rate}),
          evidence: [newestSample(newest, {readAt, now}), ...asOf(readAt, now)],
          chart: 'cpu',
          advice: isAhead
            ? say`Compare the clocks. When the figures of this machine were measured is not known.`
            : say`Check whether the machine answers (ssh, console). Figures shown for it are old.`,
          commands: [say`skydeck ssh ${machine.id}`, say`skydeck console ${machine.id}`],
        },
      ];
    });
    const isOfService = silent.length >= MIN_SERVICE_COUNT && silent.length >= SERVICE_RATIO * judgedCount;
    return withUnread(isOfService ? mergedFindings(findings, silent, judgedCount) : findings, unread, 'the metrics');
  },
};

/** One finding in place of those of the silent machines. The service stopped when the last of them fell silent. */
function mergedFindings(
  findings: readonly RuleFinding[],
  silent: readonly VirtualMachine[],
  judgedCount: number,
): readonly RuleFinding[] {
  const machineIds = silent.map(({id}) => id);
  const ids = new Set<number | undefined>(machineIds);
  const isMerged = ({subject: {id}}: RuleFinding) => ids.has(id);
  const merged = findings.filter(isMerged);
  const moments = merged.flatMap(({since}) => since ?? []);
  const rates = merged.flatMap(({rate}) => rate ?? []);
  const many = countedWords(judgedCount, say`machine`);
  const running = countedWords(judgedCount, say`running machine`);
  return [
    {
      severity: 'warning',
      subject: {type: 'service', name: say`metrics`},
      summary: say`no metrics from ${silent.length === judgedCount ? say`any` : silent.length} of ${many}`,
      ...(moments.length === 0 ? {} : {since: moments.reduce((last, each) => (each > last ? each : last))}),
      ...(rates.length === 0 ? {} : {rate: sumRates(rates)}),
      evidence: [
        say`${silent.length} of ${running} whose metrics were read have sent none for ${durationWords(SILENT_AFTER_MS)} or longer`,
      ],
      machineIds,
      advice: say`So many rarely fail at once: check the service's status page. Figures of these machines are old.`,
      commands: [say`skydeck doctor`],
    },
    ...findings.filter(finding => !isMerged(finding)),
  ];
}

function newestSample(
  newest: SampleAge | undefined,
  {readAt, now}: {readonly readAt: EpochMs; readonly now: EpochMs},
): SafeText {
  if (newest === undefined) return say`no sample in the window that was read`;
  if (newest.aheadMs !== undefined)
    return say`the newest sample is ${durationWords(newest.aheadMs)} ahead of the clock`;
  return say`the newest sample is ${durationWords(heldMs({since: newest.sampledAt, readAt, now}))} old`;
}
