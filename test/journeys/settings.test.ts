import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openHome, runProgram} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

function homeWith(settings: object) {
  const home = openHome();
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  return home;
}

test(
  'goes by the credit of the settings where the service does not say it, and says whose it is',
  PATIENT,
  async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    simulator.setFaults(['status=403,match=GET *credit*']);
    const home = homeWith({creditUsd: 1234.5});
    const {stdout} = await runProgram([], {simulator, home});
    expect(stdout).toMatch(/credit +\$1,234\.50 from your settings +lasts \d+[hd]/);
  },
);
