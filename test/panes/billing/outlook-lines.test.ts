import {expect, it} from 'vitest';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {changeLines, sumsLine} from '../../../src/panes/billing/outlook-lines.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';

/** Two machines, at $4 and $3 an hour, for an hour. */
const FIGURES = computeFigures([aUsageRecord(1, '4'), aUsageRecord(2, '3')], [], NOW);

it('says that days and spenders add up to the month, or by how much they do not', () => {
  expect(textOf(sumsLine(FIGURES, '✔'))).toBe('  ✔ days and spenders add up');
  const [first] = FIGURES.spenders;
  const short = {...FIGURES, spenders: first === undefined ? [] : [first]};
  expect(textOf(sumsLine(short, '✔'))).toBe('  spenders $3.00 short');
});

it('tells the burn rate of a day ago and the record that changed it most', () => {
  const [, dayAgo] = changeLines(FIGURES, 10);
  expect(textOf(dayAgo ?? [])).toBe(' 24 h ago  $0.00/h +$4.00/h gpu-1');
});
