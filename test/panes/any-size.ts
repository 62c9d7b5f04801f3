import fc from 'fast-check';
import {expect} from 'vitest';

/** Every size in which a pane is drawn, from the smallest terminal to a very large one. */
export const anySize = () =>
  fc.record({columns: fc.integer({min: 60, max: 300}), rows: fc.integer({min: 12, max: 100})});

/** Parts beside or below each other take up exactly the whole, and none has a negative size. */
export function expectToFill(whole: number, parts: readonly number[]): void {
  for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
}
