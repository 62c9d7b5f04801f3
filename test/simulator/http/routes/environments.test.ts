import {describe, expect, test} from 'vitest';
import {aSimulator, found, type SimulatorUnderTest} from '../../a-simulator.ts';

type Environment = {
  readonly id: number;
  readonly name: string;
  readonly region: string;
  readonly created_at: string;
  readonly features: {readonly network_optimised: boolean; readonly green_status: string};
};
type List = {readonly count: number; readonly environments: readonly Environment[]};
type One = {readonly environment: Environment};

const PATH = '/core/environments';

test('are listed with the documented keys, searched and paged', async () => {
  const {get} = await aSimulator();
  const {body} = await get<List>(PATH);
  expect(body.environments.map(({name, region}) => [name, region])).toEqual([
    ['production-ca', 'CANADA-1'],
    ['research-ca', 'CANADA-1'],
    ['production-no', 'NORWAY-1'],
    ['dev sandbox', 'NORWAY-1'],
  ]);
  expect(Object.keys(body.environments[0] ?? {})).toEqual(['id', 'name', 'region', 'created_at', 'features']);
  expect((await get<List>(`${PATH}?search=norway`)).body.count).toBe(2);
  expect((await get<List>(`${PATH}?page=2&pageSize=3`)).body.environments).toHaveLength(1);
});

describe('a new environment', () => {
  test('belongs to its region, is empty, and can be deleted again', async () => {
    const {get, post, simulator} = await aSimulator();
    const {status, body} = await post<One>(PATH, {name: 'trial', region: 'US-1'});
    expect([status, body]).toMatchObject([
      200,
      {status: true, environment: {name: 'trial', region: 'US-1', features: {green_status: 'NOT_GREEN'}}},
    ]);
    const {id} = body.environment;
    expect((await get<One>(`${PATH}/${id}`)).body.environment).toEqual(body.environment);
    expect((await get(`${PATH}/${id}/vm-quota`)).body).toEqual({
      current_vms: 0,
      max_vms: 250,
      available_vms: 250,
      percentage_used: 0,
      cidr: '10.0.9.0/24',
    });
    expect((await get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(200);
    expect((await get(`${PATH}/${id}`)).status).toBe(404);
    expect(simulator.executions()).toMatchObject([
      {verb: 'create-environment', id},
      {verb: 'delete-environment', id},
    ]);
  });

  test.each([
    '   ',
    '\t',
    '\u00a0',
    'a\u0007b',
    'two\nlines',
    'c1\u0085',
  ])('is refused with the name %j', async name => {
    const {get, post, simulator} = await aSimulator();
    const refusal = {status: 400, body: {errors: {name: expect.any(String)}}};
    expect(await post(PATH, {name, region: 'CANADA-1'})).toMatchObject(refusal);
    const [{id = 0} = {}] = (await get<List>(PATH)).body.environments;
    expect(await get(`${PATH}/${id}`, {method: 'PUT', body: JSON.stringify({name})})).toMatchObject(refusal);
    expect(simulator.executions()).toEqual([]);
  });

  test('is refused for a name taken in any region, an unknown region and a long name', async () => {
    const {post, simulator} = await aSimulator();
    expect(await post(PATH, {name: 'research-ca', region: 'NORWAY-1'})).toMatchObject({
      status: 409,
      body: {error_reason: 'already_exist'},
    });
    expect(await post(PATH, {name: 'moon', region: 'MOON-1'})).toMatchObject({status: 404});
    expect(await post(PATH, {name: 'x'.repeat(51), region: 'US-1'})).toMatchObject({
      status: 400,
      body: {errors: {name: expect.any(String)}, message: 'Input payload validation failed'},
    });
    expect(simulator.executions()).toEqual([]);
  });
});

describe('an environment in use', () => {
  test('can be renamed everywhere, while its region stays', async () => {
    const {get, machine, simulator, usage} = await aSimulator();
    const {id} = await environmentNamed(get, 'research-ca');
    const before = (await usage('?environment=research-ca')).length;
    const reply = await get<One>(`${PATH}/${id}`, {method: 'PUT', body: '{"name": "lab"}'});
    expect(reply).toMatchObject({status: 200, body: {environment: {id, name: 'lab', region: 'CANADA-1'}}});
    expect((await machine('train-01')).environment).toMatchObject({id, name: 'lab', region: 'CANADA-1'});
    expect((await usage('?environment=lab')).length).toBe(before);
    expect(await usage('?environment=research-ca')).toEqual([]);
    expect(simulator.executions()).toMatchObject([{verb: 'rename-environment', id}]);
    expect(await get(`${PATH}/${id}`, {method: 'PUT', body: '{"name": "dev sandbox"}'})).toMatchObject({status: 409});
    expect(await get(`${PATH}/${id}`, {method: 'PUT', body: '{"region": "US-1"}'})).toMatchObject({
      status: 400,
      body: {status: false, errors: {region: ['Unknown field.']}},
    });
  });

  test('still gets the machines that others create there after it was renamed', async () => {
    const {get, machine, pass} = await aSimulator({scenario: 'runaway-spend'});
    const {id} = await environmentNamed(get, 'research-ca');
    expect((await get(`${PATH}/${id}`, {method: 'PUT', body: '{"name": "lab"}'})).status).toBe(200);
    // The next machine of one every minute.
    pass(10_000);
    expect((await machine('hyperparam-sweep-10')).environment).toMatchObject({id, name: 'lab'});
  });

  test('cannot be deleted, and the error counts its machines', async () => {
    const {get, machines, simulator} = await aSimulator();
    const {id} = await environmentNamed(get, 'research-ca');
    const count = (await machines()).filter(({environment}) => environment.id === id).length;
    expect(await get(`${PATH}/${id}`, {method: 'DELETE'})).toMatchObject({
      status: 405,
      body: {status: false, error_reason: 'not_allowed', message: expect.stringContaining(`${count} virtual machines`)},
    });
    expect(simulator.executions()).toEqual([]);
  });

  test('reports how much of its quota is used', async () => {
    const {get, machines} = await aSimulator();
    const {id} = await environmentNamed(get, 'production-ca');
    const inside = (await machines()).filter(({environment}) => environment.id === id);
    const quota = (await get<{cidr: string}>(`${PATH}/${id}/vm-quota`)).body;
    expect(quota).toMatchObject({
      current_vms: inside.length,
      available_vms: 250 - inside.length,
      percentage_used: (inside.length / 250) * 100,
    });
    for (const {fixed_ip: address} of inside) expect(address).toContain(quota.cidr.replace('0/24', ''));
  });
});

async function environmentNamed(get: SimulatorUnderTest['get'], wanted: string): Promise<Environment> {
  return found((await get<List>(PATH)).body.environments, ({name}) => name === wanted, wanted);
}
