import fc from 'fast-check';
import {expect, it} from 'vitest';
import {overviewLayout} from '../../../src/panes/overview/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, in rows of two when it is wide and in one column otherwise', () => {
  fc.assert(
    fc.property(anySize(), size => {
      const {attention, money, preview, fleet, clusters, exposure, events, isWide} = overviewLayout(size);
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
