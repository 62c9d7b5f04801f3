import {actionQuestion, cannotActionReason} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import {flavorWords} from '../../actions/creation-cost.ts';
import type {Question} from '../../actions/question.ts';
import {say} from '../../domain/safe-text.ts';
import {ruleWords} from '../../domain/security-rule.ts';
import type {MachineSpec} from '../../domain/virtual-machine.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';
import type {PlannedMachine} from './new-machine-check.ts';

export function createMachineQuestion({spec, flavor, costs, care}: PlannedMachine, scene: Scene): Question {
  const action: ActionOf<'vm.create'> = {kind: 'vm.create', spec};
  const refusal = cannotActionReason(scene, action);
  const {count} = spec;
  return actionQuestion({
    title: count === 1 ? say`create machine ${spec.name}` : say`create ${count} machines ${spec.name}`,
    steps: [{action, subjectName: spec.name}],
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
