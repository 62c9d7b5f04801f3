import {expect, test} from 'vitest';
import {cursorOn, goToMachines, shownNames} from '../support/deck.ts';
import {openApp} from '../support/program.ts';

test('opens on a small cloud of its own where no account: run, and says so', async () => {
  const app = await openApp({embedded: true});
  await app.sees('acme-prod');
  await app.sees(' SIMULATED ');
  await app.sees(/ \$\d+\.\d\d\/h /);
  await app.sees(/ \d\d:\d\d:\d\dZ/);
  await app.sees('machines 40');
  await goToMachines(app);
  await app.sees('machines 40 of 40');
  await app.sees(cursorOn('train-01'));
  expect(shownNames(app)[0]).toBe('train-01');
});
