import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {checkName} from '../../../src/actions/forms/form-values.ts';

describe('checkName', () => {
  it.each<[string, string, string | undefined]>([
    ['an empty name', '', 'a name is needed'],
    ['only blanks', '  \t', 'a name is needed'],
    ['a name of fifty characters', 'x'.repeat(50), undefined],
    ['a name of fifty-one characters', 'x'.repeat(51), '51 characters, at most 50'],
    ['fifty characters of two code units each', '𝒳'.repeat(50), undefined],
    ['a name of fifty characters with blanks around it', ` ${'x'.repeat(50)} `, undefined],
    ['a name that is taken', 'train', 'this name is already taken'],
    ['a taken name with blanks around it', ' train ', 'this name is already taken'],
    ['a taken name in other case', 'Train', undefined],
    ['what leads out of a path', ' .. ', '".." cannot be used as a name'],
    ['what leads nowhere in a path', '.', '"." cannot be used as a name'],
    ['a name with dots', '...', undefined],
    ['a name with blanks inside', 'dev sandbox', undefined],
  ])('judges %s', (_case, name, expected) => {
    expect(checkName(name, ['train', 'infer'])).toBe(expected);
  });

  it('accepts exactly the names that are short enough, not blank, and not taken', () => {
    fc.assert(
      fc.property(fc.string({maxLength: 60, unit: 'grapheme'}), fc.array(fc.string()), (name, taken) => {
        const trimmed = name.trim();
        const isGood =
          !['', '.', '..'].includes(trimmed) &&
          Array.from(trimmed).length <= 50 &&
          !taken.some(each => each === trimmed);
        expect(checkName(name, taken) === undefined).toBe(isGood);
      }),
    );
  });
});
