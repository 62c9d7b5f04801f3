import {describe, expect, test} from 'vitest';
import {aSimulator, found} from '../../a-simulator.ts';

type AccessKey = {
  readonly id: number;
  readonly user_id: number;
  readonly access_key: string;
  readonly secret_key?: string;
  readonly region: string;
  readonly description: string | null;
  readonly created_at: string;
};
type KeyList = {
  readonly access_keys: readonly AccessKey[];
  readonly meta: {readonly count: number; readonly current_page: number; readonly total_pages: number};
};
type Bucket = {readonly name: string; readonly region: string; readonly num_objects: number};
type BucketList = {readonly buckets: readonly Bucket[]; readonly failed_regions: readonly string[]};

const KEYS = '/object-storage/access-keys';
const BUCKETS = '/object-storage/buckets';

describe('access keys', () => {
  test('are listed without an envelope and without their secrets', async () => {
    const {get} = await aSimulator();
    const {status, body} = await get<KeyList>(KEYS);
    expect([status, Object.keys(body)]).toEqual([200, ['access_keys', 'meta']]);
    expect(body.meta).toEqual({count: 5, current_page: 1, total_pages: 1});
    for (const key of body.access_keys) {
      expect(Object.keys(key)).toEqual(['id', 'user_id', 'access_key', 'region', 'description', 'created_at']);
    }
    expect(body.access_keys.filter(({description}) => description === null)).toHaveLength(1);
  });

  test('are paged by page_size, twenty by default, and searched by id or description', async () => {
    const {get, post} = await aSimulator();
    for (let index = 0; index < 17; index += 1) await post(KEYS, {region: 'CANADA-1', description: `job ${index}`});
    const first = (await get<KeyList>(KEYS)).body;
    expect([first.access_keys.length, first.meta]).toEqual([20, {count: 22, current_page: 1, total_pages: 2}]);
    const second = (await get<KeyList>(`${KEYS}?page=2`)).body;
    expect([second.access_keys.length, second.meta.current_page]).toEqual([2, 2]);
    expect((await get<KeyList>(`${KEYS}?page=2&pageSize=1`)).body).toEqual(second);
    expect((await get<KeyList>(`${KEYS}?page=3&page_size=5`)).body).toMatchObject({meta: {total_pages: 5}});
    const ofCi = (await get<KeyList>(`${KEYS}?search=ci`)).body.access_keys;
    expect(ofCi.map(({description}) => description)).toEqual(['CI']);
    const [one] = first.access_keys;
    expect((await get<KeyList>(`${KEYS}?search=${one?.id}`)).body.access_keys).toEqual([one]);
  });

  test.each(['page=0', 'page_size=101', 'page_size=x'])('cannot be listed with %s', async query => {
    const {get} = await aSimulator();
    expect(await get(`${KEYS}?${query}`)).toMatchObject({
      status: 422,
      body: {detail: [{loc: ['query', query.split('=')[0]], msg: expect.any(String), type: expect.any(String)}]},
    });
  });

  test('are created with a secret that is shown once, and can be deleted', async () => {
    const {get, post, simulator} = await aSimulator();
    const {status, body} = await post<AccessKey>(KEYS, {region: 'CANADA-1', description: 'x'.repeat(250)});
    expect(status).toBe(201);
    expect(Object.keys(body).toSorted()).toEqual(
      ['id', 'user_id', 'access_key', 'secret_key', 'region', 'description', 'created_at'].toSorted(),
    );
    expect((await get(KEYS)).text).not.toContain(body.secret_key);
    expect((await post<AccessKey>(KEYS, {region: 'CANADA-1'})).body.description).toBeNull();
    expect(await get(`${KEYS}/${body.id}`, {method: 'DELETE'})).toMatchObject({
      status: 200,
      body: {message: expect.any(String)},
    });
    expect(await get(`${KEYS}/${body.id}`, {method: 'DELETE'})).toMatchObject({
      status: 404,
      body: {status: false, error_reason: 'not_found'},
    });
    expect((await get(`${KEYS}/x`, {method: 'DELETE'})).status).toBe(422);
    expect(simulator.executions().map(({verb}) => verb)).toEqual([
      'create-access-key',
      'create-access-key',
      'delete-access-key',
    ]);
  });

  test.each([
    [{}, 'region'],
    [{region: 'NORWAY-1'}, 'region'],
    [{region: 'CANADA-1', description: 'x'.repeat(251)}, 'description'],
    [{region: 'CANADA-1', description: 5}, 'description'],
  ])('cannot be created from %j', async (wish, field) => {
    const {post, simulator} = await aSimulator();
    expect(await post(KEYS, wish)).toMatchObject({status: 422, body: {detail: [{loc: ['body', field]}]}});
    expect(simulator.executions()).toEqual([]);
  });
});

describe('buckets', () => {
  test('are listed with the failed regions, and can be searched', async () => {
    const {get} = await aSimulator();
    const {body} = await get<BucketList>(BUCKETS);
    expect(body.failed_regions).toEqual([]);
    expect(body.buckets).toHaveLength(6);
    expect(Object.keys(body.buckets[0] ?? {})).toEqual([
      'name',
      'region',
      'endpoint',
      'created_at',
      'num_objects',
      'size_bytes',
      'size_bytes_actual',
    ]);
    expect(Math.max(...body.buckets.map(({name}) => name.length))).toBe(63);
    expect((await get<BucketList>(`${BUCKETS}?search=CHECK`)).body.buckets.map(({name}) => name)).toEqual([
      'checkpoints',
    ]);
  });

  test('can be read or deleted only with a region', async () => {
    const {get, simulator} = await aSimulator();
    const bucket = found((await get<BucketList>(BUCKETS)).body.buckets, ({name}) => name === 'scratch', 'scratch');
    const path = `${BUCKETS}/scratch`;
    for (const method of ['GET', 'DELETE']) {
      expect(await get(path, {method})).toMatchObject({
        status: 422,
        body: {detail: [{loc: ['query', 'region'], msg: 'Field required', type: 'missing'}]},
      });
    }
    expect((await get(`${path}?region=CANADA-1`)).body).toEqual(bucket);
    expect((await get(`${path}?region=MOON-1`)).status).toBe(422);
    expect((await get(`${path}?region=CANADA-1`, {method: 'DELETE'})).body).toEqual({message: 'Bucket deleted'});
    expect(await get(`${path}?region=CANADA-1`)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
    expect(simulator.executions()).toMatchObject([{verb: 'delete-bucket', bucketName: 'scratch'}]);
  });

  test('can be addressed percent-encoded', async () => {
    const {get} = await aSimulator();
    const name = 'nightly-backups.postgres-main.production';
    const encoded = name.replaceAll('.', '%2E');
    expect((await get(`${BUCKETS}/${encoded}?region=CANADA-1`)).body).toMatchObject({name});
  });

  test('need a role', async () => {
    const {get, simulator} = await aSimulator();
    expect((await get(BUCKETS, {key: simulator.keys.none})).status).toBe(403);
    expect((await get(`${BUCKETS}/scratch?region=CANADA-1`, {key: simulator.keys.none, method: 'DELETE'})).status).toBe(
      403,
    );
    expect((await get(BUCKETS, {key: simulator.keys.member})).status).toBe(200);
  });
});

test('an empty account has a health check and one region, and no buckets or access keys', async () => {
  const {get} = await aSimulator({scenario: 'empty'});
  expect((await get('/object-storage/healthz')).body).toEqual({status: 'alive'});
  expect((await get('/object-storage/regions')).body).toEqual({regions: [{name: 'CANADA-1'}]});
  expect((await get(BUCKETS)).body).toEqual({buckets: [], failed_regions: []});
  expect((await get(KEYS)).body).toEqual({access_keys: [], meta: {count: 0, current_page: 1, total_pages: 0}});
});
