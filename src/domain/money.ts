import {assert} from './assert.ts';

declare const brand: unique symbol;

/** An exact fraction in lowest terms with a positive denominator. Nothing is rounded until `toMicroUsd`. */
export type Rational = {readonly numerator: bigint; readonly denominator: bigint};

/** Exact dollars per minute. */
export type Rate = Rational & {readonly [brand]: 'UsdPerMinute'};

/** Exact dollars. */
export type Usd = Rational & {readonly [brand]: 'Usd'};

/** A published total: integer millionths of a dollar. */
export type MicroUsd = number & {readonly [brand]: 'MicroUsd'};

export const MINUTES_PER_HOUR = 60n;
export const MICRO_PER_USD = 1_000_000n;
/** Longer than the text of any price, and short enough that `1e99999` cannot fill the memory. */
const MAX_DIGITS = 60;
const MAX_EXPONENT = 60;
const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Enough for every bit of a float, and some digits for rounding. */
const QUOTIENT_BITS = 64;
/** Enough for any mix of decimals and about ten billing spans; beyond it one fraction would cost too much. */
const MAX_COMMON_DENOMINATOR = 1n << 512n;
/** Sums of more different fractions are kept to 40 decimals, see `sumRoundedToOdd`. */
const GRID = 10n ** 40n;
const REMAINDER_BITS = 128n;
const FINE_GRID = GRID << REMAINDER_BITS;
const FLOAT_BITS = 53n;

export const ZERO_RATE = rational(0n, 1n) as Rate;
export const ZERO_USD = rational(0n, 1n) as Usd;
export const ZERO_MICRO_USD = 0 as MicroUsd;

/** Parses a number's text exactly (`25.6`, `1.6e-06`, `0E-9`). Undefined for anything that is not a finite decimal. */
export function parseDecimal(text: string): Rational | undefined {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText) - fraction.length;
  if (whole.length + fraction.length > MAX_DIGITS || Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  return exponent >= 0 ? rational(digits * 10n ** BigInt(exponent), 1n) : rational(digits, 10n ** BigInt(-exponent));
}

/** For example `25.600000` from 25600000 and six places: an integer of the smallest unit, written exactly. */
export function decimalFigure(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const figure = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return units < 0n ? `-${figure}` : figure;
}

/** A rate from dollars per minute. */
export function ratePerMinute(usd: Rational): Rate {
  return usd as Rate;
}

/** A rate from dollars per hour. */
export function ratePerHour(usd: Rational): Rate {
  return rational(usd.numerator, usd.denominator * MINUTES_PER_HOUR) as Rate;
}

export function usd(amount: Rational): Usd {
  return amount as Usd;
}

export function sumRates(rates: Iterable<Rate>): Rate {
  return sum(rates) as Rate;
}

export function sumUsd(amounts: Iterable<Usd>): Usd {
  return sum(amounts) as Usd;
}

export function subtractRates(from: Rate, amount: Rate): Rate {
  return add(from, negate(amount)) as Rate;
}

export function subtractUsd(from: Usd, amount: Usd): Usd {
  return add(from, negate(amount)) as Usd;
}

export function largerUsd(left: Usd, right: Usd): Usd {
  return compare(left, right) > 0 ? left : right;
}

export function negateUsd(amount: Usd): Usd {
  return negate(amount) as Usd;
}

/** The cost of a rate over `minutes`, exactly. */
export function accrue(rate: Rate, minutes: Rational): Usd {
  return multiply(rate, minutes) as Usd;
}

export function scaleRate(rate: Rate, factor: Rational): Rate {
  return multiply(rate, factor) as Rate;
}

export function scaleUsd(amount: Usd, factor: Rational): Usd {
  return multiply(amount, factor) as Usd;
}

/** Milliseconds as exact minutes. */
export function minutesOf(durationMs: number): Rational {
  return rational(BigInt(Math.round(durationMs)), 60_000n);
}

/** Rounds once, half to even. */
export function toMicroUsd(amount: Usd): MicroUsd {
  return Number(microUsd(amount)) as MicroUsd;
}

/** Dollars per hour as a float: for sorting, bars and formatting, never for sums. */
export function hourlyUsd(rate: Rate): number {
  return toNumber(multiply(rate, rational(MINUTES_PER_HOUR, 1n)));
}

/** Dollars as a float: for formatting, never for sums. */
export function usdNumber(amount: Usd): number {
  return toNumber(amount);
}

/** Rounds parts so that they add up to the rounded total: largest remainder, ties to the earlier part. */
export function allocate(parts: readonly Usd[]): readonly MicroUsd[] {
  const total = microUsd(sumUsd(parts));
  const remainders = parts.map(({numerator, denominator}, index) => {
    const whole = floor({numerator: numerator * MICRO_PER_USD, denominator});
    const left = {numerator: numerator * MICRO_PER_USD - whole * denominator, denominator};
    // The leading bits decide almost every order; fractions are compared only if those are equal.
    const firstBits = Number((left.numerator << FLOAT_BITS) / denominator);
    return {index, whole, left, firstBits};
  });
  const amounts = remainders.map(({whole}) => Number(whole) as MicroUsd);
  const missing = Number(total - remainders.reduce((sum, {whole}) => sum + whole, 0n));
  const largestFirst = remainders.sort(
    (one, other) => other.firstBits - one.firstBits || compare(other.left, one.left) || one.index - other.index,
  );
  for (const {index, whole} of largestFirst.slice(0, Math.max(0, missing)))
    amounts[index] = Number(whole + 1n) as MicroUsd;
  return amounts;
}

/** The fraction in lowest terms. A denominator of zero is a mistake of ours. */
export function rational(numerator: bigint, denominator: bigint): Rational {
  assert(denominator !== 0n, 'a fraction over zero');
  const divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return {numerator: numerator / divisor, denominator: denominator / divisor};
}

export function add(left: Rational, right: Rational): Rational {
  return left.denominator === right.denominator
    ? rational(left.numerator + right.numerator, left.denominator)
    : rational(
        left.numerator * right.denominator + right.numerator * left.denominator,
        left.denominator * right.denominator,
      );
}

export function multiply(left: Rational, right: Rational): Rational {
  // Cancelling before multiplying keeps the numbers small enough for the fast divisor below.
  const leftDivisor = greatestCommonDivisor(left.numerator, right.denominator);
  const rightDivisor = greatestCommonDivisor(right.numerator, left.denominator);
  return {
    numerator: (left.numerator / leftDivisor) * (right.numerator / rightDivisor),
    denominator: (left.denominator / rightDivisor) * (right.denominator / leftDivisor),
  };
}

/** Dividing by zero is a mistake of ours: check first. */
export function divide(left: Rational, right: Rational): Rational {
  return rational(left.numerator * right.denominator, left.denominator * right.numerator);
}

export function compare(left: Rational, right: Rational): number {
  const difference = left.numerator * right.denominator - right.numerator * left.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function isNegative(value: Rational): boolean {
  return value.numerator < 0n;
}

export function isPositive(value: Rational): boolean {
  return value.numerator > 0n;
}

/** Exact if there is a common denominator of reasonable size, which decimals always have. */
function sum(values: Iterable<Rational>): Rational {
  const numerators = new Map<bigint, bigint>();
  for (const {numerator, denominator} of values) {
    numerators.set(denominator, (numerators.get(denominator) ?? 0n) + numerator);
  }
  const common = commonDenominator(numerators.keys());
  if (common === undefined) return sumRoundedToOdd(numerators);
  let total = 0n;
  for (const [denominator, numerator] of numerators) total += numerator * (common / denominator);
  return rational(total, common);
}

function commonDenominator(denominators: Iterable<bigint>): bigint | undefined {
  let common = 1n;
  for (const denominator of denominators) {
    if (common % denominator === 0n) continue;
    common *= denominator / greatestCommonDivisor(common, denominator);
    if (common > MAX_COMMON_DENOMINATOR) return undefined;
  }
  return common;
}

/**
 * The sum on a grid of 10^-40; between two grid points, the odd one. Every point at which rounding to micro-dollars
 * changes is an even grid point, so rounding this sum gives the same as rounding the exact sum. The common denominator
 * of ten thousand billing spans is some 30 kB large; this takes milliseconds.
 */
function sumRoundedToOdd(numerators: ReadonlyMap<bigint, bigint>): Rational {
  let low = 0n;
  for (const [denominator, numerator] of numerators) low += floor({numerator: numerator * FINE_GRID, denominator});
  const high = low + BigInt(numerators.size);
  const below = low >> REMAINDER_BITS;
  const isBetweenPoints = low !== below << REMAINDER_BITS && high >> REMAINDER_BITS === below;
  if (isBetweenPoints) return onGrid(below, true);
  // So near a grid point the estimate cannot decide, and complementary parts do add up to one exactly.
  let whole = 0n;
  const rests: Rational[] = [];
  for (const [denominator, numerator] of numerators) {
    const scaled = {numerator: numerator * GRID, denominator};
    const part = floor(scaled);
    whole += part;
    const rest = scaled.numerator - part * denominator;
    if (rest !== 0n) rests.push({numerator: rest, denominator});
  }
  const {numerator, denominator} = addPairwise(rests);
  return onGrid(whole + numerator / denominator, numerator % denominator !== 0n);
}

function onGrid(below: bigint, hasRest: boolean): Rational {
  return rational(hasRest && below % 2n === 0n ? below + 1n : below, GRID);
}

/** Adds neighbours, then their sums, so that most additions are of small numbers. Not in lowest terms. */
function addPairwise(fractions: readonly Rational[]): Rational {
  const [first, second] = fractions;
  if (first === undefined) return {numerator: 0n, denominator: 1n};
  if (second === undefined) return first;
  const middle = fractions.length >> 1;
  const left = addPairwise(fractions.slice(0, middle));
  const right = addPairwise(fractions.slice(middle));
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  };
}

function negate(value: Rational): Rational {
  return {numerator: -value.numerator, denominator: value.denominator};
}

export function toNumber({numerator, denominator}: Rational): number {
  // Both are exact as floats, and dividing two floats rounds once.
  if (denominator <= MAX_SAFE && numerator <= MAX_SAFE && numerator >= -MAX_SAFE) {
    return Number(numerator) / Number(denominator);
  }
  const shift = bitLength(denominator) - bitLength(numerator) + QUOTIENT_BITS;
  const dividend = shift >= 0 ? numerator << BigInt(shift) : numerator;
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift);
  const quotient = dividend / divisor;
  // One extra bit represents what was cut off: without it, a value just above the middle of two floats would be rounded
  // down.
  const rest = BigInt(Math.sign(Number(dividend - quotient * divisor)));
  return Number(2n * quotient + rest) * 2 ** -(shift + 1);
}

function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

function floor(value: Rational): bigint {
  const quotient = value.numerator / value.denominator;
  return value.numerator < 0n && quotient * value.denominator !== value.numerator ? quotient - 1n : quotient;
}

function microUsd(amount: Usd): bigint {
  return roundHalfEven(rational(amount.numerator * MICRO_PER_USD, amount.denominator));
}

function roundHalfEven(value: Rational): bigint {
  const below = floor(value);
  const twiceRemainder = 2n * (value.numerator - below * value.denominator);
  if (twiceRemainder < value.denominator) return below;
  if (twiceRemainder > value.denominator) return below + 1n;
  return below % 2n === 0n ? below : below + 1n;
}

/** Never negative, and zero only for two zeros. */
function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  if (a < b) [a, b] = [b, a];
  while (b > MAX_SAFE) {
    const rest = a % b;
    a = b;
    b = rest;
  }
  if (b === 0n) return a;
  // Plain numbers are ten times as quick, and after one division both fit.
  let x = Number(b);
  let y = Number(a % b);
  while (y !== 0) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return BigInt(x);
}
