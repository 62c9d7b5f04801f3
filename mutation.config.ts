import {defineConfig} from 'vitest/config';

// The tests of the safety core that need no build, no terminal and no process.
export default defineConfig({
  test: {
    include: [
      'test/domain/{operation,safe-text,secret,redacted-url}.test.ts',
      'test/api/{client,exchange,hostile-answers,judge,one-origin,operation-exchange,proxy}.test.ts',
      'test/state/session.test.ts',
      'test/state/operations/{batch-reading,operation,operation-book,operation-entry,operation-watch,plan,undo,journal}.test.ts',
      'test/state/poller/{poll-schedule,poller,circuit-breaker,request-budget}.test.ts',
      'test/actions/{actions,journalled}.test.ts',
      'test/terminal/{input,keys}.test.ts',
      'test/app/overlay/confirm.test.ts',
    ],
    restoreMocks: true,
    isolate: false,
    testTimeout: 60_000,
  },
});
