import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {cursorOn, openMachinesOnTerminal} from '../support/deck.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';

const RESIZES = sweepOf({sample: 100, deep: 200, whole: 1000});
const INTERVAL_MS = 10;
const MOST_PER_SECOND = 20;
/** From nothing to more than anybody has, and in the end an ordinary one. */
const SIZES = [
  [1, 1],
  [80, 24],
  [500, 200],
  [59, 15],
  [120, 35],
  [20, 4],
  [200, 50],
  [60, 16],
] as const;
const LAST_SIZE = [100, 30] as const;
/** A new size is drawn from nothing. */
const WHOLE_DRAWN = '\u001b[H\u001b[J';

test('keeps up with a terminal that is resized without end', {timeout: 120_000}, async () => {
  const app = await openMachinesOnTerminal();
  await app.sees(cursorOn('train-01'));
  const drawnBefore = wholeDrawings(app.raw());
  const begunAt = performance.now();
  for (let count = 0; count < RESIZES; count += 1) {
    const [columns, rows] = SIZES[count % SIZES.length] ?? LAST_SIZE;
    app.resize(columns, rows);
    await pause(INTERVAL_MS);
  }
  const seconds = (performance.now() - begunAt) / 1000;
  const drawnCount = wholeDrawings(app.raw()) - drawnBefore;
  app.resize(...LAST_SIZE);
  await app.becomes(
    'to fill its last size',
    () => app.screen().some(line => /^╭.{98}╮$/.test(line)) && cursorOn('train-01').test(app.text()),
  );
  // Nothing of a larger frame is left: every line ends where the terminal does.
  expect(app.screen().filter(line => line.startsWith('│') && !/^│.*│$/.test(line))).toEqual([]);
  expect(drawnCount).toBeGreaterThan(0);
  expect(drawnCount / seconds).toBeLessThanOrEqual(MOST_PER_SECOND);
  reportCounted('resizes', RESIZES);
  reportMeasured(
    `${RESIZES} resizes in ${seconds.toFixed(1)} s, ${(drawnCount / seconds).toFixed(1)} repaints a second`,
  );
  await app.press('j');
  await app.sees(cursorOn('train-03'));
});

function wholeDrawings(raw: string): number {
  return raw.split(WHOLE_DRAWN).length - 1;
}
