import type {Rate, Rational, Usd} from './money.ts';
import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** One billing span of one resource, as the service meters it. */
export type UsageRecord = {
  readonly resourceId: number;
  readonly organizationId?: number;
  /** `vm` and `volume` are documented; others are shown as they are. */
  readonly resourceType: SafeText;
  readonly name: SafeText;
  readonly createdAt?: EpochMs;
  /** Absent while the resource lives. */
  readonly terminatedAt?: EpochMs;
  /**
   * Dollars per minute, exact. Absent once terminated and where the service gives no number; a value below zero is not
   * usable.
   */
  readonly rate?: Rate;
  /** Minutes metered so far, exact. */
  readonly upTimeMinutes?: Rational;
  /** Dollars billed so far, exact; a value below zero is not usable. */
  readonly billedCost?: Usd;
  readonly isActive: boolean;
  readonly isExcludedFromBilling: boolean;
};

/** The prepaid balance, exact dollars; a part the service gives no usable number for is absent, never zero. */
export type Credit = {
  readonly balance?: Usd;
  readonly threshold?: Usd;
};
