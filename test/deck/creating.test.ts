import {expect, test} from 'vitest';
import * as z from 'zod';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {ARMED, cursorOn, openMachines, questionIsRead} from '../support/deck.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';

const USAGE = z.object({data: z.array(z.object({name: z.string(), bill_per_minute: z.number().nullable()}))});
const ENVIRONMENTS = z.object({environments: z.array(z.object({name: z.string(), region: z.string()}))});
const MACHINES = z.object({instances: z.array(z.object({environment: z.object({name: z.string()})}))});
const PATIENT = {timeout: 90_000};

test(
  'makes a machine by form: its price before, nothing sent without a yes, and billed once it runs',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud();
    const app = await openMachines({simulator});
    await app.press('n');
    await app.sees('new machine');
    await app.press(...'web-9');
    await app.sees(/flavor +← n1-cpu-small →/);
    // 0.35 times 730.
    await app.sees('$0.35/h  $255.50 for 730 h');
    await app.sees(/image +← Ubuntu Server .* →/);
    await app.sees(/key pair +← \S+ →/);
    await app.press('enter');
    await app.sees('create machine web-9');
    await app.sees('1: POST /core/virtual-machines');
    await app.sees(ARMED);
    await app.press('n');
    await app.seesNot('What happens');
    expect(made(simulator)).toEqual([]);
    // The form again, as it was filled in.
    await app.sees(/▶ name +web-9/);
    await app.sees('$0.35/h  $255.50 for 730 h');
    await app.press('enter');
    await app.sees(ARMED);
    expect(made(simulator)).toEqual([]);
    await app.press('y');
    await app.sees('machines 17 of 17', {withinMs: 30_000});
    expect(made(simulator)).toEqual(['POST /core/virtual-machines']);
    await app.sees(cursorOn('web-9'));
    await app.sees(/web-9 +▲ ACTIVE .* 0\.35 /, {withinMs: 60_000});
    expect(await billedPerHour(simulator, 'web-9')).toBeCloseTo(0.35, 6);
    expect(made(simulator)).toEqual(['POST /core/virtual-machines']);
  },
);

test(
  'warns of a cluster name over 20, tells the refusal in the words of the service, and makes one with a shorter name, which is being made then with all its nodes',
  PATIENT,
  async () => {
    const simulator = await openSimulator({scenario: 'on-call', clusterNameLimit: 20});
    const app = await openNewCluster(simulator, 'a-name-over-twenty-char');
    await app.sees('The name has 23 characters; the live service refuses more than 20.');
    await app.press('enter');
    await app.sees('create cluster a-name-over-twenty-char');
    await app.sees('Warnings');
    await app.sees(ARMED);
    expect(made(simulator)).toEqual([]);
    await app.press('y');
    // Wherever the line is folded.
    await app.sees(/refused \(400\): Input payload validation failed: name: is longer than\s+20\s+characters/, {
      withinMs: 20_000,
    });
    await app.sees('clusters 2 of 2');
    expect(made(simulator)).toEqual(['POST /core/clusters']);

    await app.press('3');
    await fillNewCluster(app, 'night');
    // In the environment of the cluster under the cursor, and so with the flavors of its region.
    await app.sees(/environment +← production-no →/);
    await app.sees(/flavor +← n3-RTX-A4000x1 →/);
    // Two workers at 0.15 each; masters are free.
    await app.sees('at least $0.30/h  $219.00 for 730 h');
    expect(app.text()).not.toContain('the live service refuses');
    await app.press('enter');
    await app.sees(ARMED);
    expect(made(simulator)).toHaveLength(1);
    await app.press('y');
    await app.sees('clusters 3 of 3', {withinMs: 30_000});
    await app.sees(/night +△ CREATING +1\.35\.1/);
    expect(made(simulator)).toEqual(['POST /core/clusters', 'POST /core/clusters']);
  },
);

test('shows the secret of an access key once, and never again', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator});
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('7', 'tab');
  await app.sees('access keys 5 of 5', {withinMs: 20_000});
  await app.press('n');
  await app.sees('new access key');
  await app.press('tab', ...'night', 'enter');
  await app.sees(ARMED);
  expect(simulator.executions()).toEqual([]);
  await app.press('y');
  await app.sees(/secret key +simulated-secret-\w+/, {withinMs: 20_000});
  const [secretKey = ''] = /simulated-secret-\w+/.exec(app.text()) ?? [];
  // The box opens by itself: a key pressed at once is meant for what was there before.
  await app.press('esc');
  expect(app.text()).toContain(secretKey);
  await questionIsRead(app);
  await app.press('esc');
  await app.sees('esc again closes it');
  await app.press('esc');
  await app.seesNot(secretKey);
  await app.press('g', 'enter');
  await app.sees('shown once, at creation; it cannot be read again');
  expect(app.text()).not.toContain(secretKey);
  expect(simulator.executions().map(({verb}) => verb)).toEqual(['create-access-key']);
});

const SIZES = [
  {columns: 80, rows: 24},
  {columns: 120, rows: 35},
  {columns: 200, rows: 50},
];

test.each(sweepOf({sample: SIZES.slice(0, 1), deep: SIZES}))(
  'lists environments with their region and number of machines in the forms at $columns×$rows',
  PATIENT,
  async size => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const environments = await environmentsIn(simulator);
    expect(environments).toHaveLength(4);
    const app = await openApp({simulator, ...size});
    await app.sees('clusters 2', {withinMs: 20_000});
    for (const [title, form, ...keys] of [
      ['firewalls 8 of 8', 'new firewall', '4'],
      ['key pairs 10 of 10', 'import key pair', '8', 'tab', 'tab'],
    ] as const) {
      await app.press(...keys);
      await app.sees(title, {withinMs: 20_000});
      await app.press('n');
      await app.sees(form);
      await app.press('tab');
      await app.sees('▶ environment');
      await app.press('/');
      await app.sees(`${form}: environment`);
      await app.sees(/ENVIRONMENT +REGION +MACHINES │/);
      for (const {name, region, machineCount} of environments)
        await app.sees(new RegExp(`│ [ ▶] +${name} +${region} +${machineCount} │`));
      // The list is searched by what stands beside a name too.
      await app.press(...'norway');
      await app.sees('norway   2 of 4');
      await app.press('esc', 'esc');
      await app.seesNot(form);
    }
  },
);

async function environmentsIn(simulator: Simulator) {
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${simulator.url}${path}`, {headers: {api_key: simulator.apiKey}})).json();
  const {environments} = ENVIRONMENTS.parse(await read('/core/environments'));
  const {instances} = MACHINES.parse(await read('/core/virtual-machines?pageSize=100'));
  return environments.map(({name, region}) => ({
    name,
    region,
    machineCount: instances.filter(({environment}) => environment.name === name).length,
  }));
}

async function openNewCluster(simulator: Simulator, name: string): Promise<App> {
  const app = await openApp({simulator});
  await app.sees('clusters 2', {withinMs: 20_000});
  await app.press('3');
  await app.sees('clusters 2 of 2');
  await fillNewCluster(app, name);
  return app;
}

async function fillNewCluster(app: App, name: string): Promise<void> {
  await app.press('n');
  await app.sees('new cluster');
  await app.sees(/kubernetes +← 1\.35\.1 →/);
  await app.press(...name);
}

/** What was asked for by any method but GET, whatever came of it. */
function made(simulator: Simulator): readonly string[] {
  return simulator
    .requests()
    .filter(({method}) => method !== 'GET')
    .map(({method, path}) => `${method} ${path}`);
}

async function billedPerHour(simulator: Simulator, name: string): Promise<number | undefined> {
  const answer = await fetch(`${simulator.url}/billing/billing/usage`, {headers: {api_key: simulator.apiKey}});
  const {data} = USAGE.parse(await answer.json());
  const perMinute = data.find(record => record.name === name)?.bill_per_minute ?? undefined;
  return perMinute === undefined ? undefined : perMinute * 60;
}
