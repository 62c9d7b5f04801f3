import {statfsSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

// `.ci/run` names a file here and counts the tests from it.
const reportPath = process.env.SKYDECK_TEST_REPORT;
// `npm run test:deep`: the journeys of test/deck on real terminals.
const isDeep = process.env.SKYDECK_TEST_DEEP === '1';

// Journals are flushed with each line, and folders are made and removed by the thousand: no test needs a disk for that.
process.env.TMPDIR ??= folderInMemory();

// Journeys wait for what a program shows, and many others for a while: two more workers than there are processors keep
// all of these busy (185 s on two; one more: 195). More would each load and compile the program for itself.
const WORKERS = isDeep ? 2 * availableParallelism() : availableParallelism() + 2;
// All are one queue, in which the longest come first, so that nobody waits for one long journey at the end.
const PROJECT_ORDER = ['terminal', 'deck', 'pure'];
// As the built program has them: the development forms of React and JSX cost more time.
const JSX = {jsx: {development: false}};

class SlowProjectsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({project}: TestSpecification) => PROJECT_ORDER.indexOf(project.name);
    return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
  }
}

const DECK = ['test/deck/**/*.test.ts'];
const TERMINAL = ['test/journeys/**/*.test.ts', 'test/support/terminal.test.ts', 'test/terminal/lifecycle.test.ts'];

export default defineConfig({
  test: {
    restoreMocks: true,
    // A journey waits up to twenty seconds for one sight, on a busy machine; the default limit for a whole test is five.
    testTimeout: 60_000,
    // Tests leave nothing behind in modules, so each worker loads the program once.
    isolate: false,
    maxWorkers: WORKERS,
    sequence: {sequencer: SlowProjectsFirst},
    reporters: reportPath === undefined ? ['default'] : ['default', ['json', {outputFile: reportPath}]],
    projects: [
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'pure',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...DECK, ...TERMINAL],
          globalSetup: ['test/support/build.ts'],
          // The terminal of ink-testing-library has no height; for every frame Ink would run programs that tell one.
          env: {COLUMNS: '100', LINES: '40', NODE_ENV: 'production'},
        },
      },
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'deck',
          include: DECK,
          env: isDeep ? {} : {SKYDECK_TEST_DECK: 'virtual', NODE_ENV: 'production'},
          globalSetup: isDeep ? ['test/support/build.ts'] : [],
        },
      },
      {
        extends: true,
        test: {
          name: 'terminal',
          include: TERMINAL,
          globalSetup: ['test/support/build.ts'],
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
