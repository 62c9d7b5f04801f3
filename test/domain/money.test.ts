import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  accrue,
  add,
  allocate,
  compare,
  divide,
  hourlyUsd,
  isNegative,
  minutesOf,
  multiply,
  parseDecimal,
  type Rational,
  ratePerHour,
  ratePerMinute,
  rational,
  scaleRate,
  scaleUsd,
  subtractRates,
  sumRates,
  sumUsd,
  toMicroUsd,
  type Usd,
  usd,
  usdNumber,
  ZERO_RATE,
  ZERO_USD,
} from '../../src/domain/money.ts';
import {cpuMsOf} from '../support/cpu-time.ts';

const MINUTES_IN_30_DAYS = rational(43_200n, 1n);
/** The only common denominator of primes is their product, so a hundred of them exceed the room for exact fractions. */
const PRIMES = primesBelow(2_000);

describe('parseDecimal', () => {
  test.each([
    ['25.6', 256n, 10n],
    ['1.6e-06', 16n, 10_000_000n],
    ['0E-9', 0n, 1n],
    ['0.150000000', 15n, 100n],
    ['0.30000000000000004', 30000000000000004n, 100000000000000000n],
    ['1e-11', 1n, 100_000_000_000n],
    ['1E+3', 1000n, 1n],
    ['+2.5', 5n, 2n],
    ['-2.5', -5n, 2n],
    ['-0', 0n, 1n],
    ['.5', 1n, 2n],
    ['5.', 5n, 1n],
    [' 7 ', 7n, 1n],
    ['007', 7n, 1n],
  ])('reads %s exactly', (text, numerator, denominator) => {
    expect(parseDecimal(text)).toEqual(rational(numerator, denominator));
  });

  test.each([
    '',
    ' ',
    '.',
    '-',
    'e5',
    '1e',
    'NaN',
    'Infinity',
    '-Infinity',
    '10+',
    '1,000',
    '0x10',
    '1_000',
    '$5',
    '1 2',
  ])('finds no number in "%s"', text => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  test.each([
    '1e999',
    '1e-999',
    '1e61',
    '1e9999999',
    `1${'0'.repeat(60)}`,
  ])('refuses %s, which no price needs', text => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  test('agrees with the integers that the text is written from', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.integer({min: 0, max: 20}), (digits, places) => {
        expect(parseDecimal(`${digits}e-${places}`)).toEqual(rational(digits, 10n ** BigInt(places)));
      }),
    );
  });
});

describe('fractions', () => {
  test('are kept in lowest terms with a positive denominator, and never over zero', () => {
    expect(rational(6n, -4n)).toEqual({numerator: -3n, denominator: 2n});
    expect(rational(0n, -7n)).toEqual({numerator: 0n, denominator: 1n});
    expect(rational(10n ** 40n, 10n ** 41n)).toEqual({numerator: 1n, denominator: 10n});
    expect(() => rational(1n, 0n)).toThrow('a fraction over zero');
    expect(() => divide(rational(1n, 1n), rational(0n, 1n))).toThrow('a fraction over zero');
  });

  test('stay in lowest terms and keep their value under every operation', () => {
    fc.assert(
      fc.property(anyFraction(), anyFraction(), (left, right) => {
        const [a, b, c, d] = [left.numerator, left.denominator, right.numerator, right.denominator];
        expect(add(left, right)).toEqual(rational(a * d + c * b, b * d));
        expect(multiply(left, right)).toEqual(rational(a * c, b * d));
        expect(commonFactor(multiply(left, right))).toBe(1n);
        expect(Math.sign(compare(left, right))).toBe(Number(a * d > c * b) - Number(a * d < c * b));
        if (c !== 0n) expect(multiply(divide(left, right), right)).toEqual(left);
      }),
    );
  });

  test('know whether they are negative', () => {
    expect(isNegative(rational(-1n, 3n))).toBe(true);
    expect(isNegative(rational(0n, -3n))).toBe(false);
  });
});

describe('toMicroUsd', () => {
  test.each([
    ['0.0000005', 0],
    ['0.0000015', 2],
    ['0.0000025', 2],
    ['0.00000250000001', 3],
    ['-0.0000005', 0],
    ['-0.0000015', -2],
    ['-0.0000024', -2],
    ['1', 1_000_000],
    ['0', 0],
  ])('rounds %s dollars to %d, half to even', (text, expected) => {
    expect(toMicroUsd(dollars(text))).toBe(expected);
  });

  test('rounds only the total: thirds of a micro-dollar add up', () => {
    const third = usd(rational(1n, 3_000_000n));
    expect(toMicroUsd(third)).toBe(0);
    expect(toMicroUsd(sumUsd([third, third, third]))).toBe(1);
  });
});

describe('rates', () => {
  test('keep the storage list price exact where micro-dollars per minute would be 24 % off', () => {
    const perGb = ratePerHour(decimal('0.000096774'));
    // 0.000096774 $/h × 720 h = 0.06967728 $.
    expect(accrue(perGb, MINUTES_IN_30_DAYS)).toEqual(decimal('0.06967728'));
    expect(toMicroUsd(accrue(perGb, MINUTES_IN_30_DAYS))).toBe(69_677);
    // Rounded first, 1.6129 micro-dollars a minute would be 2, and the month 86,400.
    expect(toMicroUsd(accrue(ratePerMinute(decimal('0.000002')), MINUTES_IN_30_DAYS))).toBe(86_400);
  });

  test('keep $25.60 an hour exact, which is no finite decimal per minute', () => {
    const rate = ratePerHour(decimal('25.60'));
    expect(rate).toEqual(rational(32n, 75n));
    expect(hourlyUsd(rate)).toBe(25.6);
    expect(toMicroUsd(accrue(rate, minutesOf(60_000)))).toBe(426_667);
    expect(accrue(rate, minutesOf(3_600_000))).toEqual(decimal('25.6'));
  });

  test('add, subtract and scale', () => {
    const [ten, four] = [ratePerHour(decimal('10')), ratePerHour(decimal('4'))];
    expect(hourlyUsd(sumRates([ten, four]))).toBe(14);
    expect(hourlyUsd(subtractRates(four, ten))).toBe(-6);
    expect(scaleRate(ten, rational(2n, 5n))).toEqual(four);
    expect(scaleUsd(dollars('3'), rational(1n, 3n))).toEqual(dollars('1'));
    expect(sumRates([])).toEqual(ZERO_RATE);
    expect(sumUsd([])).toEqual(ZERO_USD);
  });

  test('add ten thousand of them exactly and in less than 100 ms', () => {
    const hourly = Array.from({length: 10_000}, (_, index) => (index * 7_919) % 1_000_003);
    const rates = hourly.map(millionths => ratePerHour(rational(BigInt(millionths), 1_000_000n)));
    const millionths = hourly.reduce((left, right) => left + right, 0);
    expect(sumRates(rates)).toEqual(rational(BigInt(millionths), 60_000_000n));
    expect(cpuMsOf(() => sumRates(rates))).toBeLessThan(100);
  });
});

describe('usdNumber', () => {
  test.each([
    '0.1',
    '123456789.123456',
    '0.000000000000000000123456789',
    '-25.6',
    '1e40',
    '0',
  ])('gives the float nearest to %s', text => {
    expect(usdNumber(dollars(text))).toBe(Number(text));
  });

  test('is the nearest float, however long the fraction', () => {
    fc.assert(
      fc.property(fc.double({noNaN: true, min: 1e-20, max: 1e20}), value => {
        const exact = usd(multiply(decimal(String(value)), rational(10n ** 30n + 57n, 10n ** 30n + 57n)));
        expect(usdNumber(exact)).toBe(value);
      }),
      // Its truncated quotient lies exactly between two floats.
      {examples: [[1.854421341635448e-18]]},
    );
    const twoThirds = usd(rational(2n * (10n ** 50n + 1n), 3n * (10n ** 50n + 7n)));
    expect(usdNumber(twoThirds)).toBeCloseTo(2 / 3, 15);
  });
});

describe('sumUsd', () => {
  test('does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(anyFraction(), {maxLength: 40}), parts => {
        const amounts = parts.map(usd);
        expect(sumUsd([...amounts].reverse())).toEqual(sumUsd(amounts));
      }),
    );
  });

  test('rounds hundreds of unlike fractions as their exact sum rounds', () => {
    const fractions = PRIMES.map((prime, index) => rational(BigInt((index * 17) % Number(prime)) + 1n, prime * 1_000n));
    const product = PRIMES.reduce((left, right) => left * right, 1_000n);
    const numerator = fractions.reduce((total, part) => total + (part.numerator * product) / part.denominator, 0n);
    const expected = Number((numerator * 1_000_000n + product / 2n) / product);
    expect(toMicroUsd(sumUsd(fractions.map(usd)))).toBe(expected);
  });

  test.each([
    ['exactly half a micro-dollar goes to the even side', rational(1n, 2_000_000n), 0],
    ['slightly more than half goes up', add(rational(1n, 2_000_000n), rational(1n, 7n * 10n ** 60n)), 1],
    ['slightly less than half goes down', add(rational(1n, 2_000_000n), rational(-1n, 7n * 10n ** 60n)), 0],
    ['exactly one and a half goes to the even side', rational(3n, 2_000_000n), 2],
    ['slightly less than one and a half goes down', add(rational(3n, 2_000_000n), rational(-1n, 7n * 10n ** 60n)), 1],
  ])('rounds a total of hundreds of unlike fractions correctly: %s', (_, target, expected) => {
    const halves = PRIMES.flatMap(prime => [rational(1n, prime), rational(-1n, prime)]);
    const unlike = PRIMES.map((prime, index) => rational(BigInt(index) + 1n, prime));
    const complement = unlike.map(part => rational(part.denominator - part.numerator, part.denominator));
    const whole = rational(-BigInt(PRIMES.length), 1n);
    expect(toMicroUsd(sumUsd([...halves, ...unlike, ...complement, whole, target].map(usd)))).toBe(expected);
  });

  test('adds complementary parts of hundreds of bills back to the bills exactly', () => {
    const bills = PRIMES.map((_, index) => rational(BigInt(index) * 37n + 1n, 1_000_000n));
    const early = bills.map((bill, index) => usd(multiply(bill, rational(1n, PRIMES[index] ?? 1n))));
    const late = bills.map((bill, index) =>
      usd(multiply(bill, rational((PRIMES[index] ?? 1n) - 1n, PRIMES[index] ?? 1n))),
    );
    expect(sumUsd([...early, ...late])).toEqual(sumUsd(bills.map(usd)));
  });
});

describe('allocate', () => {
  test('gives the missing micro-dollar to the largest remainder, and of equal ones to the first', () => {
    expect(allocate(['0.0000014', '0.0000017', '0.0000019'].map(dollars))).toEqual([1, 2, 2]);
    expect(allocate(['0.0000015', '0.0000015', '0.000001'].map(dollars))).toEqual([2, 1, 1]);
    expect(allocate([])).toEqual([]);
  });

  test('adds up to the rounded total, each part less than one micro-dollar from its exact value', () => {
    fc.assert(
      fc.property(fc.array(anyAmount(), {maxLength: 60}), fractions => {
        const parts = fractions.map(usd);
        const allocated = allocate(parts);
        expect(allocated.reduce((left, right) => left + right, 0)).toBe(toMicroUsd(sumUsd(parts)));
        for (const [index, part] of parts.entries()) {
          const distance = add(multiply(part, rational(1_000_000n, 1n)), rational(-BigInt(allocated[index] ?? 0), 1n));
          expect(compare(distance, rational(-1n, 1n))).toBe(1);
          expect(compare(distance, rational(1n, 1n))).toBe(-1);
        }
      }),
    );
  });

  test('works for amounts that no account can have', () => {
    expect(allocate([dollars('1e50'), dollars('0.0000017')])[1]).toBe(2);
  });
});

function decimal(text: string): Rational {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
}

function dollars(text: string): Usd {
  return usd(decimal(text));
}

function anyFraction(): fc.Arbitrary<Rational> {
  return fc
    .tuple(fc.bigInt(-(10n ** 25n), 10n ** 25n), fc.oneof(fc.bigInt(1n, 60n), fc.bigInt(1n, 10n ** 22n)))
    .map(([numerator, denominator]) => rational(numerator, denominator));
}

/** Up to a hundred million dollars, so that totals in micro-dollars are whole floats. */
function anyAmount(): fc.Arbitrary<Rational> {
  return fc
    .tuple(fc.bigInt(-(10n ** 8n), 10n ** 8n), fc.bigInt(1n, 10n ** 12n))
    .map(([numerator, denominator]) => rational(numerator, denominator));
}

function commonFactor({numerator, denominator}: Rational): bigint {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function primesBelow(limit: number): bigint[] {
  const candidates = Array.from({length: limit - 2}, (_, index) => index + 2);
  const isPrime = (value: number) => candidates.every(divisor => divisor * divisor > value || value % divisor !== 0);
  return candidates.filter(isPrime).map(BigInt);
}
