import type {Rate, Rational} from './money.ts';
import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** The cost of one unit: a vCPU, a GB of RAM or of disk, a GPU of one model, a public IP. */
export type UnitPrice = {
  readonly id?: number;
  readonly name: SafeText;
  /** For one unit, exact; after any discount. Absent if the service's number is unusable. */
  readonly rate?: Rate;
  /** Before any discount. */
  readonly listRate?: Rate;
  readonly isDiscounted?: boolean;
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
};

const PRICED_RESOURCES = ['virtual-machine', 'volume', 'cluster'] as const;
export type PricedResource = (typeof PRICED_RESOURCES)[number];

/** The present cost of one resource, as computed by the service. */
export type ResourcePrice = {
  readonly resourceId?: number;
  readonly name: SafeText;
  readonly resourceType?: SafeText;
  readonly statusText?: SafeText;
  /** After discount. */
  readonly rate?: Rate;
  readonly listRate?: Rate;
  readonly parts: readonly PricePart[];
};

export type PricePart = {
  readonly name: SafeText;
  /** How many units, exact. */
  readonly amount?: Rational;
  readonly rate?: Rate;
  readonly listRate?: Rate;
};
