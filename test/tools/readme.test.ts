import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {withTables} from './readme.ts';

test("the README's tables are those that the commands and the endpoints make", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme, 'run npm run readme').toBe(withTables(readme));
});

test('says which marks are lost', () => {
  expect(() => withTables('<!-- keys -->\n<!-- /keys -->')).toThrow('<!-- endpoints -->');
});
