import type {Action, ActionKind} from '../action.ts';
import {isBeingReconciled} from '../cluster.ts';
import type {Firewall} from '../firewall.ts';
import {type SafeText, say} from '../safe-text.ts';
import {MINUTE_MS} from '../time.ts';
import type {VirtualMachineId} from '../virtual-machine.ts';
import {type ActionRules, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {
  type AttachmentState,
  attachmentState,
  attachmentsObstacle,
  goalsOf,
  isSameSet,
  membershipEvidence,
} from './attachment-state.ts';
import {listedWords, numberedWords} from './listed-words.ts';
import {isElsewhere, type OneThingRule, onOneThing} from './one-thing.ts';

type ChangeKind = Extract<ActionKind, 'cluster.reconcile' | 'firewall.set-attachments' | `${string}.rename`>;

export const CHANGE_RULES: Pick<ActionRules, ChangeKind> = {
  'cluster.reconcile': onOneThing({
    verb: say`reconcile`,
    overdueAfterMs: 30 * MINUTE_MS,
    obstacle: (_act, cluster) => {
      if (isBeingReconciled(cluster)) return say`it is reconciling already`;
      const {status, statusText} = cluster;
      return status === 'DELETING' || status === 'DELETED' ? say`it is ${statusText}` : undefined;
    },
    // Like a reboot it may end in the state it began in: only having been seen on its way proves anything then.
    evidence: (_act, cluster, {hasSeenTransition, initialStatus, before}) => {
      if (isBeingReconciled(cluster)) return TRANSITION;
      const {status} = cluster;
      const began = initialStatus ?? before?.records[0]?.status;
      if (status === 'ACTIVE' && (hasSeenTransition || (began !== undefined && began !== 'ACTIVE'))) return TARGET;
      return hasSeenTransition ? isElsewhere(cluster) : UNCHANGED;
    },
    undo: () => say`a reconciliation cannot be taken back`,
  }),
  'firewall.set-attachments': onOneThing({
    verb: say`set machines`,
    words: ({machineIds}) =>
      machineIds.length === 0
        ? say`detach all machines from`
        : say`attach exactly ${numberedWords(say`machine`, machineIds)} to`,
    overdueAfterMs: 5 * MINUTE_MS,
    replaced: ({id}, {records}) => {
      const firewall = records.find(each => each.id === id);
      return firewall === undefined ? [] : machinesOf(firewall).map(String);
    },
    obstacle: ({machineIds}, firewall) =>
      attachmentsObstacle(firewall) ??
      (isSameSet(machineIds, machinesOf(firewall)) ? say`it holds for exactly these machines already` : undefined),
    evidence: ({machineIds}, firewall, {before, hasSeenTransition}) => {
      if (attachmentsObstacle(firewall) !== undefined) return NOTHING;
      const was = before?.records[0];
      return membershipEvidence({
        goals: goalsOf(machineIds, [...(was === undefined ? [] : machinesOf(was)), ...machinesOf(firewall)]),
        now: stateIn(firewall),
        before: was === undefined ? undefined : stateIn(was),
        hasSeenTransition,
      });
    },
    undo: ({id, machineIds}, was) => ({
      action: {kind: 'firewall.set-attachments', id, machineIds: machinesOf(was)},
      words: formerMachineWords(was),
      replaced: machineIds.map(String),
    }),
  }),
  'key-pair.rename': onOneThing({
    ...renaming(),
    undo: ({id}, was) => ({
      action: {kind: 'key-pair.rename', id, name: was.name},
      words: say`calls it ${was.name} again`,
    }),
  }),
  'environment.rename': onOneThing({
    ...renaming(),
    undo: ({id}, was) => ({
      action: {kind: 'environment.rename', id, name: was.name},
      words: say`calls it ${was.name} again`,
    }),
  }),
};

type Named = {readonly name: SafeText};

function renaming<A extends Action & Named, R extends Named>(): Omit<OneThingRule<A, R>, 'undo'> {
  return {
    verb: say`rename`,
    words: ({name}) => say`rename to ${name} from`,
    overdueAfterMs: 2 * MINUTE_MS,
    obstacle: (action, {name}) => (name === action.name ? say`it is called that already` : undefined),
    evidence: (action, {name}) => (name === action.name ? TARGET : UNCHANGED),
  };
}

function formerMachineWords(was: Firewall): SafeText {
  const ids = machinesOf(was);
  const machines = was.attachments.filter(({machineId}) => machineId !== undefined && ids.includes(machineId));
  if (machines.length === 0) return say`detaches it from all machines, as before`;
  return say`attaches it to ${listedWords(
    say`machine`,
    machines.map(({machineId, machineName}) => say`${machineName} #${machineId ?? 0}`),
  )} alone`;
}

function machinesOf(firewall: Firewall): readonly VirtualMachineId[] {
  const ids = firewall.attachments.flatMap(({machineId}) => machineId ?? []);
  return ids.filter(id => stateIn(firewall)(id) !== 'gone');
}

function stateIn({attachments}: Firewall): (machine: VirtualMachineId) => AttachmentState {
  return machine => {
    const attachment = attachments.find(({machineId}) => machineId === machine);
    return attachment === undefined ? 'gone' : attachmentState(attachment.status);
  };
}
