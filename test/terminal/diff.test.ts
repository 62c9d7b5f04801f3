import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {diffGrids, drawGrid, type Pen} from '../../src/terminal/diff.ts';
import {createFrameReader, type Grid} from '../../src/terminal/frame.ts';
import {createEmulator, visibleLines, written} from '../support/emulator.ts';
import {sweepOf} from '../support/tier.ts';
import {characters, frameOf, framePair, visibleState} from './random-frames.ts';

const SIZE = {columns: 24, rows: 6};

function read(lines: readonly string[], size = SIZE) {
  return createFrameReader().read(lines.join('\n'), size);
}

/** The bytes of the simplest diff: for each run of changed cells of one style a move, a reset with the style, the text. */
function plainDiffLength(before: Grid, after: Grid): number {
  let bytes = 0;
  for (const [row, line] of after.lines.entries()) {
    let isOpen = false;
    for (let column = 0; column < after.columns; column++) {
      const isSame =
        before.lines[row]?.texts[column] === line.texts[column] &&
        before.lines[row]?.styles[column] === line.styles[column];
      if (!isSame && (!isOpen || line.styles[column] !== line.styles[column - 1])) {
        bytes += `\u001b[${row + 1};${column + 1}H`.length + '\u001b[0;1;2;4;7;38;5;203;48;2;10;20;30m'.length;
      }
      if (!isSame) bytes += Buffer.byteLength(line.texts[column] ?? '');
      isOpen = !isSame;
    }
  }
  return bytes;
}

async function stateAfter(...outputs: readonly string[]): Promise<readonly string[]> {
  const emulator = createEmulator(SIZE);
  await written(emulator, outputs.join(''));
  return visibleState(emulator);
}

describe('diffGrids', () => {
  it.each([
    ['plain and styled text', characters.plain, sweepOf({sample: 80, deep: 2000})],
    ['wide characters', characters.wide, sweepOf({sample: 80, deep: 2000})],
    ['characters of uncertain width', characters.any, sweepOf({sample: 80, deep: 2000})],
  ] as const)(
    'leaves the terminal as a fresh drawing would: %s',
    async (_name, character, runs) => {
      await fc.assert(
        fc.asyncProperty(framePair(character, SIZE.rows), async ([first, second]) => {
          const [before, after] = [read(first), read(second)];
          const drawn = drawGrid(before);
          const change = diffGrids(before, after, drawn.pen);
          const [changed, fresh] = await Promise.all([
            stateAfter(drawn.output, change.output),
            stateAfter(drawGrid(after).output),
          ]);
          expect(changed).toEqual(fresh);
        }),
        {numRuns: runs},
      );
    },
    60_000,
  );

  it('keeps the terminal correct over a series of frames', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frameOf(characters.wide, SIZE.rows), {minLength: 2, maxLength: 8}), async frames => {
        const grids = frames.map(frame => read(frame));
        const emulator = createEmulator(SIZE);
        let shown = grids[0] ?? read([]);
        const drawn = drawGrid(shown);
        let pen: Pen = drawn.pen;
        await written(emulator, drawn.output);
        for (const grid of grids.slice(1)) {
          const change = diffGrids(shown, grid, pen);
          await written(emulator, change.output);
          [shown, pen] = [grid, change.pen];
        }
        expect(visibleState(emulator)).toEqual(await stateAfter(drawGrid(shown).output));
      }),
      {numRuns: 100},
    );
  }, 60_000);

  it('draws the text of the frame', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({unit: characters.wide, maxLength: 12}), {maxLength: SIZE.rows}),
        async lines => {
          const emulator = createEmulator(SIZE);
          await written(emulator, drawGrid(read(lines)).output);
          const expected = Array.from({length: SIZE.rows}, (_, row) => (lines[row] ?? '').trimEnd());
          expect(visibleLines(emulator)).toEqual(expected);
        },
      ),
      {numRuns: 200},
    );
  }, 60_000);

  it('sends nothing for equal frames', () => {
    const lines = ['\u001b[31mred\u001b[m plain', '你好'];
    const drawn = drawGrid(read(lines));
    expect(diffGrids(read(lines), read(lines), drawn.pen).output).toBe('');
  });

  const unknownPlace: Pen = {style: drawGrid(read([])).pen.style, row: undefined, column: undefined};

  it.each([
    ['one digit of a clock', ['', 'at 20:58:12Z'], ['', 'at 20:58:13Z'], '\u001b[2;11H3'],
    ['a short gap is written again', ['a-b'], ['c-d'], '\u001b[Hc-d'],
    ['a long gap is jumped', ['a----------------b'], ['c----------------d'], '\u001b[Hc\u001b[18Gd'],
    [
      'cells before an unchanged border are erased by their number',
      [`${'x'.repeat(22)}|`],
      [`${' '.repeat(22)}|`],
      '\u001b[H\u001b[22X',
    ],
    ['blanks after the cursor are erased with the rest of the line', ['a   cdefgh'], ['x'], '\u001b[Hx\u001b[K'],
    ['a shorter line is erased to its end', ['a-long-line-here'], ['a'], '\u001b[1;2H\u001b[K'],
    ['two blanks are cheaper than erasing', ['abc'], ['a'], '\u001b[1;2H  '],
    ['the next line begins with a line end', ['a', 'b'], ['c', 'd'], '\u001b[Hc\r\nd'],
    [
      'the cells that a removed emoji may have taken are written, and the others stay',
      [`🚀-launch ${'x'.repeat(12)}|`],
      [`${' '.repeat(22)}|`],
      '\u001b[H\u001b[22X',
    ],
    [
      'after a removed emoji, only the cells that it may have taken are written again',
      ['🚀bcd'],
      ['aabcd'],
      '\u001b[Haa',
    ],
    ['a colour alone is changed', ['\u001b[31mab'], ['\u001b[32mab'], '\u001b[H\u001b[32mab'],
    [
      'a blank inside coloured text keeps the pen',
      ['', ''],
      ['\u001b[31ma\u001b[m \u001b[31mb'],
      '\u001b[H\u001b[31ma b',
    ],
  ])('finds the shortest output: %s', (_name, before, after, expected) => {
    expect(diffGrids(read(before), read(after), unknownPlace).output).toBe(expected);
  });

  it('never sends more than a move and a whole style for each run of changed cells would cost', () => {
    fc.assert(
      fc.property(framePair(characters.wide, SIZE.rows), ([first, second]) => {
        const [before, after] = [read(first), read(second)];
        const drawn = drawGrid(before);
        const change = diffGrids(before, after, drawn.pen);
        expect(Buffer.byteLength(change.output)).toBeLessThanOrEqual(plainDiffLength(before, after));
      }),
      {numRuns: 500},
    );
  });

  it('continues from where the last change ended', () => {
    const [first, second, third] = [read(['at 20:58:12Z']), read(['at 20:58:13Z']), read(['at 20:58:14Z'])];
    const change = diffGrids(first, second, unknownPlace);
    expect(diffGrids(second, third, change.pen).output).toBe('\u001b[D4');
  });

  it('does not rely on the cursor after the last column', () => {
    const full = 'x'.repeat(SIZE.columns);
    const change = diffGrids(read([]), read([full]), unknownPlace);
    expect(change.pen).toMatchObject({row: 0, column: undefined});
  });

  it('sends a small part of what a whole frame would cost', () => {
    const size = {columns: 200, rows: 50};
    const line = (row: number, cpu: string) =>
      `\u001b[36m│\u001b[m train-${row} ▲ ACTIVE ${cpu.padEnd(4)}${'▅'.repeat(100)}`;
    const frame = (cpu: string) => Array.from({length: 50}, (_, row) => line(row, row % 10 === 0 ? cpu : '61%'));
    const drawn = drawGrid(read(frame('12%'), size));
    const change = diffGrids(read(frame('12%'), size), read(frame('34%'), size), drawn.pen);
    // Five rows with two digits each: a move of at most eight bytes and two digits.
    expect(Buffer.byteLength(change.output)).toBeLessThanOrEqual(5 * 10);
    expect(Buffer.byteLength(frame('34%').join('\n'))).toBeGreaterThan(15_000);
  });
});
