import {cannotCreateReason, cannotOperateReason, permissionReason} from '../../actions/action-question.ts';
import {candidate, questionFor} from '../../actions/ask.ts';
import type {Candidate} from '../../actions/assessment.ts';
import {environmentFacts} from '../../actions/creation-choices.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {attachVolumesTo, detachVolumesFrom} from '../../actions/machine-attachments.ts';
import {checkName} from '../../actions/name-check.ts';
import {createVolume, deleteVolume, volumeCost} from '../../actions/volumes.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume, type VolumeSpec} from '../../domain/volume.ts';
import type {VolumeRow} from '../../resources/volumes.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumesFeed, volumeTypesFeed} from '../../state/volumes.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import {asking, rowAction} from '../asking.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

const _HOURS_PER_MONTH = 730;
/** Of the service: at least 100 GB where it is booted from, at most a pebibyte in gigabytes (facts.md B3). */
const MAX_SIZE_GB = 1_048_576;
const VOLUME_TYPE = safeText('Cloud-SSD');

export const VOLUME_ACTIONS: PartActions<VolumeRow> = {
  open: {
    reason: ({volume}) =>
      presentAttachments(volume)[0]?.machineId === undefined
        ? say`it is attached to no machine; d describes it`
        : undefined,
    run: ({volume}) => {
      const machineId = presentAttachments(volume)[0]?.machineId;
      return machineId === undefined ? {kind: 'done'} : {kind: 'go', paneId: 'machines', objectId: machineId};
    },
  },
  create: {
    reason: scene =>
      cannotCreateReason(scene, createVolume) ??
      (environmentsOf(scene).length === 0 ? say`no environment is known to make it in` : undefined),
    run: scene => ({kind: 'form', form: newVolumeForm(scene)}),
  },
  edit: {
    reason: (row, scene) => attachmentReason(row, scene),
    run: ({volume}, scene) =>
      presentAttachments(volume).length > 0
        ? asking(detachments(volume, scene), scene)
        : {kind: 'form', form: attachForm(volume, scene)},
  },
  remove: rowAction(({volume}) => ({action: deleteVolume.with({id: volume.id}), subject: volume})),
};

function newVolumeForm(scene: Scene): Form {
  const environments = environmentsOf(scene);
  const fields = (): readonly FormField[] => [
    {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
    {
      key: 'environment',
      label: 'environment',
      initial: environments[0] ?? '',
      choices: environments,
      facts: environmentFacts(scene),
    },
    {key: 'size', label: 'size, GB', initial: '100', hint: 'cannot be made smaller'},
    {key: 'type', label: 'type', initial: VOLUME_TYPE, choices: typesOf(scene)},
    {key: 'description', label: 'description', initial: ''},
  ];
  return {
    title: say`new volume`,
    fields: fields(),
    fieldsFor: fields,
    wants: () => [{feed: volumeTypesFeed, priority: 2}],
    check: values => checkVolume(values, scene),
  };
}

/** The documented one, and whatever else the service offers. */
function typesOf({store}: Scene): readonly string[] {
  const offered = lastValue(store.get(volumeTypesFeed))?.records ?? [];
  return [...new Set([VOLUME_TYPE, ...offered])];
}

function checkVolume(values: FormValues, scene: Scene): FormCheck {
  const taken = lastValue(scene.store.get(volumesFeed))?.records.map(({name}) => name) ?? [];
  const nameMistake = checkName(values.name ?? '', taken);
  const sizeGb = Number(values.size);
  const isSize = /^\d+$/.test(values.size ?? '') && sizeGb >= 1 && sizeGb <= MAX_SIZE_GB;
  const mistakes = {
    ...(nameMistake === undefined ? {} : {name: nameMistake}),
    ...(isSize ? {} : {size: `whole GB, 1 to ${MAX_SIZE_GB}`}),
  };
  if (Object.keys(mistakes).length > 0) return {mistakes, notes: [], question: undefined};
  const spec: VolumeSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentName: safeText(values.environment ?? ''),
    sizeGb,
    volumeType: safeText(values.type ?? VOLUME_TYPE),
    ...(values.description === undefined || values.description === ''
      ? {}
      : {description: safeText(values.description)}),
  };
  const question = questionFor([candidate(createVolume.with({spec}), undefined, scene)], scene);
  return {mistakes: {}, notes: [volumeCost(sizeGb)], question};
}

/** Machines take and give volumes only while they stand still. */
const ATTACHABLE = new Set(['ACTIVE', 'SHUTOFF']);

function candidates(volume: Volume, {store}: Scene): readonly VirtualMachine[] {
  return (lastValue(store.get(machinesFeed))?.records ?? []).filter(
    ({status, environmentName, clusterId}) =>
      ATTACHABLE.has(status) && environmentName === volume.environmentName && clusterId === undefined,
  );
}

function attachmentReason({volume}: VolumeRow, scene: Scene): SafeText | undefined {
  const cannot = cannotOperateReason(scene);
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

/** The machine a volume is attached to, as far as the list knows it. */
function machineOf(volume: Volume, {store}: Scene): VirtualMachine | undefined {
  const machineId = presentAttachments(volume)[0]?.machineId;
  return lastValue(store.get(machinesFeed))?.records.find(({id}) => id === machineId);
}

function attachForm(volume: Volume, scene: Scene): Form {
  const machines = candidates(volume, scene);
  const choices = machines.map(({id, name}) => `${name} #${id}`);
  return {
    title: say`attach ${volume.name}  #${volume.id}`,
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

function environmentsOf({store}: Scene): readonly string[] {
  return lastValue(store.get(environmentsFeed))?.records.map(({name}) => name) ?? [];
}
