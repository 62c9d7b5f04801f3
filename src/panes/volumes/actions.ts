import {
  actionQuestion,
  cannotActionReason,
  cannotCreateReason,
  cannotOperateReason,
  permissionReason,
} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {checkName} from '../../actions/name-check.ts';
import {type Question, typedAnswer} from '../../actions/question.ts';
import {createVolume} from '../../actions/volumes.ts';
import {assert} from '../../domain/assert.ts';
import {PRICES} from '../../domain/cost.ts';
import {accrue, minutesOf, type Rate, rational, scaleRate} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {HOUR_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {presentAttachments, type Volume, type VolumeSpec} from '../../domain/volume.ts';
import type {VolumeRow} from '../../resources/volumes.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumesFeed, volumeTypesFeed} from '../../state/volumes.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import {formatGigabytes, formatRate, formatUsd} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

const HOURS_PER_MONTH = 730;
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
        ? {kind: 'ask', question: detachQuestion(volume, scene)}
        : {kind: 'form', form: attachForm(volume, scene)},
  },
  remove: {
    reason: ({volume}, scene) =>
      presentAttachments(volume).length > 0
        ? say`it is attached; detach it first (i)`
        : cannotActionReason(scene, {kind: 'volume.delete', id: volume.id}),
    run: row => ({kind: 'ask', question: deleteQuestion(row)}),
  },
};

function deleteQuestion({volume, rate}: VolumeRow): Question {
  return actionQuestion({
    title: say`delete volume ${volume.name}  #${volume.id}`,
    steps: [{action: {kind: 'volume.delete', id: volume.id}, subjectName: volume.name}],
    happens: [[{text: `The ${formatGigabytes(volume.sizeGb)} on it are gone for ever.`, tone: 'danger'}]],
    costs: rate === undefined ? [] : [[{text: `saves ${formatRate(rate)}`, tone: 'money'}]],
    undo: say`none: there is no copy`,
    answer: typedAnswer(volume.name, volume.id),
  });
}

function newVolumeForm(scene: Scene): Form {
  const environments = environmentsOf(scene);
  const fields = (): readonly FormField[] => [
    {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
    {key: 'environment', label: 'environment', initial: environments[0] ?? '', choices: environments},
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
    ...(isSize ? {} : {size: `whole gigabytes from 1 to ${MAX_SIZE_GB}`}),
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
  const costs = priceLines(sizeGb);
  return {mistakes: {}, notes: costs, question: createQuestion(spec, costs, scene)};
}

function createQuestion(spec: VolumeSpec, costs: readonly Line[], scene: Scene): Question {
  const action: ActionOf<'volume.create'> = {kind: 'volume.create', spec};
  const refusal = cannotActionReason(scene, action);
  return actionQuestion({
    title: say`create volume ${spec.name}`,
    steps: [{action, subjectName: spec.name}],
    happens: [
      [
        {
          text: `A ${spec.volumeType} of ${formatGigabytes(spec.sizeGb)} in ${spec.environmentName}, attached to nothing.`,
        },
      ],
    ],
    costs,
    care: refusal === undefined ? [] : [[{text: refusal, tone: 'danger'}]],
    undo: say`delete it again (X)`,
    answer: {kind: 'key'},
  });
}

/** The published storage price by the hour and by 730 hours; the service's own bill wins once there is one. */
function priceLines(sizeGb: number): readonly Line[] {
  const rate: Rate = scaleRate(PRICES.storagePerGb, rational(BigInt(sizeGb), 1n));
  const month = formatUsd(accrue(rate, minutesOf(HOURS_PER_MONTH * HOUR_MS)));
  return [
    [
      {text: `${formatRate(rate)}  ${month} for 730 h`, tone: 'money'},
      {text: '  at the published price, attached or not', tone: 'dim'},
    ],
  ];
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
      : permissionReason(scene, {kind: 'vm.detach-volumes', id: machine.id, volumeIds: [volume.id]});
  }
  if (volume.status !== 'AVAILABLE') return say`it is ${volume.statusText}`;
  const [candidate] = candidates(volume, scene);
  return candidate === undefined
    ? say`no machine of its environment is ACTIVE or SHUTOFF`
    : permissionReason(scene, {kind: 'vm.attach-volumes', id: candidate.id, volumeIds: [volume.id]});
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
      return {mistakes: {}, notes: [], question: attachQuestion(volume, machine)};
    },
  };
}

function attachQuestion(volume: Volume, machine: VirtualMachine): Question {
  return actionQuestion({
    title: say`attach ${volume.name}  #${volume.id} to ${machine.name}  #${machine.id}`,
    steps: [
      {
        action: {kind: 'vm.attach-volumes', id: machine.id, volumeIds: [volume.id]},
        subjectName: machine.name,
        status: machine.status,
      },
    ],
    happens: [[{text: `${machine.name} sees a new disk; it is mounted in the machine itself.`}]],
    undo: say`detach it again (i)`,
    answer: {kind: 'key'},
  });
}

function detachQuestion(volume: Volume, scene: Scene): Question {
  const machine = machineOf(volume, scene);
  assert(machine !== undefined, 'a volume is detached only from a machine that is known');
  const isRunning = machine.status === 'ACTIVE';
  return actionQuestion({
    title: say`detach ${volume.name}  #${volume.id} from ${machine.name}  #${machine.id}`,
    steps: [
      {
        action: {kind: 'vm.detach-volumes', id: machine.id, volumeIds: [volume.id]},
        subjectName: machine.name,
        status: machine.status,
      },
    ],
    happens: [[{text: `${machine.name} loses the disk; what is on it stays.`}]],
    care: isRunning
      ? [
          [
            {
              text: 'The machine is running: unmount the disk in it first, or what is being written is lost.',
              tone: 'warning',
            },
          ],
        ]
      : [],
    undo: say`attach it again (i)`,
    answer: isRunning ? typedAnswer(volume.name, volume.id) : {kind: 'key'},
  });
}

function environmentsOf({store}: Scene): readonly string[] {
  return lastValue(store.get(environmentsFeed))?.records.map(({name}) => name) ?? [];
}
