import {expect, onTestFinished, test} from 'vitest';
import {environmentOf, programPath} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {openShell} from '../support/shell.ts';
import {openSimulator} from '../support/simulator.ts';
import {isDeep} from '../support/tier.ts';

// cli/table-text.test.ts has the widths of such names.
test.runIf(isDeep)('keeps the columns of the printed overview straight as well', async () => {
  const simulator = await openSimulator({faults: ['status=500,match=GET /billing/*']});
  const shell = await openShell({rows: 60, env: environmentOf({home: openHome(), connection: simulator})});
  onTestFinished(shell.close);
  shell.run(`'${process.execPath}' '${programPath}' 2>&1 | cat`);
  await shell.sees('推論サーバー-東京-01');
  await shell.seesPrompt();
  const row = shell.screen().findIndex(line => line.includes('推論サーバー-東京-01'));
  const edges = (of: number) =>
    Array.from({length: 120}, (_, column) => column).filter(column => shell.cell(of, column).char === '│');
  expect(edges(row)).toEqual(edges(row - 1));
});
