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
