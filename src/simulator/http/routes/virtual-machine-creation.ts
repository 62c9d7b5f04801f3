import {createMachines as create, namesOf, takenNames} from '../../world/machine-creation.ts';
import {invalidInput, json, succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, RECORDS, type Schema, TEXT} from '../schema.ts';
import {MACHINE_ORDER, readMachineOrder} from './machine-order.ts';
import {answered} from './outcome-answer.ts';
import {machineBody} from './virtual-machine-body.ts';

const LARGEST_COUNT = 250;
const COUNT: Schema = {type: 'integer', minimum: 1, maximum: LARGEST_COUNT};

export const machineCreationRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/core/virtual-machines',
    requires: {permission: 'machines:operate', action: 'create virtual machines'},
    takesBody: true,
    describes: {
      summary: 'Create virtual machines',
      body: MACHINE_ORDER,
      reply: envelope({instances: RECORDS}),
      refusals: [404, 409],
    },
    answer: createMachines,
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/name-availability/:name',
    requires: {permission: 'machines:read', action: 'read virtual machines'},
    describes: {
      summary: 'Ask whether a name is free for virtual machines',
      query: {count: COUNT},
      reply: fields({name: TEXT, available: FLAG, message: TEXT}),
    },
    answer: nameAvailability,
  },
];

function createMachines({world, caller, body}: Inquiry): Response {
  const reading = readMachineOrder(body);
  if (!reading.isValid) return reading.refusal;
  return answered(create(world, reading.order, caller.user.id), machines =>
    succeeded('Virtual machine creation scheduled', {instances: machines.map(machine => machineBody(machine, world))}),
  );
}

// This answer has no envelope.
function nameAvailability({world, part, query}: Inquiry): Response {
  const count = query('count') ?? '1';
  if (!/^[1-9]\d{0,2}$/.test(count) || Number(count) > LARGEST_COUNT) {
    return invalidInput({count: `must be an integer from 1 to ${LARGEST_COUNT}`});
  }
  const name = part('name');
  const available = takenNames(world, namesOf({name, count: Number(count)})).length === 0;
  const message = available ? `The name ${name} is available.` : `The name ${name} is taken.`;
  return json({name, available, message});
}
