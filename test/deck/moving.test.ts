import {describe, expect, test} from 'vitest';
import {colleagueStops} from '../support/colleague.ts';
import {choose, cursorOn, openMachines, shownNames} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {openSimulator} from '../support/simulator.ts';

/** Two lines of the pane's frame and the titles of the columns stand around the rows. */
const PAGE_ROWS = 12;

describe('the cursor', () => {
  const opened = shared(openMachines);

  test('moves by line, by half page, by page, to the top and to the bottom', async () => {
    const app = opened();
    await app.sees(cursorOn('train-01'));
    const names = shownNames(app);
    expect(names).toHaveLength(PAGE_ROWS);
    const seesCursorAt = (index: number) => app.sees(cursorOn(names[index]?.replace('…', '') ?? ''));

    await app.press('j');
    await seesCursorAt(1);
    await app.press('down');
    await seesCursorAt(2);
    await app.press('k', 'up');
    await seesCursorAt(0);

    await app.press('ctrl-d');
    await seesCursorAt(PAGE_ROWS / 2);
    await app.press('ctrl-u');
    await seesCursorAt(0);

    await app.press('ctrl-f');
    await app.becomes('to show the next page', () => !names.includes(cursorName(app) ?? ''));
    await app.press('ctrl-b');
    await seesCursorAt(0);

    await app.press('G');
    await app.becomes('to show the end', () => !names.includes(cursorName(app) ?? ''));
    const last = cursorName(app) ?? '';
    expect(shownNames(app).at(-1)).toBe(last);
    await app.press('j', 'j');
    expect(cursorName(app)).toBe(last);
    await app.press('g');
    await seesCursorAt(0);
  });

  test('takes keys that came in one piece over a slow line one by one', async () => {
    const app = opened();
    await app.sees(cursorOn('train-01'));
    app.write('jj');
    await app.sees(cursorOn('train-05'));
    app.write('jk\rq');
    await app.sees('machines 16 of 16');
    await app.sees(cursorOn('train-05'));
    await choose(app, 'train-02');
  });
});

function cursorName(app: {readonly text: () => string}): string | undefined {
  return /▶ +(\S+)/.exec(app.text())?.[1];
}

test('puts the cursor on the first machine when the list is sorted anew and reversed', async () => {
  const app = await openMachines();
  await app.sees(cursorOn('train-01'));
  await app.press('j');
  await app.sees(cursorOn('train-03'));

  await app.press('o', 'n');
  await app.sees('NAME↑');
  await app.sees(cursorOn(shownNames(app)[0] ?? ''));
  expect(shownNames(app)[0]).not.toBe('train-03');

  await app.press('O');
  await app.sees('NAME↓');
  await app.sees('order reversed: by name, descending');
  await app.sees(cursorOn(shownNames(app)[0] ?? ''));
});

test('keeps the cursor on its machine when a refresh moves the rows', async () => {
  const simulator = await openSimulator();
  const app = await openMachines({simulator});
  await app.sees(cursorOn('train-01'));
  await app.press('/', 'infer', 'enter');
  await app.press('o', 's');
  await app.sees('STATE↑');
  await app.press('g', 'j', 'j', 'j');
  await app.sees(cursorOn('infer-04'));
  expect(shownNames(app)).toEqual(['infer-01', 'infer-02', 'infer-03', 'infer-04', 'infer-05', 'infer-06']);

  await colleagueStops(simulator, 'infer-02');
  await app.press('ctrl-r');
  await app.sees(/infer-02 +\S STOPPING/);
  expect(shownNames(app)).toEqual(['infer-01', 'infer-03', 'infer-04', 'infer-05', 'infer-06', 'infer-02']);
  await app.sees(cursorOn('infer-04'));
});
