import fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {
  cut,
  cutLine,
  cutMiddle,
  cutSubject,
  fitLine,
  fitText,
  type Line,
  lineWidth,
  padEnd,
  padStart,
  paintLine,
  textOf,
  widthOf,
} from '../../src/ui/text.ts';
import {createTheme, PALETTES, TONES} from '../../src/ui/theme.ts';
import {anyText} from '../support/any-text.ts';
import {sweepOf} from '../support/tier.ts';

const theme = createTheme({depth: '256', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
const shortText = anyText({maxLength: 20});
/** Scripts and signs whose characters join their neighbours. */
const joiningText = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '\u0301',
    '\u200d',
    '👩',
    '💻',
    '🇫',
    '🇷',
    '\u0600',
    '\u0d4e',
    'क',
    '्',
    'ि',
    '\u1100',
    '\u1161',
    '你',
    '\t',
    '\u001b',
    '[31m',
    '\ufe0f',
  ),
  maxLength: 15,
});
const someText = fc.oneof(shortText, joiningText);
const someLine: fc.Arbitrary<Line> = fc.array(fc.record({text: someText, tone: fc.constantFrom(...TONES)}), {
  maxLength: 5,
});
const someWidth = fc.integer({min: 0, max: 30});

describe('cutSubject', () => {
  it('keeps what became of the subject whole, if that leaves a part of its name', () => {
    expect(cutSubject('stop train-01-of-many: not sent', 22)).toBe('stop t…-many: not sent');
    expect(cutSubject('stop train-01: not sent', 23)).toBe('stop train-01: not sent');
    expect(cutSubject('stop train-01: not sent: the link is down since noon', 20)).toBe('stop train…ince noon');
    expect(cutSubject('stop train-01-of-many: checking; z withdraws it', 37)).toBe(
      'stop …-many: checking; z withdraws it',
    );
    expect(cutSubject('stop train-01-of-many', 11)).toBe('stop …-many');
  });
});

describe('cutMiddle', () => {
  it.each([
    ['hyperparam-sweep-01', 12, 'hyperp…ep-01'],
    ['hyperparam-sweep-20', 12, 'hyperp…ep-20'],
    ['train-02', 8, 'train-02'],
    ['train-02', 2, 't…'],
    ['推論サーバー-02', 8, '推論…-02'],
  ])('keeps both ends of %s in %i cells', (text, width, expected) => {
    expect(cutMiddle(text, width)).toBe(expected);
  });

  it('takes no more than its cells, whatever the text', () => {
    fc.assert(fc.property(someText, someWidth, (text, width) => widthOf(cutMiddle(text, width)) <= width));
  });
});

describe('a line with a name', () => {
  it('is shortened in the name first', () => {
    const line: Line = [{text: 'hyperparam-sweep-01', isName: true}, {text: ' is in ERROR'}];
    expect(textOf(cutLine(line, 24))).toBe('hyperp…ep-01 is in ERROR');
    expect(textOf(cutLine([{text: 'the cause is '}, ...line], 24))).toBe('the cause is hype…-01 i…');
  });
});

describe('cut', () => {
  it.each([
    ['train-02', 8, 'train-02'],
    ['train-02', 7, 'train-…'],
    ['train-02', 1, '…'],
    ['train-02', 0, ''],
    ['你好吗', 5, '你好…'],
    ['你好吗', 4, '你…'],
    ['👩‍💻 desk', 3, '👩‍💻…'],
  ])('cuts %s to %i cells: %s', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it('omits an ellipsis that does not fit', () => {
    expect(cut('abcdef', 2, '...')).toBe('ab');
  });

  it('never takes more than its width, whatever the text', () => {
    fc.assert(
      fc.property(someText, someWidth, (text, width) => {
        expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('padEnd and padStart', () => {
  it.each([
    [padEnd, 'a…   '],
    [padStart, '   a…'],
  ])('place the text: %o', (place, expected) => {
    expect(place('a…', 5)).toBe(expected);
  });

  it('take exactly their width, whatever the text', () => {
    fc.assert(
      fc.property(someText, someWidth, fc.constantFrom('left', 'right', 'center'), (text, width, align) => {
        expect(widthOf(fitText(text, width, {align}))).toBe(width);
      }),
      {numRuns: sweepOf({sample: 500, deep: 2000})},
    );
  });
});

describe('cutLine and fitLine', () => {
  const line: Line = [{text: 'CRIT', tone: 'danger'}, {text: ' node down'}];

  it('cuts through the span at the edge and keeps its tone', () => {
    expect(cutLine(line, 3)).toEqual([{text: 'CR…', tone: 'danger'}]);
    expect(cutLine(line, 8)).toEqual([{text: 'CRIT', tone: 'danger'}, {text: ' no…'}]);
    expect(cutLine(line, 14)).toEqual(line);
  });

  it('pads on the sides that the alignment leaves free', () => {
    expect(textOf(fitLine(line, 16, {align: 'right'}))).toBe('  CRIT node down');
    expect(textOf(fitLine(line, 17, {align: 'center'}))).toBe(' CRIT node down  ');
  });

  it('shows a control byte as a visible character, so that no colour comes from data', () => {
    expect(textOf(cutLine([{text: 'a\u001b[31mb'}], 20))).toBe('a\ufffd[31mb');
  });

  it('counts the cells of its spans', () => {
    expect(lineWidth([{text: '你'}, {text: 'ab'}])).toBe(4);
  });
});

describe('paintLine', () => {
  it('takes exactly its width, whatever the spans', () => {
    fc.assert(
      fc.property(someLine, someWidth, (line, width) => {
        expect(stringWidth(paintLine(line, width, theme))).toBe(width);
      }),
      {numRuns: sweepOf({sample: 500, deep: 2000})},
    );
  });

  it('opens and closes one colour for neighbours of one tone', () => {
    const painted = paintLine([{text: 'a', tone: 'good'}, {text: 'b', tone: 'good'}, {text: 'c'}], 4, theme);
    expect(painted).toBe(`\u001b[${theme.sgr('good')}mab\u001b[0mc `);
  });

  it('applies the base tone to every span and to the padding', () => {
    const painted = paintLine([{text: 'a'}, {text: 'b', tone: 'good'}], 4, theme, 'cursor');
    const [cursor, good] = [theme.sgr('cursor'), theme.sgr(['cursor', 'good'])];
    expect(painted).toBe(`\u001b[${cursor}ma\u001b[0m\u001b[${good}mb\u001b[0m\u001b[${cursor}m  \u001b[0m`);
  });
});
