import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';

function torture(...words: readonly string[]) {
  const {status, stdout, stderr} = spawnSync(
    process.execPath,
    [join(projectRoot, 'test/torture/torture.ts'), ...words],
    {
      encoding: 'utf8',
    },
  );
  return {status, stdout, stderr};
}

it('prints its usage with --help', () => {
  const {status, stdout, stderr} = torture('--help');
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  expect(stdout).toMatch(/^Runs .*\.\n\nUsage: npm run torture -- \[options\]\n/);
});

it('lists only the goals that were asked for', () => {
  const {status, stdout} = torture('--list', '--only', '1, 16');
  expect({status, numbers: stdout.match(/^\d+/gm)}).toEqual({status: 0, numbers: ['1', '16']});
});

it.each([
  [['--onyl', '16'], "Unknown option '--onyl'."],
  [['16'], `Unexpected argument '16'.`],
  [['--only', 'x'], '--only takes numbers from 1 to 26, e.g. 6,16: not "x".'],
  [['--only', '16,27'], '--only takes numbers from 1 to 26, e.g. 6,16: not "16,27".'],
  [['--body', 'quotas'], 'No hostile body is named "quotas".'],
])('refuses %j in one sentence', (words, sentence) => {
  expect(torture(...words)).toEqual({
    status: 2,
    stdout: '',
    stderr: `${sentence}\nSee npm run torture -- --help\n`,
  });
});
