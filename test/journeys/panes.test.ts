import {expect, test} from 'vitest';
import {executed, machineNamed} from '../support/colleague.ts';
import {ARMED, choose, cursorOn} from '../support/deck.ts';
import {openAppOnTerminal} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

// The built deck on a real terminal, once through each pane; what a pane can do beyond that is tested in test/deck.

const PATIENT = {timeout: 60_000};

test(
  'the overview leads to what needs attention, and the other panes show what there is, each by its key',
  PATIENT,
  async () => {
    const app = await openAppOnTerminal({simulator: await openSimulator()});
    await app.sees('machines 40');
    await app.sees('deletion in 5d');
    await app.press('j');
    await app.sees(/▶ +CRIT deletion in 5d/);
    await app.press('enter');
    await app.sees('[5 Billing]');
    await app.sees('H100 training, quarter #118');
    await app.sees(/ends +\S+ \S+Z +5 d 23 h left/);
    for (const [key, title] of [
      ['3', 'clusters 2 of 2'],
      ['5', 'top spenders'],
      ['6', /volumes (\d+) of \1 /],
      ['7', /buckets (\d+) of \1 /],
      ['8', /flavors (\d+) of \1 /],
      ['0', /you (\d+) of \1 /],
    ] as const) {
      await app.press(key);
      await app.sees(title);
    }
    await app.press(':', 'journal', 'enter');
    await app.sees('[Journal]');
  },
);

test('a machine is found and stopped, and a rule is added to a firewall', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 5});
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openAppOnTerminal({simulator});
  await app.sees('2 Ma');
  await app.press('2');
  await app.sees(/machines (\d+) of \1 /);
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await app.sees('SHUTOFF is billed like ACTIVE: stopping saves nothing');
  await app.sees(ARMED);
  expect(executed(simulator)).toEqual([]);
  await app.press('y');
  await app.sees(`stop sweep-04 #${id}: confirmed`);
  await app.sees(/sweep-04 +\S SHUTOFF\$/);
  expect(executed(simulator)).toEqual([`stop ${id}`]);

  await app.press('4');
  await app.sees('firewalls 8 of 8');
  await app.press('/', 'office-ssh', 'enter');
  await app.sees(cursorOn('office-ssh'));
  await app.press('tab', 'n', 's', 'tab', 'tab', 'tab', 'tab', '198.51.100.0/24', 'enter');
  await app.sees('+ ingress tcp/22 198.51.100.0/24');
  await app.sees(ARMED);
  expect(simulator.executions()).toHaveLength(1);
  await app.press('y');
  await app.sees(/add rule ingress tcp\/22 198\.51\.100\.0\/24 on office-ssh #\d+: confirmed/);
  expect(simulator.executions().map(({verb}) => verb)).toEqual(['stop', 'add-firewall-rule']);
});
