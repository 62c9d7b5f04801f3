import {describe, expect, it} from 'vitest';
import {gpuFigures, gpusIdleFor, gpuTrend, type MachineField, ofMachines} from '../../src/domain/gpu-load.ts';
import {idleVerdict} from '../../src/domain/money/idle.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics, Series} from '../../src/domain/series.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const ago = (ms: number) => epochMs(NOW - ms);

describe('ofMachines', () => {
  const machines = [
    aVirtualMachine({
      id: 1,
      name: safeText('Train-01'),
      floatingIp: safeText('192.0.2.7'),
      fixedIp: safeText('10.0.0.7'),
    }),
    aVirtualMachine({id: 2, name: safeText('twin')}),
    aVirtualMachine({id: 3, name: safeText('twin')}),
  ];
  it.each<[MachineField, string, readonly number[]]>([
    ['name', 'train-01', [1]],
    ['name', 'TRAIN-01', [1]],
    ['name', 'train-0', []],
    ['name', 'twin', []],
    ['id', '3', [3]],
    ['address', '192.0.2.7:9400', [1]],
    ['address', '10.0.0.7', [1]],
    ['address', '10.0.0.70:9400', []],
  ])('by %s, assigns %s to machines %j', (field, host, ids) => {
    const found = ofMachines(machines, field, new Map([[safeText(host), 'its load']]));
    expect([...found.keys()]).toEqual(ids);
  });
});

describe('gpuFigures', () => {
  it('has the mean utilization, the fullest memory, the total power and the highest temperature', () => {
    const gpu = (index: number, rest: object) => ({index, name: safeText('H100'), isThrottled: false, ...rest});
    const gpus = [
      gpu(0, {utilization: 0.9, memoryUsedMib: 60, memoryTotalMib: 80, powerWatts: 400.4, celsius: 61}),
      gpu(1, {utilization: 0.1, memoryUsedMib: 20, memoryTotalMib: 80, powerWatts: 100.2, celsius: 70}),
      gpu(2, {}),
    ];
    expect(gpuFigures({host: safeText('a'), sampledAt: NOW, gpus, history: {}})).toEqual({
      utilization: 0.5,
      memory: 0.75,
      watts: 501,
      celsius: 70,
    });
  });
});

describe('gpuTrend', () => {
  const history = {utilization: [5, 4, 3].map(minutes => ({sampledAt: ago(minutes * MINUTE_MS), value: minutes / 10}))};
  const span = {now: NOW, windowMs: 10 * MINUTE_MS, binCount: 10};
  it('has the newest sample as its latest value, and a gap where nothing was measured', () => {
    const {latest, bins} = gpuTrend({sampledAt: ago(MINUTE_MS), history}, 'utilization', span);
    expect(latest).toBe(0.3);
    expect(bins).toEqual([undefined, undefined, undefined, undefined, undefined, 0.5, 0.4, 0.3, undefined, undefined]);
  });
  it('has no latest value when the load is older than five minutes', () => {
    const {latest, newest} = gpuTrend({sampledAt: ago(5 * MINUTE_MS + 1), history}, 'utilization', span);
    expect([latest, newest?.value]).toEqual([undefined, 0.3]);
  });
  it('has a latest value when the load is five minutes ahead of our clock, but not six', () => {
    const latestOf = (minutesAhead: number) =>
      gpuTrend({sampledAt: ago(-minutesAhead * MINUTE_MS), history}, 'utilization', span).latest;
    expect([latestOf(5), latestOf(6)]).toEqual([0.3, undefined]);
  });
});

describe('gpusIdleFor', () => {
  const measured = {measuredSince: ago(8 * DAY_MS), measuredRatio: 0.9};
  it.each([
    ['worked within that time is false', {...measured, busyAt: ago(DAY_MS - 1)}, false],
    ['last worked before that time is true', {...measured, busyAt: ago(DAY_MS)}, true],
    ['never worked is true', measured, true],
    ['was measured for less than that time is unknown', {...measured, measuredSince: ago(DAY_MS - 1)}, undefined],
    ['was measured too rarely is unknown', {...measured, measuredRatio: 0.79}, undefined],
  ])('of a machine that %s', (_name, past, expected) => {
    expect(gpusIdleFor(past, {now: NOW, lengthMs: DAY_MS})).toBe(expected);
  });
});

describe('idleVerdict with GPU load from DCGM', () => {
  const FLAVOR = {name: safeText('n3-H100x8'), cpuCount: 8, gpuCount: 8, ramGb: 100};
  const WINDOWS = {now: NOW, idleMs: 7 * DAY_MS, quietMs: DAY_MS};
  /** Ten days without work, with nine tenths of the memory full, as if a service were running. */
  const QUIET: MachineMetrics = {
    cpu: level(0),
    networkOut: level(0),
    diskRead: level(0),
    diskWrite: level(0),
    memory: level(90 * 1024 ** 3),
  };
  const measured = {measuredSince: ago(10 * DAY_MS), measuredRatio: 1};

  it('has high confidence when the GPUs did nothing either', () => {
    expect(idleVerdict(QUIET, FLAVOR, WINDOWS)).toMatchObject({
      verdict: 'idle',
      confidence: 'medium',
      areGpusIdle: false,
    });
    expect(idleVerdict(QUIET, FLAVOR, {...WINDOWS, gpus: measured})).toMatchObject({
      verdict: 'idle',
      confidence: 'high',
      areGpusIdle: true,
    });
  });

  it('is active when a GPU works while its host is quiet', () => {
    const gpus = {...measured, busyAt: ago(HOUR_MS)};
    expect(idleVerdict(QUIET, FLAVOR, {...WINDOWS, gpus})).toEqual({verdict: 'active'});
  });

  it('does not count the GPUs as idle when they were measured for an hour only', () => {
    const gpus = {...measured, measuredSince: ago(HOUR_MS)};
    expect(idleVerdict(QUIET, FLAVOR, {...WINDOWS, gpus})).toMatchObject({verdict: 'idle', areGpusIdle: false});
  });
});

/** A sample every five minutes for ten days. */
function level(value: number): Series {
  const count = (10 * DAY_MS) / (5 * MINUTE_MS);
  return Array.from({length: count + 1}, (_, index) => ({sampledAt: ago((count - index) * 5 * MINUTE_MS), value}));
}
