import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {choose, openMachines, questionIsRead} from '../support/deck.ts';
import {openApp, openHome} from '../support/program.ts';

const PATIENT = {timeout: 60_000};

function homeWith(settings: object) {
  const home = openHome();
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  return home;
}

test('measures the month by the budget that was set', PATIENT, async () => {
  const home = homeWith({budgetUsdPerMonth: 1_000_000, budgetAlertPercents: [90]});
  const app = await openApp({home, rows: 45});
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('5');
  await app.sees(/budget +\d+% of \$1\.0*M +(on pace|\d+% (over|under) pace)/, {withinMs: 20_000});
  await app.sees('stays below 90% this month');
});

test('asks with the prices and the billing that were set', PATIENT, async () => {
  const home = homeWith({billingByState: {SHUTOFF: 'storage'}, pricesUsdPerHour: {'n3-H100x8': 77}});
  const app = await openMachines({home});
  await choose(app, 'train-01');
  await app.press('p', 'x');
  await questionIsRead(app);
  await app.sees(/now \$25\.60\/h +after \$0\.\d+\/h +\(saves/);
  await app.seesNot('stopping saves nothing');
});

test('changes the colours where one says so, and keeps them for the next start', PATIENT, async () => {
  const home = homeWith({refreshSeconds: 30});
  const app = await openMachines({home});
  await app.press(':', 'theme', 'space', 'light', 'enter');
  await app.sees('theme light, kept in settings.json');
  expect(JSON.parse(readFileSync(join(home.path, 'config', 'settings.json'), 'utf8'))).toEqual({
    refreshSeconds: 30,
    theme: 'light',
  });
});
