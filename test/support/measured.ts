import {TestRunner} from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    measured?: string;
  }
}

/** Puts into the report of the running test what it measured: `npm run torture` prints it. */
export function reportMeasured(measured: string): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.measured = measured;
}
