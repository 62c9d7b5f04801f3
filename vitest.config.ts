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

// Journeys wait for what a program shows: with twice as many workers as there are processors, all of these are busy.
// They come first, so that nobody waits for one long journey at the end.
const JOURNEYS = {maxWorkers: 2 * availableParallelism(), sequence: {groupOrder: 0}};
// What runs in the worker itself keeps a processor busy, and each worker loads and compiles the program for itself.
const IN_PROCESS = {maxWorkers: availableParallelism(), sequence: {groupOrder: 1}};
// Of these too what takes longest comes first.
const PROJECT_ORDER = ['deck', 'pure'];
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
    sequence: {sequencer: SlowProjectsFirst},
    reporters: reportPath === undefined ? ['default'] : ['default', ['json', {outputFile: reportPath}]],
    projects: [
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'pure',
          ...IN_PROCESS,
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
          ...(isDeep ? JOURNEYS : IN_PROCESS),
          include: DECK,
          env: isDeep ? {} : {SKYDECK_TEST_DECK: 'virtual', NODE_ENV: 'production'},
          globalSetup: isDeep ? ['test/support/build.ts'] : [],
        },
      },
      {
        extends: true,
        test: {
          name: 'terminal',
          ...JOURNEYS,
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
