import {PRICES} from '../../domain/cost.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatRate} from '../../ui/format.ts';
import type {Assessment} from '../assessment.ts';
import {typedAnswer} from '../question.ts';

export function assessAttachAddress(): Assessment {
  return {
    happens: [[{text: 'It gets a new public address; which one cannot be chosen.'}]],
    costs: [
      [
        {text: `adds ${formatRate(PRICES.publicIp)}`, tone: 'money'},
        {text: '  at the published price', tone: 'dim'},
      ],
    ],
    warnings: [[{text: 'Its rules and firewalls decide who gets in.'}]],
    undo: 'detach it again (i I); the address is lost then',
    answer: {kind: 'key'},
  };
}

export function assessDetachAddress(_action: object, {id, name, floatingIp}: VirtualMachine): Assessment {
  const address = floatingIp ?? 'Its address';
  return {
    happens: [[{text: `${address} is released permanently: it cannot be had again.`, tone: 'danger'}]],
    costs: [[{text: `saves ${formatRate(PRICES.publicIp)}`, tone: 'money'}]],
    undo: 'none: another address can be attached, not this one',
    answer: typedAnswer(name, id),
  };
}
