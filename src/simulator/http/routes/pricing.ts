import * as z from 'zod';
import {
  FLAVORS,
  type Flavor,
  NANO_PER_DOLLAR,
  PUBLIC_IP_NANO_PER_HOUR,
  STORAGE_NANO_PER_GB_HOUR,
} from '../../world/catalogue.ts';
import {type Cluster, nodesOf} from '../../world/cluster.ts';
import type {Machine} from '../../world/machine.ts';
import type {Meter} from '../../world/metering.ts';
import type {Volume} from '../../world/volumes.ts';
import type {World} from '../../world/world.ts';
import {badRequest, json, notFound, succeeded} from '../answers.ts';
import {type Route, route} from '../route.ts';
import {envelope, FLAG, ID, NUMBER, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';

const READS = {permission: 'billing:read', action: 'read prices'} as const;
const LISTED_SINCE = Date.UTC(2026, 7, 26);
const FIRST_PRICE_ID = 41;

const PRICE = z.object({
  id: ID,
  name: TEXT,
  value: TEXT.meta({description: 'Dollars per hour, as a decimal or with an exponent: `0E-9`.'}),
  original_value: TEXT,
  discount_applied: FLAG,
  start_time: TEXT,
  end_time: TEXT.nullable(),
});
const PART = z.object({
  name: TEXT,
  type: TEXT,
  amount: NUMBER,
  rate: NUMBER,
  discounted_rate: NUMBER,
  price: NUMBER,
  actual_price: NUMBER,
});
const BILL = z.object({
  infrahub_id: ID,
  name: TEXT,
  type: TEXT,
  status: TEXT,
  price: NUMBER.meta({description: 'The price paid.'}),
  actual_price: NUMBER.meta({description: 'The price without a contract.'}),
  resources: z.array(PART),
});

type Part = z.output<typeof PART>;
type Bill = z.output<typeof BILL>;
/** One line of the price list: nano-dollars per unit and hour. */
type PricedUnit = {readonly name: string; readonly nanoPerHour: number};

const STORAGE_UNIT: PricedUnit = {name: 'Cloud-SSD', nanoPerHour: STORAGE_NANO_PER_GB_HOUR};
const ADDRESS_UNIT: PricedUnit = {name: 'Public IP', nanoPerHour: PUBLIC_IP_NANO_PER_HOUR};
// Cores and memory come with the GPU, or with the flavor of a machine without one.
const CORE_UNIT: PricedUnit = {name: 'vCPU', nanoPerHour: 0};
const MEMORY_UNIT: PricedUnit = {name: 'RAM', nanoPerHour: 0};
const EPHEMERAL_UNIT: PricedUnit = {name: 'Ephemeral', nanoPerHour: 0};

export const pricingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/pricebook',
    summary: 'List unit prices in dollars per hour',
    requires: READS,
    // The reply is a bare list, and prices are strings.
    reply: z.array(PRICE),
    answer: () => json(pricedUnits().map(priceBody)),
  }),
  route({
    method: 'GET',
    path: '/pricebook/calculate/resource/:resource_type/:id',
    summary: 'Read the present hourly cost of a resource, part by part',
    requires: READS,
    reply: envelope({calculated_resource_bills: z.object({org_id: ID, resource: BILL})}),
    refusals: [400],
    answer: ({world, param}) => {
      const [type, id] = [param('resource_type'), param('id')];
      const find = BILLS.get(type);
      if (find === undefined) return badRequest(`The resource type '${type}' is not known.`);
      const resource = find(world, id);
      if (resource === undefined) return notFound(`The ${type} ${id} does not exist.`);
      return succeeded('Calculating resource bill successful', {
        calculated_resource_bills: {org_id: world.organization.id, resource},
      });
    },
  }),
];

/** A decimal with nine places as text; the service writes zero with an exponent. */
export function decimalText(nano: number): string {
  if (nano === 0) return '0E-9';
  const digits = String(Math.round(nano)).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

const BILLS: ReadonlyMap<string, (world: World, id: string) => Bill | undefined> = new Map([
  ['virtual-machine', ({machines}: World, id: string) => billFor(machines, id, machineBill)],
  ['volume', ({volumes}: World, id: string) => billFor(volumes, id, volumeBill)],
  ['cluster', (world: World, id: string) => billFor(world.clusters, id, cluster => clusterBill(cluster, world))],
]);

function billFor<T extends {readonly id: number}>(
  all: readonly T[],
  wanted: string,
  bill: (one: T) => Bill,
): Bill | undefined {
  const one = all.find(({id}) => String(id) === wanted);
  return one && bill(one);
}

/** Every unit once. */
function pricedUnits(): PricedUnit[] {
  const compute = new Map(FLAVORS.map(flavor => [unitOf(flavor).name, unitOf(flavor).nanoPerHour]));
  const units = [...compute].map(([name, nanoPerHour]) => ({name, nanoPerHour}));
  return [...units, CORE_UNIT, MEMORY_UNIT, EPHEMERAL_UNIT, STORAGE_UNIT, ADDRESS_UNIT];
}

/** The units a flavor's price is counted in: its GPUs, or the flavor itself if it has none. */
function unitOf(flavor: Flavor): PricedUnit & {readonly count: number} {
  const count = Math.max(1, flavor.gpuCount);
  const isSpot = flavor.name.endsWith('-spot');
  const name = flavor.gpu === '' ? flavor.name : `${flavor.gpu}${isSpot ? '-spot' : ''}`;
  return {name, nanoPerHour: flavor.nanoPerHour / count, count};
}

function priceBody({name, nanoPerHour}: PricedUnit, index: number): z.output<typeof PRICE> {
  return {
    id: FIRST_PRICE_ID + index,
    name,
    value: decimalText(nanoPerHour),
    original_value: decimalText(nanoPerHour),
    discount_applied: false,
    start_time: bareTimestamp(LISTED_SINCE),
    end_time: null,
  };
}

function machineBill(machine: Machine): Bill {
  const parts = machine.meter.nanoPerHour === 0 ? [] : partsOf(machine);
  return billOf(machine, 'virtual-machine', machine.status, parts);
}

function volumeBill(volume: Volume): Bill {
  const isBilled = volume.meter.nanoPerHour > 0;
  const parts = isBilled ? [part(STORAGE_UNIT, {type: 'volume', amount: volume.sizeGb})] : [];
  return billOf(volume, 'volume', volume.status.toUpperCase(), parts);
}

/** A cluster costs what its nodes cost. */
function clusterBill(cluster: Cluster, world: World): Bill {
  const parts = nodesOf(world, cluster).map(({name, meter}) =>
    part(
      {name, nanoPerHour: meter.terms.listNanoPerHour},
      {type: 'virtual-machine', amount: 1, paidNanoPerHour: meter.nanoPerHour},
    ),
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
  resources: Part[],
): Bill {
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
  const address = meter.terms.addressNanoPerHour > 0 ? [part(ADDRESS_UNIT, {type: 'ip', amount: 1})] : [];
  // Only its root disk is kept.
  if (status === 'HIBERNATED') {
    return [part(STORAGE_UNIT, {type: 'disk', amount: flavor.diskGb}), ...address];
  }
  const unit = unitOf(flavor);
  const paidForFlavor = meter.nanoPerHour - meter.terms.addressNanoPerHour;
  return [
    part(unit, {
      type: flavor.gpu === '' ? 'cpu' : 'gpu',
      amount: unit.count,
      paidNanoPerHour: paidForFlavor / unit.count,
    }),
    part(CORE_UNIT, {type: 'cpu', amount: flavor.cpuCount}),
    part(MEMORY_UNIT, {type: 'ram', amount: flavor.ramGb}),
    part(EPHEMERAL_UNIT, {type: 'ephemeral', amount: flavor.ephemeralGb ?? 0}),
    ...address,
  ];
}

/** A part of a price; `paidNanoPerHour` is what is paid after discounts. */
function part(
  {name, nanoPerHour}: {readonly name: string; readonly nanoPerHour: number},
  {type, amount, paidNanoPerHour = nanoPerHour}: Pick<Part, 'type' | 'amount'> & {readonly paidNanoPerHour?: number},
): Part {
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
