import {describe, expect, test} from 'vitest';
import {metricsCommand} from '../../src/cli/commands/metrics.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const at = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();
/** 60 s of CPU time in 5 min on 4 vCPUs are 5 %; then 600 s are 50 %. 1 GB of 4 GB is a quarter. */
const METRICS = {
  cpu: {
    unit: 'ns',
    columns: ['time', 'granularity', 'value'],
    data: [
      [at(0), 300, 1e12],
      [at(5), 300, 1e12 + 60e9],
      [at(10), 300, 1e12 + 660e9],
    ],
  },
  'memory.usages': {unit: 'MB', columns: ['time', 'granularity', 'value'], data: [[at(5), 300, 1024]]},
  'network.in': {
    unit: 'B',
    columns: ['time', 'granularity', 'value'],
    data: [
      [at(0), 300, 0],
      [at(5), 300, 300_000],
    ],
  },
};
const ANSWERS = {
  '/core/virtual-machines/7': {status: true, instance: {id: 7, name: 'web', flavor: {name: 'f', cpu: 4, ram: 4}}},
  '/core/virtual-machines/7/metrics': METRICS,
};

describe('skydeck metrics', () => {
  test('derives shares of capacity and bytes per second', async () => {
    const {simulator, asked} = await openService(ANSWERS);
    const {stdout, stderr, exitCode} = await run(metricsCommand, '7 --duration 2h -o json', {simulator});
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    expect(asked.at(-1)?.path).toBe('/core/virtual-machines/7/metrics?duration=2h');
    const {vm, series} = JSON.parse(stdout);
    expect(vm).toEqual({id: 7, name: 'web'});
    const [cpu, mem, networkIn, ...others] = series;
    expect(cpu).toEqual({
      name: 'cpu',
      unit: 'ratio',
      samples: [
        {start: at(0), end: at(5), value: 60 / (300 * 4)},
        {start: at(5), end: at(10), value: 600 / (300 * 4)},
      ],
    });
    expect(mem.name).toBe('mem');
    expect(mem.samples).toHaveLength(1);
    expect(mem.samples[0]).toMatchObject({start: at(5), end: at(5)});
    expect(networkIn).toMatchObject({name: 'networkIn', unit: 'bytes per second', samples: [{value: 1000}]});
    expect(others.map(({name, samples}: {name: string; samples: unknown[]}) => [name, samples])).toEqual([
      ['networkOut', []],
      ['diskRead', []],
      ['diskWrite', []],
    ]);
  });

  test('prints the same as CSV', async () => {
    const {simulator} = await openService(ANSWERS);
    const lines = (await run(metricsCommand, '7 -o csv', {simulator})).stdout.split('\r\n');
    expect(lines[0]).toBe('series,unit,start,end,value');
    expect(lines[1]).toBe(`cpu,ratio,${at(0)},${at(5)},0.05`);
    expect(lines).toContain(`networkIn,bytes per second,${at(0)},${at(5)},1000`);
  });

  test.each([
    [[], /[⠁-⣿]/],
    [['--ascii'], /^[\x20-\x7e\n]*$/],
  ])('draws charts with %j', async (options, drawn) => {
    const simulator = await openSimulator();
    const {stdout, exitCode} = await run(metricsCommand, ['train-01', ...options], {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(drawn);
    for (const title of ['cpu', 'mem', 'network in B/s', 'network out B/s', 'disk read B/s', 'disk write B/s']) {
      expect(stdout).toMatch(new RegExp(`^${title} {2}(?:last|no samples)`, 'm'));
    }
    expect(stdout.split('\n').every(line => [...line].length <= 80)).toBe(true);
  });

  test.each([
    '1h',
    '6h',
    '30d',
  ])('prints the last and the highest sample of %s, not means of its bins', async duration => {
    const {simulator} = await openService(ANSWERS);
    const env = {SKYDECK_NOW: at(12)};
    const {stdout} = await run(metricsCommand, `7 --duration ${duration}`, {simulator, env});
    expect(stdout).toContain('cpu  last 50%  max 50%  min 5%');
  });

  test('leaves out impossible samples, and counts them', async () => {
    const rows = (values: readonly number[]) => ({
      unit: 'B',
      columns: ['time', 'granularity', 'value'],
      data: values.map((value, index) => [at(5 * index), 300, value]),
    });
    const {simulator} = await openService({
      ...ANSWERS,
      '/core/virtual-machines/7/metrics': {
        'network.in': rows([0, 300_000, 2 ** 60, 2 ** 60 + 600_000]),
        'disk.read': rows([0, 1e300, -1, 900_000]),
      },
    });
    const {stdout, stderr} = await run(metricsCommand, '7 -o json', {simulator});
    const {series} = JSON.parse(stdout);
    const valuesOf = (wanted: string) =>
      series.find(({name}: {name: string}) => name === wanted).samples.map(({value}: {value: number}) => value);
    expect(valuesOf('networkIn')).toEqual([1000, expect.closeTo(2000, 0)]);
    expect(valuesOf('diskRead')).toEqual([1000]);
    expect(stderr).toBe('skydeck: metrics: unreadable or impossible samples left out: 2\n');
  });

  test('prints how old the newest sample is', async () => {
    const {simulator} = await openService(ANSWERS);
    const json = await run(metricsCommand, '7 -o json', {simulator});
    expect(JSON.parse(json.stdout)).toMatchObject({newestSampleAt: at(10)});
    const env = {SKYDECK_NOW: at(50)};
    expect((await run(metricsCommand, '7', {simulator, env})).stdout.split('\n')[1]).toBe('newest sample 40m old');
    const before = {SKYDECK_NOW: '2026-01-01T00:00:00Z'};
    expect((await run(metricsCommand, '7', {simulator, env: before})).stdout.split('\n')[1]).toMatch(
      /^newest sample \d+\w* ahead of the clock$/,
    );
    const stale = await openSimulator({scenario: 'stale-metrics'});
    expect((await run(metricsCommand, 'train-01', {simulator: stale})).stdout).toMatch(/^newest sample 4\dm old$/m);
  });

  test('draws no empty charts for a SHUTOFF machine', async () => {
    const simulator = await openSimulator();
    const {stdout, exitCode} = await run(metricsCommand, 'train-03', {simulator});
    expect({lines: stdout.trimEnd().split('\n').slice(1), exitCode}).toEqual({lines: ['no samples'], exitCode: 0});
  });

  test.each([
    ['none', 4],
    ['7 --duration 5h', 2],
    ['8', 4],
  ])('fails for %s with exit code %i', async (line, code) => {
    const {simulator} = await openService({
      ...ANSWERS,
      '/core/virtual-machines': {status: true, count: 0, instances: []},
    });
    expect(await run(metricsCommand, line, {simulator})).toMatchObject({exitCode: code, stdout: ''});
  });
});
