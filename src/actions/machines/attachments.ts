import * as z from 'zod';
import {
  attachFloatingIp,
  attachVolumes,
  detachFloatingIp,
  detachVolumes,
  setMachineFirewalls,
} from '../../api/virtual-machines.ts';
import {type Evidence, elsewhere, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../../domain/action.ts';
import {
  type AttachmentState,
  attachmentState,
  goalsOf,
  isSameSet,
  membershipEvidence,
} from '../../domain/attachment-state.ts';
import type {Firewall, FirewallId} from '../../domain/firewall.ts';
import {listedWords, numberedWords} from '../../domain/listed-words.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import type {VirtualMachine, VirtualMachineId, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {isUnattached} from '../../domain/volume.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCounted} from '../../ui/format.ts';
import {unreadFirewall} from '../access-lines.ts';
import {recordsOf} from '../creation-choices.ts';
import {actionOn} from '../define.ts';
import {
  assessAttachAddress,
  assessAttachVolumes,
  assessDetachAddress,
  assessDetachVolumes,
  assessFirewalls,
} from './assess-attachments.ts';
import {
  attachVolumesForm,
  detachableVolumes,
  detachVolumesForm,
  firewallsForm,
  firewallsReason,
  freeVolumesFor,
} from './attachment-forms.ts';
import {nodeReason, stateReason, unreadyReason} from './subject.ts';
import {attachedVolumes, tooManyVolumes} from './remaining-volumes.ts';
import {firewall, machine, volume} from '../parameters.ts';

/** Attachments take from seconds to a minute. */
const OVERDUE_AFTER_MS = 5 * MINUTE_MS;

const attachAddress = actionOn({
  kind: 'vm.attach-ip',
  parameters: z.object({id: machine}),
  endpoint: attachFloatingIp,
  keys: [
    {
      menu: 'edit',
      key: 'i',
      title: say`attach address`,
      help: 'Attaches a new public address.',
      consequence: () => 'a new public address, billed by the hour',
      reason: nodeReason,
    },
  ],
  command: {
    words: ['ip', 'attach'],
    summary: 'attach a public address, chosen and billed by the service',
  },
  assess: assessAttachAddress,
  verb: say`attach address`,
  words: () => say`attach a public address to`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: (_action, machine) =>
    hasAddress(machine) ? say`it already has the address ${addressOf(machine)}` : stateReason(machine),
  evidence: (_action, machine, {hasSeenTransition}) => addressEvidence(machine, hasAddress(machine), hasSeenTransition),
  undo: ({id}, _was, is): Inverse => ({
    action: detachAddress.with({id}),
    words: say`detaches the address ${addressOf(is)}; it is lost`,
  }),
});

const detachAddress = actionOn({
  kind: 'vm.detach-ip',
  parameters: z.object({id: machine}),
  endpoint: detachFloatingIp,
  keys: [
    {
      menu: 'edit',
      key: 'I',
      title: say`detach address`,
      help: 'Releases the public address, permanently.',
      consequence: ({floatingIp}) => `${floatingIp ?? 'it'} is lost permanently`,
      reason: nodeReason,
    },
  ],
  command: {
    words: ['ip', 'detach'],
    summary: 'release the public address of machines, permanently',
  },
  assess: assessDetachAddress,
  verb: say`detach address`,
  words: () => say`detach the public address of`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: (_action, machine) => (hasAddress(machine) ? stateReason(machine) : say`it has no public address`),
  evidence: (_action, machine, {hasSeenTransition}) =>
    addressEvidence(machine, !hasAddress(machine), hasSeenTransition),
  undo: ({id}, was): Inverse => ({
    action: attachAddress.with({id}),
    words: say`attaches another address; ${addressOf(was)} is lost`,
  }),
});

export const attachVolumesTo = actionOn({
  kind: 'vm.attach-volumes',
  parameters: z.object({id: machine, volumeIds: z.array(volume).readonly()}),
  endpoint: attachVolumes,
  keys: [
    {
      menu: 'edit',
      key: 'v',
      title: say`attach volumes`,
      help: 'Attaches unattached volumes of its environment.',
      consequence: (machine, known) => `${formatCounted(freeVolumesFor(machine, known).length, 'volume')} free`,
      reason: (machine, known) =>
        unreadyReason(machine) ??
        (freeVolumesFor(machine, known).length === 0 ? say`no volume of its environment is free` : undefined),
      form: attachVolumesForm,
    },
  ],
  reads: () => [volumesFeed],
  refusal: (machine, known, {volumeIds}) => {
    const volumes = recordsOf(known, volumesFeed).filter(
      ({id}) => volumeIds.includes(id) && volumeState(machine, id) === 'gone',
    );
    const taken = volumes.find(volume => !isUnattached(volume));
    if (taken !== undefined) return say`${nameInWords(taken.name)} #${taken.id} is ${taken.statusText}, not available`;
    const far = volumes.find(
      ({environmentName = machine.environmentName}) => environmentName !== machine.environmentName,
    );
    return far && say`${nameInWords(far.name)} #${far.id} is in another environment than the machine`;
  },
  assess: assessAttachVolumes,
  verb: say`attach volumes`,
  words: ({volumeIds}) => say`attach ${volumeWords(volumeIds)} to`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: ({volumeIds}, machine) =>
    volumeIds.some(id => volumeState(machine, id) !== 'gone')
      ? say`one of the volumes is already attached to it`
      : (tooManyVolumes(machine, volumeIds.length) ?? stateReason(machine)),
  evidence: ({volumeIds}, machine, history) =>
    membershipEvidence({
      goals: goalsOf<number>(volumeIds),
      now: id => volumeState(machine, id),
      before: () => 'gone',
      hasSeenTransition: history.hasSeenTransition,
    }),
  undo: ({id, volumeIds}): Inverse => ({
    action: detachVolumesFrom.with({id, volumeIds}),
    words: say`detaches ${volumeWords(volumeIds)}; unmount them first`,
  }),
  commandWords: () => undefined,
});

export const detachVolumesFrom = actionOn({
  kind: 'vm.detach-volumes',
  parameters: z.object({id: machine, volumeIds: z.array(volume).readonly()}),
  endpoint: detachVolumes,
  keys: [
    {
      menu: 'edit',
      key: 'V',
      title: say`detach volumes`,
      help: 'Detaches volumes; their contents stay.',
      consequence: machine =>
        attachedVolumes(machine)
          .map(({name}) => name)
          .join(', '),
      reason: machine =>
        unreadyReason(machine) ?? (detachableVolumes(machine).length === 0 ? say`no volumes are attached` : undefined),
      form: detachVolumesForm,
    },
  ],
  assess: assessDetachVolumes,
  verb: say`detach volumes`,
  words: ({volumeIds}) => say`detach ${volumeWords(volumeIds)} from`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: ({volumeIds}, machine) =>
    volumeIds.some(id => volumeState(machine, id) === 'gone')
      ? say`one of the volumes is not attached to it`
      : stateReason(machine),
  evidence: ({volumeIds}, machine, history) =>
    membershipEvidence({
      goals: goalsOf<number>([], volumeIds),
      now: id => volumeState(machine, id),
      before: () => 'attached',
      hasSeenTransition: history.hasSeenTransition,
    }),
  undo: ({id, volumeIds}): Inverse => ({
    action: attachVolumesTo.with({id, volumeIds}),
    words: say`attaches ${volumeWords(volumeIds)} again; the device name may differ`,
  }),
  commandWords: () => undefined,
});

/** The full set: any firewall left out is detached. */
export const setFirewalls = actionOn({
  kind: 'vm.set-firewalls',
  parameters: z.object({id: machine, firewallIds: z.array(firewall).readonly()}),
  endpoint: setMachineFirewalls,
  keys: [
    {
      name: 'firewalls',
      menu: 'edit',
      key: 'f',
      title: say`firewalls`,
      help: 'Sets the firewalls of the machine.',
      reason: (machine, known) => unreadyReason(machine) ?? firewallsReason(machine, known),
      form: firewallsForm,
    },
  ],
  reads: () => [firewallsFeed],
  assess: assessFirewalls,
  verb: say`set firewalls`,
  words: ({firewallIds}) => say`set ${numberedWords(say`firewall`, firewallIds)} on`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  alsoReads: 'firewalls',
  replaced: ({id}, {firewalls = []}) => firewallsOn(id, firewalls).map(String),
  precondition: ({id, firewallIds}, machine, {firewalls}) => {
    if (firewalls === undefined) return say`its firewalls could not be read`;
    const unread = unreadFirewall(machine, firewalls);
    if (unread !== undefined) return unread;
    if (isSameSet(firewallIds, firewallsOn(id, firewalls))) return say`it already has exactly these firewalls`;
    return stateReason(machine);
  },
  evidence: ({id, firewallIds}, machine, {before, hasSeenTransition}, {firewalls}) => {
    if (firewalls === undefined || unreadFirewall(machine, firewalls) !== undefined) return NOTHING;
    const was = before?.firewalls;
    return membershipEvidence({
      goals: goalsOf(firewallIds, [...firewallsOn(id, was ?? []), ...firewallsOn(id, firewalls)]),
      now: stateAmong(firewalls, id),
      before: was === undefined ? undefined : stateAmong(was, id),
      hasSeenTransition,
    });
  },
  undo: ({id, firewallIds}, _was, _is, observations): Inverse | SafeText => {
    const {firewalls} = observations.was;
    if (firewalls === undefined) return say`its previous firewalls are unknown`;
    const before = firewallsOn(id, firewalls);
    return {
      action: setFirewalls.with({id, firewallIds: before}),
      words: formerFirewallWords(firewalls.filter(firewall => before.includes(firewall.id))),
      replaced: firewallIds.map(String),
    };
  },
  commandWords: () => undefined,
});

export const MACHINE_ATTACHMENTS = [
  attachAddress,
  detachAddress,
  attachVolumesTo,
  detachVolumesFrom,
  setFirewalls,
] as const;

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
  // A volume attached several times over its life is in the list more than once.
  return states.find(state => state !== 'gone') ?? 'gone';
}

function volumeWords(ids: readonly number[]): SafeText {
  return numberedWords(say`volume`, ids);
}

function formerFirewallWords(firewalls: readonly Firewall[]): SafeText {
  if (firewalls.length === 0) return say`removes all firewalls again`;
  return say`restores ${listedWords(
    say`firewall`,
    firewalls.map(({id, name}) => say`${nameInWords(name)} #${id}`),
  )}`;
}

function firewallsOn(machine: VirtualMachineId, firewalls: readonly Firewall[]): readonly FirewallId[] {
  return firewalls.filter(firewall => stateOn(machine, firewall) !== 'gone').map(({id}) => id);
}

function stateOn(machine: VirtualMachineId, firewall: Firewall | undefined): AttachmentState {
  const attachment = firewall?.attachments.find(({machineId}) => machineId === machine);
  return attachment === undefined ? 'gone' : attachmentState(attachment.status);
}

function stateAmong(firewalls: readonly Firewall[], machine: VirtualMachineId): (id: FirewallId) => AttachmentState {
  return id =>
    stateOn(
      machine,
      firewalls.find(firewall => firewall.id === id),
    );
}
