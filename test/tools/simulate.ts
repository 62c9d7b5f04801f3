// The real operation core against the simulated cloud, every action under every fault, from many seeds, and the deck under
// fingers that know nothing, with every promise looked at as it happens. A failure prints what leads to it again.
//   npm run simulate -- [--seeds 100] [--from 1] [--kind vm.stop] [--fault NAME] [--fingers 10000] [--edits 500]
//     [--again-every 100] [--processes 2] [--trace] [--report FILE]
import {fork} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {letLoose} from './simulation/fingers.ts';
import {casesOf, pathTo} from './simulation/plan.ts';
import {editRules} from './simulation/rule-edits.ts';
import {runCase} from './simulation/run.ts';

const USAGE =
  'usage: npm run simulate -- [--seeds 100] [--from 1] [--kind vm.stop] [--fault NAME] [--fingers 10000] [--edits 500] [--again-every 100] [--processes 2] [--trace] [--report FILE]';

/** What a simulation came to, as `--report` writes it. */
export type Tally = {
  runs: number;
  again: number;
  /** Sessions of keys and pastes, the complete yeses in them, and what was sent for those. */
  fingers: number;
  yeses: number;
  /** Questions that were answered fifty times within a tenth of a second of being asked. */
  hammered: number;
  sent: number;
  /** Runs of rules that are changed and undone. */
  edits: number;
  readonly ends: Record<string, number>;
  readonly failures: string[];
};
type Wish = ReturnType<typeof readWish>;

const wish = readWish(process.argv.slice(2));
if (wish.shard !== undefined) {
  process.send?.(await simulate(wish));
} else {
  const begun = performance.now();
  const tally = wish.processes === 1 ? await simulate(wish) : await shared(wish);
  report(tally, performance.now() - begun);
  if (wish.report !== undefined) writeFileSync(wish.report, JSON.stringify(tally));
}

function readWish(given: readonly string[]) {
  const {values} = parseArgs({
    args: [...given],
    options: {
      seeds: {type: 'string', default: '100'},
      from: {type: 'string', default: '1'},
      fingers: {type: 'string', default: '10000'},
      kind: {type: 'string'},
      fault: {type: 'string'},
      edits: {type: 'string', default: '500'},
      processes: {type: 'string', default: String(availableParallelism())},
      shard: {type: 'string'},
      /** One in so many is played twice, to see that it goes the same way. */
      'again-every': {type: 'string', default: '100'},
      trace: {type: 'boolean', default: false},
      report: {type: 'string'},
    },
  });
  const [seeds, from, processes] = [Number(values.seeds), Number(values.from), Number(values.processes)];
  const [fingers, edits] = [Number(values.fingers), Number(values.edits)];
  const againEvery = Number(values['again-every']);
  const isWhole = [seeds + 1, from, processes, fingers + 1, edits + 1, againEvery].every(
    value => Number.isSafeInteger(value) && value > 0,
  );
  if (!isWhole || casesOf(1, values).length === 0) throw new Error(USAGE);
  return {...values, seeds, from, fingers, edits, processes, againEvery};
}

/** Seeds are dealt out one by one, so that every process has as much to do. */
async function simulate(wanted: Wish): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-simulate-'));
  const tally: Tally = {
    runs: 0,
    again: 0,
    fingers: 0,
    yeses: 0,
    hammered: 0,
    sent: 0,
    edits: 0,
    ends: {},
    failures: [],
  };
  await simulateActions(wanted, folder, tally);
  await simulateFingers(wanted, folder, tally);
  await simulateEdits(wanted, folder, tally);
  rmSync(folder, {recursive: true, force: true});
  return tally;
}

async function simulateActions(wanted: Wish, folder: string, tally: Tally): Promise<void> {
  const {seeds, from, kind, fault, trace} = wanted;
  for (let seed = from; seed < from + seeds; seed += 1) {
    if (!isOurs(seed, wanted)) continue;
    for (const each of casesOf(seed, {kind, fault})) {
      const outcome = await runCase(each, folder);
      tally.runs += 1;
      const end = `${outcome.end ?? 'nothing left to tell'}, executed ${outcome.executionCount} times`;
      tally.ends[end] = (tally.ends[end] ?? 0) + 1;
      if (outcome.violations.length > 0) tally.failures.push(`${pathTo(each)}: ${outcome.violations.join('; ')}`);
      if (trace) process.stdout.write(`${outcome.trace.join('\n')}\n`);
      if (tally.runs % wanted.againEvery !== 0) continue;
      tally.again += 1;
      const {traceHash} = await runCase(each, folder);
      if (traceHash !== outcome.traceHash) tally.failures.push(`${pathTo(each)}: went another way the second time`);
    }
  }
}

async function simulateFingers(wanted: Wish, folder: string, tally: Tally): Promise<void> {
  for (let seed = wanted.from; seed < wanted.from + wanted.fingers; seed += 1) {
    if (!isOurs(seed, wanted)) continue;
    const session = await letLoose(seed, {folder});
    tally.fingers += 1;
    tally.yeses += session.yesCount;
    tally.hammered += session.hammeredCount;
    tally.sent += session.sentCount;
    const {violations} = session;
    if (violations.length > 0) tally.failures.push(`--from ${seed} --fingers 1 --seeds 1: ${violations.join('; ')}`);
  }
}

async function simulateEdits(wanted: Wish, folder: string, tally: Tally): Promise<void> {
  for (let seed = wanted.from; seed < wanted.from + wanted.edits; seed += 1) {
    if (!isOurs(seed, wanted)) continue;
    const {violations} = await editRules(seed, folder);
    tally.edits += 1;
    if (violations.length > 0) tally.failures.push(`--from ${seed} --edits 1 --seeds 1: ${violations.join('; ')}`);
  }
}

function isOurs(seed: number, {from, processes, shard}: Wish): boolean {
  return shard === undefined || (seed - from) % processes === Number(shard);
}

async function shared(whole: Wish): Promise<Tally> {
  const parts = await Promise.all(Array.from({length: whole.processes}, (_part, shard) => partOf(shard)));
  const sum: Tally = {runs: 0, again: 0, fingers: 0, yeses: 0, hammered: 0, sent: 0, edits: 0, ends: {}, failures: []};
  for (const part of parts) {
    sum.runs += part.runs;
    sum.again += part.again;
    sum.fingers += part.fingers;
    sum.yeses += part.yeses;
    sum.hammered += part.hammered;
    sum.sent += part.sent;
    sum.edits += part.edits;
    sum.failures.push(...part.failures);
    for (const [end, count] of Object.entries(part.ends)) sum.ends[end] = (sum.ends[end] ?? 0) + count;
  }
  return sum;
}

function partOf(shard: number): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const part = fork(import.meta.filename, [...process.argv.slice(2), '--shard', String(shard)]);
    let tally: Tally | undefined;
    part.on('message', (told: Tally) => {
      tally = told;
    });
    part.on('exit', code => {
      if (tally === undefined) reject(new Error(`Part ${shard} ended with ${code} and told nothing.`));
      else resolve(tally);
    });
  });
}

function report(tally: Tally, tookMs: number): void {
  const {runs, again, fingers, yeses, sent, edits, ends, failures} = tally;
  const {size: kindCount} = new Set(casesOf(1).map(({kind}) => kind));
  console.log(`${kindCount} actions x ${casesOf(1).length / kindCount} faults, ${wish.seeds} seeds: ${runs} runs`);
  console.log(`${again} of them played twice; all in ${Math.round(tookMs / 1000)} s`);
  for (const [end, count] of Object.entries(ends).sort((left, right) => right[1] - left[1])) {
    console.log(`  ${String(count).padStart(7)}  ${end}`);
  }
  console.log(`${fingers} sessions of keys and pastes: ${yeses} complete yeses, ${sent} requests`);
  console.log(`${edits} runs of rules that were changed and undone`);
  for (const failure of failures) console.error(`npm run simulate -- ${failure}`);
  console.log(failures.length === 0 ? 'nothing broken' : `${failures.length} runs broke a promise`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
