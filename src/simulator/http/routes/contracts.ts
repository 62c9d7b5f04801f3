import * as z from 'zod';
import {contractStatus, type Contract, type Discount} from '../../world/account.ts';
import {flavorNamed, NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import type {Meter, Period} from '../../world/metering.ts';
import type {World} from '../../world/world.ts';
import {invalidInput, notFound, succeeded} from '../answers.ts';
import {pageOf} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, ID, INTEGER, NUMBER, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';
import {GRAPH, PERIOD_QUERY, stepsOf, stepTime, withPeriod} from './billing-history.ts';

const READS = {permission: 'billing:read', action: 'read contracts'} as const;
const SIGNED_BEFORE_MS = 9 * 86_400_000;
/** Contracts here all cover flavors of this region. */
const REGION_NAME = 'CANADA-1';

const CONTRACT = z.object({
  id: ID,
  org_id: ID,
  created_at: TEXT,
  start_date: TEXT,
  end_date: TEXT,
  status: TEXT,
  description: TEXT,
  expiration_policy: INTEGER,
  discounts: z.array(
    z.object({
      id: ID,
      resource_name: TEXT,
      resource_id: ID,
      resource_count: INTEGER,
      remaining_count: INTEGER,
      discount_type: z.enum(['flat', 'percent']),
      discount_amount: NUMBER.nullable(),
      discount_percent: NUMBER.nullable(),
      discount_status: TEXT,
      discount_code: TEXT.nullable(),
      end_date: TEXT.optional(),
    }),
  ),
});
const ALLOCATION = z.object({
  id: TEXT,
  org_id: ID,
  status: TEXT,
  total_gpu_allocation: INTEGER,
  granularity: INTEGER.meta({description: 'Seconds.'}),
  allocated_gpu_count_graph: GRAPH,
});

export const contractRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/pricebook/contracts',
    summary: 'List contracts',
    requires: READS,
    query: z.object({page: ID.optional(), per_page: ID.optional()}),
    reply: envelope({contracts: z.array(CONTRACT), count: INTEGER}),
    answer: request => {
      const {world} = request;
      const page = pageOf(request, world.contracts, 'per_page');
      if (!page.isValid) return invalidInput(page.errors);
      return succeeded('Getting contracts successful', {
        contracts: page.records.map(contract => contractBody(contract, world)),
        count: page.keys.count,
      });
    },
  }),
  route({
    method: 'GET',
    path: '/pricebook/contracts/:contract_id',
    summary: 'Read a contract',
    requires: READS,
    // A single contract is under the same plural key.
    reply: envelope({contracts: CONTRACT}),
    answer: request =>
      withContract(request, contract =>
        succeeded('Getting contract successful', {contracts: contractBody(contract, request.world)}),
      ),
  }),
  route({
    method: 'GET',
    path: '/pricebook/contracts/:contract_id/gpu_allocation_graph',
    summary: 'Read how many GPUs of a contract were in use, step by step',
    requires: {permission: 'billing:read', action: 'read prices'},
    query: PERIOD_QUERY,
    reply: envelope({contract: ALLOCATION}),
    answer: request =>
      withContract(request, contract =>
        withPeriod(request, period =>
          succeeded('Getting GPU allocation successful', {contract: allocationBody(contract, period, request.world)}),
        ),
      ),
  }),
];

function withContract({world, param}: RouteRequest, answer: (contract: Contract) => Response): Response {
  const contract = world.contracts.find(({id}) => String(id) === param('contract_id'));
  return contract === undefined ? notFound(`Contract ${param('contract_id')} does not exist.`) : answer(contract);
}

function contractBody(contract: Contract, world: World): z.output<typeof CONTRACT> {
  return {
    id: contract.id,
    org_id: world.organization.id,
    created_at: bareTimestamp(contract.startsAt - SIGNED_BEFORE_MS),
    start_date: bareTimestamp(contract.startsAt),
    end_date: bareTimestamp(contract.endsAt),
    status: contractStatus(contract, world.now()),
    description: contract.description,
    expiration_policy: contract.expirationPolicy,
    discounts: contract.discounts.map((discount, index) => ({
      id: contract.id * 10 + index,
      ...discountBody(discount, contract, world),
      discount_status: contractStatus(contract, world.now()).toLowerCase(),
    })),
  };
}

function discountBody({flavorName, count, type, code, endsAt}: Discount, contract: Contract, world: World) {
  const flavor = flavorNamed(flavorName, REGION_NAME);
  const used = world.machines.filter(
    machine => machine.contract?.id === contract.id && machine.flavor.name === flavorName,
  );
  const priceLeft = Math.round(flavor.nanoPerHour * (1 - contract.discountPercent / 100)) / NANO_PER_DOLLAR;
  return {
    resource_name: flavor.name,
    resource_id: flavor.id,
    resource_count: count,
    remaining_count: Math.max(0, count - used.length),
    discount_type: type,
    discount_amount: type === 'flat' ? priceLeft : null,
    discount_percent: type === 'percent' ? contract.discountPercent : null,
    discount_code: code ?? null,
    ...(endsAt === undefined ? {} : {end_date: bareTimestamp(endsAt)}),
  };
}

function allocationBody(contract: Contract, period: Period, world: World): z.output<typeof ALLOCATION> {
  const {granularityS, steps} = stepsOf(period);
  const covered = world.meters.filter(({compute}) => compute?.contractId === contract.id);
  const reserved = contract.discounts.reduce(
    (sum, {flavorName, count}) => sum + count * flavorNamed(flavorName, REGION_NAME).gpuCount,
    0,
  );
  return {
    id: String(contract.id),
    org_id: world.organization.id,
    status: contractStatus(contract, world.now()),
    total_gpu_allocation: reserved,
    granularity: granularityS,
    allocated_gpu_count_graph: steps.map(step => ({
      datetime: stepTime(step, granularityS),
      value: covered.reduce((sum, meter) => sum + gpusAt(meter, step.from), 0),
    })),
  };
}

function gpusAt({createdAt, terminatedAt, compute}: Meter, moment: number): number {
  const isThere = createdAt <= moment && (terminatedAt === null || moment < terminatedAt);
  return isThere ? (compute?.flavor.gpuCount ?? 0) : 0;
}
