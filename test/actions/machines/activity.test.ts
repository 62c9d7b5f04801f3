import {describe, expect, it} from 'vitest';
import {isWorking, mayBeWorking, workLines} from '../../../src/actions/machines/activity.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../../src/domain/time.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import {gpuLoadFeed} from '../../../src/state/gpu-load.ts';
import {machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const HOST = safeText('train-02');
const MACHINE = aVirtualMachine({id: 7, name: HOST, flavor: {name: safeText('n3-H100x8'), cpuCount: 8, gpuCount: 8}});

/** Nothing is known of the host itself; its GPUs have this load, sampled this many minutes ago. */
function knownOf(utilization: number, {minutesAgo = 1, machine = MACHINE} = {}) {
  const store = createStore();
  store.writeValue(machinesFeed, aListing([machine]), monotonicMs(0));
  const gpus = [{index: 0, name: safeText('H100'), utilization, isThrottled: false}];
  const load = {host: HOST, sampledAt: epochMs(NOW - minutesAgo * MINUTE_MS), gpus, history: {}};
  store.writeValue(gpuLoadFeed, {field: 'name', byHost: new Map([[HOST, load]])}, monotonicMs(0));
  return {store, now: NOW};
}

function told(known: Parameters<typeof workLines>[0], machine = MACHINE): string {
  return workLines(known, machine)
    .flatMap(line => line.map(({text}) => text))
    .join('');
}

/** A day of samples every five minutes, ending this many minutes ago, with idle processors. */
function quietDay({minutesAgo = 1} = {}): MachineMetrics {
  const samples = Array.from({length: 288}, (_, index) => ({
    sampledAt: epochMs(NOW - minutesAgo * MINUTE_MS - (287 - index) * 5 * MINUTE_MS),
    value: 1000,
  }));
  return {
    cpu: samples,
    memory: samples,
    networkIn: samples,
    networkOut: samples,
    diskRead: samples,
    diskWrite: samples,
  };
}

describe('the work that an action would interrupt, according to the metrics of the host', () => {
  it('is judged by the reading with the newest samples, as a finding is', () => {
    const known = knownOf(0);
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), quietDay(), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('no');
    expect(told(known)).toMatch(/^It is quiet: GPU 0%, cpu 0%/);
  });

  it('is unknown when the samples are ahead of the clock', () => {
    const known = knownOf(0);
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), quietDay({minutesAgo: -6}), monotonicMs(0));
    expect(told(known)).toContain('is unknown: its newest sample is 6m ahead of the clock.');
    expect(mayBeWorking(known, MACHINE)).toBe(true);
    // Another reading with current samples is preferred.
    known.store.writeValue(metricsFeed(MACHINE.id, '15d'), quietDay(), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('no');
  });
});

describe('work by a reading that is not of this moment', () => {
  /** A day of samples an hour apart, the newest this many minutes old, with this many of eight processors busy. */
  function hourly(minutesAgo: number, cores: number, utilization = 0) {
    const known = knownOf(utilization);
    const cpu = Array.from({length: 24}, (_, index) => ({
      sampledAt: epochMs(NOW - minutesAgo * MINUTE_MS - (23 - index) * 60 * MINUTE_MS),
      value: index * cores * 1e9 * 3600,
    }));
    const still = cpu.map(sample => ({...sample, value: 0}));
    const metrics = {cpu, memory: still, networkIn: still, networkOut: still, diskRead: still, diskWrite: still};
    known.store.writeValue(metricsFeed(MACHINE.id, '15d'), metrics, monotonicMs(0));
    return known;
  }

  it('is said with its age, and only a new one is called right now', () => {
    expect(told(hourly(4, 4))).toMatch(/^It is WORKING right now: GPU 0%, cpu 50%/);
    expect(told(hourly(6, 4))).toMatch(/^It is WORKING as of 6m ago: GPU 0%, cpu 50%/);
    expect(told(hourly(50, 4))).toMatch(/^It is WORKING as of 50m ago: /);
    expect(told(hourly(50, 0))).toMatch(/^It is quiet as of 50m ago: /);
    expect(told(hourly(4, 0))).toMatch(/^It is quiet: /);
  });

  it('is right now if a GPU reports it', () => {
    expect(told(hourly(50, 4, 0.97))).toMatch(/^It is WORKING right now: GPU 97%/);
  });
});

it('says that metrics could not be read when nothing is known of the work', () => {
  const known = knownOf(0);
  const failure = {kind: 'timed-out', afterMs: 15_000} as const;
  known.store.writeFailure(metricsFeed(MACHINE.id, '1h'), failure, monotonicMs(0));
  expect(told(known)).toBe('Whether it is working right now is unknown: its metrics could not be read.');
  // A machine that was seen to start is no exception.
  expect(told({...known, activity: {activeSince: () => NOW}})).toContain('could not be read');
});

describe('the work of a machine that was seen to start again', () => {
  const startedAt = epochMs(NOW - 20_000);
  const started = {activeSince: () => startedAt};

  /** Four of eight processors busy, in samples every five minutes up to this moment. */
  function busyUntil(last: number): MachineMetrics {
    const quiet = quietDay({minutesAgo: (NOW - last) / MINUTE_MS});
    const cpu = [...(quiet.cpu ?? [])].map((sample, index) => ({...sample, value: index * 4e9 * 300}));
    return {...quiet, cpu};
  }

  it('is unknown until samples of the new run arrive: those before the stop are no evidence', () => {
    const known = {...knownOf(0), activity: started};
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), busyUntil(NOW - MINUTE_MS), monotonicMs(0));
    expect([isWorking({...known, activity: undefined}, MACHINE), isWorking(known, MACHINE)]).toEqual([
      'yes',
      'unknown',
    ]);
    expect(told(known)).toBe(
      'Whether it is working right now is unknown: no metrics yet since it was seen to start 20s ago.',
    );
    expect(mayBeWorking(known, MACHINE)).toBe(false);
    // One sample of the new run is not enough for a rate, and the last rate is from before the stop.
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), busyUntil(NOW - 10_000), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('unknown');
    expect(told(known)).toContain('is unknown: not enough metrics since it was seen to start 20s ago.');
  });

  it('counts once enough of it was measured', () => {
    const known = {...knownOf(0), activity: {activeSince: () => epochMs(NOW - 11 * MINUTE_MS)}};
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), busyUntil(NOW - MINUTE_MS), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('yes');
    expect(told(known)).toMatch(/^It is WORKING right now: GPU 0%, cpu 50%/);
  });

  it('is not that of its GPUs before the stop', () => {
    expect(isWorking({...knownOf(0.97), activity: started}, MACHINE)).toBe('unknown');
    expect(mayBeWorking({...knownOf(0.97), activity: started}, MACHINE)).toBe(false);
    expect(isWorking({...knownOf(0.97, {minutesAgo: 0}), activity: started}, MACHINE)).toBe('yes');
  });
});

describe('the work that an action would interrupt, with GPU load from DCGM', () => {
  it('exists when a GPU is working, whatever is known of its host', () => {
    expect(isWorking(knownOf(0.97), MACHINE)).toBe('yes');
    expect(told(knownOf(0.97))).toBe('It is WORKING right now: GPU 97%.');
  });

  it('is unknown when the GPUs are idle, or their load is old or ahead of the clock', () => {
    expect(isWorking(knownOf(0), MACHINE)).toBe('unknown');
    expect(told(knownOf(0.97, {minutesAgo: 6}))).toContain('is unknown: no metrics yet');
    expect(told(knownOf(0.97, {minutesAgo: -6}))).toContain('is unknown: no metrics yet');
  });

  it('is none on a machine that is not running', () => {
    const machine = aVirtualMachine({...MACHINE, status: 'SHUTOFF'});
    expect(isWorking(knownOf(0.97, {machine}), machine)).toBe('no');
  });
});
