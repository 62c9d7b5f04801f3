import {describe, expect, it, test} from 'vitest';
import {
  type Contract,
  type Discount,
  daysLeft,
  discountTerms,
  expirationPolicy,
  isContractInForce,
  isDiscountInForce,
  noticeBeforeEnd,
} from '../../src/domain/contract.ts';
import {rational} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../src/domain/time.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 20));
const at = (days: number) => epochMs(NOW + days * DAY_MS);

function aContract(parts: Partial<Contract> = {}): Contract {
  return {
    id: 118,
    status: 'ACTIVE',
    statusText: safeText('Active'),
    expirationPolicy: {kind: 'delete', code: 0},
    discounts: [],
    ...parts,
  };
}

function aDiscount(parts: Partial<Discount> = {}): Discount {
  return {terms: {kind: 'unusable'}, statusText: safeText('active'), ...parts};
}

describe('expirationPolicy', () => {
  test.each([
    [0, {kind: 'delete', code: 0}],
    [1, {kind: 'market', code: 1}],
    [2, {kind: 'unknown', code: 2}],
    [undefined, {kind: 'unknown'}],
  ])('%s', (code, expected) => {
    expect(expirationPolicy(code)).toStrictEqual(expected);
  });
});

describe('discountTerms', () => {
  const [ten, dollar] = [rational(10n, 1n), rational(1n, 1n)];
  test.each([
    ['a percentage', {type: 'percent', percent: ten}, {kind: 'percent', percent: ten}],
    [
      'a percentage in capitals beside an amount',
      {type: 'PERCENT', percent: ten, amount: dollar},
      {kind: 'percent', percent: ten},
    ],
    ['0 % off', {type: 'percent', percent: rational(0n, 1n)}, {kind: 'percent', percent: rational(0n, 1n)}],
    ['100 % off', {type: 'percent', percent: rational(100n, 1n)}, {kind: 'percent', percent: rational(100n, 1n)}],
    ['more than 100 % off', {type: 'percent', percent: rational(1001n, 10n)}, {kind: 'unusable'}],
    ['a surcharge', {type: 'percent', percent: rational(-1n, 1n)}, {kind: 'unusable'}],
    ['a percentage that is missing', {type: 'percent', amount: dollar}, {kind: 'unusable'}],
    ['a price', {type: 'flat', amount: dollar}, {kind: 'flat', price: dollar}],
    ['a price below zero', {type: 'flat', amount: rational(-1n, 1n)}, {kind: 'unusable'}],
    ['a price that is missing', {type: 'flat', percent: ten}, {kind: 'unusable'}],
    ['an unknown type', {type: 'barter', amount: dollar, percent: ten}, {kind: 'unusable'}],
    ['no type', {amount: dollar}, {kind: 'unusable'}],
  ])('of %s', (_name, fields, expected) => {
    expect(discountTerms(fields)).toStrictEqual(expected);
  });
});

describe('daysLeft', () => {
  it('includes fractions of a day, and goes below zero', () => {
    expect(daysLeft({endsAt: at(6)}, NOW)).toBe(6);
    expect(daysLeft({endsAt: epochMs(NOW + 6 * HOUR_MS)}, NOW)).toBe(0.25);
    expect(daysLeft({endsAt: at(-2)}, NOW)).toBe(-2);
  });

  it('is unknown when the end is', () => {
    expect(daysLeft({}, NOW)).toBeUndefined();
  });
});

describe('a contract', () => {
  test.each<[string, Partial<Contract>, boolean]>([
    ['without dates', {}, true],
    ['within its dates', {startsAt: at(-1), endsAt: at(1)}, true],
    ['at the moment of its start', {startsAt: NOW}, true],
    ['before its start', {startsAt: at(1)}, false],
    ['at the moment of its end', {endsAt: NOW}, false],
    ['that has expired', {status: 'EXPIRED', endsAt: at(1)}, false],
    ['in an unknown state', {status: 'UNKNOWN'}, false],
  ])('%s is in force: %s', (_name, parts, expected) => {
    expect(isContractInForce(aContract(parts), NOW)).toBe(expected);
  });
});

describe('a discount', () => {
  test.each<[string, Partial<Discount>, Partial<Contract>, boolean]>([
    ['of a contract in force', {}, {}, true],
    ['with its status in capitals', {statusText: safeText('ACTIVE')}, {}, true],
    ['with days left', {validityDays: 1}, {}, true],
    ['without days left', {validityDays: 0}, {}, false],
    ['past its validity days', {validityDays: -3}, {}, false],
    ['before its start', {startsAt: at(1)}, {}, false],
    ['past its end', {endsAt: at(-1)}, {}, false],
    ['that is not active', {statusText: safeText('expired')}, {}, false],
    ['of a contract that is over', {}, {endsAt: at(-1)}, false],
  ])('%s is in force: %s', (_name, parts, contract, expected) => {
    expect(isDiscountInForce(aDiscount(parts), aContract(contract), NOW)).toBe(expected);
  });

  it('without a status is not in force', () => {
    expect(isDiscountInForce({terms: {kind: 'unusable'}}, aContract(), NOW)).toBe(false);
  });
});

describe('noticeBeforeEnd', () => {
  test.each([
    [31, undefined],
    [30, 30 * 24],
    [14.1, 30 * 24],
    [14, 14 * 24],
    [7, 7 * 24],
    [2.5, 3 * 24],
    [1, 24],
    [0.9, 22],
    [0.01, 1],
    [-0.1, undefined],
    [undefined, undefined],
  ])('with %s days left, is %s hours', (days, hours) => {
    expect(noticeBeforeEnd(days)).toBe(hours === undefined ? undefined : hours * HOUR_MS);
  });
});
