import fc from 'fast-check';
import {expect, it} from 'vitest';
import {overviewLayout} from '../../../src/panes/overview/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, in rows of two where it is wide and in one column where not', () => {
  fc.assert(
    fc.property(anySize(), size => {
      const {attention, money, fleet, clusters, exposure, events, isWide} = overviewLayout(size);
      expect(isWide).toBe(size.columns >= 100);
      if (isWide) {
        for (const [left, right] of [
          [attention, money],
          [fleet, clusters],
          [exposure, events],
        ] as const) {
          expectToFill(size.columns, [left.columns, right.columns]);
          expect(left.rows).toBe(right.rows);
        }
        expectToFill(size.rows, [attention.rows, fleet.rows, exposure.rows]);
      } else {
        expectToFill(size.rows, [attention.rows, money.rows, fleet.rows, clusters.rows, events.rows]);
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
