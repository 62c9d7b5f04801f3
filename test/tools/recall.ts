// How many seeded troubles triage finds within two polls, and how often it tells of what is none: `npm run recall`. Prints
// counts for each rule over generated fleets, and what was told of working fleets over a day of their time.
//   node test/tools/recall.ts [--fleets 100] [--days 5] [--polls 48] [--seed 1]
import {parseArgs} from 'node:util';
import {calmFleet, fleetOf, type Truth} from './recall/fleets.ts';
import {calmDay, keyOf, type Score, scoreOf} from './recall/score.ts';
import {TROUBLES} from './recall/troubles.ts';

const {values} = parseArgs({
  options: {
    fleets: {type: 'string', default: '100'},
    days: {type: 'string', default: '5'},
    polls: {type: 'string', default: '48'},
    seed: {type: 'string', default: '1'},
  },
});
const [fleetCount, dayCount, pollCount, seed] = [values.fleets, values.days, values.polls, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];

const scores: Score[] = [];
for (let index = 0; index < fleetCount; index += 1) scores.push(await scoreOf(fleetOf(seed + index)));
printScores(scores);
await printCalm();

function printScores(all: readonly Score[]): void {
  const kinds = ['found', 'missed', 'wrong', 'nearMisses'] as const;
  const [found, missed, wrong, nearMisses] = kinds.map(kind => all.flatMap(each => each[kind]));
  const rules = [...new Set([...TROUBLES.map(({rule}) => rule), ...(wrong ?? []).map(({rule}) => rule)])];
  console.log(`${all.length} fleets, two polls each\n`);
  console.log(row('rule', 'found', 'missed', 'near', 'wrong'));
  for (const rule of rules) {
    const count = (truths: readonly Truth[] = []) => String(truths.filter(truth => truth.rule === rule).length);
    console.log(row(rule, count(found), count(missed), count(nearMisses), count(wrong)));
  }
  const [foundCount, missedCount, wrongCount] = [found?.length ?? 0, missed?.length ?? 0, wrong?.length ?? 0];
  console.log(row('all', `${foundCount}`, `${missedCount}`, `${nearMisses?.length ?? 0}`, `${wrongCount}`));
  console.log(`\nrecall ${share(foundCount, missedCount)}, precision ${share(foundCount, wrongCount)}`);
  list('missed', missed ?? []);
  list('wrong', wrong ?? []);
}

async function printCalm(): Promise<void> {
  const told: Truth[] = [];
  for (let day = 0; day < dayCount; day += 1) {
    const start = Date.UTC(2026, 10, 2 + day, 5 * day);
    told.push(...(await calmDay(calmFleet(seed + day, start), pollCount)));
  }
  console.log(`\n${dayCount} working fleets, a day each, ${pollCount} polls a day: ${told.length} findings`);
  list('told of a working fleet', told);
}

function list(title: string, truths: readonly Truth[]): void {
  const counts = Map.groupBy(truths, keyOf);
  for (const [key, each] of counts) console.log(`  ${title}: ${key} (${each.length})`);
}

function share(right: number, not: number): string {
  return right + not === 0 ? 'unknown' : `${((100 * right) / (right + not)).toFixed(1)} %`;
}

function row(...cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(8))).join('');
}
