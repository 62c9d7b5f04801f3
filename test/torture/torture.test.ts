import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {readWish, USAGE} from './wish.ts';

it('refuses what it does not know in one sentence, as a program', () => {
  const program = join(projectRoot, 'test/torture/torture.ts');
  const {status, stdout, stderr} = spawnSync(process.execPath, [program, '--only', 'x'], {encoding: 'utf8'});
  expect({status, stdout, stderr}).toEqual({
    status: 2,
    stdout: '',
    stderr: '--only takes numbers from 1 to 26, e.g. 6,16: not "x".\nSee npm run torture -- --help\n',
  });
});

it('tells its usage with --help', () => {
  expect(readWish(['--help'])).toBe('help');
  expect(USAGE).toMatch(/^Runs .*\.\n\nUsage: npm run torture -- \[options\]\n/);
});

it('takes only the goals that were asked for', () => {
  const wish = readWish(['--list', '--only', '1, 16']);
  expect(wish).toMatchObject({isListed: true, goals: [{number: 1}, {number: 16}]});
});

it.each([
  [['--onyl', '16'], "Unknown option '--onyl'."],
  [['16'], `Unexpected argument '16'.`],
  [['--only', '16,27'], '--only takes numbers from 1 to 26, e.g. 6,16: not "16,27".'],
  [['--body', 'quotas'], 'No hostile body is named "quotas".'],
])('refuses %j', (words, sentence) => {
  expect(readWish(words)).toBe(sentence);
});
