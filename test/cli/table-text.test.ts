import {describe, expect, test} from 'vitest';
import {tableText} from '../../src/cli/print/table-text.ts';

const lengthOf = (text: string) => text.length;

describe('tableText', () => {
  test('makes each column as wide as its widest cell, and cuts nothing', () => {
    const columns = [{title: 'ID', align: 'right' as const}, {title: 'NAME'}, {title: 'X'}];
    const rows = [
      ['7', 'a long name', 'x'],
      ['1234', 'b', ''],
    ];
    expect(tableText(columns, rows, lengthOf)).toBe('  ID  NAME         X\n   7  a long name  x\n1234  b\n');
  });

  test('counts cells, not characters', () => {
    const wide = (text: string) => [...text].reduce((cells, character) => cells + (character > '⺀' ? 2 : 1), 0);
    expect(
      tableText(
        [{title: 'A'}, {title: 'B'}],
        [
          ['漢字', 'x'],
          ['ab', 'y'],
        ],
        wide,
      ),
    ).toBe('A     B\n漢字  x\nab    y\n');
  });
});
