import {defineConfig} from 'vitest/config';

// The tests of the safety core that run in memory: nothing is built, no terminal, no process.
export default defineConfig({
  test: {
    include: [
      'test/domain/{operation,safe-text,secret,redacted-url}.test.ts',
      'test/state/{operation,operation-book,operation-entry,operation-watch,session,undo}.test.ts',
      'test/state/{poll-schedule,poller,circuit-breaker,request-budget}.test.ts',
      'test/actions/{actions,journalled}.test.ts',
      'test/app/confirm.test.ts',
    ],
    restoreMocks: true,
    isolate: false,
    testTimeout: 60_000,
  },
});
