import type {ActOf} from '../../domain/act.ts';
import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import type {MachineSpec} from '../../domain/virtual-machine.ts';
import type {Line} from '../../ui/text.ts';
import {actQuestion, cannotActReason} from '../act-question.ts';
import type {Question} from '../command.ts';
import {flavorWords} from '../creation-cost.ts';
import type {Scene} from '../pane.ts';
import type {PlannedMachine} from './new-machine-check.ts';

export function createMachineQuestion({spec, flavor, costs, care}: PlannedMachine, scene: Scene): Question {
  const act: ActOf<'vm.create'> = {kind: 'vm.create', spec};
  const refusal = cannotActReason(scene, act);
  const {count} = spec;
  return actQuestion({
    title: count === 1 ? say`create machine ${spec.name}` : say`create ${count} machines ${spec.name}`,
    steps: [{act, subjectName: spec.name}],
    happens: [
      [{text: `${count} × ${spec.flavorName}`, tone: 'strong'}, {text: `  ${flavorWords(flavor)}`}],
      [{text: `${spec.imageName ?? 'no image'}, key ${spec.keyPairName}, in ${spec.environmentName}`}],
      [{text: extrasOf(spec)}],
    ],
    costs,
    care: [...(refusal === undefined ? [] : [[{text: refusal, tone: 'danger'}] satisfies Line]), ...care],
    undo: say`delete it again (X)`,
    answer: {kind: 'key'},
  });
}

function extrasOf({assignsFloatingIp, rules, labels, callbackUrl, volumeName}: MachineSpec): string {
  return [
    assignsFloatingIp === true ? 'public IP' : 'no public IP',
    ...(rules ?? []).map(rule => ruleWords(rule)),
    ...(labels === undefined ? [] : [`labels ${labels.join(', ')}`]),
    ...(callbackUrl === undefined ? [] : [`callback ${callbackUrl}`]),
    ...(volumeName === undefined ? [] : [`volume ${volumeName}`]),
  ].join(';  ');
}
