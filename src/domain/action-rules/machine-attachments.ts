import type {ActionOf, MachineAction} from '../action.ts';
import type {Firewall, FirewallId} from '../firewall.ts';
import {type SafeText, say} from '../safe-text.ts';
import type {Sighting} from '../sighting.ts';
import {MINUTE_MS} from '../time.ts';
import type {VirtualMachine, VirtualMachineId, VolumeAttachment} from '../virtual-machine.ts';
import {type ActionRules, type Evidence, elsewhere, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {
  type AttachmentState,
  attachmentState,
  attachmentsObstacle,
  goalsOf,
  isSameSet,
  membershipEvidence,
} from './attachment-state.ts';
import {listedWords, numberedWords} from './listed-words.ts';
import {needs, onOneThing} from './one-thing.ts';

type AttachmentKind = Extract<
  MachineAction['kind'],
  'vm.attach-ip' | 'vm.detach-ip' | 'vm.attach-volumes' | 'vm.detach-volumes' | 'vm.set-firewalls'
>;

/** Attachments take seconds to a minute. */
const OVERDUE_AFTER_MS = 5 * MINUTE_MS;

export const MACHINE_ATTACHMENT_RULES: Pick<ActionRules, AttachmentKind> = {
  'vm.attach-ip': onOneThing({
    verb: say`attach address`,
    words: () => say`attach a public address to`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: (_act, machine) =>
      hasAddress(machine) ? say`it has the address ${addressOf(machine)} already` : isReady(machine),
    evidence: (_act, machine, {hasSeenTransition}) => addressEvidence(machine, hasAddress(machine), hasSeenTransition),
    undo: ({id}, _was, is) => ({
      action: {kind: 'vm.detach-ip', id},
      words: say`detaches the address ${addressOf(is)}; it is lost`,
    }),
  }),
  'vm.detach-ip': onOneThing({
    verb: say`detach address`,
    words: () => say`detach the public address of`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: (_act, machine) => (hasAddress(machine) ? isReady(machine) : say`it has no public address`),
    evidence: (_act, machine, {hasSeenTransition}) => addressEvidence(machine, !hasAddress(machine), hasSeenTransition),
    undo: ({id}, was) => ({
      action: {kind: 'vm.attach-ip', id},
      words: say`attaches another address; ${addressOf(was)} is lost`,
    }),
  }),
  'vm.attach-volumes': onOneThing({
    verb: say`attach volumes`,
    words: ({volumeIds}) => say`attach ${volumeWords(volumeIds)} to`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: ({volumeIds}, machine) =>
      volumeIds.some(id => volumeState(machine, id) !== 'gone')
        ? say`one of the volumes is attached to it already`
        : isReady(machine),
    evidence: ({volumeIds}, machine, past) =>
      membershipEvidence({
        goals: goalsOf<number>(volumeIds),
        now: id => volumeState(machine, id),
        before: () => 'gone',
        hasSeenTransition: past.hasSeenTransition,
      }),
    undo: ({id, volumeIds}) => ({
      action: {kind: 'vm.detach-volumes', id, volumeIds},
      words: say`detaches ${volumeWords(volumeIds)}; unmount first what is mounted`,
    }),
  }),
  'vm.detach-volumes': onOneThing({
    verb: say`detach volumes`,
    words: ({volumeIds}) => say`detach ${volumeWords(volumeIds)} from`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: ({volumeIds}, machine) =>
      volumeIds.some(id => volumeState(machine, id) === 'gone')
        ? say`one of the volumes is not attached to it`
        : isReady(machine),
    evidence: ({volumeIds}, machine, past) =>
      membershipEvidence({
        goals: goalsOf<number>([], volumeIds),
        now: id => volumeState(machine, id),
        before: () => 'attached',
        hasSeenTransition: past.hasSeenTransition,
      }),
    undo: ({id, volumeIds}) => ({
      action: {kind: 'vm.attach-volumes', id, volumeIds},
      words: say`attaches ${volumeWords(volumeIds)} again; the device may be another`,
    }),
  }),
  'vm.set-firewalls': onOneThing({
    verb: say`set firewalls`,
    words: ({firewallIds}) => say`set ${numberedWords(say`firewall`, firewallIds)} on`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    alsoReads: 'firewalls',
    replaced: ({id}, {firewalls = []}) => firewallsOn(id, firewalls).map(String),
    obstacle: ({id, firewallIds}, machine, {firewalls}) => {
      if (firewalls === undefined) return say`its firewalls could not be read`;
      const unread = unreadFirewall(machine, firewalls);
      if (unread !== undefined) return unread;
      if (isSameSet(firewallIds, firewallsOn(id, firewalls))) return say`it has exactly these firewalls already`;
      return isReady(machine);
    },
    evidence: (action, machine, past, {firewalls}) =>
      firewalls === undefined || unreadFirewall(machine, firewalls) !== undefined
        ? NOTHING
        : firewallsEvidence(action, firewalls, past),
    undo: ({id, firewallIds}, _was, _is, sightings) => {
      const {firewalls} = sightings.was;
      if (firewalls === undefined) return say`which firewalls it had before is not known`;
      const before = firewallsOn(id, firewalls);
      return {
        action: {kind: 'vm.set-firewalls', id, firewallIds: before},
        words: formerFirewallWords(firewalls.filter(firewall => before.includes(firewall.id))),
        replaced: firewallIds.map(String),
      };
    },
  }),
};

/** Where the service refuses attachments in every other state (facts.md C1). */
function isReady(machine: VirtualMachine): SafeText | undefined {
  return needs(['ACTIVE', 'SHUTOFF'], machine);
}

function hasAddress({floatingIp, floatingIpStatus}: VirtualMachine): boolean {
  return floatingIp !== undefined && attachmentState(floatingIpStatus) === 'attached';
}

function addressOf({floatingIp}: VirtualMachine): SafeText {
  return floatingIp ?? say`it had`;
}

function addressEvidence(machine: VirtualMachine, isThere: boolean, hasSeenTransition: boolean): Evidence {
  const {floatingIpStatus} = machine;
  const state = attachmentState(floatingIpStatus);
  if (state === 'changing') return TRANSITION;
  if (state === 'failed') return elsewhere(say`the address is ${floatingIpStatus ?? say`failed`}`);
  if (isThere) return TARGET;
  return hasSeenTransition ? elsewhere(say`the address is as it was before`) : UNCHANGED;
}

function volumeState({volumes}: VirtualMachine, id: number): AttachmentState {
  const states = volumes
    .filter(({volumeId}) => volumeId === id)
    .map(({status}: VolumeAttachment) => attachmentState(status));
  // A volume that came and went and came again stands in the list more than once.
  return states.find(state => state !== 'gone') ?? 'gone';
}

function volumeWords(ids: readonly number[]): SafeText {
  return numberedWords(say`volume`, ids);
}

function formerFirewallWords(firewalls: readonly Firewall[]): SafeText {
  if (firewalls.length === 0) return say`leaves it no firewalls, as before`;
  return say`puts back ${listedWords(
    say`firewall`,
    firewalls.map(({id, name}) => say`${name} #${id}`),
  )}`;
}

function firewallsOn(machine: VirtualMachineId, firewalls: readonly Firewall[]): readonly FirewallId[] {
  return firewalls.filter(firewall => stateOn(machine, firewall) !== 'gone').map(({id}) => id);
}

/** Why it is not known which firewalls a machine has: one of its environment does not tell all of its machines. */
export function unreadFirewall(
  {environmentName}: VirtualMachine,
  firewalls: readonly Firewall[],
): SafeText | undefined {
  const unread = firewalls.find(
    firewall =>
      attachmentsObstacle(firewall) !== undefined &&
      (environmentName ?? firewall.environmentName) === (firewall.environmentName ?? environmentName),
  );
  return unread && say`the machines of firewall ${unread.name} #${unread.id} cannot be read whole`;
}

function stateOn(machine: VirtualMachineId, firewall: Firewall | undefined): AttachmentState {
  const attachment = firewall?.attachments.find(({machineId}) => machineId === machine);
  return attachment === undefined ? 'gone' : attachmentState(attachment.status);
}

function firewallsEvidence(
  {id: machine, firewallIds}: ActionOf<'vm.set-firewalls'>,
  firewalls: readonly Firewall[],
  {before, hasSeenTransition}: {readonly before?: Sighting<VirtualMachine>; readonly hasSeenTransition: boolean},
): Evidence {
  const was = before?.firewalls;
  const stateIn = (list: readonly Firewall[]) => (id: FirewallId) =>
    stateOn(
      machine,
      list.find(firewall => firewall.id === id),
    );
  return membershipEvidence({
    goals: goalsOf(firewallIds, [...firewallsOn(machine, was ?? []), ...firewallsOn(machine, firewalls)]),
    now: stateIn(firewalls),
    before: was === undefined ? undefined : stateIn(was),
    hasSeenTransition,
  });
}
