import {spawn} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {projectRoot} from '../../support/launch.ts';
import type {SeededBug} from './bugs.ts';

/** A copy of the repository that may be broken. */
export type Scratch = {
  readonly path: string;
  readonly remove: () => void;
};

export type Verdict = {readonly bug: SeededBug; readonly isRed: boolean; readonly told: string};

const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'build.mjs'];
/** As vitest.config.ts has them, but with no build before them: none of those that are named runs the built program. */
const CONFIG = `export default {test: {
  include: ['test/**/*.test.ts'],
  restoreMocks: true,
  isolate: false,
  testTimeout: 60000,
  maxWorkers: 1,
}};\n`;
const LONGEST_MS_PER_FILE = 120_000;
const TOLD_LENGTH = 2000;

export function createScratch(): Scratch {
  const path = mkdtempSync(join(tmpdir(), 'skydeck-seeded-'));
  for (const name of COPIED) cpSync(join(projectRoot, name), join(path, name), {recursive: true});
  symlinkSync(join(projectRoot, 'node_modules'), join(path, 'node_modules'));
  writeFileSync(join(path, 'vitest.config.ts'), CONFIG);
  return {path, remove: () => rmSync(path, {recursive: true, force: true})};
}

/** Why the change cannot be made as it is told; undefined where it can. */
export function misfit({path, from, name}: SeededBug): string | undefined {
  const count = readFileSync(join(projectRoot, path), 'utf8').split(from).length - 1;
  return count === 1 ? undefined : `${name}: ${path} has its text ${count} times, not once`;
}

/** Breaks the copy, runs the tests that must notice, and mends it again. */
export async function tryBug(scratch: Scratch, bug: SeededBug): Promise<Verdict> {
  const file = join(scratch.path, bug.path);
  const sound = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    sound.replace(bug.from, () => bug.to),
  );
  try {
    for (const test of bug.tests) {
      const {code, output} = await runTests(scratch, [test], bug.title);
      if (isRed(code, output)) return {bug, isRed: true, told: output};
    }
    return {bug, isRed: false, told: `${bug.tests.join(', ')} let it pass`};
  } finally {
    writeFileSync(file, sound);
  }
}

/** The same tests on the sound copy: a test that is red anyway proves nothing. */
export async function runSound(scratch: Scratch, bugs: readonly SeededBug[]): Promise<string | undefined> {
  const files = [...new Set(bugs.flatMap(({tests}) => tests))];
  const titles = bugs.every(({title}) => title !== undefined) ? bugs.flatMap(({title}) => title ?? []) : [];
  const {code, output} = await runTests(scratch, files, titles.length === 0 ? undefined : titles.join('|'));
  return code === 0 ? undefined : output;
}

/** Red is a test that failed, not a file that could not be read. */
function isRed(code: number | null, output: string): boolean {
  return code === 1 && /Tests\s+.*\d+ failed/.test(output);
}

function runTests(
  {path}: Scratch,
  files: readonly string[],
  title: string | undefined,
): Promise<{readonly code: number | null; readonly output: string}> {
  const vitest = join(path, 'node_modules', 'vitest', 'vitest.mjs');
  const titled = title === undefined ? [] : ['-t', title];
  const child = spawn(process.execPath, [vitest, 'run', '--no-color', '--bail=1', ...titled, ...files], {
    cwd: path,
    // A sample of each sweep has to notice, also where this runs as part of the long tests.
    env: {
      ...process.env,
      NO_COLOR: '1',
      SKYDECK_TEST_DEEP: undefined,
      SKYDECK_TEST_REPORT: undefined,
      VITEST: undefined,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: files.length * LONGEST_MS_PER_FILE,
  });
  // The summary comes on the one, and what failed, which may be long, on the other.
  let [summary, failures] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    summary = (summary + chunk.toString('utf8')).slice(-TOLD_LENGTH);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    failures = (failures + chunk.toString('utf8')).slice(-TOLD_LENGTH);
  });
  return new Promise(resolve =>
    child.on('close', (code, signal) => {
      const end = signal === null ? '' : `the run was ended by ${signal}: it took too long\n`;
      resolve({code, output: `${end}${failures}\n${summary}`});
    }),
  );
}
