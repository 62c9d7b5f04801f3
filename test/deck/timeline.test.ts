import {expect, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {cursorOn} from '../support/deck.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {deckTier} from '../support/virtual-time.ts';

const PATIENT = {timeout: 60_000};

async function openTimeline(simulator: Simulator): Promise<App> {
  const app = await openApp({simulator, columns: 120, rows: 35});
  await app.sees('machines ', {withinMs: 20_000});
  await app.press('9');
  await app.sees('[9 Timeline]');
  await app.sees(/timeline, last day \d/, {withinMs: 20_000});
  return app;
}

test('why did burn rise: the step, since when, which machines, who, and the machines in one key', PATIENT, async () => {
  const app = await openTimeline(await openSimulator({scenario: 'runaway-spend'}));
  await app.press('/', 'burn rate', 'enter');
  await app.sees(/finding +account +burn rate up by \$\d+/);
  await app.press('d');
  await app.sees('suspects for this step in burn');
  await app.sees(/hyperparam-sweep-01 #\d+/);
  await app.sees(/1 \d\d:\d\d:\d\dZ .*hyperparam-sweep-.*same object/);
  await app.press('esc', 'enter');
  await app.sees('[2 Machines]');
  await app.sees(/machines \d+ of \d+ \/hyperparam-sweep-/);
  await app.press('esc', 'esc');
  await app.sees('[9 Timeline]');
});

test('what was done from here is told with who and what the readings say, once', PATIENT, async () => {
  const app = await openTimeline(await openSmallCloud({speed: 3}));
  await app.press('2', '/', 'train-03', 'enter');
  await app.sees(cursorOn('train-03'));
  await app.press('p', 's');
  await app.sees('y sends it', {withinMs: 10_000});
  await app.press('y');
  await app.sees(/start train-03 #\d+: confirmed/, {withinMs: 120_000});
  await app.press('9', '/', 'train-03', 'enter');
  await app.sees(/event +train-03 +Instance is to be started/, {withinMs: 60_000});
  expect(app.screen().filter(line => /│.* operation +train-03/.test(line))).toEqual([]);
});

test('the window says how far back, and a filter for one machine leaves its entries', PATIENT, async () => {
  const app = await openTimeline(await openSmallCloud());
  await app.press('/', 'nosuchname', 'enter');
  await app.sees(/no matches for \/nosuchname \(\d+ entries of the last day; w looks further back\)/);
  await app.press('esc', 'w');
  await app.sees('timeline, last 7 days');
  await app.press('/', 'train-03', 'enter');
  const time = deckTier() === 'virtual' ? '11:43:52' : String.raw`\d\d:\d\d:\d\d`;
  await app.sees(new RegExp(`${time}Z +9h14 +event +train-03 +Instance is to be stopped`), {withinMs: 30_000});
  // From an entry to what belongs to its machine.
  await app.press('r');
  await app.sees('related to train-03');
  // Opened straight away, so its list may be still unread.
  await app.sees(/1 +environments? /);
  await app.press('esc');
});
