import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {gaugeBar, meter, shareBar} from '../../src/ui/gauge.ts';
import {textOf} from '../../src/ui/text.ts';

const unicode = {width: 10, glyphs: GLYPH_SETS.unicode};
const ascii = {width: 10, glyphs: GLYPH_SETS.ascii};

describe('gaugeBar', () => {
  it('is empty when there is no room', () => {
    for (const width of [0, -1]) expect(gaugeBar(0.5, {...unicode, width})).toEqual([]);
    expect(shareBar(0.5, {...unicode, width: 0})).toEqual([]);
  });

  it.each([
    [0, '──────────', '..........'],
    [0.001, '╸─────────', '#.........'],
    [0.5, '━━━━━─────', '#####.....'],
    [0.64, '━━━━━━╸───', '######....'],
    [1, '━━━━━━━━━━', '##########'],
    [1.4, '━━━━━━━━━━', '##########'],
    [-1, '──────────', '..........'],
    [undefined, '··········', '..........'],
  ])('fills to the ratio %s', (ratio, expected, expectedAscii) => {
    expect([textOf(gaugeBar(ratio, unicode)), textOf(gaugeBar(ratio, ascii))]).toEqual([expected, expectedAscii]);
  });

  it('takes the tone of its threshold, even beyond full', () => {
    expect(gaugeBar(1.4, {...unicode, thresholds: [{from: 1, tone: 'danger'}]})[0]?.tone).toBe('danger');
  });
});

describe('meter', () => {
  it.each([
    [0, 500, '▯▯▯▯▯▯▯▯▯▯'],
    [1, 500, '▮▯▯▯▯▯▯▯▯▯'],
    [96, 500, '▮▮▯▯▯▯▯▯▯▯'],
    [499, 500, '▮▮▮▮▮▮▮▮▮▯'],
    [500, 500, '▮▮▮▮▮▮▮▮▮▮'],
    [700, 500, '▮▮▮▮▮▮▮▮▮▮'],
    [undefined, 500, '··········'],
    [1, undefined, '··········'],
    [1, 0, '··········'],
  ])('shows %s of %s', (used, limit, expected) => {
    expect(textOf(meter(used, limit, unicode))).toBe(expected);
  });
});

describe('shareBar', () => {
  it('is only the filled part', () => {
    expect(textOf(shareBar(0.25, {...unicode, width: 8}))).toBe('━━');
  });
});
