import {describe, expect, test} from 'vitest';
import {summaryTable} from '../../src/ui/summary-table.tsx';

const ROWS = [
  {NAME: 'train-01', '$/h': '25.60'},
  {NAME: 'web', '$/h': '0.35'},
];

describe('summaryTable', () => {
  test('prints one line a row under the titles, figures at the right', () => {
    expect(summaryTable(ROWS, {rightAligned: ['$/h'], hasBoxCharacters: true}).split('\n')).toEqual([
      '┌──────────┬───────┐',
      '│ NAME     │   $/h │',
      '├──────────┼───────┤',
      '│ train-01 │ 25.60 │',
      '│ web      │  0.35 │',
      '└──────────┴───────┘',
    ]);
  });

  test('keeps to plain characters where the locale has no others', () => {
    const printed = summaryTable(ROWS, {hasBoxCharacters: false});
    expect(printed).toMatch(/^[\x20-\x7e\n]+$/);
    expect(printed.split('\n')[0]).toBe('+----------+-------+');
  });

  test('does not fold a name of fifty characters', () => {
    const name = 'x'.repeat(50);
    expect(summaryTable([{NAME: name}], {hasBoxCharacters: true})).toContain(`│ ${name} │`);
  });
});
