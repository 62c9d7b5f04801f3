import type {UsageRecord} from '../billing.ts';
import {type Contract, type Discount, daysLeft, isContractInForce, isDiscountInForce} from '../contract.ts';
import {listRate, machineRates} from '../cost.ts';
import {
  accrue,
  compare,
  divide,
  isPositive,
  minutesOf,
  type Rate,
  type Rational,
  ratePerHour,
  ratePerMinute,
  rational,
  scaleRate,
  subtractRates,
  sumRates,
  sumUsd,
  type Usd,
} from '../money.ts';
import type {DurationMs, EpochMs} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import type {Prices} from './prices.ts';

/** A contract against what was used of it, and what its end does. */
export type Commitment = {
  readonly contract: Contract;
  /** Below zero once it is past; undefined where the end is not known, which is not "none". */
  readonly daysLeft: number | undefined;
  /** The machines that are bound to it. */
  readonly machines: readonly VirtualMachine[];
  /** GPUs, or machines without one, for how long: what was promised, used of the kind promised, and both at once. */
  readonly use: CommitmentUse | undefined;
  /** What the end adds to the burn rate; below zero where it deletes. Undefined where a price is not known. */
  readonly cliff: Rate | undefined;
};

/** In units × milliseconds. Undefined `committed`: there is no limit to what the contract covers. */
export type CommitmentUse = {
  readonly committed: number | undefined;
  readonly used: number;
  readonly covered: number;
  /**
   * What was promised and not used, at the price agreed on: a loss where the contract is paid whether it is used or not,
   * which the service does not say. Undefined where there is no limit, or no price is known.
   */
  readonly unused: Usd | undefined;
};

export type CommitmentContext = {
  /** The records of `mergeUsage`. */
  readonly records: readonly UsageRecord[];
  readonly machines: readonly VirtualMachine[];
  readonly prices: Prices;
  readonly now: EpochMs;
  /** What use is measured from. */
  readonly since: EpochMs;
};

export function commitmentOf(contract: Contract, context: CommitmentContext): Commitment {
  const machines = context.machines.filter(({contractId}) => contractId === contract.id);
  return {
    contract,
    daysLeft: daysLeft(contract, context.now),
    machines,
    use: measuredUse(contract, context),
    cliff: cliffOf(contract, machines, context),
  };
}

/** The share of what was promised that was used; undefined where nothing, or no limit, was promised. */
export function utilizationRatio({committed, covered}: CommitmentUse): number | undefined {
  return committed === undefined || committed <= 0 ? undefined : covered / committed;
}

/** The share of what was used that the contract covered; undefined where nothing was used. */
export function coverageRatio({used, covered}: CommitmentUse): number | undefined {
  return used > 0 ? covered / used : undefined;
}

/** What was used of each discount's kind since the window began, all discounts together. */
function measuredUse(contract: Contract, context: CommitmentContext): CommitmentUse | undefined {
  const {now} = context;
  const from = Math.max(context.since, contract.startsAt ?? context.since);
  const discounts = contract.discounts.filter(discount => isDiscountInForce(discount, contract, now));
  if (discounts.length === 0 || from >= now) return undefined;
  return discounts.map(discount => discountUse(discount, context, from)).reduce(addUse);
}

function addUse(left: CommitmentUse, right: CommitmentUse): CommitmentUse {
  const hasLimit = left.committed !== undefined && right.committed !== undefined;
  return {
    committed: hasLimit ? (left.committed ?? 0) + (right.committed ?? 0) : undefined,
    used: left.used + right.used,
    covered: left.covered + right.covered,
    unused: left.unused && right.unused && sumUsd([left.unused, right.unused]),
  };
}

/**
 * What was used and covered at each moment, summed. A mean of a day would hide an hour with too many and one with none,
 * so each change of the number counts (cost.md 2.6).
 */
function discountUse(discount: Discount, context: CommitmentContext, from: number): CommitmentUse {
  const {records, machines, now} = context;
  const matching = machines.filter(machine => isMatching(machine, discount));
  const unitsById = new Map<number, number>(matching.map(machine => [machine.id, unitsOf(machine)]));
  // A promise is of machines of a flavor; where it names a model, of GPUs.
  const isOfModel = matching.some(({flavor}) => flavor?.name.toLowerCase() !== nameOf(discount) && isSet(discount));
  const unit = isOfModel ? 1 : Math.max(1, ...unitsById.values());
  const limit = discount.resourceCount === undefined ? undefined : discount.resourceCount * unit;
  const changes: (readonly [at: number, units: number])[] = [];
  for (const {resourceType, resourceId, createdAt, terminatedAt, isExcludedFromBilling} of records) {
    const units = resourceType.toLowerCase() === 'vm' ? unitsById.get(resourceId) : undefined;
    if (units === undefined || createdAt === undefined || isExcludedFromBilling) continue;
    const [start, end] = [Math.max(from, createdAt), Math.min(terminatedAt ?? now, now)];
    if (start < end) changes.push([start, units], [end, -units]);
  }
  changes.sort(([left], [right]) => left - right);
  let [used, covered, count] = [0, 0, 0];
  for (const [index, [at, units]] of changes.entries()) {
    count += units;
    const lengthMs: DurationMs = (changes[index + 1]?.[0] ?? at) - at;
    used += count * lengthMs;
    covered += Math.min(count, limit ?? count) * lengthMs;
  }
  const committed = limit === undefined ? undefined : limit * (now - from);
  const perUnit = unitRate(discount, matching, context.prices);
  const unused =
    committed === undefined || perUnit === undefined ? undefined : accrue(perUnit, minutesOf(committed - covered));
  return {committed, used, covered, unused};
}

/** The agreed price of one unit: of a machine that matches, or of the flavor or GPU model that the discount names. */
function unitRate(discount: Discount, [machine]: readonly VirtualMachine[], prices: Prices): Rate | undefined {
  const list = listRate(machine?.flavor, prices);
  const named = prices.byFlavor.get(nameOf(discount)) ?? prices.byGpuModel.get(nameOf(discount));
  if (machine === undefined || list === undefined) return named && netRate(discount.terms, named);
  const net = netRate(discount.terms, list);
  return net && scaleRate(net, rational(1n, BigInt(Math.round(unitsOf(machine)))));
}

/** By the flavor's id first, then by its name or the model of its GPUs. */
function isMatching({flavor}: VirtualMachine, discount: Discount): boolean {
  if (flavor === undefined) return false;
  if (discount.resourceId !== undefined && flavor.id !== undefined && discount.resourceId === flavor.id) return true;
  const name = nameOf(discount);
  return isSet(discount) && (flavor.name.toLowerCase() === name || flavor.gpuModel?.toLowerCase() === name);
}

function isSet({resourceName}: Discount): boolean {
  return resourceName !== undefined && resourceName !== '';
}

function nameOf({resourceName}: Discount): string {
  return resourceName?.toLowerCase() ?? '';
}

function unitsOf({flavor}: VirtualMachine): number {
  return Math.max(1, flavor?.gpuCount ?? 1);
}

/**
 * What changes at the end. Market price: what the covered machines cost more; deletion: what all its machines cost, away.
 * A policy that is not known is priced as market. A contract that is not in force has no end left.
 */
function cliffOf(
  contract: Contract,
  machines: readonly VirtualMachine[],
  {records, prices, now}: CommitmentContext,
): Rate | undefined {
  if (!isContractInForce(contract, now)) return undefined;
  const rates = machineRates(records);
  const known = machines.map(machine => ({machine, rate: rates.get(machine.id)}));
  if (contract.expirationPolicy.kind === 'delete') {
    const leaving = known.flatMap(({rate}) => rate ?? []);
    return leaving.length < known.length ? undefined : scaleRate(sumRates(leaving), rational(-1n, 1n));
  }
  const rises = coveredMachines(contract, machines, now).map(({machine, discount}) => {
    const rate = rates.get(machine.id);
    return rate === undefined ? undefined : riseAt(machine, discount, {net: rate, prices});
  });
  const knownRises = rises.flatMap(rise => rise ?? []);
  return knownRises.length < rises.length ? undefined : sumRates(knownRises);
}

/** Which of its machines have which discount: the oldest first, as many as it is for (cost.md 2.5). */
function coveredMachines(contract: Contract, machines: readonly VirtualMachine[], now: EpochMs) {
  const oldestFirst = [...machines].sort(
    (left, right) => (left.createdAt ?? 0) - (right.createdAt ?? 0) || left.id - right.id,
  );
  const taken = new Set<VirtualMachine>();
  return contract.discounts
    .filter(discount => isDiscountInForce(discount, contract, now))
    .flatMap(discount => {
      const matching = oldestFirst.filter(machine => !taken.has(machine) && isMatching(machine, discount));
      const covered = matching.slice(0, discount.resourceCount ?? matching.length);
      for (const machine of covered) taken.add(machine);
      return covered.map(machine => ({machine, discount}));
    });
}

/**
 * What a machine under a contract costs while it runs, from the list price and the best of the discounts that match it:
 * they never stack (cost.md 2.5). Undefined where no contract lowers its price, or no price was published.
 */
export function contractRate(
  machine: VirtualMachine,
  contracts: readonly Contract[],
  {prices, now}: {readonly prices: Prices; readonly now: EpochMs},
): Rate | undefined {
  const contract = contracts.find(({id}) => id === machine.contractId);
  const list = listRate(machine.flavor, prices);
  if (contract === undefined || list === undefined) return undefined;
  return contract.discounts
    .filter(discount => isDiscountInForce(discount, contract, now) && isMatching(machine, discount))
    .flatMap(({terms}) => netRate(terms, list) ?? [])
    .sort(compare)[0];
}

/**
 * The time unit of a flat price is not documented: it is taken per hour or per minute, whichever is nearer to the list
 * price.
 */
function netRate(terms: Discount['terms'], list: Rate): Rate | undefined {
  switch (terms.kind) {
    case 'percent':
      return scaleRate(list, paidShareOf(terms.percent));
    case 'flat':
      return [ratePerHour(terms.price), ratePerMinute(terms.price)].find(
        rate => compare(rate, scaleRate(list, MIN_FLAT)) >= 0 && compare(rate, scaleRate(list, MAX_FLAT)) <= 0,
      );
    case 'unusable':
      return undefined;
  }
}

const MIN_FLAT = rational(5n, 100n);
const MAX_FLAT = rational(2n, 1n);

function paidShareOf({numerator, denominator}: Rational): Rational {
  return rational(100n * denominator - numerator, 100n * denominator);
}

function riseAt(
  machine: VirtualMachine,
  {terms}: Discount,
  {net, prices}: {readonly net: Rate; readonly prices: Prices},
): Rate | undefined {
  const list = listRate(machine.flavor, prices);
  if (terms.kind !== 'percent') return list === undefined ? undefined : subtractRates(list, net);
  const paidShare = paidShareOf(terms.percent);
  if (!isPositive(paidShare)) return list;
  const market = ratePerMinute(divide(net, paidShare));
  // What is metered may be the list price already: then a discount on top of it would be counted twice.
  return list !== undefined && compare(net, list) >= 0 ? subtractRates(net, net) : subtractRates(market, net);
}
