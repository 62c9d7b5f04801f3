import {type Flavor, NANO_PER_DOLLAR} from './catalogue.ts';

/**
 * One billing record, kept while the world moves. Money is metered by the whole minute: time at each rate is summed
 * first and cut to whole minutes last, so short states do not lose their seconds.
 */
export type Meter = {
  readonly resourceId: number;
  readonly resourceType: 'vm' | 'volume';
  readonly name: string;
  readonly createdAt: number;
  readonly isExcluded: boolean;
  /** What a machine's bill is for beside the machine; absent for volumes. */
  readonly compute?: {
    flavor: Flavor;
    readonly contractId: number | undefined;
    readonly clusterId: number | undefined;
  };
  /** Where the resource is now, or was last, under the name the environment has. */
  environmentId: number;
  environmentName: string;
  terminatedAt: number | null;
  nanoPerHour: number;
  /** Since when the present rate holds. */
  rateSince: number;
  /** Milliseconds spent at each rate above zero, without the present stretch. */
  readonly spentMsByRate: Map<number, number>;
  terms: Terms;
  /** The latest of the closed stretches, oldest first. */
  readonly stretches: Stretch[];
  /** Milliseconds at each rate of the stretches that are no longer held, as paid and without discount. */
  readonly forgotten: {readonly paid: Map<number, number>; readonly list: Map<number, number>};
};

/** How a rate comes about. */
export type Terms = {
  /** What the resource is doing: the status of a machine or volume, in capitals. */
  readonly state: string;
  /** What it would cost without a contract. */
  readonly listNanoPerHour: number;
  /** The part of it that is for the public address. */
  readonly addressNanoPerHour: number;
};

/** A time in which state and rate stayed the same, half-open. */
export type Stretch = Terms & {readonly from: number; readonly until: number; readonly nanoPerHour: number};

export type Bill = {
  /** Minutes that were billed. */
  readonly minutes: number;
  readonly nanoDollars: number;
};

/** A machine that is switched on and off for weeks keeps its latest stretches only; the sums stay right. */
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
 * From this moment on the resource costs that much; zero stands for a state that is not billed. What is not said of
 * the terms stays as it was, the reduction included.
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

/** What has been billed up to a moment. */
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

/** Dollars to the millionth, as they are printed. */
export function printedDollars(nanoDollars: number): number {
  return Math.round(nanoDollars / NANO_PER_MICRO) / (NANO_PER_DOLLAR / NANO_PER_MICRO);
}

/** Dollars per minute as the service prints them: a binary fraction with all its digits. */
export function printedRate(nanoPerHour: number): number {
  return nanoPerHour / NANO_PER_DOLLAR / MINUTES_PER_HOUR;
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
