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
])('the closest word to "%s" is %s', (written, meant) => {
  expect(closest(written, WORDS)).toBe(meant);
});

test('a close name is found in any case, and given in its own spelling', () => {
  expect(closest('trian-03', ['Train-01', 'Train-03', 'infer-03'])).toBe('Train-03');
});

test('a very long name is compared by its letters like a short one', () => {
  const long = 'x'.repeat(4096);
  expect(closest('web', [long, 'wbe'])).toBe('wbe');
});
