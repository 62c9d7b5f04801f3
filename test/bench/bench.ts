// Measures what the design promises: `npm run bench`. It only prints a table. The exit code is 0 whatever it finds,
// because a busy machine is not a bug of the program.
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {parseArgs} from 'node:util';
import {projectRoot} from '../support/launch.ts';
import {measureKeys} from './key-latency.ts';
import {measureMoney} from './money.ts';
import {describeMachine, type Figure, formatTable, verdict} from './report.ts';
import {measureRest} from './rest.ts';
import {measureStartup} from './startup.ts';
import {measureWire} from './wire.ts';

const USAGE =
  'usage: node test/bench/bench.ts [--quick] [--json FILE] [--only money|start|wire|keys|rest] [--as-built]';

type Part = {readonly name: string; readonly measure: (isQuick: boolean) => Promise<readonly Figure[]>};

const PARTS: readonly Part[] = [
  {name: 'money', measure: isQuick => measureMoney(isQuick ? 5 : 15)},
  {name: 'start', measure: isQuick => measureStartup({roundCount: isQuick ? 7 : 21})},
  {name: 'wire', measure: isQuick => measureWire({idleSeconds: isQuick ? 5 : 21})},
  {name: 'keys', measure: isQuick => measureKeys({keyCount: isQuick ? 120 : 300})},
  {
    name: 'rest',
    measure: isQuick => measureRest({loadingMs: isQuick ? 8000 : 20_000, watchedMs: isQuick ? 20_000 : 60_000}),
  },
];

await bench(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function bench(given: readonly string[]): Promise<void> {
  const {isQuick, jsonPath, only, isBuilt} = readWish(given);
  if (isBuilt) execFileSync(process.execPath, ['build.mjs'], {cwd: projectRoot, stdio: 'inherit'});
  const machine = describeMachine();
  console.log(machine);
  const figures: Figure[] = [];
  for (const {name, measure} of PARTS) {
    if (only !== undefined && only !== name) continue;
    process.stderr.write(`measuring: ${name}\n`);
    figures.push(...(await measure(isQuick)));
  }
  console.log(`\n${formatTable(figures)}`);
  if (jsonPath !== undefined) {
    const judged = figures.map(figure => ({...figure, verdict: verdict(figure)}));
    writeFileSync(jsonPath, `${JSON.stringify({machine, isQuick, figures: judged}, undefined, 2)}\n`);
  }
}

type Wish = {
  readonly isQuick: boolean;
  readonly jsonPath: string | undefined;
  readonly only: string | undefined;
  readonly isBuilt: boolean;
};

function readWish(given: readonly string[]): Wish {
  const values = parsed(given);
  if (values.only !== undefined && !PARTS.some(({name}) => name === values.only)) throw new Error(USAGE);
  return {isQuick: values.quick, jsonPath: values.json, only: values.only, isBuilt: !values['as-built']};
}

function parsed(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      options: {
        quick: {type: 'boolean', default: false},
        json: {type: 'string'},
        only: {type: 'string'},
        'as-built': {type: 'boolean', default: false},
      },
    }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}
