import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {choose, openMachines, questionIsRead} from '../support/deck.ts';
import {openApp, openHome, runProgram} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

function homeWith(settings: object) {
  const home = openHome();
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  return home;
}

test('measures the month by the budget that was set', PATIENT, async () => {
  const home = homeWith({budgetUsdPerMonth: 1_000_000, budgetAlertPercents: [90]});
  const app = await openApp({home});
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('5');
  await app.sees(/budget +\d+% of \$1\.0*M +pace \d+\.\d\d/, {withinMs: 20_000});
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

test(
  'goes by the credit of the settings where the service does not say it, and says whose it is',
  PATIENT,
  async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    simulator.setFaults(['status=403,match=GET *credit*']);
    const home = homeWith({creditUsd: 1234.5});
    const {stdout} = await runProgram([], {simulator, home});
    expect(stdout).toMatch(/credit +\$1,234\.50 by your settings +lasts \d+[hd]/);
  },
);
