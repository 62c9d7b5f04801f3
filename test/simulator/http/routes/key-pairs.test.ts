import {describe, expect, test} from 'vitest';
import {aSimulator, found, type WireRefusal} from '../../a-simulator.ts';

type KeyPair = {
  readonly id: number;
  readonly name: string;
  readonly environment: {readonly id: number; readonly name: string; readonly region: string};
  readonly public_key: string;
  readonly fingerprint: string;
  readonly created_at: string;
};
type List = {
  readonly page: number | null;
  readonly page_size: number | null;
  readonly count: number;
  readonly keypairs: readonly KeyPair[];
};
type One = {readonly status: boolean; readonly keypair: KeyPair};

const PATH = '/core/keypairs';
// Created by ssh-keygen for this test, with the fingerprint that it prints.
const BLOB = 'AAAAC3NzaC1lZDI1NTE5AAAAIHS5S8h7pOqSyLMPhx69nJMbEa0GwEXXwRdF6N5MkwO7';
const FINGERPRINT = '11:ac:5f:1e:8e:8f:25:bf:03:11:ec:58:72:18:3b:58';
const PUBLIC_KEY = `ssh-ed25519 ${BLOB} mira@work`;
const WISH = {name: 'mira', environment_name: 'production-ca', public_key: PUBLIC_KEY};

describe('the list of key pairs', () => {
  test('has the team key of every environment, oldest first', async () => {
    const {get, machines} = await aSimulator();
    const {body} = await get<List>(PATH);
    expect(body).toMatchObject({status: true, page: null, page_size: null, count: 10});
    const named = body.keypairs.map(({name, environment}) => `${name} in ${environment.name}`);
    for (const machine of await machines()) {
      expect(named).toContain(`${machine.environment.name}-team in ${machine.environment.name}`);
    }
    const created = body.keypairs.map(keyPair => keyPair.created_at);
    expect(created).toEqual(created.toSorted());
    expect(new Set(body.keypairs.map(({fingerprint}) => fingerprint)).size).toBe(10);
    expect(new Set(body.keypairs.map(({environment}) => environment.name)).size).toBe(4);
  });

  test('has the documented keys, with the environment as an object', async () => {
    const {get} = await aSimulator();
    const [keyPair] = (await get<List>(PATH)).body.keypairs;
    expect(Object.keys(keyPair ?? {})).toEqual([
      'id',
      'name',
      'environment',
      'public_key',
      'fingerprint',
      'created_at',
    ]);
    expect(keyPair).toMatchObject({
      environment: {features: {network_optimised: expect.any(Boolean), green_status: 'GREEN'}},
      fingerprint: expect.stringMatching(/^[0-9a-f]{2}(:[0-9a-f]{2}){15}$/),
    });
  });

  test('has a name of fifty characters and one in wide characters', async () => {
    const {get} = await aSimulator();
    const names = (await get<List>(PATH)).body.keypairs.map(({name}) => name);
    expect(Math.max(...names.map(name => [...name].length))).toBe(50);
    expect(names.filter(name => /\p{Script=Han}/u.test(name))).toHaveLength(1);
  });

  test('can be paged by pageSize and searched by name or id', async () => {
    const {get} = await aSimulator();
    const whole = (await get<List>(PATH)).body.keypairs;
    const pages = await Promise.all([1, 2, 3].map(page => get<List>(`${PATH}?page=${page}&pageSize=4`)));
    expect(pages.map(({body}) => [body.page, body.page_size, body.count, body.keypairs.length])).toEqual([
      [1, 4, 10, 4],
      [2, 4, 10, 4],
      [3, 4, 10, 2],
    ]);
    expect(pages.flatMap(({body}) => body.keypairs)).toEqual(whole);
    expect((await get<List>(`${PATH}?search=INES`)).body.keypairs.map(({name}) => name)).toEqual([
      'ines-laptop',
      'ines-laptop',
    ]);
    expect((await get<List>(`${PATH}?search=${whole[3]?.id}`)).body.keypairs).toEqual([whole[3]]);
    expect(await get(`${PATH}?page=0`)).toMatchObject({status: 400, body: {errors: {page: expect.any(String)}}});
  });

  test('is empty in a new account', async () => {
    const {get} = await aSimulator({scenario: 'empty'});
    expect((await get<List>(PATH)).body).toMatchObject({count: 0, keypairs: []});
  });
});

describe('a key pair import', () => {
  test('computes the fingerprint of the key and adds it to the list', async () => {
    const {get, post, simulator} = await aSimulator();
    const {status, body} = await post<One>(PATH, WISH);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: true,
      keypair: {name: 'mira', environment: {name: 'production-ca'}, public_key: PUBLIC_KEY, fingerprint: FINGERPRINT},
    });
    expect((await get<List>(`${PATH}?search=mira`)).body.keypairs).toEqual([body.keypair]);
    expect(simulator.executions()).toMatchObject([{verb: 'create-key-pair', id: body.keypair.id}]);
  });

  test('is refused for a name taken in the environment, but not in another', async () => {
    const {post, simulator} = await aSimulator();
    expect((await post(PATH, WISH)).status).toBe(200);
    expect(await post<WireRefusal>(PATH, WISH)).toMatchObject({
      status: 409,
      body: {status: false, error_reason: 'already_exist', message: expect.stringContaining('mira')},
    });
    expect((await post(PATH, {...WISH, environment_name: 'research-ca'})).status).toBe(200);
    expect(simulator.executions()).toHaveLength(2);
  });

  test('is refused with each of the three shapes of errors', async () => {
    const {post, simulator} = await aSimulator();
    expect(await post(PATH, {...WISH, colour: 'red'})).toMatchObject({
      status: 400,
      body: {status: false, errors: {colour: ['Unknown field.']}},
    });
    const {name: _name, ...nameless} = WISH;
    const invalid = await post<{errors: object}>(PATH, nameless);
    expect(invalid).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
    expect(Object.keys(invalid.body.errors)).toEqual(['name']);
    expect(await post(PATH, {...WISH, name: 'x'.repeat(51)})).toMatchObject({
      status: 400,
      body: {errors: {name: expect.any(String)}},
    });
    expect(await post(PATH, {...WISH, public_key: 'ssh-dss AAAA'})).toMatchObject({
      status: 400,
      body: {status: false, error_reason: 'bad_request'},
    });
    expect(await post(PATH, {...WISH, environment_name: 'nowhere'})).toMatchObject({
      status: 404,
      body: {status: false, error_reason: 'not_found'},
    });
    expect(simulator.executions()).toEqual([]);
  });

  test('accepts a name of exactly fifty characters', async () => {
    const {post} = await aSimulator();
    expect((await post(PATH, {...WISH, name: '鍵'.repeat(50)})).status).toBe(200);
  });
});

describe('one key pair', () => {
  test('can be renamed under the singular path', async () => {
    const {get, simulator} = await aSimulator();
    const {keypairs} = (await get<List>(PATH)).body;
    const noe = found(keypairs, ({name}) => name === 'noe', 'noe');
    const {status, body} = await get<One>(`/core/keypair/${noe.id}`, {method: 'PUT', body: '{"name": "noe-2"}'});
    expect([status, body.keypair]).toEqual([200, {...noe, name: 'noe-2'}]);
    expect(simulator.executions()).toMatchObject([{verb: 'rename-key-pair', id: noe.id}]);
    const taken = await get(`/core/keypair/${noe.id}`, {method: 'PUT', body: '{"name": "dev sandbox-team"}'});
    expect(taken).toMatchObject({status: 409, body: {error_reason: 'already_exist'}});
  });

  test('can be deleted, and machines keep it', async () => {
    const {get, machine, simulator} = await aSimulator();
    const {keypairs} = (await get<List>(PATH)).body;
    const team = found(keypairs, ({name}) => name === 'research-ca-team', 'team key');
    const before = await machine('train-01');
    expect(await get(`/core/keypair/${team.id}`, {method: 'DELETE'})).toMatchObject({
      status: 200,
      body: {status: true, message: expect.any(String)},
    });
    expect(await machine('train-01')).toEqual(before);
    expect((await get<List>(PATH)).body.count).toBe(9);
    expect(await get(`/core/keypair/${team.id}`, {method: 'DELETE'})).toMatchObject({
      status: 404,
      body: {error_reason: 'not_found'},
    });
    expect(simulator.executions()).toMatchObject([{verb: 'delete-key-pair', id: team.id}]);
  });

  test('cannot be listed or deleted without a role', async () => {
    const {get, simulator} = await aSimulator();
    const {none, member} = simulator.keys;
    expect(await get(PATH, {key: none})).toMatchObject({status: 403, body: {error_reason: 'forbidden'}});
    expect(await get('/core/keypair/1', {method: 'DELETE', key: none})).toMatchObject({status: 403});
    expect((await get(PATH, {key: member})).status).toBe(200);
  });
});

test('there are five supported types of keys', async () => {
  const {get} = await aSimulator();
  expect((await get('/core/supported-keypairs')).body).toMatchObject({
    status: true,
    supported_key_types: [
      'ssh-rsa',
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp384',
      'ecdsa-sha2-nistp521',
    ],
  });
});
