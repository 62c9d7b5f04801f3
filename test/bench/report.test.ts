import {expect, test} from 'vitest';
import {type Figure, formatTable, verdict} from './report.ts';

test.each<[name: string, value: number | undefined, target: number | undefined, expected: string]>([
  ['a target is met by its own value', 2, 2, 'met'],
  ['a target is missed by a higher value', 2.01, 2, 'missed'],
  ['a value without a target is not judged', 9, undefined, ''],
  ['a value that this machine cannot measure is not judged', undefined, 2, ''],
  ['a value that is not a number is not judged', Number.NaN, 2, ''],
])('%s', (_name, value, target, expected) => {
  expect(verdict({value, ...(target === undefined ? {} : {target})})).toBe(expected);
});

test('shows the name of a group once, n/a for a missing value, and aligned columns', () => {
  const figures: Figure[] = [
    {group: 'start', name: 'first frame', value: 50, unit: 'ms'},
    {group: 'start', name: 'ratio', value: 2.5, unit: '×', target: 2},
    {group: 'at rest', name: 'memory', value: undefined, unit: 'MB', target: 120},
  ];
  expect(formatTable(figures).split('\n')).toEqual([
    '         measured       value  target',
    'start    first frame  50.0 ms',
    '         ratio         2.50 ×  ≤ 2 ×     missed',
    'at rest  memory           n/a  ≤ 120 MB',
  ]);
});
