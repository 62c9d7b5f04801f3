import {beforeEach, expect, test} from 'vitest';
import {backToMachines, cursorOn, openMachines} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';

const atTop = shared(openMachines);

beforeEach(() => backToMachines(atTop()));

test('lists the keys, finds one by a word and says why it is off', async () => {
  const app = atTop();
  await app.press('?');
  for (const group of ['Everywhere', 'Panes']) await app.sees(new RegExp(`│ ${group} `));
  await app.sees(/ctrl-z +suspend +\S/);
  await app.press('pagedown');
  for (const group of ['Move', 'Look']) await app.sees(new RegExp(`│ ${group} `));

  await app.press('restore');
  await app.sees(/p u +restore +off: already ACTIVE/);
  await app.seesNot('ctrl-z');
  await app.press('esc');
  await app.seesNot('already ACTIVE     ');
  await app.sees(cursorOn('train-01'));
});

test('scrolls the help to its end', async () => {
  const app = atTop();
  app.resize(80, 24);
  await app.press('?');
  await app.sees(/│ Everywhere/);
  // More pages than there are: it stands still at the end.
  await app.press(...Array<string>(20).fill('pagedown'));
  await app.sees(/… +text was cut; the detail shows all of it/);
  await app.seesNot(/│ Everywhere/);
  app.resize(120, 35);
});

test('says when no key is meant', async () => {
  const app = atTop();
  await app.press('?', 'espresso');
  await app.sees('no key matches "espresso"');
});

test('opens a pane by its name or short name', async () => {
  const app = atTop();
  await app.press(':', 'vms');
  await app.sees(/> 2 +Machines/);
  await app.press('enter');
  await app.sees('machines 16 of 16');
  await app.seesNot('> 2');
});

test('runs a command by its name', async () => {
  const app = atTop();
  await app.press(':', 'describe', 'enter');
  await app.sees('2/7: record');
  await app.press(':', 'hel', 'enter');
  await app.sees(/│ Everywhere/);
});

test('says that a name means nothing, and does nothing', async () => {
  const app = atTop();
  await app.press(':', 'espresso');
  await app.sees('no matches');
  await app.press('enter');
  await app.sees('no such command or pane; ? lists them all');
  await app.press('j');
  await app.sees(cursorOn('train-03'));
});

test('leaves by :q', async () => {
  const app = await openMachines({scenario: 'empty'});
  await app.press(':', 'q', 'enter');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

test('takes Escape followed at once by a letter as both', async () => {
  const app = atTop();
  await app.press('/', 'train', 'enter');
  await app.sees('machines 4 of 16 /train');
  app.write('\u001bj');
  await app.sees('machines 16 of 16 ─');
  await app.sees(cursorOn('train-03'));
});
