import {expect, test} from 'vitest';
import {decimalText} from '../../../../src/simulator/http/routes/pricing.ts';

test.each([
  [0, '0E-9'],
  [1, '0.000000001'],
  [96_774, '0.000096774'],
  [150_000_000, '0.150000000'],
  [3_740_000_000, '3.740000000'],
  [25_600_000_000, '25.600000000'],
])('%i nano-dollars are written as %s', (nano, text) => {
  expect(decimalText(nano)).toBe(text);
});
