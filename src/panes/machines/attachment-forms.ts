import {isAttached} from '../../actions/access-lines.ts';
import {questionAbout} from '../../actions/ask.ts';
import {recordsOf} from '../../actions/creation-choices.ts';
import type {Form} from '../../actions/form.ts';
import {attachVolumesTo, detachVolumesFrom, setFirewalls, tooManyVolumes} from '../../actions/machine-attachments.ts';
import {volumeWord} from '../../actions/machines/assess-attachments.ts';
import {attachedVolumes} from '../../actions/machines/remaining-volumes.ts';
import {diffLines, setForm} from '../../actions/set-form.ts';
import type {Firewall} from '../../domain/firewall.ts';
import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume, volumeId} from '../../domain/volume.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {takenIn} from '../../ui/form-field.ts';
import type {Scene} from '../pane.ts';

/** Several at once; only those that hang on nothing and are of the same environment. */
export function attachVolumesForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name} = machine;
  const free = freeVolumesFor(machine, scene);
  const words = free.map(wordOf);
  return {
    title: say`attach volumes to ${name}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space takes'}],
    wants: () => [{feed: volumesFeed, priority: 1}],
    check: values => {
      const chosen = free.filter(volume => takenIn(values.volumes).includes(wordOf(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'take one with space'}, notes: [], question: undefined};
      const tooMany = tooManyVolumes(machine, chosen.length);
      if (tooMany !== undefined) return {mistakes: {volumes: tooMany}, notes: [], question: undefined};
      const action = attachVolumesTo.with({id, volumeIds: chosen.map(each => each.id)});
      const question = questionAbout(action, machine, scene);
      return {mistakes: {}, notes: diffLines([], chosen.map(wordOf)), question};
    },
  };
}

export function freeVolumesFor({environmentName}: VirtualMachine, scene: Scene): readonly Volume[] {
  return recordsOf(scene, volumesFeed).filter(
    volume =>
      environmentName !== undefined &&
      volume.environmentName === environmentName &&
      volume.status === 'AVAILABLE' &&
      presentAttachments(volume).length === 0,
  );
}

function wordOf(volume: Volume): string {
  return volumeWord(volume.id, volume);
}

/** Volumes that are attached and not protected, in one call. */
export function detachVolumesForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name} = machine;
  const attached = detachableVolumes(machine);
  const words = attached.map(attachedWord);
  return {
    title: say`detach volumes from ${name}  #${id}`,
    fields: [{key: 'volumes', label: 'volumes', initial: '', choices: words, takesMany: true, hint: 'space takes'}],
    check: values => {
      const chosen = attached.filter(volume => takenIn(values.volumes).includes(attachedWord(volume)));
      if (chosen.length === 0) return {mistakes: {volumes: 'take one with space'}, notes: [], question: undefined};
      const action = detachVolumesFrom.with({id, volumeIds: chosen.map(each => volumeId(each.volumeId))});
      const question = questionAbout(action, machine, scene);
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

/** The whole set of the machine's firewalls, since the service takes the whole set: those not in it are detached. */
export function firewallsForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name} = machine;
  const firewalls = firewallsFor(machine, scene);
  const standing = firewalls.filter(firewall => isAttached(firewall, id));
  return setForm<Firewall>({
    title: say`firewalls of ${name}  #${id}`,
    label: 'firewalls',
    options: firewalls,
    standing,
    wordOf: firewall => `${firewall.name} #${firewall.id}`,
    wants: [{feed: firewallsFeed, priority: 1}],
    question: wanted => {
      const action = setFirewalls.with({id, firewallIds: wanted.map(each => each.id)});
      return questionAbout(action, machine, scene);
    },
  });
}

export function firewallsFor(machine: VirtualMachine, scene: Scene): readonly Firewall[] {
  return recordsOf(scene, firewallsFeed).filter(
    firewall =>
      isAttached(firewall, machine.id) ||
      (firewall.environmentName !== undefined && firewall.environmentName === machine.environmentName),
  );
}
