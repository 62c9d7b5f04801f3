import fc from 'fast-check';
import type {Emulator} from '../support/emulator.ts';
import {cellAt} from '../support/screen.ts';

const PLAIN_CHARACTERS = ['a', 'b', 'Z', '0', ' ', ' ', ' ', '-', '│', '─', '▁', '█', '⣿', '⣀', '▲', 'é', 'Ж'];
const WIDE_CHARACTERS = ['你', '好', '한', 'あ', 'Ａ'];
const UNSURE_CHARACTERS = ['🙂', '👩‍💻', 'e\u0301', '🇫🇷', 'ก', 'क्षि', '❤\ufe0f'];
const SGR = [
  '0',
  '1',
  '2',
  '4',
  '7',
  '31',
  '32',
  '39',
  '44',
  '49',
  '22',
  '24',
  '27',
  '38;5;203',
  '48;2;10;20;30',
  '1;33',
  '',
];

export const characters = {
  plain: fc.constantFrom(...PLAIN_CHARACTERS),
  wide: fc.constantFrom(...PLAIN_CHARACTERS, ...WIDE_CHARACTERS),
  any: fc.constantFrom(...PLAIN_CHARACTERS, ...WIDE_CHARACTERS, ...UNSURE_CHARACTERS),
};

/** Lines of styled runs, some longer and some shorter than the terminal is wide. */
export function frameOf(character: fc.Arbitrary<string>, rows: number): fc.Arbitrary<readonly string[]> {
  const run = fc
    .tuple(fc.constantFrom(...SGR), fc.string({unit: character, maxLength: 9}))
    .map(([codes, text]) => (codes === '' ? text : `\u001b[${codes}m${text}`));
  const line = fc.array(run, {maxLength: 5}).map(runs => runs.join(''));
  return fc.array(line, {maxLength: rows + 1});
}

/** A frame and one that follows it: most of its lines stay, some change in a few places. */
export function framePair(
  character: fc.Arbitrary<string>,
  rows: number,
): fc.Arbitrary<readonly [readonly string[], readonly string[]]> {
  return fc
    .tuple(frameOf(character, rows), frameOf(character, rows), fc.array(fc.nat(3)))
    .map(([first, other, choice]) => {
      const second = first.map((line, index) => {
        const kind = choice[index] ?? 0;
        const replacement = other[index] ?? '';
        if (kind === 1) return replacement;
        if (kind === 2) return line.slice(0, Math.floor(line.length / 2));
        return kind === 3 ? `${line}\u001b[m${replacement}` : line;
      });
      return [first, second];
    });
}

/** All that a person would see: a blank shows nothing of its foreground. */
export function visibleState(emulator: Emulator): readonly string[] {
  return Array.from({length: emulator.rows}, (_, row) =>
    Array.from({length: emulator.cols}, (_unused, column) => {
      const cell = cellAt(emulator, row, column);
      const isPlainBlank = cell.char === ' ' && !cell.inverse && !cell.underline && !cell.strikethrough;
      return JSON.stringify(isPlainBlank ? {char: ' ', bg: cell.bg} : cell);
    }).join(''),
  );
}
