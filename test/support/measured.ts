import {TestRunner} from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    measured?: string;
  }
}

/** Adds a measurement to the report of the current test. `npm run torture` prints it. */
export function reportMeasured(measured: string): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.measured = measured;
}
