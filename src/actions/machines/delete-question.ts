import {currentRate} from '../../domain/cost.ts';
import {ZERO_RATE} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {actionQuestion, cannotActionReason} from '../action-question.ts';
import type {Known} from '../known.ts';
import {presentRate} from '../known.ts';
import {workLines} from '../machine-activity.ts';
import {type Question, typedAnswer} from '../question.ts';
import {contractLines} from './contract-lines.ts';
import {nodeReason} from './machine-reason.ts';
import {ownSessionLines} from './own-machine.ts';
import {LIST_PRICE} from './power-question.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';

/** Why the machine cannot be deleted now, the most fundamental reason first. */
export function deleteReason(machine: VirtualMachine, scene: Known): SafeText | undefined {
  const cannot = cannotActionReason(scene, {kind: 'vm.delete', id: machine.id});
  if (cannot !== undefined) return cannot;
  const node = nodeReason(machine);
  if (node !== undefined) return node;
  if (machine.isLocked === true) return say`it is locked against being deleted`;
  if (machine.status === 'CREATING') return say`it is CREATING; the service refuses until it is made`;
  return machine.status === 'DELETING' || machine.status === 'DELETED' ? say`already ${machine.statusText}` : undefined;
}

/** What is lost for ever, what stays and is paid for, and the full name. */
export function deleteQuestion(machine: VirtualMachine, scene: Known): Question {
  const {id, name, floatingIp} = machine;
  return actionQuestion({
    title: say`delete machine ${name}  #${id}`,
    steps: [{action: {kind: 'vm.delete', id}, subjectName: name, status: machine.status}],
    happens: [
      [{text: `It is gone for ever, and with it ${disksOf(machine)}.`, tone: 'danger'}],
      ...(floatingIp === undefined
        ? []
        : [[{text: `Its address ${floatingIp} is given away for ever.`, tone: 'danger' as const}]]),
    ],
    costs: [...costLines(machine, scene), ...remainingVolumeLines(machine, scene)],
    care: [...ownSessionLines(machine, scene), ...workLines(scene, machine), ...contractLines(machine, scene)],
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

/** A deleted machine costs nothing; what it costs before is told as for every other action. */
function costLines(machine: VirtualMachine, scene: Known): readonly Line[] {
  const {rate, isListPrice} = currentRate(machine, presentRate(scene, machine.id), scene.preferences.prices);
  if (rate === undefined) return [[{text: 'What it saves is not known.', tone: 'money'}]];
  return [
    [
      {text: `now ${formatRate(rate)}  after ${formatRate(ZERO_RATE)}`, tone: 'money'},
      {text: `  (${formatSavings(rate, machine.contractId !== undefined)})`, tone: 'dim'},
    ],
    ...(isListPrice ? [LIST_PRICE] : []),
  ];
}
