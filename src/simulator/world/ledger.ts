import type {Meter, Stretch} from './metering.ts';

/** A half-open time, epoch milliseconds. */
export type Period = {readonly from: number; readonly until: number};

/** Nano-dollars, as paid and without the reductions of contracts. */
export type Cost = {readonly paid: number; readonly list: number};

export type PricedStretch = Stretch & Cost;

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;

/**
 * What a meter bills within a period. Costs of neighbouring periods add up to that of both, and that of a meter's whole
 * life is its bill, since each is a difference of two bills.
 */
export function costWithin(meter: Meter, period: Period): Cost {
  return {
    paid: billedUntil(meter, period.until, 'paid') - billedUntil(meter, period.from, 'paid'),
    list: billedUntil(meter, period.until, 'list') - billedUntil(meter, period.from, 'list'),
  };
}

/** What is paid in each of some steps that follow each other, the first bill of each being the last of the one before. */
export function paidInSteps(meter: Meter, steps: readonly Period[]): number[] {
  let before = billedUntil(meter, steps[0]?.from ?? 0, 'paid');
  return steps.map(({until}) => {
    const billed = billedUntil(meter, until, 'paid');
    const paid = billed - before;
    before = billed;
    return paid;
  });
}

/** Minutes that are billed within a period. */
export function minutesWithin(meter: Meter, {from, until}: Period): number {
  return totalsOf(meter, until, 'paid').minutes - totalsOf(meter, from, 'paid').minutes;
}

/** The states within a period with what each has cost, oldest first. */
export function pricedStretches(meter: Meter, {from, until}: Period): PricedStretch[] {
  return stretchesOf(meter, until).flatMap(stretch => {
    const part = {...stretch, from: Math.max(stretch.from, from), until: Math.min(stretch.until, until)};
    return part.until > part.from ? [{...part, ...costWithin(meter, part)}] : [];
  });
}

/** Seconds of every billed state within a period; a state without any is absent. */
export function secondsByState(meter: Meter, period: Period): ReadonlyMap<string, number> {
  const msByState = new Map<string, number>();
  for (const {state, nanoPerHour, from, until} of stretchesOf(meter, period.until)) {
    const ms = Math.min(until, period.until) - Math.max(from, period.from);
    if (ms > 0 && nanoPerHour > 0) msByState.set(state, (msByState.get(state) ?? 0) + ms);
  }
  return new Map([...msByState].map(([state, ms]) => [state, Math.floor(ms / 1000)]));
}

/** Whether the resource was there at some moment of the period. */
export function existsWithin(meter: Meter, {from, until}: Period): boolean {
  return meter.createdAt < until && (meter.terminatedAt === null || meter.terminatedAt > from);
}

/** What the resource does now, or did last. */
export function stateOf(meter: Meter): string {
  return meter.terminatedAt === null ? meter.terms.state : 'DELETED';
}

function billedUntil(meter: Meter, at: number, kind: 'paid' | 'list'): number {
  return totalsOf(meter, at, kind).nanoMinutes / MINUTES_PER_HOUR;
}

/** Time at each rate is summed first and cut to whole minutes last, as the meter does. */
function totalsOf(meter: Meter, at: number, kind: 'paid' | 'list'): {minutes: number; nanoMinutes: number} {
  const msByRate = new Map(meter.forgotten[kind]);
  const spend = (rate: number, ms: number) => {
    if (rate > 0 && ms > 0) msByRate.set(rate, (msByRate.get(rate) ?? 0) + ms);
  };
  for (const {from, until, nanoPerHour, listNanoPerHour} of meter.stretches) {
    if (from >= at) break;
    spend(kind === 'paid' ? nanoPerHour : listNanoPerHour, Math.min(until, at) - from);
  }
  if (meter.terminatedAt === null) {
    spend(kind === 'paid' ? meter.nanoPerHour : meter.terms.listNanoPerHour, at - meter.rateSince);
  }
  let minutes = 0;
  let nanoMinutes = 0;
  for (const [rate, ms] of msByRate) {
    minutes += Math.floor(ms / MINUTE_MS);
    nanoMinutes += rate * Math.floor(ms / MINUTE_MS);
  }
  return {minutes, nanoMinutes};
}

/** With the one that goes on still. */
function stretchesOf(meter: Meter, until: number): readonly Stretch[] {
  const isOpen = meter.terminatedAt === null && until > meter.rateSince;
  if (!isOpen) return meter.stretches;
  return [...meter.stretches, {from: meter.rateSince, until, nanoPerHour: meter.nanoPerHour, ...meter.terms}];
}
