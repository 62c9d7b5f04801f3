import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {GOALS} from './goals.ts';

it('the goals are twenty-six, each with tests that exist', () => {
  expect(GOALS.map(({number}) => number)).toEqual(Array.from({length: 26}, (_, index) => index + 1));
  const paths = GOALS.flatMap(({tests}) => tests.paths);
  expect(paths.filter(isAbsent)).toEqual([]);
});

it('the files whose mutation is measured exist', () => {
  const {mutate}: {mutate: readonly string[]} = JSON.parse(
    readFileSync(join(projectRoot, 'stryker.config.json'), 'utf8'),
  );
  expect(mutate.filter(isAbsent)).toEqual([]);
  expect(mutate.length).toBeGreaterThan(10);
});

function isAbsent(path: string): boolean {
  return !existsSync(join(projectRoot, path));
}
