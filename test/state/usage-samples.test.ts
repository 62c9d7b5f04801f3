import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {usage} from '../../src/api/billing.ts';
import {costCommand} from '../../src/cli/commands/cost.ts';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {monthEnd, monthStart, spendPerDay} from '../../src/domain/money/spend.ts';
import {usdNumber} from '../../src/domain/money.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';
import {samplingUsage} from '../../src/state/usage-samples.ts';
import {openClients, openServer} from '../api/loopback.ts';
import {run} from '../cli/a-command.ts';
import {openService} from '../cli/a-service.ts';
import {shared} from '../support/lifetime.ts';
import {openHome} from '../support/program.ts';
import {sweepOf} from '../support/tier.ts';

const USAGE = '/billing/billing/usage';
const CREATED = Date.parse('2026-11-10T10:00:00Z');
const FIRST_HOUR = 10;
const HOURS_AWAKE = 10;
/** One o'clock on the 11th. */
const LAST_HOUR = 25;
const PER_HOUR = 2;

/** A machine at $2 an hour that runs for ten hours and then costs nothing, on a service without bills. */
async function aServiceWithoutBills(extra: Record<string, unknown> = {}) {
  const answers: Record<string, unknown> = {...extra};
  const service = await openService(answers);
  const home = openHome();
  const costAt = async (hour: number) => {
    const awake = Math.min(HOURS_AWAKE, hour - FIRST_HOUR);
    const isAwake = hour - FIRST_HOUR < HOURS_AWAKE;
    const record = {
      resource_id: 1,
      resource_type: 'vm',
      organization_id: 7,
      name: 'gpu-1',
      bill_per_minute: isAwake ? PER_HOUR / 60 : 0,
      create_time: new Date(CREATED).toISOString(),
      total_up_time: awake * 60,
      total_bill: awake * PER_HOUR,
      active: true,
    };
    answers[USAGE] = {data: [record]};
    const now = new Date(CREATED - FIRST_HOUR * HOUR_MS + hour * HOUR_MS).toISOString();
    const {stdout} = await run(costCommand, '-o json', {simulator: service.simulator, home, env: {SKYDECK_NOW: now}});
    const {days, monthToDateMicrousd} = JSON.parse(stdout);
    return {
      monthToDate: monthToDateMicrousd / 1e6,
      days: days.slice(-2).map(({microusd, source}: {microusd: number; source: string}) => [microusd / 1e6, source]),
    };
  };
  const folder = join(home.path, 'state/skydeck/samples');
  const path = join(folder, `${new URL(service.simulator.url).host.replace(':', '_')}.json`);
  return {costAt, folder, path};
}

/** A $20 bill over fifteen hours, fourteen of them on the 10th. */
const SPREAD = [
  [(20 * 14) / 15, 'usage'],
  [20 / 15, 'usage'],
].map(([dollars, source]) => [expect.closeTo(Number(dollars), 5), source]);
const SAMPLED = [
  [20, 'samples'],
  [0, 'samples'],
];

test('hourly readings show which day a cost belongs to when the provider keeps no bills', async () => {
  const {costAt, folder, path} = await aServiceWithoutBills();
  for (let hour = FIRST_HOUR + 1; hour < LAST_HOUR; hour += 1) await costAt(hour);
  expect(await costAt(LAST_HOUR)).toEqual({monthToDate: 20, days: SAMPLED});
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toHaveLength(1);
  // Hours billed at the same rate need no samples of their own: the first two, both ends of the change in
  // rate, of midnight and of the time between them, and the last.
  const [spans] = Object.values(JSON.parse(readFileSync(path, 'utf8')));
  expect(Object.values(spans as object)[0].samples.length).toBeLessThanOrEqual(8);
});

test('a cost that arose while nobody looked is spread over that time', async () => {
  const {costAt} = await aServiceWithoutBills();
  await costAt(FIRST_HOUR + 1);
  // $18 in the fourteen hours since eleven, thirteen of them on the 10th.
  expect((await costAt(LAST_HOUR)).days).toEqual([
    [expect.closeTo(2 + (18 * 13) / 14, 5), 'usage'],
    [expect.closeTo(18 / 14, 5), 'usage'],
  ]);
});

/** The samples of all hours, as they are kept. */
const hourly = shared(async () => {
  const {costAt, path} = await aServiceWithoutBills();
  for (let hour = FIRST_HOUR + 1; hour < LAST_HOUR; hour += 1) await costAt(hour);
  return readFileSync(path, 'utf8');
});

test.each([
  ['of another account', (text: string) => text.replace('7 since', '8 since')],
  ['of another machine', (text: string) => text.replaceAll('vm 1 ', 'vm 2 ')],
  ['read later than now, by a different clock', (text: string) => text.replaceAll('[17', '[18')],
  ['that are not JSON', (text: string) => text.slice(0, -9)],
  ['with invalid amounts', (text: string) => text.replaceAll('/1"', '/0"')],
])('ignores samples %s', async (_, change) => {
  const {costAt, path} = await aServiceWithoutBills();
  await costAt(FIRST_HOUR + 1);
  writeFileSync(path, change(hourly()));
  expect((await costAt(LAST_HOUR)).days).toEqual(SPREAD);
});

test('takes no samples when the provider has bills', async () => {
  const billed = {billing_history: {billing_history: [{metrics: {incurred_bill: 3}}]}};
  const {costAt, folder} = await aServiceWithoutBills({'/billing/billing/history': billed});
  await costAt(FIRST_HOUR + 1);
  expect((await costAt(LAST_HOUR)).days).toEqual([
    [3, 'billed'],
    [3, 'billed'],
  ]);
  expect(existsSync(folder)).toBe(false);
});

describe('compared with a ledger of machines that sleep at times', () => {
  // Each alternates between running and sleeping in odd spans, and is billed to the second.
  const machines = Array.from({length: 6}, (_, index) => ({
    perHour: 1 + index,
    awakeMs: (5 + index) * HOUR_MS + 13 * MINUTE_MS,
    asleepMs: (3 + index) * HOUR_MS + 7 * MINUTE_MS,
  }));
  const start = Date.UTC(2026, 10, 1, 0, 2, 30);
  const dollarsUntil = (at: number) => (machine: (typeof machines)[number]) => {
    const lastedMs = Math.max(0, at - start);
    const turnMs = machine.awakeMs + machine.asleepMs;
    const awakeMs = Math.floor(lastedMs / turnMs) * machine.awakeMs + Math.min(lastedMs % turnMs, machine.awakeMs);
    return (machine.perHour * awakeMs) / HOUR_MS;
  };
  const sumUntil = (at: number) => machines.map(dollarsUntil(at)).reduce((sum, each) => sum + each, 0);

  test('readings five minutes apart give each day to within 0.02 %', {timeout: 60_000}, async () => {
    const now = {at: start};
    const {baseUrl} = await openServer((_request, response) => {
      const data = machines.map((machine, index) => ({
        resource_id: index + 1,
        resource_type: 'vm',
        organization_id: 7,
        name: `gpu-${index + 1}`,
        bill_per_minute:
          (now.at - start) % (machine.awakeMs + machine.asleepMs) < machine.awakeMs ? machine.perHour / 60 : 0,
        create_time: new Date(start).toISOString(),
        total_bill: dollarsUntil(now.at)(machine),
        active: true,
      }));
      response.end(JSON.stringify({data}));
    });
    const {reads, time} = openClients(baseUrl);
    const clock = {...time.clock, wallNow: () => epochMs(now.at)};
    const sampling = samplingUsage(reads, undefined, clock);
    const days = sweepOf({sample: 2, deep: 3});
    let records: readonly UsageRecord[] = [];
    for (let minutes = 0; minutes <= days * 24 * 60; minutes += 5) {
      now.at = start + minutes * MINUTE_MS;
      const answer = await sampling.read(usage, {isDeleted: false});
      if (!answer.ok) throw new Error('no answer');
      records = answer.value.records;
    }
    const month = {start: monthStart(epochMs(start)), end: monthEnd(epochMs(start)), now: epochMs(now.at)};
    const told = spendPerDay(records, month)
      .slice(0, days)
      .map(({cost}) => usdNumber(cost));
    for (const [day, cost] of told.entries()) {
      const from = month.start + day * DAY_MS;
      const truth = sumUntil(from + DAY_MS) - sumUntil(from);
      expect(Math.abs(cost / truth - 1)).toBeLessThan(0.0002);
    }
    // Of hundreds of readings, only the changes in rate and the midnights are kept.
    expect(Math.max(...records.map(({samples = []}) => samples.length))).toBeLessThan(60);
  });
});
