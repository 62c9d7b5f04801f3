import {attachmentState} from '../../domain/act-rules/attachment-state.ts';
import {PRICES} from '../../domain/cost.ts';
import {type Rate, rational, scaleRate, sumRates} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VirtualMachine, VolumeAttachment} from '../../domain/virtual-machine.ts';
import {usageFeed} from '../../state/feeds.ts';
import {formatGigabytes, formatPercent, formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {actQuestion, cannotActReason} from '../act-question.ts';
import {type Question, typedAnswer} from '../command.ts';
import type {Scene} from '../pane.ts';
import {nodeReason} from './machine-reason.ts';
import {activityOf, presentRate} from './rows.ts';

/** Why the machine cannot be deleted now, the most fundamental reason first. */
export function deleteReason(machine: VirtualMachine, scene: Scene): SafeText | undefined {
  const cannot = cannotActReason(scene, {kind: 'vm.delete', id: machine.id});
  if (cannot !== undefined) return cannot;
  const node = nodeReason(machine);
  if (node !== undefined) return node;
  if (machine.isLocked === true) return say`it is locked against being deleted`;
  if (machine.status === 'CREATING') return say`it is CREATING; the service refuses until it is made`;
  return machine.status === 'DELETING' || machine.status === 'DELETED' ? say`already ${machine.statusText}` : undefined;
}

/** What is lost for ever, what stays and is paid for, and the full name. */
export function deleteQuestion(machine: VirtualMachine, scene: Scene): Question {
  const {id, name, floatingIp} = machine;
  return actQuestion({
    title: say`delete machine ${name}  #${id}`,
    steps: [{act: {kind: 'vm.delete', id}, subjectName: name, status: machine.status}],
    happens: [
      [{text: `It is gone for ever, and with it ${disksOf(machine)}.`, tone: 'danger'}],
      ...(floatingIp === undefined
        ? []
        : [[{text: `Its address ${floatingIp} is given away for ever.`, tone: 'danger' as const}]]),
    ],
    costs: [savingLine(machine, scene), ...volumeLines(machine, scene)],
    care: [...workLines(machine, scene), ...contractLines(machine)],
    undo: say`none: there is no copy of it`,
    answer: typedAnswer(name, id),
  });
}

function disksOf({flavor}: VirtualMachine): string {
  const root =
    flavor?.rootDiskGb === undefined ? 'its root disk' : `its root disk of ${formatGigabytes(flavor.rootDiskGb)}`;
  const ephemeralGb = flavor?.ephemeralDiskGb ?? 0;
  return ephemeralGb === 0 ? root : `${root} and ${formatGigabytes(ephemeralGb)} of ephemeral disk`;
}

function savingLine(machine: VirtualMachine, scene: Scene): Line {
  const rate = presentRate(scene, machine.id);
  return [{text: rate === undefined ? 'What it saves is not known.' : `saves ${formatRate(rate)}`, tone: 'money'}];
}

/** Volumes outlive the machine, and nobody thinks of them afterwards. */
function volumeLines(machine: VirtualMachine, scene: Scene): readonly Line[] {
  const volumes = attachedVolumes(machine);
  if (volumes.length === 0) return [];
  const names = volumes.map(({name}) => name).join(', ');
  const rate = sumRates(volumes.map(volume => volumeRate(volume, scene)));
  const what = volumes.length === 1 ? 'Its volume stays' : `Its ${volumes.length} volumes stay`;
  const stay = `${what}, billed at ${formatRate(rate)}: ${names}`;
  return [[{text: stay, tone: 'warning'}]];
}

export function attachedVolumes({volumes}: VirtualMachine): readonly VolumeAttachment[] {
  return volumes.filter(({status}) => attachmentState(status) !== 'gone');
}

/** As metered, or at the published price of its size. */
function volumeRate({volumeId, sizeGb}: VolumeAttachment, {store}: Scene): Rate {
  const record = lastValue(store.get(usageFeed))?.records.find(
    each => each.resourceType.toLowerCase() === 'volume' && each.resourceId === volumeId && each.isActive,
  );
  return record?.rate ?? scaleRate(PRICES.storagePerGb, rational(BigInt(Math.round(sizeGb ?? 0)), 1n));
}

function workLines(machine: VirtualMachine, scene: Scene): readonly Line[] {
  const activity = activityOf(scene, machine);
  if (machine.status !== 'ACTIVE' || activity?.isWorking !== 'yes') return [];
  return [[{text: `It is WORKING right now: cpu ${formatPercent(activity.cpu.latest)}.`, tone: 'danger'}]];
}

function contractLines({contractId}: VirtualMachine): readonly Line[] {
  if (contractId === undefined) return [];
  return [[{text: `It is under contract #${contractId}: the saving is anything from $0 to that.`, tone: 'warning'}]];
}
