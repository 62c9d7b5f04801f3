import {eastAsianWidthType} from 'get-east-asian-width';
import {describe, expect, it} from 'vitest';
import {isWideCharacter} from '../../src/terminal/wide-characters.ts';

describe('isWideCharacter', () => {
  it('agrees with the table that Ink uses, for every code point', () => {
    const wrong = Array.from({length: 0x110000}, (_, code) => code).filter(code => {
      const type = eastAsianWidthType(code);
      return isWideCharacter(code) !== (type === 'wide' || type === 'fullwidth');
    });
    expect(wrong).toEqual([]);
  });
});
