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

// Tests that wait for other programs, or for time to pass, keep all processors busy with three more workers than there
// are processors. Those that only compute have a queue of their own with as many workers as processors: each more would
// load and compile the program for itself (on two processors, four took 10 to 20 % more processor time than two).
const PROCESSORS = availableParallelism();
const WAITING_QUEUE = {maxWorkers: isDeep ? 2 * PROCESSORS : PROCESSORS + 3, sequence: {groupOrder: 0}};
const COMPUTING_QUEUE = isDeep ? WAITING_QUEUE : {maxWorkers: PROCESSORS, sequence: {groupOrder: 1}};
// In each queue the longest come first, so that nobody waits for one long test at the end.
const PROJECT_ORDER = ['waiting', 'pure', 'strict'];
// Most of what tests make is soon garbage: in a larger young space less of it is copied (about 5 % less processor time).
const WORKER_FLAGS = ['--max-semi-space-size=32'];
// As the built program has them: the development forms of React and JSX cost more time.
const JSX = {jsx: {development: false}};

class SlowProjectsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({project}: TestSpecification) => PROJECT_ORDER.indexOf(project.name);
    return (await super.sort(files)).toSorted((left, right) => place(left) - place(right));
  }
}

const WAITING = [
  'test/journeys/**/*.test.ts',
  'test/{bench/process-usage,terminal/lifecycle,torture/reading-memory}.test.ts',
  'test/cli/{command-io,events,exporter,get-watch,handover,operation,output-stream,overview,recommended-commands,send-actions,wait}.test.ts',
  'test/{api/list,config/key-source,simulator/http/server}.test.ts',
  'test/support/{launch,program,terminal}.test.ts',
  'test/tools/{build,screenshots,seeded-bugs}.test.ts',
];
// StrictMode does nothing in React's production form.
const STRICT = ['test/app/strict-mode.test.tsx'];
// The terminal of ink-testing-library has no height; for every frame Ink would run programs that tell one.
const ENVIRONMENT = {COLUMNS: '100', LINES: '40', NODE_ENV: 'production'};

export default defineConfig({
  test: {
    restoreMocks: true,
    // A journey waits up to twenty seconds for one sight, on a busy machine; the default limit for a whole test is five.
    testTimeout: 60_000,
    // Tests leave nothing behind in modules, so each worker loads the program once.
    isolate: false,
    execArgv: WORKER_FLAGS,
    sequence: {sequencer: SlowProjectsFirst},
    reporters: reportPath === undefined ? ['default'] : ['default', ['json', {outputFile: reportPath}]],
    projects: [
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'pure',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...WAITING, ...STRICT],
          globalSetup: ['test/support/build.ts'],
          env: ENVIRONMENT,
          ...COMPUTING_QUEUE,
        },
      },
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'strict',
          include: STRICT,
          env: {...ENVIRONMENT, NODE_ENV: 'development'},
          ...COMPUTING_QUEUE,
        },
      },
      {
        extends: true,
        oxc: JSX,
        test: {
          name: 'waiting',
          include: WAITING,
          globalSetup: ['test/support/build.ts'],
          env: ENVIRONMENT,
          ...WAITING_QUEUE,
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
