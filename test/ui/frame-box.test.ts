import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {frameBox, innerWidth, rule} from '../../src/ui/frame-box.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

const theme = createTheme({depth: '16', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
const ascii = createTheme({depth: '16', palette: PALETTES.dark, glyphs: GLYPH_SETS.ascii});

function drawn(over: Partial<Parameters<typeof frameBox>[1]> = {}): readonly string[] {
  return frameBox([[{text: 'burn $79.30/h'}]], {
    title: '2 MONEY',
    right: '3s',
    width: 24,
    height: 3,
    theme,
    ...over,
  }).map(textOf);
}

describe('frameBox', () => {
  it('draws the title at the left and the age at the right', () => {
    expect(drawn()).toEqual(['╭─ 2 MONEY ─────── 3s ─╮', '│burn $79.30/h         │', '╰──────────────────────╯']);
  });

  it('keeps the age and cuts the title when there is little room', () => {
    expect(drawn({width: 16})[0]).toBe('╭─ 2 MO… ─ 3s ─╮');
  });

  it('leaves out the age when it would fill half of the edge', () => {
    expect(drawn({width: 16, right: 'as of 20:40Z'})[0]).toBe('╭─ 2 MONEY ────╮');
  });

  it('wraps a single line, as it says why there is nothing else', () => {
    const reason = [{text: ' machines unknown: no answer within 10 s, asking again in 8 s', tone: 'warning' as const}];
    const box = frameBox([reason], {title: 'T', width: 32, height: 5, theme}).map(textOf);
    expect(box.slice(1, -1).map(line => line.slice(1, -1).trimEnd())).toEqual([
      ' machines unknown: no answer',
      ' within 10 s, asking again in',
      ' 8 s',
    ]);
  });

  it('says at the bottom how many lines have no room', () => {
    const lines = Array.from({length: 9}, (_, index) => [{text: `line ${index}`}]);
    const box = frameBox(lines, {title: 'T', width: 24, height: 4, theme}).map(textOf);
    expect(box.slice(1)).toEqual(['│line 0                │', '│line 1                │', '╰────── +7 more lines ─╯']);
    expect(frameBox(lines, {title: 'T', width: 24, height: 11, theme}).map(textOf).at(-1)).not.toContain('more');
    expect(frameBox(lines, {title: 'T', width: 8, height: 4, theme}).map(textOf).at(-1)).toBe('╰──────╯');
  });

  it('is dotted while the connection is down', () => {
    expect(drawn({isLinkDown: true, width: 20})).toEqual([
      '╭┄ 2 MONEY ┄┄┄ 3s ┄╮',
      '┊burn $79.30/h     ┊',
      '╰┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄╯',
    ]);
  });

  it('makes stale lines faint, but not their age', () => {
    const [edge, inside] = frameBox([[{text: 'old', tone: 'danger'}]], {
      title: 'T',
      right: '9m',
      width: 20,
      height: 3,
      theme,
      isStale: true,
    });
    expect(inside?.[1]).toEqual({text: 'old', tone: ['danger', 'stale']});
    expect(edge?.some(span => span.text === '9m' && span.tone === 'dim')).toBe(true);
  });

  it('draws with plain characters in the ASCII set', () => {
    expect(drawn({theme: ascii, width: 20}).join('')).toMatch(/^[ -~]+$/);
  });

  it('takes exactly its size, whatever its content', () => {
    const text = fc.string({unit: 'grapheme', maxLength: 30});
    const size = fc.integer({min: 0, max: 40});
    fc.assert(
      fc.property(text, text, size, size, fc.array(text, {maxLength: 6}), (title, right, width, height, contents) => {
        const lines = frameBox(
          contents.map(content => [{text: content}]),
          {title, right, width, height, theme},
        );
        expect(lines.length).toBe(width < 2 || height < 2 ? Math.min(height, contents.length) : height);
        expect(lines.filter(line => lineWidth(line) !== width)).toEqual([]);
      }),
      {numRuns: 500},
    );
  });
});

describe('rule', () => {
  it('is a title in a line', () => {
    expect(textOf(rule({title: 'FLEET 14', right: '3s', width: 24, theme}))).toBe('─ FLEET 14 ──────── 3s ─');
  });
});

describe('innerWidth', () => {
  it('is the width between the sides', () => {
    expect([innerWidth(40), innerWidth(1)]).toEqual([38, 0]);
  });
});
