import {describe, expect, test} from 'vitest';
import {executed, machineNamed, operationRequests} from '../support/colleague.ts';
import {ARMED, choose, openMachines, questionIsRead, rowOf, typeName} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};
/** The service's own pace is ten to twenty seconds here; the world may run ahead of the wall. */
const QUICK_WORLD = {speed: 6};

// sweep-04 is an n3-A100x4 with an address: 4 × $1.35 and $0.00672043 an hour, 100 GB of root disk.
const BEFORE = 5.4 + 0.00672043;
const ROOT_DISK = 100 * 0.000096774;

test('hibernates a machine with its address, and brings both back', PATIENT, async () => {
  const simulator = await openSmallCloud(QUICK_WORLD);
  const {id, floating_ip: address} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');

  await app.press('p');
  await app.sees(/h +hibernate +saves \$5\.39\/h/);
  await app.press('h');
  await app.sees('It becomes HIBERNATED and releases its hardware');
  const after = ROOT_DISK + 0.00672043;
  await app.sees(
    `now $${BEFORE.toFixed(2)}/h  after $${after.toFixed(4)}/h  (saves $${(BEFORE - after).toFixed(2)}/h)`,
  );
  await app.sees('3,200 GB of ephemeral disk will be lost');
  await app.sees('n3-A100x4 is in stock now');
  await app.sees('retain_ip=true');
  await app.sees('its ephemeral disk stays lost');
  await typeName(app, 'sweep-04');
  await app.press('enter');
  await app.sees(`hibernate sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  await app.sees(/sweep-04 +\S HIBERNATED/);
  expect(rowOf(app, 'sweep-04')).toContain(address);

  await app.press('p', 'u');
  await app.sees('It becomes ACTIVE again if its hardware is in stock');
  await app.sees(`now $${after.toFixed(4)}/h  after $${BEFORE.toFixed(2)}/h`);
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`restore sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  await app.sees(/sweep-04 +\S ACTIVE/);
  expect(rowOf(app, 'sweep-04')).toContain(address);
  expect(await machineNamed(simulator, 'sweep-04')).toMatchObject({status: 'ACTIVE', floating_ip: address});
  expect(executed(simulator)).toEqual([`hibernate ${id}`, `hibernate-restore ${id}`]);
});

test('gives the address away only for the whole name, and shows another one afterwards', PATIENT, async () => {
  const simulator = await openSmallCloud(QUICK_WORLD);
  const {id, floating_ip: address} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');

  await app.press('p');
  await app.sees(/H +hibernate, drop IP +saves \$5\.40\/h, IP lost/);
  await app.press('H');
  await app.sees(`its address ${address} is released permanently`);
  await app.sees(
    `now $${BEFORE.toFixed(2)}/h  after $${ROOT_DISK.toFixed(4)}/h  (saves $${(BEFORE - ROOT_DISK).toFixed(2)}/h)`,
  );
  await app.sees('retain_ip=false');
  await app.sees('type the name sweep-04 and enter:');
  await questionIsRead(app);
  await app.press('y', 'enter');
  expect(operationRequests(simulator)).toEqual([]);
  await app.press('backspace', 'sweep-04');
  await questionIsRead(app);
  await app.press('enter');
  await app.sees(`hibernate sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  await app.sees(/sweep-04 +\S HIBERNATED/);
  expect(rowOf(app, 'sweep-04')).not.toContain(address);

  await app.press('p', 'u');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(`restore sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  const restored = await machineNamed(simulator, 'sweep-04');
  expect(restored.floating_ip).not.toBe(address);
  await app.sees(`${restored.floating_ip}`);
  expect(executed(simulator)).toEqual([`hibernate ${id}`, `hibernate-restore ${id}`]);
});

test('tells a restore for which there was no hardware as what it is', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 2});
  const {id} = await machineNamed(simulator, 'sweep-02');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-02');
  await app.press('p', 'u');
  await app.sees('n3-H100x2 is out of stock: restoring it may not work');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/sweep-02 +\S RESTORING/);
  await app.sees(`restore sweep-02 #${id}: failed: it is HIBERNATED instead`, {withinMs: 20_000});
  await app.sees('no free capacity for the');
  await app.sees('flavor n3-H100x2.');
  await app.sees(/sweep-02 +\S HIBERNATED/);
  expect(executed(simulator)).toEqual([`hibernate-restore ${id}`]);
});

describe('the question before hibernating', PATIENT, () => {
  const opened = shared(async () => {
    const simulator = await openSimulator();
    return {simulator, app: await openMachines({simulator})};
  });

  test('says of a machine under a contract that the saving is not sure', async () => {
    const {app} = opened();
    await choose(app, 'train-02');
    await app.press('p', 'h');
    await app.sees('saves up to $13.99/h');
    await app.sees(/Contract #118 ends in 5 days, then DELETES what it covers/);
    await app.sees('Its volume stays, billed at $0.29/h: checkpoints-02');
    await app.press('esc');
    await app.seesNot('What happens');
  });

  test('is not asked of a flavor that cannot hibernate', async () => {
    const {app, simulator} = opened();
    await choose(app, 'nightly-');
    await app.press('p');
    await app.sees(/h +hibernate +off: its flavor n3-RTX-A4000x4 cannot hibernate/);
    await app.press('h');
    await app.sees('hibernate: its flavor n3-RTX-A4000x4 cannot hibernate');
    await app.seesNot('What happens');
    expect(operationRequests(simulator)).toEqual([]);
  });
});
