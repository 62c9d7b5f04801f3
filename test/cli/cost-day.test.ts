import {expect, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

/** Ten days of November are over. */
const NOW = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};

/** Ended at noon of the 9th: 9.5 days at a dollar a day. */
const ended = aUsedMachine({
  resource_id: 2,
  name: 'old',
  create_time: '2026-10-31T00:00:00Z',
  terminate_time: '2026-11-09T12:00:00Z',
  bill_per_minute: null,
  total_up_time: 13_680,
  total_bill: 9.5,
  active: false,
});

const usage = {'/billing/billing/usage': {data: [aUsedMachine(), ended]}};

test('prints the cost of a day by machine, and that of the day before', async () => {
  const {simulator} = await openService(usage);
  const {stdout, exitCode} = await run(costCommand, '--day yesterday -o json', {simulator, env: NOW});
  expect(exitCode).toBe(0);
  // 1440 minutes at ten cents; the day before also has half a day of the other machine.
  expect(JSON.parse(stdout)).toEqual({
    day: {
      start: '2026-11-10T00:00:00.000Z',
      end: '2026-11-11T00:00:00.000Z',
      microusd: 144_000_000,
      source: 'usage',
    },
    dayBefore: {
      start: '2026-11-09T00:00:00.000Z',
      end: '2026-11-10T00:00:00.000Z',
      microusd: 144_500_000,
      source: 'usage',
    },
    groups: [
      {key: 'gpu-1', microusd: 144_000_000, dayBeforeMicrousd: 144_000_000},
      {key: 'old', microusd: 0, dayBeforeMicrousd: 500_000},
    ],
  });
});

test('prints first what changed since the day before', async () => {
  const {simulator} = await openService(usage);
  const {stdout} = await run(costCommand, '--day 2026-11-10', {simulator, env: NOW});
  expect(stdout).toContain(
    '2026-11-10  $144.00  estimated from usage\n2026-11-09  $144.50  estimated from usage\nchanged     old -$0.50\n',
  );
  expect(stdout).toMatch(/^gpu-1 +\$144\.00 +100% +\$144\.00 +\$0\.00$/m);
  expect((await run(costCommand, '--day 2026-11-10 -o csv', {simulator, env: NOW})).stdout).toBe(
    'key,usd,day_before_usd\r\ngpu-1,144.000000,144.000000\r\nold,0.000000,0.500000\r\n',
  );
});

test('prints no sign where a change rounds to nothing', async () => {
  // Half a day at 0.4 cents a day less.
  const tiny = {...ended, resource_id: 3, name: 'tiny', total_bill: 0.038};
  const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine(), tiny]}});
  const {stdout} = await run(costCommand, '--day 2026-11-10', {simulator, env: NOW});
  expect(stdout).toMatch(/^tiny +\$0\.00 +0% +<\$0\.01 +\$0\.00$/m);
});

test('uses what each machine was billed for the day when the provider has it', async () => {
  const simulator = await openSimulator();
  const {stdout} = await run(costCommand, '--day yesterday -o json', {simulator});
  const {day, groups} = JSON.parse(stdout);
  expect(day.source).toBe('billed');
  expect(groups.reduce((sum: number, {microusd}: {microusd: number}) => sum + microusd, 0)).toBe(day.microusd);
  // Hibernated for days; spread evenly it would have cost hundreds.
  const asleep = groups.find(({key}: {key: string}) => key === 'sweep-02');
  expect(asleep.microusd).toBeLessThan(1_000_000);
});

test.each([
  ['tomorrow', '--day needs yesterday, today or a UTC day such as 2026-11-20'],
  ['2026-11-12', '--day needs a day that has begun'],
  ['2026-11-10 --since 2h', '--day cannot be combined with --month or --since'],
  ['2026-11-10 -o focus', '--day cannot be combined with -o focus, which has rows for each day'],
])('refuses --day %s', async (asked, expected) => {
  const {simulator} = await openService(usage);
  const {stderr, exitCode} = await run(costCommand, `--day ${asked}`, {simulator, env: NOW});
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(expected)]);
});
