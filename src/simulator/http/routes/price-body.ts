import {NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import type {Cluster} from '../../world/cluster.ts';
import type {Machine} from '../../world/machine.ts';
import type {Meter} from '../../world/metering.ts';
import {ADDRESS_UNIT, CORE_UNIT, EPHEMERAL_UNIT, MEMORY_UNIT, STORAGE_UNIT, unitOf} from '../../world/pricebook.ts';
import type {Volume} from '../../world/volumes.ts';
import type {World} from '../../world/world.ts';

/** What a machine costs now: `price` is what is paid, `actual_price` what it would be without a contract. */
export function machineBill(machine: Machine) {
  return billOf(machine, 'virtual-machine', machine.status, machine.meter.nanoPerHour === 0 ? [] : partsOf(machine));
}

export function volumeBill(volume: Volume) {
  const isBilled = volume.meter.nanoPerHour > 0;
  const parts = isBilled ? [part(STORAGE_UNIT.name, 'volume', volume.sizeGb, STORAGE_UNIT.nanoPerHour)] : [];
  return billOf(volume, 'volume', volume.status.toUpperCase(), parts);
}

/** A cluster costs what its nodes cost. */
export function clusterBill(cluster: Cluster, {machines}: World) {
  const nodes = machines.filter(machine => machine.cluster?.clusterId === cluster.id);
  const parts = nodes.map(({name, meter}) =>
    part(name, 'virtual-machine', 1, meter.terms.listNanoPerHour, meter.nanoPerHour),
  );
  return {
    infrahub_id: cluster.id,
    name: cluster.name,
    type: 'cluster',
    status: cluster.status,
    price: sumOf(parts, 'price'),
    actual_price: sumOf(parts, 'actual_price'),
    resources: parts,
  };
}

function billOf(
  {id, name, meter}: {readonly id: number; readonly name: string; readonly meter: Meter},
  type: string,
  status: string,
  resources: readonly Part[],
) {
  return {
    infrahub_id: id,
    name,
    type,
    status,
    price: meter.nanoPerHour / NANO_PER_DOLLAR,
    actual_price: meter.terms.listNanoPerHour / NANO_PER_DOLLAR,
    resources,
  };
}

function partsOf(machine: Machine): Part[] {
  const {flavor, status, meter} = machine;
  const address =
    meter.terms.addressNanoPerHour > 0 ? [part(ADDRESS_UNIT.name, 'ip', 1, ADDRESS_UNIT.nanoPerHour)] : [];
  // Only its root disk is kept.
  if (status === 'HIBERNATED') {
    return [part(STORAGE_UNIT.name, 'disk', flavor.diskGb, STORAGE_UNIT.nanoPerHour), ...address];
  }
  const unit = unitOf(flavor);
  const paidForFlavor = meter.nanoPerHour - meter.terms.addressNanoPerHour;
  return [
    part(unit.name, flavor.gpu === '' ? 'cpu' : 'gpu', unit.count, unit.nanoPerHour, paidForFlavor / unit.count),
    part(CORE_UNIT.name, 'cpu', flavor.cpuCount, CORE_UNIT.nanoPerHour),
    part(MEMORY_UNIT.name, 'ram', flavor.ramGb, MEMORY_UNIT.nanoPerHour),
    part(EPHEMERAL_UNIT.name, 'ephemeral', flavor.ephemeralGb ?? 0, EPHEMERAL_UNIT.nanoPerHour),
    ...address,
  ];
}

type Part = ReturnType<typeof part>;

function part(name: string, type: string, amount: number, nanoPerHour: number, paidNanoPerHour = nanoPerHour) {
  return {
    name,
    type,
    amount,
    rate: nanoPerHour / NANO_PER_DOLLAR,
    discounted_rate: paidNanoPerHour / NANO_PER_DOLLAR,
    price: (paidNanoPerHour * amount) / NANO_PER_DOLLAR,
    actual_price: (nanoPerHour * amount) / NANO_PER_DOLLAR,
  };
}

function sumOf(parts: readonly Part[], key: 'price' | 'actual_price'): number {
  return parts.reduce((sum, one) => sum + one[key], 0);
}
