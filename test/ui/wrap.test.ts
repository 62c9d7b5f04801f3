import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {wrapLine} from '../../src/ui/wrap.ts';

describe('wrapLine', () => {
  test.each([
    ['keeps a line that fits', 'one two', 7, ['one two']],
    ['wraps at a space', 'one two three', 7, ['one two', 'three']],
    ['cuts a word that is longer than the line', 'abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
    ['does not begin a line with the space it was wrapped at', 'aaa   bbb', 3, ['aaa', 'bbb']],
    ['indents all lines like the first', '  one two three', 9, ['  one two', '  three']],
    ['does not indent by more than half of the width', '    abc def', 7, ['abc def']],
    ['does not wrap at a space that carries a combining mark', 'aaa \u0331bbb', 5, ['aaa \u0331b', 'bb']],
    [
      'begins a line with a space that carries a combining mark',
      'aaa\u0301 \u0331\u0320b c',
      3,
      ['aaa\u0301', ' \u0331\u0320b', 'c'],
    ],
    ['counts wide characters as two cells', '漢字 漢字', 5, ['漢字', '漢字']],
  ])('%s', (_, text, width, expected) => {
    expect(wrapLine([{text}], width).map(textOf)).toEqual(expected);
  });

  test('keeps the tone of each word', () => {
    const wrapped = wrapLine([{text: 'plain '}, {text: 'loud words', tone: 'danger'}], 10);
    expect(wrapped).toEqual([[{text: 'plain '}, {text: 'loud', tone: 'danger'}], [{text: 'words', tone: 'danger'}]]);
  });

  test('loses nothing but spaces and is never wider than asked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({maxLength: 12}), {maxLength: 12}),
        fc.integer({min: 2, max: 30}),
        (parts, width) => {
          const text = parts.join(' ').replaceAll(/[^\x20-\x7e]/g, '?');
          const wrapped = wrapLine([{text}], width);
          for (const line of wrapped)
            expect(lineWidth(line.map(span => ({...span, text: span.text.trimEnd()})))).toBeLessThanOrEqual(width);
          expect(wrapped.map(textOf).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        },
      ),
    );
  });
});
