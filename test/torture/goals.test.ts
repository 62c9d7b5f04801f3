import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {GOALS} from './goals.ts';

it('are the twenty-six of them, each with tests that are there', () => {
  expect(GOALS.map(({number}) => number)).toEqual(Array.from({length: 26}, (_, index) => index + 1));
  const paths = GOALS.flatMap(({tests}) => tests.paths);
  expect(paths.filter(isAbsent)).toEqual([]);
});

it('measure the mutation of files that are there', () => {
  const {mutate}: {mutate: readonly string[]} = JSON.parse(
    readFileSync(join(projectRoot, 'stryker.config.json'), 'utf8'),
  );
  expect(mutate.filter(isAbsent)).toEqual([]);
  expect(mutate.length).toBeGreaterThan(10);
});

function isAbsent(path: string): boolean {
  return !existsSync(join(projectRoot, path));
}
