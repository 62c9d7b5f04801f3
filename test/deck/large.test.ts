import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {goToMachines} from '../support/deck.ts';
import {openApp, openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

test('fills a large terminal with what belongs to the object under the cursor', async () => {
  const app = await openApp({scenario: 'on-call', columns: 200, rows: 50});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  // The same rules are counted wherever what is open is shown.
  await app.sees(/open to the world \d+ rules, \d+ exposed/, {withinMs: 20_000});
  const [openOnOverview] =
    app
      .screen()
      .join('\n')
      .match(/open to the world \d+ rules, \d+ exposed/) ?? [];

  await app.press('3');
  await app.sees(/VM STATE/);
  // How the node under the cursor does, between its list and the events.
  await app.sees(/CPU +<?\d+% of \d+ vCPUs/);
  await app.sees('load of its machines, 1h');
  await app.sees(/embed-worker-0 +<?\d+% /);
  // Two workers at $1.00 an hour each, on each whole day.
  await app.sees('$ per day of its machines, estimated');
  await app.sees('$60┤');

  await app.press('4');
  await app.sees(openOnOverview ?? 'no count');
  await app.sees(/attached machines 2/);
  await app.sees(/NET +bytes\/s/);
  // Attached to nothing: what it would open, and to which machines.
  await app.press('/', 'lab-old', 'enter');
  await app.sees('machines of dev sandbox 7');
  await app.sees('in   tcp port 3389  from anywhere (0.0.0.0/0)');
  await app.press('esc');

  await app.press('6');
  await app.sees('size by volume');
  await app.press('j');
  await app.sees(/related to backups/);
  await app.sees(/backup-gateway +. ACTIVE/);
  await app.sees(/DISK +bytes\/s/);

  await app.press('k');
  await app.sees('machines it can be attached to');

  await app.press('7');
  await app.sees('size by bucket');
  await app.sees('objects by bucket');
  await app.sees('access keys for CANADA-1');
  // A name beside empty room is whole: in the list, and before the bars.
  const whole = app
    .screen()
    .filter(line => line.includes('model-weights-of-everything-that-was-ever-released-to-customers'));
  expect(whole).toHaveLength(4);
  await app.press('tab');
  await app.sees('buckets in CANADA-1');
  await app.sees('other access keys for CANADA-1');

  await app.press('8', 'tab', 'tab', 'tab', 'tab');
  await app.sees('price of a unit');
  await app.press('j', 'j');
  await app.sees(/your machines with H100-80G-SXM5 2/);
  await app.sees(/train-03 +. SHUTOFF/);
  await app.press('tab');
  await app.sees(/related to A100-80G-PCIe/);
  await app.sees(/CPU +<?\d+% of \d+ vCPUs/);

  await app.press('0');
  await app.sees('month, $ per day');
  await app.sees(/\$\d,000┤/);
  await app.press('tab');
  await app.sees('what each role allows');
  await app.press('shift-tab');
  await app.sees('month, $ per day');
  const blank = app.screen().filter(line => /^[│ ]*$/.test(line)).length;
  expect(blank).toBeLessThan(10);
});

test('tells of a member and of a role what they may do', async () => {
  const app = await openApp({columns: 200, rows: 50});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  await app.press('0', 'tab');
  await app.sees('requests that Ines Albrecht may send');
  await app.press('tab');
  await app.sees('members whose roles allow something with access');
  await app.press('tab', 'j');
  await app.sees(/members with the role operator/);
  await app.sees(/requests that operator allows/);
  await app.sees(/DELETE +\/core\/firewalls\/\{firewall_id\}/);
});

test('says how much of a fleet beyond the bound it shows', {timeout: 60_000}, async () => {
  const simulator = await openSimulator({vmCount: 1300, scenario: 'big', rateLimitPerMinute: 'off'});
  const home = openHome();
  writeFileSync(join(home.path, 'config', 'settings.json'), '{"maxListRecords": 1000}', {mode: 0o600});
  const app = await openApp({simulator, columns: 120, rows: 35, home});
  await goToMachines(app);
  await app.sees('machines 1,000 of 1,000  showing 1,000 of 1,300');
});
