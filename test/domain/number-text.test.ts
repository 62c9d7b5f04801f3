import {expect, it} from 'vitest';
import {ratePerHour, rational} from '../../src/domain/money.ts';
import {gigabytesText} from '../../src/domain/number-text.ts';
import {dollarWords, percentWords, rateWords} from '../../src/domain/triage/words.ts';
import {formatDollars, formatPercent, formatRate} from '../../src/ui/format.ts';

it.each([0, 0.001, 0.0049, 0.005, 0.5, 1.04])('writes %d as the same percent in sentences and in tables', ratio => {
  expect(percentWords(ratio)).toBe(formatPercent(ratio));
});

it('claims no zero in a sentence for what is more than zero', () => {
  expect(percentWords(0.001)).toBe('<1%');
  expect(rateWords(ratePerHour(rational(1n, 100_000n)))).toBe('<$0.0001/h');
});

it.each([0, 0.004, 5, 31_204, -5, 1e9])('writes %d as the same dollars in sentences and in tables', amount => {
  expect(dollarWords(amount)).toBe(formatDollars(amount));
  const rate = ratePerHour(rational(BigInt(Math.round(amount * 1000)), 1000n));
  expect(rateWords(rate)).toBe(formatRate(rate));
});

it.each([
  [40, '40 GB'],
  [1500, '1,500 GB'],
  [1_048_576, '1,048,576 GB'],
  [1500.5, '1,500.5 GB'],
])('writes %d gigabytes with separators', (gigabytes, text) => {
  expect(gigabytesText(gigabytes)).toBe(text);
});
