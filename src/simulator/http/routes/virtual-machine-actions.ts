import {operate as begin, POWER_VERBS, type PowerVerb} from '../../world/lifecycle.ts';
import {succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {FLAG} from '../schema.ts';
import {answered} from './outcome-answer.ts';
import {withMachine} from './virtual-machines.ts';

const ANSWERS: Readonly<Record<PowerVerb, string>> = {
  start: 'Starting virtual machine',
  stop: 'Stopping virtual machine',
  'hard-reboot': 'Rebooting virtual machine',
  hibernate: 'Hibernating virtual machine',
  'hibernate-restore': 'Restoring virtual machine from hibernation',
};

const SUMMARIES: Readonly<Record<PowerVerb, string>> = {
  start: 'Start a virtual machine that is shut off',
  stop: 'Stop a virtual machine',
  'hard-reboot': 'Reboot a virtual machine the hard way',
  hibernate: 'Hibernate a virtual machine',
  'hibernate-restore': 'Restore a virtual machine from hibernation',
};

/** The power operations. They are GET requests that change the world: that is the interface, not a mistake here. */
export const machineActionRoutes: readonly Route[] = POWER_VERBS.map(verb => ({
  method: 'GET',
  pattern: `/core/virtual-machines/:vm_id/${verb}`,
  requires: {permission: 'machines:operate', action: `${verb} virtual machines`},
  describes: {
    summary: SUMMARIES[verb],
    refusals: [400],
    ...(verb === 'hibernate' ? {query: {retain_ip: FLAG}} : {}),
  },
  answer: inquiry => operate(inquiry, verb),
}));

function operate(inquiry: Inquiry, verb: PowerVerb): Response {
  return withMachine(inquiry, machine => {
    const retainsIp = inquiry.query('retain_ip')?.toLowerCase() === 'true';
    const request = {userId: inquiry.caller.user.id, retainsIp};
    return answered(begin(inquiry.world, machine, verb, request), () => succeeded(ANSWERS[verb]));
  });
}
