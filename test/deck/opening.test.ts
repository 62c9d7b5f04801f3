import {expect, test} from 'vitest';
import {cursorOn, openMachines, shownNames} from '../support/deck.ts';
import {openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

test('opens on the account of the environment without calling it simulated', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  const app = await openMachines({simulator});
  await app.sees('acme-prod');
  await app.sees(/ \$\d+\.\d\d\/h /);
  expect(app.text()).not.toContain('SIMULATED');
  expect(simulator.requests().every(({apiKeyPresent}) => apiKeyPresent)).toBe(true);
});

test('moves with its next readings: the screen tells something new, not only how old it is', async () => {
  const app = await openApp();
  await app.sees('acme-prod');
  await app.sees('machines 16');
  const told = () => app.screen().slice(HEADER_ROWS).join('\n').replaceAll(AGES, 'AGE');
  const before = told();
  await app.becomes('to tell something new', () => told() !== before, {withinMs: MACHINES_INTERVAL_MS + SLACK_MS});
});

/** Machines are read this often; where all first readings came in one frame, nothing is new before the second. */
const MACHINES_INTERVAL_MS = 10_000;
const SLACK_MS = 10_000;
/** The line with the clock, and the tabs. */
const HEADER_ROWS = 2;
const AGES = /\d+(?:ms|s)\b/g;

test('starts at the costliest machine, also when the bill comes late', async () => {
  const simulator = await openSimulator({faults: ['kind=latency:1500ms,match=GET /billing/*']});
  const app = await openMachines({simulator});
  await app.sees(/ \$\d+\.\d\d\/h /);
  await app.sees(cursorOn('train-01'));
  expect(shownNames(app)[0]).toBe('train-01');
});

test('shows what else was read if the list of machines does not come', async () => {
  const simulator = await openSmallCloud({faults: ['kind=latency:10s,match=GET /core/virtual-machines']});
  const app = await openApp({simulator});
  await app.sees(/burn +\$/);
  expect(app.text()).not.toContain('machines 16');
});
