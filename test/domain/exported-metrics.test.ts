import {describe, expect, it} from 'vitest';
import {type ExportedSample, withExported} from '../../src/domain/exported-metrics.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {counterRates} from '../../src/domain/series.ts';
import {epochMs} from '../../src/domain/time.ts';
import {machineActivity} from '../../src/domain/utilization.ts';

const START = Date.UTC(2026, 10, 20, 12);
const at = (minute: number) => epochMs(START + minute * 60_000);
const flavor = {name: safeText('n1-A100x1'), cpuCount: 4, ramGb: 10};
const since = at(-60);

function sample(minute: number, measured: Omit<ExportedSample, 'sampledAt'> = {}): ExportedSample {
  return {sampledAt: at(minute), ...measured};
}

describe('withExported', () => {
  it('turns a share of all vCPUs into the CPU time used', () => {
    const {cpu} = withExported({}, [sample(0, {cpu: 0.9}), sample(5, {cpu: 0.5})], {flavor, since});
    // Half of 4 vCPUs for 300 s are 600 s; what was before the first sample is not known.
    expect(cpu).toEqual([
      {sampledAt: at(0), value: 0},
      {sampledAt: at(5), value: 600e9},
    ]);
  });

  it('turns a share of memory into bytes, and network and disk rates into totals', () => {
    const samples = [0, 5].map(minute => sample(minute, {memory: 0.25, networkOut: 100, diskRead: 7}));
    expect(withExported({}, samples, {flavor, since})).toEqual({
      memory: [0, 5].map(minute => ({sampledAt: at(minute), value: 2.5 * 1024 ** 3})),
      networkOut: [0, 5].map(minute => ({sampledAt: at(minute), value: minute * 60 * 100})),
      diskRead: [0, 5].map(minute => ({sampledAt: at(minute), value: minute * 60 * 7})),
    });
  });

  it('leaves out CPU and memory when the flavor is unknown', () => {
    const samples = [sample(0, {cpu: 0.5, memory: 0.5, networkIn: 1})];
    expect(withExported({}, samples, {flavor: undefined, since})).toEqual({
      networkIn: [{sampledAt: at(0), value: 0}],
    });
  });

  it('continues where the last reading ended, and skips known samples', () => {
    const all = [0, 5, 10, 15].map(minute => sample(minute, {cpu: minute / 100, networkOut: 10}));
    const first = withExported({}, all.slice(0, 3), {flavor, since});
    expect(withExported(first, all.slice(1), {flavor, since})).toEqual(withExported({}, all, {flavor, since}));
    expect(withExported(first, all.slice(0, 3), {flavor, since})).toBe(first);
  });

  it('counts two scrapes of one sample, 0.9 s apart, once', () => {
    const first = withExported({}, [sample(0, {cpu: 0.5})], {flavor, since});
    const again = {sampledAt: epochMs(at(0) + 900), cpu: 0.5};
    expect(withExported(first, [again], {flavor, since})).toBe(first);
  });

  it('keeps a gap where nothing was exported', () => {
    const minutes = [0, 5, 10, 15, 40, 45, 50];
    const {networkIn = []} = withExported(
      {},
      minutes.map(minute => sample(minute, {networkIn: 10})),
      {flavor, since},
    );
    const rates = [...counterRates(networkIn)];
    expect(rates.map(({endedAt}) => endedAt)).toEqual([5, 10, 15, 45, 50].map(at));
    expect(new Set(rates.map(({perSecond}) => perSecond))).toEqual(new Set([10]));
  });

  it('drops samples older than the period shown', () => {
    const {cpu} = withExported({}, [sample(0, {cpu: 0.5}), sample(5, {cpu: 0.5})], {flavor, since: at(5)});
    expect(cpu).toEqual([{sampledAt: at(5), value: 600e9}]);
  });

  it('leads machineActivity to the figures that were exported', () => {
    const minutes = Array.from({length: 13}, (_, index) => index * 5 - 60);
    const samples = minutes.map(minute => sample(minute, {cpu: minute === 0 ? 0.75 : 0.25, memory: 0.5}));
    const metrics = withExported({}, samples, {flavor, since});
    const {cpu, memory} = machineActivity(metrics, flavor, {now: at(0), windowMs: 3_600_000, binCount: 4});
    expect(cpu.latest).toBeCloseTo(0.75);
    expect(memory.latest).toBeCloseTo(0.5);
    // The last quarter has two steps of 25 % and one of 75 %.
    [0.25, 0.25, 0.25, 1.25 / 3].forEach((expected, index) => {
      expect(cpu.bins[index]).toBeCloseTo(expected);
    });
  });
});
