import {spawn} from 'node:child_process';
import {readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {projectRoot} from '../support/launch.ts';
import type {Measured, Share} from './goal.ts';

type Report = {
  readonly files: Readonly<
    Record<string, {readonly mutants: readonly {readonly status: string; readonly location: {start: {line: number}}}[]}>
  >;
};

const QUICK_FILE = 'src/app/overlay/confirm.ts';
const LEAST_PERCENT = 90;
const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

/** Goal 23: how many of all small changes to the safety core are noticed by its tests. */
export async function measureMutation(share: Share): Promise<Measured> {
  const reportPath = join(projectRoot, 'dist', 'mutation.json');
  rmSync(reportPath, {force: true});
  const chosen: {readonly mutate: readonly string[]} = JSON.parse(
    readFileSync(join(projectRoot, 'stryker.config.json'), 'utf8'),
  );
  await mutate(share === 'whole' ? [] : ['--mutate', QUICK_FILE]);
  const {files}: Report = JSON.parse(readFileSync(reportPath, 'utf8'));
  const scores = Object.entries(files).map(([path, {mutants}]) => ({
    path,
    noticed: mutants.filter(({status}) => NOTICED.has(status)).length,
    unnoticed: mutants.filter(({status}) => UNNOTICED.has(status)),
  }));
  const noticed = scores.reduce((sum, score) => sum + score.noticed, 0);
  const all = noticed + scores.reduce((sum, score) => sum + score.unnoticed.length, 0);
  const percent = (noticed / all) * 100;
  const measured = scores.flatMap(score => (score.noticed + score.unnoticed.length > 0 ? score.path : []));
  const unmeasured = (share === 'whole' ? chosen.mutate : [QUICK_FILE]).flatMap(path =>
    measured.includes(path) ? [] : `no changes to ${path}`,
  );
  const lines = scores.map(
    score =>
      `${percentOf(score.noticed, score.noticed + score.unnoticed.length)} of ${score.path}; unnoticed in lines ${[...new Set(score.unnoticed.map(({location}) => location.start.line))].join(', ')}`,
  );
  return {
    measured: [`${percentOf(noticed, all)} of ${all} changes noticed`, ...lines, ...unmeasured].join('\n'),
    // A file that was not changed at all is not measured.
    isMet: percent >= LEAST_PERCENT && unmeasured.length === 0,
    counts: {changes: all},
  };
}

function mutate(words: readonly string[]): Promise<unknown> {
  const stryker = join(projectRoot, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const child = spawn(process.execPath, [stryker, 'run', ...words], {cwd: projectRoot, stdio: 'ignore'});
  return new Promise(resolve => child.on('close', resolve));
}

function percentOf(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}
