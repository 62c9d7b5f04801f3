import {describeOperation} from '../../domain/describe-operation.ts';
import {isEnded} from '../../domain/operation.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {canTakeVolume, presentAttachments, unknownAttachmentsReason, type Volume} from '../../domain/volume.ts';
import {machinesFeed} from '../../state/machines.ts';
import {cannotOperateReason, permissionReason} from '../question/action-question.ts';
import type {Candidate} from '../question/assessment.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {recordsOf} from '../creation/choices.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {repeatedAmong} from '../question/missing-names.ts';
import type {Form} from './form.ts';
import {candidate, questionFor} from '../question/question-for.ts';
import {attachVolumesTo, detachVolumesFrom} from '../machines/volumes.ts';

// Attaching and detaching are actions on a machine; this is how they begin at a volume.

/** Why the volume can be neither attached nor detached now. */
export function attachmentReason(volume: Volume, known: AssessmentInput): SafeText | undefined {
  const cannot =
    cannotOperateReason(known) ??
    underWayReason(volume, known) ??
    repeatedAmong(known, volumesFeed, {what: say`volume`, ids: [volume.id]});
  if (cannot !== undefined) return cannot;
  const [attachment] = presentAttachments(volume);
  if (attachment !== undefined) {
    if (attachment.isProtected === true) return say`the attachment is protected`;
    const machine = machineOf(volume, known);
    return machine === undefined
      ? say`its machine is not in the list`
      : (repeatedMachine(machine, known) ??
          permissionReason(known, detachVolumesFrom.with({id: machine.id, volumeIds: [volume.id]})));
  }
  if (volume.status !== 'AVAILABLE') return say`it is ${volume.statusText}`;
  const unknown = unknownAttachmentsReason(volume);
  if (unknown !== undefined) return unknown;
  const [machine] = machinesFor(volume, known);
  return machine === undefined
    ? say`no machine of its environment is ACTIVE or SHUTOFF`
    : permissionReason(known, attachVolumesTo.with({id: machine.id, volumeIds: [volume.id]}));
}

/** Attach and detach are operations on machines, so they lock the machine and not the volume. */
function underWayReason({id}: Volume, {operations, now}: AssessmentInput): SafeText | undefined {
  const holder = operations
    ?.all()
    .find(({phase, action}) => !isEnded(phase) && Array.isArray(action.volumeIds) && action.volumeIds.includes(id));
  return holder === undefined ? undefined : describeOperation(holder, now).text;
}

function machinesFor(volume: Volume, known: AssessmentInput): readonly VirtualMachine[] {
  return recordsOf(known, machinesFeed).filter(machine => canTakeVolume(machine, volume));
}

/** The machine a volume is attached to, as far as the list knows it. */
function machineOf(volume: Volume, known: AssessmentInput): VirtualMachine | undefined {
  const machineId = presentAttachments(volume)[0]?.machineId;
  return recordsOf(known, machinesFeed).find(({id}) => id === machineId);
}

function repeatedMachine({id}: VirtualMachine, known: AssessmentInput): SafeText | undefined {
  return repeatedAmong(known, machinesFeed, {what: say`machine`, ids: [id]});
}

/** Chooses the machine. */
export function attachmentForm(volume: Volume, known: AssessmentInput): Form {
  const machines = machinesFor(volume, known);
  const choices = machines.map(({id, name}) => `${name} #${id}`);
  return {
    title: say`attach ${nameInWords(volume.name)}  #${volume.id}`,
    fields: [{key: 'machine', label: 'to machine', initial: choices[0] ?? '', choices}],
    check: values => {
      const machine = machines[choices.indexOf(values.machine ?? '')];
      if (machine === undefined) return {mistakes: {machine: 'choose a machine'}, notes: [], question: undefined};
      const twice = repeatedMachine(machine, known);
      if (twice !== undefined) return {mistakes: {machine: twice}, notes: [], question: undefined};
      const action = attachVolumesTo.with({id: machine.id, volumeIds: [volume.id]});
      return {mistakes: {}, notes: [], question: questionFor([candidate(action, machine, known)], known)};
    },
  };
}

/** The detachment from the machine that it is attached to. */
export function detachments(volume: Volume, known: AssessmentInput): readonly Candidate[] {
  const machine = machineOf(volume, known);
  if (machine === undefined) return [];
  return [candidate(detachVolumesFrom.with({id: machine.id, volumeIds: [volume.id]}), machine, known)];
}
