import {expect, test} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import type {Endpoint} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {attachCallback} from '../../src/api/virtual-machines.ts';
import {typeOf} from '../../src/domain/action.ts';
import {KEYS} from '../../src/actions/keys.ts';
import {TABS} from '../../src/panes/tabs.ts';
import {resourceOf} from '../../src/resources/resources.ts';
import {COVERAGE} from './coverage.ts';
import {endpointCells, endpointTable} from './endpoint-table.ts';
import {callAt, endpointsReadAt, type Reached, readScene, walked} from './endpoint-walk.ts';

test('has a line for every endpoint and none for what is no endpoint', () => {
  expect(endpointCells().map(([, , , id]) => id)).toEqual(ENDPOINTS.map(({id}) => id));
  expect(Object.keys(COVERAGE).toSorted()).toEqual(ENDPOINTS.map(({id}) => id).toSorted());
});

test.each(endpointCells().map(cells => [cells[3], cells] as const))('%s has no empty cell', (_id, cells) => {
  expect(cells).toHaveLength(7);
  expect(cells.filter(cell => cell.trim() === '')).toEqual([]);
});

test('begins each place on screen with a pane and each command with the name of the program', () => {
  const paneKeys = Object.values(TABS).map(({key}) => key);
  for (const {screen, command} of Object.values(COVERAGE)) {
    expect(screen).toMatch(/^\S+(?: \S+)*$/);
    expect(paneKeys).toContain(screen.split(' ')[0]);
    expect(command).toMatch(/^skydeck [a-z]/);
  }
});

/** Read once a name was typed, the key was pressed, the job has begun, or where a firewall is attached to nothing. */
const READ_LATER: ReadonlySet<string> = new Set([
  'clusters.name-availability',
  'firewalls.get',
  'images.get',
  'virtual-machines.console',
  'virtual-machines.logs',
  'virtual-machines.name-availability',
]);

test('names keys that lead there, pressed in their order', async () => {
  const scene = await readScene();
  for (const endpoint of ENDPOINTS) {
    const {id, effect} = endpoint;
    const told = `${id}: ${COVERAGE[id]?.screen}`;
    const reached = walked(COVERAGE[id]?.screen ?? '', scene);
    if (typeof reached === 'string') throw new Error(`${told}: ${reached}`);
    if (effect === 'operation') expectOperation(endpoint, reached, reached.pane.trail(scene), told);
    else if (!READ_LATER.has(id)) expect([...(await endpointsReadAt(reached, scene))], told).toContain(id);
  }
});

/** The request is the endpoint's; where a form stands before it, the list and the key are those of its action. */
function expectOperation(endpoint: Endpoint, reached: Reached, trail: readonly string[], told: string): void {
  const call = callAt(reached);
  if (call !== undefined) {
    const path = new RegExp(`^${endpoint.template.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`);
    expect(call, told).toMatchObject({method: endpoint.method, path: expect.stringMatching(path)});
    return;
  }
  const {method, template} = endpoint.id === 'virtual-machines.update-callback' ? attachCallback : endpoint;
  const records = [...ACTIONS.values()].filter(
    record => record.template.method === method && record.template.path === template,
  );
  expect(records, told).toHaveLength(1);
  for (const {kind, keys = [], creation} of records) {
    expect(trail, told).toContain(resourceOf(typeOf(kind)).words.many);
    const own = creation === undefined ? keys.map(({key}) => key) : [KEYS.create];
    if (own.length > 0) expect(own, told).toContain(COVERAGE[endpoint.id]?.screen.split(' ').at(-1));
  }
}

test('names raw commands by the method and path of their endpoint', () => {
  for (const {id, method, template} of ENDPOINTS) {
    const [, raw] = /^skydeck api (.+)$/.exec(COVERAGE[id]?.command ?? '') ?? [];
    if (raw === undefined) continue;
    const shape = template
      .replace('{resourceType}', 'virtual-machine')
      .replaceAll(/\{(\w+)\}/g, (_part, name) => (name === 'id' ? 'ID' : 'NAME'));
    expect(raw).toBe(`${method} ${shape}`);
  }
});

test('says what every line is', () => {
  const [head, rule, ...rows] = endpointTable().split('\n');
  expect([head?.split('|').length, rule?.split('|').length, rows.length]).toEqual([9, 9, ENDPOINTS.length]);
  expect(rows).toContain(
    '| GET | `/core/virtual-machines/{id}/stop` | operation | `virtual-machines.stop` | yes | `2` `p` `x` | `skydeck vm stop` |',
  );
});
