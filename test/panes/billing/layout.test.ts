import fc from 'fast-check';
import {expect, it} from 'vitest';
import {billingLayout} from '../../../src/panes/billing/layout.ts';
import {visibleRows} from '../../../src/panes/sizes.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, with now and the month side by side', () => {
  fc.assert(
    fc.property(anySize(), size => {
      const {now, month, spenders, waste, ahead, contracts, isSideBySide, isOneList, wasteDetail, history, days} =
        billingLayout(size);
      for (const lists of isOneList ? [[spenders], [contracts]] : [[spenders, contracts]]) {
        expectToFill(size.rows, [now.rows, ...lists.map(({rows}) => rows), ahead.rows]);
      }
      expectToFill(size.columns, [now.columns, month.columns]);
      expect(month.rows).toBe(now.rows);
      for (const shown of isSideBySide ? [[spenders, waste]] : [[spenders], [waste]]) {
        expectToFill(
          size.columns,
          shown.map(({columns}) => columns),
        );
      }
      const below = isSideBySide && !isOneList ? contracts.rows : 0;
      expectToFill(size.rows, [now.rows, days.rows, history.rows, ahead.rows, below]);
      expect([waste.rows + wasteDetail.rows, contracts.columns]).toEqual([spenders.rows, size.columns]);
    }),
  );
});

it.each([
  [99, 0],
  [100, 54],
])('gives the month a box of its own from 100 columns on: %i', (columns, monthColumns) => {
  expect(billingLayout({columns, rows: 40}).month.columns).toBe(monthColumns);
});

it('has the days above the history when the month has no box of its own, and room for a row below them', () => {
  const {days, history} = billingLayout({columns: 80, rows: 20});
  expect([days.rows >= 6, visibleRows(history) >= 2]).toEqual([true, true]);
  expect(billingLayout({columns: 60, rows: 12}).days.rows).toBe(0);
  expect(billingLayout({columns: 120, rows: 31}).days.rows).toBe(0);
});

it('shows a row of the contracts even in the smallest terminal, where they take the place of the other lists', () => {
  // 60x16 without header, tabs, message and keys.
  const {contracts, isOneList} = billingLayout({columns: 60, rows: 12});
  expect([isOneList, visibleRows(contracts) >= 1]).toEqual([true, true]);
  expect(billingLayout({columns: 80, rows: 20}).isOneList).toBe(false);
});

it.each([
  [120, 56],
  [159, 56],
  // The spenders have a bar that needs no more, and the fix of each waste has room.
  [160, 78],
  [200, 78],
])('gives waste the room for its fix in a large terminal: %i columns', (columns, wasteColumns) => {
  expect(billingLayout({columns, rows: 46}).waste.columns).toBe(wasteColumns);
});
