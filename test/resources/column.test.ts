import {expect, test} from 'vitest';
import {epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {age} from '../../src/resources/column.ts';

const NOW = Date.UTC(2026, 10, 20);

test.each([
  ['a moment in the past', -2 * HOUR_MS, '2h00', '7200'],
  ['no age when the clock of the service is slightly ahead', 30 * SECOND_MS, '0s', '0'],
  ['a moment in the future', 90 * MINUTE_MS, 'in 1h30', '-5400'],
])('an age shows %s', (_, sinceNowMs, text, plain) => {
  expect(age(epochMs(NOW + sinceNowMs), epochMs(NOW))).toMatchObject({text, plain});
});
