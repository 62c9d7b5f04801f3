import {VERBS, type Verb} from '../../world/operations.ts';
import {badRequest, succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {FLAG} from '../schema.ts';
import {withMachine} from './virtual-machines.ts';

const ANSWERS: Readonly<Record<Verb, string>> = {
  start: 'Starting virtual machine',
  stop: 'Stopping virtual machine',
  'hard-reboot': 'Rebooting virtual machine',
  hibernate: 'Hibernating virtual machine',
  'hibernate-restore': 'Restoring virtual machine from hibernation',
};

const SUMMARIES: Readonly<Record<Verb, string>> = {
  start: 'Start a virtual machine that is shut off',
  stop: 'Stop a virtual machine',
  'hard-reboot': 'Reboot a virtual machine the hard way',
  hibernate: 'Hibernate a virtual machine',
  'hibernate-restore': 'Restore a virtual machine from hibernation',
};

/** The power operations. They are GET requests that change the world: that is the interface, not a mistake here. */
export const machineActionRoutes: readonly Route[] = VERBS.map(verb => ({
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

function operate(inquiry: Inquiry, verb: Verb): Response {
  return withMachine(inquiry, machine => {
    const retainsIp = inquiry.query('retain_ip')?.toLowerCase() === 'true';
    const verdict = inquiry.world.operate(machine, verb, {userId: inquiry.caller.user.id, retainsIp});
    return verdict.isAccepted ? succeeded(ANSWERS[verb]) : badRequest(verdict.message);
  });
}
