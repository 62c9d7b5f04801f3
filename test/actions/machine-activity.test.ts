import {describe, expect, it} from 'vitest';
import {isWorking, mayBeWorking, workLines} from '../../src/actions/machine-activity.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import type {MachineMetrics} from '../../src/domain/series.ts';
import {gpuLoadFeed} from '../../src/state/gpu-load.ts';
import {machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const HOST = safeText('train-02');
const MACHINE = aVirtualMachine({id: 7, name: HOST, flavor: {name: safeText('n3-H100x8'), cpuCount: 8, gpuCount: 8}});

/** Nothing is known of the host; its GPUs work like this, as of some minutes ago. */
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

/** A day in steps of five minutes, to some minutes ago: its processors stand still. */
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

describe('what would be cut off, by what was read of the host', () => {
  it('is known from whichever reading knows the newest, as a finding is', () => {
    const known = knownOf(0);
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), quietDay(), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('no');
    expect(told(known)).toMatch(/^It is quiet: GPU 0%, cpu 0%/);
  });

  it('is unknown from samples that are ahead of the clock', () => {
    const known = knownOf(0);
    known.store.writeValue(metricsFeed(MACHINE.id, '1d'), quietDay({minutesAgo: -6}), monotonicMs(0));
    expect(told(known)).toContain('is unknown: its newest sample is 6m ahead of the clock.');
    expect(mayBeWorking(known, MACHINE)).toBe(true);
    // Another reading that tells the present is taken before it.
    known.store.writeValue(metricsFeed(MACHINE.id, '15d'), quietDay(), monotonicMs(0));
    expect(isWorking(known, MACHINE)).toBe('no');
  });
});

describe('what would be cut off, where DCGM tells of the GPUs', () => {
  it('is work where a GPU works, whatever is known of its host', () => {
    expect(isWorking(knownOf(0.97), MACHINE)).toBe('yes');
    expect(told(knownOf(0.97))).toBe('It is WORKING right now: GPU 97%.');
  });

  it('is not known from GPUs that do nothing, nor from an old load', () => {
    expect(isWorking(knownOf(0), MACHINE)).toBe('unknown');
    expect(told(knownOf(0.97, {minutesAgo: 6}))).toContain('is unknown: no metrics yet');
    expect(told(knownOf(0.97, {minutesAgo: -6}))).toContain('is unknown: no metrics yet');
  });

  it('is nothing of a machine that does not run', () => {
    const machine = aVirtualMachine({...MACHINE, status: 'SHUTOFF'});
    expect(isWorking(knownOf(0.97, {machine}), machine)).toBe('no');
  });
});
