import {beforeAll, onTestFinished} from 'vitest';

type Ending = () => unknown;

/** Collects the cleanups of something that is opened for several tests. */
let endings: Ending[] | undefined;

/** Runs when the current test ends, or after the last test of a suite for which something is being opened. */
export function atEnd(ending: Ending): void {
  if (endings === undefined) onTestFinished(async () => void (await ending()));
  else endings.push(ending);
}

/**
 * Opens something once for all tests of a suite, before the first of them. For tests that only look: a test that sends
 * something, or is about starting or leaving the program, opens its own.
 */
export function shared<T>(open: () => Promise<T>): () => T {
  const opened: T[] = [];
  beforeAll(async () => {
    const ours: Ending[] = [];
    endings = ours;
    try {
      opened.push(await open());
    } finally {
      endings = undefined;
    }
    return async () => {
      for (const ending of ours.toReversed()) await ending();
    };
  }, 60_000);
  return () => {
    const [value] = opened;
    if (value === undefined) throw new Error('What the suite shares was not opened.');
    return value;
  };
}
