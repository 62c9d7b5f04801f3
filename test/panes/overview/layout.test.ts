import fc from 'fast-check';
import {expect, it} from 'vitest';
import {overviewLayout, withWholeText} from '../../../src/panes/overview/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, in rows of two when it is wide and in one column otherwise', () => {
  fc.assert(
    fc.property(anySize(), fc.nat(20), fc.nat(40), (size, findingCount, textRows) => {
      const {attention, money, preview, fleet, clusters, exposure, events, isWide} = overviewLayout(size, {
        findingCount,
        previewRows: () => textRows,
      });
      expect(isWide).toBe(size.columns >= 100);
      if (isWide) {
        for (const [left, right] of [
          [attention, money],
          [fleet, clusters],
        ] as const) {
          expectToFill(size.columns, [left.columns, right.columns]);
          expect(left.rows).toBe(right.rows);
        }
        expectToFill(size.columns, [preview.columns, exposure.columns, events.columns]);
        expect(preview.rows).toBe(events.rows);
        expect(exposure.rows === preview.rows).toBe(size.columns >= 160);
        expectToFill(size.rows, [attention.rows, fleet.rows, preview.rows]);
      } else {
        expectToFill(size.rows, [attention.rows, preview.rows, money.rows, fleet.rows, clusters.rows, events.rows]);
        expect(exposure).toEqual({columns: 0, rows: 0});
      }
    }),
  );
});

it('always has room for what needs attention', () => {
  fc.assert(
    fc.property(anySize(), size => {
      // A box's two edges, the titles, and three findings.
      expect(overviewLayout(size).attention.rows).toBeGreaterThanOrEqual(6);
    }),
  );
});

it.each([
  // The header and the status bar take four rows, a narrow screen has a column of parts.
  ['80×24', {columns: 80, rows: 20}],
  ['120×35', {columns: 120, rows: 31}],
])('gives rows that the list does not need to the text about a finding, at %s', (_name, size) => {
  const usual = overviewLayout(size);
  const wanted = usual.preview.rows + 2;
  const layout = overviewLayout(size, {findingCount: 1, previewRows: () => wanted});
  expect(layout.preview.rows).toBe(wanted);
  expect(layout.attention.rows).toBe(usual.attention.rows - 2);
  // A full list keeps its rows, and a short text needs no more.
  expect(overviewLayout(size, {findingCount: 40, previewRows: () => wanted})).toEqual(usual);
  expect(overviewLayout(size, {findingCount: 1, previewRows: () => 2})).toEqual(usual);
});

it.each([
  // The cause fits as it is; it lacks a row, which stock gives up; it lacks two, for which the whole box goes.
  [4, {preview: 4, clusters: 3}],
  [5, {preview: 5, clusters: 2}],
  [6, {preview: 7, clusters: 0}],
])('shows a cause of %i rows whole at 80×24, from the rows of clusters and stock', (rows, expected) => {
  const usual = overviewLayout({columns: 80, rows: 20});
  const layout = withWholeText(usual, rows);
  expect({preview: layout.preview.rows, clusters: layout.clusters.rows}).toEqual(expected);
  // The list and everything between stay as they are.
  expect({...layout, preview: usual.preview, clusters: usual.clusters}).toEqual(usual);
});

it('takes the rows of events too if a cause needs them, and none in a wide terminal', () => {
  const {preview, clusters, events} = withWholeText(overviewLayout({columns: 80, rows: 30}), 9);
  expect([preview.rows, clusters.rows, events.rows]).toEqual([9, 0, 2]);
  const wide = overviewLayout({columns: 120, rows: 31});
  expect(withWholeText(wide, 40)).toEqual(wide);
});
