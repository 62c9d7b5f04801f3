import {expect, test} from 'vitest';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {run} from '../cli/a-command.ts';
import {ARMED, choose, openMachines, questionIsRead} from '../support/deck.ts';
import type {App} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

test('asks before it leaves something under way, and goes on watching on any other key', PATIENT, async () => {
  const app = await openWithStopUnderWay();

  // Back to the overview, where the deck was opened, and then out of it.
  await app.press('q', 'q');
  await app.sees('1 operation is under way and continues.');
  await app.press('n');
  await app.seesNot('1 operation is under way');
  await app.press('q');
  await app.sees('y quits; other keys cancel');
  await app.press('y');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

test('asks in a terminal that is too small for the box, and takes its y', PATIENT, async () => {
  const app = await openWithStopUnderWay();
  app.resize(40, 10);
  await app.sees('terminal too small');
  await app.press('y', 'q');
  await app.sees('1 operation is under way and');
  await app.sees('y quits');
  await app.press('n');
  await app.sees('terminal too small');
  await app.press('q');
  await app.sees('y quits');
  await app.press('y');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

test('names behind the deck what of a batch was never sent', PATIENT, async () => {
  // The first is checked and sent, and its answer is awaited before the next.
  const simulator = await openSmallCloud({
    faults: ['kind=latency:2m,when=before,match=GET /core/virtual-machines/*/stop'],
  });
  const app = await openMachines({simulator});
  await app.press('*', 'p', 'x');
  await app.sees(/type the words stop \d+/);
  const count = Number(/type the words stop (\d+)/.exec(app.text())?.[1]);
  await questionIsRead(app);
  await app.press(...`stop`, 'space', ...`${count}`, 'enter');
  await app.sees('1 under way');
  await app.press('ctrl-c', 'ctrl-c');
  await app.exited;
  const left = count - 1;
  await app.sees(`skydeck: 1 operation is under way and continues; ${left} were not sent yet and will not be sent:`);
  await app.sees(/ {2}stop \S+ #\d+/);

  const {stdout} = await run(journalCommand, ['-o', 'json'], {simulator, home: app.home});
  const unsent = JSON.parse(stdout).filter(({phase}: {phase: string}) => phase === 'NOT_SENT');
  expect(unsent).toHaveLength(left);
  expect(unsent[0]).toMatchObject({detail: 'skydeck ended before it was sent'});
});

/** The deck with an operation so slow that it stays under way, however long the keys take. */
async function openWithStopUnderWay(): Promise<App> {
  const simulator = await openSmallCloud({speed: 0.1});
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('esc', 'p', 'x');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  return app;
}
