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

it('each goal says how many cases of what it asks for', () => {
  for (const {counts} of GOALS) {
    expect(Object.keys(counts)).not.toEqual([]);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  }
});

it('every text that picks tests is in a title, and every file has a test that is picked', () => {
  const misses = GOALS.flatMap(({number, tests: {paths, titles}}) => {
    if (titles === undefined) return [];
    const read = paths.map(path => ({path, found: titlesIn(path)}));
    return [
      ...titles.filter(text => !read.some(({found}) => found.some(title => title.includes(text)))),
      ...read
        .filter(({found}) => !found.some(title => titles.some(text => title.includes(text))))
        .map(({path}) => path),
    ].map(what => `${number}: ${what}`);
  });
  expect(misses).toEqual([]);
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

/** `it('...`, and the end of `it.each(...)('...`. */
const TITLE = /(?:\b(?:it|test|describe)|\))\(\s*(['`])(.*?)\1/g;

/** The titles of the tests of a file and of their groups; of those with several cases, as they are written. */
function titlesIn(path: string): readonly string[] {
  return [...readFileSync(join(projectRoot, path), 'utf8').matchAll(TITLE)].map(([, , title = '']) => title);
}
