import stringWidth from 'string-width';
import {describe, expect, test} from 'vitest';
import {summaryTable} from '../../src/ui/summary-table.tsx';

const COLUMNS = [{title: 'NAME'}, {title: '$/h', align: 'right'}] as const;
const ROWS = [
  ['train-01', '25.60'],
  ['web', '0.35'],
];

describe('summaryTable', () => {
  test('prints one line per row under the titles, with figures at the right', () => {
    expect(summaryTable(COLUMNS, ROWS, {hasBoxCharacters: true}).split('\n')).toEqual([
      '┌──────────┬───────┐',
      '│ NAME     │   $/h │',
      '├──────────┼───────┤',
      '│ train-01 │ 25.60 │',
      '│ web      │  0.35 │',
      '└──────────┴───────┘',
    ]);
  });

  test('uses plain characters when the locale has no others', () => {
    const printed = summaryTable(COLUMNS, ROWS, {hasBoxCharacters: false});
    expect(printed).toMatch(/^[\x20-\x7e\n]+$/);
    expect(printed.split('\n')[0]).toBe('+----------+-------+');
  });

  test('does not wrap a name of fifty characters', () => {
    const name = 'x'.repeat(50);
    expect(summaryTable([{title: 'NAME'}], [[name]], {hasBoxCharacters: true})).toContain(`│ ${name} │`);
  });

  test('cuts what is longer than any name, wraps nothing, and leaves no placeholder of wide characters', () => {
    const names = ['東'.repeat(500), `${'🚀'.repeat(31)}end`, 'x'.repeat(4000), '👩‍💻 short', 'é'.repeat(40)];
    const columns = [{title: 'NAME'}, {title: 'REGION'}, {title: 'ADDRESS'}];
    const rows = names.map(name => [name, name, name]);
    for (const hasBoxCharacters of [true, false]) {
      const lines = summaryTable(columns, rows, {hasBoxCharacters}).split('\n');
      expect(lines).toHaveLength(names.length + 4);
      expect(new Set(lines.map(line => stringWidth(line))).size).toBe(1);
      expect(lines.join('')).not.toMatch(/\p{Co}/u);
      const [, , , ideographs, rockets] = lines;
      const end = hasBoxCharacters ? '…' : '~';
      expect(ideographs?.split(/[│|]/)[1]).toBe(` ${'東'.repeat(31)}${end}  `);
      expect(rockets?.split(/[│|]/)[1]).toBe(` ${'🚀'.repeat(31)}e${end} `);
    }
  });
});
