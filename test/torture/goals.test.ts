import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {GOALS} from './goals.ts';

it('are the twenty-six of them, each with tests that are there', () => {
  expect(GOALS.map(({number}) => number)).toEqual(Array.from({length: 26}, (_, index) => index + 1));
  const paths = GOALS.flatMap(({tests}) => tests.paths);
  expect(paths.filter(path => !existsSync(join(projectRoot, path)))).toEqual([]);
});
