import {expect, test} from 'vitest';
import {executed, machineNamed, operationRequests} from '../support/colleague.ts';
import {ARMED, choose, openMachines, questionIsRead} from '../support/deck.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 180_000};
/** What is sent and read waits for the requests of the minute before. */
const BUDGET = {withinMs: 70_000};

test('a dry run shows the exact call after a complete yes, copies it, and sends nothing', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await app.press('D');
  await app.sees(' DRY RUN ');
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await app.sees('y shows the calls; nothing is sent');
  await app.press('y');
  await app.sees('dry run: nothing was sent');
  await app.sees(`1: GET /core/virtual-machines/${id}/stop`);
  await app.press('c');
  await app.becomes('to copy the command', () => app.raw().includes(`52;c;${btoa(`skydeck vm stop ${id}`)}`));
  await app.press('esc', 'D');
  await app.sees('dry run is off');
  await app.seesNot(' DRY RUN ');
  expect(operationRequests(simulator)).toEqual([]);
});

test('a stop is undone by z, and done again by Z, each after its own question', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 5});
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`stop sweep-04 #${id}: confirmed`, {withinMs: 20_000});

  await app.press('z');
  await app.sees(`undo: start sweep-04  #${id}`);
  await app.sees(/What it costs +now \$/);
  await app.sees(`1: GET /core/virtual-machines/${id}/start`);
  await app.sees(ARMED);
  expect(executed(simulator)).toEqual([`stop ${id}`]);
  await app.press('y');
  await app.sees(`start sweep-04 #${id}: confirmed`, {withinMs: 20_000});

  await app.press('Z');
  await app.sees(`redo: stop sweep-04  #${id}`);
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`stop sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  expect(executed(simulator)).toEqual([`stop ${id}`, `start ${id}`, `stop ${id}`]);
});

test(
  'many are stopped by one question, which stops at the first unknown and sends the rest when asked',
  PATIENT,
  async () => {
    const simulator = await openSimulator({speed: 5});
    const machines = await Promise.all(['infer-01', 'infer-02', 'infer-04'].map(name => machineNamed(simulator, name)));
    const second = machines.map(({id}) => id).sort((left, right) => left - right)[1];
    simulator.setFaults([`status=500,match=GET /core/virtual-machines/${second}/stop,when=before,times=1`]);
    const app = await openMachines({simulator});
    await app.press('/', 'infer-0', 'enter');
    await app.sees(/machines \d+ of \d+ \/infer-0/);
    for (const {name} of machines) {
      await app.press('/', 'ctrl-u', name, 'enter');
      await app.sees(new RegExp(`machines 1 of \\d+ /${name}`));
      await app.press('space');
    }
    await app.sees('3 marked');
    await app.press('p', 'x');
    await app.sees('stop 3 machines');
    await questionIsRead(app);
    await app.press(...'stop', 'space', '2', 'enter');
    // Another count than the one shown confirms nothing.
    await app.sees('stop 2 is not stop 3');
    expect(operationRequests(simulator)).toEqual([]);
    await app.press(...'stop', 'space', '3', 'enter');
    await app.sees('outcome unknown', BUDGET);
    await app.sees('1 not sent');
    expect(operationRequests(simulator)).toHaveLength(2);
    // The unknown is resolved by observation: nothing changed, and it is never sent again by itself.
    await app.sees('no effect seen', BUDGET);
    await app.press('esc');
    await app.seesNot('no effect seen');
    await app.press('P');
    await app.sees('no effect seen');
    await app.press('r');
    await app.sees('what is left: stop infer-04');
    await questionIsRead(app);
    expect(operationRequests(simulator)).toHaveLength(2);
    // It works right now, so what is left of it takes its name, as it would alone.
    await app.press(...'infer-04', 'enter');
    await app.sees(/2 of 3 confirmed, 1 no effect seen/, BUDGET);
    expect(operationRequests(simulator)).toHaveLength(3);
    expect(executed(simulator)).toHaveLength(2);
  },
);

test(
  'a read-only session writes only after W and a yes, and what was sent stands in the journal',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud({speed: 5});
    const {id} = await machineNamed(simulator, 'sweep-04');
    const app = await openMachines({simulator, arguments: ['--read-only']});
    await app.sees(' READ-ONLY ');
    await choose(app, 'sweep-04');
    await app.press('p', 'x');
    await app.sees('read-only session');
    await app.press('W');
    await app.sees('y allows writes');
    await app.press('y');
    await app.sees(/ WRITES 1[45]m /);
    await app.press('p', 'x');
    await app.sees(ARMED);
    await app.press('y');
    await app.sees(`stop sweep-04 #${id}: confirmed`, {withinMs: 20_000});
    await app.press('W');
    await app.sees(' READ-ONLY ');
    await app.press(':', 'journal', 'enter');
    await app.sees(new RegExp(`stop sweep-04 #${id} +confirmed`));
    expect(executed(simulator)).toEqual([`stop ${id}`]);
    // From an operation to what belongs to its machine.
    await app.press('r');
    await app.sees(/\d +environment \S+/);
    await app.press('esc');
  },
);
