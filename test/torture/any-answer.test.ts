import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {getCommand} from '../../src/cli/commands/get.ts';
import {RESOURCES} from '../../src/resources/resources.ts';
import {BASE_PATH, ROUTES} from '../../src/simulator/http/app.ts';
import {openApiOf} from '../../src/simulator/http/openapi.ts';
import {run} from '../cli/a-command.ts';
import {openService} from '../cli/a-service.ts';
import {valuesOf} from '../support/generated.ts';
import type {JsonSchema} from '../support/json-schema.ts';
import {sweepOf} from '../support/tier.ts';
import {obeyedIn} from './payloads.ts';

// Whatever the OpenAPI document allows is printed: a service that follows its schemas answers with any values.

const RUN_COUNT = sweepOf({sample: 5, deep: 100});
const JSON_TYPE = 'application/json';
const VM_EVENTS = '/core/virtual-machines/{vm_id}/events';
const CLUSTER_EVENTS = '/core/clusters/{cluster_id}/events';
/** The fields that a record needs, and the lists in it that contain what is printed. */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  '/auth/me': ['email'],
  '/auth/users/me/permissions': ['resource'],
  '/billing/billing/usage': ['resource_id', 'resource_type'],
  [VM_EVENTS]: ['reason'],
  [CLUSTER_EVENTS]: ['reason'],
  '/core/clusters/versions': ['version'],
  '/core/clusters/master-flavors': ['name'],
  '/core/flavors': ['name', 'flavors'],
  '/core/gpus': ['name'],
  '/core/images': ['name', 'images'],
  '/core/regions': ['name'],
  '/core/stocks': ['model', 'models'],
  '/object-storage/buckets': ['name'],
  '/pricebook': ['name'],
};
/** The fields around the records, the same in every answer, since other values would make it another kind of answer. */
const ENVELOPE = {status: true, message: 'done', page: null, page_size: null, failed_regions: []};

/** The total count: a wrong one is reported as a list that may be incomplete. */
const COUNTS = ['count', 'meta'];

/** Nothing is wrong; when there are no records, that is said. */
const WITHOUT_RECORDS = /^(?:skydeck: no [A-Za-z -]+\n)?$/;

type Reply = {readonly content: Readonly<Record<string, {readonly schema: JsonSchema}>>};

describe('skydeck get against generated answers', () => {
  test.each(RESOURCES.map(({names}) => names[0]))('prints %s, whatever answer the document allows', async name => {
    const bodies: Record<string, unknown> = {};
    const {simulator} = await openService(bodies);
    const format = fc.constantFrom('json', 'ndjson', 'yaml', 'wide', 'csv', 'name');
    await fc.assert(
      fc.asyncProperty(REPLIES, format, async (replies, output) => {
        Object.assign(bodies, replies, historiesOf(replies));
        const {exitCode, stdout, stderr} = await run(getCommand, `${name} -o ${output}`, {simulator});
        expect(exitCode).toBe(0);
        expect(stderr).toMatch(WITHOUT_RECORDS);
        expect(stdout).not.toContain('UNREADABLE');
        expect(obeyedIn(stdout.replaceAll('\r\n', '\n'), {isPrinted: true})).toBeUndefined();
        if (output === 'json') expect(JSON.parse(stdout)).toBeInstanceOf(Array);
        if (output === 'yaml') expect(parse(stdout)).toBeInstanceOf(Array);
      }),
      {numRuns: RUN_COUNT, seed: 4},
    );
  });
});

/** Any answer of each list, by its path. */
const REPLIES = fc.record(
  Object.fromEntries(
    Object.entries(openApiOf(ROUTES, BASE_PATH).paths).flatMap(([path, {get}]) => {
      const schema = get === undefined ? undefined : successOf(get);
      const isAsked = !path.includes('{') || path === VM_EVENTS || path === CLUSTER_EVENTS;
      return schema === undefined || !isAsked ? [] : [[path, replyTo(path, schema)] as const];
    }),
  ),
);

function successOf(operation: unknown): JsonSchema | undefined {
  if (typeof operation !== 'object' || operation === null || !('responses' in operation)) return undefined;
  const [first]: readonly Reply[] = Object.values(operation.responses ?? {});
  return first?.content[JSON_TYPE]?.schema;
}

function replyTo(path: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const identity = new Set(['id', ...(IDENTITIES[path] ?? [])]);
  // A list without anything around it.
  if (schema.type === 'array') return valuesOf(schema, identity).map(withoutRepeatedIds).map(withoutImpossiblePrices);
  const keys = Object.entries(schema.properties ?? {}).filter(([key]) => !(key in ENVELOPE) && !COUNTS.includes(key));
  const values = keys.map(([key, described]) => [key, valuesOf(described, identity)] as const);
  return fc.record(Object.fromEntries(values)).map(held => ({
    ...ENVELOPE,
    ...Object.fromEntries(Object.entries(held).map(([key, value]) => [key, withoutRepeatedIds(value)])),
  }));
}

/** A list with an id twice is reported as one that may be incomplete. */
function withoutRepeatedIds(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const seen = new Set<unknown>();
  return value.filter(record => {
    const id: unknown = record?.id;
    if (id === undefined) return true;
    return !seen.has(id) && seen.add(id);
  });
}

/** A number that nothing can cost is reported as unreadable: the price list is a list without anything around it. */
function withoutImpossiblePrices(value: unknown): unknown {
  const isImpossible = (price: unknown) => Number(price) < 0 || Number(price) > 100_000;
  return JSON.parse(JSON.stringify(value), (key, each: unknown) =>
    ['value', 'original_value'].includes(key) && isImpossible(each) ? undefined : each,
  );
}

/** The history of each machine and of each cluster that is listed. */
function historiesOf(replies: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ids = (path: string) => (JSON.stringify(replies[path]).match(/"id":(\d+)/g) ?? []).map(match => match.slice(5));
  return Object.fromEntries([
    ...ids('/core/virtual-machines').map(id => [`/core/virtual-machines/${id}/events`, replies[VM_EVENTS]]),
    ...ids('/core/clusters').map(id => [`/core/clusters/${id}/events`, replies[CLUSTER_EVENTS]]),
  ]);
}
