import {expect, test} from 'vitest';
import {epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {age} from '../../src/resources/column.ts';

const NOW = Date.UTC(2026, 10, 20);

test.each([
  ['a moment that is over', -2 * HOUR_MS, '2h00', '7200'],
  ['the clock of a service that is a little ahead', 30 * SECOND_MS, '0s', '0'],
  ['a moment to come', 90 * MINUTE_MS, 'in 1h30', '-5400'],
])('an age tells %s', (_, sinceNowMs, text, plain) => {
  expect(age(epochMs(NOW + sinceNowMs), epochMs(NOW))).toMatchObject({text, plain});
});
