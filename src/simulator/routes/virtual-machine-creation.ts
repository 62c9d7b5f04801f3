import {invalidInput, json, succeeded} from '../answer.ts';
import {namesOf, takenNames} from '../machine-creation.ts';
import type {Inquiry, Route} from '../route.ts';
import {readMachineOrder} from './machine-order.ts';
import {answered} from './outcome-answer.ts';
import {machineBody} from './virtual-machine-body.ts';

const LARGEST_COUNT = 250;

export const machineCreationRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/core/virtual-machines',
    requires: {permission: 'machines:operate', action: 'create virtual machines'},
    takesBody: true,
    answer: createMachines,
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/name-availability/:name',
    requires: {permission: 'machines:read', action: 'read virtual machines'},
    answer: nameAvailability,
  },
];

function createMachines({world, caller, body}: Inquiry): Response {
  const reading = readMachineOrder(body);
  if (!reading.isValid) return reading.refusal;
  return answered(world.machineOperations.create(reading.order, caller.user.id), machines =>
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
