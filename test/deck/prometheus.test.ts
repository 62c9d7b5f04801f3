import {chmodSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {goToMachines, rowOf, shownNames} from '../support/deck.ts';
import {type App, openApp} from '../support/program.ts';
import {homeWithPrometheus, openFakePrometheus, TOKEN} from '../support/prometheus.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {deckTier} from '../support/virtual-time.ts';

const MINUTE = 60_000;
/** The office with its two hundred machines, over five minutes; a minute of a smaller one shows the same sooner. */
const FLEET = sweepOf({
  sample: {vmCount: 20, minutes: 1},
  deep: {vmCount: 200, minutes: 1},
  whole: {vmCount: 200, minutes: 5},
});
/** In a real terminal those minutes take as long. */
const PATIENT = {timeout: 120_000 + FLEET.minutes * MINUTE};

async function machineIds({url, apiKey}: Simulator): Promise<readonly number[]> {
  const reply = await fetch(`${url}/core/virtual-machines?pageSize=1000`, {headers: {api_key: apiKey}});
  const {instances}: {readonly instances: readonly {readonly id: number}[]} = JSON.parse(await reply.text());
  return instances.map(({id}) => id);
}

async function pass(app: App, durationMs: number): Promise<void> {
  const endMs = app.now() + durationMs;
  await app.becomes(`to have gone on for ${durationMs} ms`, () => app.now() >= endMs, {withinMs: durationMs + MINUTE});
}

function metricsRequests(simulator: Simulator): number {
  return simulator.requests().filter(({path}) => path.endsWith('/metrics')).length;
}

test(
  'asks Prometheus once a minute in place of one request a machine, without columns of GPUs where DCGM knows none',
  PATIENT,
  async () => {
    const simulator = await openSimulator({vmCount: FLEET.vmCount, rateLimitPerMinute: 'off'});
    const prometheus = await openFakePrometheus((await machineIds(simulator)).map(id => ({id, cpu: () => 0.25})));
    const app = await openApp({simulator, columns: 200, rows: 50, home: homeWithPrometheus(prometheus, simulator)});
    await goToMachines(app);
    await app.sees(/Prometheus \d+s/);
    await app.sees(/ 25%/);
    expect(app.screen().some(line => line.includes('NAME') && line.includes('GPU'))).toBe(false);
    await pass(app, FLEET.minutes * MINUTE);
    expect(metricsRequests(simulator)).toBe(0);
    const rowsAsked = prometheus.asked.filter(({query}) => query.get('query')?.includes('DCGM') === false);
    expect(rowsAsked.length).toBeGreaterThanOrEqual(FLEET.minutes);
    expect(rowsAsked.length).toBeLessThanOrEqual(FLEET.minutes + 2);
    // The GPUs now and their hour once a minute, their two weeks every ten.
    expect(prometheus.asked.length - rowsAsked.length).toBeLessThanOrEqual(2 * (FLEET.minutes + 1) + 1);
    for (const {path, headers} of prometheus.asked) {
      expect(path).toMatch(/^\/api\/v1\/query(_range)?$/);
      expect(headers).toMatchObject({authorization: `Bearer ${TOKEN}`});
      expect(JSON.stringify(headers)).not.toContain(simulator.apiKey);
    }
  },
);

test('asks the service for the metrics of each row without it, and has windows up to a month', PATIENT, async () => {
  const simulator = await openSimulator({vmCount: FLEET.vmCount, rateLimitPerMinute: 'off'});
  const app = await openApp({simulator, columns: 200, rows: 50});
  await goToMachines(app);
  await pass(app, FLEET.minutes * MINUTE);
  // Rows are read 18 times a minute at most, and the machine under the cursor once a minute more.
  expect(metricsRequests(simulator)).toBeGreaterThan(10 * FLEET.minutes);
  await app.seesNot('Prometheus');
  app.resize(120, 35);
  await app.press('w', 'w', 'w', 'w');
  await app.sees(/1\/7: metrics +30d/);
  await app.press('w');
  await app.sees(/1\/7: metrics +1h/);
});

test('falls back to the service where Prometheus fails, says so once, and returns to it', {
  timeout: 10 * MINUTE,
}, async () => {
  const simulator = await openSmallCloud({rateLimitPerMinute: 'off'});
  const prometheus = await openFakePrometheus((await machineIds(simulator)).map(id => ({id, cpu: () => 0.25})));
  const app = await openApp({simulator, columns: 160, home: homeWithPrometheus(prometheus, simulator)});
  await goToMachines(app);
  await app.sees(/Prometheus \d+s/);
  prometheus.answer(response => response.writeHead(503).end());
  await app.sees('Prometheus: refused (503); metrics are read from the service', {withinMs: 2 * MINUTE});
  await app.sees('Prometheus failing');
  await pass(app, MINUTE);
  expect(metricsRequests(simulator)).toBeGreaterThan(0);
  await app.seesNot('metrics are read from the service');
  prometheus.answer(undefined);
  await app.sees('metrics are read from Prometheus again', {withinMs: 2 * MINUTE});
  const before = metricsRequests(simulator);
  await pass(app, FLEET.minutes * MINUTE);
  expect(metricsRequests(simulator)).toBe(before);
});

test('shows the GPUs that DCGM knows, in the list, in the detail and among the findings', PATIENT, async () => {
  const simulator = await openSmallCloud({rateLimitPerMinute: 'off'});
  const prometheus = await openFakePrometheus();
  prometheus.giveGpus({
    'train-01': {utilization: 93},
    'eval-02': {utilization: 7, xid: 79},
    elsewhere: {utilization: 1},
  });
  const app = await openApp({simulator, columns: 200, rows: 50, home: homeWithPrometheus(prometheus, simulator)});
  await app.sees('GPU hardware error');
  await goToMachines(app);
  await app.sees('GPU 1h');
  await app.becomes('to show their load', () => /93%/.test(rowOf(app, 'train-01') ?? ''));
  expect(rowOf(app, 'eval-02')).toMatch(/ 7%/);
  await app.press('/', 'gpuload>90', 'enter');
  await app.sees(/machines 1 of \d+/);
  expect(shownNames(app)).toEqual(['train-01']);
  await app.sees(/ GPU +93%/);

  await app.press('+', 'v', 'g');
  await app.sees('by environment, GPU utilization');
  await app.sees('tenths of the GPUs in use');
  // 93 % is nine tenths; the filter dims all other machines.
  await app.sees(/9 train-01 /);
});

test('shows a machine over 90 days and a year, and the account by its days', PATIENT, async () => {
  const simulator = await openSmallCloud({rateLimitPerMinute: 'off'});
  const prometheus = await openFakePrometheus();
  const app = await openApp({simulator, columns: 120, rows: 35, home: homeWithPrometheus(prometheus, simulator)});
  await goToMachines(app);
  await app.press('w', 'w', 'w', 'w', 'w');
  await app.sees(/90d +Prometheus +\d+[smh]/);
  // Prometheus gives a quarter all the time; the service knows a higher sample of the last hour.
  await app.sees(/CPU +25% +max [3-9]\d% in 90d/);
  await app.press('w');
  await app.sees(/CPU +25% +max [3-9]\d% in 1y/);
  await app.press('w');
  await app.sees(/1\/7: metrics +1h/);
  await app.press('5', 'tab', 'tab', 'tab');
  await app.sees(/history, Prometheus \d+s 365 /);
  await app.sees(/\d{4}-\d\d-\d\d +55\.00 .* 2 .*Prometheus/);
});

test('shows the month of the service where Prometheus fails, and why; the days by the usage', PATIENT, async () => {
  const simulator = await openSmallCloud({rateLimitPerMinute: 'off'});
  const prometheus = await openFakePrometheus();
  prometheus.answer(response => response.writeHead(503).end());
  const app = await openApp({simulator, columns: 120, rows: 35, home: homeWithPrometheus(prometheus, simulator)});
  await goToMachines(app);
  await app.press('w', 'w', 'w', 'w', 'w');
  await app.sees('the last 30d, by the service: Prometheus: refused (503)');
  await app.sees(/max \d+% in 30d/);
  await app.press('5', 'tab', 'tab', 'tab');
  await app.sees('history, computed from usage: Prometheus: refused (503)');
  await app.sees(/\d{4}-\d\d-\d\d +\d+\.\d\d .* usage/);
});

test('does not start with a token that others can read', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const prometheus = await openFakePrometheus();
  chmodSync(prometheus.tokenFile, 0o644);
  const mistake = /the token file of Prometheus .* can be read by others: run chmod 600/;
  const opening = openApp({simulator, home: homeWithPrometheus(prometheus, simulator)});
  if (deckTier() === 'virtual') await expect(opening).rejects.toThrow(mistake);
  else {
    const app = await opening;
    expect(await app.exited).toMatchObject({exitCode: 2});
    expect(app.screen().join('')).toMatch(mistake);
  }
});
