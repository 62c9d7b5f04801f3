import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {withKeyTable} from './readme.ts';

test("the README's key table is the one the commands make", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme, 'run npm run readme').toBe(withKeyTable(readme));
});
