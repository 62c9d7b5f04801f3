import {expect, test} from 'vitest';
import {ARMED, choose, openMachines} from '../support/deck.ts';
import {openSimulator} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

test('asks before it leaves something under way, and goes on watching on any other key', PATIENT, async () => {
  // So slow that it stays under way, however long the keys take.
  const simulator = await openSimulator({speed: 0.1});
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('esc', 'p', 'x');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);

  // Back to the overview, where the deck was opened, and then out of it.
  await app.press('q', 'q');
  await app.sees('Operations are still under way');
  await app.press('n');
  await app.seesNot('Operations are still under way');
  await app.press('q');
  await app.sees('y quits; other keys cancel');
  await app.press('y');
  expect(await app.exited).toMatchObject({exitCode: 0});
});
