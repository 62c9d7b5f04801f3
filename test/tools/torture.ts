// Tries the program where the world means harm: `npm run torture`. Shows goal, asked and measured, and ends with 1 where
// a goal is missed.
//   node test/tools/torture.ts [--list] [--only TEXT] [--as-built]
import {execFileSync} from 'node:child_process';
import {parseArgs} from 'node:util';
import {describeMachine} from '../bench/report.ts';
import {projectRoot} from '../support/launch.ts';
import type {Goal} from './torture/goal.ts';
import {HOSTILE_BODIES} from './torture/hostile-bodies.ts';

/** A new goal is a record in one of these lists. */
const GOALS: readonly Goal[] = [...HOSTILE_BODIES];

const {values} = parseArgs({
  options: {
    list: {type: 'boolean', default: false},
    only: {type: 'string', default: ''},
    'as-built': {type: 'boolean', default: false},
  },
});
const chosen = GOALS.filter(({name}) => name.includes(values.only));

if (values.list) for (const {name, asked} of chosen) console.log(`${name}: ${asked}`);
else await torture();

async function torture(): Promise<void> {
  if (!values['as-built']) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  console.log(describeMachine());
  for (const {name, asked, measure} of chosen) {
    const {measured, isMet} = await measure().catch((error: unknown) => ({
      measured: `not measured: ${error instanceof Error ? error.message : String(error)}`,
      isMet: false,
    }));
    console.log(`\n${isMet ? 'met   ' : 'MISSED'}  ${name}\n        asked:    ${asked}\n        measured: ${measured}`);
    if (!isMet) process.exitCode = 1;
  }
}
