import {describe, expect, test} from 'vitest';
import {ENDPOINTS} from '../../../src/api/endpoints.ts';
import {ROUTES} from '../../../src/simulator/http/app.ts';
import {wireExample} from '../../api/wire-example.ts';
import {contractWith, keyPathsOf} from '../../support/contract.ts';
import {readEverything} from '../../support/every-read.ts';
import {aSimulator, STARTED_AT} from '../a-simulator.ts';

// The reads that the program knows. The simulator and the program's contract share no code, so each checks the other.
const READS = ENDPOINTS.filter(endpoint => endpoint.effect === 'read');

describe('the simulator', () => {
  test('requires a permission for every change', () => {
    const open = ROUTES.filter(({method, requires}) => method !== 'GET' && requires === undefined);
    expect(open.map(({method, path}) => `${method} ${path}`)).toEqual([]);
  });

  test('has each route only once', () => {
    const names = ROUTES.map(({method, path}) => `${method} ${path.replaceAll(/:[a-z_]+/g, '{}')}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each(ENDPOINTS.map(({method, template}) => [method, template]))('has a route for %s %s', (method, template) => {
    const routes = ROUTES.map(route => `${route.method} ${route.path.replaceAll(/:[a-z_]+/g, '{}')}`);
    expect(routes).toContain(`${method} ${template.replaceAll(/\{\w+\}/g, '{}')}`);
  });

  test.each([
    'on-call',
    'stuck-cluster',
    'troubles',
  ])('answers every read so that the program loses nothing, in the scenario %s', async scenario => {
    const {simulator, pass} = await aSimulator({scenario});
    const answers = await readEverything(contractWith(simulator), {now: STARTED_AT, pass});
    expect([...answers.keys()].toSorted()).toEqual(READS.map(({id}) => id).toSorted());
    for (const [id, {quarantined, incompleteReason, absentParts}] of answers) {
      expect([id, quarantined, incompleteReason, absentParts]).toEqual([id, [], undefined, undefined]);
    }
  });

  test('answers every read with all keys of its documented example, and with no undocumented key', async () => {
    const contracts = await Promise.all(
      ['on-call', 'stuck-cluster'].map(async scenario => {
        const {simulator, pass} = await aSimulator({scenario});
        const contract = contractWith(simulator);
        await readEverything(contract, {now: STARTED_AT, pass});
        return contract;
      }),
    );
    // The documents abbreviate one name: `ais_*`.
    const documented = keyNamesOf([
      'ais_cost',
      ...ENDPOINTS.flatMap(({id}) => keyPathsOf(JSON.parse(wireExample(id)))),
    ]);
    for (const {id} of READS) {
      const played = contracts.flatMap(({bodies}) => bodies.get(id) ?? []).flatMap(keyPathsOf);
      const missing = keyPathsOf(JSON.parse(wireExample(id))).filter(path => !played.includes(path));
      expect([id, missing.filter(path => !isToldOtherwise(id, path))]).toEqual([id, []]);
      expect([id, [...keyNamesOf(played)].filter(name => !documented.has(name))]).toEqual([id, []]);
    }
  });
});

test.each<[example: string, method: string, path: string, body: object | undefined, status: number]>([
  ['error.usual', 'GET', '/core/volumes/999999', undefined, 404],
  ['error.validation', 'POST', '/core/environments', {name: 'x'.repeat(51), region: 4}, 400],
  ['error.unknown-fields', 'POST', '/core/environments', {name: 'x', region: 'CANADA-1', colour: 'red'}, 400],
  ['error.not-empty', 'DELETE', '/core/environments/84011', undefined, 405],
])('refuses with the keys of %s', async (example, method, path, body, status) => {
  const {get} = await aSimulator();
  const options = {method, ...(body === undefined ? {} : {body: JSON.stringify(body)})};
  const reply = await get(path, options);
  expect([reply.status, keyPathsOf(reply.body)]).toEqual([status, keyPathsOf(JSON.parse(wireExample(example)))]);
});

// Some examples show several spellings side by side, or rare cases. The simulator answers with one of them.
const TOLD_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // Only images made for certain flavors have restrictions, and the simulator offers none of those.
  'images.list': ['images[].images[].flavor_restrictions.compatible_flavors[]'],
  // A region is its name. In some documents it is an object.
  'environments.list': ['environments[].region.'],
  'object-storage.buckets': ['buckets[].region.', 'failed_regions[].'],
  // This key is not a number of GPUs.
  'stocks.list': ['stocks[].models[].configurations.many'],
  // One observed answer used another word for its status.
  'billing.history': ['success'],
  // One document has the entry itself, another has it in a list like the other histories.
  'billing.machine-history-detail': ['billing_history_vm_details.'],
  'billing.machine-history-graph': ['billing_history_vm_details.'],
  // The secret is shown only once, when the key is created. One document shows it in the list too.
  'object-storage.access-keys': ['access_keys[].secret_key'],
};

function isToldOtherwise(id: string, path: string): boolean {
  return TOLD_OTHERWISE[id]?.some(start => path.startsWith(start)) ?? false;
}

/** The last part of each path. */
function keyNamesOf(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.map(path => path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '')));
}
