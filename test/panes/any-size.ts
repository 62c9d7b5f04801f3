import fc from 'fast-check';
import {expect} from 'vitest';

/** Every size in which a pane is drawn, from the smallest terminal to a wall of them. */
export const anySize = () =>
  fc.record({columns: fc.integer({min: 60, max: 300}), rows: fc.integer({min: 12, max: 100})});

/** Parts side by side or one above the other take exactly what there is, and none is turned inside out. */
export function expectToFill(whole: number, parts: readonly number[]): void {
  for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
}
