import {describe, expect, test} from 'vitest';
import {aSimulator, found, SECOND_MS, type SimulatorUnderTest, type WireEvent} from '../../a-simulator.ts';

type Attachment = {
  readonly id: number;
  readonly instance_id: number;
  readonly volume_id: number;
  readonly device: string;
  readonly status: string;
  readonly protected: boolean;
  readonly created_at: string;
};
type Volume = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly attachments: readonly {readonly id: number; readonly status: string; readonly protected: boolean}[];
};
type Reply = {readonly volume_attachments: readonly Attachment[]};

const SETTLED_MS = 9 * SECOND_MS;

describe('attaching', () => {
  test("goes through ATTACHING to ATTACHED, and is recorded in the machine's events", async () => {
    const simulator = await aSimulator();
    const {get, post, machine, pass} = simulator;
    const [{id: vmId}, {id}] = [await machine('train-01'), await volumeNamed(simulator, 'scratch-3')];
    const {status, body} = await post<Reply>(`/core/virtual-machines/${vmId}/attach-volumes`, {volume_ids: [id]});
    expect(status).toBe(200);
    expect(Object.keys(body.volume_attachments[0] ?? {})).toEqual([
      'id',
      'instance_id',
      'volume_id',
      'device',
      'status',
      'protected',
      'created_at',
    ]);
    // The machine's other volume is vdb.
    expect(body).toMatchObject({
      status: true,
      volume_attachments: [{instance_id: vmId, volume_id: id, device: '/dev/vdc', status: 'ATTACHING'}],
    });
    expect(await volumeNamed(simulator, 'scratch-3')).toMatchObject({status: 'attaching'});
    pass(SETTLED_MS);
    expect(await volumeNamed(simulator, 'scratch-3')).toMatchObject({
      status: 'in-use',
      attachments: [{status: 'ATTACHED'}],
    });
    expect((await machine('train-01')).volume_attachments.map(({volume}) => volume.id)).toContain(id);
    const {instance_events: events} = (
      await get<{instance_events: readonly WireEvent[]}>(`/core/virtual-machines/${vmId}/events`)
    ).body;
    expect(events.slice(-2).map(({reason}) => reason)).toEqual([
      'AttachVolumeToInstanceRequest',
      'AttachVolumeToInstanceSuccess',
    ]);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'attach-volumes', id: vmId, volumeIds: [id]}]);
  });

  test('is refused in the wrong state, in the wrong environment and for a missing volume', async () => {
    const simulator = await aSimulator();
    const {post, machine} = simulator;
    const {id} = await volumeNamed(simulator, 'scratch-3');
    const used = await volumeNamed(simulator, 'datasets-01');
    const attach = async (name: string, volumeIds: readonly unknown[]) =>
      (await post(`/core/virtual-machines/${(await machine(name)).id}/attach-volumes`, {volume_ids: volumeIds})).status;
    expect(await attach('sweep-02', [id])).toBe(400);
    expect(await attach('infer-01', [id])).toBe(400);
    expect(await attach('train-01', [used.id])).toBe(400);
    expect(await attach('train-01', [1])).toBe(404);
    expect(await attach('train-01', [])).toBe(400);
    expect(await attach('train-01', ['x'])).toBe(400);
    expect(
      await attach(
        'train-01',
        Array.from({length: 11}, () => id),
      ),
    ).toBe(400);
    expect((await volumeNamed(simulator, 'scratch-3')).status).toBe('available');
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('is limited to ten volumes on one machine', async () => {
    const simulator = await aSimulator();
    const {post, machine, pass} = simulator;
    const {id: vmId} = await machine('train-01');
    const ids: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const wish = {name: `v-${index}`, environment_name: 'research-ca', size: 1, volume_type: 'Cloud-SSD'};
      ids.push((await post<{volume: Volume}>('/core/volumes', wish)).body.volume.id);
    }
    pass(SETTLED_MS);
    const path = `/core/virtual-machines/${vmId}/attach-volumes`;
    // One is attached already.
    expect((await post(path, {volume_ids: ids})).status).toBe(400);
    const nine = await post<Reply>(path, {volume_ids: ids.slice(1)});
    expect(nine.status).toBe(200);
    expect(new Set(nine.body.volume_attachments.map(({device}) => device)).size).toBe(9);
    expect((await post(path, {volume_ids: [ids[0]]})).status).toBe(400);
  });
});

describe('detaching', () => {
  test('frees the volume, which still lists the attachment as DETACHED', async () => {
    const simulator = await aSimulator();
    const {post, machine, pass} = simulator;
    const [{id: vmId}, {id}] = [await machine('train-01'), await volumeNamed(simulator, 'datasets-01')];
    const path = `/core/virtual-machines/${vmId}/detach-volumes`;
    const {status, body} = await post<Reply>(path, {volume_ids: [id]});
    expect([status, body.volume_attachments]).toMatchObject([200, [{volume_id: id, status: 'DETACHING'}]]);
    expect((await post(path, {volume_ids: [id]})).status).toBe(400);
    pass(SETTLED_MS);
    expect(await volumeNamed(simulator, 'datasets-01')).toMatchObject({
      status: 'available',
      attachments: [{status: 'DETACHED'}],
    });
    expect((await machine('train-01')).volume_attachments).toEqual([]);
    expect((await post(path, {volume_ids: [id]})).status).toBe(400);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'detach-volumes', id: vmId, volumeIds: [id]}]);
  });

  test('is refused while the attachment is protected', async () => {
    const simulator = await aSimulator();
    const {get, post, machine} = simulator;
    const {id, attachments} = await volumeNamed(simulator, 'datasets-01');
    const path = `/core/volume-attachments/${attachments[0]?.id}`;
    const protect = (isProtected: boolean) =>
      get<{attachment: Attachment}>(path, {method: 'PATCH', body: JSON.stringify({protected: isProtected})});
    expect((await protect(true)).body.attachment).toMatchObject({volume_id: id, protected: true});
    const detach = async () =>
      (await post(`/core/virtual-machines/${(await machine('train-01')).id}/detach-volumes`, {volume_ids: [id]}))
        .status;
    expect(await detach()).toBe(400);
    await protect(false);
    expect(await detach()).toBe(200);
    expect(await get('/core/volume-attachments/1', {method: 'PATCH', body: '{"protected": true}'})).toMatchObject({
      status: 404,
    });
    expect(simulator.simulator.executions().map(({verb}) => verb)).toEqual([
      'protect-attachment',
      'protect-attachment',
      'detach-volumes',
    ]);
  });
});

async function volumeNamed({get}: SimulatorUnderTest, wanted: string): Promise<Volume> {
  const {volumes} = (await get<{volumes: readonly Volume[]}>('/core/volumes')).body;
  return found(volumes, ({name}) => name === wanted, wanted);
}
