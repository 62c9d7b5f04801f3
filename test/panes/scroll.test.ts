import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {
  linesInSight,
  matchText,
  nextMatch,
  offsetOf,
  SCROLL_START,
  scrolled,
  searched,
} from '../../src/panes/scroll.ts';
import {textOf} from '../../src/ui/text.ts';

const page = (texts: readonly string[], rows: number) => ({lines: texts.map(text => [{text}]), rows});
const TEN = page(
  Array.from({length: 10}, (_, index) => `line ${index}`),
  4,
);

describe('scrolled', () => {
  it('stops at the last line, from where one step back moves at once', () => {
    const last = scrolled(SCROLL_START, Number.POSITIVE_INFINITY, TEN);
    // Ten lines, four in sight: the first of the last four is the seventh.
    expect(last.offset).toBe(6);
    expect(scrolled(last, -1, TEN).offset).toBe(5);
    expect(scrolled(last, Number.NEGATIVE_INFINITY, TEN).offset).toBe(0);
  });

  it('starts from what is visible when the detail became shorter', () => {
    const shorter = page(['a', 'b', 'c', 'd', 'e'], 4);
    expect(offsetOf({...SCROLL_START, offset: 6}, shorter)).toBe(1);
    expect(scrolled({...SCROLL_START, offset: 6}, -1, shorter).offset).toBe(0);
  });
});

describe('a search', () => {
  const fruits = page(['Apple', 'pear', 'apple pie', 'plum', 'plum', 'plum', 'pineapple', 'plum'], 3);

  it('goes to the first line with the text, in upper or lower case', () => {
    const found = searched(SCROLL_START, 'aPPle', fruits);
    expect(found).toMatchObject({matchIndex: 0, offset: 0});
    expect(matchText(found, fruits)).toBe('1 of 3 lines');
  });

  it('continues from there, around the end and back', () => {
    const second = nextMatch(searched(SCROLL_START, 'apple', fruits), 1, fruits);
    expect(second).toMatchObject({matchIndex: 2, offset: 0});
    const third = nextMatch(second, 1, fruits);
    // The line is moved to the middle of the three visible ones.
    expect(third).toMatchObject({matchIndex: 6, offset: 5});
    expect(nextMatch(third, 1, fruits)).toMatchObject({matchIndex: 0, offset: 0});
    expect(nextMatch(searched(SCROLL_START, 'apple', fruits), -1, fruits)).toMatchObject({matchIndex: 6});
    expect(nextMatch(third, -1, fruits)).toMatchObject({matchIndex: 2});
  });

  it('starts at the visible lines', () => {
    expect(searched({...SCROLL_START, offset: 3}, 'apple', fruits)).toMatchObject({matchIndex: 6});
  });

  it('stays where it is when nothing matches, and says so', () => {
    const nowhere = searched({...SCROLL_START, offset: 3}, 'quince', fruits);
    expect(nowhere).toMatchObject({offset: 3, matchIndex: undefined});
    expect(matchText(nowhere, fruits)).toBe('no match');
    expect(nextMatch(nowhere, 1, fruits)).toMatchObject({offset: 3, matchIndex: undefined});
  });

  it('matches special characters literally', () => {
    const signs = page(['a.b', 'a+b', '[x]', 'axb'], 4);
    expect(searched(SCROLL_START, 'a.b', signs).matchIndex).toBe(0);
    expect(matchText(searched(SCROLL_START, 'a.b', signs), signs)).toBe('1 of 1 line');
    expect(searched(SCROLL_START, '[', signs).matchIndex).toBe(2);
  });

  it('marks the matching text, also across spans, and keeps their tones', () => {
    const line = [{text: 'state ', tone: 'dim' as const}, {text: 'ACTIVE'}];
    const found = searched(SCROLL_START, 'e act', {lines: [line], rows: 1});
    expect(linesInSight(found, {lines: [line], rows: 1})).toEqual([
      [
        {text: 'stat', tone: 'dim'},
        {text: 'e ', tone: ['dim', 'caret']},
        {text: 'ACT', tone: ['caret']},
        {text: 'IVE'},
      ],
    ]);
  });

  it('changes no text', () => {
    const texts = fc.array(fc.array(fc.constantFrom('ab', 'A', 'b', 'ß', 'İ', '東', ' ', ''), {maxLength: 5}));
    fc.assert(
      fc.property(texts, fc.constantFrom('a', 'ab', 'b a', 'SS', 'i', '東'), fc.nat(5), (lines, wanted, rows) => {
        const shown = {lines: lines.map(spans => spans.map(text => ({text}))), rows};
        const found = searched(SCROLL_START, wanted, shown);
        const expected = shown.lines.slice(offsetOf(found, shown)).map(textOf);
        expect(linesInSight(found, shown).map(textOf)).toEqual(expected);
      }),
    );
  });
});
