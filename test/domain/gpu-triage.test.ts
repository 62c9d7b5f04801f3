import {describe, expect, it} from 'vitest';
import type {GpuLoad, GpuActivity, GpuState} from '../../src/domain/gpu-load.ts';
import {ratePerHour, rational} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../src/domain/series.ts';
import {DAY_MS, epochMs, MINUTE_MS} from '../../src/domain/time.ts';
import {type RuleFinding, type KnownAccount, unreadAccount} from '../../src/domain/triage/finding.ts';
import {gpuError, gpuIdle, gpuMemoryFull, gpuThrottled} from '../../src/domain/triage/gpus.ts';
import {triage} from '../../src/domain/triage/triage.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const ago = (ms: number) => epochMs(NOW - ms);
const RATE = ratePerHour(rational(25n, 1n));

type Known = {
  readonly gpus?: readonly Partial<GpuState>[];
  readonly activity?: GpuActivity;
  readonly memory?: readonly (readonly [minutesAgo: number, ratio: number])[];
  readonly sampledAt?: GpuLoad['sampledAt'];
  readonly rest?: Partial<KnownAccount>;
};

function account({gpus = [{}], activity, memory = [], sampledAt = NOW, rest = {}}: Known): KnownAccount {
  const load: GpuLoad = {
    host: safeText('train-01'),
    sampledAt,
    gpus: gpus.map((gpu, index) => ({index, name: safeText('H100'), isThrottled: false, ...gpu})),
    history: {memory: memory.map(([minutesAgo, value]) => ({sampledAt: ago(minutesAgo * MINUTE_MS), value}))},
  };
  return {
    ...unreadAccount(NOW, DEFAULT_PREFERENCES),
    machines: [aVirtualMachine({id: 7, name: safeText('train-01')})],
    rates: new Map([[7, RATE]]),
    gpusOf: () => ({load, activity}),
    ...rest,
  };
}

/** A day of samples, with `cpuSeconds` of CPU time in each minute. */
function aDay(cpuSeconds: number): MachineMetrics {
  const counter = (perMinute: number) =>
    Array.from({length: 24 * 60 + 1}, (_, minute) => ({
      sampledAt: ago(DAY_MS - minute * MINUTE_MS),
      value: minute * perMinute,
    }));
  return {cpu: counter(cpuSeconds * 1e9), networkOut: counter(0)};
}

function told(findings: readonly RuleFinding[]): readonly string[] {
  return findings.map(({severity, summary, evidence}) => `${severity}: ${summary}: ${evidence[0]}`);
}

describe('gpu-idle', () => {
  const IDLE: GpuActivity = {measuredSince: ago(9 * DAY_MS), measuredRatio: 1, busyAt: ago(3 * DAY_MS)};

  it('reports GPUs that are billed and did nothing for more than a day', () => {
    const {findings} = gpuIdle.judge(account({gpus: [{}, {}], activity: IDLE}));
    expect(told(findings)).toEqual([
      'warning: GPUs idle and billed: none of its 2 GPUs has worked for 3 days, according to DCGM',
    ]);
    expect(findings[0]).toMatchObject({since: IDLE.busyAt, rate: RATE, fixes: [{kind: 'vm.hibernate', id: 7}]});
  });

  it.each<[string, number | undefined, readonly string[]]>([
    ['busy', 60, ['its CPU, disks or network are busy']],
    ['nearly idle', 0, ['its CPU, disks and network are nearly idle']],
    ['not known', undefined, []],
  ])('adds as evidence whether the rest of the machine is busy: %s', (_name, cpuSeconds, expected) => {
    const flavor = {name: safeText('n3-H100x1'), cpuCount: 28, ramGb: 180, diskGb: 100, gpuCount: 1};
    const machines = [aVirtualMachine({id: 7, flavor})];
    const metrics = cpuSeconds === undefined ? undefined : aDay(cpuSeconds);
    const {findings} = gpuIdle.judge(account({activity: IDLE, rest: {machines, metricsOf: () => metrics}}));
    expect(findings[0]?.evidence.slice(1)).toEqual(expected);
  });

  it.each<[string, Known]>([
    ['worked within the day', {activity: {...IDLE, busyAt: ago(DAY_MS - 1)}}],
    ['is measured for less than a day', {activity: {measuredSince: ago(DAY_MS - 1), measuredRatio: 1}}],
    ['costs nothing', {activity: IDLE, rest: {rates: new Map()}}],
    ['has no GPU history yet', {}],
    ['is stopped', {activity: IDLE, rest: {machines: [aVirtualMachine({id: 7, status: 'SHUTOFF'})]}}],
    ['is not measured any more', {activity: IDLE, sampledAt: ago(6 * MINUTE_MS)}],
  ])('reports nothing for a machine that %s', (_name, known) => {
    expect(gpuIdle.judge(account(known)).findings).toEqual([]);
  });

  it('is muted when the machine is kept on purpose, like other waste', () => {
    const keep = [{resourceType: 'vm' as const, resourceId: 7, until: epochMs(NOW + DAY_MS)}];
    const {findings, muted} = triage(account({activity: IDLE, rest: {preferences: {...DEFAULT_PREFERENCES, keep}}}), [
      gpuIdle,
    ]);
    expect([findings.length, muted.length]).toEqual([0, 1]);
  });
});

describe('gpu-error', () => {
  it.each([
    [79, 'critical: GPU hardware error: the last error of GPU 1 is XID 79: GPU has fallen off the bus'],
    [31, 'notice: GPU error: the last error of GPU 1 is XID 31: usually caused by a program'],
    [1, 'warning: GPU error: the last error of GPU 1 is XID 1'],
  ])('reports XID %i with its severity and meaning', (xid, expected) => {
    expect(told(gpuError.judge(account({gpus: [{}, {xid}]})).findings)).toEqual([expected]);
  });

  it('reports nothing for GPUs without an error', () => {
    expect(gpuError.judge(account({gpus: [{}, {xid: 0}]})).findings).toEqual([]);
  });
});

describe('gpu-throttled', () => {
  it('names the GPUs that are slowed', () => {
    const gpus = [{isThrottled: true, celsius: 88}, {}, {isThrottled: true, celsius: 91}];
    expect(told(gpuThrottled.judge(account({gpus})).findings)).toEqual([
      'warning: GPU slowed by heat or power: the clock of GPU 0, 2 has been lowered for at least five minutes, at 91 °C',
    ]);
  });

  it('reports nothing for a hot GPU that is not slowed', () => {
    expect(gpuThrottled.judge(account({gpus: [{celsius: 91}]})).findings).toEqual([]);
  });
});

describe('gpu-memory-full', () => {
  it('reports memory that is full for ten minutes', () => {
    const memory = [
      [12, 0.97],
      [10, 0.98],
      [5, 1],
      [0, 0.99],
    ] as const;
    expect(told(gpuMemoryFull.judge(account({memory})).findings)).toEqual([
      'notice: GPU memory nearly full: the fullest of its GPUs is at 99%, above 98% for 10 min',
    ]);
  });

  it.each([
    [
      'full for less than ten minutes',
      [
        [10, 0.97],
        [9, 0.98],
        [0, 0.99],
      ],
    ],
    [
      'full until five minutes ago',
      [
        [20, 0.99],
        [5, 0.99],
        [0, 0.97],
      ],
    ],
  ] as const)('reports nothing for memory that was %s', (_name, memory) => {
    expect(gpuMemoryFull.judge(account({memory})).findings).toEqual([]);
  });
});

describe('without DCGM', () => {
  it('there is no finding and no reason why not', () => {
    const rest = {gpusOf: () => undefined};
    expect(gpuError.judge(account({gpus: [{xid: 79}], rest}))).toEqual({findings: []});
  });

  it('the reason is given when reading the load failed', () => {
    const rest = {gpusOf: () => undefined, gpuFailure: safeText('Prometheus: refused (503)')};
    expect(gpuError.judge(account({rest})).cannotJudge).toBe('GPU load was not read: Prometheus: refused (503)');
  });
});

describe('what DCGM measured before the last start of a machine', () => {
  const startedAgo = (ms: number) => ({activeSince: () => ago(ms)});
  const IDLE: GpuActivity = {measuredSince: ago(9 * DAY_MS), measuredRatio: 1, busyAt: ago(3 * DAY_MS)};

  it('makes no finding, and the machine counts as not judged', () => {
    const known = {gpus: [{xid: 79}], sampledAt: ago(3 * MINUTE_MS)};
    expect(gpuError.judge(account({...known, rest: startedAgo(4 * MINUTE_MS)})).findings).toHaveLength(1);
    expect(gpuError.judge(account({...known, rest: startedAgo(2 * MINUTE_MS)}))).toEqual({
      findings: [],
      cannotJudge: ['the GPU load of train-01 is from before its last start'],
    });
  });

  it('does not count into the time its GPUs were idle', () => {
    const idleSince = (startedAgoMs: number) =>
      gpuIdle.judge(account({activity: IDLE, rest: startedAgo(startedAgoMs)})).findings.map(({since}) => since);
    expect(idleSince(DAY_MS - 1)).toEqual([]);
    expect(idleSince(2 * DAY_MS)).toEqual([ago(2 * DAY_MS)]);
    expect(idleSince(4 * DAY_MS)).toEqual([IDLE.busyAt]);
  });

  it('does not count into the time its memory was full', () => {
    const memory = Array.from({length: 41}, (_, index) => [40 - index, 0.99] as const);
    const fullSince = (startedAgoMs: number) =>
      gpuMemoryFull.judge(account({memory, rest: startedAgo(startedAgoMs)})).findings.map(({since}) => since);
    expect(fullSince(9 * MINUTE_MS)).toEqual([]);
    expect(fullSince(20 * MINUTE_MS)).toEqual([ago(20 * MINUTE_MS)]);
  });
});
