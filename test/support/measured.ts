import {TestRunner} from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    measured?: string;
    counts?: Record<string, number>;
  }
}

/** Adds a measurement to the report of the current test. `npm run torture` prints it. */
export function reportMeasured(measured: string): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.measured = measured;
}

/** Adds to how many cases the current test has tried. `npm run torture` compares it with what its goal asks for. */
export function reportCounted(name: string, count: number): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return;
  test.meta.counts ??= {};
  test.meta.counts[name] = (test.meta.counts[name] ?? 0) + count;
}
