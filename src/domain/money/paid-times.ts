import type {PaidTime, UsageRecord} from '../billing.ts';
import {isBurning, listRate, rateInStatus, usableRate} from '../cost.ts';
import {statesByEvents} from '../machine-states.ts';
import {
  compare,
  divide,
  isPositive,
  type Rate,
  type Rational,
  rational,
  scaleRate,
  usdNumber,
  ZERO_USD,
} from '../money.ts';
import {type EpochMs, epochMs} from '../time.ts';
import type {MachineEvent, MachineStatus, VirtualMachine} from '../virtual-machine.ts';
import type {Prices} from './prices.ts';
import {effectiveRate, HIBERNATED_SHARE, partsOfBill, usableCost} from './spend.ts';
import {billingInStatus} from './state-billing.ts';

/** Machines whose bill does not equal rate × time, costliest first: their events show when they were billed. */
export function unsteadyMachineIds(live: readonly UsageRecord[], now: EpochMs): readonly number[] {
  const unsteady = live.filter(
    record =>
      isMachine(record) &&
      isBurning(record) &&
      (partsOfBill(record, now) ?? []).some(({source, isSteady}) => source === 'usage' && !isSteady),
  );
  const billed = (record: UsageRecord) => usdNumber(usableCost(record) ?? ZERO_USD);
  return [...new Set(unsteady.sort((left, right) => billed(right) - billed(left)).map(({resourceId}) => resourceId))];
}

/** Machines that cost almost nothing now and more before, newest first: their events say when they stopped running. */
export function hibernatedMachineIds(live: readonly UsageRecord[]): readonly number[] {
  const hibernated = live.filter(record => {
    const [present, average] = [usableRate(record), effectiveRate(record)];
    if (!isMachine(record) || !isBurning(record) || present === undefined || average === undefined) return false;
    return isPositive(average) && compare(present, scaleRate(average, HIBERNATED_SHARE)) <= 0;
  });
  const newest = hibernated.sort((left, right) => (right.createdAt ?? 0) - (left.createdAt ?? 0));
  return [...new Set(newest.map(({resourceId}) => resourceId))];
}

/** The same records, with the times each machine was billed for, from the states in its events. */
export function withPaidTimes(
  records: readonly UsageRecord[],
  {
    machines = [],
    events,
    prices,
  }: {
    readonly machines: readonly VirtualMachine[] | undefined;
    readonly events: ReadonlyMap<number, readonly MachineEvent[]>;
    readonly prices: Prices;
  },
): readonly UsageRecord[] {
  if (events.size === 0) return records;
  const byId = new Map<number, VirtualMachine>(machines.map(machine => [machine.id, machine]));
  return records.map(record => {
    const [machine, own] = [byId.get(record.resourceId), events.get(record.resourceId)];
    if (machine === undefined || own === undefined || !isMachine(record)) return record;
    const paidTimes = paidTimesOf(record, {machine, events: own, prices});
    return paidTimes === undefined ? record : {...record, paidTimes};
  });
}

function isMachine({resourceType}: UsageRecord): boolean {
  return resourceType.toLowerCase() === 'vm';
}

/** Undefined if the events leave out part of the record's time. */
function paidTimesOf(
  record: UsageRecord,
  {machine, events, prices}: {machine: VirtualMachine; events: readonly MachineEvent[]; prices: Prices},
): readonly PaidTime[] | undefined {
  const states = statesByEvents(machine, events);
  const [first] = states;
  if (first === undefined || record.createdAt === undefined) return undefined;
  const hasGap = states.some(({until}, index) => index < states.length - 1 && until !== states[index + 1]?.from);
  // They were read before the machine came to its present state.
  const isOutdated = states.at(-1)?.until !== undefined;
  if (hasGap || isOutdated) return undefined;
  // Nothing existed before it was created.
  const from = first.status === 'CREATING' ? epochMs(Math.min(first.from, record.createdAt)) : first.from;
  const shareIn = shares(record, machine, prices);
  return states.map(({status, ...span}, index) => ({
    from: index === 0 ? from : span.from,
    until: span.until ?? epochMs(Number.POSITIVE_INFINITY),
    share: shareIn(status),
  }));
}

const NOTHING = rational(0n, 1n);
const FULL = rational(1n, 1n);

/** The share of its full price a machine is billed in each state. */
function shares(record: UsageRecord, machine: VirtualMachine, prices: Prices): (status: MachineStatus) => Rational {
  const isFull = ['full', 'unknown'].includes(billingInStatus(machine.status, prices));
  const full: Rate | undefined = isFull ? usableRate(record) : listRate(machine.flavor, prices);
  // An address that could not be read is left out: without a share, the bill would be spread over all states evenly.
  const options = {listRate: full, retainsIp: machine.floatingIp !== undefined, prices};
  return status => {
    const billing = billingInStatus(status, prices);
    if (billing !== 'storage') return billing === 'free' ? NOTHING : FULL;
    const stored = rateInStatus(machine, status, options);
    return stored === undefined || full === undefined || !isPositive(full) ? NOTHING : divide(stored, full);
  };
}
