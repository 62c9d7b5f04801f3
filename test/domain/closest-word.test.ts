import {expect, test} from 'vitest';
import {closest} from '../../src/domain/closest-word.ts';

const WORDS = ['get', 'api', 'vm', 'cluster', 'journal', 'simulator', 'completion'];

test.each([
  ['gte', 'get'],
  ['gett', 'get'],
  ['GET', 'get'],
  ['journl', 'journal'],
  ['clutser', 'cluster'],
  ['simulater', 'simulator'],
  ['comp', 'completion'],
  ['bogus', undefined],
  ['x', undefined],
  ['', undefined],
  ['CANARY-0123456789-abcdefghijklmnopqrstuvwxyz', undefined],
])('for %s it was probably %s', (written, meant) => {
  expect(closest(written, WORDS)).toBe(meant);
});

test('a name is near whatever the case of its letters, and is given as it is written', () => {
  expect(closest('trian-03', ['Train-01', 'Train-03', 'infer-03'])).toBe('Train-03');
});

test('a name that is long is near or far by its letters, as a short one', () => {
  const long = 'x'.repeat(4096);
  expect(closest('web', [long, 'wbe'])).toBe('wbe');
});
