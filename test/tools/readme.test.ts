import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {withTables} from './readme.ts';

test("the README's tables are those that the commands and the endpoints make", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme, 'run npm run readme').toBe(withTables(readme));
});

test('says of every folder of the sources which question it answers', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const told = [...readme.matchAll(/^\| `src\/([\w.]+)` \|/gm)].map(([, name]) => name);
  expect(told.toSorted()).toEqual(readdirSync(new URL('../../src', import.meta.url)).toSorted());
});

test('says which marks are lost', () => {
  expect(() => withTables('<!-- keys -->\n<!-- /keys -->')).toThrow('<!-- endpoints -->');
});
