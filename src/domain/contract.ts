import {compare, isNegative, type Rational, rational} from './money.ts';
import {type SafeText, say} from './safe-text.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS} from './time.ts';

export const CONTRACT_STATUSES = ['ACTIVE', 'EXPIRED', 'TERMINATED'] as const;
/** ACTIVE is documented, the rest implied (facts.md C4); another one keeps its words in `statusText`. */
type ContractStatus = (typeof CONTRACT_STATUSES)[number] | 'UNKNOWN';

/** What becomes of the covered resources at the end, with the service's own number. */
export type ExpirationPolicy =
  | {readonly kind: 'delete' | 'market'; readonly code: number}
  /** Another number, or none: warned about as deletion, priced as market (cost.md 2.6). */
  | {readonly kind: 'unknown'; readonly code?: number};

/** A commitment to pay for a period, at lower prices. A missing end means an unknown end. */
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
  /** How many units have it; absent is no limit, 0 is none. */
  readonly resourceCount?: number;
  /** How many of them are unused. */
  readonly remainingCount?: number;
  readonly terms: DiscountTerms;
  readonly typeText?: SafeText;
  readonly statusText?: SafeText;
  readonly code?: SafeText;
  /** Days left; zero or less is over. */
  readonly validityDays?: number;
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
};

export type DiscountTerms =
  /** Off the market price: 0 to 100, exact. */
  | {readonly kind: 'percent'; readonly percent: Rational}
  /** The price itself, exact dollars; per what time is not documented (cost.md 2.5). */
  | {readonly kind: 'flat'; readonly price: Rational}
  /** A kind we do not know, or a number that can be none: shown as it is, applied to nothing. */
  | {readonly kind: 'unusable'};

const WHOLE = rational(100n, 1n);

export function expirationPolicy(code: number | undefined): ExpirationPolicy {
  if (code === 0) return {kind: 'delete', code};
  if (code === 1) return {kind: 'market', code};
  return code === undefined ? {kind: 'unknown'} : {kind: 'unknown', code};
}

/** The terms of a discount from the service's three fields; the field that belongs to the other kind does not count. */
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

/** In full, as it is named everywhere: `H100 training, quarter #118`. */
export function contractName({id, description}: Pick<Contract, 'id' | 'description'>): SafeText {
  return description === undefined ? say`contract #${id}` : say`${description} #${id}`;
}

/** Days until the end, with their fraction: below zero once it is past, undefined where the end is not known. */
export function daysLeft({endsAt}: Pick<Contract, 'endsAt'>, now: EpochMs): number | undefined {
  return endsAt === undefined ? undefined : (endsAt - now) / DAY_MS;
}

/** Days before its end at which the end of a contract is told (cost.md 2.6). */
const NOTICE_DAYS = [1, 3, 7, 14, 30] as const;

/**
 * How long before the end the notice in force was due; on the last day there is one every hour. Undefined while the end
 * is further off, past, or not known.
 */
export function noticeBeforeEnd(days: number | undefined): DurationMs | undefined {
  if (days === undefined || days < 0) return undefined;
  if (days < 1) return Math.ceil(days * 24) * HOUR_MS;
  const notice = NOTICE_DAYS.find(each => days <= each);
  return notice === undefined ? undefined : notice * DAY_MS;
}

/** Whether a contract holds now, by its state and by its dates. */
export function isContractInForce({status, startsAt, endsAt}: Contract, now: EpochMs): boolean {
  return status === 'ACTIVE' && isWithin({startsAt, endsAt}, now);
}

/** Whether a discount lowers prices now (cost.md 2.5): it and its contract must both hold. */
export function isDiscountInForce(discount: Discount, contract: Contract, now: EpochMs): boolean {
  const {statusText, validityDays, startsAt, endsAt} = discount;
  const isValid = statusText?.toLowerCase() === 'active' && (validityDays === undefined || validityDays > 0);
  return isValid && isWithin({startsAt, endsAt}, now) && isContractInForce(contract, now);
}

/** An open side has no limit. */
function isWithin(
  {startsAt, endsAt}: {readonly startsAt: EpochMs | undefined; readonly endsAt: EpochMs | undefined},
  now: EpochMs,
): boolean {
  return (startsAt === undefined || startsAt <= now) && (endsAt === undefined || now < endsAt);
}
