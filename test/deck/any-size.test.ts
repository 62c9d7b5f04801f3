import {expect, test} from 'vitest';
import {goToMachines} from '../support/deck.ts';
import {openApp} from '../support/program.ts';
import {sweepOf} from '../support/tier.ts';

const PANES = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'];
const HEIGHTS = [16, 24, 30, 35, 50];

test('every pane and each of its parts is drawn at every width, and the deck goes on', {timeout: 240_000}, async () => {
  const app = await openApp({columns: 120, rows: 35});
  await goToMachines(app);
  const step = sweepOf({sample: 50, deep: 1});
  for (const pane of PANES) {
    await app.press(pane);
    for (let columns = 60; columns <= 210; columns += step) {
      app.resize(columns, HEIGHTS[columns % HEIGHTS.length] ?? 24);
      await app.press('tab');
    }
  }
  app.resize(120, 35);
  await app.press('2');
  await app.sees(/machines (\d+) of \1 /);
  expect(app.text()).toContain('[2 Machines]');
});
