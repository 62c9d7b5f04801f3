import fc from 'fast-check';
import {expect, it} from 'vitest';
import {billingLayout} from '../../../src/panes/billing/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, with now and the month side by side', () => {
  fc.assert(
    fc.property(anySize(), size => {
      const {now, month, spenders, waste, ahead, contracts, isSideBySide} = billingLayout(size);
      expectToFill(size.rows, [now.rows, spenders.rows, ahead.rows, contracts.rows]);
      expectToFill(size.columns, [now.columns, month.columns]);
      expect(month.rows).toBe(now.rows);
      for (const shown of isSideBySide ? [[spenders, waste]] : [[spenders], [waste]]) {
        expectToFill(
          size.columns,
          shown.map(({columns}) => columns),
        );
      }
      expect([waste.rows, contracts.columns]).toEqual([spenders.rows, size.columns]);
    }),
  );
});

it.each([
  [99, 0],
  [100, 54],
])('gives the month its place from 100 columns: %i', (columns, monthColumns) => {
  expect(billingLayout({columns, rows: 40}).month.columns).toBe(monthColumns);
});
