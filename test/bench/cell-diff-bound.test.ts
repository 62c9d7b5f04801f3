import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {diffGrids, drawGrid} from '../../src/terminal/diff.ts';
import {createFrameReader} from '../../src/terminal/frame.ts';
import {createEmulator, written} from '../support/emulator.ts';
import {sweepOf} from '../support/tier.ts';
import {characters, framePair} from '../terminal/random-frames.ts';
import {minimalDiffBytes} from './cell-diff-bound.ts';
import {type CellGrid, gridOf} from './cell-grid.ts';
import {watchPenLook} from './pen-look.ts';

const SIZE = {columns: 20, rows: 4};

/** The screens after each of the outputs. */
async function screensAfter(...outputs: readonly string[]): Promise<readonly CellGrid[]> {
  const emulator = createEmulator(SIZE);
  const pen = watchPenLook(emulator);
  const screens: CellGrid[] = [];
  for (const output of outputs) {
    await written(emulator, output);
    screens.push(gridOf(emulator, pen()));
  }
  return screens;
}

async function leastBytes(before: string, after: string): Promise<number> {
  const [first, second] = await screensAfter(before, after);
  if (first === undefined || second === undefined) throw new Error('Two outputs give two screens.');
  return minimalDiffBytes(first, second);
}

const HOME = '\u001b[H';
const ERASE = '\u001b[2J';

describe('the minimum bytes of a change', () => {
  test.each<[name: string, before: string, after: string, bytes: number]>([
    ['nothing if nothing changes', 'abc', '', 0],
    ['only the text if the cursor is already there', '', 'hi', 2],
    ['the text and a return, at the start of the line', 'abc', '\rxyz', 3 + 1],
    ['a jump over unchanged cells: ESC [ 9 C', `a${' '.repeat(9)}a${HOME}`, `x${' '.repeat(9)}y`, 1 + 4 + 1],
    ['a rewritten cell instead of a jump', `a.b${HOME}`, 'x.y', 3],
    ['a return and a line feed, two bytes per line', `a\r\nb${HOME}`, 'x\r\ny', 1 + 2 + 1],
    ['an erasure of the rest of the line: ESC [ K', `abcdefgh${HOME}`, '\u001b[K', 3],
    ['an erasure that starts at an unchanged blank', `ab cdefg${HOME}`, 'xy\u001b[K', 2 + 3],
    // ESC [ K, ESC [ 1 9 C and the new border. Nineteen blanks would be longer.
    ['an erased line with its border written again', `${'x'.repeat(19)}|${HOME}`, `${' '.repeat(19)}!`, 3 + 5 + 1],
    ['erased cells before an unchanged border: ESC [ 1 9 X', `${'x'.repeat(19)}|${HOME}`, `${' '.repeat(19)}|`, 5],
    ['one erasure for separate blanks: ESC [ 9 X', `xxxx xxxx|${HOME}`, `${' '.repeat(9)}|`, 4],
    ['blanks if they are shorter than an erasure', `ab${HOME}`, '  ', 2],
    ['a colour and its text: ESC [ 31 m', '', '\u001b[31mx', 5 + 1],
    ['only the text in the current colour', '\u001b[31mx', 'y', 1],
    ['the end of a colour: ESC [ m', '\u001b[31mx', '\u001b[my', 3 + 1],
    ['only what differs: ESC [ 39 m', '\u001b[1;31mx', '\u001b[39my', 5 + 1],
    ['a wide character once', '', '東', 3],
  ])('is %s', async (_name, before, after, bytes) => {
    expect(await leastBytes(before, after)).toBe(bytes);
  });

  test('does not include a colour that cannot be seen on a blank', async () => {
    expect(await leastBytes(`ab\u001b[31m${HOME}`, '\u001b[m  ')).toBe(2);
  });

  test('is zero for a screen that is erased and drawn the same again', async () => {
    expect(await leastBytes(`abc${HOME}`, `${ERASE}${HOME}abc`)).toBe(0);
  });

  test.each([
    ['wide characters', characters.wide],
    ['characters of uncertain width, whose lines are erased and redrawn', characters.any],
  ] as const)('is never more than the screen writer sends: %s', async (_name, character) => {
    const read = (lines: readonly string[]) => createFrameReader().read(lines.join('\n'), SIZE);
    await fc.assert(
      fc.asyncProperty(framePair(character, SIZE.rows), async ([first, second]) => {
        const [before, after] = [read(first), read(second)];
        const drawn = drawGrid(before);
        const change = diffGrids(before, after, drawn.pen);
        // The kernel's terminal puts a return before each line feed.
        const onTheWire = (output: string): string => output.replaceAll('\n', '\r\n');
        const [shown, changed] = await screensAfter(onTheWire(drawn.output), onTheWire(change.output));
        if (shown === undefined || changed === undefined) throw new Error('Two outputs give two screens.');
        expect(Buffer.byteLength(onTheWire(change.output))).toBeGreaterThanOrEqual(minimalDiffBytes(shown, changed));
      }),
      {numRuns: sweepOf({sample: 100, deep: 3000})},
    );
  });
});
