import type {Rate, Rational, Usd} from './money.ts';
import {nameInWords, type SafeText, say} from './safe-text.ts';
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
  /** What the bill came to earlier, ascending, where that was read: absent where only the present reading is known. */
  readonly samples?: readonly BillSample[];
  /** When it was paid for, ascending and without gaps, where its machine's events tell. */
  readonly paidTimes?: readonly PaidTime[];
};

/** How a sentence names what is metered: without a name, by its type and number. */
export function meteredInWords({
  name,
  resourceType,
  resourceId,
}: Pick<UsageRecord, 'name' | 'resourceType' | 'resourceId'>): SafeText {
  return name === '' ? say`${resourceType} #${resourceId}` : nameInWords(name);
}

/** What a bill came to at a moment, as it was read then. */
export type BillSample = {
  readonly at: EpochMs;
  readonly billedCost: Usd;
  /** The first after a time in which nothing was read: what was billed in that time is known, and not when. */
  readonly isFirst: boolean;
};

/** A time, half-open, and at what share of its full price a resource was billed in it. */
export type PaidTime = {readonly from: EpochMs; readonly until: EpochMs; readonly share: Rational};

/** The prepaid balance, exact dollars; a part the service gives no usable number for is absent, never zero. */
export type Credit = {
  readonly balance?: Usd;
  readonly threshold?: Usd;
};
