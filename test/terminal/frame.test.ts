import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {blankGrid, createFrameReader} from '../../src/terminal/frame.ts';
import {cpuMsOf} from '../support/cpu-time.ts';
import {characters, frameOf} from './random-frames.ts';

const SIZE = {columns: 8, rows: 2};

function read(frame: string, size = SIZE) {
  const reader = createFrameReader();
  return {grid: reader.read(frame, size), refusedCount: reader.refusedCount()};
}

function firstRow(frame: string): readonly string[] {
  return read(frame).grid.lines[0]?.texts ?? [];
}

describe('createFrameReader', () => {
  it('fills every cell of the terminal, whatever the frame', () => {
    fc.assert(
      fc.property(
        frameOf(characters.any, 5),
        fc.integer({min: 1, max: 30}),
        fc.integer({min: 1, max: 6}),
        (lines, columns, rows) => {
          const {grid} = read(lines.join('\n'), {columns, rows});
          expect(grid.lines.length).toBe(rows);
          for (const line of grid.lines) {
            expect([line.texts.length, line.styles.length]).toEqual([columns, columns]);
          }
        },
      ),
    );
  });

  it('lets no control byte into a cell, whatever the bytes', () => {
    const byte = fc.integer({min: 0, max: 0x2ff}).map(code => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({unit: byte, maxLength: 40}), text => {
        const cells = read(text, {columns: 80, rows: 3}).grid.lines.flatMap(line => line.texts);
        const controls = cells.filter(cell => [...cell].some(character => isControl(character)));
        expect(controls).toEqual([]);
      }),
      {numRuns: 2000},
    );
  });

  it.each([
    ['plain text', 'abc', 0],
    ['a colour', '\u001b[31mabc\u001b[0m', 0],
    ['a move', '\u001b[2;2Habc', 1],
    ['an unfinished sequence', '\u001b[31', 1],
    ['a private mode', '\u001b[?25h', 1],
    ['a link', '\u001b]8;;https://x\u0007', 2],
    ['a bell and a tab', '\u0007\t', 2],
    ['conceal and blink', '\u001b[8;5mabc', 2],
    ['a C1 sequence', '\u009b31m', 1],
  ])('counts what it withholds from the terminal: %s', (_name, text, count) => {
    expect(read(text).refusedCount).toBe(count);
  });

  it('gives a wide character two cells, and a blank when the edge would cut it', () => {
    expect(firstRow('a你b')).toEqual(['a', '你', '', 'b', ' ', ' ', ' ', ' ']);
    expect(firstRow('1234567你')).toEqual(['1', '2', '3', '4', '5', '6', '7', ' ']);
  });

  it('marks the characters that terminals disagree about', () => {
    const unsure = (text: string) => read(text).grid.lines[0]?.unsure;
    expect(unsure('ab│你▁')).toEqual([]);
    expect(unsure('a🙂e\u0301')).toEqual([1, 3]);
  });

  it('begins every line in the plain style', () => {
    const [first, second] = read('\u001b[31mred\nplain').grid.lines;
    expect(first?.styles[0]?.foreground).toBe('31');
    expect(second?.styles[0]?.foreground).toBe('');
  });

  it('treats blanks in different foreground colours as equal', () => {
    const [red, plain] = read('\u001b[31m   \n   ').grid.lines;
    expect(red?.styles).toEqual(plain?.styles);
    expect(red?.end).toBe(0);
  });

  it('reuses a row when its frame and the lines behind its placeholders are unchanged', () => {
    const lines = new Map([
      ['\ue000', {painted: 'one', layer: 0}],
      ['\ue001', {painted: 'two', layer: 0}],
    ]);
    const reader = createFrameReader({lineOf: placeholder => lines.get(placeholder)});
    const frame = '\ue000\n\ue001\nplain';
    const before = reader.read(frame, {columns: 9, rows: 3}).lines;
    lines.set('\ue001', {painted: 'three', layer: 0});
    const after = reader.read(frame, {columns: 9, rows: 3}).lines;
    expect(after.map((row, index) => row === before[index])).toEqual([true, false, true]);
    expect(after[1]?.texts.join('').trim()).toBe('three');
  });

  it('takes less than ten milliseconds for a frame in which one line changed', () => {
    const size = {columns: 200, rows: 50};
    const reader = createFrameReader();
    const frame = (tick: number) =>
      Array.from(
        {length: 50},
        (_, row) => `\u001b[36m│\u001b[0m row ${row === 7 ? tick : row} ${'▅'.repeat(150)}`,
      ).join('\n');
    reader.read(frame(0), size);
    let tick = 0;
    const takenMs = cpuMsOf(() => {
      for (let count = 0; count < 100; count++) reader.read(frame(++tick), size);
    });
    // Two milliseconds a frame are the goal; a slow machine gets five times that.
    expect(takenMs / 100).toBeLessThan(10);
  });

  it('puts lines in the places of their placeholders, with the higher layer on top', () => {
    const lines = new Map([
      ['\ue000', {painted: 'under your 你', layer: 0}],
      ['\ue001', {painted: '\u001b[1mOVER', layer: 1}],
    ]);
    const reader = createFrameReader({lineOf: placeholder => lines.get(placeholder)});
    const row = reader.read('\ue000   \ue001', {columns: 14, rows: 1}).lines[0];
    expect(row?.texts.join('')).toBe('undeOVERur 你 ');
  });

  it('shows a replacement character for an unknown placeholder', () => {
    expect(firstRow('a\ue123b').slice(0, 3)).toEqual(['a', '\ufffd', 'b']);
  });
});

describe('blankGrid', () => {
  it('has only blank cells', () => {
    expect(blankGrid(SIZE).lines.map(line => line.texts.join(''))).toEqual(['        ', '        ']);
  });
});

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}
