import {describe, expect, test} from 'vitest';
import {isLasting, ruleState} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';

describe('ruleState', () => {
  test.each([
    ['SUCCESS', 'in-force'],
    ['success', 'in-force'],
    ['pending', 'pending'],
    ['PENDING', 'pending'],
    ['CREATING', 'pending'],
    ['DELETING', 'removing'],
    ['deleting', 'removing'],
    ['ERROR', 'failed'],
    ['failed', 'failed'],
    ['thinking', 'unknown'],
  ])('of %s is %s', (status, expected) => {
    expect(ruleState({status: safeText(status)})).toBe(expected);
  });

  test('of a rule without a status is unknown', () => {
    expect(ruleState({})).toBe('unknown');
  });
});

test.each([
  ['SUCCESS', true],
  ['pending', true],
  ['thinking', true],
  ['DELETING', false],
  ['FAILED', false],
])('a rule that is %s lasts: %s', (status, expected) => {
  expect(isLasting({status: safeText(status)})).toBe(expected);
});
