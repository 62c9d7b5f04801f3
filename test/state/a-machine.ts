import {safeText} from '../../src/domain/safe-text.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import type {MachineListing} from '../../src/state/machines.ts';

/** A machine as the api gives it, with what a test does not care about filled in. */
export function aVirtualMachine({
  id = 793001,
  ...rest
}: Partial<Omit<VirtualMachine, 'id'>> & {id?: number} = {}): VirtualMachine {
  return {
    id: virtualMachineId(id),
    name: safeText(`gpu-${id}`),
    status: 'ACTIVE',
    statusText: safeText(rest.status ?? 'ACTIVE'),
    volumes: [],
    rules: [],
    labels: [],
    ...rest,
  };
}

/** A complete list of these machines. */
export function aListing(records: readonly VirtualMachine[], rest: Partial<MachineListing> = {}): MachineListing {
  return {records, quarantined: [], missingOnce: new Set(), ...rest};
}
