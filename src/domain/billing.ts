import type {Rate, Rational, Usd} from './money.ts';
import {nameInWords, type SafeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** One billing span of one resource, as metered by the service. */
export type UsageRecord = {
  readonly resourceId: number;
  readonly organizationId?: number;
  /** `vm` and `volume` are documented; others are shown as they are. */
  readonly resourceType: SafeText;
  readonly name: SafeText;
  readonly createdAt?: EpochMs;
  /** Absent while the resource exists. */
  readonly terminatedAt?: EpochMs;
  /**
   * Dollars per minute, exact. Absent once terminated, and if the service gives no number; a negative value is not
   * usable.
   */
  readonly rate?: Rate;
  /** Minutes metered so far, exact. */
  readonly upTimeMinutes?: Rational;
  /** Dollars billed so far, exact; a negative value is not usable. */
  readonly billedCost?: Usd;
  readonly isActive: boolean;
  readonly isExcludedFromBilling: boolean;
  /** Earlier amounts of the bill, ascending; absent if only the present one is known. */
  readonly samples?: readonly BillSample[];
  /** When it was billed, ascending and without gaps, if its machine's events say so. */
  readonly paidTimes?: readonly PaidTime[];
};

/** The name of a metered resource in a sentence: its type and number if it has no name. */
export function meteredInWords({
  name,
  resourceType,
  resourceId,
}: Pick<UsageRecord, 'name' | 'resourceType' | 'resourceId'>): SafeText {
  return name === '' ? say`${resourceType} #${resourceId}` : nameInWords(name);
}

/** The amount of a bill at a moment, as read then. */
export type BillSample = {
  readonly at: EpochMs;
  readonly billedCost: Usd;
  /** The first reading after a gap: what was billed during the gap is known, but not when. */
  readonly isFirst: boolean;
};

/** A half-open time, and the share of its full price a resource was billed in it. */
export type PaidTime = {readonly from: EpochMs; readonly until: EpochMs; readonly share: Rational};

/** The prepaid balance, in exact dollars; a part without a usable number is absent, never zero. */
export type Credit = {
  readonly balance?: Usd;
  readonly threshold?: Usd;
};
