import {expect, test} from 'vitest';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {epochMs} from '../../src/domain/time.ts';
import type {SimulatorOptions} from '../../src/simulator/http/server.ts';
import {createVirtualClock} from '../support/clock.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {rawAnswer, run} from './a-command.ts';

/** On this day the bills of 29 days must be read. */
const NOW = Date.UTC(2026, 10, 29, 12);
/** The most requests that `skydeck` sends in a minute: a fifth of what the provider allows one address. */
const LIMIT = 100;

/** Runs a command for which no time passes: if it waited for anything but an answer, it would never end. */
async function openAccount(options: SimulatorOptions) {
  const simulator = await openSimulator({startedAt: NOW, speed: 0, rateLimitPerMinute: 'off', ...options});
  const home = openHome();
  return {
    simulator,
    /** The output of the command, and the requests that it sent. */
    runAtOnce: async (command: BuildCommand, line: string) => {
      const before = simulator.requests().length;
      const {clock} = createVirtualClock({wallStart: epochMs(NOW)});
      const ran = await run(command, line, {simulator, home, clock});
      return {...ran, requests: simulator.requests().slice(before)};
    },
  };
}

test.each([
  ['cost -o focus', costCommand, '-o focus'],
  ['triage', triageCommand, ''],
])('skydeck %s needs no more requests than one minute allows', async (_, command, line) => {
  const {runAtOnce} = await openAccount({scenario: 'troubles'});
  const {exitCode, requests} = await runAtOnce(command, line);
  expect(exitCode).toBe(0);
  expect(requests.length).toBeLessThanOrEqual(LIMIT);
});

test('skydeck cost judges the costliest machines first, says how many are left, and judges them in the next run', async () => {
  const {simulator, runAtOnce} = await openAccount({vmCount: 200});
  const first = await runAtOnce(costCommand, '--since 8h');
  const measured = measuredIds(first.requests);
  const costliest = await costliestRunning(simulator);
  expect(measured).toEqual(new Set(costliest.slice(0, measured.size)));
  expect(first.stderr).toContain(`skydeck: metrics of ${50 - measured.size} machines not read, `);
  const second = await runAtOnce(costCommand, '--since 8h');
  expect(second.stderr).not.toContain('not read');
  expect(measuredIds(second.requests)).toEqual(new Set(costliest.slice(0, 50)));
});

function measuredIds(requests: readonly {readonly path: string}[]): Set<number> {
  return new Set(requests.flatMap(({path}) => /machines\/(\d+)\/metrics$/.exec(path)?.[1] ?? []).map(Number));
}

/** The ids of the running machines by what the service meters for them, the costliest first. */
async function costliestRunning(simulator: Parameters<typeof rawAnswer>[0]): Promise<readonly number[]> {
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  const {data} = JSON.parse((await rawAnswer(simulator, '/billing/billing/usage')).text);
  type Metered = {readonly resource_type: string; readonly resource_id: number; readonly bill_per_minute: number};
  const rates = new Map(
    data
      .filter(({resource_type}: Metered) => resource_type === 'vm')
      .map(({resource_id, bill_per_minute}: Metered) => [resource_id, bill_per_minute] as const),
  );
  const rateOf = ({id}: {id: number}) => Number(rates.get(id) ?? 0);
  return instances
    .filter(({status}: {status: string}) => status === 'ACTIVE')
    .sort((left: {id: number}, right: {id: number}) => rateOf(right) - rateOf(left) || left.id - right.id)
    .map(({id}: {id: number}) => id);
}
