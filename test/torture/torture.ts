// Runs the program in a hostile environment: `npm run torture -- --help`. Shows each goal, its measurement and verdict.
import {execFileSync} from 'node:child_process';
import {describeMachine} from '../bench/report.ts';
import {projectRoot} from '../support/launch.ts';
import {countsOf, type Goal, type Measured, shortfallsOf} from './goal.ts';
import {runTests} from './tests.ts';
import {readWish, USAGE, type Wish} from './wish.ts';

const wish = readWish(process.argv.slice(2));
if (wish === 'help') console.log(USAGE);
else if (typeof wish === 'string') refuse(wish);
else if (wish.isListed) for (const goal of wish.goals) console.log(`${titleOf(goal)}: ${goal.asked}`);
else await torture(wish);

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
    // A part of its cases was asked for by name.
    const shortfalls = body === undefined ? shortfallsOf(goal, results, share) : [];
    const isMet = results.every(result => result.isMet) && shortfalls.length === 0;
    if (!isMet) missed.push(goal);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`\n${isMet ? 'met   ' : 'MISSED'}  ${titleOf(goal)} (${seconds} s)`);
    console.log(`        asked:    ${goal.asked}`);
    const counted = Object.entries(countsOf(goal, results)).map(
      ([name, count]) => `${count.toLocaleString('en')} ${name}`,
    );
    console.log(`        counted:  ${counted.join(', ')}`);
    const [first, ...rest] = [...results.flatMap(({measured}) => measured.split('\n')), ...shortfalls];
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
