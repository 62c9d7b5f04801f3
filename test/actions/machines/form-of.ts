import type {Ask} from '../../../src/actions/action-key.ts';
import {candidate, questionFor} from '../../../src/actions/ask.ts';
import type {ActionRecord} from '../../../src/actions/define.ts';
import type {Form} from '../../../src/actions/form.ts';
import type {ActionParameters} from '../../../src/domain/action.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';

/** The form as the deck opens it: its values lead to the question about the action. */
export function formOf<Parameters extends ActionParameters>(
  record: Pick<ActionRecord<`vm.${string}`, Parameters>, 'with'>,
  form: (machine: VirtualMachine, scene: Scene, ask: Ask<Parameters>) => Form,
) {
  return (machine: VirtualMachine, scene: Scene): Form =>
    form(machine, scene, parameters => questionFor([candidate(record.with(parameters), machine, scene)], scene));
}
