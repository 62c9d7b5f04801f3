import {compare, isNegative, type Rational, rational} from './money.ts';
import {type SafeText, say} from './safe-text.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS} from './time.ts';

export const CONTRACT_STATUSES = ['ACTIVE', 'EXPIRED', 'TERMINATED'] as const;
/** ACTIVE is documented, the rest implied; for any other, see `statusText`. */
type ContractStatus = (typeof CONTRACT_STATUSES)[number] | 'UNKNOWN';

/** What happens to the covered resources at the end, with the service's own number. */
export type ExpirationPolicy =
  | {readonly kind: 'delete' | 'market'; readonly code: number}
  /** Another number, or none: warned about as deletion, priced as market. */
  | {readonly kind: 'unknown'; readonly code?: number};

/** A commitment to pay for a period, at lower prices. A missing end means that the end is unknown. */
export type Contract = {
  readonly id: number;
  readonly description?: SafeText;
  readonly organizationId?: number;
  readonly status: ContractStatus;
  /** The service's own word for the state. */
  readonly statusText: SafeText;
  readonly createdAt?: EpochMs;
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
  readonly expirationPolicy: ExpirationPolicy;
  readonly discounts: readonly Discount[];
};

/** A lower price for one kind of resource. */
export type Discount = {
  readonly id?: number;
  readonly resourceName?: SafeText;
  readonly resourceId?: number;
  /** The number of units it applies to; absent means no limit, 0 means none. */
  readonly resourceCount?: number;
  /** The number of unused units. */
  readonly remainingCount?: number;
  readonly terms: DiscountTerms;
  readonly typeText?: SafeText;
  readonly statusText?: SafeText;
  readonly code?: SafeText;
  /** Remaining days; zero or less means it is over. */
  readonly validityDays?: number;
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
};

export type DiscountTerms =
  /** Percent off the market price: 0 to 100, exact. */
  | {readonly kind: 'percent'; readonly percent: Rational}
  /** The price itself, in exact dollars; the documents do not say for which period. */
  | {readonly kind: 'flat'; readonly price: Rational}
  /** An unknown kind, or an impossible number: shown as it is, and not applied. */
  | {readonly kind: 'unusable'};

const WHOLE = rational(100n, 1n);

export function expirationPolicy(code: number | undefined): ExpirationPolicy {
  if (code === 0) return {kind: 'delete', code};
  if (code === 1) return {kind: 'market', code};
  return code === undefined ? {kind: 'unknown'} : {kind: 'unknown', code};
}

/** The terms of a discount from the service's three fields; the field of the other kind is ignored. */
export function discountTerms({
  type,
  amount,
  percent,
}: {
  readonly type?: string | undefined;
  readonly amount?: Rational | undefined;
  readonly percent?: Rational | undefined;
}): DiscountTerms {
  switch (type?.toLowerCase()) {
    case 'percent':
      return percent === undefined || isNegative(percent) || compare(percent, WHOLE) > 0
        ? {kind: 'unusable'}
        : {kind: 'percent', percent};
    case 'flat':
      return amount === undefined || isNegative(amount) ? {kind: 'unusable'} : {kind: 'flat', price: amount};
    default:
      return {kind: 'unusable'};
  }
}

/** The full name used everywhere: `H100 training, quarter #118`. */
export function contractName({id, description}: Pick<Contract, 'id' | 'description'>): SafeText {
  return description === undefined ? say`contract #${id}` : say`${description} #${id}`;
}

/** Days until the end, with fraction: negative once it is past, undefined if the end is unknown. */
export function daysLeft({endsAt}: Pick<Contract, 'endsAt'>, now: EpochMs): number | undefined {
  return endsAt === undefined ? undefined : (endsAt - now) / DAY_MS;
}

/** Days before its end at which a notice is given. */
const NOTICE_DAYS = [1, 3, 7, 14, 30] as const;

/**
 * How long before the end the current notice was due; on the last day there is one every hour. Undefined while the end
 * is further off, past, or unknown.
 */
export function noticeBeforeEnd(days: number | undefined): DurationMs | undefined {
  if (days === undefined || days < 0) return undefined;
  if (days < 1) return Math.ceil(days * 24) * HOUR_MS;
  const notice = NOTICE_DAYS.find(each => days <= each);
  return notice === undefined ? undefined : notice * DAY_MS;
}

/** Whether a contract is in force now, by its state and its dates. */
export function isContractInForce({status, startsAt, endsAt}: Contract, now: EpochMs): boolean {
  return status === 'ACTIVE' && isWithin({startsAt, endsAt}, now);
}

/** Whether a discount applies now: it and its contract must both be in force. */
export function isDiscountInForce(discount: Discount, contract: Contract, now: EpochMs): boolean {
  const {statusText, validityDays, startsAt, endsAt} = discount;
  const isValid = statusText?.toLowerCase() === 'active' && (validityDays === undefined || validityDays > 0);
  return isValid && isWithin({startsAt, endsAt}, now) && isContractInForce(contract, now);
}

/** An open end has no limit. */
function isWithin(
  {startsAt, endsAt}: {readonly startsAt: EpochMs | undefined; readonly endsAt: EpochMs | undefined},
  now: EpochMs,
): boolean {
  return (startsAt === undefined || startsAt <= now) && (endsAt === undefined || now < endsAt);
}
