import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type SimulatorUnderTest,
  STARTED_AT,
  type WireEvent,
  type WireRefusal,
} from '../a-simulator.ts';

type Row = readonly [time: string, granularity: number, value: number];
type Metrics = Readonly<
  Record<string, {readonly unit: string; readonly columns: readonly string[]; readonly data: readonly Row[]}>
>;

const COUNTERS = ['cpu', 'network.in', 'network.out', 'disk.read', 'disk.write'] as const;

describe('the metrics of a machine', () => {
  test('has the six series with their units and columns, and no envelope', async () => {
    const body = await metricsOf(await aSimulator(), 'train-01', '1h');
    expect(Object.entries(body).map(([name, series]) => [name, series.unit])).toEqual([
      ['cpu', 'ns'],
      ['memory.usages', 'MB'],
      ['network.in', 'B'],
      ['network.out', 'B'],
      ['disk.read', 'B'],
      ['disk.write', 'B'],
    ]);
    for (const series of Object.values(body)) expect(series.columns).toEqual(['time', 'granularity', 'value']);
  });

  test('has a sample every five minutes, and every minute in the last fifteen, oldest first', async () => {
    const {cpu} = await metricsOf(await aSimulator(), 'train-01', '1h');
    const coarse = cpu.data.filter(([, granularity]) => granularity === 300);
    const fine = cpu.data.filter(([, granularity]) => granularity === 60);
    // 19:00 to 19:40 in steps of five minutes, then 19:45 to 20:00 in steps of one.
    expect(coarse.map(([time]) => time)).toEqual(
      Array.from({length: 9}, (_, index) => `2026-11-20T19:${String(index * 5).padStart(2, '0')}:00+00:00`),
    );
    expect(fine).toHaveLength(16);
    expect(fine[0]?.[0]).toBe('2026-11-20T19:45:00+00:00');
    expect(fine.at(-1)?.[0]).toBe('2026-11-20T20:00:00+00:00');
    expect([...coarse, ...fine]).toEqual(cpu.data);
  });

  const windows: readonly [duration: string, hours: number][] = [
    ['1h', 1],
    ['2h', 2],
    ['4h', 4],
    ['6h', 6],
    ['12h', 12],
    ['1d', 24],
    ['3d', 72],
    ['7d', 168],
    ['15d', 360],
    ['30d', 720],
  ];
  test.each(windows)('covers %s', async (duration, hours) => {
    const {cpu} = await metricsOf(await aSimulator(), 'bastion', duration);
    expect(Date.parse(cpu.data[0]?.[0] ?? '')).toBe(STARTED_AT - hours * HOUR_MS);
    // Every five minutes until fifteen minutes ago, then every minute.
    expect(cpu.data).toHaveLength(hours * 12 - 3 + 16);
  });

  test('covers everything recorded if no duration is given', async () => {
    const {cpu} = await metricsOf(await aSimulator(), 'train-01');
    // The machine is younger than the longest record, so it starts with the first five minutes after the boot.
    const first = Date.parse(cpu.data[0]?.[0] ?? '');
    expect(STARTED_AT - first).toBeGreaterThan(13 * DAY_MS);
    expect(STARTED_AT - first).toBeLessThan(13.2 * DAY_MS);
  });

  test.each(['2d', '', '1H', '60'])('refuses the duration "%s" with 406', async duration => {
    const {get, machine} = await aSimulator();
    const {id} = await machine('train-01');
    const reply = await get<WireRefusal>(`/core/virtual-machines/${id}/metrics?duration=${duration}`);
    expect(reply).toMatchObject({status: 406, body: {status: false}});
    expect(reply.body.message).toContain('30d');
  });

  test('is empty until a machine is ten minutes old', async () => {
    const simulator = await aSimulator();
    for (const series of Object.values(await metricsOf(simulator, 'eval-02', '1h'))) expect(series.data).toEqual([]);
    simulator.pass(7 * MINUTE_MS);
    expect((await metricsOf(simulator, 'eval-02', '1h')).cpu.data.length).toBeGreaterThan(0);
  });

  test('has no samples from when the machine was stopped or hibernated', async () => {
    const simulator = await aSimulator();
    // It has been stopped for 9 h 14 min, so the last hour has no samples and the last twelve hours have those before.
    expect((await metricsOf(simulator, 'train-03', '1h')).cpu.data).toEqual([]);
    const {cpu} = await metricsOf(simulator, 'train-03', '12h');
    expect(Date.parse(cpu.data.at(-1)?.[0] ?? '')).toBe(STARTED_AT - (9 * HOUR_MS + 15 * MINUTE_MS));
    expect((await metricsOf(simulator, 'dev-ines', '1d')).cpu.data).toEqual([]);
  });
});

describe('counters', () => {
  test('never fall while the machine is running, and are integers', async () => {
    const simulator = await aSimulator();
    for (const name of [
      'train-01',
      'infer-01',
      'etl-01',
      'backup-gateway',
      'dev-aoi',
      'bastion',
      'train-02',
      'infer-06',
    ]) {
      const body = await metricsOf(simulator, name, '7d');
      for (const counter of COUNTERS) {
        const values = body[counter]?.data.map(row => row[2]) ?? [];
        expect(values.length).toBeGreaterThan(500);
        expect(values.filter((value, index) => index > 0 && value < (values[index - 1] ?? 0))).toEqual([]);
        expect(values.filter(value => !Number.isInteger(value))).toEqual([]);
      }
    }
  });

  test('of CPU time never show more cores than the machine has', async () => {
    const simulator = await aSimulator();
    for (const {name, flavor, status} of await simulator.machines()) {
      if (status !== 'ACTIVE') continue;
      const rates = perSecond((await metricsOf(simulator, name, '3d')).cpu.data);
      expect(Math.max(0, ...rates) / 1e9).toBeLessThanOrEqual(flavor.cpu);
    }
  });

  test.each([
    ['hard-reboot', undefined, MINUTE_MS],
    ['stop', 'start', 4 * MINUTE_MS],
    ['hibernate', 'hibernate-restore', 4 * MINUTE_MS],
  ])('restart at zero after a %s', async (verb, wayBack, leastGapMs) => {
    const simulator = await aSimulator();
    const {get, machine, pass} = simulator;
    const {id, flavor} = await machine('train-01');
    const samples = async () => (await metricsOf(simulator, 'train-01', '1h')).cpu.data;
    pass(4 * MINUTE_MS);
    const before = (await samples()).at(-1)?.[2] ?? 0;
    await get(`/core/virtual-machines/${id}/${verb}`);
    if (wayBack !== undefined) pass(4 * MINUTE_MS);
    if (wayBack !== undefined) await get(`/core/virtual-machines/${id}/${wayBack}`);
    pass(6 * MINUTE_MS);
    const bootedAt = await lastSuccess(simulator, id);
    const after = (await samples()).filter(([time]) => Date.parse(time) >= bootedAt);
    expect(after.length).toBeGreaterThan(4);
    for (const [time, , value] of after) {
      expect(value).toBeLessThan(before / 1000);
      // Never more than all cores since the boot, although events have times in whole seconds.
      expect(value).toBeLessThanOrEqual(((Date.parse(time) - bootedAt) / 1000) * flavor.cpu * 1e9);
    }
    // There are no samples from when it was down.
    const lastBefore = (await samples()).findLast(([time]) => Date.parse(time) < bootedAt)?.[0] ?? '';
    expect(Date.parse(after[0]?.[0] ?? '') - Date.parse(lastBefore)).toBeGreaterThanOrEqual(leastGapMs);
  });

  test('agree between a short and a long window, and between two requests', async () => {
    const simulator = await aSimulator();
    const long = new Map(
      (await metricsOf(simulator, 'infer-01', '30d')).cpu.data.map(([time, , value]) => [time, value]),
    );
    const hour = (await metricsOf(simulator, 'infer-01', '1h')).cpu.data;
    for (const [time, , value] of hour) expect(long.get(time)).toBe(value);
    simulator.pass(MINUTE_MS);
    for (const [time, , value] of (await metricsOf(simulator, 'infer-01', '1h')).cpu.data) {
      if (long.has(time)) expect(long.get(time)).toBe(value);
    }
  });

  test('of a large machine exceed 2^53 within a month and are still printed as integers', async () => {
    const {get, machine} = await aSimulator();
    const {id} = await machine('train-04');
    const {text} = await get(`/core/virtual-machines/${id}/metrics?duration=1h`);
    const values = [...text.slice(0, text.indexOf('memory.usages')).matchAll(/,(\d+)\]/g)].map(match =>
      Number(match[1]),
    );
    expect(values.length).toBe(25);
    expect(Math.min(...values)).toBeGreaterThan(2 ** 53);
  });
});

describe('the memory gauge', () => {
  test('stays within the RAM of the machine, in MiB', async () => {
    const simulator = await aSimulator();
    for (const {name, flavor, status} of await simulator.machines()) {
      if (status !== 'ACTIVE') continue;
      const values = (await metricsOf(simulator, name, '1d'))['memory.usages']?.data.map(row => row[2]) ?? [];
      for (const value of values) expect(value > 0 && value <= flavor.ram * 1024).toBe(true);
    }
  });
});

test('metrics in stale-metrics always end forty minutes before the start', async () => {
  const simulator = await aSimulator({scenario: 'stale-metrics'});
  for (const wait of [0, 10 * MINUTE_MS]) {
    simulator.pass(wait);
    const {cpu} = await metricsOf(simulator, 'train-01', '2h');
    expect(Date.parse(cpu.data.at(-1)?.[0] ?? '')).toBe(STARTED_AT - 40 * MINUTE_MS);
  }
});

type MetricsBody = Metrics & {readonly cpu: Metrics[string]};

async function metricsOf({get, machine}: SimulatorUnderTest, name: string, duration?: string): Promise<MetricsBody> {
  const {id} = await machine(name);
  const query = duration === undefined ? '' : `?duration=${duration}`;
  const reply = await get<MetricsBody>(`/core/virtual-machines/${id}/metrics${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

function perSecond(rows: readonly Row[]): number[] {
  return rows.slice(1).map(([time, , value], index) => {
    const [earlierTime, , earlier] = rows[index] ?? [time, 0, value];
    return Math.max(0, value - earlier) / ((Date.parse(time) - Date.parse(earlierTime)) / 1000);
  });
}

async function lastSuccess({get}: SimulatorUnderTest, id: number): Promise<number> {
  const {body} = await get<{instance_events: readonly WireEvent[]}>(`/core/virtual-machines/${id}/events`);
  return Date.parse(`${body.instance_events.findLast(event => event.reason.endsWith('Success'))?.time}Z`);
}
