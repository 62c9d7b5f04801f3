import type {Contract, Discount} from '../../world/account.ts';
import {flavorNamed, NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import type {World} from '../../world/world.ts';
import {invalidInput, notFound, succeeded} from '../answer.ts';
import {CONTRACT} from '../billing-records.ts';
import {pageOf} from '../paging.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, INTEGER, listOf} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';

const READS = {permission: 'billing:read', action: 'read contracts'} as const;
const SIGNED_BEFORE_MS = 9 * 86_400_000;
/** Contracts here are all for flavors of that region. */
const REGION_NAME = 'CANADA-1';

export const contractRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/pricebook/contracts',
    describes: {
      summary: 'List contracts',
      query: {page: {type: 'integer', minimum: 1}, per_page: {type: 'integer', minimum: 1}},
      reply: envelope({contracts: listOf(CONTRACT), count: INTEGER}),
    },
    requires: READS,
    answer: listContracts,
  },
  {
    method: 'GET',
    pattern: '/pricebook/contracts/:contract_id',
    describes: {summary: 'Read a contract', reply: envelope({contracts: CONTRACT})},
    requires: READS,
    answer: getContract,
  },
];

function listContracts({world, query}: Inquiry): Response {
  const page = pageOf(world.contracts, {page: query('page'), pageSize: query('per_page'), sizeName: 'per_page'});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting contracts successful', {
    contracts: page.records.map(contract => contractBody(contract, world)),
    count: page.keys.count,
  });
}

/** One alone stands under the same plural key. */
function getContract({world, part}: Inquiry): Response {
  const contract = world.contracts.find(({id}) => String(id) === part('contract_id'));
  if (contract === undefined) return notFound(`Contract ${part('contract_id')} does not exist.`);
  return succeeded('Getting contract successful', {contracts: contractBody(contract, world)});
}

function contractBody(contract: Contract, world: World) {
  const isRunning = contract.startsAt <= world.now() && world.now() < contract.endsAt;
  return {
    id: contract.id,
    org_id: world.organization.id,
    created_at: bareTimestamp(contract.startsAt - SIGNED_BEFORE_MS),
    start_date: bareTimestamp(contract.startsAt),
    end_date: bareTimestamp(contract.endsAt),
    status: isRunning ? 'Active' : 'Expired',
    description: contract.description,
    expiration_policy: contract.expirationPolicy,
    discounts: contract.discounts.map((discount, index) => ({
      id: contract.id * 10 + index,
      ...discountBody(discount, contract, world),
      discount_status: isRunning ? 'active' : 'expired',
    })),
  };
}

function discountBody({flavorName, count, type, code}: Discount, contract: Contract, world: World) {
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
  };
}
