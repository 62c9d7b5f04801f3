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
