import {describe, expect, test} from 'vitest';
import {searchPattern} from '../../src/domain/search-pattern.ts';
import {cpuMsOf} from '../support/cpu-time.ts';

const REPEATED_GROUP = 'it repeats a group that itself repeats; simplify it.';
const TOO_MANY = 'it has too many repeats and alternatives (* + ? |); use fewer.';

describe('searchPattern', () => {
  test.each([
    ['^(train|infer)-\\d+$', 'Train-12', true],
    ['^(train|infer)-\\d+$', 'strain-12', false],
    ['(a+)b*', 'xab', true],
    ['^\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}$', '10.0.5.17', true],
    ['(train|infer)-\\d+\\.\\d+\\.\\d+', 'infer-1.2.3', true],
    ['(?:ab){2}', 'abab', true],
    ['[(*+]\\(', '*(', true],
    ['\\(+', '((', true],
  ])('matches %s with %s: %s', (source, text, expected) => {
    const pattern = searchPattern(source);
    expect(pattern.ok && pattern.matches(text)).toBe(expected);
  });

  test.each([
    ['(a+)+b', REPEATED_GROUP],
    ['(a|a)+b', REPEATED_GROUP],
    ['(?:(?:a+)b)*', REPEATED_GROUP],
    ['((a?)){30}', REPEATED_GROUP],
    ['(?<n>a*){2,}', REPEATED_GROUP],
    ['(a)\\1', 'back-references are not supported.'],
    ['(?<n>a)\\k<n>', 'back-references are not supported.'],
    ['a*a*a*a*b', TOO_MANY],
    [`${'a?'.repeat(20)}b`, TOO_MANY],
    [`${'(a|a)'.repeat(20)}b`, TOO_MANY],
    ['a{0,99}a{0,99}a{1,}a{1,}b', TOO_MANY],
  ])('refuses %s, which could take forever', (source, mistake) => {
    expect(searchPattern(source)).toEqual({ok: false, mistake});
  });

  test.each(['[', '(', 'a**', '+', ')', '(?<=', 'b)*'])('refuses %s, which is not a pattern', source => {
    const pattern = searchPattern(source);
    expect(pattern.ok ? '' : pattern.mistake).toMatch(
      /^not a regular expression \(.+\); put a \\ before literal characters\.$/,
    );
  });

  test.each([
    'a*a*b',
    'a*a*a*b',
    '.*.*b',
    `${'a?'.repeat(10)}b`,
    `${'(a|a)'.repeat(10)}b`,
    'a{0,15}a{0,15}b',
  ])('finds no match in the worst text for %s in less than a second', source => {
    const pattern = searchPattern(source);
    const takenMs = cpuMsOf(() => expect(pattern.ok && pattern.matches('a'.repeat(100_000))).toBe(false));
    expect(takenMs).toBeLessThan(1_000);
  });
});
