import {describe, expect, it} from 'vitest';
import {endsInOperation} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {parseJson} from '../../src/api/json.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {wireExample} from './wire-example.ts';

/** The rows of the interface table, copied from its documents except for the names of path parameters. */
const INTERFACE_TABLE = [
  'GET /auth/organizations',
  'GET /auth/me',
  'GET /auth/users/me/permissions',
  'GET /auth/roles',
  'GET /core/clusters',
  'POST /core/clusters',
  'GET /core/clusters/{id}',
  'DELETE /core/clusters/{id}',
  'POST /core/clusters/{id}/reconcile',
  'GET /core/clusters/{id}/node-groups',
  'GET /core/clusters/{id}/nodes',
  'GET /core/clusters/master-flavors',
  'GET /core/clusters/versions',
  'GET /core/clusters/{id}/events',
  'GET /core/clusters/name-availability/{name}',
  'GET /core/flavors',
  'GET /core/images',
  'GET /core/images/{id}',
  'GET /core/environments',
  'POST /core/environments',
  'GET /core/environments/{id}',
  'PUT /core/environments/{id}',
  'DELETE /core/environments/{id}',
  'GET /core/environments/{id}/vm-quota',
  'GET /core/regions',
  'GET /core/gpus',
  'GET /core/stocks',
  'GET /core/dashboard',
  'POST /core/virtual-machines',
  'GET /core/virtual-machines',
  'GET /core/virtual-machines/{id}',
  'GET /core/virtual-machines/{id}/start',
  'GET /core/virtual-machines/{id}/stop',
  'GET /core/virtual-machines/{id}/hard-reboot',
  'GET /core/virtual-machines/{id}/hibernate',
  'GET /core/virtual-machines/{id}/hibernate-restore',
  'POST /core/virtual-machines/{id}/resize',
  'DELETE /core/virtual-machines/{id}',
  'PUT /core/virtual-machines/{id}/label',
  'GET /core/virtual-machines/{id}/metrics',
  'GET /core/virtual-machines/{id}/events',
  'POST /core/virtual-machines/{id}/sg-rules',
  'DELETE /core/virtual-machines/{id}/sg-rules/{ruleId}',
  'POST /core/virtual-machines/{id}/attach-floatingip',
  'POST /core/virtual-machines/{id}/detach-floatingip',
  'POST /core/virtual-machines/{id}/attach-callback',
  'PUT /core/virtual-machines/{id}/update-callback',
  'DELETE /core/virtual-machines/{id}/delete-callback',
  'POST /core/virtual-machines/{id}/attach-volumes',
  'POST /core/virtual-machines/{id}/detach-volumes',
  'POST /core/virtual-machines/{id}/attach-firewalls',
  'GET /core/virtual-machines/{id}/request-console',
  'GET /core/virtual-machines/{id}/console/{jobId}',
  'POST /core/virtual-machines/{id}/logs',
  'GET /core/virtual-machines/{id}/logs',
  'GET /core/virtual-machines/name-availability/{name}',
  'GET /core/keypairs',
  'POST /core/keypairs',
  'PUT /core/keypair/{id}',
  'DELETE /core/keypair/{id}',
  'GET /core/supported-keypairs',
  'GET /core/firewalls',
  'GET /core/firewalls/{id}',
  'POST /core/firewalls',
  'DELETE /core/firewalls/{id}',
  'POST /core/firewalls/{id}/firewall-rules',
  'DELETE /core/firewalls/{id}/firewall-rules/{ruleId}',
  'POST /core/firewalls/{id}/update-attachments',
  'GET /core/sg-rules-protocols',
  'GET /core/volumes',
  'GET /core/volumes/{id}',
  'POST /core/volumes',
  'DELETE /core/volumes/{id}',
  'GET /core/volume-types',
  'GET /pricebook/contracts',
  'GET /pricebook/contracts/{id}',
  'GET /pricebook',
  'GET /pricebook/calculate/resource/{resourceType}/{id}',
  'GET /billing/billing/usage',
  'GET /billing/user-credit/credit',
  'GET /billing/billing/last-day-cost',
  'GET /billing/billing/history',
  'GET /billing/billing/history/virtual-machine',
  'GET /billing/billing/history/virtual-machine/{id}',
  'GET /billing/billing/history/virtual-machine/{id}/graph',
  'GET /object-storage/access-keys',
  'POST /object-storage/access-keys',
  'DELETE /object-storage/access-keys/{id}',
  'GET /object-storage/buckets',
  'GET /object-storage/buckets/{name}',
  'DELETE /object-storage/buckets/{name}',
  'GET /object-storage/healthz',
  'GET /object-storage/regions',
];

describe('ENDPOINTS', () => {
  it('are the rows of the interface table', () => {
    expect(ENDPOINTS.map(({method, template}) => `${method} ${template}`).toSorted()).toEqual(
      INTERFACE_TABLE.toSorted(),
    );
  });

  it('have unique ids', () => {
    expect(new Set(ENDPOINTS.map(({id}) => id)).size).toBe(ENDPOINTS.length);
  });

  it.each(ENDPOINTS.map(endpoint => [endpoint.id, endpoint] as const))('%s reads its wire example', (id, endpoint) => {
    const parsed = atOnce(parseJson(wireExample(id)));
    if (!parsed.ok) throw new Error(`${id}.json is ${parsed.detail}.`);
    if (endpoint.effect === 'operation') {
      expect(endpoint.isAccepted(parsed.value)).toBe(true);
      return;
    }
    const raw = endpoint.collect(parsed.value) ?? [];
    expect(raw.length).toBeGreaterThan(0);
    expect(endpoint.record(raw[0]).ok).toBe(true);
  });

  it.each(
    ENDPOINTS.flatMap(endpoint => (endpoint.effect === 'operation' ? [[endpoint.id, endpoint] as const] : [])),
  )('%s is not accepted by a message alone, unless that is its documented answer', (id, {isAccepted}) => {
    const isThin = id === 'object-storage.delete-bucket' || id === 'object-storage.delete-access-key';
    expect(isAccepted({message: 'upstream accepted'})).toBe(isThin);
    for (const body of [{}, [], null, 'accepted', {id: 7}, {status: 'queued', instances: []}, {request: {id: 'a-7'}}]) {
      expect(isAccepted(body)).toBe(false);
    }
  });

  const CREATIONS = [
    'virtual-machines.create',
    'virtual-machines.add-rule',
    'clusters.create',
    'environments.create',
    'firewalls.create',
    'firewalls.add-rule',
    'key-pairs.import',
    'volumes.create',
    'object-storage.create-access-key',
  ];

  it.each(CREATIONS)('%s is not accepted by a yes without what it creates', id => {
    const endpoint = ENDPOINTS.find(each => each.id === id);
    if (endpoint?.effect !== 'operation') throw new Error(`${id} is no operation`);
    for (const status of [true, 'true', 'ok', 1, 200]) {
      expect(endpoint.isAccepted({status, message: 'done'})).toBe(false);
      expect(endpoint.isAccepted({status, instances: [], volume: null, cluster: {}, firewall: {name: 'a'}})).toBe(
        false,
      );
    }
  });

  it.each(
    ENDPOINTS.filter(({effect}) => effect === 'read').map(endpoint => [endpoint.id, endpoint] as const),
  )('%s does not accept the reply of another endpoint', (id, endpoint) => {
    if (endpoint.effect !== 'read') return;
    // The price book is a bare array, so an empty array is an empty price book.
    const others = [{status: true, message: 'ok'}, {}, null, 'text', 4, ...(id === 'price-book.list' ? [] : [[]])];
    for (const body of others) {
      expect(endpoint.collect(body)).toBeUndefined();
    }
  });

  it('are operations if and only if the method is not GET or the path ends in a verb', () => {
    for (const {effect, method, template} of ENDPOINTS) {
      expect([template, effect === 'operation']).toEqual([template, method !== 'GET' || endsInOperation(template)]);
    }
  });
});

it.each([
  'virtual-machines',
  'volumes',
  'clusters',
  'firewalls',
  'environments',
  'key-pairs',
  'images',
])('cuts long names in the list of %s to 256 characters', kind => {
  const endpoint = ENDPOINTS.find(({id}) => id === `${kind}.list`);
  if (endpoint?.effect !== 'read') throw new Error(`${kind} have no list.`);
  const parsed = atOnce(parseJson(wireExample(endpoint.id)));
  const [raw] = (parsed.ok && endpoint.collect(parsed.value)) || [];
  const read = endpoint.record({...Object(raw), name: 'x'.repeat(5000)});
  expect(read).toMatchObject({ok: true, value: {name: `${'x'.repeat(255)}…`}});
});
