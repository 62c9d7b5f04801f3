// Runs the program in a hostile environment: `npm run torture -- --help`. Shows each goal, its measurement and verdict.
import {execFileSync} from 'node:child_process';
import {parseArgs} from 'node:util';
import {describeMachine} from '../bench/report.ts';
import {projectRoot} from '../support/launch.ts';
import type {Goal, Measured, Share} from './goal.ts';
import {BODIES_GOAL, GOALS} from './goals.ts';
import {bodiesOf} from './hostile-bodies.ts';
import {runTests} from './tests.ts';

const USAGE = `Runs the program in a hostile environment and compares what it measures with the goals.

Usage: npm run torture -- [options]

Options:
  --list          list the goals
  --only NUMBERS  only these goals, e.g. 6,16
  --body TEXT     only the hostile bodies of goal 16 whose name contains TEXT, without the tests of the goal
  --quick         a part of each goal, enough to see that the measurement works
  --as-built      use dist as it is, without building
  -h, --help      show this help

Goal 16 takes 6 minutes, or 20 s for a body; all goals take hours.
Exits with 1 if a goal is missed, with 2 if the arguments are wrong.`;

type Wish = {
  readonly goals: readonly Goal[];
  readonly body: string | undefined;
  readonly share: Share;
  readonly isListed: boolean;
  readonly isBuilt: boolean;
};

const OPTIONS = {
  list: {type: 'boolean', default: false},
  only: {type: 'string'},
  body: {type: 'string'},
  quick: {type: 'boolean', default: false},
  'as-built': {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

const wish = readWish(process.argv.slice(2));
if (wish === 'help') console.log(USAGE);
else if (typeof wish === 'string') refuse(wish);
else if (wish.isListed) for (const goal of wish.goals) console.log(`${titleOf(goal)}: ${goal.asked}`);
else await torture(wish);

/** What to do, `help`, or the mistake in the arguments. */
function readWish(words: readonly string[]): Wish | string {
  const parsed = parse(words);
  if (typeof parsed === 'string') return parsed;
  const {list, body, quick, help, only = body === undefined ? undefined : String(BODIES_GOAL)} = parsed;
  if (help) return 'help';
  const share = quick ? 'quick' : 'whole';
  if (body !== undefined && bodiesOf(share, body).length === 0) return `No hostile body is named "${body}".`;
  const numbers = only?.split(',').map(number => number.trim()) ?? GOALS.map(({number}) => String(number));
  const goals = GOALS.filter(({number}) => numbers.includes(String(number)));
  if (goals.length < numbers.length) return `--only takes numbers from 1 to ${GOALS.length}, e.g. 6,16: not "${only}".`;
  return {goals, body, share, isListed: list, isBuilt: !parsed['as-built']};
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({args: [...words], options: OPTIONS}).values;
  } catch (error) {
    const [mistake] = error instanceof Error ? error.message.split('. ') : [];
    return `${mistake}.`;
  }
}

function refuse(mistake: string): void {
  console.error(`${mistake}\nSee npm run torture -- --help`);
  process.exitCode = 2;
}

async function torture({goals, body, share, isBuilt}: Wish): Promise<void> {
  if (isBuilt) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  console.log(`${describeMachine()}; ${share === 'quick' ? 'a share of each goal' : 'each goal whole'}`);
  const missed: Goal[] = [];
  for (const goal of goals) {
    const begun = performance.now();
    const results = body === undefined ? [await attempt(() => runTests(goal.tests, share))] : [];
    const {measure} = goal;
    if (measure !== undefined) results.push(await attempt(() => measure(share, {part: body, tell})));
    const isMet = results.every(result => result.isMet);
    if (!isMet) missed.push(goal);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`\n${isMet ? 'met   ' : 'MISSED'}  ${titleOf(goal)} (${seconds} s)`);
    console.log(`        asked:    ${goal.asked}`);
    const [first, ...rest] = results.flatMap(({measured}) => measured.split('\n'));
    console.log(`        measured: ${[first, ...rest].join(`\n${' '.repeat(18)}`)}`);
  }
  const blockers = missed.filter(({isBlocker}) => isBlocker);
  console.log(`\n${goals.length - missed.length} of ${goals.length} goals met, ${blockers.length} blockers missed`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** Shows what is being measured to a person who waits at a terminal. */
function tell(progress: string): void {
  if (process.stderr.isTTY) console.error(`        ${progress}`);
}

function titleOf({number, name, isBlocker}: Goal): string {
  return `${number}${isBlocker ? ' G0' : ''} ${name}`;
}

async function attempt(measure: () => Promise<Measured>): Promise<Measured> {
  try {
    return await measure();
  } catch (error) {
    return {measured: `not measured: ${error instanceof Error ? error.message : String(error)}`, isMet: false};
  }
}
