import {describe, expect, test} from 'vitest';
import {ROUTES} from '../../src/simulator/app.ts';
import {openApiOf} from '../../src/simulator/openapi.ts';
import type {Route} from '../../src/simulator/route.ts';
import {complaintAbout, type Schema} from '../../src/simulator/schema.ts';
import {aSimulator, found} from './a-simulator.ts';

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {readonly name: string; readonly in: string; readonly required: boolean}[];
  readonly requestBody?: {readonly content: Readonly<Record<string, {readonly schema: Schema}>>};
  readonly responses: Readonly<Record<string, {readonly content: Readonly<Record<string, {readonly schema: Schema}>>}>>;
};
type Document = {
  readonly openapi: string;
  readonly servers: readonly {readonly url: string}[];
  readonly components: {readonly schemas: Readonly<Record<string, object>>};
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const JSON_TYPE = 'application/json';
const PERIOD = 'start_date=2026-11-01T00:00:00&end_date=2026-12-01T00:00:00';

describe('openapi.json', () => {
  test('describes every route that is served, and no other', async () => {
    const document = await documentOf();
    const told = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    );
    const served = ROUTES.map(({method, pattern}) => `${method} ${pattern.replaceAll(/:([a-z_]+)/g, '{$1}')}`);
    expect(told.toSorted()).toEqual(served.toSorted());
    expect(document).toMatchObject({openapi: '3.0.3', servers: [{url: '/v1'}]});
  });

  test('says how a key pair is imported and refused', async () => {
    const {paths} = await documentOf();
    expect(paths['/core/keypairs']?.post).toMatchObject({
      operationId: 'post-core-keypairs',
      summary: 'Import a key pair',
      parameters: [],
      requestBody: {
        content: {
          [JSON_TYPE]: {
            schema: {
              type: 'object',
              required: ['name', 'environment_name', 'public_key'],
              properties: {name: {type: 'string', maxLength: 50}},
            },
          },
        },
      },
    });
    expect(Object.keys(paths['/core/keypairs']?.post?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '429',
      '500',
    ]);
    expect(paths['/core/keypair/{id}']?.delete?.parameters).toMatchObject([{name: 'id', in: 'path', required: true}]);
  });

  test('keeps to what its format allows: no empty list of required fields, each path parameter told', async () => {
    const {text, body} = await (await aSimulator()).get<Document>('/openapi.json');
    expect(text).not.toContain('"required":[]');
    for (const [path, operations] of Object.entries(body.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const {parameters} of Object.values(operations)) {
        expect(parameters.filter(parameter => parameter.in === 'path').map(({name}) => name)).toEqual(named);
      }
    }
  });

  test('refers to schemas that are there', async () => {
    const document = await documentOf();
    const references = JSON.stringify(document.paths).match(/#\/components\/schemas\/\w+/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(Object.keys(document.components.schemas)).toContain(reference.split('/').at(-1));
    }
  });

  test.each(ROUTES.map(route => [`${route.method} ${route.pattern}`, route] as const))('has words for %s', (_name, {
    describes,
    pattern,
  }) => {
    expect(describes?.summary).toMatch(/^[A-Z]/);
    expect(pattern).toMatch(/^\//);
  });

  test('names every operation once', async () => {
    const {paths} = await documentOf();
    const ids = Object.values(paths).flatMap(operations =>
      Object.values(operations).map(operation => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(
    ROUTES.filter(isPlainRead).map(({pattern}) => pattern),
  )('tells of %s what it really answers', async pattern => {
    const {get} = await aSimulator();
    const operation = (await documentOf()).paths[pattern]?.get;
    const schema = found(Object.values(operation?.responses['200']?.content ?? {}), () => true, 'reply').schema;
    const {status, body} = await get(pattern);
    expect([status, complaintAbout(body, schema)]).toEqual([200, undefined]);
  });

  test.each([
    ['/core/environments/{id}', '/core/environments/84011'],
    ['/core/environments/{id}/vm-quota', '/core/environments/84011/vm-quota'],
    ['/core/volumes/{volume_id}', '/core/volumes/38104'],
    ['/core/images/{id}', '/core/images/2003?include_related_vms=true'],
    ['/pricebook/contracts/{contract_id}', '/pricebook/contracts/118'],
    ['/object-storage/buckets/{bucket_name}', '/object-storage/buckets/scratch?region=CANADA-1'],
    ['/pricebook/calculate/resource/{resource_type}/{id}', '/pricebook/calculate/resource/cluster/1637'],
    [
      '/pricebook/contracts/{contract_id}/gpu_allocation_graph',
      `/pricebook/contracts/118/gpu_allocation_graph?${PERIOD}`,
    ],
    ['/billing/billing/history', `/billing/billing/history?${PERIOD}&graph=true`],
    ['/billing/billing/history/virtual-machine', `/billing/billing/history/virtual-machine?${PERIOD}`],
    ['/billing/billing/history/volume/{volume_id}', `/billing/billing/history/volume/38104?${PERIOD}`],
    ['/billing/billing/history/volume/{volume_id}/graph', `/billing/billing/history/volume/38104/graph?${PERIOD}`],
    ['/billing/billing/volume/{volume_id}/billing-events', `/billing/billing/volume/38104/billing-events?${PERIOD}`],
  ])('tells of %s what %s really answers', async (told, asked) => {
    const {get} = await aSimulator();
    const operation = (await documentOf()).paths[told]?.get;
    const schema = found(Object.values(operation?.responses['200']?.content ?? {}), () => true, 'reply').schema;
    const {status, body} = await get(asked);
    expect([status, complaintAbout(body, schema)]).toEqual([200, undefined]);
  });

  test('tells of a route without a description by its method and path', () => {
    const route: Route = {
      method: 'POST',
      pattern: '/core/things/:thing_id',
      takesBody: true,
      answer: () => new Response(),
    };
    const {paths} = openApiOf([route], '/v1');
    expect(paths['/core/things/{thing_id}']?.post).toMatchObject({
      summary: 'POST /core/things/:thing_id',
      parameters: [{name: 'thing_id', in: 'path'}],
      requestBody: {content: {[JSON_TYPE]: {schema: {type: 'object'}}}},
      responses: {200: {}, 400: {}, 401: {}, 404: {}, 429: {}, 500: {}},
    });
  });
});

function isPlainRead({method, pattern, describes}: Route): boolean {
  return method === 'GET' && !pattern.includes(':') && (describes?.requiredQuery ?? []).length === 0;
}

async function documentOf(): Promise<Document> {
  const {get} = await aSimulator();
  return (await get<Document>('/openapi.json')).body;
}
