import {describe, expect, test} from 'vitest';
import * as z from 'zod';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {executed} from '../support/colleague.ts';
import {ARMED, choose, openMachines, questionIsRead} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {type App, openApp} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';

const MACHINE = z.object({
  instance: z.object({
    labels: z.array(z.string()),
    callback_url: z.string().nullable(),
    floating_ip: z.string().nullable(),
  }),
});
const PATIENT = {timeout: 90_000};
/** The only machine that is new in this scenario: running, of the environment of the one free volume. */
const NAME = 'eval-02';
const ID = 793_410;
const SLOW = {withinMs: 40_000};

describe('one machine', PATIENT, () => {
  const opened = shared(openOnMachine);

  test('sets labels and a callback by form, and takes the callback away', async () => {
    const {simulator, app} = opened();
    await app.press('i', 'l');
    await app.sees(`labels of ${NAME}`);
    await app.press('ctrl-u', ...'night,gpu', 'enter');
    await yes(app, simulator, `PUT /core/virtual-machines/${ID}/label`);
    await app.sees(/set labels night, gpu .*confirmed/, SLOW);
    await app.press('i', 'b');
    await app.sees(`callback of ${NAME}`);
    await app.press(...'http://127.0.0.1:9/hook', 'enter');
    await yes(app, simulator, `POST /core/virtual-machines/${ID}/attach-callback`);
    await app.sees(/callback .*confirmed/, SLOW);
    await app.press('i');
    await app.sees('http://127.0.0.1:9/hook');
    await app.press('B');
    await yes(app, simulator, `DELETE /core/virtual-machines/${ID}/delete-callback`);
    await app.sees(/remove the callback .*confirmed/, SLOW);
    expect(await record(simulator)).toMatchObject({labels: ['night', 'gpu'], callback_url: null});
  });

  test('attaches the one free volume and detaches it again', async () => {
    const {simulator, app} = opened();
    const before = executed(simulator).length;
    await app.press('6');
    await app.sees(/volumes (\d+) of \1 /, SLOW);
    await app.press('2');
    await app.press('i', 'v');
    await app.sees('[ ] scratch-3');
    await app.press('space', 'enter');
    await yes(app, simulator, `POST /core/virtual-machines/${ID}/attach-volumes`);
    await app.sees(/attach volume .*confirmed/, SLOW);
    await app.press('i', 'V');
    await app.sees('scratch-3');
    await app.press('space', 'enter');
    await app.sees('What happens');
    expect(executed(simulator).slice(before)).toEqual([`attach-volumes ${ID}`]);
    await app.sees(/type the name/);
    await questionIsRead(app);
    await app.press(...NAME, 'enter');
    await app.sees(/detach volume .*confirmed/, SLOW);
    expect(executed(simulator).slice(before)).toEqual([`attach-volumes ${ID}`, `detach-volumes ${ID}`]);
  });

  test('takes a public address with its price, and gives it away only for the name', async () => {
    const {simulator, app} = opened();
    const before = sent(simulator).length;
    await app.press('i', 'i');
    await app.sees('$0.0067/h');
    await yes(app, simulator, `POST /core/virtual-machines/${ID}/attach-floatingip`);
    await app.sees(/attach a public address .*confirmed/, SLOW);
    const {floating_ip: address} = await record(simulator);
    expect(address).toMatch(/^198\.18\./);
    await app.press('i', 'I');
    await app.sees('What happens');
    await app.sees(String(address));
    await app.sees(/type the name/);
    await questionIsRead(app);
    await app.press('y', 'enter');
    await app.sees('What happens');
    expect(sent(simulator).slice(before)).toEqual([`POST /core/virtual-machines/${ID}/attach-floatingip`]);
    await app.press('backspace', ...NAME, 'enter');
    await app.sees(/detach the public address .*confirmed/, SLOW);
    expect(sent(simulator)).toHaveLength(before + 2);
  });

  test('shows the console of a machine once, and keeps nothing of it', async () => {
    const {simulator, app} = opened();
    await app.press('i', 'c');
    await app.sees(/https:\/\/console\.example\/\S*SIMULATED-console/, SLOW);
    const [url = ''] = /SIMULATED-console-\S+/.exec(app.text()) ?? [];
    await app.press('esc');
    await app.press('esc');
    await app.seesNot(url);
    const asked = simulator.requests().filter(({path}) => path.endsWith('/request-console'));
    expect(asked).toHaveLength(1);
  });
});

test('says what a key without any role may not do before it is tried', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator: {...simulator, apiKey: simulator.keys.none}});
  for (const [key, list] of [
    ['2', 'machines'],
    ['3', 'clusters'],
    ['4', 'firewalls'],
    ['6', 'volumes'],
  ] as const) {
    await app.press(key);
    await app.sees(`${list} unknown: this key may not do that`, SLOW);
    await app.press('n');
    await app.sees(`new: the role of this key may not read ${list}`);
  }
  expect(sent(simulator)).toEqual([]);
});

async function openOnMachine(): Promise<{readonly simulator: Simulator; readonly app: App}> {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator});
  await choose(app, NAME);
  return {simulator, app};
}

/** Nothing of the question was sent before its yes, and its one call after it. */
async function yes(app: App, simulator: Simulator, call: string): Promise<void> {
  await app.sees(`1: ${call}`);
  await app.sees(ARMED);
  expect(sent(simulator)).not.toContain(call);
  await app.press('y');
  await app.becomes(`sent ${call}`, () => sent(simulator).includes(call));
}

function sent(simulator: Simulator): readonly string[] {
  return simulator
    .requests()
    .filter(({method}) => method !== 'GET')
    .map(({method, path}) => `${method} ${path}`);
}

async function record(simulator: Simulator): Promise<z.infer<typeof MACHINE>['instance']> {
  const answer = await fetch(`${simulator.url}/core/virtual-machines/${ID}`, {headers: {api_key: simulator.apiKey}});
  return MACHINE.parse(await answer.json()).instance;
}
