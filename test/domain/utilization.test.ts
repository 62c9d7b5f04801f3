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

  test('tolerates 105 % and leaves out more as a measuring mistake', () => {
    const second = 300e9;
    const ratios = cpuUtilization({cpu: counter([second, 1.05 * second, 1.06 * second, second / 2])}, 1);
    expect(ratios.map(sample => sample.ratio)).toEqual([1, 1.05, 0.5]);
  });

  test('takes the cumulative reading where amounts per interval would exceed the machine', () => {
    // Too many resets for the counter test; yet 3000 s of CPU in 300 s are not possible on 1 vCPU.
    const cpu = series([3000e9, 3060e9, 10e9, 3000e9, 3060e9, 10e9, 3000e9, 3060e9, 10e9]);
    expect(cpuUtilization({cpu}, 1).map(sample => sample.ratio)).toEqual([0.2, 0.2, 0.2]);
  });

  test('is computed again for a machine that was resized', () => {
    const metrics: MachineMetrics = {cpu: counter([300e9, 1200e9]), memory: series([GIB])};
    const cpuOf = (flavor: MachineFlavor) => machineActivity(metrics, flavor, WINDOW).cpu.latest;
    // 1200 s of CPU in 300 s are all of 4 vCPUs, and a quarter of 16; a flavor read again is the same one.
    expect(cpuOf({...CPU_ONLY, cpuCount: 4})).toBe(1);
    expect(cpuOf(CPU_ONLY)).toBe(0.25);
    expect(cpuOf({...CPU_ONLY})).toBe(0.25);
    expect(memoryUtilization(metrics, 16).at(0)?.value).toBe(1 / 16);
    expect(memoryUtilization(metrics, 4).at(0)?.value).toBe(1 / 4);
  });

  test('knows nothing without vCPUs, without a series, with one sample', () => {
    expect(cpuUtilization({cpu: counter([1e9])}, undefined)).toEqual([]);
    expect(cpuUtilization({cpu: counter([1e9])}, 0)).toEqual([]);
    expect(cpuUtilization({}, 4)).toEqual([]);
    expect(cpuUtilization({cpu: series([5e9])}, 4)).toEqual([]);
  });
});

describe('memoryUtilization', () => {
  test('tolerates 105 % and leaves out more as a measuring mistake', () => {
    const memory = series([0.5 * GIB, 1.05 * GIB, 1.06 * GIB, 1e300]);
    expect([...memoryUtilization({memory}, 1)].map(sample => sample.value)).toEqual([0.5, 1.05]);
  });

  test('is full at the RAM in GB of 1024³ bytes', () => {
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
    ['a GPU of unknown number as one', {name: safeText('x'), gpuModel: safeText('L40')}, 0.4, 200_000],
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
  test('gives the latest values and bins of every series', () => {
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
  ])('calls a value of %d s ago, sampled each 300 s, latest: %s', (agoSeconds, expected) => {
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
    ['samples of a clock that is ahead', {cpu: counter(repeat(6, 0), {endsSecondsAgo: -300})}, 'no'],
    ['samples further ahead than clocks differ', {cpu: counter(repeat(6, 0), {endsSecondsAgo: -301})}, 'unknown'],
  ])('judges an otherwise quiet machine with %s', (_, metrics: MachineMetrics, expected) => {
    expect(machineActivity({...quiet(6), ...metrics}, GPU, WINDOW).isWorking).toBe(expected);
  });

  test('has no peak from samples further ahead than clocks differ', () => {
    const peaksOf = (endsSecondsAgo: number) => {
      const still = {cpu: counter([0, 0], {endsSecondsAgo: 600}), memory: series([GIB], {endsSecondsAgo: 600})};
      const late = {cpu: counter([1200e9], {endsSecondsAgo}), memory: series([8 * GIB], {endsSecondsAgo})};
      const metrics = {cpu: [...still.cpu, ...late.cpu], memory: [...still.memory, ...late.memory]};
      const {cpu, memory} = machineActivity(metrics, CPU_ONLY, WINDOW);
      return [cpu.peak !== 0, memory.peak];
    };
    // Half of 16 GB a little ahead, and a sixteenth of them before.
    expect(peaksOf(-300)).toEqual([true, 0.5]);
    expect(peaksOf(-1e9)).toEqual([false, 1 / 16]);
  });

  test('cannot judge a machine of unknown flavor', () => {
    expect(machineActivity(quiet(6), undefined, WINDOW).isWorking).toBe('unknown');
  });

  test('says since when a machine is quiet, over all its series', () => {
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

  test('takes the start of what was measured where nothing was active, also before the window', () => {
    expect(secondsAgo(machineActivity(quiet(40), GPU, WINDOW).quietSince)).toBe(40 * INTERVAL_S);
  });

  test('does not vouch for half an hour and more that nobody measured', () => {
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

  test('is not woken by a cron job of five seconds, but by work of half a minute', () => {
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

  test('does not mix what was measured before a hole into the present', () => {
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
      'by the newest of all series',
      {cpu: counter([1], {endsSecondsAgo: 2400}), memory: series([1, 1], {endsSecondsAgo: 90})},
      90,
      false,
    ],
    ['as current for three intervals and a minute', {cpu: counter([1, 1], {endsSecondsAgo: 960})}, 960, false],
    ['as old beyond', {cpu: counter([1, 1], {endsSecondsAgo: 961})}, 961, true],
    ['by the spacing of its samples', {cpu: counter([1, 1], {intervalSeconds: 600, endsSecondsAgo: 961})}, 961, false],
    [
      'of steps of seconds as of a minute',
      {cpu: counter([1, 1], {intervalSeconds: 5, endsSecondsAgo: 240})},
      240,
      false,
    ],
    ['as old beyond those', {cpu: counter([1, 1], {intervalSeconds: 5, endsSecondsAgo: 241})}, 241, true],
    ['as new where the service is ahead', {cpu: counter([1, 1], {endsSecondsAgo: -30})}, 0, false],
  ] satisfies readonly (readonly [
    string,
    MachineMetrics,
    number,
    boolean,
  ])[])('tells the age %s', (_, metrics, seconds, isOld) => {
    expect(sampleAge(metrics, NOW)).toMatchObject({ageMs: seconds * SECOND_MS, isOld});
  });

  test('says how far ahead a sample is that no clock explains', () => {
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
