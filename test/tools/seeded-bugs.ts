// Tests of the tests: each mistake in the list is made in a copy of the repository, and the tests it names must notice.
//   node test/tools/seeded-bugs.ts [--only TEXT] [--processes 2]
import {availableParallelism} from 'node:os';
import {parseArgs} from 'node:util';
import {SEEDED_BUGS, type SeededBug} from './seeded-bugs/bugs.ts';
import {createScratch, misfit, runSound, tryBug, type Verdict} from './seeded-bugs/scratch.ts';

const {values} = parseArgs({
  args: process.argv.slice(2),
  options: {only: {type: 'string', default: ''}, processes: {type: 'string', default: String(availableParallelism())}},
});
const bugs = SEEDED_BUGS.filter(({name}) => name.includes(values.only));
const misfits = bugs.flatMap(bug => misfit(bug) ?? []);
const waiting = bugs.filter(bug => misfit(bug) === undefined);
const verdicts: Verdict[] = [];
await checkSound();
await Promise.all(Array.from({length: Number(values.processes)}, takeTurns));

for (const line of misfits) console.error(line);
const green = verdicts.filter(({isRed}) => !isRed);
for (const {bug, told} of green) console.error(`unnoticed: ${bug.name} (${bug.path})\n  ${told}`);
console.log(`${verdicts.length - green.length} of ${bugs.length} seeded bugs turned the tests red`);
process.exitCode = green.length + misfits.length === 0 ? 0 : 1;

/** A test that is red anyway would notice everything. */
async function checkSound(): Promise<void> {
  const scratch = createScratch();
  const told = await runSound(scratch, waiting);
  scratch.remove();
  if (told === undefined) return;
  console.error(`the tests are red without any seeded bug:\n${told}`);
  process.exit(1);
}

async function takeTurns(): Promise<void> {
  const scratch = createScratch();
  for (let bug: SeededBug | undefined = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
    const verdict = await tryBug(scratch, bug);
    verdicts.push(verdict);
    console.log(`${verdict.isRed ? 'red    ' : 'GREEN  '} ${bug.name}`);
  }
  scratch.remove();
}
