import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {createFrameReader} from '../../src/terminal/frame.ts';
import {pictureOf} from '../../src/terminal/picture.ts';
import {characters, frameOf} from './random-frames.ts';

const SIZE = {columns: 20, rows: 4};

function read(frame: string) {
  return createFrameReader().read(frame, SIZE);
}

describe('pictureOf', () => {
  it('gives the cells without and with their colours', () => {
    const {plain, coloured} = pictureOf(read('\u001b[31mCRIT\u001b[0m  gpu-7 你   \nnext'));
    expect(plain).toBe('CRIT  gpu-7 你\nnext\n\n');
    expect(coloured).toBe('\u001b[31mCRIT\u001b[m  gpu-7 你\nnext\n\n');
  });

  it('reads back as the same frame', () => {
    fc.assert(
      fc.property(frameOf(characters.wide, SIZE.rows), lines => {
        const grid = read(lines.join('\n'));
        expect(read(pictureOf(grid).coloured)).toEqual(grid);
      }),
    );
  });
});
