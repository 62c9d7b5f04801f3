import {describe, expect, test} from 'vitest';
import * as z from 'zod';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {executed} from '../support/colleague.ts';
import {ARMED, cursorOn} from '../support/deck.ts';
import {type App, type AppOptions, openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};
/** A documentation network that no rule of the account names. */
const TRAIN = '198.51.100.0/24';
const OFFICE = '203.0.113.0/24';
/** A rule takes two to six seconds of the world's time to hold; a much faster world would outdate the confirmations. */
const SPEED = 3;
const SLOW = {withinMs: 20_000};

test('adds a rule by form, watches it until it holds, and removes it again', PATIENT, async () => {
  const simulator = await openSimulator({speed: SPEED});
  const app = await openFirewall('office-ssh', {simulator});
  const id = await firewallIdOf(simulator, 'office-ssh');
  expect(await rulesOf(simulator, 'office-ssh')).toHaveLength(3);

  await app.press('tab', 'n');
  await app.sees('new rule on office-ssh');
  await app.sees(/CIDR .*required/);
  await app.press('s');
  await app.sees(/preset +\S ssh/);
  await app.sees(/ports +22 /);
  await app.press('tab', 'tab', 'tab', 'tab', '198.51.100');
  await app.sees('not a network or an address');
  await app.press('enter');
  await app.sees('go to the first mistake');
  expect(changes(simulator)).toEqual([]);
  await app.press('.0/24');
  await app.seesNot('not a network or an address');
  await app.press('enter');

  await app.sees('add rule on office-ssh');
  await app.sees(`+ ingress tcp/22 ${TRAIN}`);
  await app.sees('Applies to 3 machines.');
  await app.sees(`1: POST /core/firewalls/${id}/firewall-rules`);
  await app.sees(ARMED);
  expect(changes(simulator)).toEqual([]);
  await app.press('y');
  await app.sees(ruleRow(TRAIN, 'pending'));
  await app.sees(`add rule ingress tcp/22 ${TRAIN} on office-ssh #${id}: confirmed`, SLOW);
  await app.sees(ruleRow(TRAIN, 'SUCCESS'));
  expect(executed(simulator)).toEqual([`add-firewall-rule ${id}`]);
  expect(changes(simulator)).toEqual([`POST /core/firewalls/${id}/firewall-rules`]);
  const added = (await rulesOf(simulator, 'office-ssh')).find(rule => rule.remote_ip_prefix === TRAIN);
  expect(added).toMatchObject({direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22});

  await goToRule(app, TRAIN);
  await app.press('X');
  await app.sees('remove rule on office-ssh');
  await app.sees(`1: DELETE /core/firewalls/${id}/firewall-rules/${added?.id}`);
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`remove rule ingress tcp/22 ${TRAIN} on office-ssh #${id}: confirmed`, SLOW);
  await app.becomes('to have no such rule', () => app.screen().every(line => !ruleRow(TRAIN, '').test(line)));
  expect(executed(simulator)).toEqual([`add-firewall-rule ${id}`, `remove-firewall-rule ${id}`]);
  expect(await rulesOf(simulator, 'office-ssh')).toHaveLength(3);
});

test(
  'refuses in the form what is already there, warns of what opens to the world and of what adds nothing',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud();
    const app = await openFirewall('office-ssh', {simulator});
    await app.press('tab', 'n', 's', 'tab', 'tab', 'tab', 'tab', OFFICE);
    await app.sees('The same rule is already there: nothing to add.');
    await app.press('enter');
    await app.sees('go to the first mistake');
    await app.seesNot('What happens');
    await app.press('esc');
    await app.seesNot('new rule on office-ssh');
    expect(changes(simulator)).toEqual([]);

    await app.press('esc');
    await goToFirewall(app, 'edge');
    await app.press('tab', 'n', 's', 'tab', 'tab', 'tab', 'tab', TRAIN);
    await app.sees('The new rule adds nothing until ingress tcp/22 0.0.0.0/0 is removed.');
    await app.press('ctrl-u', '0.0.0.0/0', 'tab', 'ctrl-u', '8443');
    await app.sees('It opens this to the whole internet.');
    await app.press('enter');
    await app.sees('+ ingress tcp/8443 0.0.0.0/0');
    await app.sees(/Warnings +It opens this to the whole internet/);
    await app.sees(ARMED);
    await app.press('esc');
    await app.sees(/add rule on edge {2}#\d+: not sent/);
    expect(changes(simulator)).toEqual([]);
  },
);

describe('a rule that is edited', PATIENT, () => {
  test('is not touched when the new one is refused; is removed as it was once the new one holds', async () => {
    const simulator = await openSmallCloud({speed: SPEED, faults: ['status=403,match=POST /core/firewalls/*']});
    const app = await openFirewall('office-ssh', {simulator});
    const {id, oldId} = await editOfficeRule(app, simulator);
    await app.press('y');
    await app.sees('the old one is unchanged');
    await app.sees(ruleRow(OFFICE, 'SUCCESS'));
    expect(executed(simulator)).toEqual([]);
    const refused = [`POST /core/firewalls/${id}/firewall-rules`];
    expect(changes(simulator)).toEqual(refused);

    simulator.setFaults([]);
    await app.press('esc');
    await editOfficeRule(app, simulator);
    await app.press('y');
    await app.sees(`remove rule ingress tcp/22 ${OFFICE} on office-ssh #${id}: confirmed`, SLOW);
    await app.sees(ruleRow(TRAIN, 'SUCCESS'));
    expect(changes(simulator)).toEqual([
      ...refused,
      `POST /core/firewalls/${id}/firewall-rules`,
      `DELETE /core/firewalls/${id}/firewall-rules/${oldId}`,
    ]);
    expect(executed(simulator)).toEqual([`add-firewall-rule ${id}`, `remove-firewall-rule ${id}`]);
    const sshFrom = (await rulesOf(simulator, 'office-ssh'))
      .filter(({port_range_min: port}) => port === 22)
      .map(rule => rule.remote_ip_prefix);
    expect(sshFrom).toEqual([TRAIN]);
  });

  test('stays beside the new one when its removal is refused, and that is told', async () => {
    const simulator = await openSmallCloud({speed: SPEED, faults: ['status=403,match=DELETE /core/firewalls/*']});
    const app = await openFirewall('office-ssh', {simulator});
    const {id, oldId} = await editOfficeRule(app, simulator);
    await app.press('y');
    await app.sees('both rules are there now, X in the list of rules removes the old one', SLOW);
    await app.sees(ruleRow(OFFICE, 'SUCCESS'));
    await app.sees(ruleRow(TRAIN, 'SUCCESS'));
    expect(executed(simulator)).toEqual([`add-firewall-rule ${id}`]);
    expect(changes(simulator)).toEqual([
      `POST /core/firewalls/${id}/firewall-rules`,
      `DELETE /core/firewalls/${id}/firewall-rules/${oldId}`,
    ]);
  });
});

test('sends a removal once when nobody knows whether it was done', PATIENT, async () => {
  const simulator = await openSmallCloud({faults: ['status=500,match=DELETE /core/firewalls/*']});
  const app = await openFirewall('office-ssh', {simulator});
  await app.press('tab');
  await goToRule(app, OFFICE);
  await app.press('X');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/remove rule ingress tcp\/22 203\.0\.113\.0\/24 on office-ssh #\d+: outcome unknown/);
  await app.sees(ruleRow(OFFICE, 'SUCCESS'));
  // Whoever tries again is told what is under way instead.
  await app.press('X');
  await app.sees(
    /delete: one change at a time: remove rule ingress tcp\/22 203\.0\.113\.0\/24 on office-ssh #\d+: outcome unknown/,
  );
  await app.press('y');
  expect(changes(simulator)).toEqual([expect.stringMatching(/^DELETE \/core\/firewalls\/\d+\/firewall-rules\/\d+$/)]);
  expect(executed(simulator)).toEqual([]);
});

test('changes no rule in a read-only session, and says why', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openFirewall('office-ssh', {simulator, env: {SKYDECK_READ_ONLY: '1'}});
  await app.sees(' READ-ONLY ');
  await app.press('tab');
  await goToRule(app, OFFICE);
  const refusals = [
    ['n', 'new: read-only session; W allows writes for a while'],
    ['i', 'edit: read-only session; W allows writes for a while'],
    ['X', 'delete: read-only session; W allows writes for a while'],
  ] as const;
  for (const [key, why] of refusals) {
    await app.press(key);
    await app.sees(why);
    await app.seesNot('esc = ');
  }
  await app.press('enter', 'y');
  expect(changes(simulator)).toEqual([]);
});

/** The pane with the cursor on one firewall. */
async function openFirewall(name: string, options: AppOptions): Promise<App> {
  const app = await openApp(options);
  await app.sees('4 Firewalls', SLOW);
  await app.press('4');
  await app.sees('firewalls 8 of 8', SLOW);
  await goToFirewall(app, name);
  return app;
}

async function goToFirewall(app: App, name: string): Promise<void> {
  await app.press('/', 'ctrl-u', name, 'enter');
  await app.sees(`firewalls 1 of 8 /${name}`);
  await app.sees(cursorOn(name));
  await app.sees(`rules of ${name}`);
}

/** Opens the question, until it is readable, that moves the office's ssh to another network. */
async function editOfficeRule(app: App, simulator: Simulator): Promise<{id: number; oldId: number}> {
  const id = await firewallIdOf(simulator, 'office-ssh');
  const old = (await rulesOf(simulator, 'office-ssh')).find(rule => rule.remote_ip_prefix === OFFICE);
  if (old === undefined) throw new Error('The firewall has no rule for the office.');
  await app.press('tab');
  await goToRule(app, OFFICE);
  await app.press('i');
  await app.sees('edit rule on office-ssh');
  await app.sees('Nothing is changed yet.');
  await app.press('tab', 'tab', 'tab', 'tab', 'ctrl-u', TRAIN);
  await app.seesNot('Nothing is changed yet.');
  await app.press('enter');
  await app.sees(`+ ingress tcp/22 ${TRAIN}`);
  await app.sees(`− ingress tcp/22 ${OFFICE}`);
  await app.sees('If removing it fails, both rules stay');
  await app.sees(ARMED);
  return {id, oldId: old.id};
}

/** The row of an inbound ssh rule from this network in this state. */
function ruleRow(prefix: string, state: string): RegExp {
  return new RegExp(`ingress +tcp +22 +${prefix.replaceAll('.', String.raw`\.`)} +${state}`);
}

/** Moves the cursor from the first rule down to this one. */
async function goToRule(app: App, prefix: string): Promise<void> {
  const rules = app.screen().filter(line => /(ingress|egress) +\S+ +\S+ /.test(line));
  const index = rules.findIndex(line => ruleRow(prefix, '').test(line));
  await app.press('g', ...Array.from({length: index}, () => 'j'));
  await app.sees(new RegExp(`▶ +${ruleRow(prefix, '').source}`));
}

/** Every request that would change something, in order. */
function changes(simulator: Simulator): string[] {
  return simulator.requests().flatMap(({method, path}) => (method === 'GET' ? [] : [`${method} ${path}`]));
}

const firewallList = z.object({
  firewalls: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      rules: z.array(
        z.object({
          id: z.number(),
          direction: z.string(),
          protocol: z.string(),
          port_range_min: z.number().nullable(),
          port_range_max: z.number().nullable(),
          remote_ip_prefix: z.string(),
        }),
      ),
    }),
  ),
});

/** The firewall as another person with the same key sees it, past the deck. */
async function firewallNamed(simulator: Simulator, name: string) {
  const answer = await fetch(`${simulator.url}/core/firewalls?pageSize=100`, {headers: {api_key: simulator.apiKey}});
  const found = firewallList.parse(await answer.json()).firewalls.find(firewall => firewall.name === name);
  if (found === undefined) throw new Error(`The account has no firewall ${name}.`);
  return found;
}

async function firewallIdOf(simulator: Simulator, name: string): Promise<number> {
  return (await firewallNamed(simulator, name)).id;
}

async function rulesOf(simulator: Simulator, name: string) {
  return (await firewallNamed(simulator, name)).rules;
}
