import {describe, expect, test} from 'vitest';
import {ROUTES} from '../../../src/simulator/http/app.ts';
import {reportCounted} from '../../support/measured.ts';
import {type JsonSchema, mistakesIn} from '../../support/json-schema.ts';
import {shared} from '../../support/lifetime.ts';
import {aSimulator, found, type SimulatorUnderTest, type WireMachine} from '../a-simulator.ts';

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {readonly name: string; readonly in: string; readonly required: boolean}[];
  readonly requestBody?: {readonly content: Readonly<Record<string, {readonly schema: JsonSchema}>>};
  readonly responses: Readonly<
    Record<string, {readonly content: Readonly<Record<string, {readonly schema: JsonSchema}>>}>
  >;
};
type Document = {
  readonly openapi: string;
  readonly servers: readonly {readonly url: string}[];
  readonly components: {readonly schemas: Readonly<Record<string, JsonSchema>>};
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const JSON_TYPE = 'application/json';
const PERIOD = 'start_date=2026-11-01T00:00:00&end_date=2026-12-01T00:00:00';
/** Longer than a console or a log takes to be ready. */
const JOB_MS = 60_000;
const READ_PATTERNS = ROUTES.filter(({method}) => method === 'GET').map(({path}) => path);

describe('openapi.json', () => {
  test('describes every route of the simulator and no other', async () => {
    const document = await documentOf();
    const told = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    );
    const served = ROUTES.map(({method, path}) => `${method} ${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`);
    expect(told.toSorted()).toEqual(served.toSorted());
    expect(document).toMatchObject({openapi: '3.0.3', servers: [{url: '/v1'}]});
  });

  test('describes how to import and delete a key pair', async () => {
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

  test('follows its format: no empty list of required fields, and every path parameter described', async () => {
    const {text, body} = await (await aSimulator()).get<Document>('/openapi.json');
    expect(text).not.toContain('"required":[]');
    for (const [path, operations] of Object.entries(body.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const {parameters} of Object.values(operations)) {
        expect(parameters.filter(parameter => parameter.in === 'path').map(({name}) => name)).toEqual(named);
      }
    }
  });

  test('refers only to existing schemas', async () => {
    const document = await documentOf();
    const references = JSON.stringify(document.paths).match(/#\/components\/schemas\/\w+/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(Object.keys(document.components.schemas)).toContain(reference.split('/').at(-1));
    }
  });

  test.each(ROUTES.map(route => [`${route.method} ${route.path}`, route] as const))('has a summary of %s', (_name, {
    summary,
    path,
  }) => {
    expect(summary).toMatch(/^[A-Z]/);
    expect(path).toMatch(/^\//);
  });

  test('gives every operation its own id', async () => {
    const {paths} = await documentOf();
    const ids = Object.values(paths).flatMap(operations =>
      Object.values(operations).map(operation => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(READ_PATTERNS)('describes the real answer of %s', async pattern => {
    const place = await aSimulator();
    const {status, body} = await place.get(await askedFor(pattern, place));
    expect([status, await mistakesAgainstDocument(pattern, status, body)]).toEqual([200, []]);
    reportCounted('replies compared', 1);
  });

  describe('of a resource that does not exist', () => {
    const place = shared(() => aSimulator());

    test.each(READ_PATTERNS.filter(pattern => pattern.includes(':')))('describes the answer of %s', async pattern => {
      const path = (await askedFor(pattern, place())).replace(/\/(?:\d+|scratch)(?=[/?]|$)/, '/999999');
      const {status, body} = await place().get(path);
      expect([status, await mistakesAgainstDocument(pattern, status, body)]).toEqual([
        pattern.includes('name-availability') ? 200 : 404,
        [],
      ]);
    });
  });
});

/** A request for an existing resource, created first if needed. */
async function askedFor(pattern: string, place: SimulatorUnderTest): Promise<string> {
  const vm = await machineFor(pattern, place);
  const parts: Readonly<Record<string, string | number>> = {
    vm_id: vm.id,
    cluster_id: 1637,
    contract_id: 118,
    firewall_id: 31_207,
    volume_id: 38_104,
    bucket_name: 'scratch',
    snapshot_id: 4410,
    bucket_id: pattern.includes(':bucket_id') ? await bucketOf(place) : 0,
    name: 'nobody',
    resource_type: 'cluster',
    id: pattern.startsWith('/core/images') ? 2003 : pattern.startsWith('/pricebook') ? 1637 : 84_011,
    group_id: pattern.includes(':group_id') ? await groupOf(place) : 0,
    job_id: pattern.includes(':job_id') ? await consoleOf(place, vm.id) : 0,
  };
  const path = pattern.replaceAll(/:([a-z_]+)/g, (_part, name: string) => String(parts[name]));
  if (path.endsWith('/logs')) return `${path}?request_id=${await logsOf(place, vm.id)}`;
  return path.endsWith('/buckets/scratch')
    ? `${path}?region=CANADA-1`
    : `${path}${isHistory(pattern) ? `?${PERIOD}` : ''}`;
}

function isHistory(pattern: string): boolean {
  const route = ROUTES.find(({method, path}) => method === 'GET' && path === pattern);
  return route?.query?.shape.start_date !== undefined;
}

/** A machine in the state that the request needs. */
async function machineFor(pattern: string, {machines}: SimulatorUnderTest): Promise<WireMachine> {
  const status = pattern.endsWith('/start') ? 'SHUTOFF' : pattern.endsWith('-restore') ? 'HIBERNATED' : 'ACTIVE';
  // Not every flavor supports hibernation. This one does.
  const isFitting = ({flavor}: WireMachine) => (pattern.endsWith('/hibernate') ? flavor.name === 'n3-H100x8' : true);
  return found(await machines(), machine => machine.status === status && isFitting(machine), status);
}

/** Billing numbers the buckets itself. */
async function bucketOf({get}: SimulatorUnderTest): Promise<number> {
  type Bodies = {billing_history_bucket: {billing_history: readonly {attributes: {infrahub_id: number}}[]}};
  const {body} = await get<Bodies>(`/billing/billing/history/bucket?${PERIOD}`);
  return found(body.billing_history_bucket.billing_history, () => true, 'bucket').attributes.infrahub_id;
}

async function groupOf({get}: SimulatorUnderTest): Promise<number> {
  const {body} = await get<{node_groups: readonly {id: number}[]}>('/core/clusters/1637/node-groups');
  return found(body.node_groups, () => true, 'node group').id;
}

async function consoleOf({get, pass}: SimulatorUnderTest, machineId: number): Promise<string> {
  const {body} = await get<{url: string}>(`/core/virtual-machines/${machineId}/request-console`);
  pass(JOB_MS);
  return body.url.split('/').at(-1) ?? '';
}

async function logsOf({post, pass}: SimulatorUnderTest, machineId: number): Promise<string> {
  const {body} = await post<{request_id: number}>(`/core/virtual-machines/${machineId}/logs`, {length: 10});
  pass(JOB_MS);
  return String(body.request_id);
}

/** How the answer differs from the served document. */
async function mistakesAgainstDocument(pattern: string, status: number, body: unknown): Promise<string[]> {
  const {paths, components} = await documentOf();
  const told = paths[pattern.replaceAll(/:([a-z_]+)/g, '{$1}')]?.get?.responses[String(status)];
  const schema = told?.content[JSON_TYPE]?.schema;
  return schema === undefined ? [`${status} is not told`] : mistakesIn(body, schema, components.schemas);
}

let asked: Promise<Document> | undefined;

/** The document never changes, so it is requested once. */
function documentOf(): Promise<Document> {
  asked ??= aSimulator().then(async ({get}) => (await get<Document>('/openapi.json')).body);
  return asked;
}
