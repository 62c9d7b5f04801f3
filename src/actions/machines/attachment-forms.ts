import type {Firewall, FirewallId} from '../../domain/firewall.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine, VirtualMachineId, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {isUnattached, type Volume, type VolumeId, volumeId} from '../../domain/volume.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {takenIn} from '../../ui/form-field.ts';
import {isAttached, unreadFirewall} from '../access-lines.ts';
import type {Ask} from '../action-key.ts';
import {recordsOf} from '../creation-choices.ts';
import type {Form} from '../form.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {diffLines, setForm} from '../set-form.ts';
import {volumeWord} from './assess-attachments.ts';
import {attachedVolumes, tooManyVolumes} from './remaining-volumes.ts';

type VolumesParameters = {readonly id: VirtualMachineId; readonly volumeIds: readonly VolumeId[]};

/** Several at once; only unattached ones of the same environment. */
export function attachVolumesForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<VolumesParameters>): Form {
  const {id, name} = machine;
  const free = freeVolumesFor(machine, known);
  const words = free.map(wordOf);
  return {
    title: say`attach volumes to ${nameInWords(name)}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space selects'}],
    wants: () => [{feed: volumesFeed, priority: 1}],
    check: values => {
      const chosen = free.filter(volume => takenIn(values.volumes).includes(wordOf(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'select one with space'}, notes: [], question: undefined};
      const tooMany = tooManyVolumes(machine, chosen.length);
      if (tooMany !== undefined) return {mistakes: {volumes: tooMany}, notes: [], question: undefined};
      const question = ask({id, volumeIds: chosen.map(each => each.id)});
      return {mistakes: {}, notes: diffLines([], chosen.map(wordOf)), question};
    },
  };
}

export function freeVolumesFor({environmentName}: VirtualMachine, known: AssessmentInput): readonly Volume[] {
  return recordsOf(known, volumesFeed).filter(
    volume => environmentName !== undefined && volume.environmentName === environmentName && isUnattached(volume),
  );
}

function wordOf(volume: Volume): string {
  return volumeWord(volume.id, volume);
}

/** Volumes that are attached and not protected, in one call. */
export function detachVolumesForm(machine: VirtualMachine, _known: AssessmentInput, ask: Ask<VolumesParameters>): Form {
  const {id, name} = machine;
  const attached = detachableVolumes(machine);
  const words = attached.map(attachedWord);
  return {
    title: say`detach volumes from ${nameInWords(name)}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space selects'}],
    check: values => {
      const chosen = attached.filter(volume => takenIn(values.volumes).includes(attachedWord(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'select one with space'}, notes: [], question: undefined};
      const question = ask({id, volumeIds: chosen.map(each => volumeId(each.volumeId))});
      return {mistakes: {}, notes: diffLines(chosen.map(attachedWord), []), question};
    },
  };
}

type DetachableVolume = VolumeAttachment & {readonly volumeId: number};

export function detachableVolumes(machine: VirtualMachine): readonly DetachableVolume[] {
  return attachedVolumes(machine).flatMap(volume =>
    volume.volumeId === undefined ? [] : [{...volume, volumeId: volume.volumeId}],
  );
}

function attachedWord(volume: DetachableVolume): string {
  return volumeWord(volume.volumeId, volume);
}

type FirewallsParameters = {readonly id: VirtualMachineId; readonly firewallIds: readonly FirewallId[]};

/** The full set of the machine's firewalls, as the service requires: any left out is detached. */
export function firewallsForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<FirewallsParameters>): Form {
  const {id, name} = machine;
  const firewalls = firewallsFor(machine, known);
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return setForm<Firewall>({
    title: say`firewalls of ${nameInWords(name)}  #${id}`,
    label: 'firewalls',
    options: firewalls,
    standing,
    wordOf: firewall => `${firewall.name} #${firewall.id}`,
    wants: [{feed: firewallsFeed, priority: 1}],
    question: wanted => ask({id, firewallIds: wanted.map(each => each.id)}),
  });
}

/** The full set is sent, so it must be known completely. */
export function firewallsReason(machine: VirtualMachine, known: AssessmentInput): SafeText | undefined {
  const listing = lastValue(known.store.get(firewallsFeed));
  if (listing === undefined) return say`its firewalls are not read yet`;
  if (listing.incompleteReason !== undefined) return say`the list of firewalls is incomplete`;
  if (listing.quarantined.length > 0) return say`not all firewalls could be read`;
  const unread = unreadFirewall(machine, listing.records);
  if (unread !== undefined) return unread;
  return firewallsFor(machine, known).length === 0 ? say`its environment has no firewalls` : undefined;
}

function firewallsFor(machine: VirtualMachine, known: AssessmentInput): readonly Firewall[] {
  return recordsOf(known, firewallsFeed).filter(
    firewall =>
      isAttached(firewall, machine.id) ||
      (firewall.environmentName !== undefined && firewall.environmentName === machine.environmentName),
  );
}
