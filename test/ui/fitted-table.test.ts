import {describe, expect, test} from 'vitest';
import {type FittedColumn, fittedText, fitTable} from '../../src/ui/fitted-table.ts';

const COLUMNS: readonly FittedColumn[] = [
  {title: 'ID', align: 'right', rank: 0},
  {title: 'NAME', rank: 0},
  {title: 'STATE', rank: 0},
  {title: 'REGION', rank: 10},
  {title: 'AGE', align: 'right', rank: 9},
];

function table(rows: readonly (readonly string[])[], room: number, columns = COLUMNS): string | undefined {
  const fit = fitTable(columns, rows, room);
  return fit && fittedText(columns, [columns.map(({title}) => title), ...rows], fit);
}

describe('a table on a terminal', () => {
  const row = ['7', 'train-01', 'ACTIVE', 'CANADA-1', '5d'];

  // 2 + 8 + 6 + 8 + 3 cells and four gaps of two are 35.
  test('is unchanged when it has room', () => {
    expect(fitTable(COLUMNS, [row], 35)).toBeUndefined();
  });

  test('leaves out the least important columns first', () => {
    expect(table([row], 34)).toBe('ID  NAME      STATE   AGE\n 7  train-01  ACTIVE   5d\n');
    expect(table([row], 24)).toBe('ID  NAME      STATE\n 7  train-01  ACTIVE\n');
  });

  test('shortens long names in their middle before it leaves anything out', () => {
    const long = ['8', 'hyperparameter-sweep-of-the-night-20', 'ACTIVE', 'CANADA-1', '5d'];
    expect(table([row, long], 60)).toBe(
      [
        'ID  NAME                               STATE   REGION    AGE',
        ' 7  train-01                           ACTIVE  CANADA-1   5d',
        ' 8  hyperparameter-s…-of-the-night-20  ACTIVE  CANADA-1   5d',
        '',
      ].join('\n'),
    );
  });

  test('shortens the widest text when nothing more can be left out', () => {
    const rule = [
      {title: 'ON', rank: 0},
      {title: 'CIDR', rank: 0},
    ];
    expect(table([['firewall edge #31207', '203.0.113.0/24']], 31, rule)).toBe(
      'ON               CIDR\nfirewal… #31207  203.0.113.0/24\n',
    );
  });

  test('wraps text that has to be read in full, and keeps figures', () => {
    const columns: readonly FittedColumn[] = [
      {title: 'REASON', rank: 0, isProse: true},
      {title: 'N', align: 'right', rank: 0},
    ];
    const rows = [['The network interface eth0 was lost', '12']];
    expect(table(rows, 30, columns)).toBe(
      ['REASON                       N', 'The network interface eth0  12', 'was lost', ''].join('\n'),
    );
  });

  test('gives names the room of a text that most rows do not have', () => {
    const columns: readonly FittedColumn[] = [
      {title: 'NAME', rank: 0},
      {title: 'DETAIL', rank: 0, isProse: true},
    ];
    const named = ['hibernate hpc-sweep-01 #793392', '–'];
    const explained = ['stop edge-03 #793378', 'stopped at hibernate hpc-sweep-01'];
    // 30 cells for the name, a gap of two and 12 for the detail.
    expect(table([named, named, explained], 44, columns)).toBe(
      [
        'NAME                            DETAIL',
        'hibernate hpc-sweep-01 #793392  –',
        'hibernate hpc-sweep-01 #793392  –',
        'stop edge-03 #793378            stopped at',
        '                                hibernate',
        '                                hpc-sweep-01',
        '',
      ].join('\n'),
    );
    // Where most rows have it, it keeps 24 cells, and so do names: with the gap it begins at 26.
    expect(table([named, explained, explained], 50, columns)?.indexOf('DETAIL')).toBe(26);
  });
});
