import {describe, expect, test} from 'vitest';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {run} from '../cli/a-command.ts';
import {executed, machineNamed, operationRequests} from '../support/colleague.ts';
import {ARMED, choose, openMachines} from '../support/deck.ts';
import type {App} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

/** Ways in which an answer says nothing, and what is shown of them. */
const ANSWERS = [
  ['with a 500', 'status=500', 'the service failed (500)'],
  ['by a cut connection', 'kind=reset', 'the connection was cut'],
  ['with a 503', 'status=503', 'the service failed (503)'],
  [
    'with a redirect to another host',
    'kind=redirect:https://elsewhere.example/',
    'the service redirected to elsewhere',
  ],
  ['with a redirect to itself', 'kind=redirect:/v1/core/virtual-machines,status=308', 'the service redirected to'],
] as const;

describe('a hard reboot that was answered', PATIENT, () => {
  test.each(
    ANSWERS.slice(0, sweepOf({sample: 2, deep: ANSWERS.length})),
  )('%s reaches the service once and is unknown until something was observed', async (_name, fault, told) => {
    const simulator = await openSmallCloud({speed: 10});
    const done = await machineNamed(simulator, 'sweep-04');
    const lost = await machineNamed(simulator, 'infer-06');
    simulator.setFaults([
      `${fault},match=GET /core/virtual-machines/${done.id}/hard-reboot,when=after`,
      `${fault},match=GET /core/virtual-machines/${lost.id}/hard-reboot,when=before`,
    ]);
    const app = await openMachines({simulator});

    await hardReboots(app, 'sweep-04');
    await app.sees(`hard reboot sweep-04 #${done.id}: outcome unknown: ${told}`);
    await hardReboots(app, 'infer-06');
    await app.sees(`hard reboot infer-06 #${lost.id}: outcome unknown: ${told}`);

    // The first one's history tells that it was carried out; of the second nothing is ever seen.
    await Promise.all([
      app.sees(`hard reboot sweep-04 #${done.id}: confirmed`, {withinMs: 20_000}),
      app.sees(`hard reboot infer-06 #${lost.id}: no effect seen; it was sent once and is not sent again`, {
        withinMs: 20_000,
      }),
    ]);
    expect(operationRequests(simulator)).toEqual([`hard-reboot ${done.id}`, `hard-reboot ${lost.id}`]);
    expect(executed(simulator)).toEqual([`hard-reboot ${done.id}`]);
  });
});

const isSample = sweepOf({sample: true, deep: false});
test.skipIf(isSample)(
  'calls a reboot unknown after 45 s without an answer, and serves keys meanwhile',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud({
      faults: ['kind=latency:3m,match=GET /core/virtual-machines/*/hard-reboot'],
    });
    const {id} = await machineNamed(simulator, 'infer-06');
    const app = await openMachines({simulator});
    await hardReboots(app, 'infer-06');
    await app.sees(`hard reboot infer-06 #${id}: sent, waiting for the answer`);
    await app.press('esc', '?');
    await app.sees('Everywhere');
    await app.press('esc');
    await app.sees(`hard reboot infer-06 #${id}: outcome unknown: timed out after 45 s`, {withinMs: 60_000});
    expect(operationRequests(simulator)).toEqual([`hard-reboot ${id}`]);
  },
);

test('confirms a reboot that was seen on its way', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 2});
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await hardReboots(app, 'sweep-04');
  await app.sees(/sweep-04 +\S REBOOTING/);
  await app.sees(`hard reboot sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  expect(executed(simulator)).toEqual([`hard-reboot ${id}`]);
});

test('shows beside the state what is not settled yet', PATIENT, async () => {
  const simulator = await openSmallCloud({faults: ['status=500,match=GET /core/virtual-machines/*/hard-reboot']});
  const app = await openMachines({simulator});
  await hardReboots(app, 'infer-06');
  await app.sees(/infer-06 +\S ACTIVE \?\d+s/);
});

test('tells an effect that comes after nothing was seen', {timeout: 240_000}, async () => {
  // The deck gives up after 45 s and then looks for a while; the service carries out what it was asked after all.
  const simulator = await openSmallCloud({
    speed: 10,
    faults: ['kind=latency:80s,when=before,match=GET /core/virtual-machines/*/stop'],
  });
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`stop sweep-04 #${id}: outcome unknown`, {withinMs: 60_000});
  await app.sees(`stop sweep-04 #${id}: no effect seen`, {withinMs: 60_000});
  expect(executed(simulator)).toEqual([]);
  await app.sees(`stop sweep-04 #${id}: no effect was seen at first`, {withinMs: 120_000});
  expect(executed(simulator)).toEqual([`stop ${id}`]);
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);
  const {stdout} = await run(journalCommand, [], {simulator, home: app.home});
  const {stdout: json} = await run(journalCommand, ['-o', 'json'], {simulator, home: app.home});
  expect(JSON.parse(json)).toMatchObject([{phase: 'NO_EFFECT_SEEN', outcome: 'EFFECT_SEEN_LATE'}]);
  expect(stdout).toMatch(/stop sweep-04 .*effect seen late +its effect was seen after all/);
});

async function hardReboots(app: App, name: string): Promise<void> {
  await choose(app, name);
  await app.press('p', 'r');
  await app.sees('The power is cut and it boots again');
  await app.sees(ARMED);
  await app.press('y');
}
