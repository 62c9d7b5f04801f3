import {statfsSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {defineConfig} from 'vitest/config';

// `.ci/run` names a file here and counts the tests from it.
const reportPath = process.env.SKYDECK_TEST_REPORT;
// `npm run test:deep`: the journeys of test/deck on real terminals.
const isDeep = process.env.SKYDECK_TEST_DEEP === '1';

// Journals are flushed with each line, and folders are made and removed by the thousand: no test needs a disk for that.
process.env.TMPDIR ??= folderInMemory();

// Some tests wait for a server or a program, so one worker more than there are processors keeps all of them busy.
const BUSY_WORKERS = availableParallelism() + 1;
// Journeys on a terminal mostly wait for what a program shows. They come last, when nothing else keeps them waiting.
const WAITING_WORKERS = 2 * availableParallelism();

const DECK = ['test/deck/**/*.test.ts'];
const TERMINAL = ['test/journeys/**/*.test.ts', 'test/support/terminal.test.ts', 'test/terminal/lifecycle.test.ts'];

export default defineConfig({
  test: {
    restoreMocks: true,
    // A journey waits up to twenty seconds for one sight, on a busy machine; the default limit for a whole test is five.
    testTimeout: 60_000,
    // Tests leave nothing behind in modules, so each worker loads the program once.
    isolate: false,
    reporters: reportPath === undefined ? ['default'] : ['default', ['json', {outputFile: reportPath}]],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...DECK, ...TERMINAL],
          globalSetup: ['test/support/build.ts'],
          // The terminal of ink-testing-library has no height; for every frame Ink would run programs that tell one.
          env: {COLUMNS: '100', LINES: '40'},
          maxWorkers: BUSY_WORKERS,
        },
      },
      {
        extends: true,
        // As the built program has them: the development forms of React and JSX cost more time.
        oxc: {jsx: {development: false}},
        test: {
          name: 'deck',
          include: DECK,
          env: isDeep ? {} : {SKYDECK_TEST_DECK: 'virtual', NODE_ENV: 'production'},
          globalSetup: isDeep ? ['test/support/build.ts'] : [],
          maxWorkers: BUSY_WORKERS,
        },
      },
      {
        extends: true,
        test: {
          name: 'terminal',
          include: TERMINAL,
          globalSetup: ['test/support/build.ts'],
          maxWorkers: WAITING_WORKERS,
          sequence: {groupOrder: 1},
        },
      },
    ],
  },
});

/** The folder in memory that Linux has, where there is room in it: containers often have 64 MB. */
function folderInMemory(): string {
  const folder = '/dev/shm';
  try {
    const {bavail, bsize} = statfsSync(folder);
    return bavail * bsize >= 2 ** 30 ? folder : tmpdir();
  } catch {
    return tmpdir();
  }
}
