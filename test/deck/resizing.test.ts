import {beforeEach, describe, expect, test} from 'vitest';
import {backToMachines, cursorOn, openMachines, questionIsRead} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import type {App} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};
const MOMENT = '2026-11-20T20:58:12Z';

describe('a deck in a world that stands still', PATIENT, () => {
  const opened = shared(openStillApp);

  beforeEach(async () => {
    const app = opened();
    app.resize(120, 35);
    await backToMachines(app);
  });

  test('draws every size whole, without a leftover of the one before', async () => {
    const app = opened();
    for (const [columns, rows] of [
      [200, 50],
      [80, 24],
      [120, 35],
      [60, 16],
      [120, 35],
    ] as const) {
      app.resize(columns, rows);
      await app.becomes(`to fill ${columns}×${rows}`, () => fills(app, columns, rows));
      await expectNoLeftovers(app);
      expectStraightFrame(app, columns);
      await app.sees(cursorOn('train-01'));
    }
  });

  test('keeps to a few lines where a question could not be read, and comes back', async () => {
    const app = opened();
    app.resize(50, 10);
    await app.sees('the deck needs 60×16');
    await app.sees('40 machines');
    await expectNoLeftovers(app);
    await app.press('p', 'x', '?', 'j');
    await app.seesNot('What happens');
    app.resize(120, 35);
    await app.sees(cursorOn('train-01'));
    await expectNoLeftovers(app);
    await app.seesNot('actions for train-01 #');
  });

  test('takes no yes for a question that a smaller terminal cuts off, before all of it was read', async () => {
    const app = opened();
    await app.press('p', 'x');
    await app.sees('type the name train-01');
    app.resize(60, 16);
    await app.sees('page 1 of 2; down shows the rest');
    await app.seesNot('Undo ');
    await questionIsRead(app);
    await app.press(...'train-01');
    await app.sees('│ train-01 ');
    await app.press('enter');
    await app.sees('page 1 of 2; down shows the rest');
    await app.press('down');
    await app.sees('Undo ');
    await questionIsRead(app);
    await app.press('enter');
    await app.seesNot('type the name train-01');
  });

  test('draws the whole detail at every size', async () => {
    const app = opened();
    await app.press('enter');
    for (const [columns, rows] of [
      [200, 50],
      [80, 24],
      [120, 35],
    ] as const) {
      app.resize(columns, rows);
      await app.becomes(`to fill ${columns}×${rows}`, () => fills(app, columns, rows));
      await app.sees('1/7: metrics');
      await expectNoLeftovers(app);
      expectStraightFrame(app, columns);
    }
  });
});

test('leaves by q from the smallest terminal', PATIENT, async () => {
  const app = await openMachines({scenario: 'empty'});
  app.resize(30, 3);
  // Its own words: until the program has heard of it, a real terminal shows the end of what was there.
  await app.sees('terminal too small');
  await app.press('q');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

/** A deck in a world that stands still: whatever moves on its screen was not meant to. */
async function openStillApp(): Promise<App> {
  const simulator = await openSimulator({startedAt: Date.parse(MOMENT), speed: 0});
  const app = await openMachines({simulator, env: {SKYDECK_NOW: MOMENT}});
  await app.sees(cursorOn('train-01'));
  await app.seesNot('reading the metrics');
  return app;
}

/** The frame reaches the last column, and the line with the keys is the last but the terminal's own. */
function fills(app: App, columns: number, rows: number): boolean {
  const lines = app.screen();
  const top = lines.find(line => line.startsWith('╭')) ?? '';
  return lines.length === rows && top.length === columns && (lines.at(-1) ?? '').startsWith(' <');
}

/** Rows that came into sight have been read: their figures arrive a few at a time. */
async function standsStill(app: App, shown: () => string): Promise<void> {
  let last = shown();
  let since = app.now();
  await app.becomes('to stand still', () => {
    if (shown() !== last) [last, since] = [shown(), app.now()];
    return app.now() - since >= STILL_MS;
  });
}

const STILL_MS = 600;

/** A fresh redraw gives the same screen; only ages and the measured latency may have moved on. */
async function expectNoLeftovers(app: App): Promise<void> {
  const shown = () => withoutAges(app.text());
  await standsStill(app, shown);
  const before = shown();
  const receivedCount = app.receivedByteCount();
  await app.press('ctrl-l');
  await app.becomes('to be drawn afresh', () => app.receivedByteCount() > receivedCount + before.length / 2);
  await app.becomes('to look as before it was drawn afresh', () => shown() === before);
}

function withoutAges(text: string): string {
  return text
    .replaceAll(/\b\d+(?:ms|s|m\d*)\b/g, 'AGE')
    .replaceAll(/req +\d+/g, 'req COUNT')
    .replaceAll(/[ ─]+/g, ' ');
}

function expectStraightFrame(app: App, columns: number): void {
  const lines = app.screen();
  const first = lines.findIndex(line => line.startsWith('╭'));
  const last = lines.findIndex(line => line.startsWith('╰'));
  for (let row = first; row <= last; row += 1) {
    expect(app.cell(row, columns - 1).char, `row ${row}: ${lines[row]}`).toMatch(/[╮│╯]/);
  }
}
