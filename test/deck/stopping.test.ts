import {beforeEach, describe, expect, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {executed, machineNamed, operationRequests} from '../support/colleague.ts';
import {
  ARMED,
  backToMachines,
  choose,
  cursorOn,
  openMachines,
  questionIsRead,
  rowOf,
  typeName,
} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import type {App} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

async function openAtSweep(): Promise<{readonly app: App; readonly simulator: Simulator}> {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  return {app, simulator};
}

test('stops a quiet machine: the price first, then y, who holds it meanwhile, what was observed', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');

  await app.press('p');
  await app.sees(/x +stop +SHUTOFF, still \$5\.41\/h/);
  await app.press('x');
  await app.sees(`stop sweep-04  #${id}`);
  await app.sees('SHUTOFF is billed like ACTIVE: stopping saves nothing');
  await app.sees('It is quiet');
  await app.sees(`GET /core/virtual-machines/${id}/stop`);
  await app.sees(ARMED);
  expect(operationRequests(simulator)).toEqual([]);

  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  await app.sees(/sweep-04 +\S STOPPING/);
  await app.press('p');
  await app.sees(/x +stop +off: stop sweep-04 #\d+: under way/);
  await app.press('x');
  await app.seesNot('What happens');
  await app.sees(cursorOn('sweep-04'));
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);

  await app.sees(`stop sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  await app.sees(/sweep-04 +\S SHUTOFF\$/);
  // A stopped machine costs what it did: 5.4 and an address.
  expect(rowOf(app, 'sweep-04')).toContain(' 5.41 ');
  expect(executed(simulator)).toEqual([`stop ${id}`]);
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);
});

test('starts it again', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 3});
  const {id} = await machineNamed(simulator, 'train-03');
  const app = await openMachines({simulator});
  await choose(app, 'train-03');
  await app.press('p', 's');
  await app.sees('It boots and becomes ACTIVE');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`start train-03 #${id}: confirmed`, {withinMs: 20_000});
  await app.sees(/train-03 +\S ACTIVE/);
  expect(executed(simulator)).toEqual([`start ${id}`]);
});

describe('what does not stop a machine', PATIENT, () => {
  const opened = shared(openAtSweep);

  beforeEach(async () => {
    const {app} = opened();
    await backToMachines(app);
    await choose(app, 'sweep-04');
  });

  /** The question closes as a no, and after all that was pressed the service was asked for nothing. */
  async function endsUnsent(): Promise<void> {
    const {app, simulator} = opened();
    await app.press('esc');
    await app.sees(/stop sweep-04 +#\d+: not sent/);
    await app.seesNot('What happens');
    expect(operationRequests(simulator)).toEqual([]);
  }

  test('is a y before the question could be read', async () => {
    const {app} = opened();
    await app.press('p', 'x', 'y');
    await app.sees('What happens');
    await app.sees(ARMED);
    await endsUnsent();
  });

  test('is a y typed ahead in one piece with the keys before it', async () => {
    const {app} = opened();
    app.write('pxy');
    await app.sees('What happens');
    await app.sees(ARMED);
    await endsUnsent();
  });

  test('are two y in one piece', async () => {
    const {app} = opened();
    await app.press('p', 'x');
    await app.sees(ARMED);
    app.write('yy');
    await endsUnsent();
  });

  test('is enter alone', async () => {
    const {app, simulator} = opened();
    await app.press('p', 'x');
    await app.sees(ARMED);
    await app.press('enter');
    // Any key but y withdraws the question, so that a y after it answers nothing.
    await app.sees(/stop sweep-04 +#\d+: not sent/);
    await app.press('y');
    await app.seesNot('What happens');
    expect(operationRequests(simulator)).toEqual([]);
  });

  test('is a pasted y', async () => {
    const {app, simulator} = opened();
    await app.press('p', 'x');
    await app.sees(ARMED);
    app.paste('y');
    await app.sees(/stop sweep-04 +#\d+: not sent\. A paste closes a question; ask again/);
    await app.seesNot('What happens');
    expect(operationRequests(simulator)).toEqual([]);
  });

  test('is a y after the question was withdrawn', async () => {
    const {app, simulator} = opened();
    await app.press('p', 'x');
    await app.sees(ARMED);
    await app.press('esc', 'y');
    await app.sees('7/7: json');
    expect(operationRequests(simulator)).toEqual([]);
  });
});

test('a machine is not stopped by a y to a question that nobody has answered for a minute', {
  timeout: 120_000,
}, async () => {
  // For a while after this the deck takes no keys.
  const {app, simulator} = await openAtSweep();
  await app.press('p', 'x');
  await app.sees(ARMED);
  await app.sees(/no answer for 60 s: stop \S+ +#\d+: not sent/, {withinMs: 62_000});
  await app.press('y');
  await app.seesNot('What happens');
  expect(operationRequests(simulator)).toEqual([]);
});

const IN_ONE_PIECE = {
  'a y behind a paste': '\x1b[200~a \x1b[201~y',
  'a y before one': 'y\x1b[200~a \x1b[201~',
  'a paste that holds its own markers': '\x1b[200~ \x1b[200~y \x1b[201~y \x1b[201~',
};

test(`a machine is not stopped, in one piece, by ${Object.keys(IN_ONE_PIECE).join(', ')}`, PATIENT, async () => {
  const {app, simulator} = await openAtSweep();
  await app.press('p', 'x');
  await app.sees(ARMED);
  await questionIsRead(app);
  for (const piece of Object.values(IN_ONE_PIECE)) {
    app.write(piece);
    await app.sees(/stop sweep-04 +#\d+: not sent\. A paste closes a question; ask again/);
    await app.seesNot('What happens');
    await app.press('esc');
    await app.press('p', 'x');
    await app.sees(ARMED);
    await questionIsRead(app);
    expect(operationRequests(simulator)).toEqual([]);
  }
  // Asked again, it takes a y that comes by itself.
  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  expect(operationRequests(simulator)).toHaveLength(1);
});

test('stops a working machine only for its whole name and enter', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 3});
  const {id} = await machineNamed(simulator, 'train-01');
  const app = await openMachines({simulator});
  await choose(app, 'train-01');
  await app.press('p', 'x');
  await app.sees('It is WORKING right now');
  await app.sees('type the name train-01 and enter:');
  expect(app.text()).not.toContain(ARMED);
  await questionIsRead(app);

  await app.press('y', 'enter');
  await app.sees('not sent: y is not train-01');
  await app.press('train-0', 'enter');
  await app.sees('not sent: train-0 is not train-01');
  expect(operationRequests(simulator)).toEqual([]);

  await app.press('train-01', 'enter');
  await app.sees(`stop train-01 #${id}: confirmed`, {withinMs: 20_000});
  expect(executed(simulator)).toEqual([`stop ${id}`]);
});

test('takes the cheaper way that the question offers', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 6});
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  // 100 GB of root disk at $0.000096774 and the address at $0.00672043 remain of 5.4 and the address.
  await app.sees('hibernate instead: $0.0164/h, saves $5.39/h');
  await app.press('tab');
  await app.sees(`hibernate sweep-04  #${id}`);
  await typeName(app, 'sweep-04');
  await app.press('enter');
  await app.sees(`hibernate sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  expect(executed(simulator)).toEqual([`hibernate ${id}`]);
});
