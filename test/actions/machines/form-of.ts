import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import type {ActionRecord} from '../../../src/actions/define.ts';
import type {Form} from '../../../src/actions/forms/form.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';

/** The form as the deck opens it with the action's key: its values lead to the question about the action. */
export function formOf(record: Pick<ActionRecord<`vm.${string}`>, 'kind' | 'keys'>) {
  const form = record.keys?.[0]?.form;
  if (form === undefined) throw new Error(`${record.kind} has no form`);
  return (machine: VirtualMachine, scene: Scene): Form =>
    form(machine, scene, action => questionFor([candidate(action, machine, scene)], scene));
}
