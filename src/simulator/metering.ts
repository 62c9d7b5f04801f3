import {NANO_PER_DOLLAR} from './catalogue.ts';

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
  /** Where the resource is now, or was last, under the name the environment has. */
  environmentId: number;
  environmentName: string;
  terminatedAt: number | null;
  nanoPerHour: number;
  /** Since when the present rate holds. */
  rateSince: number;
  /** Milliseconds spent at each rate above zero, without the present stretch. */
  readonly spentMsByRate: Map<number, number>;
};

export type Bill = {
  /** Minutes that were billed. */
  readonly minutes: number;
  readonly nanoDollars: number;
};

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const NANO_PER_MICRO = 1000;

export function createMeter(
  subject: Pick<
    Meter,
    'resourceId' | 'resourceType' | 'name' | 'environmentId' | 'environmentName' | 'createdAt' | 'isExcluded'
  >,
): Meter {
  return {...subject, terminatedAt: null, nanoPerHour: 0, rateSince: subject.createdAt, spentMsByRate: new Map()};
}

/** From this moment on the resource costs that much; zero stands for a state that is not billed. */
export function setRate(meter: Meter, at: number, nanoPerHour: number): void {
  closeStretch(meter, at);
  meter.nanoPerHour = meter.isExcluded ? 0 : nanoPerHour;
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
  meter.rateSince = at;
}
