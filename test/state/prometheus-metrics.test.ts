import {describe, expect, it} from 'vitest';
import {askPrometheus, type readExportedMachines} from '../../src/api/prometheus.ts';
import type {ExportedSample} from '../../src/domain/exported-metrics.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {PrometheusMetrics} from '../../src/state/prometheus-metrics.ts';
import {createStore} from '../../src/state/store.ts';
import {createVirtualClock} from '../support/clock.ts';
import {aListing, aVirtualMachine} from './a-machine.ts';

const MINUTE = 60_000;
const [ONE, TWO] = [virtualMachineId(1), virtualMachineId(2)];

type Answer = Awaited<ReturnType<typeof readExportedMachines>>;

/** Prometheus holds, for each machine, samples taken this many minutes ago. */
function openMetrics({hasList = true}: {hasList?: boolean} = {}) {
  const time = createVirtualClock();
  const store = createStore();
  const asked: {readonly sinceMinutesAgo: number}[] = [];
  let answer: (now: number) => Answer = now => ({ok: true, value: samples(now, {1: [10, 5, 0], 2: [10, 5, 0]})});
  const metrics = new PrometheusMetrics({
    connection: {
      url: 'http://127.0.0.1:1',
      token: secret('CANARY-of-prometheus'),
      clock: time.clock,
      ask: askPrometheus,
    },
    store,
    read: async (_connection, {since, until}) => {
      asked.push({sinceMinutesAgo: (until - since) / MINUTE});
      return answer(until);
    },
  });
  const list = () => store.writeValue(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id}))), monotonicMs(0));
  if (hasList) list();
  return {
    metrics,
    asked,
    list,
    give: (minutesAgo: Readonly<Record<number, readonly number[]>>) => {
      answer = now => ({ok: true, value: samples(now, minutesAgo)});
    },
    fail: () => {
      answer = () => ({ok: false, reason: safeText('refused (503)')});
    },
    pass: async (durationMs: number) => {
      await time.advance(durationMs);
      metrics.refresh();
      await time.advance(0);
    },
    isGiven: (id: typeof ONE) => metrics.isGiven(metricsFeed(id, '1h')),
    metricsOf: (id: typeof ONE) => lastValue(store.get(metricsFeed(id, '1h'))),
  };
}

function samples(now: number, minutesAgo: Readonly<Record<number, readonly number[]>>) {
  return new Map(
    Object.entries(minutesAgo).map(([id, ages]): [typeof ONE, readonly ExportedSample[]] => [
      virtualMachineId(Number(id)),
      ages.map(age => ({sampledAt: epochMs(now - age * MINUTE), networkIn: 10})),
    ]),
  );
}

describe('PrometheusMetrics', () => {
  it('leaves a machine with a single sample in Prometheus to the service, since it has no rate', async () => {
    const {give, pass, isGiven} = openMetrics();
    // Each scrape computes the time of the same sample again, a few milliseconds apart.
    give({1: [0.0002, 0.0001, 0], 2: [5, 0]});
    await pass(0);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([false, true]);
    await pass(5 * MINUTE);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, true]);
  });

  it('asks once a minute, first for an hour and then for what is new', async () => {
    const {asked, pass} = openMetrics();
    for (let second = 0; second < 180; second += 1) await pass(1000);
    expect(asked.map(({sinceMinutesAgo}) => sinceMinutesAgo)).toEqual([60, 6, 6]);
  });

  it('writes its samples into the feeds of the rows, and does not serve other windows or feeds', async () => {
    const {metrics, pass, isGiven, metricsOf} = openMetrics();
    await pass(0);
    expect([...(metricsOf(ONE)?.networkIn ?? [])].map(({value}) => value)).toEqual([0, 3000, 6000]);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, true]);
    expect(metrics.isGiven(metricsFeed(ONE, '1d'))).toBe(false);
    expect(metrics.isGiven(machinesFeed)).toBe(false);
    expect(metrics.takeNews()).toBe(undefined);
  });

  it('holds the rows back until its first answer, and that answer until there is a list', async () => {
    const {metrics, pass, list, isGiven, metricsOf} = openMetrics({hasList: false});
    metrics.refresh();
    expect(isGiven(ONE)).toBe(true);
    await pass(1000);
    expect(metricsOf(ONE)).toBe(undefined);
    list();
    metrics.refresh();
    expect(isGiven(ONE)).toBe(true);
    expect(metricsOf(ONE)?.networkIn).toHaveLength(3);
  });

  it('leaves machines with too few samples to the service, and says so once', async () => {
    const {metrics, pass, give, isGiven} = openMetrics();
    give({1: [5, 0]});
    await pass(0);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, false]);
    expect(metrics.takeNews()).toBe(
      'running machines with too few samples in Prometheus: 1; those are read from the service',
    );
    await pass(MINUTE);
    expect(metrics.takeNews()).toBe(undefined);
  });

  it('serves a machine that the exporter visits rarely, but not one whose samples have ended', async () => {
    const {pass, give, isGiven} = openMetrics();
    give({1: [5, 0], 2: [24, 19]});
    await pass(0);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, true]);
    give({1: [0], 2: [20]});
    await pass(MINUTE);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, true]);
    give({1: [0], 2: [21]});
    await pass(MINUTE);
    expect([isGiven(ONE), isGiven(TWO)]).toEqual([true, false]);
  });

  it('is unavailable while its newest sample is older than ten minutes, says so once, and returns', async () => {
    const {metrics, pass, give, isGiven} = openMetrics();
    give({1: [11], 2: [15]});
    await pass(0);
    expect(isGiven(ONE)).toBe(false);
    expect(metrics.takeNews()).toBe('Prometheus: its newest sample is 11m old; metrics are read from the service');
    await pass(MINUTE);
    expect(metrics.takeNews()).toBe(undefined);
    give({1: [0], 2: [0]});
    await pass(MINUTE);
    expect(isGiven(ONE)).toBe(true);
    expect(metrics.takeNews()).toBe('metrics are read from Prometheus again');
  });

  it('is unavailable from a failure until it answers again', async () => {
    const {metrics, pass, fail, give, isGiven} = openMetrics();
    await pass(0);
    fail();
    await pass(MINUTE);
    expect(metrics.takeNews()).toBe('Prometheus: refused (503); metrics are read from the service');
    await pass(30_000);
    expect(isGiven(ONE)).toBe(false);
    give({1: [0], 2: [0]});
    await pass(30_000);
    expect(isGiven(ONE)).toBe(true);
  });

  it('is unavailable when it has no metrics of machines', async () => {
    const {metrics, pass, give, isGiven} = openMetrics();
    give({});
    await pass(0);
    expect(isGiven(ONE)).toBe(false);
    expect(metrics.takeNews()).toBe('Prometheus: it has no metrics of machines; metrics are read from the service');
  });
});
