import {describe, expect, test} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics, Series} from '../../src/domain/series.ts';
import {epochMs, HOUR_MS, SECOND_MS} from '../../src/domain/time.ts';
import {
  activityLimits,
  cpuUtilization,
  machineActivity,
  memoryUtilization,
  sampleAge,
} from '../../src/domain/utilization.ts';
import type {MachineFlavor} from '../../src/domain/virtual-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 21, 0, 0));
const GPU: MachineFlavor = {
  name: safeText('n3-H100x8'),
  cpuCount: 252,
  ramGb: 1440,
  gpuModel: safeText('H100'),
  gpuCount: 8,
};
const CPU_ONLY: MachineFlavor = {name: safeText('n1-cpu-large'), cpuCount: 16, ramGb: 16, gpuCount: 0};
const WINDOW = {now: NOW, windowMs: HOUR_MS, binCount: 12};
const INTERVAL_S = 300;
const GIB = 1024 ** 3;

describe('cpuUtilization', () => {
  test('divides the time used by the time all vCPUs had', () => {
    // 300 s × 4 vCPUs are 1200 s of CPU; 300 s of it were used, then 1200.
    const cpu = counter([300e9, 1200e9]);
    expect(cpuUtilization({cpu}, 4).map(sample => sample.ratio)).toEqual([0.25, 1]);
  });

  test("reads the provider's own sample as 0.0275 cores of one", () => {
    const cpu = [
      {sampledAt: epochMs(Date.parse('2023-09-01T01:19:00Z')), value: 1_041_433_070_000_000},
      {sampledAt: epochMs(Date.parse('2023-09-01T01:24:00Z')), value: 1_041_441_320_000_000},
    ];
    expect(cpuUtilization({cpu}, 1)[0]?.ratio).toBeCloseTo(0.0275, 12);
  });

  test('accepts up to 105 % and drops higher values as measuring errors', () => {
    const second = 300e9;
    const ratios = cpuUtilization({cpu: counter([second, 1.05 * second, 1.06 * second, second / 2])}, 1);
    expect(ratios.map(sample => sample.ratio)).toEqual([1, 1.05, 0.5]);
  });

  test('reads the series as a counter when amounts per interval would exceed what the machine can do', () => {
    // Too many resets for the counter test; yet 3000 s of CPU in 300 s are not possible on 1 vCPU.
    const cpu = series([3000e9, 3060e9, 10e9, 3000e9, 3060e9, 10e9, 3000e9, 3060e9, 10e9]);
    expect(cpuUtilization({cpu}, 1).map(sample => sample.ratio)).toEqual([0.2, 0.2, 0.2]);
  });

  test('is computed again when the machine is resized, and so is memory utilization', () => {
    const metrics: MachineMetrics = {cpu: counter([300e9, 1200e9]), memory: series([GIB])};
    const cpuOf = (flavor: MachineFlavor) => machineActivity(metrics, flavor, WINDOW).cpu.latest;
    // 1200 s of CPU in 300 s are all of 4 vCPUs and a quarter of 16; an equal flavor read again changes nothing.
    expect(cpuOf({...CPU_ONLY, cpuCount: 4})).toBe(1);
    expect(cpuOf(CPU_ONLY)).toBe(0.25);
    expect(cpuOf({...CPU_ONLY})).toBe(0.25);
    expect(memoryUtilization(metrics, 16).at(0)?.value).toBe(1 / 16);
    expect(memoryUtilization(metrics, 4).at(0)?.value).toBe(1 / 4);
  });

  test('is empty without vCPUs, without a series and with a single sample', () => {
    expect(cpuUtilization({cpu: counter([1e9])}, undefined)).toEqual([]);
    expect(cpuUtilization({cpu: counter([1e9])}, 0)).toEqual([]);
    expect(cpuUtilization({}, 4)).toEqual([]);
    expect(cpuUtilization({cpu: series([5e9])}, 4)).toEqual([]);
  });
});

describe('memoryUtilization', () => {
  test('accepts up to 105 % and drops higher values as measuring errors', () => {
    const memory = series([0.5 * GIB, 1.05 * GIB, 1.06 * GIB, 1e300]);
    expect([...memoryUtilization({memory}, 1)].map(sample => sample.value)).toEqual([0.5, 1.05]);
  });

  test('counts the RAM of a flavor in GB of 1024³ bytes, and is empty without RAM or a series', () => {
    const memory = series([0, 8 * GIB, 16 * GIB]);
    expect(Array.from(memoryUtilization({memory}, 16), sample => sample.value)).toEqual([0, 0.5, 1]);
    expect(memoryUtilization({memory}, undefined)).toEqual([]);
    expect(memoryUtilization({}, 16)).toEqual([]);
  });
});

describe('activityLimits', () => {
  test.each([
    ['0.4 cores per GPU', GPU, 3.2, 200_000],
    ['0.25 cores per 16 vCPUs', {...CPU_ONLY, cpuCount: 32}, 0.5, 5_000],
    ['at least 0.25 cores', {...CPU_ONLY, cpuCount: 4}, 0.25, 5_000],
    ['0.4 cores for a GPU model of unknown count', {name: safeText('x'), gpuModel: safeText('L40')}, 0.4, 200_000],
  ])('are %s', (_, flavor, cores, networkOutBytesPerSecond) => {
    expect(activityLimits(flavor)).toEqual({
      cores,
      networkOutBytesPerSecond,
      diskReadBytesPerSecond: 2_000_000,
      diskWriteBytesPerSecond: 10_000_000,
    });
  });

  test('are unknown without a flavor or its vCPUs', () => {
    expect(activityLimits(undefined)).toBeUndefined();
    expect(activityLimits({name: safeText('x')})).toBeUndefined();
  });
});

describe('machineActivity', () => {
  test('gives the latest value of each series, with its peak and bins', () => {
    const activity = machineActivity(
      {
        cpu: counter(repeat(12, 126 * 300e9)),
        memory: series(repeat(13, 720 * GIB)),
        networkIn: counter(repeat(12, 300 * 5_000)),
        networkOut: counter(repeat(12, 300 * 7_000)),
        diskRead: counter(repeat(12, 300 * 11_000)),
        diskWrite: counter(repeat(12, 300 * 13_000)),
      },
      GPU,
      WINDOW,
    );
    const held = (value: number) => ({
      latest: value,
      newest: {value, sampledAt: NOW},
      peak: value,
      bins: repeat(12, value),
    });
    expect(activity.cpu).toEqual(held(0.5));
    expect(activity.memory).toEqual(held(0.5));
    expect(activity.networkIn).toEqual(held(5_000));
    expect(activity.networkOut.latest).toBe(7_000);
    expect(activity.diskRead.latest).toBe(11_000);
    expect(activity.diskWrite.latest).toBe(13_000);
    expect(activity.isWorking).toBe('yes');
  });

  test('leaves everything unknown for a machine without samples', () => {
    const activity = machineActivity({cpu: [], networkIn: []}, GPU, {...WINDOW, binCount: 2});
    const unknown = {latest: undefined, bins: [undefined, undefined]};
    expect(activity).toEqual({
      cpu: unknown,
      memory: unknown,
      networkIn: unknown,
      networkOut: unknown,
      diskRead: unknown,
      diskWrite: unknown,
      isWorking: 'unknown',
      quietSince: undefined,
    });
  });

  test.each([
    [16 * 60, 0.5],
    [16 * 60 + 1, undefined],
  ])('gives as the latest value, when it is %d s old and sampled every 300 s: %s', (agoSeconds, expected) => {
    const cpu = counter(repeat(4, 126 * 300e9), {endsSecondsAgo: agoSeconds});
    const memory = series(repeat(5, 720 * GIB), {endsSecondsAgo: agoSeconds});
    const activity = machineActivity({cpu, memory}, GPU, WINDOW);
    expect(activity.cpu.latest).toBe(expected);
    expect(activity.memory.latest).toBe(expected);
    const newest = {value: 0.5, sampledAt: NOW - agoSeconds * SECOND_MS};
    expect([activity.cpu.newest, activity.memory.newest]).toEqual([newest, newest]);
    expect(activity.isWorking).toBe(expected === undefined ? 'unknown' : 'yes');
  });

  test.each([
    ['cpu above 0.4 cores per GPU', {cpu: counter(repeat(6, 3.3 * 300e9))}, 'yes'],
    ['cpu at 0.4 cores per GPU', {cpu: counter(repeat(6, 3.2 * 300e9))}, 'no'],
    ['traffic out above 200 kB/s', {networkOut: counter(repeat(6, 300 * 200_001))}, 'yes'],
    ['disk reads above 2 MB/s', {diskRead: counter(repeat(6, 300 * 2_000_001))}, 'yes'],
    ['disk writes above 10 MB/s', {diskWrite: counter(repeat(6, 300 * 10_000_001))}, 'yes'],
    ['disk writes of 3 MB/s', {diskWrite: counter(repeat(6, 300 * 3_000_000))}, 'no'],
    ['traffic in alone', {networkIn: counter(repeat(6, 300 * 1e9))}, 'no'],
    ['no disk series', {diskRead: [], diskWrite: []}, 'no'],
    ['no CPU series', {cpu: []}, 'unknown'],
    ['no traffic series', {networkOut: []}, 'unknown'],
    ['old CPU samples', {cpu: counter(repeat(6, 0), {endsSecondsAgo: 3_600})}, 'unknown'],
    ['samples 5 minutes ahead of our clock', {cpu: counter(repeat(6, 0), {endsSecondsAgo: -300})}, 'no'],
    ['samples more than 5 minutes ahead of our clock', {cpu: counter(repeat(6, 0), {endsSecondsAgo: -301})}, 'unknown'],
  ])('judges whether an otherwise quiet machine with %s is working', (_, metrics: MachineMetrics, expected) => {
    expect(machineActivity({...quiet(6), ...metrics}, GPU, WINDOW).isWorking).toBe(expected);
  });

  test('takes no peak from samples too far ahead of our clock', () => {
    const peaksOf = (endsSecondsAgo: number) => {
      const still = {cpu: counter([0, 0], {endsSecondsAgo: 600}), memory: series([GIB], {endsSecondsAgo: 600})};
      const late = {cpu: counter([1200e9], {endsSecondsAgo}), memory: series([8 * GIB], {endsSecondsAgo})};
      const metrics = {cpu: [...still.cpu, ...late.cpu], memory: [...still.memory, ...late.memory]};
      const {cpu, memory} = machineActivity(metrics, CPU_ONLY, WINDOW);
      return [cpu.peak !== 0, memory.peak];
    };
    // The sample that is a little ahead is 8 of 16 GB, the one before it 1 of 16 GB.
    expect(peaksOf(-300)).toEqual([true, 0.5]);
    expect(peaksOf(-1e9)).toEqual([false, 1 / 16]);
  });

  test('cannot judge a machine of unknown flavor', () => {
    expect(machineActivity(quiet(6), undefined, WINDOW).isWorking).toBe('unknown');
  });

  test('gives the moment since when all series of a machine are quiet', () => {
    const busyThenQuiet = [...repeat(3, 100 * 300e9), ...repeat(9, 300e9)];
    const sentUntilLater = [...repeat(6, 300 * 1e6), ...repeat(6, 0)];
    const byCpu = machineActivity({...quiet(12), cpu: counter(busyThenQuiet)}, GPU, WINDOW);
    expect(secondsAgo(byCpu.quietSince)).toBe(9 * INTERVAL_S);
    const byBoth = machineActivity(
      {...quiet(12), cpu: counter(busyThenQuiet), networkOut: counter(sentUntilLater)},
      GPU,
      WINDOW,
    );
    expect(secondsAgo(byBoth.quietSince)).toBe(6 * INTERVAL_S);
  });

  test('counts quiet time from the first sample when nothing was active, even from before the window', () => {
    expect(secondsAgo(machineActivity(quiet(40), GPU, WINDOW).quietSince)).toBe(40 * INTERVAL_S);
  });

  test('counts quiet time across a gap of half an hour, but not across a longer one', () => {
    const withHole = (holeSeconds: number) => {
      const recent = counter(repeat(6, 0));
      const early = counter(repeat(6, 0), {endsSecondsAgo: 6 * INTERVAL_S + holeSeconds});
      return [...early, ...recent];
    };
    const short = {...quiet(30), cpu: withHole(1800)};
    expect(secondsAgo(machineActivity(short, GPU, WINDOW).quietSince)).toBe(12 * INTERVAL_S + 1800);
    const long = {...quiet(30), cpu: withHole(1801)};
    expect(secondsAgo(machineActivity(long, GPU, WINDOW).quietSince)).toBe(6 * INTERVAL_S);
  });

  test('ignores five seconds of work, but restarts the quiet time after half a minute of it', () => {
    const idleStep = 0.1 * 5e9;
    const fine = (busySteps: number) =>
      counter([...repeat(160, idleStep), ...repeat(busySteps, 12 * 5e9), ...repeat(20 - busySteps, idleStep)], {
        intervalSeconds: 5,
      });
    expect(machineActivity({...quiet(6), cpu: fine(1)}, GPU, WINDOW).isWorking).toBe('no');
    expect(secondsAgo(machineActivity({...quiet(6), cpu: fine(1)}, GPU, WINDOW).quietSince)).toBe(180 * 5);
    const worked = machineActivity({...quiet(6), cpu: fine(6)}, GPU, WINDOW);
    expect(worked.isWorking).toBe('no');
    expect(secondsAgo(worked.quietSince)).toBe(60);
    expect(machineActivity({...quiet(6), cpu: fine(20)}, GPU, WINDOW).isWorking).toBe('yes');
  });

  test('does not count load from before a gap as present load', () => {
    const busy = counter(repeat(12, 100 * 5e9), {intervalSeconds: 5, endsSecondsAgo: 330});
    const still = Array.from(counter(repeat(6, 0), {intervalSeconds: 5}), ({sampledAt, value}) => ({
      sampledAt,
      value: value * 2,
    }));
    const activity = machineActivity({...quiet(6), cpu: [...busy, ...still]}, GPU, WINDOW);
    expect(activity.isWorking).toBe('no');
    expect(secondsAgo(activity.quietSince)).toBe(30);
  });
});

describe('sampleAge', () => {
  test.each([
    [
      'that of the newest sample of all series',
      {cpu: counter([1], {endsSecondsAgo: 2400}), memory: series([1, 1], {endsSecondsAgo: 90})},
      90,
      false,
    ],
    ['current for three intervals and a minute', {cpu: counter([1, 1], {endsSecondsAgo: 960})}, 960, false],
    ['old after three intervals and a minute', {cpu: counter([1, 1], {endsSecondsAgo: 961})}, 961, true],
    [
      'judged by the spacing of the samples',
      {cpu: counter([1, 1], {intervalSeconds: 600, endsSecondsAgo: 961})},
      961,
      false,
    ],
    [
      'current for four minutes when samples are seconds apart',
      {cpu: counter([1, 1], {intervalSeconds: 5, endsSecondsAgo: 240})},
      240,
      false,
    ],
    [
      'old after four minutes when samples are seconds apart',
      {cpu: counter([1, 1], {intervalSeconds: 5, endsSecondsAgo: 241})},
      241,
      true,
    ],
    ['zero when the clock of the service is ahead', {cpu: counter([1, 1], {endsSecondsAgo: -30})}, 0, false],
  ] satisfies readonly (readonly [
    string,
    MachineMetrics,
    number,
    boolean,
  ])[])('is %s', (_, metrics, seconds, isOld) => {
    expect(sampleAge(metrics, NOW)).toMatchObject({ageMs: seconds * SECOND_MS, isOld});
  });

  test('says how far ahead a sample is when it is more than 5 minutes ahead', () => {
    expect(sampleAge({cpu: counter([1, 1], {endsSecondsAgo: -300})}, NOW)).not.toHaveProperty('aheadMs');
    const ahead = sampleAge({cpu: counter([1, 1], {endsSecondsAgo: -301})}, NOW);
    expect(ahead).toMatchObject({aheadMs: 301 * SECOND_MS, isOld: true});
  });

  test('is unknown without samples', () => {
    expect(sampleAge({}, NOW)).toBeUndefined();
    expect(sampleAge({cpu: [], memory: []}, NOW)).toBeUndefined();
  });
});

function quiet(steps: number): MachineMetrics {
  const still = counter(repeat(steps, 0));
  return {cpu: still, networkIn: still, networkOut: still, diskRead: still, diskWrite: still};
}

type Timing = {readonly intervalSeconds?: number; readonly endsSecondsAgo?: number};

/** A counter far from zero that grows by these increments and ends now. */
function counter(increments: readonly number[], timing: Timing = {}): Series {
  const values = [1e15];
  for (const increment of increments) values.push((values.at(-1) ?? 0) + increment);
  return series(values, timing);
}

function series(values: readonly number[], {intervalSeconds = INTERVAL_S, endsSecondsAgo = 0}: Timing = {}): Series {
  return values.map((value, index) => {
    const ago = endsSecondsAgo + (values.length - 1 - index) * intervalSeconds;
    return {sampledAt: epochMs(NOW - ago * SECOND_MS), value};
  });
}

function repeat(count: number, value: number): number[] {
  return Array.from({length: count}, () => value);
}

function secondsAgo(moment: number | undefined): number | undefined {
  return moment === undefined ? undefined : (NOW - moment) / SECOND_MS;
}
