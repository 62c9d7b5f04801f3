import fc from 'fast-check';
import {expect, it} from 'vitest';
import {firewallsLayout} from '../../../src/panes/firewalls/layout.ts';
import {anySize, expectToFill} from '../any-size.ts';

it('fills every size exactly, side by side when it is wide and one above the other otherwise', () => {
  fc.assert(
    fc.property(anySize(), fc.nat(50), fc.nat(50), (size, firewalls, ruleCount) => {
      const {list, attached, rules, open, history, isWide} = firewallsLayout(size, {firewalls, rules: ruleCount});
      expectToFill(size.rows, isWide ? [list.rows, attached.rows] : [list.rows, attached.rows, rules.rows]);
      expectToFill(size.columns, isWide ? [list.columns, rules.columns] : [rules.columns]);
      expect(attached.columns).toBe(list.columns);
      if (isWide)
        expectToFill(
          size.rows,
          [rules.rows, open.rows, history.rows].filter(rows => rows > 0),
        );
      expect(isWide).toBe(size.columns >= 100);
    }),
  );
});
