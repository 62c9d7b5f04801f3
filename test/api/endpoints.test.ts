import {describe, expect, it} from 'vitest';
import {endsInOperation} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {parseJson} from '../../src/api/json.ts';
import {wireExample} from './wire-example.ts';

/** The rows of the interface table, copied from the interface's documents but for the names of path parameters. */
const INTERFACE_TABLE = [
  'GET /auth/organizations',
  'GET /auth/me',
  'GET /core/clusters',
  'GET /core/clusters/{id}',
  'GET /core/clusters/master-flavors',
  'GET /core/clusters/versions',
  'GET /core/clusters/{id}/events',
  'GET /core/flavors',
  'GET /core/virtual-machines',
  'GET /core/virtual-machines/{id}',
  'GET /core/virtual-machines/{id}/start',
  'GET /core/virtual-machines/{id}/stop',
  'GET /core/virtual-machines/{id}/hard-reboot',
  'GET /core/virtual-machines/{id}/hibernate',
  'GET /core/virtual-machines/{id}/hibernate-restore',
  'GET /core/virtual-machines/{id}/metrics',
  'GET /core/virtual-machines/{id}/events',
  'POST /core/virtual-machines/{id}/sg-rules',
  'DELETE /core/virtual-machines/{id}/sg-rules/{ruleId}',
  'GET /core/firewalls',
  'GET /core/firewalls/{id}',
  'POST /core/firewalls/{id}/firewall-rules',
  'DELETE /core/firewalls/{id}/firewall-rules/{ruleId}',
  'GET /core/sg-rules-protocols',
  'GET /pricebook/contracts',
  'GET /billing/billing/usage',
  'GET /billing/user-credit/credit',
];

describe('ENDPOINTS', () => {
  it('are rows of the interface table', () => {
    expect(ENDPOINTS.map(({method, template}) => `${method} ${template}`)).toEqual(INTERFACE_TABLE);
  });

  it('have names of their own', () => {
    expect(new Set(ENDPOINTS.map(({id}) => id)).size).toBe(ENDPOINTS.length);
  });

  it.each(ENDPOINTS.map(endpoint => [endpoint.id, endpoint] as const))('%s reads its wire example', (id, endpoint) => {
    const parsed = parseJson(wireExample(id));
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
    ENDPOINTS.filter(({effect}) => effect === 'read').map(endpoint => [endpoint.id, endpoint] as const),
  )('%s does not take another reply for its own', (_id, endpoint) => {
    if (endpoint.effect !== 'read') return;
    for (const body of [{status: true, message: 'ok'}, {}, [], null, 'text', 4]) {
      expect(endpoint.collect(body)).toBeUndefined();
    }
  });

  it('are operations exactly where the method is no GET or the path ends in a verb', () => {
    for (const {effect, method, template} of ENDPOINTS) {
      expect([template, effect === 'operation']).toEqual([template, method !== 'GET' || endsInOperation(template)]);
    }
  });
});
