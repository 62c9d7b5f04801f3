import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {projectRoot} from '../support/launch.ts';
import type {Counts, Goal, Measured, Share} from './goal.ts';

export type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';
      readonly fullName: string;
      readonly failureMessages: readonly string[];
      readonly meta: {readonly measured?: string; readonly counts?: Counts};
    }[];
  }[];
};

const VITEST = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
const LONGEST_TOLD = 300;

/** Runs the tests of one goal, and gives what they report. */
export async function runTests({paths, titles}: Goal['tests'], share: Share): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-torture-'));
  const reportPath = join(folder, 'report.json');
  const chosen = titles === undefined ? [] : ['--testNamePattern', titles.join('|')];
  try {
    await run([VITEST, 'run', '--reporter=json', `--outputFile=${reportPath}`, ...chosen, ...paths], share);
    if (!existsSync(reportPath)) return {measured: 'the tests did not run', isMet: false};
    return judge(JSON.parse(readFileSync(reportPath, 'utf8')), {paths, ...(titles === undefined ? {} : {titles})});
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

function run(words: readonly string[], share: Share): Promise<unknown> {
  const env = {...process.env, ...(share === 'whole' ? {SKYDECK_TEST_TORTURE: '1'} : {})};
  const child = spawn(process.execPath, [...words], {cwd: projectRoot, env, stdio: 'ignore'});
  return new Promise(resolve => child.on('close', resolve));
}

/** Met if tests of each file ran, for each text that picks them, and none failed. */
export function judge({testResults}: Report, {paths, titles = []}: Goal['tests']): Measured {
  const files = testResults.map(({name, assertionResults}) => ({name, done: assertionResults.filter(isDone)}));
  const done = files.flatMap(file => file.done);
  const failed = done.filter(({status}) => status === 'failed');
  // A file that cannot be loaded has no results at all.
  const broken = testResults.filter(({assertionResults, message}) => assertionResults.length === 0 && message !== '');
  const idle = [
    ...paths.filter(path => !files.some(file => file.name.endsWith(path) && file.done.length > 0)),
    ...titles.filter(text => !done.some(({fullName}) => fullName.includes(text))).map(text => `titles with "${text}"`),
  ];
  const told = done.flatMap(({meta}) => meta.measured ?? []);
  const wrong = [
    ...broken.map(({message}) => message),
    ...failed.map(({fullName, failureMessages}) => `${fullName}: ${failureMessages[0] ?? ''}`),
    ...idle.map(what => `no test ran of ${what}`),
  ].map(line => line.slice(0, LONGEST_TOLD));
  return {
    measured: [...told, `${done.length - failed.length} of ${done.length} tests passed`, ...wrong].join('; '),
    isMet: done.length > 0 && wrong.length === 0,
    counts: sumOf([{tests: done.length}, ...done.map(({meta}) => meta.counts ?? {})]),
  };
}

function isDone({status}: {readonly status: string}): boolean {
  return status === 'passed' || status === 'failed';
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
