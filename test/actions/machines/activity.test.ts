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

function told(known: ReturnType<typeof knownOf>, machine = MACHINE): string {
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
