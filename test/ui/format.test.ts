import {describe, expect, it} from 'vitest';
import {
  type MicroUsd,
  parseDecimal,
  type Rational,
  ratePerHour,
  ratePerMinute,
  rational,
  toMicroUsd,
  usd,
} from '../../src/domain/money.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import * as format from '../../src/ui/format.ts';

function exact(text: string): Rational {
  return parseDecimal(text) ?? rational(0n, 1n);
}

describe('formatRate', () => {
  it.each([
    [rational(12n, 1n), 'at least $12.00'],
    [rational(1n, 100n), 'at least $0.01'],
    [rational(1n, 1000n), 'some'],
    [rational(0n, 1n), 'some'],
  ])('writes a lower limit, which says nothing below a cent', (amount, words) => {
    expect(format.formatLeastUsd(usd(amount))).toBe(words);
  });

  it.each([
    ['25.6', '$25.60/h'],
    ['0.1', '$0.10/h'],
    ['0.0999', '$0.0999/h'],
    ['0.0058', '$0.0058/h'],
    ['0.00004', '<$0.0001/h'],
    ['0', '$0.00/h'],
    ['1234.5', '$1,234.50/h'],
    ['-1.5', '-$1.50/h'],
    // Rounded half to even.
    ['0.125', '$0.12/h'],
    ['0.135', '$0.14/h'],
  ])('writes %s dollars an hour as %s', (text, expected) => {
    expect(format.formatRate(ratePerHour(exact(text)))).toBe(expected);
  });

  it('keeps a rate exact until it is shown', () => {
    // A volume of 100 GB at $0.000096774 per GB and hour costs 0.0096774.
    expect(format.formatRate(ratePerMinute(rational(96774n * 100n, 60n * 10n ** 9n)))).toBe('$0.0097/h');
  });

  it.each([
    ['25.59', 'saves $25.59/h'],
    ['0', 'no change in cost'],
    ['-4.99', 'costs $4.99/h more'],
  ])('says what a change of %s saves without a sign', (text, expected) => {
    expect(format.formatSavings(ratePerHour(exact(text)))).toBe(expected);
  });

  it.each([
    ['25.59', 'saves at least $25.59/h', 'saves up to $26.00/h', 'saves at least $25.59/h'],
    ['0', 'saves up to $0.41/h', 'saves up to $0.41/h', 'savings unknown'],
    ['-4.99', 'costs at most $4.99/h more', 'costs at most $4.99/h more', 'costs at most $4.99/h more'],
  ])('says what a change of %s saves if $0.41 more or an unknown amount more may be saved', (text, ...expected) => {
    const [savings, further] = [ratePerHour(exact(text)), ratePerHour(exact('0.41'))];
    expect([
      format.formatSavings(savings, false, further),
      format.formatSavings(savings, true, further),
      format.formatSavings(savings, false, 'unknown'),
    ]).toEqual(expected);
  });

  it.each([
    ['25.59', 'may save $25.59/h'],
    ['0', 'savings unknown'],
    ['-4.99', 'costs at most $4.99/h more'],
  ])('names no bound of what a change of %s saves if that may be less, and an unknown amount more', (text, expected) => {
    expect(format.formatSavings(ratePerHour(exact(text)), true, 'unknown')).toBe(expected);
  });

  it('says that savings are unknown', () => {
    expect(format.formatSavings(undefined)).toBe('savings unknown');
  });

  it('shows a dash for an unknown rate, and a known one as a figure', () => {
    expect([format.formatRate(undefined), format.formatRateFigure(undefined)]).toEqual(['–', '–']);
    expect(format.formatRateFigure(ratePerHour(exact('79.3')))).toBe('79.30');
  });
});

describe('dollars as a number', () => {
  it.each([
    [126.349, '$126.35', '$126.35'],
    [1234, '$1,234.00', '$1,234'],
    [12.5, '$12.50', '$12.50'],
    [0.025, '$0.03', '$0.025'],
    [0, '$0.00', '$0'],
  ])('writes %s as an amount and as a step of an axis', (value, amount, tick) => {
    expect([format.formatDollars(value), format.formatDollarTick(value)]).toEqual([amount, tick]);
  });
});

describe('an average below zero', () => {
  it.each([
    [-2.5, '-$2.50'],
    [-0.006, '-$0.01'],
    [-0.001, '$0.00'],
  ])('of %s dollars is %s', (value, amount) => {
    expect(format.formatDollars(value)).toBe(amount);
  });
});

describe('changes', () => {
  it.each([
    [2.5, '+$2.50/h'],
    [-28.56, '-$28.56/h'],
    [1234.5, '+$1,234.50/h'],
    [0, '+$0.00/h'],
    [-0.001, '+$0.00/h'],
    [-0.006, '-$0.01/h'],
  ])('writes %s dollars an hour as %s', (perHour, text) => {
    expect(format.formatRateChange(perHour)).toBe(text);
  });

  it.each([
    [0.38, '+38%'],
    [-0.04, '-4%'],
    [0.003, '+0.3%'],
    [-0.0001, 'unchanged'],
  ])('writes a ratio of %s as %s', (ratio, text) => {
    expect(format.formatPercentChange(ratio)).toBe(text);
  });
});

describe('totals', () => {
  it.each([
    ['31204', '$31,204.00', '$31,204', '$31.2k'],
    ['1612.005', '$1,612.00', '$1,612', '$1.6k'],
    ['99.99', '$99.99', '$99.99', '$99.99'],
    ['0.004', '<$0.01', '<$0.01', '<$0.01'],
    ['-0.004', '>-$0.01', '>-$0.01', '>-$0.01'],
    ['0', '$0.00', '$0.00', '$0.00'],
    ['-1870.5', '-$1,870.50', '-$1,870', '-$1.9k'],
    ['1234567.891', '$1,234,567.89', '$1,234,568', '$1.2M'],
    ['999999', '$999,999.00', '$999,999', '$1.0M'],
  ])('writes %s dollars as %s, %s and %s', (text, full, whole, short) => {
    const amount = usd(exact(text));
    expect([format.formatUsd(amount), format.formatWholeUsd(amount), format.formatShortUsd(amount)]).toEqual([
      full,
      whole,
      short,
    ]);
  });

  it('accepts micro-dollars', () => {
    const total: MicroUsd = toMicroUsd(usd(exact('236.37')));
    expect([format.formatUsd(total), format.formatUsdFigure(total)]).toEqual(['$236.37', '236.37']);
  });

  it('shows a dash for an unknown total', () => {
    expect([format.formatUsd(undefined), format.formatWholeUsd(undefined), format.formatShortUsd(undefined)]).toEqual([
      '–',
      '–',
      '–',
    ]);
  });
});

describe('formatPercent', () => {
  it.each([
    [0, '0%'],
    [0.001, '<1%'],
    [0.614, '61%'],
    [1.034, '103%'],
    [undefined, '–'],
    [Number.NaN, '–'],
  ])('writes the ratio %s as %s', (ratio, expected) => {
    expect(format.formatPercent(ratio)).toBe(expected);
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0', '0 B'],
    [640, '640', '640 B'],
    [1023, '1.0K', '1.0 KiB'],
    [1229, '1.2K', '1.2 KiB'],
    [20 * 1024 ** 2, '20M', '20 MiB'],
    [9.1 * 1024 ** 3, '9.1G', '9.1 GiB'],
    [147 * 1024 ** 3, '147G', '147 GiB'],
    [1023.9 * 1024 ** 3, '1.0T', '1.0 TiB'],
    [0.2, '<1', '<1 B'],
    [undefined, '–', '–'],
    [-1, '–', '–'],
    [Number.POSITIVE_INFINITY, '–', '–'],
  ])('writes %s as %s and %s', (bytes, short, long) => {
    expect([format.formatBytes(bytes), format.formatBytesLong(bytes)]).toEqual([short, long]);
  });

  it('takes at most four cells below a petabyte', () => {
    for (let bytes = 1; bytes < 1024 ** 5; bytes *= 1.07)
      expect(format.formatBytes(bytes).length).toBeLessThanOrEqual(4);
  });

  it('writes a speed per second', () => {
    expect([format.formatBytesPerSecond(6.4 * 1024 ** 3), format.formatBytesPerSecond(undefined)]).toEqual([
      '6.4G/s',
      '–',
    ]);
  });
});

describe('formatGigabytes', () => {
  it.each([
    [240, '240 GB'],
    [1.5, '1.5 GB'],
    [1500, '1,500 GB'],
    [6000, '6,000 GB'],
    [undefined, '–'],
  ])('writes %s GB as %s', (gigabytes, expected) => {
    expect(format.formatGigabytes(gigabytes)).toBe(expected);
  });
});

describe('durations', () => {
  it.each([
    [0, '0s', '0s', '0s'],
    [3999, '3s', '3s', '3s'],
    [59_999, '59s', '59s', '59s'],
    [MINUTE_MS, '1m', '1m00', '1m'],
    [4 * MINUTE_MS + 12 * SECOND_MS, '4m', '4m12', '4m'],
    [HOUR_MS, '1h00', '1h00', '1h'],
    [9 * HOUR_MS + 14 * MINUTE_MS, '9h14', '9h14', '9h'],
    [DAY_MS - 1, '23h59', '23h59', '23h'],
    [52 * HOUR_MS, '2d', '2d', '52h'],
    [13 * DAY_MS, '13d', '13d', '13d'],
    [undefined, '–', '–', '–'],
    [-1, '–', '–', '–'],
    [Number.NaN, '–', '–', '–'],
  ])('writes %s ms as %s, under way %s, as a runway %s', (duration, plain, elapsed, runway) => {
    expect([format.formatDuration(duration), format.formatElapsed(duration), format.formatRunway(duration)]).toEqual([
      plain,
      elapsed,
      runway,
    ]);
  });
});

describe('counts', () => {
  it.each([
    [0, '0', '0 machines'],
    [1, '1', '1 machine'],
    [14_203, '14,203', '14,203 machines'],
    [-1200, '-1,200', '-1,200 machines'],
    [undefined, '–', '– machines'],
  ])('writes %s as %s and %s', (count, figure, counted) => {
    expect([format.formatCount(count), format.formatCounted(count, 'machine')]).toEqual([figure, counted]);
  });
});

describe('moments', () => {
  it('writes them in UTC', () => {
    const at = epochMs(Date.UTC(2026, 10, 6, 9, 5, 7, 999));
    expect([
      format.formatUtcTime(at),
      format.formatUtcMinute(at),
      format.formatUtcDay(at),
      format.formatUtcDate(at),
      format.formatUtcMoment(at),
      format.formatUtcFull(at),
    ]).toEqual(['09:05:07Z', '09:05Z', '6 Nov', '2026-11-06', '6 Nov 09:05Z', '2026-11-06 09:05:07Z']);
  });

  it.each([
    undefined,
    epochMs(Number.NaN),
    epochMs(-1),
    epochMs(1e18),
  ])('shows a dash for an unknown moment: %s', at => {
    expect([
      format.formatUtcTime(at),
      format.formatUtcDay(at),
      format.formatUtcMoment(at),
      format.formatUtcFull(at),
    ]).toEqual(['–', '–', '–', '–']);
  });
});

it.each([
  [1.57, '57% over pace'],
  [1.004, 'on pace'],
  [0.8, '20% under pace'],
  [0, '100% under pace'],
])('writes a pace of %d as %s', (pace, expected) => {
  expect(format.formatPace(pace)).toBe(expected);
});
