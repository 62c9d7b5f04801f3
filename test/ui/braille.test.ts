import {describe, expect, it} from 'vitest';
import {brailleCanvas} from '../../src/ui/braille.ts';

describe('brailleCanvas', () => {
  // U+2800 and the bits 1 2 4 40 down the left side, 8 10 20 80 down the right side, in hexadecimal.
  it.each([
    [0, 0, 0, '\u2801'],
    [0, 3, 3, '\u2840'],
    [1, 0, 0, '\u2808'],
    [1, 3, 3, '\u2880'],
    [0, 0, 3, '\u2847'],
    [1, 3, 0, '\u28b8'],
  ])('in column %i, sets the dots %i to %i', (column, from, to, cell) => {
    const canvas = brailleCanvas(1, 1);
    canvas.column(column, from, to);
    expect(canvas.rows()).toEqual([[cell]]);
  });

  it('draws across cells', () => {
    const canvas = brailleCanvas(2, 2);
    canvas.column(2, 3, 4);
    expect(canvas.rows()).toEqual([
      ['\u2800', '\u2840'],
      ['\u2800', '\u2801'],
    ]);
  });
});
