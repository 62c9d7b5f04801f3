import {describe, expect, test} from 'vitest';
import {type Answer, createClient} from '../../src/api/client.ts';
import type {ReadEndpoint} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {secret} from '../../src/domain/secret.ts';
import {ROUTES} from '../../src/simulator/app.ts';
import {wireExample} from '../api/wire-example.ts';
import {createVirtualClock} from '../support/clock.ts';
import {aSimulator} from './a-simulator.ts';

// What the program reads, played by the simulator: two readings of one document that share no code.
const READS = ENDPOINTS.filter(endpoint => endpoint.effect === 'read');

describe('the simulator', () => {
  test('lets nobody change anything without a permission', () => {
    const open = ROUTES.filter(({method, requires}) => method !== 'GET' && requires === undefined);
    expect(open.map(({method, pattern}) => `${method} ${pattern}`)).toEqual([]);
  });

  test('has each route once', () => {
    const names = ROUTES.map(({method, pattern}) => `${method} ${pattern.replaceAll(/:[a-z_]+/g, '{}')}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each(ENDPOINTS.map(({method, template}) => [method, template]))('has a route for %s %s', (method, template) => {
    const routes = ROUTES.map(route => `${route.method} ${route.pattern.replaceAll(/:[a-z_]+/g, '{}')}`);
    expect(routes).toContain(`${method} ${template.replaceAll(/\{\w+\}/g, '{}')}`);
  });

  test.each(
    READS.map(endpoint => [endpoint.id, endpoint] as const),
  )('answers %s so that every record is read', async (_id, endpoint) => {
    const {records, quarantined, isIncomplete} = await readAll(endpoint);
    expect(records.length).toBeGreaterThan(0);
    expect(quarantined).toEqual([]);
    expect(isIncomplete).toBeUndefined();
  });

  test.each(
    READS.map(endpoint => [endpoint.id, endpoint] as const),
  )('answers %s with the fields of the document', async (id, endpoint) => {
    const [documented] = endpoint.collect(JSON.parse(wireExample(id))) ?? [];
    const {raw} = await readAll(endpoint);
    const known = fieldsOf(raw);
    expect(fieldsOf([documented]).filter(field => !known.includes(field))).toEqual([]);
  });
});

/** Reads with the parameters of something that is there. */
async function readAll(endpoint: ReadEndpoint<never, unknown>): Promise<Answer<unknown>> {
  const {simulator, machine} = await aSimulator();
  const {clock} = createVirtualClock();
  const client = createClient({
    baseUrl: simulator.url,
    key: secret(simulator.apiKey),
    clock,
    admit: async () => {},
  });
  const ids: Readonly<Record<string, number>> = {
    clusters: 1637,
    firewalls: 31207,
    'virtual-machines': (await machine('train-01')).id,
  };
  const [, , resource = ''] = endpoint.template.split('/');
  const path = endpoint.template.replace('{id}', String(ids[resource]));
  const asked: ReadEndpoint<object, unknown> = {...endpoint, path: () => path, query: () => ({})};
  const read = await client.read(asked, {});
  if (!read.ok) throw new Error(`${endpoint.id}: ${JSON.stringify(read.failure)}`);
  return read.value;
}

function fieldsOf(records: readonly unknown[]): string[] {
  const names = records.flatMap(record => (typeof record === 'object' && record !== null ? Object.keys(record) : []));
  return [...new Set(names)];
}
