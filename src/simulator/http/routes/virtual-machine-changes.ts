import {setFirewalls} from '../../world/firewalls.ts';
import type {Machine} from '../../world/machine.ts';
import {
  attachAddress,
  deleteMachine,
  detachAddress,
  relabel,
  removeCallback,
  resize as resizeMachine,
  setCallback as setMachineCallback,
} from '../../world/machine-operations.ts';
import {badRequest, succeeded} from '../answer.ts';
import {type Fields, readBody} from '../body.ts';
import type {Description, Inquiry, Route} from '../route.ts';
import {CALLBACK_URL, EXISTING_NAME, envelope, fields, ID, listOf, type ObjectSchema, RECORD, TEXT} from '../schema.ts';
import {answered} from './outcome-answer.ts';
import {withMachine} from './virtual-machines.ts';

const PATH = '/core/virtual-machines/:vm_id';
const CALLBACK = fields({url: CALLBACK_URL});
const CALLBACK_REPLY = envelope({url: TEXT});
const LABELS = fields({labels: listOf(EXISTING_NAME)});
const FIREWALLS = fields({firewalls: listOf(ID)});
const RESIZING = fields({}, {flavor_name: EXISTING_NAME, flavor: RECORD});

/** Changes of one machine other than switching it on and off. All are scheduled; none shows at once. */
export const machineChangeRoutes: readonly Route[] = [
  change('DELETE', '', {
    action: 'delete virtual machines',
    describes: {summary: 'Delete a virtual machine'},
    answer: ({world, caller}, machine) =>
      answered(deleteMachine(world, machine, caller.user.id), () => succeeded('Deleting virtual machine')),
  }),
  change('POST', '/resize', {
    action: 'resize virtual machines',
    describes: {summary: 'Give a virtual machine another flavor'},
    ...withFields(RESIZING, resize),
  }),
  change('POST', '/attach-floatingip', {
    action: 'attach public IPs',
    describes: {summary: 'Attach a public IP to a virtual machine', refusals: [402]},
    answer: ({world, caller}, machine) =>
      answered(attachAddress(world, machine, caller.user.id), () => succeeded('Attaching public IP')),
  }),
  change('POST', '/detach-floatingip', {
    action: 'detach public IPs',
    describes: {summary: 'Detach the public IP of a virtual machine'},
    answer: ({world, caller}, machine) =>
      answered(detachAddress(world, machine, caller.user.id), () => succeeded('Detaching public IP')),
  }),
  change('POST', '/attach-callback', {
    action: 'attach callbacks',
    describes: {summary: 'Have the events of a virtual machine posted to a URL', reply: CALLBACK_REPLY},
    ...withFields(CALLBACK, setCallback('attach')),
  }),
  change('PUT', '/update-callback', {
    action: 'update callbacks',
    describes: {summary: 'Have the events of a virtual machine posted to another URL', reply: CALLBACK_REPLY},
    ...withFields(CALLBACK, setCallback('update')),
  }),
  change('DELETE', '/delete-callback', {
    action: 'delete callbacks',
    describes: {summary: 'Have the events of a virtual machine posted no longer'},
    answer: ({world}, machine) => answered(removeCallback(world, machine), () => succeeded('Callback deleted')),
  }),
  change('PUT', '/label', {
    action: 'label virtual machines',
    describes: {summary: 'Set the labels of a virtual machine'},
    ...withFields(LABELS, ({world}, machine, sent) =>
      answered(relabel(world, machine, sent.texts('labels')), () => succeeded('Labels updated')),
    ),
  }),
  change('POST', '/attach-firewalls', {
    action: 'attach firewalls',
    describes: {summary: 'Set the firewalls of a virtual machine'},
    ...withFields(FIREWALLS, ({world}, machine, sent) =>
      answered(setFirewalls(world, machine, sent.integers('firewalls')), () =>
        succeeded('Attaching firewalls to virtual machine'),
      ),
    ),
  }),
];

type Change = {readonly body?: ObjectSchema; readonly answer: (inquiry: Inquiry, machine: Machine) => Response};

function change(
  method: Route['method'],
  path: string,
  {action, describes, body, answer}: Change & {readonly action: string; readonly describes: Description},
): Route {
  return {
    method,
    pattern: PATH + path,
    requires: {permission: 'machines:operate', action},
    describes: {...describes, refusals: [400, ...(describes.refusals ?? [])], ...(body === undefined ? {} : {body})},
    ...(body === undefined ? {} : {takesBody: true}),
    answer: inquiry => withMachine(inquiry, machine => answer(inquiry, machine)),
  };
}

function withFields(
  body: ObjectSchema,
  answer: (inquiry: Inquiry, machine: Machine, sent: Fields) => Response,
): Required<Change> {
  return {
    body,
    answer: (inquiry, machine) => {
      const reading = readBody(inquiry.body, body);
      return reading.isValid ? answer(inquiry, machine, reading.fields) : reading.refusal;
    },
  };
}

function resize({world, caller}: Inquiry, machine: Machine, sent: Fields): Response {
  const flavorName = sent.text('flavor_name');
  if (flavorName === undefined && !sent.has('flavor')) return badRequest('Either flavor_name or flavor is needed.');
  // A flavor made to measure is one that is not on offer.
  return answered(resizeMachine(world, machine, flavorName ?? 'custom', caller.user.id), () =>
    succeeded('Resizing virtual machine'),
  );
}

function setCallback(step: 'attach' | 'update') {
  return ({world}: Inquiry, machine: Machine, sent: Fields) =>
    answered(setMachineCallback(world, machine, step, sent.text('url') ?? ''), url =>
      succeeded(step === 'attach' ? 'Callback attached' : 'Callback updated', {url}),
    );
}
