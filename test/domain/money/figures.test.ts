import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {computeFigures, topSpenders} from '../../../src/domain/money/figures.ts';
import {
  parseDecimal,
  type Rate,
  ratePerHour,
  ratePerMinute,
  rational,
  type Usd,
  usd,
} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, SECOND_MS} from '../../../src/domain/time.ts';

const MONTH = Date.UTC(2026, 10, 1);
/** Ten of November's thirty days have passed. */
const NOW = epochMs(Date.UTC(2026, 10, 11));

describe('computeFigures', () => {
  it('agrees with arithmetic for a month of one machine at a dollar an hour', () => {
    const figures = computeFigures([aRecord({billedCost: dollars('240'), rate: perHour('1')})], [], NOW);
    expect(figures.monthToDate).toEqual(dollars('240'));
    expect(figures.burn).toEqual(perHour('1'));
    // 240 so far and 20 days of 24 dollars; the run rate is the same, since nothing has changed in the month.
    expect(figures.projection).toEqual({ifNothingChanges: dollars('720'), runRate: dollars('720')});
    expect(figures.month).toEqual({start: MONTH, end: Date.UTC(2026, 11, 1)});
    expect(figures.days.map(({cost}) => cost)).toEqual(Array.from({length: 10}, () => dollars('24')));
  });

  it('tells no month end at the present burn rate while that is unknown: the run rate needs only the bill', () => {
    const {rate: _rate, ...unpriced} = aRecord({billedCost: dollars('240')});
    const {projection} = computeFigures([unpriced], [], NOW);
    // 24 dollars a day for 30 days.
    expect(projection).toEqual({ifNothingChanges: undefined, runRate: dollars('720')});
  });

  it('gives zeros for an account without records, and no run rate at the first moment of a month', () => {
    const figures = computeFigures([], [], epochMs(MONTH));
    expect(figures.monthToDate).toEqual(dollars('0'));
    expect(figures.burn).toEqual(perHour('0'));
    expect(figures.projection).toEqual({ifNothingChanges: dollars('0'), runRate: undefined});
    expect(topSpenders(figures)).toEqual([]);
    expect(figures.days).toEqual([]);
  });

  it('counts what was deleted this month, but only the part of its cost that lies in the month', () => {
    const deleted = aRecord({
      resourceId: 2,
      createdAt: epochMs(MONTH - 3 * DAY_MS),
      terminatedAt: epochMs(MONTH + DAY_MS),
      billedCost: dollars('40'),
      isActive: false,
    });
    const figures = computeFigures([aRecord({billedCost: dollars('5')})], [deleted], NOW);
    // One of its four days: 10 of 40 dollars.
    expect(figures.monthToDate).toEqual(dollars('15'));
    expect(figures.lacksDeleted).toBe(false);
    expect(topSpenders(figures).map(({resourceId, spent, isActive}) => [resourceId, spent, isActive])).toEqual([
      [2, 10_000_000, false],
      [1, 5_000_000, true],
    ]);
  });

  it('says that the deleted records are missing while their list is not read', () => {
    const figures = computeFigures([aRecord({billedCost: dollars('5')})], undefined, NOW);
    expect(figures.lacksDeleted).toBe(true);
    expect(figures.monthToDate).toEqual(dollars('5'));
  });

  it('counts a span that is in both lists once', () => {
    const record = aRecord({billedCost: dollars('5')});
    expect(computeFigures([record], [record], NOW).monthToDate).toEqual(dollars('5'));
  });

  it.each<[string, Partial<UsageRecord>, number, number]>([
    ['a usable rate and a bill', {rate: perHour('1'), billedCost: dollars('1')}, 0, 0],
    ['a bill without a rate', {billedCost: dollars('1')}, 1, 0],
    ['a rate without a bill', {rate: perHour('1')}, 0, 0],
    ['neither', {}, 1, 1],
    ['a rate below zero, and a bill', {rate: perHour('-1'), billedCost: dollars('1')}, 1, 0],
    ['neither, terminated this month', {isActive: false, terminatedAt: epochMs(MONTH + HOUR_MS)}, 0, 1],
    ['neither, excluded from billing', {isExcludedFromBilling: true}, 0, 0],
  ])('decides whether to count a record as unpriced: %s', (_, fields, burnCount, monthCount) => {
    const figures = computeFigures([aRecord(fields)], [], NOW);
    expect(figures.unpricedCount).toBe(burnCount);
    expect(figures.estimated.unpricedCount).toBe(monthCount);
  });

  it('adds up the burn rate of all active and billed records, exact to the nano-dollar', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        const isMetered = (record: UsageRecord) => record.isActive && !record.isExcludedFromBilling;
        const nanos = records.filter(isMetered).map(({rate}) => nanoPerMinute(rate));
        const total = nanos.reduce<bigint>((sum, nano) => sum + (nano ?? 0n), 0n);
        const figures = computeFigures(records, [], NOW);
        expect(figures.burn).toEqual(rational(total, NANO));
        expect(figures.unpricedCount).toBe(nanos.filter(nano => nano === undefined).length);
      }),
    );
  });

  it('splits the month between the spenders so that the parts add up to it exactly', () => {
    fc.assert(
      fc.property(anyRecords(), anyRecords(), (live, dead) => {
        const figures = computeFigures(live, dead, NOW);
        const parts = topSpenders(figures).reduce((sum, {spent}) => sum + (spent ?? 0), 0);
        expect(parts).toBe(halfEvenMicroUsd(figures.monthToDate));
      }),
    );
  });

  it('adds up to the bills when every span lies in the month', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 10n ** 9n), {maxLength: 10}), bills => {
        const records = bills.map((micro, index) =>
          aRecord({resourceId: index + 1, billedCost: usd(rational(micro, 1_000_000n))}),
        );
        const figures = computeFigures(records, [], NOW);
        const [spenders, {monthToDate}] = [topSpenders(figures), figures];
        const total = bills.reduce((sum, micro) => sum + micro, 0n);
        expect(monthToDate).toEqual(rational(total, 1_000_000n));
        expect(spenders.reduce((sum, {spent}) => sum + (spent ?? 0), 0)).toBe(Number(total));
      }),
    );
  });
});

describe('the spenders', () => {
  it('come costliest first, with their share of the month and of the costliest', () => {
    const records = [
      aRecord({resourceId: 3, billedCost: dollars('20')}),
      aRecord({resourceId: 4, billedCost: dollars('60')}),
    ];
    const spenders = topSpenders(computeFigures(records, [], NOW));
    expect(spenders.map(({resourceId, shareRatio, barRatio}) => [resourceId, shareRatio, barRatio])).toEqual([
      [4, 60 / 80, 1],
      [3, 20 / 80, 20 / 60],
    ]);
  });

  it('have no share while nothing was spent, and are listed if they run', () => {
    const idle = aRecord({createdAt: NOW, rate: perHour('2')});
    const gone = aRecord({resourceId: 2, isActive: false, terminatedAt: epochMs(MONTH - DAY_MS), createdAt: LONG_AGO});
    const spenders = topSpenders(computeFigures([idle], [gone], NOW));
    expect(spenders).toMatchObject([{resourceId: 1, spent: 0, shareRatio: undefined, barRatio: 0, isActive: true}]);
  });

  it('are resources, not spans: one line with the newest name, all bills and all present rates', () => {
    const first = aRecord({
      name: safeText('old-name'),
      terminatedAt: epochMs(MONTH + DAY_MS),
      isActive: false,
      billedCost: dollars('3'),
    });
    const second = aRecord({
      name: safeText('new-name'),
      createdAt: epochMs(MONTH + 2 * DAY_MS),
      billedCost: dollars('4'),
      rate: perHour('0.5'),
    });
    for (const records of [
      [first, second],
      [second, first],
    ]) {
      expect(topSpenders(computeFigures(records, [], NOW))).toMatchObject([
        {name: 'new-name', spent: 7_000_000, rate: perHour('0.5'), isActive: true},
      ]);
    }
  });

  it('keep a machine and a volume with the same id apart', () => {
    const records = [
      aRecord({billedCost: dollars('1')}),
      aRecord({billedCost: dollars('2'), resourceType: safeText('volume')}),
    ];
    expect(topSpenders(computeFigures(records, [], NOW)).map(({resourceType}) => resourceType)).toEqual([
      'volume',
      'vm',
    ]);
  });

  it('have no rate when one of their active spans has none', () => {
    const spans = [aRecord({rate: perHour('1')}), aRecord({createdAt: epochMs(MONTH + DAY_MS)})];
    const [spender] = topSpenders(computeFigures(spans, [], NOW));
    expect(spender).toMatchObject({rate: undefined, isActive: true});
  });
});

const NANO = 1_000_000_000n;
const LONG_AGO = epochMs(Date.UTC(2026, 8, 1));

/** A machine that has run since the month began. */
function aRecord(fields: Partial<UsageRecord>): UsageRecord {
  return {
    resourceId: 1,
    resourceType: safeText('vm'),
    name: safeText('train-01'),
    createdAt: epochMs(MONTH),
    isActive: true,
    isExcludedFromBilling: false,
    ...fields,
  };
}

/** Created in the last forty days, ended or not, some without a rate or a bill, some free of charge. */
function anyRecords(): fc.Arbitrary<UsageRecord[]> {
  const seconds = fc.integer({min: 1, max: 40 * 86_400});
  const anyRecord = fc
    .record({
      resourceId: fc.integer({min: 1, max: 5}),
      ageSeconds: seconds,
      lengthSeconds: fc.option(seconds),
      microUsd: fc.option(fc.bigInt(0n, 10n ** 10n)),
      nano: fc.option(fc.bigInt(-(10n ** 3n), 10n ** 9n)),
      isExcludedFromBilling: fc.boolean(),
    })
    .map(({resourceId, ageSeconds, lengthSeconds, microUsd, nano, isExcludedFromBilling}) => {
      const createdAt = epochMs(NOW - ageSeconds * SECOND_MS);
      const end = lengthSeconds === null ? undefined : epochMs(Math.min(NOW, createdAt + lengthSeconds * SECOND_MS));
      return aRecord({
        resourceId,
        createdAt,
        isExcludedFromBilling,
        isActive: end === undefined,
        ...(end === undefined ? {} : {terminatedAt: end}),
        ...(microUsd === null ? {} : {billedCost: usd(rational(microUsd, 1_000_000n))}),
        ...(nano === null ? {} : {rate: ratePerMinute(rational(nano, NANO))}),
      });
    });
  return fc.array(anyRecord, {maxLength: 10});
}

/** Undefined when the rate is missing or negative. */
function nanoPerMinute(rate: Rate | undefined): bigint | undefined {
  if (rate === undefined || rate.numerator < 0n) return undefined;
  return (rate.numerator * NANO) / rate.denominator;
}

/** Rounded once, half to even; amounts here are never below zero. */
function halfEvenMicroUsd({numerator, denominator}: Usd): number {
  const whole = (numerator * 1_000_000n) / denominator;
  const twiceRest = 2n * (numerator * 1_000_000n - whole * denominator);
  const isUp = twiceRest > denominator || (twiceRest === denominator && whole % 2n === 1n);
  return Number(isUp ? whole + 1n : whole);
}

function perHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}
