import fc from 'fast-check';
import {expect, it} from 'vitest';
import {collectionLayout, detailRowsAbove} from '../../../src/panes/list/collection-layout.ts';
import {visibleRows} from '../../../src/panes/sizes.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, with a line for the lists if there are several', () => {
  fc.assert(
    fc.property(anySize(), fc.integer({min: 1, max: 5}), (size, partCount) => {
      const {tabs, list, detail, isWide} = collectionLayout(size, {partCount, isZoomed: false, hasDetail: true});
      expect(tabs.rows).toBe(partCount > 1 ? 1 : 0);
      expectToFill(size.rows, isWide ? [tabs.rows, list.rows] : [tabs.rows, list.rows, detail.rows]);
      expectToFill(size.columns, isWide ? [list.columns, detail.columns] : [detail.columns]);
      expect(isWide).toBe(size.columns >= 160);
      expect(visibleRows(list)).toBeGreaterThan(0);
    }),
  );
});

it('gives the whole pane to a zoomed detail', () => {
  fc.assert(
    fc.property(anySize(), fc.integer({min: 1, max: 5}), (size, partCount) => {
      const {tabs, list, detail} = collectionLayout(size, {partCount, isZoomed: true, hasDetail: true});
      expect([list.rows, visibleRows(list)]).toEqual([0, 0]);
      expectToFill(size.rows, [tabs.rows, detail.rows]);
      expect(detail.columns).toBe(size.columns);
    }),
  );
});

it('gives the whole pane to a list without a detail', () => {
  fc.assert(
    fc.property(anySize(), fc.integer({min: 1, max: 5}), fc.boolean(), (size, partCount, isZoomed) => {
      const {tabs, list, detail} = collectionLayout(size, {partCount, isZoomed, hasDetail: false});
      expect(detail.rows).toBe(0);
      expectToFill(size.rows, [tabs.rows, list.rows]);
      expect(list.columns).toBe(size.columns);
    }),
  );
});

it('shows a preview of the row under the cursor below a short list in a wide terminal', () => {
  const options = {partCount: 1, isZoomed: false, hasDetail: true};
  const {list, preview} = collectionLayout({columns: 200, rows: 46}, {...options, rowCount: 7});
  // Seven rows, and the edges and titles of the list.
  expect([list.rows, preview.rows]).toEqual([10, 36]);
  expect(preview.columns).toBe(list.columns);
  for (const rowCount of [undefined, 40]) {
    expect(collectionLayout({columns: 200, rows: 46}, {...options, rowCount}).preview.rows).toBe(0);
  }
  expect(collectionLayout({columns: 120, rows: 31}, {...options, rowCount: 2}).preview.rows).toBe(0);
});

it('gives the detail the rows that a short list does not need', () => {
  const options = {partCount: 1, isZoomed: false, hasDetail: true};
  const rowsOf = (totalCount: number | undefined, rows = 31) => {
    const {list, detail} = collectionLayout({columns: 120, rows}, {...options, totalCount});
    return [list.rows, detail.rows];
  };
  // Seven rows with the edges and titles of the list.
  expect(rowsOf(7)).toEqual([10, 21]);
  expect(rowsOf(7, 20)).toEqual([10, 10]);
  // A list of one keeps a few rows; a long one, or one that was not read yet, keeps most of them.
  expect(rowsOf(1)).toEqual([8, 23]);
  expect([rowsOf(400), rowsOf(undefined)]).toEqual([
    [20, 11],
    [20, 11],
  ]);
});

it.each([
  ['a short one keeps a third, so that most rows move no edge', 3, 13],
  ['a longer one takes what it needs', 30, 32],
  ['one that leaves too little takes everything', 40, 46],
])('leaves room below a detail in a wide terminal: %s', (_, lineCount, rows) => {
  expect(detailRowsAbove({columns: 62, rows: 46}, lineCount)).toBe(rows);
});

it('shows what goes with a detail on its right from 100 columns on, unless it is shown below', () => {
  const options = {partCount: 1, isZoomed: false, hasDetail: true, hasBeside: true};
  for (const isZoomed of [false, true]) {
    const {detail, beside} = collectionLayout({columns: 120, rows: 31}, {...options, isZoomed});
    expectToFill(120, [detail.columns, beside.columns]);
    expect(beside.rows).toBe(detail.rows);
    expect(collectionLayout({columns: 99, rows: 31}, {...options, isZoomed}).beside.rows).toBe(0);
  }
  expect(collectionLayout({columns: 200, rows: 46}, options).beside.rows).toBe(0);
  expect(collectionLayout({columns: 120, rows: 31}, {...options, hasBeside: false}).detail.columns).toBe(120);
});
