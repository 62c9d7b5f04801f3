import {PRICES} from '../../domain/cost.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatRate} from '../../ui/format.ts';
import {actionQuestion} from '../action-question.ts';
import {type Question, typedAnswer} from '../question.ts';

export function attachAddressQuestion(machine: VirtualMachine): Question {
  const {id, name, status} = machine;
  return actionQuestion({
    title: say`attach a public address to ${name}  #${id}`,
    steps: [{action: {kind: 'vm.attach-ip', id}, subjectName: name, status}],
    happens: [[{text: 'It gets a new public address; which one cannot be chosen.'}]],
    costs: [
      [
        {text: `adds ${formatRate(PRICES.publicIp)}`, tone: 'money'},
        {text: '  at the published price', tone: 'dim'},
      ],
    ],
    care: [[{text: 'Its rules and firewalls decide who gets in.'}]],
    undo: say`detach it again (i I); the address is lost then`,
    answer: {kind: 'key'},
  });
}

export function detachAddressQuestion(machine: VirtualMachine, floatingIp: SafeText): Question {
  const {id, name, status} = machine;
  return actionQuestion({
    title: say`detach the public address of ${name}  #${id}`,
    steps: [{action: {kind: 'vm.detach-ip', id}, subjectName: name, status}],
    happens: [
      [{text: `${floatingIp} is given away for ever; whoever reaches it there reaches it no more.`, tone: 'danger'}],
    ],
    costs: [[{text: `saves ${formatRate(PRICES.publicIp)}`, tone: 'money'}]],
    undo: say`none: another address can be attached, not this one`,
    answer: typedAnswer(name, id),
  });
}
