import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {burnRate} from '../../../src/domain/cost.ts';
import {
  costWithin,
  effectiveRate,
  isUnpriced,
  mergeUsage,
  monthEnd,
  monthStart,
  monthToDate,
  type Spend,
  spendPerDay,
} from '../../../src/domain/money/spend.ts';
import {
  allocate,
  multiply,
  parseDecimal,
  type Rate,
  ratePerHour,
  ratePerMinute,
  rational,
  scaleRate,
  scaleUsd,
  sumUsd,
  toMicroUsd,
  type Usd,
  usd,
  ZERO_USD,
} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {cpuMsOf} from '../../support/cpu-time.ts';
import {sweepOf} from '../../support/tier.ts';

const RUNS = {numRuns: sweepOf({sample: 25, deep: 10_000})};

const MONTH = at('2026-11-01T00:00:00Z');
const NOW = at('2026-11-11T06:00:00Z');
const EVER = {start: at('2020-01-01T00:00:00Z'), end: at('2030-01-01T00:00:00Z'), now: NOW};

describe('mergeUsage', () => {
  const created = at('2026-11-03T00:00:00Z');
  const running = aRecord({createdAt: created, upTimeMinutes: rational(100n, 1n)});
  const ended = {...running, isActive: false, terminatedAt: at('2026-11-04T00:00:00Z')};

  test('keeps one record per type, id and creation', () => {
    const others = [
      {...running, resourceType: safeText('volume')},
      {...running, resourceId: 2},
      {...running, createdAt: epochMs(created + 1)},
    ];
    expect(mergeUsage([running, ...others], [running])).toEqual([running, ...others]);
    expect(mergeUsage([running], [{...running, resourceType: safeText('VM')}])).toHaveLength(1);
  });

  test.each([
    ['the one with more metered time', {...running, upTimeMinutes: rational(101n, 1n)}, ended],
    ['the one with metered time', running, {...ended, upTimeMinutes: rational(0n, 1n)}],
    ['of equally long ones the terminated one', ended, running],
    ['of equal ones the larger bill', {...ended, billedCost: dollars('2')}, {...ended, billedCost: dollars('1')}],
  ])('keeps %s, whichever list it is in', (_, winner, loser) => {
    expect(mergeUsage([winner], [loser])).toEqual([winner]);
    expect(mergeUsage([loser], [winner])).toEqual([winner]);
  });

  test('gives the same records for any order and any duplicates', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        const once = new Set(mergeUsage(records, []));
        expect(new Set(mergeUsage([...records].reverse(), records))).toEqual(once);
      }),
      RUNS,
    );
  });
});

describe('costWithin', () => {
  const tenDays = aRecord({createdAt: at('2026-11-01T06:00:00Z'), billedCost: dollars('100')});

  test.each([
    ['a tenth of the span', '2026-11-05T00:00:00Z', '2026-11-06T00:00:00Z', '10'],
    ['half a day', '2026-11-05T12:00:00Z', '2026-11-06T00:00:00Z', '5'],
    ['all of it', '2026-10-01T00:00:00Z', '2026-12-01T00:00:00Z', '100'],
    ['up to now', '2026-11-10T06:00:00Z', '2026-12-01T00:00:00Z', '10'],
    ['before the span', '2026-10-01T00:00:00Z', '2026-11-01T06:00:00Z', '0'],
    ['after now', '2026-11-11T06:00:00Z', '2026-12-01T00:00:00Z', '0'],
  ])('spreads the bill evenly: %s', (_, start, end, expected) => {
    expect(costWithin(tenDays, {start: at(start), end: at(end), now: NOW})).toEqual(dollars(expected));
  });

  test('spreads the bill, not the rate, over paused time: half the time at 2 $/h is 1 $/h', () => {
    const halfPaused = {
      ...tenDays,
      upTimeMinutes: rational(7_200n, 1n),
      billedCost: dollars('240'),
      rate: perHour('2'),
    };
    expect(
      costWithin(halfPaused, {start: at('2026-11-05T00:00:00Z'), end: at('2026-11-05T01:00:00Z'), now: NOW}),
    ).toEqual(dollars('1'));
  });

  test('takes rate × time when there is no usable bill', () => {
    const {billedCost: _, ...unbilled} = {...tenDays, rate: perHour('2')};
    expect(costWithin(unbilled, EVER)).toEqual(dollars('480'));
    expect(costWithin({...unbilled, billedCost: dollars('-1')}, EVER)).toEqual(dollars('480'));
  });

  test('counts a terminated span up to its end only', () => {
    const terminated = {...tenDays, terminatedAt: at('2026-11-03T06:00:00Z')};
    expect(costWithin(terminated, {start: at('2026-11-02T06:00:00Z'), end: NOW, now: NOW})).toEqual(dollars('50'));
  });

  test.each<[string, Partial<UsageRecord>, string]>([
    ['nothing for what is excluded from billing', {isExcludedFromBilling: true}, '0'],
    ['nothing for a record of the future', {createdAt: epochMs(NOW + 1)}, '0'],
    ['all at its creation when it ended before that', {terminatedAt: at('2026-10-01T00:00:00Z')}, '100'],
    ['all at its creation when it lasted no time', {terminatedAt: at('2026-11-01T06:00:00Z')}, '100'],
  ])('gives %s', (_, fields, expected) => {
    expect(costWithin({...tenDays, ...fields}, {start: MONTH, end: NOW, now: NOW})).toEqual(dollars(expected));
  });

  test('books a bill without a span in the one period that contains its creation', () => {
    const inverted = {...tenDays, terminatedAt: at('2026-10-01T00:00:00Z')};
    const edge = at('2026-11-01T06:00:00Z');
    expect(costWithin(inverted, {start: MONTH, end: edge, now: NOW})).toEqual(ZERO_USD);
    expect(costWithin(inverted, {start: edge, end: NOW, now: NOW})).toEqual(dollars('100'));
    expect(costWithin(inverted, {start: epochMs(edge + 1), end: NOW, now: NOW})).toEqual(ZERO_USD);
  });

  test('gives nothing for a record without a creation time, and calls it unpriced', () => {
    const {createdAt: _, ...without} = tenDays;
    expect(costWithin(without, EVER)).toEqual(ZERO_USD);
    expect(isUnpriced(without, NOW)).toBe(true);
  });
});

describe('effectiveRate', () => {
  test('is bill ÷ metered time, else the rate, else unknown', () => {
    const record = aRecord({billedCost: dollars('6'), upTimeMinutes: rational(180n, 1n), rate: perHour('9')});
    const {rate: _, ...withoutRate} = record;
    expect(effectiveRate(record)).toEqual(perHour('2'));
    expect(effectiveRate({...record, upTimeMinutes: rational(0n, 1n)})).toEqual(perHour('9'));
    expect(effectiveRate({...withoutRate, upTimeMinutes: rational(0n, 1n)})).toBeUndefined();
  });
});

describe('monthToDate', () => {
  test('counts what accrued in the month and how many records could not be priced', () => {
    const {rate: _, ...unpriced} = aRecord({createdAt: at('2026-11-02T00:00:00Z')});
    const {createdAt: __, ...placeless} = aRecord({billedCost: dollars('5')});
    const records = [
      aRecord({createdAt: at('2026-10-21T18:00:00Z'), billedCost: dollars('41')}),
      aRecord({createdAt: at('2026-11-10T06:00:00Z'), rate: perHour('1')}),
      unpriced,
      placeless,
      {...unpriced, createdAt: at('2026-09-01T00:00:00Z'), terminatedAt: at('2026-10-01T00:00:00Z'), isActive: false},
      {...unpriced, isExcludedFromBilling: true},
    ];
    // 41 $ over 20.5 days, 10.25 of them this month, and 24 h at 1 $/h.
    expect(monthToDate(records, {monthStart: MONTH, now: NOW})).toEqual({total: dollars('44.5'), unpricedCount: 2});
  });

  test('prices a hundred thousand records in well under a second', () => {
    const records = Array.from({length: 100_000}, (_, index) =>
      aRecord({
        resourceId: index,
        createdAt: epochMs(NOW - (((index * 7_919) % 5_000_000) + 1) * SECOND_MS),
        billedCost: usd(rational(BigInt(index * 37 + 1), 1_000_000n)),
      }),
    );
    const takenMs = cpuMsOf(() => {
      const {total} = monthToDate(records, {monthStart: MONTH, now: NOW});
      expect(total.numerator > 0n).toBe(true);
    });
    expect(takenMs).toBeLessThan(1_000);
  });
});

describe('spendPerDay', () => {
  test('splits at UTC midnights, with parts of days at both ends, up to today', () => {
    const record = aRecord({createdAt: at('2026-11-08T06:00:00Z'), billedCost: dollars('72')});
    const period = {start: at('2026-11-07T12:00:00Z'), end: at('2026-12-01T00:00:00Z'), now: NOW};
    expect(spendPerDay([record], period)).toEqual([
      day('2026-11-07T12:00:00Z', '2026-11-08T00:00:00Z', '0'),
      day('2026-11-08T00:00:00Z', '2026-11-09T00:00:00Z', '18'),
      day('2026-11-09T00:00:00Z', '2026-11-10T00:00:00Z', '24'),
      day('2026-11-10T00:00:00Z', '2026-11-11T00:00:00Z', '24'),
      day('2026-11-11T00:00:00Z', '2026-11-12T00:00:00Z', '6'),
    ]);
  });

  test('gives nothing for a period in the future', () => {
    expect(
      spendPerDay([aRecord({})], {start: epochMs(NOW + DAY_MS), end: epochMs(NOW + 2 * DAY_MS), now: NOW}),
    ).toEqual([]);
  });

  test('gives a period within one day as that part of the day', () => {
    const record = aRecord({createdAt: epochMs(NOW - HOUR_MS), billedCost: dollars('60')});
    const period = {start: epochMs(NOW - 90 * MINUTE_MS), end: epochMs(NOW - 15 * MINUTE_MS), now: NOW};
    expect(spendPerDay([record], period).map(({cost}) => cost)).toEqual([dollars('45')]);
  });
});

describe('month', () => {
  test.each([
    ['2026-11-11T06:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
    ['2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ])('of %s begins and ends in UTC', (now, start, end) => {
    expect(monthStart(at(now))).toBe(at(start));
    expect(monthEnd(at(now))).toBe(at(end));
  });
});

describe('properties of spend', {timeout: 300_000}, () => {
  test('days and bills add up to the same sum, exactly', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        const period = {start: at('2026-10-20T00:00:00Z'), end: EVER.end, now: NOW};
        const billed = sumUsd(records.map(record => record.billedCost ?? ZERO_USD));
        const days = spendPerDay(records, period).map(({cost}) => cost);
        expect(sumUsd(days)).toEqual(billed);
        expect(allocate(days).reduce((left, right) => left + right, 0)).toBe(toMicroUsd(billed));
      }),
      RUNS,
    );
  });

  test('the hours of a day add up to it, exactly', () => {
    fc.assert(
      fc.property(anyRecords(), fc.integer({min: 0, max: 9}), (records, index) => {
        const {start, cost} = days(records)[index] ?? {start: MONTH, cost: ZERO_USD};
        const hours = Array.from({length: 24}, (_, hour) => epochMs(start + hour * HOUR_MS));
        const costs = hours.flatMap(from =>
          records.map(record => costWithin(record, {start: from, end: epochMs(from + HOUR_MS), now: NOW})),
        );
        expect(sumUsd(costs)).toEqual(cost);
      }),
      RUNS,
    );
  });

  test('each day is the sum of what each record cost within it', () => {
    fc.assert(
      fc.property(anyRecords(), records => {
        for (const {cost, ...edges} of spendPerDay(records, {start: MONTH, end: NOW, now: NOW})) {
          expect(cost).toEqual(sumUsd(records.map(record => costWithin(record, {...edges, now: NOW}))));
        }
      }),
      RUNS,
    );
  });

  test('splitting a record at any instant changes no day', () => {
    fc.assert(
      fc.property(anyRecord(), fc.double({min: 0, max: 1, noNaN: true}), (record, where) => {
        const from = record.createdAt ?? 0;
        const to = record.terminatedAt ?? NOW;
        const cut = Math.floor(from + (to - from) * where);
        fc.pre(cut > from && cut < to);
        const share = (part: number) =>
          multiply(record.billedCost ?? ZERO_USD, rational(BigInt(part), BigInt(to - from)));
        const early = {...record, terminatedAt: epochMs(cut), billedCost: usd(share(cut - from))};
        const late = {...record, createdAt: epochMs(cut), billedCost: usd(share(to - cut))};
        expect(days([early, late])).toEqual(days([record]));
      }),
      RUNS,
    );
  });

  test('neither order nor records excluded from billing change anything', () => {
    fc.assert(
      fc.property(anyRecords(), anyRecords(), (records, others) => {
        const excluded = others.map(record => ({...record, isExcludedFromBilling: true}));
        const shuffled = [...excluded, ...[...records].reverse()];
        const month = {monthStart: MONTH, now: NOW};
        expect(days(shuffled)).toEqual(days(records));
        expect(monthToDate(shuffled, month)).toEqual(monthToDate(records, month));
        expect(burnRate(shuffled)).toEqual(burnRate(records));
      }),
      RUNS,
    );
  });

  test('scaling all rates and bills scales everything', () => {
    fc.assert(
      fc.property(anyRecords(), fc.integer({min: 1, max: 50}), (records, times) => {
        const factor = rational(BigInt(times), 7n);
        const scaled = records.map(record => ({
          ...record,
          ...(record.billedCost === undefined ? {} : {billedCost: scaleUsd(record.billedCost, factor)}),
          ...(record.rate === undefined ? {} : {rate: scaleRate(record.rate, factor)}),
        }));
        expect(days(scaled).map(({cost}) => cost)).toEqual(days(records).map(({cost}) => scaleUsd(cost, factor)));
        expect(burnRate(scaled).rate).toEqual(scaleRate(burnRate(records).rate, factor));
      }),
      RUNS,
    );
  });

  test('shifting everything by whole days into a month of the same length shifts the days', () => {
    // From November's 30 days to the 30 of April: 151 days later.
    const shiftMs = at('2027-04-01T00:00:00Z') - MONTH;
    const later = (moment: number) => epochMs(moment + shiftMs);
    fc.assert(
      fc.property(anyRecords(), records => {
        const shifted = records.map(record => ({
          ...record,
          ...(record.createdAt === undefined ? {} : {createdAt: later(record.createdAt)}),
          ...(record.terminatedAt === undefined ? {} : {terminatedAt: later(record.terminatedAt)}),
        }));
        const now = later(NOW);
        expect(spendPerDay(shifted, {start: monthStart(now), end: monthEnd(now), now})).toEqual(
          days(records).map(({start, end, cost}) => ({start: later(start), end: later(end), cost})),
        );
      }),
      RUNS,
    );
  });
});

function days(records: readonly UsageRecord[]): readonly Spend[] {
  return spendPerDay(records, {start: monthStart(NOW), end: monthEnd(NOW), now: NOW});
}

function day(start: string, end: string, cost: string): Spend {
  return {start: at(start), end: at(end), cost: dollars(cost)};
}

function anyRecords(): fc.Arbitrary<UsageRecord[]> {
  return fc.array(anyRecord(), {maxLength: 12});
}

/** Created in the last twenty days, ended or not, billed to the micro-dollar. */
function anyRecord(): fc.Arbitrary<UsageRecord> {
  const seconds = fc.integer({min: 1, max: 20 * 86_400});
  return fc
    .record({
      resourceId: fc.integer({min: 1, max: 5}),
      ageSeconds: seconds,
      lengthSeconds: fc.option(seconds),
      microUsd: fc.bigInt(0n, 10n ** 10n),
      perMinute: fc.option(fc.bigInt(0n, 10n ** 7n)),
    })
    .map(({resourceId, ageSeconds, lengthSeconds, microUsd, perMinute}) => {
      const createdAt = epochMs(NOW - ageSeconds * SECOND_MS);
      const terminatedAt = lengthSeconds === null ? undefined : Math.min(NOW, createdAt + lengthSeconds * SECOND_MS);
      return {
        ...aRecord({resourceId, createdAt, billedCost: usd(rational(microUsd, 1_000_000n))}),
        ...(perMinute === null ? {} : {rate: ratePerMinute(rational(perMinute, 10n ** 9n))}),
        ...(terminatedAt === undefined ? {} : {terminatedAt: epochMs(terminatedAt)}),
        isActive: terminatedAt === undefined,
      };
    });
}

function aRecord(fields: Partial<UsageRecord>): UsageRecord {
  return {
    resourceId: 1,
    resourceType: safeText('vm'),
    name: safeText('train-01'),
    createdAt: MONTH,
    isActive: true,
    isExcludedFromBilling: false,
    ...fields,
  };
}

function at(text: string): EpochMs {
  return epochMs(Date.parse(text));
}

function perHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}
