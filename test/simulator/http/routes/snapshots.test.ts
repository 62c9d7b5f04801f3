import {describe, expect, test} from 'vitest';
import {aSimulator, SECOND_MS, type SimulatorUnderTest, type WireMachine, type WireRefusal} from '../../a-simulator.ts';

type Snapshot = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly size: number;
  readonly vm_id: number;
  readonly is_image: boolean;
  readonly custom_image?: string | null;
  readonly vm_status?: string;
};
type List = {readonly count: number; readonly snapshots: readonly Snapshot[]};
type One = {readonly status: unknown; readonly snapshot: Snapshot};
type Image = {readonly id: number; readonly name: string; readonly snapshot: {readonly id: number} | null};

const WORDS = {name: 'before the upgrade', description: 'taken by hand'};
/** Longer than any change takes. */
const SETTLED_MS = 15 * SECOND_MS;

async function taken(place: SimulatorUnderTest, machineName = 'postgres-main'): Promise<number> {
  const {id} = await place.machine(machineName);
  const {body} = await place.post<One>(`/core/virtual-machines/${id}/snapshots`, WORDS);
  place.pass(SETTLED_MS);
  return body.snapshot.id;
}

describe('taking a snapshot', () => {
  test('copies the root disk, and until it is done the machine cannot be stopped or get volumes', async () => {
    const {machine, post, get, pass} = await aSimulator();
    const {id} = await machine('postgres-main');
    const {status, body} = await post<One>(`/core/virtual-machines/${id}/snapshots`, WORDS);
    expect(status).toBe(201);
    expect(body.snapshot).toMatchObject({name: WORDS.name, status: 'CREATING', vm_id: id, size: 100, is_image: false});
    expect(await machine('postgres-main')).toMatchObject({is_snapshotting: true, status: 'ACTIVE'});
    const stopped = await get<WireRefusal>(`/core/virtual-machines/${id}/stop`);
    expect([stopped.status, stopped.body.error_reason]).toEqual([400, 'bad_request']);
    expect((await post(`/core/virtual-machines/${id}/attach-volumes`, {volume_ids: [38_113]})).status).toBe(400);

    pass(SETTLED_MS);
    expect(await machine('postgres-main')).toMatchObject({is_snapshotting: false});
    // In this one answer, `status` is a number.
    const {body: read} = await get<One>(`/core/snapshots/${body.snapshot.id}`);
    expect(read).toMatchObject({status: 200, snapshot: {status: 'SUCCESS', vm_status: 'ACTIVE', custom_image: null}});
    const {body: events} = await get<{snapshot_events: readonly {reason: string}[]}>(
      `/core/snapshots/${body.snapshot.id}/events`,
    );
    expect(events.snapshot_events.map(({reason}) => reason)).toEqual([
      'SnapshotCreateRequest',
      'SnapshotCreateSuccess',
    ]);
    expect((await get(`/core/virtual-machines/${id}/stop`)).status).toBe(200);
  });

  test('is refused for a node of a cluster, a hibernated machine, a machine with a snapshot in progress, and a taken name', async () => {
    const {machine, machines, post} = await aSimulator();
    const node = await machine('embed-worker-0');
    const asleep = (await machines()).find(({status}) => status === 'HIBERNATED');
    const path = (id = 0) => `/core/virtual-machines/${id}/snapshots`;
    expect((await post(path(node.id), WORDS)).status).toBe(400);
    expect((await post(path(asleep?.id), WORDS)).status).toBe(400);
    const {id} = await machine('postgres-main');
    expect((await post(path(id), WORDS)).status).toBe(201);
    expect((await post(path(id), {...WORDS, name: 'another'})).status).toBe(400);
    const other = await machine('backup-gateway');
    expect((await post(path(other.id), WORDS)).status).toBe(409);
    expect((await post(path(999_999), WORDS)).status).toBe(404);
  });
});

describe('a snapshot', () => {
  test('behind the private image of the account exists from the start', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>('/core/snapshots');
    expect(body).toMatchObject({
      count: 1,
      snapshots: [{id: 4410, name: 'infer-01 before the upgrade', is_image: true}],
    });
  });

  test('can be restored to another machine, without an image and with the same flavor', async () => {
    const place = await aSimulator();
    const source = await place.machine('postgres-main');
    const id = await taken(place);
    const restore = (body: object) =>
      place.post<{instances: readonly (WireMachine & {image: unknown})[]}>(`/core/snapshots/${id}/restore`, body);
    expect((await restore({new_vm_name: 'postgres-main'})).status).toBe(409);
    expect((await restore({new_vm_name: 'postgres-copy', contract_id: 1})).status).toBe(404);
    const {status, body} = await restore({new_vm_name: 'postgres-copy'});
    expect(status).toBe(200);
    expect(body.instances).toMatchObject([{name: 'postgres-copy', status: 'CREATING', image: null}]);
    expect(body.instances[0]?.flavor.name).toBe(source.flavor.name);
    place.pass(SETTLED_MS);
    expect(await place.machine('postgres-copy')).toMatchObject({status: 'ACTIVE'});
  });

  test('can become an image to create machines from, which can be deleted again', async () => {
    const place = await aSimulator();
    const id = await taken(place);
    const {status, body} = await place.post<{id: number}>(`/core/snapshots/${id}/image`, {name: 'postgres 18'});
    expect(status).toBe(201);
    const {body: read} = await place.get<{image: Image}>(`/core/images/${body.id}`);
    expect(read.image).toMatchObject({name: 'postgres 18', snapshot: {id}});
    const wish = {
      name: 'from-image',
      environment_name: 'production-ca',
      flavor_name: 'n3-L40x1',
      key_name: 'production-ca-team',
      count: 1,
      image_name: 'postgres 18',
    };
    expect((await place.post('/core/virtual-machines', wish)).status).toBe(200);
    expect((await place.get(`/core/images/${body.id}`, {method: 'DELETE'})).status).toBe(200);
    expect((await place.get(`/core/images/${body.id}`)).status).toBe(404);
    expect((await place.get('/core/images/2003', {method: 'DELETE'})).status).toBe(400);
  });

  test('is no longer an image once its image is deleted', async () => {
    const place = await aSimulator();
    const id = await taken(place);
    const {body} = await place.post<{id: number}>(`/core/snapshots/${id}/image`, {name: 'postgres 18'});
    const read = async () => (await place.get<One>(`/core/snapshots/${id}`)).body.snapshot;
    expect(await read()).toMatchObject({is_image: true, custom_image: 'postgres 18'});
    await place.get(`/core/images/${body.id}`, {method: 'DELETE'});
    expect(await read()).toMatchObject({is_image: false, custom_image: null});
  });

  test('gives each of its images a unique id, even after one was deleted', async () => {
    const place = await aSimulator();
    const id = await taken(place);
    const image = async (name: string) =>
      (await place.post<{id: number}>(`/core/snapshots/${id}/image`, {name})).body.id;
    const [first, second] = [await image('one'), await image('two')];
    await place.get(`/core/images/${first}`, {method: 'DELETE'});
    expect(new Set([first, second, await image('three')]).size).toBe(3);
  });

  test('has a unique id, even while others are being deleted', async () => {
    const place = await aSimulator();
    const ids: number[] = [];
    const take = async (name: string) => {
      const {id} = await place.machine('postgres-main');
      const {body} = await place.post<One>(`/core/virtual-machines/${id}/snapshots`, {...WORDS, name});
      ids.push(body.snapshot.id);
    };
    for (const name of ['one', 'two']) {
      await take(name);
      place.pass(SETTLED_MS);
    }
    for (const id of ids) await place.get(`/core/snapshots/${id}`, {method: 'DELETE'});
    await take('three');
    place.pass(SETTLED_MS);
    await take('four');
    expect(new Set(ids).size).toBe(4);
  });

  test('can be deleted, which frees its name', async () => {
    const place = await aSimulator();
    const id = await taken(place);
    const isFree = async () =>
      (await place.get<{available: boolean}>(`/core/snapshots/name-availability/${encodeURIComponent(WORDS.name)}`))
        .body.available;
    expect(await isFree()).toBe(false);
    expect((await place.get(`/core/snapshots/${id}`, {method: 'DELETE'})).status).toBe(200);
    expect((await place.get<One>(`/core/snapshots/${id}`)).body.snapshot.status).toBe('DELETING');
    place.pass(SETTLED_MS);
    expect((await place.get(`/core/snapshots/${id}`)).status).toBe(404);
    expect(await isFree()).toBe(true);
  });

  test('shows that its machine was deleted', async () => {
    const place = await aSimulator();
    const {id: machineId} = await place.machine('postgres-main');
    const id = await taken(place);
    await place.get(`/core/virtual-machines/${machineId}`, {method: 'DELETE'});
    place.pass(SETTLED_MS);
    expect((await place.get<One>(`/core/snapshots/${id}`)).body.snapshot.vm_status).toBe('DELETED');
  });
});
