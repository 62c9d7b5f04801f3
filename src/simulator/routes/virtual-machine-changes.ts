import {badRequest, succeeded} from '../answer.ts';
import type {Machine} from '../machine.ts';
import type {Inquiry, Route} from '../route.ts';
import {
  type BodyFields,
  callbackUrl,
  type FieldRule,
  integer,
  isObject,
  listOf,
  readBody,
  text,
} from './body-fields.ts';
import {answered} from './outcome-answer.ts';
import {withMachine} from './virtual-machines.ts';

const PATH = '/core/virtual-machines/:vm_id';
const NAME_LIMIT = 250;
const URL_FIELD = {url: {check: callbackUrl, isRequired: true}} as const;
const FIREWALLS_FIELD = {firewalls: {check: listOf(integer(1)), isRequired: true}} as const;
const LABELS_FIELD = {labels: {check: listOf(text(NAME_LIMIT)), isRequired: true}} as const;
const RESIZE_FIELDS: Readonly<Record<string, FieldRule>> = {
  flavor_name: {check: text(NAME_LIMIT)},
  flavor: {check: value => (isObject(value) ? undefined : 'must be an object')},
};

/** Changes of one machine other than switching it on and off. All are scheduled; none shows at once. */
export const machineChangeRoutes: readonly Route[] = [
  change('DELETE', '', 'delete virtual machines', ({world, caller}, machine) =>
    answered(world.machineOperations.remove(machine, caller.user.id), () => succeeded('Deleting virtual machine')),
  ),
  change('POST', '/resize', 'resize virtual machines', withFields(RESIZE_FIELDS, resize)),
  change('POST', '/attach-floatingip', 'attach public IPs', ({world, caller}, machine) =>
    answered(world.machineOperations.attachAddress(machine, caller.user.id), () => succeeded('Attaching public IP')),
  ),
  change('POST', '/detach-floatingip', 'detach public IPs', ({world, caller}, machine) =>
    answered(world.machineOperations.detachAddress(machine, caller.user.id), () => succeeded('Detaching public IP')),
  ),
  change('POST', '/attach-callback', 'attach callbacks', withFields(URL_FIELD, setCallback('attach'))),
  change('PUT', '/update-callback', 'update callbacks', withFields(URL_FIELD, setCallback('update'))),
  change('DELETE', '/delete-callback', 'delete callbacks', ({world}, machine) =>
    answered(world.machineOperations.removeCallback(machine), () => succeeded('Callback deleted')),
  ),
  change(
    'PUT',
    '/label',
    'label virtual machines',
    withFields(LABELS_FIELD, ({world}, machine, fields) =>
      answered(world.machineOperations.relabel(machine, fields.texts('labels')), () => succeeded('Labels updated')),
    ),
  ),
  change(
    'POST',
    '/attach-firewalls',
    'attach firewalls',
    withFields(FIREWALLS_FIELD, ({world}, machine, fields) =>
      answered(world.firewallOperations.setFirewalls(machine, fields.numbers('firewalls')), () =>
        succeeded('Attaching firewalls to virtual machine'),
      ),
    ),
  ),
];

type Change = ((inquiry: Inquiry, machine: Machine) => Response) & {readonly takesBody?: true};

function change(method: Route['method'], path: string, action: string, answer: Change): Route {
  return {
    method,
    pattern: PATH + path,
    requires: {permission: 'machines:operate', action},
    ...(answer.takesBody === true ? {takesBody: true} : {}),
    answer: inquiry => withMachine(inquiry, machine => answer(inquiry, machine)),
  };
}

function withFields(
  rules: Readonly<Record<string, FieldRule>>,
  answer: (inquiry: Inquiry, machine: Machine, fields: BodyFields) => Response,
): Change {
  const read = (inquiry: Inquiry, machine: Machine) => {
    const reading = readBody(inquiry.body, rules);
    return reading.isValid ? answer(inquiry, machine, reading.fields) : reading.refusal;
  };
  return Object.assign(read, {takesBody: true} as const);
}

function resize({world, caller}: Inquiry, machine: Machine, fields: BodyFields): Response {
  const flavorName = fields.text('flavor_name');
  if (flavorName === undefined && !fields.has('flavor')) return badRequest('Either flavor_name or flavor is needed.');
  // A flavor made to measure is one that is not on offer.
  return answered(world.machineOperations.resize(machine, flavorName ?? 'custom', caller.user.id), () =>
    succeeded('Resizing virtual machine'),
  );
}

function setCallback(step: 'attach' | 'update') {
  return ({world}: Inquiry, machine: Machine, fields: BodyFields) =>
    answered(world.machineOperations.setCallback(machine, step, fields.text('url') ?? ''), url =>
      succeeded(step === 'attach' ? 'Callback attached' : 'Callback updated', {url}),
    );
}
