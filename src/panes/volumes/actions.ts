import {cannotOperateReason, permissionReason} from '../../actions/action-question.ts';
import {candidate, questionFor} from '../../actions/question-for.ts';
import type {Candidate} from '../../actions/assessment.ts';
import type {Form} from '../../actions/form.ts';
import {attachVolumesTo, detachVolumesFrom} from '../../actions/machines/volumes.ts';
import {describeOperation} from '../../domain/describe-operation.ts';
import {isEnded} from '../../domain/operation.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {canTakeVolume, presentAttachments, type Volume} from '../../domain/volume.ts';
import type {VolumeRow} from '../../resources/volumes.ts';
import {machinesFeed} from '../../state/machines.ts';
import {askAbout} from '../action-keys.ts';
import type {PartActions, PartCommand} from '../list/part.tsx';
import type {Scene} from '../pane.ts';
import {partActions} from '../action-keys.ts';
import {KEYS} from '../../actions/keys.ts';

const VOLUME_PART = partActions<VolumeRow>('volume', ({volume}) => volume);

/** Attaching a volume is an action on a machine, which is chosen here. */
const ATTACHING: PartCommand<VolumeRow> = {
  key: KEYS.edit,
  title: say`attach, detach`,
  help: 'Attaches the volume to a machine, chosen by form, or detaches it.',
  reason: attachmentReason,
  run: ({volume}, scene) =>
    presentAttachments(volume).length > 0
      ? askAbout(detachments(volume, scene), scene)
      : {kind: 'form', form: attachForm(volume, scene)},
};

export const VOLUME_ACTIONS: PartActions<VolumeRow> = {
  ...VOLUME_PART,
  commands: [ATTACHING, ...VOLUME_PART.commands],
};

function candidates(volume: Volume, {store}: Scene): readonly VirtualMachine[] {
  return (lastValue(store.get(machinesFeed))?.records ?? []).filter(machine => canTakeVolume(machine, volume));
}

function attachmentReason({volume}: VolumeRow, scene: Scene): SafeText | undefined {
  const cannot = cannotOperateReason(scene) ?? underWayReason(volume, scene);
  if (cannot !== undefined) return cannot;
  const [attachment] = presentAttachments(volume);
  if (attachment !== undefined) {
    if (attachment.isProtected === true) return say`the attachment is protected`;
    const machine = machineOf(volume, scene);
    return machine === undefined
      ? say`its machine is not in the list`
      : permissionReason(scene, detachVolumesFrom.with({id: machine.id, volumeIds: [volume.id]}));
  }
  if (volume.status !== 'AVAILABLE') return say`it is ${volume.statusText}`;
  const [machine] = candidates(volume, scene);
  return machine === undefined
    ? say`no machine of its environment is ACTIVE or SHUTOFF`
    : permissionReason(scene, attachVolumesTo.with({id: machine.id, volumeIds: [volume.id]}));
}

/** Attach and detach are operations on machines, so they lock the machine and not the volume. */
function underWayReason({id}: Volume, {operations}: Scene): SafeText | undefined {
  const holder = operations
    ?.all()
    .find(({phase, action}) => !isEnded(phase) && Array.isArray(action.volumeIds) && action.volumeIds.includes(id));
  return holder === undefined ? undefined : describeOperation(holder).text;
}

/** The machine a volume is attached to, as far as the list knows it. */
function machineOf(volume: Volume, {store}: Scene): VirtualMachine | undefined {
  const machineId = presentAttachments(volume)[0]?.machineId;
  return lastValue(store.get(machinesFeed))?.records.find(({id}) => id === machineId);
}

function attachForm(volume: Volume, scene: Scene): Form {
  const machines = candidates(volume, scene);
  const choices = machines.map(({id, name}) => `${name} #${id}`);
  return {
    title: say`attach ${nameInWords(volume.name)}  #${volume.id}`,
    fields: [{key: 'machine', label: 'to machine', initial: choices[0] ?? '', choices}],
    check: values => {
      const machine = machines[choices.indexOf(values.machine ?? '')];
      if (machine === undefined) return {mistakes: {machine: 'choose a machine'}, notes: [], question: undefined};
      const action = attachVolumesTo.with({id: machine.id, volumeIds: [volume.id]});
      return {mistakes: {}, notes: [], question: questionFor([candidate(action, machine, scene)], scene)};
    },
  };
}

function detachments(volume: Volume, scene: Scene): readonly Candidate[] {
  const machine = machineOf(volume, scene);
  if (machine === undefined) return [];
  return [candidate(detachVolumesFrom.with({id: machine.id, volumeIds: [volume.id]}), machine, scene)];
}
