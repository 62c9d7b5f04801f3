import type {KnipConfig} from 'knip';

// Two runs: all files, where each export has an importer, and `--production`, where what only tests use is dead.
const isProduction = process.argv.includes('--production');

const config: KnipConfig = {
  entry: [
    'src/skydeck.ts!',
    'src/program.tsx!',
    // The build puts these in the place of packages' own.
    'build/*.ts!',
    // Declares the types of a package that brings none.
    'src/ui/asciichart-types.ts!',
    'test/tools/*.ts',
    'test/bench/*.ts',
    'test/torture/hostile-cloud.ts',
  ],
  project: ['src/**/*.{ts,tsx}!', 'build/*.ts!', 'test/**/*.{ts,tsx}'],
  vitest: {config: ['vitest.config.ts', 'mutation.config.ts']},
  // A part that its own file uses may be exported for a test.
  ignoreExportsUsedInFile: isProduction,
  // `wait` is the shell's own.
  ignoreBinaries: ['fish', 'mkfifo', 'prometheus', 'wait'],
  // Its font files are read by their paths.
  ignoreDependencies: ['dejavu-fonts-ttf'],
};

export default config;
