import type {UsageRecord} from '../billing.ts';
import {type Contract, type Discount, daysLeft, isContractInForce, isDiscountInForce} from '../contract.ts';
import {listRate, machineRates, unitListRate, usableRate, withAddress} from '../cost.ts';
import {memoPer} from '../memo.ts';
import {
  accrue,
  compare,
  divide,
  isPositive,
  minutesOf,
  multiply,
  type Rate,
  type Rational,
  ratePerHour,
  ratePerMinute,
  rational,
  scaleRate,
  subtractRates,
  sumRates,
  sumUsd,
  toNumber,
  type Usd,
  usdNumber,
} from '../money.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from '../time.ts';
import {hasAddress, isTransitional, type VirtualMachine} from '../virtual-machine.ts';
import type {Prices} from './prices.ts';
import {usableCost} from './spend.ts';
import {billingInStatus} from './state-billing.ts';

/** A contract compared with its use, and the effect of its end. */
export type Commitment = {
  readonly contract: Contract;
  /** Negative once it is past; undefined if the end is unknown, which is not "none". */
  readonly daysLeft: number | undefined;
  /** The machines under it; undefined, as are its use and the effect of its end, if machines were not read. */
  readonly machines: readonly VirtualMachine[] | undefined;
  /** GPUs (or machines without any) × time: committed, used of the committed kind, and both at once. */
  readonly use: CommitmentUse | undefined;
  /** What the end adds to the burn rate; below zero if it deletes machines. Undefined where a price is not known. */
  readonly cliff: Rate | undefined;
};

/** In units × milliseconds. `committed` is undefined if the contract covers an unlimited number. */
export type CommitmentUse = {
  readonly committed: number | undefined;
  readonly used: number;
  readonly covered: number;
  /**
   * Committed but not used, at the agreed price: a loss if the contract is charged regardless of use, which the service
   * does not say. Undefined without a limit or a known price.
   */
  readonly unused: Usd | undefined;
};

export type CommitmentContext = {
  /** The records of `mergeUsage`. */
  readonly records: readonly UsageRecord[];
  /** Undefined if they were not read. */
  readonly machines: readonly VirtualMachine[] | undefined;
  readonly prices: Prices;
  readonly now: EpochMs;
  /** The start of the period in which use is counted. */
  readonly since: EpochMs;
};

export function commitmentOf(contract: Contract, {machines: all, ...context}: CommitmentContext): Commitment {
  const left = daysLeft(contract, context.now);
  if (all === undefined) return {contract, daysLeft: left, machines: undefined, use: undefined, cliff: undefined};
  const machines = all.filter(({contractId}) => contractId === contract.id);
  return {
    contract,
    daysLeft: left,
    machines,
    use: measuredUse(contract, {...context, machines: all}),
    cliff: cliffOf(contract, machines, context),
  };
}

type KnownContext = CommitmentContext & {readonly machines: readonly VirtualMachine[]};

/** The share of the commitment that was used; undefined if nothing or no limit was committed. */
export function utilizationRatio({committed, covered}: CommitmentUse): number | undefined {
  return committed === undefined || committed <= 0 ? undefined : covered / committed;
}

/** The share of use that the contract covered; undefined if nothing was used. */
export function coverageRatio({used, covered}: CommitmentUse): number | undefined {
  return used > 0 ? covered / used : undefined;
}

/**
 * The use of what the discounts apply to since the window began, each machine once. Undefined if it is unknown how long
 * one of them ran.
 */
function measuredUse(contract: Contract, context: KnownContext): CommitmentUse | undefined {
  const {now} = context;
  const from = Math.max(context.since, contract.startsAt ?? context.since);
  const discounts = contract.discounts.filter(discount => isDiscountInForce(discount, contract, now));
  if (discounts.length === 0 || from >= now) return undefined;
  // Machines under another contract do not use this one.
  const machines = context.machines.filter(({contractId}) => contractId === undefined || contractId === contract.id);
  const covers = discounts.map(discount => coverOf(discount, machines, context.prices));
  const steps = stepsOf(machines, covers, {...context, contract, from});
  if (steps === undefined) return undefined;
  const {used, coveredBy} = coverage(covers, steps);
  const windowMs = now - from;
  const covered = coveredBy.reduce((sum, each) => sum + each, 0);
  const unused = covers.map(({limit, perUnit}, index) =>
    limit === undefined || perUnit === undefined
      ? undefined
      : accrue(perUnit, minutesOf(limit * windowMs - (coveredBy[index] ?? 0))),
  );
  const known = unused.flatMap(each => each ?? []);
  const limits = covers.flatMap(({limit}) => limit ?? []);
  return {
    committed: limits.length < covers.length ? undefined : limits.reduce((sum, limit) => sum + limit * windowMs, 0),
    used,
    covered,
    unused: known.length < unused.length ? undefined : sumUsd(known),
  };
}

/** What a discount applies to: which machines, how many of their units, and the price per unit. */
type Cover = {
  readonly ids: ReadonlySet<number>;
  readonly limit: number | undefined;
  readonly perUnit: Rate | undefined;
};

function coverOf(discount: Discount, machines: readonly VirtualMachine[], prices: Prices): Cover {
  const matching = machines.filter(machine => isMatching(machine, discount));
  // A commitment is for machines of a flavor or, if it names a model, for GPUs.
  const isOfModel = matching.some(({flavor}) => isModelOf(discount, flavor));
  const unit = isOfModel ? 1 : Math.max(1, ...matching.map(unitsOf));
  return {
    ids: new Set(matching.map(({id}) => id)),
    limit: discount.resourceCount === undefined ? undefined : discount.resourceCount * unit,
    perUnit: unitRate(discount, matching, prices),
  };
}

/** A moment at which the number of running units with the same discounts changes. */
type CommitmentStep = {readonly at: number; readonly promised: string; readonly units: number};

function stepsOf(
  machines: readonly VirtualMachine[],
  covers: readonly Cover[],
  {
    records,
    from,
    ...moment
  }: Omit<CommitmentContext, 'machines' | 'since'> & {readonly contract: Contract; readonly from: number},
): readonly CommitmentStep[] | undefined {
  const known = new Map<number, Pick<CommitmentStep, 'promised' | 'units'> & {readonly machine: VirtualMachine}>(
    machines.flatMap(machine => {
      const promised = covers.flatMap(({ids}, index) => (ids.has(machine.id) ? [index] : [])).join(' ');
      return promised === '' ? [] : [[machine.id, {machine, promised, units: unitsOf(machine)}]];
    }),
  );
  const steps: CommitmentStep[] = [];
  for (const record of records) {
    const of = record.resourceType.toLowerCase() === 'vm' ? known.get(record.resourceId) : undefined;
    if (of === undefined || record.isExcludedFromBilling) continue;
    const {promised, units, machine} = of;
    const runs = runsOf(record, machine, {...moment, machines});
    if (runs === undefined) return undefined;
    for (const run of runs) {
      const start = Math.max(from, run.from);
      if (start < run.until) steps.push({promised, units, at: start}, {promised, units: -units, at: run.until});
    }
  }
  return steps.sort((left, right) => left.at - right.at);
}

type Run = {readonly from: number; readonly until: number};
type RunContext = Pick<KnownContext, 'machines' | 'prices' | 'now'> & {readonly contract: Contract};

/**
 * When it was billed in full, since a contract does not cover what is hibernated: by its events, if they are known. A
 * machine that is hibernated now ran until its bill at its price is used up; undefined if one of them is unknown.
 */
function runsOf(record: UsageRecord, machine: VirtualMachine, context: RunContext): readonly Run[] | undefined {
  const {createdAt: from, terminatedAt, paidTimes} = record;
  const {now, prices} = context;
  if (from === undefined) return [];
  const until = Math.min(terminatedAt ?? now, now);
  if (paidTimes !== undefined) {
    return paidTimes.flatMap(({share, ...time}) =>
      compare(share, WHOLE) < 0 ? [] : [{from: Math.max(from, time.from), until: Math.min(until, time.until)}],
    );
  }
  const isHibernated = terminatedAt === undefined && billingInStatus(machine.status, prices) === 'storage';
  const ranUntil = isHibernated ? hibernatedSince(record, machine, context) : until;
  return ranUntil === undefined ? undefined : [{from, until: Math.min(until, ranUntil)}];
}

const WHOLE = rational(1n, 1n);

function hibernatedSince(
  record: UsageRecord,
  machine: VirtualMachine,
  {contract, machines, prices, now}: RunContext,
): number | undefined {
  const running = runningRate(machine, [contract], {prices, now, machines});
  const full = withAddress(running, hasAddress(machine), prices);
  const [present, billed, {createdAt: from}] = [usableRate(record), usableCost(record), record];
  if (full === undefined || present === undefined || billed === undefined || from === undefined) return undefined;
  const [perMs, hibernatedPerMs] = [toNumber(full) / MINUTE_MS, toNumber(present) / MINUTE_MS];
  if (perMs <= hibernatedPerMs) return undefined;
  return from + Math.max(0, usdNumber(billed) - hibernatedPerMs * (now - from)) / (perMs - hibernatedPerMs);
}

/**
 * The total used, and covered by each discount, moment by moment: a daily mean would hide an hour with too many and one
 * with none. What does not fit one discount is covered by the next one that applies.
 */
function coverage(covers: readonly Cover[], steps: readonly CommitmentStep[]) {
  const running = new Map<string, number>();
  const coveredBy = covers.map(() => 0);
  let used = 0;
  for (const [index, {at, promised, units}] of steps.entries()) {
    running.set(promised, (running.get(promised) ?? 0) + units);
    const lengthMs: DurationMs = (steps[index + 1]?.at ?? at) - at;
    if (lengthMs === 0) continue;
    const left = new Map(running);
    for (const count of running.values()) used += count * lengthMs;
    for (const [place, {limit}] of covers.entries()) {
      let room = limit ?? Number.POSITIVE_INFINITY;
      for (const [key, count] of left) {
        if (!key.split(' ').includes(String(place))) continue;
        const taken = Math.min(count, room);
        left.set(key, count - taken);
        room -= taken;
        coveredBy[place] = (coveredBy[place] ?? 0) + taken * lengthMs;
      }
    }
  }
  return {used, coveredBy};
}

/** The agreed price of one unit: of a matching machine, or of the flavor or GPU model that the discount names. */
function unitRate(discount: Discount, [machine]: readonly VirtualMachine[], prices: Prices): Rate | undefined {
  const list = listRate(machine?.flavor, prices);
  const named = unitListRate(nameOf(discount), prices);
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

/** Whether the discount names the model of the GPUs of a matching flavor, so that its count is one of GPUs. */
function isModelOf(discount: Discount, flavor: VirtualMachine['flavor']): boolean {
  return isSet(discount) && flavor?.name.toLowerCase() !== nameOf(discount);
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
 * The effect of the end. With market prices: the additional cost of the covered machines; with deletion: minus the cost
 * of all its machines. An unknown policy is priced as market. A contract not in force has no end to come.
 */
function cliffOf(
  contract: Contract,
  machines: readonly VirtualMachine[],
  {records, prices, now}: Pick<CommitmentContext, 'records' | 'prices' | 'now'>,
): Rate | undefined {
  if (!isContractInForce(contract, now)) return undefined;
  const rates = machineRates(records);
  const known = machines.map(machine => ({machine, rate: rates.get(machine.id)}));
  if (contract.expirationPolicy.kind === 'delete') {
    const leaving = known.flatMap(({rate}) => rate ?? []);
    return leaving.length < known.length ? undefined : scaleRate(sumRates(leaving), rational(-1n, 1n));
  }
  // What is hibernated costs the same after the end.
  const covered = coveredMachines(contract, runningUnder(contract, {machines, prices}), {prices, now});
  const rises = [...covered.values()].map(each => {
    const rate = rates.get(each.machine.id);
    return rate === undefined ? undefined : riseAt(each, {net: rate, prices});
  });
  const knownRises = rises.flatMap(rise => rise ?? []);
  return knownRises.length < rises.length ? undefined : sumRates(knownRises);
}

/** A discount, and for which part of a machine: of its GPUs, the commitment may end in the middle. */
type Covered = {readonly machine: VirtualMachine; readonly discount: Discount; readonly share: Rational};

/**
 * Which machines get which discount, in their order, as many as the contract covers: each the one that lowers its price
 * most of those with units left. Discounts never stack.
 */
function coveredMachines(
  contract: Contract,
  machines: MachinesById,
  {prices, now}: {readonly prices: Prices; readonly now: EpochMs},
): ReadonlyMap<number, Covered> {
  const discounts = contract.discounts.filter(discount => isDiscountInForce(discount, contract, now));
  return coveredOnce(machines, [prices, ...discounts], () => {
    const left = new Map(discounts.map(each => [each, each.resourceCount ?? Number.POSITIVE_INFINITY]));
    const covered = new Map<number, Covered>();
    for (const [id, machine] of machines) {
      const list = listRate(machine.flavor, prices);
      const [best] = discounts
        .flatMap(discount => {
          const units = isModelOf(discount, machine.flavor) ? unitsOf(machine) : 1;
          const taken = Math.min(left.get(discount) ?? 0, units);
          if (taken <= 0 || !isMatching(machine, discount)) return [];
          const share = rational(BigInt(Math.round(taken)), BigInt(Math.round(units)));
          return [{machine, discount, share, taken, price: list && discountedRate(list, {discount, share})}];
        })
        .sort(byPrice);
      if (best === undefined) continue;
      left.set(best.discount, (left.get(best.discount) ?? 0) - best.taken);
      covered.set(id, best);
    }
    return covered;
  });
}

type MachinesById = ReadonlyMap<number, VirtualMachine>;
const coveredOnce = memoPer<MachinesById, ReadonlyMap<number, Covered>>();

/** Terms that give no price come last. */
function byPrice(one: {readonly price: Rate | undefined}, other: {readonly price: Rate | undefined}): number {
  if (one.price !== undefined && other.price !== undefined) return compare(one.price, other.price);
  return Number(one.price === undefined) - Number(other.price === undefined);
}

function discountedRate(list: Rate, {discount, share}: Pick<Covered, 'discount' | 'share'>): Rate | undefined {
  const net = netRate(discount.terms, list);
  return net && subtractRates(list, scaleRate(subtractRates(list, net), share));
}

/** The machines that use a contract, the oldest first. */
function runningUnder(
  {id}: Contract,
  {machines, prices}: {readonly machines: readonly VirtualMachine[]; readonly prices: Prices},
): MachinesById {
  const byContract = runningOnce(machines, [prices], () => {
    const running = machines.filter(machine => isUsing(machine, prices));
    return new Map(
      [...Map.groupBy(running, ({contractId}) => contractId)].map(([key, own]) => [key, byIdOldestFirst(own)]),
    );
  });
  return byContract.get(id) ?? NONE;
}

const runningOnce = memoPer<readonly VirtualMachine[], ReadonlyMap<number | undefined, MachinesById>>();
const NONE: MachinesById = new Map();
const NO_MACHINES: readonly VirtualMachine[] = [];

/** A machine in transition is free for a moment; most run afterwards. */
function isUsing({status}: VirtualMachine, prices: Prices): boolean {
  const billing = billingInStatus(status, prices);
  return billing === 'full' || billing === 'unknown' || isTransitional(status);
}

function byIdOldestFirst(machines: readonly VirtualMachine[]): MachinesById {
  const ordered = machines.toSorted(
    (left, right) => (left.createdAt ?? 0) - (right.createdAt ?? 0) || left.id - right.id,
  );
  return new Map(ordered.map(machine => [machine.id, machine]));
}

/**
 * The price of a machine while it runs: that of its contract, or else the list price. Undefined if none was published,
 * or if the contracts were not read, which may lower it.
 */
export function runningRate(
  machine: VirtualMachine,
  contracts: readonly Contract[] | undefined,
  moment: PricedMoment,
): Rate | undefined {
  if (machine.hasUnreadContract === true) return undefined;
  if (machine.contractId !== undefined && contracts === undefined) return undefined;
  return contractRate(machine, contracts ?? [], moment) ?? listRate(machine.flavor, moment.prices);
}

type PricedMoment = {
  readonly prices: Prices;
  readonly now: EpochMs;
  /** The present ones, those that run of which use what was committed; without them, all of it is left. */
  readonly machines?: readonly VirtualMachine[] | undefined;
  /** Those of the others that are to run as well, or ran; without them, the machine alone. */
  readonly starting?: readonly VirtualMachine[] | undefined;
};

/**
 * The price of a machine under a contract, while it runs. Which machines are covered is not documented: here those that
 * run, then those to be started, so that the price of these is what starting them adds. Undefined if no contract lowers
 * its price, as when its commitment is used up, or no price was published.
 */
export function contractRate(
  machine: VirtualMachine,
  contracts: readonly Contract[],
  moment: PricedMoment,
): Rate | undefined {
  const list = listRate(machine.flavor, moment.prices);
  const covered = list && coverOfMachine(machine, contracts, moment);
  return covered && discountedRate(list, covered);
}

/** The share of a machine that its contract covers while it runs; undefined if none. */
export function coveredShare(
  machine: VirtualMachine,
  contracts: readonly Contract[],
  moment: PricedMoment,
): Rational | undefined {
  return coverOfMachine(machine, contracts, moment)?.share;
}

function coverOfMachine(
  machine: VirtualMachine,
  contracts: readonly Contract[],
  {prices, now, machines = NO_MACHINES, starting = [machine]}: PricedMoment,
): Covered | undefined {
  const contract = contracts.find(({id}) => id === machine.contractId);
  if (contract === undefined) return undefined;
  const running = runningUnder(contract, {machines, prices});
  const started = starting.filter(({contractId}) => contractId === contract.id);
  const users = running.has(machine.id) ? running : new Map([...running, ...byIdOldestFirst(started)]);
  return coveredMachines(contract, users, {prices, now}).get(machine.id);
}

/**
 * The period of a flat price is not documented: it is taken as per hour or per minute, whichever lies between 5% and
 * 200% of the list price. Undefined if neither does.
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
  {machine, discount: {terms}, share}: Covered,
  {net, prices}: {readonly net: Rate; readonly prices: Prices},
): Rate | undefined {
  const list = listRate(machine.flavor, prices);
  if (terms.kind !== 'percent') return list === undefined ? undefined : subtractRates(list, net);
  const paidShare = paidShareOf(multiply(terms.percent, share));
  if (!isPositive(paidShare)) return list;
  const market = ratePerMinute(divide(net, paidShare));
  // The metered rate may be the list price already, so a discount on top would count twice.
  return list !== undefined && compare(net, list) >= 0 ? subtractRates(net, net) : subtractRates(market, net);
}
