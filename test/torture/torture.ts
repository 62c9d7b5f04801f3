// Tries the program where the world means harm: `npm run torture`. Shows goal, asked, measured and verdict, and ends with
// 1 where a goal is missed.
//   npm run torture -- [--list] [--only 6,16] [--quick] [--as-built]
import {execFileSync} from 'node:child_process';
import {parseArgs} from 'node:util';
import {describeMachine} from '../bench/report.ts';
import {projectRoot} from '../support/launch.ts';
import type {Goal, Measured, Share} from './goal.ts';
import {GOALS} from './goals.ts';
import {runTests} from './tests.ts';

const {values} = parseArgs({
  options: {
    list: {type: 'boolean', default: false},
    only: {type: 'string', default: ''},
    quick: {type: 'boolean', default: false},
    'as-built': {type: 'boolean', default: false},
  },
});
const numbers = values.only.split(',').filter(Boolean).map(Number);
const chosen = GOALS.filter(({number}) => numbers.length === 0 || numbers.includes(number));

if (values.list) for (const goal of chosen) console.log(`${titleOf(goal)}: ${goal.asked}`);
else await torture(values.quick ? 'quick' : 'whole');

async function torture(share: Share): Promise<void> {
  if (!values['as-built']) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  console.log(`${describeMachine()}; ${share === 'quick' ? 'a share of each goal' : 'each goal whole'}`);
  const missed: Goal[] = [];
  for (const goal of chosen) {
    const begun = performance.now();
    const results = [await attempt(() => runTests(goal.tests, share))];
    const {measure} = goal;
    if (measure !== undefined) results.push(await attempt(() => measure(share)));
    const isMet = results.every(result => result.isMet);
    if (!isMet) missed.push(goal);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`\n${isMet ? 'met   ' : 'MISSED'}  ${titleOf(goal)} (${seconds} s)`);
    console.log(`        asked:    ${goal.asked}`);
    const [first, ...rest] = results.flatMap(({measured}) => measured.split('\n'));
    console.log(`        measured: ${[first, ...rest].join(`\n${' '.repeat(18)}`)}`);
  }
  const blockers = missed.filter(({isBlocker}) => isBlocker);
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} goals met, ${blockers.length} blockers missed`);
  process.exitCode = missed.length === 0 ? 0 : 1;
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
