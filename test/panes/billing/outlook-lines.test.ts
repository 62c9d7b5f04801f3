import {expect, it} from 'vitest';
import {computeFigures, topSpenders} from '../../../src/domain/money/figures.ts';
import {changeLines, sumsLine} from '../../../src/panes/billing/outlook-lines.ts';
import {createStore} from '../../../src/state/store.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';

/** Two machines, at $4 and $3 an hour, for an hour. */
const FIGURES = computeFigures([aUsageRecord(1, '4'), aUsageRecord(2, '3')], [], NOW);

it('says that days and spenders add up to the month, or by how much they do not', () => {
  expect(textOf(sumsLine(FIGURES, topSpenders(FIGURES), {check: '✔'}))).toBe('  ✔ days and spenders add up');
  const [first] = topSpenders(FIGURES);
  const short = first === undefined ? [] : [first];
  expect(textOf(sumsLine(FIGURES, short, {check: '✔'}))).toBe('  spenders $3.00 short');
});

it('tells what the burn rate was and the record that changed it most, its name cut in the middle where it must be', () => {
  const shown = (width: number) =>
    changeLines({store: createStore(), now: NOW}, FIGURES, {labelCells: 10, width}).map(textOf);
  expect(shown(60)).toEqual([
    ' 1 h ago   $0.00/h',
    '   since   +$4.00/h gpu-1, 1 more',
    ' 24 h ago  $0.00/h',
    '   since   +$4.00/h gpu-1, 1 more',
  ]);
  expect(shown(32)[1]).toBe('   since   +$4.00/h gp…1, 1 more');
});
