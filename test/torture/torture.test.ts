import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {projectRoot} from '../support/launch.ts';
import {shortfallsOf} from './goal.ts';
import {judge, type Report} from './tests.ts';
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

it('misses a goal whose tests did not run in one of its files, or under one of its titles', () => {
  const goal = {paths: ['test/a.test.ts', 'test/b.test.ts'], titles: ['slow', 'fast']};
  const ran = aReport({'test/a.test.ts': ['is slow'], 'test/b.test.ts': ['is fast']});
  expect(judge(ran, goal)).toEqual({measured: '2 of 2 tests passed', isMet: true, counts: {tests: 2}});
  const ranLess = aReport({'test/a.test.ts': ['is slow'], 'test/b.test.ts': []});
  expect(judge(ranLess, goal)).toEqual({
    measured: '1 of 1 tests passed; no test ran of test/b.test.ts; no test ran of titles with "fast"',
    isMet: false,
    counts: {tests: 1},
  });
});

it('misses a goal that counted fewer cases than it asks for, or none of a part of it', () => {
  const goal = {counts: {runs: 1000, tests: 2}};
  const results = [
    {measured: '', isMet: true, counts: {runs: 600, tests: 2}},
    {measured: '', isMet: true, counts: {runs: 399}},
  ];
  expect(shortfallsOf(goal, results, 'whole')).toEqual(['only 999 of 1,000 runs']);
  expect(shortfallsOf(goal, results, 'quick')).toEqual([]);
  expect(shortfallsOf(goal, [{measured: '', isMet: true}], 'quick')).toEqual(['only 0 of 1 runs', 'only 0 of 1 tests']);
});

/** The titles of the tests that passed in each file; each file has one more that was skipped. */
function aReport(files: Readonly<Record<string, readonly string[]>>): Report {
  const aResult = (fullName: string, status: 'passed' | 'skipped') => ({
    fullName,
    status,
    failureMessages: [],
    meta: {},
  });
  return {
    testResults: Object.entries(files).map(([path, titles]) => ({
      name: `/skydeck/${path}`,
      message: '',
      assertionResults: [...titles.map(title => aResult(title, 'passed')), aResult('is fast and skipped', 'skipped')],
    })),
  };
}
