import {describe, expect, test} from 'vitest';
import {aSimulator, type Reply, SECOND_MS, type WireEvent, type WireMachine, type WireRefusal} from '../a-simulator.ts';

type Detail = {readonly status: boolean; readonly instance: WireMachine};

// Names of machines in the on-call account, by their initial state.
const ACTIVE = 'train-01';
const STOPPED = 'train-03';
const HIBERNATED = 'dev-ines';
const BROKEN = 'etl-03';

describe('power operations', () => {
  const paths: readonly [
    verb: string,
    name: string,
    during: string,
    after: string,
    vmState: string,
    powerState: string,
  ][] = [
    ['start', STOPPED, 'STARTING', 'ACTIVE', 'active', 'RUNNING'],
    ['stop', ACTIVE, 'STOPPING', 'SHUTOFF', 'stopped', 'SHUTDOWN'],
    ['stop', BROKEN, 'STOPPING', 'SHUTOFF', 'stopped', 'SHUTDOWN'],
    ['hard-reboot', ACTIVE, 'REBOOTING', 'ACTIVE', 'active', 'RUNNING'],
    ['hard-reboot', BROKEN, 'REBOOTING', 'ACTIVE', 'active', 'RUNNING'],
    ['hibernate', ACTIVE, 'HIBERNATING', 'HIBERNATED', 'shelved_offloaded', 'SHUTDOWN'],
    ['hibernate-restore', HIBERNATED, 'RESTORING', 'ACTIVE', 'active', 'RUNNING'],
  ];
  test.each(
    paths,
  )('%s changes %s to %s and then %s within 3 to 20 seconds', async (verb, name, during, after, vmState, powerState) => {
    const {machine, get, pass, simulator} = await aSimulator();
    const before = await machine(name);

    expect(await get(`/core/virtual-machines/${before.id}/${verb}`)).toMatchObject({status: 200, body: {status: true}});
    // The underlying states keep their last stable values while the operation runs.
    expect(await machine(name)).toMatchObject({
      status: during,
      vm_state: before.vm_state,
      power_state: before.power_state,
    });
    pass(2.9 * SECOND_MS);
    expect(await machine(name)).toMatchObject({status: during});
    pass(17.2 * SECOND_MS);
    expect(await machine(name)).toMatchObject({status: after, vm_state: vmState, power_state: powerState});
    expect(simulator.executions()).toMatchObject([{verb, id: before.id}]);
  });

  const refusals: readonly [verb: string, name: string, state: string][] = [
    ['start', ACTIVE, 'ACTIVE'],
    ['start', HIBERNATED, 'HIBERNATED'],
    ['start', BROKEN, 'ERROR'],
    ['stop', STOPPED, 'SHUTOFF'],
    ['stop', HIBERNATED, 'HIBERNATED'],
    ['hard-reboot', STOPPED, 'SHUTOFF'],
    ['hard-reboot', HIBERNATED, 'HIBERNATED'],
    ['hibernate', STOPPED, 'SHUTOFF'],
    ['hibernate', BROKEN, 'ERROR'],
    ['hibernate-restore', ACTIVE, 'ACTIVE'],
    ['hibernate-restore', 'dev-noe', 'HIBERNATING'],
  ];
  test.each(refusals)('refuses to %s %s with an error that names its state %s', async (verb, name, state) => {
    const {machine, get, simulator} = await aSimulator();
    const {id} = await machine(name);
    const reply = await get<WireRefusal>(`/core/virtual-machines/${id}/${verb}`);
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(reply.body.message).toContain(state);
    expect(simulator.executions()).toEqual([]);
    expect(await machine(name)).toMatchObject({status: state});
  });

  test('refuses a second operation while one is under way', async () => {
    const {machine, get, simulator} = await aSimulator();
    const {id} = await machine(ACTIVE);
    await get(`/core/virtual-machines/${id}/hard-reboot`);
    expect(await get(`/core/virtual-machines/${id}/hard-reboot`)).toMatchObject({status: 400});
    expect(simulator.executions()).toHaveLength(1);
  });

  test('takes ten to fifteen minutes at the faithful pace', async () => {
    const {machine, get, pass} = await aSimulator({isFaithful: true});
    const {id} = await machine(ACTIVE);
    await get(`/core/virtual-machines/${id}/hibernate`);
    pass(9.9 * 60 * SECOND_MS);
    expect(await machine(ACTIVE)).toMatchObject({status: 'HIBERNATING'});
    pass(5.2 * 60 * SECOND_MS);
    expect(await machine(ACTIVE)).toMatchObject({status: 'HIBERNATED'});
  });

  test('answers 404 for a machine that does not exist and for an id that is not a number', async () => {
    const {get} = await aSimulator();
    for (const id of ['1', 'abc', '99999999999999999999']) {
      const reply = await get<WireRefusal>(`/core/virtual-machines/${id}/stop`);
      expect(reply).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
      expect(reply.body.message).toContain(id);
    }
  });
});

describe('hibernation', () => {
  test('releases the public address, and a restore assigns a different one', async () => {
    const {machine, get, pass} = await aSimulator();
    const {id, floating_ip: address} = await machine('sweep-04');
    expect(address).toMatch(/^\d+(\.\d+){3}$/);

    await get(`/core/virtual-machines/${id}/hibernate`);
    pass(20 * SECOND_MS);
    expect(await machine('sweep-04')).toMatchObject({floating_ip: null, floating_ip_status: 'NO FLOATING IP'});
    const detail = await get<Detail>(`/core/virtual-machines/${id}`);
    expect(detail.body.instance).toMatchObject({id, floating_ip: ''});

    await get(`/core/virtual-machines/${id}/hibernate-restore`);
    pass(20 * SECOND_MS);
    const restored = await machine('sweep-04');
    expect(restored).toMatchObject({status: 'ACTIVE', floating_ip_status: 'ATTACHED'});
    expect(restored.floating_ip).toMatch(/^\d+(\.\d+){3}$/);
    expect(restored.floating_ip).not.toBe(address);
  });

  test('keeps the public address on request', async () => {
    const {machine, get, pass} = await aSimulator();
    const {id, floating_ip: address} = await machine('sweep-04');
    await get(`/core/virtual-machines/${id}/hibernate?retain_ip=true`);
    pass(20 * SECOND_MS);
    expect(await machine('sweep-04')).toMatchObject({status: 'HIBERNATED', floating_ip: address});
    await get(`/core/virtual-machines/${id}/hibernate-restore`);
    pass(20 * SECOND_MS);
    expect(await machine('sweep-04')).toMatchObject({status: 'ACTIVE', floating_ip: address});
  });

  test.each([
    ['a machine without a GPU', 'bastion'],
    ['an A4000', 'dev-aoi'],
  ])('is refused for %s', async (_, name) => {
    const {machine, get} = await aSimulator();
    const {id, flavor} = await machine(name);
    const reply = await get<WireRefusal>(`/core/virtual-machines/${id}/hibernate`);
    expect(reply).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
    expect(reply.body.message).toContain(flavor.name);
  });

  test('is resumed if the flavor is out of stock for a restore', async () => {
    const {machine, get, pass} = await aSimulator();
    const {id} = await machine('sweep-02');
    expect(await get(`/core/virtual-machines/${id}/hibernate-restore`)).toMatchObject({status: 200});
    expect(await machine('sweep-02')).toMatchObject({status: 'RESTORING'});
    pass(20 * SECOND_MS);
    expect(await machine('sweep-02')).toMatchObject({status: 'HIBERNATED'});
    const events = await eventsOf(get, id);
    expect(events.at(-1)).toMatchObject({type: 'error', reason: 'RestoreHibernationInstanceFailed'});
  });
});

describe("a machine's events", () => {
  const reasons: readonly [verb: string, name: string, thing: string][] = [
    ['start', STOPPED, 'InstanceStart'],
    ['stop', ACTIVE, 'InstanceStop'],
    ['hard-reboot', ACTIVE, 'InstanceReboot'],
    ['hibernate', ACTIVE, 'HibernateInstance'],
    ['hibernate-restore', HIBERNATED, 'RestoreHibernationInstance'],
  ];
  test.each(reasons)('record the request to %s and its success, with the user', async (verb, name, thing) => {
    const {machine, get, pass} = await aSimulator();
    const {id} = await machine(name);
    const me = await get<{organization: {id: number; users: {id: number; role: string}[]}}>('/auth/organizations');
    const owner = me.body.organization.users.find(user => user.role === 'Owner');
    const earlier = await eventsOf(get, id);

    await get(`/core/virtual-machines/${id}/${verb}`);
    const whileUnderWay = await eventsOf(get, id);
    expect(whileUnderWay.slice(earlier.length).map(event => event.reason)).toEqual([`${thing}Request`]);
    pass(20 * SECOND_MS);
    const afterwards = (await eventsOf(get, id)).slice(earlier.length);
    expect(afterwards.map(event => event.reason)).toEqual([`${thing}Request`, `${thing}Success`]);
    for (const event of afterwards) {
      expect(event).toMatchObject({
        instance_id: id,
        user_id: owner?.id,
        org_id: me.body.organization.id,
        object: name,
        type: 'normal',
      });
      expect(event.time).toMatch(/^2026-11-20T20:00:\d\d$/);
      expect(Object.keys(event).toSorted()).toEqual([
        'instance_id',
        'message',
        'object',
        'org_id',
        'reason',
        'time',
        'type',
        'user_id',
      ]);
    }
  });

  test('do not include refused operations', async () => {
    const {machine, get} = await aSimulator();
    const {id} = await machine(ACTIVE);
    const earlier = await eventsOf(get, id);
    await get(`/core/virtual-machines/${id}/start`);
    expect(await eventsOf(get, id)).toEqual(earlier);
  });

  test('start with the creation', async () => {
    const {machine, get} = await aSimulator();
    const {id, created_at: createdAt} = await machine(ACTIVE);
    const events = await eventsOf(get, id);
    expect(events.map(event => event.reason)).toEqual(['InstanceCreationRequest', 'InstanceCreationSuccess']);
    expect(events[0]?.time).toBe(createdAt);
  });
});

async function eventsOf(get: <T>(path: string) => Promise<Reply<T>>, id: number): Promise<readonly WireEvent[]> {
  return (await get<{instance_events: readonly WireEvent[]}>(`/core/virtual-machines/${id}/events`)).body
    .instance_events;
}
