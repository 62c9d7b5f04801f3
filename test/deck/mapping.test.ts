import {expect, test} from 'vitest';
import {cursorOn, openMachines} from '../support/deck.ts';

test('the map shows each machine in its group, and leads to it', async () => {
  const app = await openMachines({scenario: 'on-call'});
  await app.sees(cursorOn('train-01'));
  await app.press('+');
  await app.sees('machines 40 of 40  by environment, CPU utilization');
  await app.sees(/research-ca +9 machines/);
  // The costliest comes first in its group.
  await app.sees('machines › train-01');
  await app.press('l');
  await app.sees('machines › train-03');
  await app.press('h');
  await app.sees('machines › train-01');

  await app.press('v');
  await app.sees('group by flavor');
  await app.press('f');
  await app.sees('by flavor, CPU utilization');
  // Many small groups stand behind each other: train-01 and the stopped train-03 have this flavor.
  await app.sees(/n3-H100-SXM5x8 \d■ n3-H100x1/);
  await app.press('v', 'g');
  await app.sees(/colour by GPU: .*GPU load/);
  await app.press('v', 's');
  await app.sees('by flavor, state');

  await app.press('enter');
  await app.sees('1/7: metrics');
  await app.seesNot('by flavor, state');
  await app.press('esc');
  await app.sees('by flavor, state');
  await app.press('esc');
  await app.sees(cursorOn('train-01'));
});

test('moves sideways on the map only: in the list and in a detail the same machine stays chosen', async () => {
  const app = await openMachines();
  await app.sees(cursorOn('train-01'));
  for (const [key, word] of [
    ['h', 'left'],
    ['l', 'right'],
    ['left', 'left'],
    ['right', 'right'],
  ] as const) {
    await app.press(key);
    await app.sees(`${word}: only on the map (+)`);
    await app.sees(cursorOn('train-01'));
  }
  await app.press('+', 'enter', 'l');
  await app.sees('right: only on the map (+)');
  await app.sees('machines › train-01');
});

test('what is chosen for the map shows the map', async () => {
  const app = await openMachines();
  await app.sees(cursorOn('train-01'));
  await app.press('v', 's');
  await app.sees('machines 16 of 16  by environment, state');
  await app.press('enter');
  await app.sees('1/7: metrics');
  await app.press('v', 'f');
  await app.sees('machines 16 of 16  by flavor, state');
});

test('shows what is marked, and says which keys need the list', async () => {
  const app = await openMachines();
  await app.sees(cursorOn('train-01'));
  await app.press('+');
  await app.sees('machines 16 of 16  by environment, CPU utilization');
  await app.press('space');
  await app.sees('by environment, CPU utilization  1 marked');
  await app.press('ctrl-w');
  await app.sees('wide: the map has cells instead of rows; + shows the list');
  await app.press('V');
  await app.sees('mark range: the map has cells instead of rows; + shows the list');
  await app.press('M');
  await app.seesNot('1 marked');
});

test('a filter dims what it does not find, and the cursor passes it', async () => {
  const app = await openMachines({scenario: 'on-call', columns: 80, rows: 24});
  await app.sees(cursorOn('train-01'));
  await app.press('+');
  await app.sees('by environment, CPU utilization');
  await app.press('/', 's', 'w', 'e', 'e', 'p', 'enter');
  await app.sees('machines 2 of 40 /sweep');
  await app.sees('machines › sweep-04');
  await app.press('l');
  await app.sees('machines › sweep-02');
  await app.press('l');
  expect(app.text()).toContain('machines › sweep-02');
  expect(app.text()).toContain('research-ca  9 machines');
});
