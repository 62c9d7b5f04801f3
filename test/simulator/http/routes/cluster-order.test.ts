import {describe, expect, test} from 'vitest';
import {aSimulator, HOUR_MS, type WireRefusal} from '../../a-simulator.ts';

const PATH = '/core/clusters';

/** A valid order: a bastion and a load balancer, two masters, two workers. */
const ORDER = {
  name: 'batch',
  environment_name: 'research-ca',
  keypair_name: 'research-ca-team',
  kubernetes_version: '1.35.1',
  master_flavor_name: 'n1-cpu-medium',
  node_flavor_name: 'n3-A100x1',
  node_count: 2,
};
const GROUP = {name: 'x', role: 'worker', flavor_name: 'n3-A100x1'};

/** The order with its workers in a group instead. */
const grouped = (change: object) => ({
  node_groups: [{...GROUP, ...change}],
  node_flavor_name: undefined,
  node_count: undefined,
});

describe('an order for a cluster', () => {
  const missing: readonly [what: string, change: object][] = [
    ['environment', {environment_name: 'mars'}],
    ['key pair', {keypair_name: 'nobody'}],
    ['key pair of another environment', {keypair_name: 'production-no-team'}],
    ['version', {kubernetes_version: '1.2.3'}],
    ['master flavor', {master_flavor_name: 'n9'}],
    [
      'master flavor of another region',
      {environment_name: 'production-no', keypair_name: 'production-no-team', master_flavor_name: 'n1-cpu-xlarge'},
    ],
    ['node flavor', {node_flavor_name: 'n9'}],
  ];
  test.each(missing)('gets 404 for a missing %s', async (_, change) => {
    const {post, get, simulator, machines} = await aSimulator();
    const before = [await machines(), (await get(PATH)).text];
    const reply = await post<WireRefusal>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
    expect([await machines(), (await get(PATH)).text]).toEqual(before);
    expect(simulator.executions()).toEqual([]);
  });

  test('gets 409 for a taken name', async () => {
    const {post, simulator} = await aSimulator();
    const reply = await post<WireRefusal>(PATH, {...ORDER, name: 'serve'});
    expect(reply).toMatchObject({status: 409, body: {status: false, error_reason: 'already_exist'}});
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['a master flavor with a GPU', {master_flavor_name: 'n3-A100x1'}],
    ['a node flavor out of stock', {node_flavor_name: 'n3-H100x2'}],
  ])('gets 400 bad_request for %s', async (_, change) => {
    const {post, simulator} = await aSimulator();
    const reply = await post<WireRefusal>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(simulator.executions()).toEqual([]);
  });

  test('is refused when the credit is used up', async () => {
    const {post, pass} = await aSimulator();
    pass(48 * HOUR_MS);
    expect(await post(PATH, ORDER)).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
  });

  const invalid: readonly [field: string, change: object][] = [
    ['name', {name: 'x'.repeat(51)}],
    ['name', {name: ' batch'}],
    ['name', {name: 'batch '}],
    ['name', {name: 'batch/1'}],
    ['name', {name: 'büro'}],
    ['name', {name: undefined}],
    ['environment_name', {environment_name: undefined}],
    ['keypair_name', {keypair_name: 17}],
    ['kubernetes_version', {kubernetes_version: undefined}],
    ['master_flavor_name', {master_flavor_name: undefined}],
    ['node_count', {node_count: '2'}],
    ['deployment_mode', {deployment_mode: 'half'}],
    ['node_groups.0.name', grouped({name: 'x'.repeat(21)})],
    ['node_groups.0.role', grouped({role: 'master'})],
  ];
  test.each(invalid)('gets a validation error for %s in %o', async (field, change) => {
    const {post} = await aSimulator();
    const reply = await post<{errors: object; message: string}>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
    expect(Object.keys(reply.body)).not.toContain('status');
    expect(Object.keys(reply.body.errors)).toEqual([field]);
  });

  const unprocessable: readonly [fields: string, change: object][] = [
    ['node_count', {node_count: 0}],
    ['node_count', {node_count: 21}],
    ['master_count', {master_count: 1}],
    ['master_count', {master_count: 4}],
    ['node_count', {node_count: undefined}],
    ['node_flavor_name', {node_flavor_name: undefined}],
    ['node_groups', {node_groups: [{name: 'x', role: 'worker', flavor_name: 'n3-A100x1'}]}],
    ['node_groups.0.max_count', grouped({max_count: 21})],
    ['node_groups.0.count', grouped({count: 5, max_count: 4})],
  ];
  test.each(unprocessable)('gets 422 with a list of errors for %s in %o', async (field, change) => {
    const {post, simulator} = await aSimulator();
    const reply = await post<{status: boolean; errors: Record<string, string[]>}>(PATH, {...ORDER, ...change});
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.body)).toEqual(['status', 'errors']);
    expect(Object.keys(reply.body.errors)).toEqual([field]);
    expect(reply.body.errors[field]).toEqual([expect.any(String)]);
    expect(simulator.executions()).toEqual([]);
  });

  test('may not have unknown fields', async () => {
    const {post} = await aSimulator();
    const reply = await post(PATH, {...ORDER, enable_public_ip: true});
    expect(reply).toMatchObject({status: 400, body: {status: false, errors: {enable_public_ip: ['Unknown field.']}}});
  });

  test('names no image, which the specification of the service has no field for', async () => {
    const {post} = await aSimulator();
    const reply = await post(PATH, {...ORDER, image_name: 'Ubuntu Server 24.04 LTS'});
    expect(reply).toMatchObject({status: 400, body: {status: false, errors: {image_name: ['Unknown field.']}}});
  });

  test('accepts names of 50 characters, or of 20 with the limit of the live service', async () => {
    const [described, live] = [await aSimulator(), await aSimulator({clusterNameLimit: 20})];
    const named = (length: number) => ({...ORDER, name: 'x'.repeat(length)});
    expect((await described.post(PATH, named(50))).status).toBe(201);
    expect((await live.post(PATH, named(21))).status).toBe(400);
    expect((await live.post(PATH, named(20))).status).toBe(201);
  });
});
