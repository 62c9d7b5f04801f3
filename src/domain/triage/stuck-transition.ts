import {type Cluster, clusterProgress} from '../cluster.ts';
import {say} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {isTransitional, type MachineEvent, TRANSITION_LIMITS_MS, type VirtualMachine} from '../virtual-machine.ts';
import {machineSubject, type RuleFinding, type TriageRule, withUnread} from './finding.ts';
import {creationAdvice, creationCommand, durationWords} from './words.ts';

/** A machine on the way to another state for longer than the service ever takes. */
export const stuckTransition: TriageRule = {
  id: 'stuck-transition',
  needsState: true,
  judge: ({machines, clusters, rates, eventsOf, changedAfter, now}) => {
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const undated: VirtualMachine[] = [];
    const findings = machines.flatMap(machine => {
      if (!isTransitional(machine.status)) return [];
      const since = changingSince(machine, eventsOf(machine) ?? [], changedAfter(machine));
      const limitMs = TRANSITION_LIMITS_MS[machine.status];
      if (since === undefined) undated.push(machine);
      if (since === undefined || now - since <= limitMs) return [];
      const rate = rates?.get(machine.id);
      return [
        {
          severity: 'warning' as const,
          subject: machineSubject(machine),
          summary: say`${machine.statusText} for too long`,
          since,
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            say`${machine.statusText} for ${durationWords(now - since)}; expected within ${durationWords(limitMs)}`,
          ],
          ...adviceFor(machine, clusters, now),
        },
      ];
    });
    return withUnread(findings, undated, 'the events');
  },
};

/** A node of a cluster that is being created waits for it, and is deleted with it. */
function adviceFor(
  {id, clusterId}: VirtualMachine,
  clusters: readonly Cluster[] | undefined,
  now: EpochMs,
): Pick<RuleFinding, 'advice' | 'commands'> {
  const cluster = clusters?.find(each => each.id === clusterId);
  const progress = cluster && clusterProgress(cluster, now);
  if (clusterId !== undefined && progress !== undefined && 'elapsedMs' in progress) {
    const advice = creationAdvice(say`cluster #${clusterId}`, progress);
    return {
      advice: say`Nothing can be sent to it meanwhile. ${advice}`,
      commands: [creationCommand(clusterId, progress)],
    };
  }
  return {
    advice: say`Nothing can be sent to it meanwhile. Read its events, and ask the provider if it stays.`,
    commands: [say`skydeck get events ${id}`],
  };
}

/** Events that do not change the machine's state. */
const ASIDE = /attach|detach|console|snapshot|label|rule/i;
const OUTCOME = /(?:success|failed)$/i;

/**
 * When the present change began: at the newest event without an outcome, but not before the machine was last seen in
 * another state. Undefined if the history ends with an outcome, because it was then read before the change.
 */
function changingSince(
  {status, createdAt}: VirtualMachine,
  events: readonly MachineEvent[],
  changedAfter: EpochMs | undefined,
): EpochMs | undefined {
  const began = status === 'CREATING' ? (begunAt(events) ?? createdAt) : begunAt(events.filter(isNoCreation));
  if (began === undefined || changedAfter === undefined) return began ?? changedAfter;
  return began > changedAfter ? began : changedAfter;
}

/**
 * If a machine was never completed, its creation has no outcome in the history, whatever is happening to the machine
 * now.
 */
function isNoCreation({reason}: MachineEvent): boolean {
  return !/creat/i.test(reason);
}

function begunAt(events: readonly MachineEvent[]): EpochMs | undefined {
  const [newest] = events
    .filter(({reason}) => !ASIDE.test(reason))
    .toSorted((left, right) => (right.occurredAt ?? 0) - (left.occurredAt ?? 0) || outcomeFirst(left, right));
  return newest === undefined || OUTCOME.test(newest.reason) ? undefined : newest.occurredAt;
}

/** Of two events in the same second, the outcome is the later one. */
function outcomeFirst(left: MachineEvent, right: MachineEvent): number {
  return Number(OUTCOME.test(right.reason)) - Number(OUTCOME.test(left.reason));
}
