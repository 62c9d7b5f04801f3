import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {
  alteration,
  hasEscapes,
  hasMixedScripts,
  isAltered,
  joinSafe,
  nameLook,
  nameRemarks,
  safeLines,
  safeText,
  say,
  nameInWords,
} from '../../src/domain/safe-text.ts';
import {anyText} from '../support/any-text.ts';
import {cpuMsOf} from '../support/cpu-time.ts';

// One character of every class that can deceive the terminal, the layout or the eye, and ordinary ones.
const TRICKY = [
  ...['\u0000', '\u0007', '\b', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009b', '\u009d'],
  ...['\u202e', '\u2066', '\u200e', '\u061c', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e'],
  ...['\u{e0041}', '\u{e007f}', '\u2028', '\u2029', '\ud800', '\udfff', '\ufffe', '\u{1ffff}', '\ufe0f', '\ufe0e'],
  ...['\u115f', '\u3164', '\uffa0', '\ufff9', '\u{e0100}', '\u0301', '\u20e3', '\u1161', '\u11a8'],
  ...['a', 'é', '1', ' ', '>', '<U+202E>', '…', '日', '👩', '👍', '🏽', '❤', '🇳', '🇴'],
];
const trickyText = fc
  .array(fc.oneof(fc.constantFrom(...TRICKY), anyText({maxLength: 3})), {maxLength: 60})
  .map(parts => parts.join(''));

describe('safeText', () => {
  it.each([
    ['plain words', 'gpu-7 (trainer)', 'gpu-7 (trainer)'],
    ['an empty text', '', ''],
    ['letters of other scripts', 'données Größe 日本語 ขนาด', 'données Größe 日本語 ขนาด'],
    ['a colour sequence', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['line ends and tabs', 'a\r\nb\tc', 'a␍␊b␉c'],
    ['backspace, bell and delete', 'a\b\u0007\u007f', 'a␈␇␡'],
    ['C1 controls', '\u0085\u009b31m', '<U+0085><U+009B>31m'],
    ['a right-to-left override', 'gpu\u202e1', 'gpu<U+202E>1'],
    ['isolates and direction marks', '\u2066\u2069\u200e\u200f\u061c', '<U+2066><U+2069><U+200E><U+200F><U+061C>'],
    ['zero-width characters', '\u200b\u200c\u2060\ufeff\u00ad', '<U+200B><U+200C><U+2060><U+FEFF><U+00AD>'],
    ['spaces other than the plain one', 'a\u00a0b\u2003c\u3000\u2800', 'a<U+00A0>b<U+2003>c<U+3000><U+2800>'],
    ['tag characters', '\u{e0041}\u{e007f}', '<U+E0041><U+E007F>'],
    ['line and paragraph separators', '\u2028\u2029', '<U+2028><U+2029>'],
    ['lone surrogates', '\ud800a\udc00', '<U+D800>a<U+DC00>'],
    ['noncharacters', '\ufffe\u{10ffff}', '<U+FFFE><U+10FFFF>'],
    ['other invisible characters', '\u115f\u3164\u034f\u180e\ufff9', '<U+115F><U+3164><U+034F><U+180E><U+FFF9>'],
    ['a family emoji', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    ['a heart with its variation selector', '❤️', '❤️'],
    ['a keycap', '1️⃣', '1️⃣'],
    ['a skin tone', '👍🏽', '👍🏽'],
    ['a joiner between letters', 'a\u200db', 'a<U+200D>b'],
    ['a joiner after an emoji and before a letter', '👩\u200db', '👩<U+200D>b'],
    ['a variation selector after a letter', 'a\ufe0f', 'a<U+FE0F>'],
    ['a second variation selector', '❤️\ufe0f', '❤️<U+FE0F>'],
    ['a joiner after the longest emoji in use', '👨‍👩‍👧‍👦\u200d👦', '👨‍👩‍👧‍👦<U+200D>👦'],
    ['four marks on one base', `e${'\u0301'.repeat(4)}`, `e${'\u0301'.repeat(4)}`],
    ['more than four marks', `e${'\u0301'.repeat(6)}x`, `e${'\u0301'.repeat(4)}<U+0301><U+0301>x`],
    ['marks on a keycap', `1️⃣${'\u0301'.repeat(3)}`, '1️⃣\u0301\u0301<U+0301>'],
    ['letters that join with what follows', 'a\u0d4eb\u{11d46}', 'a<U+0D4E>b<U+11D46>'],
    ['a mark without a base', '\u0301x', '<U+0301>x'],
    ['a vowel that joins like a mark, with and without a base', '\u0e33น\u0e33', '<U+0E33>น\u0e33'],
    ['a mark on an escape', '\u202e\u0338', '<U+202E><U+0338>'],
  ])('shows %s', (_name, raw, expected) => {
    expect(safeText(raw)).toBe(expected);
  });

  it('leaves only printable characters, whatever comes in', () => {
    const hidden =
      /\u034f|[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;
    fc.assert(
      fc.property(trickyText, raw => {
        expect(safeText(raw)).not.toMatch(hidden);
      }),
    );
  });

  it('keeps joiners and variation selectors only inside emoji', () => {
    const emoji =
      /[0-9#*]\ufe0f\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|\u200d(?=\p{Extended_Pictographic}))*/gu;
    fc.assert(
      fc.property(trickyText, raw => {
        expect(safeText(raw).replaceAll(emoji, '')).not.toMatch(/[\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u);
      }),
    );
  });

  it('never deletes: each code point leaves at least one visible character', () => {
    fc.assert(
      fc.property(trickyText, raw => {
        expect([...safeText(raw)].length).toBeGreaterThanOrEqual([...raw].length);
      }),
    );
  });

  it('shows each symbol, line, bar and dot unchanged, unless Unicode says that it is invisible', () => {
    const blankDots = '\u2800';
    const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
    const points = [...Array(0x2900).keys()].filter(point => (point >= 0xa0 && point < 0x100) || point >= 0x2010);
    const signs = points.map(point => String.fromCodePoint(point));
    const changed = signs.filter(sign => safeText(`a${sign}b`) !== `a${sign}b`);
    expect(changed).toEqual(signs.filter(sign => unseen.test(sign) || sign === blankDots));
  });

  it('never stacks more than four marks', () => {
    fc.assert(
      fc.property(trickyText, raw => {
        expect(safeText(raw)).not.toMatch(/\p{M}{5}/u);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(trickyText, fc.integer({min: 1, max: 40}), (raw, maxLength) => {
        const once = safeText(raw, {maxLength});
        expect(safeText(once, {maxLength})).toBe(once);
        expect([...once].length).toBeLessThanOrEqual(maxLength);
      }),
    );
  });

  it('cuts long text with a mark, between characters and never inside an escape or an emoji', () => {
    expect(safeText('abcdef', {maxLength: 6})).toBe('abcdef');
    expect(safeText('abcdefg', {maxLength: 6})).toBe('abcde…');
    expect(safeText('abcde\u0301f', {maxLength: 5})).toBe('abcd…');
    expect(safeText('12345\uFE0F\u20E3', {maxLength: 5})).toBe('1234…');
    expect(safeText('ab', {maxLength: 1})).toBe('…');
    expect(safeText('a\u202ebc', {maxLength: 9})).toBe('a…');
    expect(safeText('👨‍👩‍👧‍👦ab', {maxLength: 8})).toBe('👨‍👩‍👧‍👦…');
    expect(safeText('日本語', {maxLength: 2})).toBe('日…');
  });

  it('keeps 4096 code points unless told otherwise', () => {
    expect(safeText('x'.repeat(4096))).toBe('x'.repeat(4096));
    expect(safeText('x'.repeat(4097))).toBe(`${'x'.repeat(4095)}…`);
  });

  it('spends no time on the part of a huge text that it cuts off', () => {
    const texts = ['\u0301', '👩\u200d', '\u202e', '1\ufe0f', '\\'].map(raw => raw.repeat(5_000_000));
    const takenMs = cpuMsOf(() => {
      for (const text of texts) safeText(text);
    });
    expect(takenMs).toBeLessThan(2000);
  });
});

describe('safeLines', () => {
  it('splits on line feeds and shows everything else', () => {
    expect(safeLines('one\r\ntwo\n\n\u001b[2Jthree')).toEqual(['one␍', 'two', '', '␛[2Jthree']);
  });
});

describe('say', () => {
  it('puts safe values and numbers into our own words', () => {
    expect(say`Stop ${safeText('gpu-7')} (id ${793001})`).toBe('Stop gpu-7 (id 793001)');
    expect(say`nothing to fill`).toBe('nothing to fill');
    expect(say`${0}`).toBe('0');
  });

  it('does not accept raw text', () => {
    const raw: string = 'from outside';
    // @ts-expect-error Only text that went through safeText may become part of our words.
    expect(say`${raw}`).toBe('from outside');
  });
});

describe('joinSafe', () => {
  it('joins parts by a space or by what it is given', () => {
    const parts = [safeText('a'), safeText('b')];
    expect(joinSafe(parts)).toBe('a b');
    expect(joinSafe(parts, ', ')).toBe('a, b');
    expect(joinSafe(parts, '\n')).toBe('a␊b');
    expect(joinSafe([])).toBe('');
  });
});

describe('isAltered and hasEscapes', () => {
  it.each([
    ['gpu-7', false],
    ['日本', false],
    ['gpu\u202e7', true],
    ['gpu\n7', true],
    ['gpu\u007f', true],
  ])('marks %j: %s', (raw, isMarked) => {
    expect(isAltered(raw, safeText(raw))).toBe(isMarked);
    expect(hasEscapes(safeText(raw))).toBe(isMarked);
  });

  it('marks text that only looks escaped, since nobody can tell them apart on the screen', () => {
    expect(isAltered('<U+202E>', safeText('<U+202E>'))).toBe(false);
    expect(hasEscapes(safeText('<U+202E>'))).toBe(true);
  });
});

describe('hasMixedScripts', () => {
  it.each([
    ['train-02', false],
    ['tr\u0430in-02', true],
    ['\u03b1lpha-x', true],
    ['поезд-02', false],
    ['推論サーバー-gpu', false],
    ['', false],
    ['gpu-🚀-1', false],
  ])('of %j is %s', (name, expected) => {
    expect(hasMixedScripts(safeText(name))).toBe(expected);
  });
});

describe('nameRemarks', () => {
  const hidden = expect.stringContaining('hidden or control characters');
  const mixed = expect.stringContaining('look-alike alphabets');
  const number = expect.stringContaining('a # and a number');
  const blanks = expect.stringContaining('easily overlooked');
  const long = expect.stringContaining('longer than');
  const odd = expect.stringContaining('look like plain ones');
  const foreign = expect.stringContaining('not in Latin letters');

  it.each([
    ['nothing about an ordinary name', 'gpu-1 東京', []],
    ['nothing about emoji, each of which is one character', '🚀'.repeat(30), []],
    ['nothing about a bare number sign', 'c# build 7', []],
    ['that it names an id', 'train-01 #793388', [number]],
    ['that it names an id after a space', 'train-01 # 793388', [number]],
    ['nothing about a name of the greatest length allowed', 'x'.repeat(50), []],
    ['that it has several spaces in a row', 'train-01  x', [blanks]],
    ['that it has a leading space', ' train-01', [blanks]],
    ['that it has a trailing space', 'train-01 ', [blanks]],
    ['that it has a space of another width', 'train-01\u3000', [hidden]],
    ['that it has a blank Braille character', '\u2800train-01', [hidden]],
    ['that it has the mark that stands for spaces', 'train-01␣', [blanks]],
    ['that it is too long', 'x'.repeat(51), [long]],
    ['that it has hidden characters', 'gpu\u202e-1', [hidden]],
    ['that it has look-alike letters', 'gpu-\u0430', [mixed]],
    ['that it has another dash', 'train\u201001', [odd]],
    ['that it has a minus sign', 'train\u221201', [odd]],
    ['that it has another quote', 'a\u2019s', [odd]],
    ['that it has a fullwidth letter', '\uff54rain-01', [odd]],
    ['that it is in fullwidth letters', '\uff21\uff23\uff25', [odd]],
    ['that it is in Cyrillic letters that look Latin', '\u0430\u0441\u0435-01', [foreign]],
    ['that it is in Greek letters that look Latin', '\u0391\u0392\u0395', [foreign]],
    ['nothing about a Cyrillic word with letters of its own', 'поезд-02', []],
    ['nothing about a Greek word with letters of its own', 'δοκιμή', []],
    ['nothing about Japanese with its long vowel', '推論サーバー-1', []],
    ['that it has hidden characters and look-alike letters', 'gpu\u202e-\u0430', [hidden, mixed]],
  ])('says %s', (_name, name, remarks) => {
    expect(nameRemarks(safeText(name))).toEqual(remarks);
  });
});

describe('nameLook', () => {
  it.each([
    ['train-01', 'train-0l', true],
    ['train-01', 'trAin-01', false],
    ['GPU-IO', 'GPU-10', true],
    ['train-01', '\uff54rain\u20100\uff11', true],
    ['ace-1', '\u0430\u0441\u0435-1', true],
    ['ABE', '\u0391\u0392\u0395', true],
    ['train-01', 'train-01 ', true],
    ['train-01', 'train-02', false],
    ['東京', '京都', false],
  ])('of %j and %j are the same: %s', (one, other, expected) => {
    expect(nameLook(safeText(one)) === nameLook(safeText(other))).toBe(expected);
  });
});

describe('nameInWords', () => {
  it.each([
    ['train-01', 'train-01'],
    ['推論-東京_01.a', '推論-東京_01.a'],
    ['🚀-launch-demo', '🚀-launch-demo'],
    ['dev sandbox', '"dev sandbox"'],
    ['web: confirmed', '"web: confirmed"'],
    ['web,db', '"web,db"'],
    ['a"b\\', '"a\\"b\\\\"'],
    ['tr\u0430in-01', '"tr\u0430in-01"'],
    ['x'.repeat(51), `"${'x'.repeat(51)}"`],
    ['train-01  #793388', '"train-01␣␣#793388"'],
    [' train-01 x ', '"␣train-01 x␣"'],
    ['train-01\u2003\u00a0#793388', '"train-01<U+2003><U+00A0>#793388"'],
    ['x      What happens', '"x␣␣␣␣␣␣What happens"'],
  ])('shows %j as %s', (name, shown) => {
    expect(nameInWords(safeText(name))).toBe(shown);
  });
});

describe('alteration', () => {
  it.each([
    ['web-01 <ü> 日本 👩‍💻', undefined],
    ['line1\nline2', 'it contains the character U+000A, which cannot be sent'],
    ['zero\u200bwidth', 'it contains the character U+200B, which cannot be sent'],
    ['\u{e0041}tag', 'it contains the character U+E0041, which cannot be sent'],
    ['\ud83d alone', 'it contains the character U+D83D, which cannot be sent'],
    [`e${'\u0301'.repeat(5)}`, 'it contains the character U+0301, which cannot be sent'],
    ['x'.repeat(4096), undefined],
    ['x'.repeat(4097), 'it is longer than 4096 characters'],
    [`${'x'.repeat(5000)}\n`, 'it is longer than 4096 characters'],
  ])('says whether and why %j cannot be sent as typed', (raw, expected) => {
    expect(alteration(raw)).toBe(expected);
  });
});
