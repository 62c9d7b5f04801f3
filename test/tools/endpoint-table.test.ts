import {expect, test} from 'vitest';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {paneBindings} from '../../src/app/keymap.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {COVERAGE} from './coverage.ts';
import {endpointCells, endpointTable} from './endpoint-table.ts';

test('has a line for every endpoint and none for what is no endpoint', () => {
  expect(endpointCells().map(([, , , id]) => id)).toEqual(ENDPOINTS.map(({id}) => id));
  expect(Object.keys(COVERAGE).toSorted()).toEqual(ENDPOINTS.map(({id}) => id).toSorted());
});

test.each(endpointCells().map(cells => [cells[3], cells] as const))('%s has no empty cell', (_id, cells) => {
  expect(cells).toHaveLength(7);
  expect(cells.filter(cell => cell.trim() === '')).toEqual([]);
});

test('begins each place on screen with a pane and each command with the name of the program', () => {
  for (const {screen, command} of Object.values(COVERAGE)) {
    expect(screen).toMatch(/^[0-8](?: \S+)*$/);
    expect(command).toMatch(/^skydeck [a-z]/);
  }
});

test('names keys that the pane has, also behind a menu', () => {
  const panes = new Map(openPanes().map(pane => [pane.key, pane]));
  for (const {screen} of Object.values(COVERAGE)) {
    const [paneKey = '', ...keys] = screen.split(' ').filter(key => key !== 'tab');
    const pane = panes.get(paneKey);
    const known = pane === undefined ? [] : paneBindings(pane).flatMap(({keysText}) => keysText.split(' '));
    expect({screen, unknown: keys.filter(key => !known.includes(key))}).toEqual({screen, unknown: []});
  }
});

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
