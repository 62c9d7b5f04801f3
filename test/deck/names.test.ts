import {expect, test} from 'vitest';
import {choose, cursorOn, openMachines} from '../support/deck.ts';
import type {App} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

test('says that a new account is empty', async () => {
  const app = await openMachines({scenario: 'empty'});
  await app.sees('acme-new');
  await app.sees('machines 0 of 0');
  await app.sees('this account has no machines');
  await app.sees(' $0.00/h ');
  await app.press('p');
  await app.sees('power: there is no machine under the cursor');
  await app.press('j', 'G', 'enter', 'w', 'tab', 'o', 'n', '/', 'x', 'enter', 'esc');
  await app.sees('this account has no machines');
});

test('keeps the columns straight beside wide, long and pictured names at 80×24, 120×35 and 200×50', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  const app = await openMachines({simulator, columns: 80, rows: 24});
  await app.sees(cursorOn('train-01'));
  await app.press('o', 'n');
  await app.sees('NAME↑');
  for (const [columns, rows] of [
    [80, 24],
    [120, 35],
    [200, 50],
  ] as const) {
    app.resize(columns, rows);
    await app.becomes(`to fill ${columns}×${rows}`, () => app.screen().some(line => line.length === columns));
    await app.press('g');
    await app.sees(cursorOn('🚀-launch-demo'));
    expectStraightColumns(app);
    await app.press('G');
    await app.sees('推論サーバー');
    expectStraightColumns(app);
    await choose(app, 'nightly-');
    expectStraightColumns(app);
    await app.press('esc');
    await app.sees(/machines (\d+) of \1 /);
  }
});

/** The state's shape stands in one column of cells in every row, and so does the frame's right edge. */
function expectStraightColumns(app: App): void {
  const lines = app.screen();
  const titlesRow = lines.findIndex(line => line.includes('NAME'));
  const endRow = lines.findIndex((line, row) => row > titlesRow && line.startsWith('╰'));
  const stateColumn = lines[titlesRow]?.indexOf('STATE') ?? -1;
  for (let row = titlesRow + 1; row < endRow; row += 1) {
    const about = `row ${row}: ${lines[row]}`;
    expect(app.cell(row, app.emulator.cols - 1).char, about).toBe('│');
    expect(app.cell(row, stateColumn).char, about).toMatch(/[▲■◔✖△▽◌ ]/);
    expect(app.cell(row, stateColumn - 1).char, about).toBe(' ');
  }
}
