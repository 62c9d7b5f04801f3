import {describe, expect, test} from 'vitest';
import {aSimulator, found, HOUR_MS, SECOND_MS, type SimulatorUnderTest, type WireRefusal} from '../../a-simulator.ts';

type Volume = {
  readonly id: number;
  readonly name: string;
  readonly environment: {readonly name: string; readonly region: string};
  readonly size: number;
  readonly status: string;
  readonly bootable: boolean;
  readonly image_id: number | null;
  readonly updated_at: string | null;
  readonly attachments: readonly {readonly id: number; readonly instance_id: number; readonly status: string}[];
};
type List = {readonly count: number; readonly volumes: readonly Volume[]};
type One = {readonly volume: Volume & {readonly os_image?: string | null}};

const PATH = '/core/volumes';
const WISH = {name: 'scratch-9', environment_name: 'research-ca', size: 500, volume_type: 'Cloud-SSD'};
/** Longer than any change takes. */
const SETTLED_MS = 9 * SECOND_MS;
const KEYS = [
  'id',
  'name',
  'environment',
  'description',
  'volume_type',
  'size',
  'status',
  'bootable',
  'image_id',
  'callback_url',
  'created_at',
  'updated_at',
  'attachments',
];

describe('the list of volumes', () => {
  test('has every volume with the documented keys, and attachments that match those of the machines', async () => {
    const {get, machines} = await aSimulator();
    const {body} = await get<List>(PATH);
    for (const volume of body.volumes) expect(Object.keys(volume)).toEqual(KEYS);
    for (const machine of await machines()) {
      for (const {volume} of machine.volume_attachments) {
        const listed = found(body.volumes, ({id}) => id === volume.id, String(volume.id));
        expect(listed).toMatchObject({
          status: 'in-use',
          attachments: [{instance_id: machine.id, status: 'ATTACHED', protected: false}],
        });
      }
    }
    const free = body.volumes.filter(({status}) => status === 'available');
    expect(free).toMatchObject([{name: 'scratch-3', size: 2000, attachments: []}]);
  });

  test('can be searched, filtered by environment, and paged', async () => {
    const {get} = await aSimulator();
    const whole = (await get<List>(PATH)).body;
    expect((await get<List>(`${PATH}?search=DATASETS`)).body.count).toBe(2);
    const there = whole.volumes.filter(({environment}) => environment.name === 'production-no');
    expect((await get<List>(`${PATH}?environment=production-no`)).body.volumes).toEqual(there);
    const pages = await Promise.all([1, 2].map(page => get<List>(`${PATH}?page=${page}&pageSize=4`)));
    expect(pages.flatMap(({body}) => body.volumes)).toEqual(whole.volumes.slice(0, 8));
    expect(pages[0]?.body).toMatchObject({page: 1, page_size: 4, count: whole.count});
    expect(await get(`${PATH}?pageSize=x`)).toMatchObject({
      status: 400,
      body: {errors: {pageSize: expect.any(String)}},
    });
  });
});

describe('a new volume', () => {
  test('is creating, then available, and is billed from then on', async () => {
    const simulator = await aSimulator();
    const {status, body} = await simulator.post<One>(PATH, WISH);
    expect([status, body.volume]).toMatchObject([
      200,
      {status: 'creating', size: 500, bootable: false, image_id: null},
    ]);
    const {id} = body.volume;
    expect(await hourlyRate(simulator, id)).toBe(0);
    simulator.pass(SETTLED_MS);
    const {volume} = (await simulator.get<One>(`${PATH}/${id}`)).body;
    expect(volume).toMatchObject({status: 'available', os_image: null, updated_at: expect.any(String)});
    // 500 GB at the published 0.000096774 dollars per GB and hour.
    expect(await hourlyRate(simulator, id)).toBeCloseTo(500 * 0.000096774, 12);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'create-volume', id}]);
  });

  test('is bootable with an image, which needs a hundred gigabytes', async () => {
    const {get, post} = await aSimulator();
    const {images} = (await get<{images: {images: {id: number; name: string}[]}[]}>('/core/images?region=CANADA-1'))
      .body;
    const image = found(images, () => true, 'group').images[0];
    const created = await post<One>(PATH, {...WISH, image_id: image?.id});
    expect(created.body.volume).toMatchObject({bootable: true, image_id: image?.id});
    expect((await get<One>(`${PATH}/${created.body.volume.id}`)).body.volume.os_image).toBe(image?.name);
    expect(await post(PATH, {...WISH, size: 99, image_id: image?.id})).toMatchObject({status: 400});
    expect(await post(PATH, {...WISH, image_id: 1})).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
  });

  test.each([
    [{...WISH, size: 0}, 'size'],
    [{...WISH, size: '500'}, 'size'],
    [{...WISH, size: 1_048_577}, 'size'],
    [{...WISH, volume_type: 'Cloud-HDD'}, 'volume_type'],
    [{...WISH, name: 'x'.repeat(51)}, 'name'],
    [{name: 'x', environment_name: 'research-ca', volume_type: 'Cloud-SSD'}, 'size'],
  ])('is refused for an invalid order %j', async (wish, field) => {
    const {post, simulator} = await aSimulator();
    const reply = await post<{errors: object; message: string}>(PATH, wish);
    expect([reply.status, reply.body.message]).toEqual([400, 'Input payload validation failed']);
    expect(Object.keys(reply.body.errors)).toEqual([field]);
    expect(simulator.executions()).toEqual([]);
  });
});

describe('a volume', () => {
  test('can be deleted only while it is not attached', async () => {
    const simulator = await aSimulator();
    const {get} = simulator;
    const [used, free] = [await volumeNamed(simulator, 'datasets-01'), await volumeNamed(simulator, 'scratch-3')];
    expect(await get<WireRefusal>(`${PATH}/${used.id}`, {method: 'DELETE'})).toMatchObject({
      status: 400,
      body: {error_reason: 'bad_request', message: expect.stringContaining('in-use')},
    });
    expect((await get(`${PATH}/${free.id}`, {method: 'DELETE'})).status).toBe(200);
    expect((await volumeNamed(simulator, 'scratch-3')).status).toBe('deleting');
    expect(await hourlyRate(simulator, free.id)).toBe(0);
    simulator.pass(SETTLED_MS);
    expect((await get(`${PATH}/${free.id}`)).status).toBe(404);
    const deleted = found(await simulator.usage('?deleted=true'), record => record.resource_id === free.id, 'record');
    expect(deleted).toMatchObject({active: false, bill_per_minute: null});
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'delete-volume', id: free.id}]);
  });

  test('can be moved within its region only while it is not attached', async () => {
    const simulator = await aSimulator();
    const patch = (id: number, name: string) =>
      simulator.get<One>(`${PATH}/${id}`, {method: 'PATCH', body: JSON.stringify({environment_name: name})});
    const free = await volumeNamed(simulator, 'scratch-3');
    expect(await patch(free.id, 'production-ca')).toMatchObject({
      status: 200,
      body: {volume: {environment: {name: 'production-ca', region: 'CANADA-1'}}},
    });
    const records = await simulator.usage('?environment=production-ca');
    expect(records.map(({resource_id: id}) => id)).toContain(free.id);
    expect((await patch(free.id, 'dev sandbox')).status).toBe(400);
    expect((await patch(free.id, 'nowhere')).status).toBe(404);
    expect((await patch((await volumeNamed(simulator, 'datasets-01')).id, 'production-ca')).status).toBe(400);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'move-volume', id: free.id}]);
  });

  test('has a single type to choose from', async () => {
    const {get} = await aSimulator();
    expect((await get('/core/volume-types')).body).toMatchObject({status: true, volume_types: ['Cloud-SSD']});
  });

  test('gets 404 for an unknown id', async () => {
    const {get} = await aSimulator();
    expect(await get(`${PATH}/1`)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
  });
});

async function volumeNamed({get}: SimulatorUnderTest, wanted: string): Promise<Volume> {
  return found((await get<List>(PATH)).body.volumes, ({name}) => name === wanted, wanted);
}

async function hourlyRate({usage}: SimulatorUnderTest, id: number): Promise<number> {
  const record = found(await usage(), ({resource_id: resourceId}) => resourceId === id, `record of ${id}`);
  return ((record.bill_per_minute ?? Number.NaN) * HOUR_MS) / 60_000;
}

describe('the callback of a volume', () => {
  test('can be attached, updated and deleted, and the first two need the right state', async () => {
    const {get, post} = await aSimulator();
    const {volumes} = (await get<List>(PATH)).body;
    const path = `${PATH}/${volumes[0]?.id}`;
    const shown = async () => (await get<{volume: {callback_url: string | null}}>(path)).body.volume.callback_url;
    expect(await post(`${path}/update-callback`, {url: 'https://a.example'}, {method: 'PUT'})).toMatchObject({
      status: 400,
    });
    expect(await post(`${path}/attach-callback`, {url: 'https://a.example'})).toMatchObject({
      status: 200,
      body: {url: 'https://a.example'},
    });
    expect(await post(`${path}/attach-callback`, {url: 'https://b.example'})).toMatchObject({status: 400});
    expect(await shown()).toBe('https://a.example');
    await post(`${path}/update-callback`, {url: 'https://b.example'}, {method: 'PUT'});
    expect(await shown()).toBe('https://b.example');
    expect(await get(`${path}/delete-callback`, {method: 'DELETE'})).toMatchObject({status: 200});
    expect(await shown()).toBeNull();
  });
});

test.each([
  ['/core/volume/name-availability', 'pg-data'],
  ['/core/environments/name-availability', 'production-ca'],
])('%s distinguishes a taken name from a free one', async (path, taken) => {
  const {get} = await aSimulator();
  expect((await get(`${path}/${taken}`)).body).toMatchObject({name: taken, available: false});
  expect((await get(`${path}/nobody-has-it`)).body).toMatchObject({available: true});
});
