import {beforeEach, expect, test} from 'vitest';
import {backToMachines, cursorOn, openMachines, rowOf, shownNames} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';

const atTop = shared(() => openMachines({scenario: 'on-call'}));

beforeEach(() => backToMachines(atTop()));

test('finds machines by a word while it is typed, and keeps the filter on enter', async () => {
  const app = atTop();
  await app.press('/', 'train');
  await app.sees('machines 5 of 40 /train');
  expect(shownNames(app)).toEqual(['train-01', 'train-03', 'train-05', 'train-02', 'train-04']);
  await app.press('enter');
  await app.sees('<p>power');
  await app.sees('machines 5 of 40 /train');
});

test('puts the cursor on the first that is found, unless its own machine is among them', async () => {
  const app = atTop();
  await app.press('j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', '/', 'train', 'enter');
  await app.sees('machines 5 of 40 /train');
  await app.sees(cursorOn('train-01'));
  await app.press('esc', 'j', 'j', '/', 'train', 'enter');
  await app.sees('machines 5 of 40 /train');
  await app.sees(cursorOn('train-05'));
});

test('finds machines by a figure', async () => {
  const app = atTop();
  await app.sees(/serve-worker-1.*%/);
  await app.press('/', 'cpu>50');
  await app.sees(/machines [1-9] of 40 \/cpu>50/);
  const names = shownNames(app);
  expect(names.length).toBeGreaterThan(0);
  expect(names).not.toContain('train-02');
  for (const name of names) expect(Number(/(\d+)%/.exec(rowOf(app, name) ?? '')?.[1])).toBeGreaterThanOrEqual(50);
});

test('finds machines by their state', async () => {
  const app = atTop();
  await app.press('/', 'state:shutoff', 'enter');
  await app.sees(/train-03 +\S SHUTOFF\$/);
  await app.seesNot('ACTIVE  ');
  await app.press('esc', '/', '!state:active train', 'enter');
  await app.sees('machines 1 of 40 /!state:active train');
});

test('finds the nodes of a cluster by the word that the list shows, and everything but them', async () => {
  const app = atTop();
  await app.press('/', 'node');
  await app.sees(/machines [1-9]\d? of 40 \/node/);
  const nodeCount = shownNames(app).length;
  expect(shownNames(app).every(name => /^(serve|embed)-/.test(name))).toBe(true);
  await app.press('enter', 'esc', '/', '!node');
  await app.sees(`machines ${40 - nodeCount} of 40 /!node`);
});

test('tells a mistake while it is typed and hides nothing for it', async () => {
  const app = atTop();
  await app.press('/', 'cpu>abc');
  await app.sees('machines 40 of 40 /cpu>abc');
  await app.sees('expected a number after >');
  await app.press('esc', '/', '/(');
  await app.sees('machines 40 of 40');
  await app.sees('the closing / is missing');
});

test('says which filter hides everything and how to be rid of it', async () => {
  const app = atTop();
  await app.press('/', 'nobody', 'enter');
  await app.sees('no matches for /nobody (40 machines); esc clears the filter');
  await app.press('esc');
  await app.sees('machines 40 of 40 ─');
});

test('goes back to what was there before on escape, the filter and the cursor', async () => {
  const app = atTop();
  await app.press('/', 'infer', 'enter');
  await app.sees('machines 6 of 40 /infer');
  await app.press('j');
  await app.sees(cursorOn('infer-05'));
  await app.press('/', 'right', '-04');
  await app.sees('machines 1 of 40 /infer-04');
  await app.press('esc');
  await app.sees('machines 6 of 40 /infer ');
  await app.sees(cursorOn('infer-05'));

  await app.press('esc');
  await app.sees('machines 40 of 40 ─');
  await app.sees(cursorOn('infer-05'));
});
