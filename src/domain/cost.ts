import {unreachable} from './assert.ts';
import type {Credit, UsageRecord} from './billing.ts';
import {type Cluster, machinesOfCluster, mayHaveOtherMachines} from './cluster.ts';
import {countedWords} from './listed-words.ts';
import {memoPer, oncePer} from './memo.ts';
import type {Prices} from './money/prices.ts';
import {billingInStatus} from './money/state-billing.ts';
import {
  compare,
  divide,
  hourlyUsd,
  isNegative,
  isPositive,
  type Rate,
  ratePerHour,
  rational,
  scaleRate,
  subtractRates,
  sumRates,
  ZERO_RATE,
} from './money.ts';
import {joinSafe, type SafeText, say} from './safe-text.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from './time.ts';
import {
  hasAddress,
  isTransitional,
  mayBeUnderContract,
  mayHaveAddress,
  type MachineFlavor,
  type MachineStatus,
  type TransitionalStatus,
  type VirtualMachine,
} from './virtual-machine.ts';

type Burn = {readonly rate: Rate; readonly unpricedCount: number};

/**
 * The present burn rate per minute, and how many active records have no usable rate and are missing from it. Cached,
 * because the header asks every second.
 */
export const burnRate = oncePer(burnOf);

function burnOf(records: readonly UsageRecord[]): Burn {
  const burning = records.filter(isBurning);
  const rates = burning.flatMap(record => usableRate(record) ?? []);
  return {rate: sumRates(rates), unpricedCount: burning.length - rates.length};
}

/**
 * The present rate of each machine with active spans; a machine is missing if one of its spans has no usable rate.
 * Cached, because every list with prices asks after each reading of anything.
 */
export const machineRates = oncePer((records: readonly UsageRecord[]) => ratesOf('vm', records));

/** The same for volumes. */
export const volumeRates = oncePer((records: readonly UsageRecord[]) => ratesOf('volume', records));

/** The machines that are free: all their active spans are excluded from billing, like those of cluster masters. */
export const excludedMachines = oncePer((records: readonly UsageRecord[]): ReadonlySet<number> => {
  const active = records.filter(({isActive, resourceType}) => isActive && isOfMachine(resourceType));
  const paid = new Set(active.filter(isBurning).map(({resourceId}) => resourceId));
  return new Set(active.flatMap(({resourceId}) => (paid.has(resourceId) ? [] : [resourceId])));
});

function ratesOf(type: 'vm' | 'volume', records: readonly UsageRecord[]): ReadonlyMap<number, Rate> {
  const spans = Map.groupBy(
    records.filter(record => isBurning(record) && record.resourceType.toLowerCase() === type),
    record => record.resourceId,
  );
  return new Map(
    [...spans].flatMap(([id, active]): [number, Rate][] => {
      const {rate, unpricedCount} = burnOf(active);
      return unpricedCount === 0 ? [[id, rate]] : [];
    }),
  );
}

/** The costliest first; resources without a rate last. */
export function costliestFirst<Machine extends Pick<VirtualMachine, 'id'>>(
  machines: readonly Machine[],
  rates: ReadonlyMap<number, Rate>,
): readonly Machine[] {
  return machines
    .map(machine => {
      const rate = rates.get(machine.id);
      return {machine, perHour: rate === undefined ? 0 : hourlyUsd(rate)};
    })
    .sort((left, right) => right.perHour - left.perHour || left.machine.id - right.machine.id)
    .map(({machine}) => machine);
}

/**
 * How long the balance lasts at this burn rate; 0 if it is used up, whatever the rate. Undefined if either is unknown
 * or nothing is billed.
 */
export function runway({balance}: Credit, burn: Rate | undefined): DurationMs | undefined {
  if (balance === undefined) return undefined;
  if (!isPositive(balance)) return 0;
  if (burn === undefined || !isPositive(burn)) return undefined;
  const {numerator, denominator} = divide(balance, burn);
  return Number((numerator * BigInt(MINUTE_MS)) / denominator);
}

/**
 * What machines will cost besides what is metered of them, once they are billed for the state that they are in or come
 * to, as far as it is published. Usage is read less often than machines, and nothing is billed while a state changes.
 */
function rateBesides(
  machines: readonly VirtualMachine[],
  records: readonly UsageRecord[],
  prices: Prices,
): Burn & Pick<Runway, 'changingCount' | 'unmeteredCount'> & {readonly listed: readonly Rate[]} {
  const [rates, unmetered] = [machineRates(records), new Set(withoutUsage(machines, records))];
  const counted = machines.flatMap(machine => {
    const isUnmetered = unmetered.has(machine);
    const metered = isUnmetered ? ZERO_RATE : rates.get(machine.id);
    // A metered price under a contract is that of the contract, in any state.
    if (metered === undefined || (machine.contractId !== undefined && !isUnmetered)) return [];
    const settled = isTransitional(machine.status) ? {...machine, status: STATUS_AFTER[machine.status]} : machine;
    const isKnown = isUnmetered
      ? billingInStatus(settled.status, prices) === 'free'
      : meteredRate(settled, metered, prices) !== undefined;
    if (isKnown) return [];
    const price = stateRate(settled, machine.floatingIp !== undefined, prices);
    // One that becomes cheaper is counted as metered until it is metered again: it may yet fail to.
    const rise = price && subtractRates(price, metered);
    return rise !== undefined && !isPositive(rise) ? [] : [{machine, rise}];
  });
  const priced = counted.flatMap(({machine, rise}) => (rise === undefined ? [] : [{machine, rise}]));
  const isAgreed = ({machine}: {readonly machine: VirtualMachine}) => machine.contractId !== undefined;
  const unread = counted.filter(({machine}) => hasAddress(machine) === undefined);
  const unmeteredCount = counted.filter(({machine}) => unmetered.has(machine)).length;
  return {
    rate: sumRates(priced.filter(each => !isAgreed(each)).map(({rise}) => rise)),
    // A contract may set another price, and an address that could not be read may be none.
    listed: [...priced.filter(isAgreed).map(({rise}) => rise), ...unread.map(() => prices.publicIp)],
    unpricedCount: counted.length - priced.length,
    changingCount: counted.length - unmeteredCount,
    unmeteredCount,
  };
}

/** Machines that no active usage record is about: what they cost is in no sum of records. */
export function withoutUsage(
  machines: readonly VirtualMachine[],
  records: readonly UsageRecord[],
): readonly VirtualMachine[] {
  const active = records.filter(({isActive, resourceType}) => isActive && isOfMachine(resourceType));
  const ids = new Set(active.map(({resourceId}) => resourceId));
  return machines.filter(({id}) => !ids.has(id));
}

/** Whether a machine without a usage record should have one: it is billed in its state, and is not new. */
export function isMissed(
  {status, createdAt}: VirtualMachine,
  {prices, now}: {readonly prices: Prices; readonly now: EpochMs},
): boolean {
  return billingInStatus(status, prices) !== 'free' && isSettled(createdAt, now);
}

/** The lists are not read at the same moment: younger resources may be in only one of them. */
export function isSettled(createdAt: EpochMs | undefined, now: EpochMs): boolean {
  return createdAt === undefined || now - createdAt > SETTLING_MS;
}

const SETTLING_MS: DurationMs = 10 * MINUTE_MS;

function isOfMachine(resourceType: string): boolean {
  return resourceType.toLowerCase() === 'vm';
}

/** The state that each change of state ends in, if nothing fails. */
const STATUS_AFTER: {readonly [Status in TransitionalStatus]: MachineStatus} = {
  CREATING: 'ACTIVE',
  BUILD: 'ACTIVE',
  PRE_ACTIVE: 'ACTIVE',
  STARTING: 'ACTIVE',
  STOPPING: 'SHUTOFF',
  REBOOTING: 'ACTIVE',
  HIBERNATING: 'HIBERNATED',
  RESTORING: 'ACTIVE',
  DELETING: 'DELETED',
};

export type Runway = {
  /** 0 if the credit is used up. Undefined if it is unknown, or has no end. */
  readonly leftMs: DurationMs | undefined;
  /** Nothing is billed, and nothing is unknown. */
  readonly isEndless: boolean;
  /** Something of unknown price is billed as well. */
  readonly isAtMost: boolean;
  /** With what of that has a list price counted at it; undefined if nothing has. */
  readonly atListMs?: DurationMs | undefined;
  /** Some of that has no list price either. */
  readonly hasUnpriced: boolean;
  /** Machines that change state, or have since usage was read: counted at the price of the state that they come to. */
  readonly changingCount: number;
  /** Machines without a usage record, counted like these. */
  readonly unmeteredCount: number;
};

/** How long the credit lasts once every machine is billed for its state: neither a reboot nor a gap lengthens it. */
export function lastingRunway(
  credit: Credit,
  burn: Rate | undefined,
  {
    records,
    isWhole,
    machines = [],
    prices,
  }: {
    readonly records: readonly UsageRecord[];
    /** Whether these are all records. */
    readonly isWhole: boolean;
    readonly machines: readonly VirtualMachine[] | undefined;
    readonly prices: Prices;
  },
): Runway {
  const {rate, listed, unpricedCount, changingCount, unmeteredCount} = rateBesides(machines, records, prices);
  const leftMs = runway(credit, burn && sumRates([burn, rate]));
  const atListMs = listed.length === 0 ? undefined : runway(credit, burn && sumRates([burn, rate, ...listed]));
  const hasUnpriced = !isWhole || unpricedCount + burnRate(records).unpricedCount > 0;
  const isAtMost = hasUnpriced || listed.length > 0;
  const isEndless = leftMs === undefined && credit.balance !== undefined && burn !== undefined && !isAtMost;
  return {leftMs, isEndless, isAtMost, atListMs, hasUnpriced, changingCount, unmeteredCount};
}

/**
 * `52h`, `at most 52h, 40h at list prices`, `used up`, `no end, nothing is billed` or `unknown`; `durationText` writes
 * how long.
 */
export function runwayText(
  runway: Pick<Runway, 'leftMs' | 'isEndless' | 'isAtMost' | 'atListMs'> | undefined,
  durationText: (duration: DurationMs) => string,
): string {
  if (runway === undefined) return 'unknown';
  const {leftMs, isEndless, isAtMost, atListMs} = runway;
  if (leftMs === 0) return 'used up';
  const most = leftMs === undefined ? undefined : durationText(leftMs);
  const atList = atListMs === undefined ? undefined : durationText(atListMs);
  const parts = [
    ...(most === undefined ? [] : [`${isAtMost ? 'at most ' : ''}${most}`]),
    ...(atList === undefined || atList === most ? [] : [`${atList} at list prices`]),
  ];
  return parts.length === 0 ? (isEndless ? 'no end, nothing is billed' : 'unknown') : parts.join(', ');
}

/** How soon the credit may end; undefined if that is unknown, or never. */
export function soonestMs({leftMs, atListMs = leftMs}: Pick<Runway, 'leftMs' | 'atListMs'>): DurationMs | undefined {
  return atListMs;
}

/** `1 machine changing state`, `2 machines without a usage record` or both: what a runway counts besides the burn rate. */
export function besidesBurn({
  changingCount,
  unmeteredCount,
}: Pick<Runway, 'changingCount' | 'unmeteredCount'>): SafeText | undefined {
  const machines = (count: number, words: SafeText) =>
    count === 0 ? [] : [say`${countedWords(count, say`machine`)} ${words}`];
  const all = [
    ...machines(changingCount, say`changing state`),
    ...machines(unmeteredCount, say`without a usage record`),
  ];
  return all.length === 0 ? undefined : joinSafe(all, ' and ');
}

/** Whether a record's rate is being charged now. */
export function isBurning(record: UsageRecord): boolean {
  return record.isActive && !record.isExcludedFromBilling;
}

/** No machine or volume costs a hundredth of it: 8 GPUs are about $50 an hour, a volume of 1 PB about $100. */
const MAX_RATE = ratePerHour(rational(100_000n, 1n));

/** A record's rate, if the service gives a plausible one. */
export function usableRate({rate}: UsageRecord): Rate | undefined {
  return rate === undefined || isNegative(rate) || isTooLargeRate(rate) ? undefined : rate;
}

/** Whether a rate is higher than anything can cost. */
export function isTooLargeRate(rate: Rate): boolean {
  return compare(rate, MAX_RATE) > 0;
}

/**
 * The list price of a machine of this flavor: as set by a person, or else by the account's price list, or else as
 * published; undefined if there is none.
 */
export function listRate(flavor: MachineFlavor | undefined, prices: Prices): Rate | undefined {
  if (flavor === undefined) return undefined;
  return ownRate(flavor, prices) ?? bookRate(flavor, prices) ?? publishedRate(flavor, prices);
}

/** Where the list price of a machine of this flavor comes from, if there is one. */
export function listSource(flavor: MachineFlavor, prices: Prices): 'own' | 'listed' | 'published' {
  if (ownRate(flavor, prices) !== undefined) return 'own';
  return bookRate(flavor, prices) === undefined ? 'published' : 'listed';
}

function ownRate(flavor: MachineFlavor, prices: Prices): Rate | undefined {
  const name = flavor.name.toLowerCase();
  if (prices.ownFlavors.has(name)) return prices.byFlavor.get(name);
  return prices.ownGpuModels.has(flavor.gpuModel?.toLowerCase() ?? '') ? gpusRate(flavor, prices) : undefined;
}

/**
 * The account's price list has a price for each GPU, and may have others for the parts of a machine; or one for the
 * whole of a flavor. Undefined if a part that has a price is of unknown size, or if its price could not be read.
 */
function bookRate(flavor: MachineFlavor, {listed}: Prices): Rate | undefined {
  const {name, gpuModel, gpuCount = 0, cpuCount, ramGb, ephemeralDiskGb} = flavor;
  if (listed.has(name.toLowerCase())) return listed.get(name.toLowerCase());
  const spot = name.toLowerCase().endsWith('-spot') ? '-spot' : '';
  const hasGpus = gpuModel !== undefined && gpuCount > 0;
  const perGpu = hasGpus ? listed.get(`${gpuModel.toLowerCase()}${spot}`) : undefined;
  if (hasGpus && perGpu === undefined) return undefined;
  const others = [
    {unit: 'vcpu', count: cpuCount},
    {unit: 'ram', count: ramGb},
    {unit: 'ephemeral', count: ephemeralDiskGb ?? 0},
  ].filter(({unit, count}) => listed.has(unit) && count !== 0);
  const parts = [
    ...(perGpu === undefined ? [] : [{each: perGpu, count: gpuCount}]),
    ...others.map(({unit, count}) => ({each: listed.get(unit), count})),
  ];
  const rates = parts.flatMap(({each, count}) =>
    each === undefined || count === undefined ? [] : [timesCount(each, count)],
  );
  return parts.length === 0 || rates.length < parts.length ? undefined : sumRates(rates);
}

/** Memory can be a fraction of a gigabyte. */
function timesCount(each: Rate, count: number): Rate {
  return scaleRate(each, rational(BigInt(Math.round(count * 1000)), 1000n));
}

function publishedRate(flavor: MachineFlavor, prices: Prices): Rate | undefined {
  return prices.byFlavor.get(flavor.name.toLowerCase()) ?? gpusRate(flavor, prices);
}

/** The list price of one unit by the name of a flavor or a GPU model, in lower case. */
export function unitListRate(name: string, {ownFlavors, ownGpuModels, ...prices}: Prices): Rate | undefined {
  const isOwn = ownFlavors.has(name) || ownGpuModels.has(name);
  return (isOwn ? undefined : prices.listed.get(name)) ?? prices.byFlavor.get(name) ?? prices.byGpuModel.get(name);
}

/** Spot machines cost about a fifth less than their GPUs, which is too imprecise for a price. */
function gpusRate({name, gpuModel, gpuCount = 0}: MachineFlavor, {byGpuModel}: Prices): Rate | undefined {
  const perGpu = byGpuModel.get(gpuModel?.toLowerCase() ?? '');
  if (perGpu === undefined || gpuCount <= 0 || name.toLowerCase().endsWith('-spot')) return undefined;
  return scaleRate(perGpu, rational(BigInt(Math.round(gpuCount)), 1n));
}

/**
 * A machine's rate in a status, without its volumes, which have records of their own. An unknown status counts as full
 * price.
 */
export function rateInStatus(
  machine: VirtualMachine,
  status: MachineStatus,
  {
    listRate,
    retainsIp,
    prices,
  }: {readonly listRate: Rate | undefined; readonly retainsIp: boolean | undefined; readonly prices: Prices},
): Rate | undefined {
  const billing = billingInStatus(status, prices);
  switch (billing) {
    case 'full':
    case 'unknown':
      return listRate;
    case 'storage':
      return hibernatedRate(machine, retainsIp, prices);
    case 'free':
      return ZERO_RATE;
    default:
      return unreachable(billing);
  }
}

export type CostChange = {
  readonly before: Rate | undefined;
  /** An address that could not be read counts as one: it costs at most this. */
  readonly after: Rate | undefined;
  /** Before minus after: negative if the machine becomes more expensive. Undefined if either is. */
  readonly savings: Rate | undefined;
  /** How much more may be saved: if an address that could not be read is none, or by a part of unknown cost. */
  readonly furtherSavings?: Rate | 'unknown' | undefined;
  /** A contract may be charged whether it is used or not: the savings are between zero and the figure. */
  readonly savingIsUncertain: boolean;
  /** The machine's full rate used here is a published price, not a metered one. */
  readonly isListPrice: boolean;
};

/** How much more than their savings together several changes may save. */
export function totalFurther(changes: readonly CostChange[]): CostChange['furtherSavings'] {
  const each = changes.flatMap(({furtherSavings}) => furtherSavings ?? []);
  if (each.length === 0) return undefined;
  const known = each.filter(further => further !== 'unknown');
  return known.length < each.length ? 'unknown' : sumRates(known);
}

/** How a machine's cost changes when it gets into another state. `presentRate` is its metered rate now. */
export function costChange(
  machine: VirtualMachine,
  next: {
    readonly status: MachineStatus;
    readonly retainsIp: boolean;
    /** Its cost while running, if that is not the list price because of a contract. */
    readonly fullRate?: Rate | undefined;
  },
  presentRate: Rate | undefined,
  prices: Prices,
): CostChange {
  const full = next.fullRate ?? listRate(machine.flavor, prices);
  const {rate: before, isListPrice} = currentRate(machine, presentRate, prices);
  const isFull = (each: MachineStatus) => isFullyBilled(each, prices);
  const staysFull = isFull(machine.status) && isFull(next.status);
  const afterIf = (isAddressed: boolean) => {
    const rates = {listRate: withAddress(full, isAddressed, prices), retainsIp: next.retainsIp && isAddressed, prices};
    return staysFull ? before : rateInStatus(machine, next.status, rates);
  };
  const after = afterIf(mayHaveAddress(machine));
  const least = hasAddress(machine) === undefined ? afterIf(false) : after;
  const further = after && least && subtractRates(after, least);
  return {
    before,
    after,
    savings: before === undefined || after === undefined ? undefined : subtractRates(before, after),
    ...(further === undefined || !isPositive(further) ? {} : {furtherSavings: further}),
    savingIsUncertain: mayBeUnderContract(machine),
    isListPrice: isListPrice || (!staysFull && isFull(next.status) && after !== undefined),
  };
}

/**
 * A machine's metered rate, to be shown beside its state; undefined if it was metered in the previous state, or if it
 * is free only while it changes state. A rate of zero for a machine whose state is billed dates from such a change.
 */
export function meteredRate(machine: VirtualMachine, presentRate: Rate | undefined, prices: Prices): Rate | undefined {
  if (presentRate === undefined) return undefined;
  return meteredOnce(machine, [presentRate, prices], () => shownRate(machine, presentRate, prices));
}

/** Cached: exact arithmetic is slow, and every repaint asks for each machine of the list. */
const meteredOnce = memoPer<VirtualMachine, Rate | undefined>();

function shownRate(machine: VirtualMachine, presentRate: Rate, prices: Prices): Rate | undefined {
  if (isFromBefore(presentRate, machine, prices)) return undefined;
  if (machine.contractId !== undefined) return presentRate;
  if (isFreeMeanwhile(machine, prices)) return undefined;
  return !isPositive(presentRate) && billingInStatus(machine.status, prices) !== 'free' ? undefined : presentRate;
}

/**
 * What a machine costs now: its metered rate, or the price of its state if none is metered in that state. Unknown in a
 * state that is about to end.
 */
export function currentRate(
  machine: VirtualMachine,
  presentRate: Rate | undefined,
  prices: Prices,
): {readonly rate: Rate | undefined; readonly isListPrice: boolean} {
  const metered = meteredRate(machine, presentRate, prices);
  if (metered !== undefined) return {rate: metered, isListPrice: false};
  // Nothing is billed for a moment; what it costs then is not what is saved without it.
  if (isFreeMeanwhile(machine, prices)) return {rate: undefined, isListPrice: false};
  const rate = stateRate(machine, hasAddress(machine), prices);
  return {rate, isListPrice: rate !== undefined && isFullyBilled(machine.status, prices)};
}

/**
 * What the machines of a cluster cost now, as far as it is known; undefined if none of it is. `areAll`: whether every
 * machine of the account is among these.
 */
export function clusterCost(
  cluster: Cluster,
  {
    machines,
    areAll,
    rates,
    excluded,
    prices,
  }: {
    readonly machines: readonly VirtualMachine[];
    readonly areAll: boolean;
    readonly rates: ReadonlyMap<number, Rate>;
    readonly excluded: ReadonlySet<number>;
    readonly prices: Prices;
  },
): {readonly rate: Rate | undefined; readonly isAtLeast: boolean} {
  // Masters are free and have no rate.
  const charged = machinesOfCluster(cluster, machines).filter(({id}) => !excluded.has(id));
  const known = charged.flatMap(each => meteredRate(each, rates.get(each.id), prices) ?? []);
  const isAtLeast = known.length < charged.length || mayHaveOtherMachines(cluster, machines, {areAll});
  return {rate: isAtLeast && known.length === 0 ? undefined : sumRates(known), isAtLeast};
}

/** What its state costs by list price; undefined if whether it has an address is, or if there is no price. */
function stateRate(machine: VirtualMachine, isAddressed: boolean | undefined, prices: Prices): Rate | undefined {
  const full = withAddress(listRate(machine.flavor, prices), isAddressed, prices);
  return rateInStatus(machine, machine.status, {listRate: full, retainsIp: isAddressed, prices});
}

/** Whether nothing is billed in its state, which is about to end. */
export function isFreeMeanwhile({status}: VirtualMachine, prices: Prices): boolean {
  return isTransitional(status) && billingInStatus(status, prices) === 'free';
}

/**
 * Usage is read less often than machines. While hibernated, only storage and address are billed. A rate more than twice
 * that was read before the machine hibernated, and would make its restore look free; a rate close to it was read before
 * the machine was restored, and would make hibernating it look useless.
 */
function isFromBefore(metered: Rate, machine: VirtualMachine, prices: Prices): boolean {
  // An address that could not be read counts where that makes the rate fit the state that is doubted.
  const hibernated = hibernatedRate(machine, machine.floatingIp !== undefined, prices);
  const highest = hibernatedRate(machine, mayHaveAddress(machine), prices);
  if (hibernated === undefined || highest === undefined) return false;
  const twiceHibernated = scaleRate(highest, rational(2n, 1n));
  const saysRunning = isPositive(subtractRates(metered, twiceHibernated));
  if (billingInStatus(machine.status, prices) === 'storage') return saysRunning;
  if (!isFullyBilled(machine.status, prices) || machine.contractId !== undefined) return false;
  const saysHibernated = !saysRunning && isPositive(subtractRates(scaleRate(metered, rational(2n, 1n)), hibernated));
  const list = listRate(machine.flavor, prices);
  return (
    saysHibernated &&
    list !== undefined &&
    isPositive(subtractRates(list, scaleRate(twiceHibernated, rational(2n, 1n))))
  );
}

/**
 * A public address is billed besides the machine for as long as it is attached; undefined if whether there is one, or
 * the machine's own rate, is unknown.
 */
export function withAddress(
  rate: Rate | undefined,
  isAddressed: boolean | undefined,
  {publicIp}: Pick<Prices, 'publicIp'>,
): Rate | undefined {
  if (rate === undefined || isAddressed === undefined) return undefined;
  return isAddressed ? sumRates([rate, publicIp]) : rate;
}

function isFullyBilled(status: MachineStatus, prices: Prices): boolean {
  const billing = billingInStatus(status, prices);
  return billing === 'full' || billing === 'unknown';
}

function hibernatedRate({flavor}: VirtualMachine, retainsIp: boolean | undefined, prices: Prices): Rate | undefined {
  if (flavor?.rootDiskGb === undefined) return undefined;
  const disk = scaleRate(prices.storagePerGb, rational(BigInt(Math.round(flavor.rootDiskGb)), 1n));
  return withAddress(disk, retainsIp, prices);
}
