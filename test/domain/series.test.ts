import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  binGauge,
  binRates,
  counterRates,
  gapsOf,
  isCounter,
  isCurrent,
  latest,
  maximum,
  packedRates,
  packedSeries,
  percentile,
  type Rates,
  type RateSample,
  type Series,
} from '../../src/domain/series.ts';
import {epochMs, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';

const START = Date.UTC(2026, 10, 20, 20, 0, 0);

describe('packed rows', () => {
  test('equal the rows they were made of, counted from either end', () => {
    const [first, second] = [rate(0, 300, 0.1), rate(300, 600, 2 ** 54)];
    const rates = packedRates([first, second]);
    expect(rates).toHaveLength(2);
    expect([...rates]).toEqual([first, second]);
    expect([rates.at(0), rates.at(-1), rates.at(-2)]).toEqual([first, second, first]);
    expect([rates.at(2), rates.at(-3), packedRates([]).at(-1)]).toEqual([undefined, undefined, undefined]);
    expect([...packedSeries(samples([0, 7], [5, 0.3]))]).toEqual(samples([0, 7], [5, 0.3]));
  });

  test('give the same rates, bins and gaps as plain rows', () => {
    const pair = fc.tuple(fc.integer({min: 1, max: 900}), fc.integer({min: 0, max: 1000}));
    fc.assert(
      fc.property(fc.array(pair), steps => {
        const seconds = runningTotals(
          0,
          steps.map(([second]) => second),
        );
        const plain = samples(...steps.map(([, value], index): Pair => [seconds[index] ?? 0, value]));
        const packed = packedSeries(plain);
        expect([...counterRates(packed)]).toEqual([...counterRates(plain)]);
        expect(gapsOf(packed)).toEqual(gapsOf(plain));
        expect(binGauge(packed, bins(100, 2000, 7))).toEqual(binGauge(plain, bins(100, 2000, 7)));
        const rates = [...counterRates(plain)];
        expect(binRates(packedRates(rates), bins(100, 2000, 7))).toEqual(binRates(rates, bins(100, 2000, 7)));
      }),
    );
  });
});

describe('counterRates', () => {
  test("reads the provider's own CPU sample as 0.0275 cores, by the time between rows", () => {
    const first = {sampledAt: epochMs(Date.parse('2023-09-01T01:19:00Z')), value: 1_041_433_070_000_000};
    const second = {sampledAt: epochMs(Date.parse('2023-09-01T01:24:00Z')), value: 1_041_441_320_000_000};
    expect([...counterRates([first, second])]).toEqual([
      {startedAt: first.sampledAt, endedAt: second.sampledAt, perSecond: 8_250_000_000 / 300},
    ]);
  });

  test('gives no rate for one row or none', () => {
    expect(counterRates([])).toHaveLength(0);
    expect(counterRates(samples([0, 7]))).toHaveLength(0);
  });

  test('leaves a gap where the counter was reset, and never a negative rate', () => {
    const rebooted = samples([0, 90_000], [300, 91_000], [600, 92_000], [900, 50], [1200, 1_050]);
    expect(perSecond(counterRates(rebooted))).toEqual([
      [0, 300, 1000 / 300],
      [300, 600, 1000 / 300],
      [900, 1200, 1000 / 300],
    ]);
  });

  test('leaves a gap where samples are missing', () => {
    const withGap = samples([0, 0], [300, 300], [600, 600], [1500, 1500], [1800, 1800]);
    expect(perSecond(counterRates(withGap))).toEqual([
      [0, 300, 1],
      [300, 600, 1],
      [1500, 1800, 1],
    ]);
  });

  test('reads amounts per interval when the values are not a counter', () => {
    const amounts = samples([0, 500], [300, 900], [600, 150], [900, 1200], [1200, 300], [1500, 600]);
    expect(perSecond(counterRates(amounts))).toEqual([
      [0, 300, 3],
      [300, 600, 0.5],
      [600, 900, 4],
      [900, 1200, 1],
      [1200, 1500, 2],
    ]);
    expect(counterRates(amounts, 'cumulative')).toHaveLength(3);
  });

  test('gives back the increments a counter was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 0, max: 10 ** 9}), {minLength: 1, maxLength: 50}), increments => {
        const values = runningTotals(10 ** 12, increments);
        const counter = samples(...values.map((value, index): Pair => [index * 60, value]));
        expect(Array.from(counterRates(counter), rate => rate.perSecond)).toEqual(increments.map(step => step / 60));
      }),
    );
  });
});

describe('gapsOf', () => {
  test('finds no gap in samples every 300 s followed by samples every 5 s', () => {
    const coarse = Array.from({length: 9}, (_, index) => index * 300);
    const fine = Array.from({length: 180}, (_, index) => 2400 + (index + 1) * 5);
    expect(gapsOf(at(...coarse, ...fine))).not.toContain(true);
  });

  test.each([
    ['in the coarse part', [0, 300, 600, 1500, 1800, 2100], [false, false, true, false, false]],
    ['in the fine part', [0, 300, 600, 605, 610, 615, 620, 625, 630, 660, 665, 670, 675, 680], onlyAt(8, 13)],
    ['where the spacing changes', [0, 300, 600, 4200, 4205, 4210], [false, false, true, false, false]],
    ['twice in a row', [0, 300, 600, 2400, 4200, 4500, 4800, 5100], onlyAt(2, 7, 3)],
    ['at the start', [0, 3600, 3900, 4200], [true, false, false]],
    ['at the end', [0, 300, 600, 3600], [false, false, true]],
    ['not at 2.5 × the usual spacing', [0, 300, 600, 1350, 1650], [false, false, false, false]],
    ['just above 2.5 × the usual spacing', [0, 300, 600, 1351, 1651], [false, false, true, false]],
    ['none when there is nothing to compare with', [0, 86_400], [false]],
  ])('finds gaps: %s', (_, seconds, expected) => {
    expect(gapsOf(at(...seconds))).toEqual(expected);
  });
});

describe('isCounter', () => {
  test.each([
    ['an old counter', [1000, 1001, 1001, 1005, 1010], true],
    ['a young counter, level still low', [0, 10, 20, 30], true],
    ['a counter at rest', [5, 5, 5, 5], true],
    ['a counter reset near the end of a short window', [9000, 9010, 9020, 9030, 10, 20], true],
    ['a counter reset twice', [9000, 9010, 9020, 3, 13, 4, 14, 24], true],
    ['amounts per interval', [500, 900, 150, 1200, 300, 600], false],
    ['steady amounts with noise', [1000, 990, 1005, 998, 1001, 997], false],
    ['bursts', [0, 800, 0, 900, 0, 700, 0, 850], false],
    ['work that comes and goes', [800, 800, 800, 0, 800, 800, 800, 0, 800, 800, 800, 0], false],
    ['one sample', [7], true],
  ])('judges %s', (_, values, expected) => {
    expect(isCounter(samples(...values.map((value, index): Pair => [index * 300, value])))).toBe(expected);
  });
});

describe('binRates', () => {
  test('weighs rates by the time they cover in each bin', () => {
    const rates: RateSample[] = [rate(0, 60, 10), rate(60, 120, 40)];
    expect(binRates(rates, bins(30, 120, 2))).toEqual([(30 * 10 + 15 * 40) / 45, 40]);
  });

  test('is undefined where nothing was measured, and counts only what was', () => {
    expect(binRates([rate(0, 60, 6), rate(150, 180, 2)], bins(0, 240, 4))).toEqual([6, undefined, 2, undefined]);
    expect(binRates([], bins(0, 60, 2))).toEqual([undefined, undefined]);
  });

  test('spreads one long rate over all bins and ignores what lies outside', () => {
    expect(binRates([rate(-600, 600, 5)], bins(0, 60, 3))).toEqual([5, 5, 5]);
    expect(binRates([rate(-600, 0, 5), rate(60, 90, 5)], bins(0, 60, 2))).toEqual([undefined, undefined]);
  });

  test('keeps the whole amount, whatever the bins', () => {
    const step = fc.record({seconds: fc.integer({min: 1, max: 900}), perSecond: fc.integer({min: 0, max: 1e6})});
    fc.assert(
      fc.property(fc.array(step, {minLength: 1, maxLength: 30}), fc.integer({min: 1, max: 40}), (steps, count) => {
        const ends = runningTotals(
          0,
          steps.map(({seconds}) => seconds),
        );
        const end = ends.at(-1) ?? 0;
        const rates = steps.map(({perSecond}, index) => rate(ends[index] ?? 0, ends[index + 1] ?? 0, perSecond));
        const amount = steps.reduce((total, {seconds, perSecond}) => total + seconds * perSecond, 0);
        const binned = binRates(rates, bins(0, end, count));
        const binnedAmount = binned.reduce<number>((total, mean) => total + ((mean ?? 0) * end) / count, 0);
        expect(Math.abs(binnedAmount - amount)).toBeLessThanOrEqual(amount * 1e-9);
      }),
    );
  });

  test('refuses zero bins, and bins without length', () => {
    expect(() => binRates([], bins(0, 60, 0))).toThrow('bins of nothing');
    expect(() => binRates([], bins(60, 60, 1))).toThrow('bins of nothing');
  });
});

describe('binGauge', () => {
  test('gives the mean or the last of the samples in a bin', () => {
    const series = samples([0, 1], [10, 3], [20, 10], [30, 20]);
    expect(binGauge(series, bins(0, 40, 2))).toEqual([2, 15]);
    expect(binGauge(series, bins(0, 40, 2), 'last')).toEqual([3, 20]);
  });

  test('counts a sample at the very end into the last bin', () => {
    expect(binGauge(samples([0, 4], [60, 8]), bins(0, 60, 1))).toEqual([6]);
  });

  test('repeats a sample in bins finer than the sampling, even one from before the first bin', () => {
    expect(binGauge(samples([0, 4], [300, 8], [600, 6]), bins(60, 660, 10))).toEqual([4, 4, 4, 4, 8, 8, 8, 8, 8, 6]);
  });

  test('shows missing samples and the time after the last one as gaps', () => {
    const series = samples([0, 1], [60, 2], [120, 3], [300, 4]);
    expect(binGauge(series, bins(0, 420, 7))).toEqual([1, 2, 3, undefined, undefined, 4, undefined]);
    expect(binGauge([], bins(0, 60, 2))).toEqual([undefined, undefined]);
  });
});

describe('percentile, maximum, latest', () => {
  test.each([
    ['p95 of 20 is the 19th', range(20), 0.95, 19],
    ['p95 of 100 is the 95th', range(100), 0.95, 95],
    ['p50 of 5 is the 3rd', [50, 10, 40, 20, 30], 0.5, 30],
    ['p50 of 4 is the 2nd', [4, 1, 3, 2], 0.5, 2],
    ['p7 of 100 is the 7th, although 0.07 × 100 is slightly more', range(100), 0.07, 7],
    ['p0 is the least', [3, 1, 2], 0, 1],
    ['p100 is the most', [3, 1, 2], 1, 3],
    ['there is none of an empty list', [], 0.95, undefined],
  ])('takes the nearest rank: %s', (_, values, quantile, expected) => {
    expect(percentile(values, quantile)).toBe(expected);
  });

  test('refuses a quantile in percent', () => {
    expect(() => percentile([1], 95)).toThrow('a quantile outside 0 to 1');
  });

  test('finds the highest and the newest', () => {
    expect(maximum([-3, -1, -2])).toBe(-1);
    expect(maximum([])).toBeUndefined();
    expect(latest(samples([0, 1], [60, 2]))).toEqual({sampledAt: epochMs(START + MINUTE_MS), value: 2});
    expect(latest([])).toBeUndefined();
  });
});

describe('isCurrent', () => {
  test.each([
    [300, 3 * 300 + 60, true],
    [300, 3 * 300 + 61, false],
    [5, 3 * 60 + 60, true],
    [5, 3 * 60 + 61, false],
    [5, -30, true],
  ])('with an interval of %d s and an age of %d s says %s', (intervalSeconds, ageSeconds, expected) => {
    const now = epochMs(START + ageSeconds * SECOND_MS);
    expect(isCurrent(epochMs(START), intervalSeconds * SECOND_MS, now)).toBe(expected);
  });
});

type Pair = readonly [seconds: number, value: number];

function samples(...pairs: readonly Pair[]): Series {
  return pairs.map(([seconds, value]) => ({sampledAt: epochMs(START + seconds * SECOND_MS), value}));
}

function at(...seconds: readonly number[]): Series {
  return samples(...seconds.map((second): Pair => [second, 0]));
}

function rate(startSeconds: number, endSeconds: number, perSecond: number): RateSample {
  return {
    startedAt: epochMs(START + startSeconds * SECOND_MS),
    endedAt: epochMs(START + endSeconds * SECOND_MS),
    perSecond,
  };
}

function perSecond(rates: Rates): readonly (readonly number[])[] {
  return Array.from(rates, sample => [
    (sample.startedAt - START) / SECOND_MS,
    (sample.endedAt - START) / SECOND_MS,
    sample.perSecond,
  ]);
}

function bins(startSeconds: number, endSeconds: number, count: number) {
  return {start: epochMs(START + startSeconds * SECOND_MS), end: epochMs(START + endSeconds * SECOND_MS), count};
}

function runningTotals(start: number, increments: readonly number[]): number[] {
  const totals = [start];
  for (const increment of increments) totals.push((totals.at(-1) ?? start) + increment);
  return totals;
}

function range(count: number): number[] {
  return Array.from({length: count}, (_, index) => index + 1);
}

function onlyAt(first: number, count: number, second = first): boolean[] {
  return Array.from({length: count}, (_, index) => index === first || index === second);
}
