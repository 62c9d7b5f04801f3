import {me, organization} from './account.ts';
import {credit, usage} from './billing.ts';
import type {Endpoint} from './endpoint.ts';
import {flavors} from './flavors.ts';
import {
  getVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  listVirtualMachines,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
  virtualMachineEvents,
  virtualMachineMetrics,
} from './virtual-machines.ts';

/** Every endpoint skydeck speaks, in the order of the interface table. Tests walk it and the README's table is made from it. */
export const ENDPOINTS: readonly Endpoint[] = [
  organization,
  me,
  flavors,
  listVirtualMachines,
  getVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
  virtualMachineMetrics,
  virtualMachineEvents,
  usage,
  credit,
];
