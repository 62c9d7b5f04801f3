import {FLAVORS, NANO_PER_DOLLAR, REGIONS} from '../../world/catalogue.ts';
import {json, succeeded} from '../answer.ts';
import {GPU, OVERVIEW, REGION, STOCK} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, listOf} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {regionBody} from './region-body.ts';

const READS = {permission: 'machines:read', action: 'read the dashboard'} as const;
const LISTED_SINCE = Date.UTC(2025, 2, 11, 9, 30);
/** Above this many, the service does not say how many. */
const COUNTED_UP_TO = 10;
const CONFIGURATIONS = [1, 2, 4, 8, 10];

/** What is on offer, and in sum what the account has of it. */
export const catalogueRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/regions',
    describes: {summary: 'List regions', reply: envelope({regions: listOf(REGION)})},
    answer: () => succeeded('Getting regions successful', {regions: REGIONS.map(regionBody)}),
  },
  {
    method: 'GET',
    pattern: '/core/gpus',
    describes: {summary: 'List GPU models and where they are', reply: envelope({gpu_list: listOf(GPU)})},
    answer: () => succeeded('Getting GPUs successful', {gpu_list: gpuList()}),
  },
  {
    method: 'GET',
    pattern: '/core/stocks',
    describes: {summary: 'List how much of each GPU model is free', reply: fields({stocks: listOf(STOCK)})},
    answer: stocks,
  },
  {
    method: 'GET',
    pattern: '/core/dashboard',
    requires: READS,
    describes: {summary: 'Read what the account has and what it costs in sum', reply: envelope({overview: OVERVIEW})},
    answer: dashboard,
  },
];

function gpuList() {
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

// This answer has no envelope, and its numbers are words.
function stocks({world}: Inquiry): Response {
  const rows = REGIONS.map(region => {
    const offered = FLAVORS.filter(({gpu, regionName}) => gpu !== '' && regionName === region.name);
    const byGpu = Map.groupBy(offered, ({gpu}) => gpu);
    return {
      region: region.name,
      'stock-type': 'GPU',
      models: [...byGpu].map(([model, flavors]) => {
        const free = world.stock.freeGpus(model, region.name);
        const isOffered = flavors.some(({isInStock}) => isInStock);
        return {
          model,
          available: countText(isOffered ? free : 0),
          planned_7_days: isOffered ? '0' : '8',
          planned_30_days: isOffered ? null : '10+',
          planned_100_days: null,
          configurations: Object.fromEntries(
            CONFIGURATIONS.map(count => {
              const flavor = flavors.find(({gpuCount, isInStock}) => gpuCount === count && isInStock);
              return [`${count}x`, flavor === undefined ? 0 : world.stock.roomFor(flavor)];
            }),
          ),
        };
      }),
    };
  });
  return json({stocks: rows});
}

function countText(count: number): string {
  return count > COUNTED_UP_TO ? `${COUNTED_UP_TO}+` : String(count);
}

function dashboard({world}: Inquiry): Response {
  const {machines, volumes} = world;
  const sum = <T>(all: readonly T[], amountOf: (one: T) => number) =>
    all.reduce((total, one) => total + amountOf(one), 0);
  const dollars = (all: readonly {readonly meter: {readonly nanoPerHour: number}}[]) =>
    sum(all, ({meter}) => meter.nanoPerHour) / NANO_PER_DOLLAR;
  return succeeded('Getting dashboard successful', {
    overview: {
      instance: {
        count: machines.length,
        vcpus: sum(machines, ({flavor}) => flavor.cpuCount),
        gpus: sum(machines, ({flavor}) => flavor.gpuCount),
        ram: sum(machines, ({flavor}) => flavor.ramGb),
        cost_per_hour: dollars(machines),
      },
      container: {count: 0, vcpus: 0, gpus: 0, ram: 0, cost_per_hour: 0},
      volume: {count: volumes.length, using: sum(volumes, ({sizeGb}) => sizeGb), cost_per_hour: dollars(volumes)},
    },
  });
}
