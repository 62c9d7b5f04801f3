import {defineConfig} from 'vitest/config';

// `.ci/run` names a file here and counts the tests from it.
const reportPath = process.env.SKYDECK_TEST_REPORT;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/support/build.ts'],
    restoreMocks: true,
    // Journeys mostly wait for the program under test, so more of them fit than there are processors.
    maxWorkers: 3,
    // A journey waits up to twenty seconds for one sight, on a busy machine; the default limit for a whole test is five.
    testTimeout: 60_000,
    reporters: reportPath === undefined ? ['default'] : ['default', ['json', {outputFile: reportPath}]],
  },
});
