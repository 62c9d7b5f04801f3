import type {Contract} from '../../world/account.ts';
import {flavorNamed} from '../../world/catalogue.ts';
import type {Meter, Period} from '../../world/metering.ts';
import {decimalText, pricebook} from '../../world/pricebook.ts';
import type {World} from '../../world/world.ts';
import {badRequest, json, notFound, succeeded} from '../answer.ts';
import {PERIOD_NAMES, PERIOD_QUERY, stepsOf, stepTime, withPeriod} from '../billing-period.ts';
import {ALLOCATION, CALCULATED_BILL, PRICE} from '../billing-records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, listOf} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';
import {clusterBill, machineBill, volumeBill} from './price-body.ts';

const READS = {permission: 'billing:read', action: 'read prices'} as const;
const LISTED_SINCE = Date.UTC(2026, 7, 26);
const FIRST_PRICE_ID = 41;

export const pricingRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/pricebook',
    requires: READS,
    describes: {summary: 'List unit prices, dollars an hour', reply: listOf(PRICE)},
    answer: () => json(pricebook().map(({name, nanoPerHour}, index) => priceBody(name, nanoPerHour, index))),
  },
  {
    method: 'GET',
    pattern: '/pricebook/calculate/resource/:resource_type/:id',
    requires: READS,
    describes: {
      summary: 'Read what a resource costs an hour now, part by part',
      reply: envelope({calculated_resource_bills: CALCULATED_BILL}),
      refusals: [400],
    },
    answer: calculate,
  },
  {
    method: 'GET',
    pattern: '/pricebook/contracts/:contract_id/gpu_allocation_graph',
    requires: READS,
    describes: {
      summary: 'Read how many GPUs of a contract were in use, step by step',
      query: PERIOD_QUERY,
      requiredQuery: PERIOD_NAMES,
      reply: envelope({contract: ALLOCATION}),
    },
    answer: inquiry => {
      const contract = inquiry.world.contracts.find(({id}) => String(id) === inquiry.part('contract_id'));
      return contract === undefined
        ? notFound(`Contract ${inquiry.part('contract_id')} does not exist.`)
        : withPeriod(inquiry, period => allocation(inquiry, contract, period));
    },
  },
];

/** Prices are text here, and the list stands without anything around it. */
function priceBody(name: string, nanoPerHour: number, index: number) {
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

function calculate({world, part}: Inquiry): Response {
  const [type, id] = [part('resource_type'), part('id')];
  const find = BILLS.get(type);
  if (find === undefined) return badRequest(`The resource type '${type}' is not known.`);
  const resource = find(world, id);
  if (resource === undefined) return notFound(`The ${type} ${id} does not exist.`);
  return succeeded('Calculating resource bill successful', {
    calculated_resource_bills: {org_id: world.organization.id, resource},
  });
}

type Bill = (world: World, id: string) => object | undefined;
const BILLS: ReadonlyMap<string, Bill> = new Map<string, Bill>([
  ['virtual-machine', ({machines}, id) => billFor(machines, id, machineBill)],
  ['volume', ({volumes}, id) => billFor(volumes, id, volumeBill)],
  ['cluster', (world, id) => billFor(world.clusters, id, cluster => clusterBill(cluster, world))],
]);

function billFor<T extends {readonly id: number}>(
  all: readonly T[],
  wanted: string,
  bill: (one: T) => object,
): object | undefined {
  const one = all.find(({id}) => String(id) === wanted);
  return one && bill(one);
}

function allocation({world}: Inquiry, contract: Contract, period: Period): Response {
  const {granularityS, steps} = stepsOf(period);
  const covered = world.meters.filter(({compute}) => compute?.contractId === contract.id);
  const reserved = contract.discounts.reduce(
    (sum, {flavorName, count}) => sum + count * flavorNamed(flavorName, 'CANADA-1').gpuCount,
    0,
  );
  return succeeded('Getting GPU allocation successful', {
    contract: {
      id: String(contract.id),
      org_id: world.organization.id,
      status: contract.endsAt > world.now() ? 'Active' : 'Expired',
      total_gpu_allocation: reserved,
      granularity: granularityS,
      allocated_gpu_count_graph: steps.map(step => ({
        datetime: stepTime(step, granularityS),
        value: covered.reduce((sum, meter) => sum + gpusAt(meter, step.from), 0),
      })),
    },
  });
}

function gpusAt({createdAt, terminatedAt, compute}: Meter, moment: number): number {
  const isThere = createdAt <= moment && (terminatedAt === null || moment < terminatedAt);
  return isThere ? (compute?.flavor.gpuCount ?? 0) : 0;
}
