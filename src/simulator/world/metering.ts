import {type Flavor, NANO_PER_DOLLAR} from './catalogue.ts';

/**
 * One billing record. Money is metered by the whole minute: time at each rate is summed first and rounded down to whole
 * minutes last, so short states do not lose their seconds.
 */
export type Meter = {
  readonly resourceId: number;
  readonly resourceType: 'vm' | 'volume';
  readonly name: string;
  readonly createdAt: number;
  readonly isExcluded: boolean;
  /** What a machine's bill covers besides the machine; absent for volumes. */
  readonly compute?: {
    flavor: Flavor;
    readonly contractId: number | undefined;
    readonly clusterId: number | undefined;
  };
  /** The present or last environment of the resource, by its name. */
  environmentId: number;
  environmentName: string;
  terminatedAt: number | null;
  nanoPerHour: number;
  /** Since when the present rate applies. */
  rateSince: number;
  /** Milliseconds at each rate above zero, without the present stretch. */
  readonly spentMsByRate: Map<number, number>;
  terms: Terms;
  /** The latest closed stretches, oldest first. */
  readonly stretches: Stretch[];
  /** Milliseconds at each rate of the stretches no longer kept, both as paid and without discount. */
  readonly forgotten: {readonly paid: Map<number, number>; readonly list: Map<number, number>};
};

/** How a rate comes about. */
export type Terms = {
  /** The state of the resource: the status of a machine or volume, in capitals. */
  readonly state: string;
  /** The rate without a contract. */
  readonly listNanoPerHour: number;
  /** The part of it that is for the public address. */
  readonly addressNanoPerHour: number;
};

/** A time in which state and rate stayed the same, half-open. */
type Stretch = Terms & {readonly from: number; readonly until: number; readonly nanoPerHour: number};

export type Bill = {
  /** Billed minutes. */
  readonly minutes: number;
  readonly nanoDollars: number;
};

/** A half-open time, epoch milliseconds. */
export type Period = {readonly from: number; readonly until: number};

/** Nano-dollars, as paid and without contract discounts. */
export type Cost = {readonly paid: number; readonly list: number};

export type PricedStretch = Stretch & Cost;

/** A machine switched on and off for weeks keeps only its latest stretches; the sums stay right. */
const STRETCH_LIMIT = 4000;
const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const NANO_PER_MICRO = 1000;

export function createMeter(
  subject: Pick<
    Meter,
    | 'resourceId'
    | 'resourceType'
    | 'name'
    | 'environmentId'
    | 'environmentName'
    | 'createdAt'
    | 'isExcluded'
    | 'compute'
  >,
): Meter {
  return {
    ...subject,
    terminatedAt: null,
    nanoPerHour: 0,
    rateSince: subject.createdAt,
    spentMsByRate: new Map(),
    terms: {state: 'CREATING', listNanoPerHour: 0, addressNanoPerHour: 0},
    stretches: [],
    forgotten: {paid: new Map(), list: new Map()},
  };
}

/**
 * Sets the rate from this moment on; zero for a state that is not billed. Terms left out stay as they were, including
 * the discount.
 */
export function setRate(meter: Meter, at: number, nanoPerHour: number, terms: Partial<Terms> = {}): void {
  closeStretch(meter, at);
  const reduction = meter.terms.listNanoPerHour - meter.nanoPerHour;
  meter.nanoPerHour = meter.isExcluded ? 0 : nanoPerHour;
  meter.terms = {...meter.terms, listNanoPerHour: nanoPerHour === 0 ? 0 : nanoPerHour + reduction, ...terms};
  if (meter.isExcluded) meter.terms = {...meter.terms, listNanoPerHour: 0, addressNanoPerHour: 0};
}

export function terminate(meter: Meter, at: number): void {
  closeStretch(meter, at);
  meter.nanoPerHour = 0;
  meter.terminatedAt = at;
}

/** The amount billed up to a moment. */
export function billAt(meter: Meter, now: number): Bill {
  let minutes = 0;
  let nanoMinutes = 0;
  const isOpen = meter.terminatedAt === null && meter.nanoPerHour > 0;
  const openMs = isOpen ? Math.max(0, now - meter.rateSince) : 0;
  for (const [rate, closedMs] of meter.spentMsByRate) {
    const spentMinutes = Math.floor((closedMs + (isOpen && rate === meter.nanoPerHour ? openMs : 0)) / MINUTE_MS);
    minutes += spentMinutes;
    nanoMinutes += rate * spentMinutes;
  }
  if (isOpen && !meter.spentMsByRate.has(meter.nanoPerHour)) {
    const spentMinutes = Math.floor(openMs / MINUTE_MS);
    minutes += spentMinutes;
    nanoMinutes += meter.nanoPerHour * spentMinutes;
  }
  return {minutes, nanoDollars: nanoMinutes / MINUTES_PER_HOUR};
}

/** Dollars to the millionth, as printed. */
export function printedDollars(nanoDollars: number): number {
  return Math.round(nanoDollars / NANO_PER_MICRO) / (NANO_PER_DOLLAR / NANO_PER_MICRO);
}

/** Dollars per minute as the service prints them: a binary fraction with all its digits. */
export function printedRate(nanoPerHour: number): number {
  return nanoPerHour / NANO_PER_DOLLAR / MINUTES_PER_HOUR;
}

/**
 * What a meter bills within a period. Adjacent periods add up, and a meter's whole life gives its bill, since each
 * amount is a difference of two bills.
 */
export function costWithin(meter: Meter, period: Period): Cost {
  return {
    paid: billedUntil(meter, period.until, 'paid') - billedUntil(meter, period.from, 'paid'),
    list: billedUntil(meter, period.until, 'list') - billedUntil(meter, period.from, 'list'),
  };
}

/** The amounts paid in consecutive steps; each step begins with the bill that ended the one before. */
export function paidInSteps(meter: Meter, steps: readonly Period[]): number[] {
  let before = billedUntil(meter, steps[0]?.from ?? 0, 'paid');
  return steps.map(({until}) => {
    const billed = billedUntil(meter, until, 'paid');
    const paid = billed - before;
    before = billed;
    return paid;
  });
}

/** Minutes billed within a period. */
export function minutesWithin(meter: Meter, {from, until}: Period): number {
  return totalsOf(meter, until, 'paid').minutes - totalsOf(meter, from, 'paid').minutes;
}

/** The states within a period with the cost of each, oldest first. */
export function pricedStretches(meter: Meter, {from, until}: Period): PricedStretch[] {
  return stretchesOf(meter, until).flatMap(stretch => {
    const part = {...stretch, from: Math.max(stretch.from, from), until: Math.min(stretch.until, until)};
    return part.until > part.from ? [{...part, ...costWithin(meter, part)}] : [];
  });
}

/** Seconds in every billed state within a period; states without any are absent. */
export function secondsByState(meter: Meter, period: Period): ReadonlyMap<string, number> {
  const msByState = new Map<string, number>();
  for (const {state, nanoPerHour, from, until} of stretchesOf(meter, period.until)) {
    const ms = Math.min(until, period.until) - Math.max(from, period.from);
    if (ms > 0 && nanoPerHour > 0) msByState.set(state, (msByState.get(state) ?? 0) + ms);
  }
  return new Map([...msByState].map(([state, ms]) => [state, Math.floor(ms / 1000)]));
}

/** Whether the resource existed at some moment of the period. */
export function existsWithin(meter: Meter, {from, until}: Period): boolean {
  return meter.createdAt < until && (meter.terminatedAt === null || meter.terminatedAt > from);
}

/** The present state of the resource, or its last. */
export function stateOf(meter: Meter): string {
  return meter.terminatedAt === null ? meter.terms.state : 'DELETED';
}

function billedUntil(meter: Meter, at: number, kind: 'paid' | 'list'): number {
  return totalsOf(meter, at, kind).nanoMinutes / MINUTES_PER_HOUR;
}

/** Time at each rate is summed first and rounded down to whole minutes last, as in the meter. */
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

/** Including the present stretch. */
function stretchesOf(meter: Meter, until: number): readonly Stretch[] {
  const isOpen = meter.terminatedAt === null && until > meter.rateSince;
  if (!isOpen) return meter.stretches;
  return [...meter.stretches, {from: meter.rateSince, until, nanoPerHour: meter.nanoPerHour, ...meter.terms}];
}

function closeStretch(meter: Meter, at: number): void {
  if (meter.nanoPerHour > 0) {
    const spent = meter.spentMsByRate.get(meter.nanoPerHour) ?? 0;
    meter.spentMsByRate.set(meter.nanoPerHour, spent + Math.max(0, at - meter.rateSince));
  }
  if (at > meter.rateSince) {
    meter.stretches.push({from: meter.rateSince, until: at, nanoPerHour: meter.nanoPerHour, ...meter.terms});
  }
  if (meter.stretches.length > STRETCH_LIMIT) forgetOldest(meter);
  meter.rateSince = at;
}

function forgetOldest({stretches, forgotten}: Meter): void {
  const oldest = stretches.shift();
  if (oldest === undefined) return;
  const {from, until, nanoPerHour, listNanoPerHour} = oldest;
  if (nanoPerHour > 0) forgotten.paid.set(nanoPerHour, (forgotten.paid.get(nanoPerHour) ?? 0) + until - from);
  if (listNanoPerHour > 0) {
    forgotten.list.set(listNanoPerHour, (forgotten.list.get(listNanoPerHour) ?? 0) + until - from);
  }
}
