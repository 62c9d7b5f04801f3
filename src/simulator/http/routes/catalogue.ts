import * as z from 'zod';
import {FLAVORS, type Flavor, NANO_PER_DOLLAR, REGIONS, type Region} from '../../world/catalogue.ts';
import type {World} from '../../world/world.ts';
import {json, notFound, succeeded} from '../answers.ts';
import {type Route, route} from '../route.ts';
import {envelope, FLAG, ID, INTEGER, NUMBER, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

// What the provider offers, and totals of what the account uses.

const LISTED_SINCE = Date.UTC(2025, 2, 11, 9, 30);
/** Above this count, the service gives no exact number. */
const COUNTED_UP_TO = 10;
const CONFIGURATIONS = [1, 2, 4, 8, 10];

/** A flavor as contained in a machine or cluster. */
export const FLAVOR_PART = z.object({
  id: ID,
  name: TEXT,
  cpu: INTEGER,
  ram: NUMBER,
  disk: INTEGER,
  ephemeral: INTEGER.nullable(),
  gpu: TEXT,
  gpu_count: INTEGER,
  labels: z.array(z.object({id: ID, label: TEXT})),
  features: z.object({
    network_optimised: FLAG,
    no_reboot: FLAG,
    no_hibernation: FLAG,
    no_snapshot: FLAG,
    local_storage_only: FLAG,
    api_only: FLAG,
  }),
});
export const FLAVOR = FLAVOR_PART.extend({
  display_name: TEXT.nullable(),
  region_name: TEXT,
  stock_available: FLAG,
  created_at: TEXT,
});
export const REGION = z.object({
  id: ID,
  name: TEXT,
  country: TEXT,
  description: TEXT.nullable(),
  green_status: z.enum(['GREEN', 'PARTIALLY_GREEN', 'NOT_GREEN']),
  features: z.object({floating_ip: FLAG, volumes: FLAG}),
});
const GPU = z.object({
  id: ID,
  name: TEXT,
  regions: z.array(z.object({id: ID, name: TEXT})),
  example_metadata: TEXT.nullable(),
  created_at: TEXT,
  updated_at: TEXT.nullable(),
});
const STOCK = z.object({
  region: TEXT,
  'stock-type': TEXT,
  models: z.array(
    z.object({
      model: TEXT,
      available: TEXT.meta({description: 'A number, or a lower bound such as `10+`.'}),
      planned_7_days: TEXT.nullable(),
      planned_30_days: TEXT.nullable(),
      planned_100_days: TEXT.nullable(),
      configurations: z.object({'1x': INTEGER, '2x': INTEGER, '4x': INTEGER, '8x': INTEGER, '10x': INTEGER}),
    }),
  ),
});
const USED = z.object({count: INTEGER, cost_per_hour: NUMBER});
const COMPUTE = USED.extend({vcpus: INTEGER, gpus: INTEGER, ram: NUMBER});
const OVERVIEW = z.object({
  instance: COMPUTE,
  container: COMPUTE,
  volume: USED.extend({using: NUMBER.meta({description: 'Gigabytes.'})}),
});

export const catalogueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/flavors',
    summary: 'List flavors, grouped by GPU and region',
    query: z.object({region: TEXT.optional()}),
    reply: envelope({data: z.array(z.object({gpu: TEXT, region_name: TEXT, flavors: z.array(FLAVOR)}))}),
    refusals: [404],
    answer: ({world, query}) => {
      const regionName = query('region');
      if (regionName !== undefined && !REGIONS.some(region => region.name === regionName)) {
        return notFound(`The region ${regionName} does not exist.`);
      }
      const wanted = FLAVORS.filter(flavor => regionName === undefined || flavor.regionName === regionName);
      return succeeded('Getting flavors successful', {data: flavorGroups(wanted, world)});
    },
  }),
  route({
    method: 'GET',
    path: '/core/regions',
    summary: 'List regions',
    reply: envelope({regions: z.array(REGION)}),
    answer: () => succeeded('Getting regions successful', {regions: REGIONS.map(regionBody)}),
  }),
  route({
    method: 'GET',
    path: '/core/gpus',
    summary: 'List GPU models and their regions',
    reply: envelope({gpu_list: z.array(GPU)}),
    answer: () => succeeded('Getting GPUs successful', {gpu_list: gpuList()}),
  }),
  route({
    method: 'GET',
    path: '/core/stocks',
    summary: 'List the stock of each GPU model',
    // This answer is a bare object.
    reply: z.object({stocks: z.array(STOCK)}),
    answer: ({world}) => json({stocks: REGIONS.map(region => stockBody(region, world))}),
  }),
  route({
    method: 'GET',
    path: '/core/dashboard',
    summary: 'Read the totals of resources and costs',
    requires: {permission: 'machines:read', action: 'read the dashboard'},
    reply: envelope({overview: OVERVIEW}),
    answer: ({world}) => succeeded('Getting dashboard successful', {overview: overviewBody(world)}),
  }),
];

/** A flavor in the catalogue, and whether one more machine of it could be created now. */
export function flavorBody(flavor: Flavor, isAvailable: boolean): z.output<typeof FLAVOR> {
  const {id, name, labels, features, ...sizes} = flavorPart(flavor);
  return {
    id,
    name,
    display_name: null,
    region_name: flavor.regionName,
    ...sizes,
    stock_available: isAvailable,
    created_at: zuluTimestamp(LISTED_SINCE),
    labels,
    features,
  };
}

/** A flavor inside a machine or cluster. Cached, because it is the same for all of ten thousand machines. */
export function flavorPart(flavor: Flavor): FlavorPart {
  const known = PARTS.get(flavor);
  if (known !== undefined) return known;
  const part = newFlavorPart(flavor);
  PARTS.set(flavor, part);
  return part;
}

type FlavorPart = z.output<typeof FLAVOR_PART>;
const PARTS = new WeakMap<Flavor, FlavorPart>();

function newFlavorPart(flavor: Flavor): FlavorPart {
  return {
    id: flavor.id,
    name: flavor.name,
    cpu: flavor.cpuCount,
    ram: flavor.ramGb,
    disk: flavor.diskGb,
    ephemeral: flavor.ephemeralGb,
    gpu: flavor.gpu,
    gpu_count: flavor.gpuCount,
    labels: [...flavor.labels],
    features: {
      network_optimised: flavor.isNetworkOptimised,
      no_reboot: false,
      // False even for flavors without a GPU, which cannot hibernate.
      no_hibernation: !flavor.canHibernate && flavor.gpu !== '',
      no_snapshot: flavor.name.endsWith('-K8s'),
      local_storage_only: flavor.name.endsWith('-K8s'),
      api_only: flavor.name.endsWith('-spot'),
    },
  };
}

/** A region as listed, and as contained in Kubernetes versions. */
export function regionBody(region: Region): z.output<typeof REGION> {
  return {
    id: region.id,
    name: region.name,
    country: region.country,
    description: null,
    green_status: region.greenStatus,
    features: {floating_ip: true, volumes: true},
  };
}

/** One group for each GPU model and region, in the order of the catalogue. */
function flavorGroups(flavors: readonly Flavor[], {stock}: World) {
  const groups = Map.groupBy(flavors, flavor => `${flavor.gpu} ${flavor.regionName}`);
  return [...groups.values()].map(members => ({
    gpu: members[0]?.gpu ?? '',
    region_name: members[0]?.regionName ?? '',
    flavors: members.map(flavor => flavorBody(flavor, stock.hasRoomFor(flavor))),
  }));
}

function gpuList(): z.output<typeof GPU>[] {
  const byGpu = Map.groupBy(
    FLAVORS.filter(({gpu}) => gpu !== ''),
    ({gpu}) => gpu,
  );
  return [...byGpu].map(([name, flavors], index) => ({
    id: index + 1,
    name,
    regions: REGIONS.filter(region => flavors.some(({regionName}) => regionName === region.name)).map(
      ({id, name: regionName}) => ({id, name: regionName}),
    ),
    example_metadata: null,
    created_at: zuluTimestamp(LISTED_SINCE),
    updated_at: null,
  }));
}

/** Its numbers are strings, except those of the configurations. */
function stockBody(region: Region, {stock}: World) {
  const offered = FLAVORS.filter(({gpu, regionName}) => gpu !== '' && regionName === region.name);
  const byGpu = Map.groupBy(offered, ({gpu}) => gpu);
  return {
    region: region.name,
    'stock-type': 'GPU',
    models: [...byGpu].map(([model, flavors]) => {
      const isOffered = flavors.some(({isInStock}) => isInStock);
      return {
        model,
        available: countText(isOffered ? stock.freeGpus(model, region.name) : 0),
        planned_7_days: isOffered ? '0' : '8',
        planned_30_days: isOffered ? null : '10+',
        planned_100_days: null,
        configurations: Object.fromEntries(
          CONFIGURATIONS.map(count => {
            const flavor = flavors.find(({gpuCount, isInStock}) => gpuCount === count && isInStock);
            return [`${count}x`, flavor === undefined ? 0 : stock.roomFor(flavor)];
          }),
        ),
      };
    }),
  };
}

function countText(count: number): string {
  return count > COUNTED_UP_TO ? `${COUNTED_UP_TO}+` : String(count);
}

function overviewBody({machines, volumes}: World): z.output<typeof OVERVIEW> {
  const sum = <T>(all: readonly T[], amountOf: (one: T) => number) =>
    all.reduce((total, one) => total + amountOf(one), 0);
  const dollars = (all: readonly {readonly meter: {readonly nanoPerHour: number}}[]) =>
    sum(all, ({meter}) => meter.nanoPerHour) / NANO_PER_DOLLAR;
  return {
    instance: {
      count: machines.length,
      vcpus: sum(machines, ({flavor}) => flavor.cpuCount),
      gpus: sum(machines, ({flavor}) => flavor.gpuCount),
      ram: sum(machines, ({flavor}) => flavor.ramGb),
      cost_per_hour: dollars(machines),
    },
    container: {count: 0, vcpus: 0, gpus: 0, ram: 0, cost_per_hour: 0},
    volume: {count: volumes.length, using: sum(volumes, ({sizeGb}) => sizeGb), cost_per_hour: dollars(volumes)},
  };
}
