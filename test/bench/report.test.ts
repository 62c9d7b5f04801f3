import {expect, test} from 'vitest';
import {type Figure, formatTable, verdict} from './report.ts';

test.each<[name: string, value: number | undefined, target: number | undefined, expected: string]>([
  ['a value at its target is met', 2, 2, 'met'],
  ['a value past its target is missed', 2.01, 2, 'missed'],
  ['a value without a target is not judged', 9, undefined, ''],
  ['what this machine cannot tell is not judged', undefined, 2, ''],
  ['what was never measured is not judged', Number.NaN, 2, ''],
])('%s', (_name, value, target, expected) => {
  expect(verdict({value, ...(target === undefined ? {} : {target})})).toBe(expected);
});

test('names a group once, says n/a and keeps the columns straight', () => {
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
