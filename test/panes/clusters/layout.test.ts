import {safeText} from '../../../src/domain/safe-text.ts';
import {listColumns} from '../../../src/panes/list/list-columns.ts';
import {machineLoadLines} from '../../../src/panes/list/rows-table.ts';
import {nodes} from '../../../src/resources/nodes.ts';
import {columnsInSight} from '../../../src/ui/table.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aKnownScene} from '../a-known-scene.ts';
import fc from 'fast-check';
import {expect, it} from 'vitest';
import {clustersLayout} from '../../../src/panes/clusters/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, however many clusters there are', () => {
  fc.assert(
    fc.property(anySize(), fc.nat(50), (size, clusterCount) => {
      const {list, nodes, machine, facts, events} = clustersLayout(size, clusterCount);
      const isWide = nodes.columns < size.columns;
      expectToFill(size.rows, [list.rows, nodes.rows + machine.rows, ...(isWide ? [] : [facts.rows]), events.rows]);
      expectToFill(size.columns, isWide ? [nodes.columns, facts.columns] : [nodes.columns]);
      if (isWide) expect(facts.rows).toBe(nodes.rows + machine.rows);
    }),
  );
});

it('has a line of facts between the edges in 80×24, however many clusters there are, and no empty box at any size', () => {
  fc.assert(
    fc.property(anySize(), fc.nat(50), ({rows}, clusterCount) => {
      expect(clustersLayout({columns: 80, rows: 20}, clusterCount).facts.rows).toBeGreaterThan(2);
      expect([1, 2]).not.toContain(clustersLayout({columns: 80, rows}, clusterCount).facts.rows);
    }),
  );
});

it.each([
  [0, 1 + 3],
  [1, 1 + 3],
  [4, 4 + 3],
  [40, 14],
])('gives a list of %i clusters %i rows when there is room', (clusterCount, rows) => {
  expect(clustersLayout({columns: 160, rows: 50}, clusterCount).list.rows).toBe(rows);
});

it('shows the state of the machine of each node at 120 columns too', () => {
  const {nodes: place} = clustersLayout({columns: 120, rows: 32}, 2);
  const shown = columnsInSight(listColumns(nodes.columns), place.columns - 2).map(({key}) => key);
  expect(shown).toEqual(['role', 'state', 'machine', 'machine-state', 'cost', 'reason']);
});

it('names the machines of a cluster without saying of each that it is a node', () => {
  const machines = ['serve-master-0', 'serve-load-balancer'].map((name, id) =>
    aVirtualMachine({id, name: safeText(name), clusterId: 1612}),
  );
  const text = machineLoadLines(aKnownScene({machines}), machines, 46).map(textOf).join('\n');
  expect(text).toContain('serve-load-balancer');
  expect(text).not.toContain('serve-master-0 node');
});
