import {describe, expect, it} from 'vitest';
import {gpuReads} from '../../src/api/gpu-load.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {DAY_MS, epochMs, MINUTE_MS} from '../../src/domain/time.ts';
import {createVirtualClock} from '../support/clock.ts';

const FIGURE = 'skydeck_figure';
const HOST = safeText('train-01');

type Asked = {readonly path: string; readonly query: string; readonly step: unknown};
type Series = {readonly metric: object; readonly value?: object; readonly values?: object};

/** A Prometheus that gives these series to instant queries and to range queries. */
function openGpus(answers: {readonly query?: readonly Series[]; readonly query_range?: readonly Series[]}) {
  const {clock} = createVirtualClock();
  const asked: Asked[] = [];
  const reads = gpuReads(
    {
      url: 'http://127.0.0.1:1',
      token: secret('CANARY-of-prometheus'),
      clock,
      ask: async (_connection, {path, parameters: {query, step}}, take) => {
        asked.push({path, query: String(query), step});
        const result = answers[path];
        if (result === undefined) return {ok: false, reason: safeText('refused (503)')};
        const resultType = path === 'query' ? 'vector' : 'matrix';
        take({text: JSON.stringify({status: 'success', data: {resultType, result}}), isLast: true});
        return {ok: true, value: undefined};
      },
    },
    {label: 'Hostname', field: 'name'},
  );
  return {reads, asked, second: clock.wallNow() / 1000, now: clock.wallNow()};
}

function gpu(figure: string, value: string, index = '0', host = 'train-01') {
  const metric = {Hostname: host, gpu: index, modelName: 'NVIDIA H100', [FIGURE]: figure};
  return {metric, value: [0, value]};
}

describe('gpuReads', () => {
  it('shows no secret in the name of a GPU', async () => {
    const {second} = openGpus({});
    const sampled = {metric: {Hostname: 'train-01', [FIGURE]: 'sampled'}, value: [0, String(second - 12)]};
    const [used, named] = [gpu('used', '30'), gpu('free', '10')];
    const query = [sampled, {...used, metric: {...used.metric, modelName: 'H100 CANARY-of-prometheus'}}, named];
    const loads = await openGpus({query, query_range: []}).reads.loads();
    expect(loads.ok && loads.value.byHost.get(HOST)?.gpus[0]?.name).toBe('H100 [key …heus]');
  });

  it('reads the present load of each GPU and the last hour of each host with two queries', async () => {
    const {second} = openGpus({});
    const {reads, asked} = openGpus({
      query: [
        {metric: {Hostname: 'train-01', [FIGURE]: 'sampled'}, value: [0, String(second - 12)]},
        gpu('utilization', '94'),
        gpu('used', '30'),
        gpu('free', '10'),
        gpu('power', '512.5'),
        gpu('temperature', '71'),
        gpu('xid', '79'),
        gpu('throttled', '1'),
        gpu('utilization', '3', '1'),
      ],
      query_range: [
        {
          metric: {Hostname: 'train-01', [FIGURE]: 'utilization'},
          values: [
            [second - 120, '0.5'],
            [second - 60, 'NaN'],
            [second, '0.25'],
          ],
        },
      ],
    });
    const loads = await reads.loads();
    if (!loads.ok) throw new Error('Expected loads.');
    const load = loads.value.byHost.get(HOST);
    expect(load?.sampledAt).toBe((second - 12) * 1000);
    const name = 'NVIDIA H100';
    expect(load?.gpus).toEqual([
      {
        ...{index: 0, name, utilization: 0.94, memoryUsedMib: 30, memoryTotalMib: 40},
        ...{powerWatts: 512.5, celsius: 71, xid: 79, isThrottled: true},
      },
      {index: 1, name, utilization: 0.03, isThrottled: false},
    ]);
    expect([...(load?.history.utilization ?? [])]).toEqual([
      {sampledAt: (second - 120) * 1000, value: 0.5},
      {sampledAt: second * 1000, value: 0.25},
    ]);
    expect(asked.map(({path}) => path).sort()).toEqual(['query', 'query_range']);
  });

  it('skips series without the label or a GPU number, and hosts of unknown age', async () => {
    const {second} = openGpus({});
    const {reads} = openGpus({
      query: [
        {metric: {gpu: '0', [FIGURE]: 'utilization'}, value: [0, '1']},
        gpu('utilization', '1', '0', 'ageless'),
        {metric: {Hostname: 'train-01', [FIGURE]: 'sampled'}, value: [0, String(second)]},
        gpu('utilization', '1'),
        gpu('utilization', '1', 'not a number'),
      ],
      query_range: [],
    });
    const loads = await reads.loads();
    if (!loads.ok) throw new Error('Expected loads.');
    expect([...loads.value.byHost].map(([host, {gpus}]) => [host, gpus.length])).toEqual([['train-01', 1]]);
  });

  it('skips hosts and samples that are too far ahead of our clock', async () => {
    const {second} = openGpus({});
    const sampled = (host: string, at: number) => ({
      metric: {Hostname: host, [FIGURE]: 'sampled'},
      value: [0, String(at)],
    });
    const {reads} = openGpus({
      query: [
        sampled('train-01', second + 240),
        gpu('utilization', '0'),
        sampled('ahead', second + 8.2e9),
        gpu('utilization', '0', '0', 'ahead'),
      ],
      query_range: [
        {
          metric: {Hostname: 'train-01', [FIGURE]: 'utilization'},
          values: [
            [second, '0.25'],
            [second + 8.2e9, '0'],
          ],
        },
      ],
    });
    const loads = await reads.loads();
    if (!loads.ok) throw new Error('Expected loads.');
    expect([...loads.value.byHost.keys()]).toEqual(['train-01']);
    expect([...(loads.value.byHost.get(HOST)?.history.utilization ?? [])]).toEqual([
      {sampledAt: second * 1000, value: 0.25},
    ]);
  });

  it('leaves out values that no GPU can have, such as the placeholder for a missing figure', async () => {
    const {second} = openGpus({});
    const figures = ['utilization', 'used', 'free', 'power', 'temperature'];
    const {reads} = openGpus({
      query: [
        {metric: {Hostname: 'train-01', [FIGURE]: 'sampled'}, value: [0, String(second)]},
        ...figures.map(figure => gpu(figure, '1e300', '0')),
        // The number that DCGM uses for a missing figure.
        ...figures.map(figure => gpu(figure, '2147483632', '1')),
        ...['0', '1'].map(index => gpu('throttled', '0', index)),
        gpu('utilization', '100', '2'),
        gpu('temperature', '104', '2'),
      ],
      query_range: ['utilization', 'memory', 'power', 'temperature'].map(figure => ({
        metric: {Hostname: 'train-01', [FIGURE]: figure},
        values: [
          [second - 60, '1'],
          [second, '2147483632'],
        ],
      })),
    });
    const loads = await reads.loads();
    if (!loads.ok) throw new Error('Expected loads.');
    const load = loads.value.byHost.get(HOST);
    const name = 'NVIDIA H100';
    expect(load?.gpus).toEqual([
      {index: 0, name, isThrottled: false},
      {index: 1, name, isThrottled: false},
      {index: 2, name, utilization: 1, celsius: 104, isThrottled: false},
    ]);
    const kept = [{sampledAt: (second - 60) * 1000, value: 1}];
    const {utilization, memory, power, temperature} = load?.history ?? {};
    expect([utilization, memory, power, temperature].map(series => [...(series ?? [])])).toEqual([
      kept,
      kept,
      kept,
      kept,
    ]);
  });

  it('reads since when a host is measured, how much of that time, and when a GPU last worked', async () => {
    const {second, now} = openGpus({});
    const day = 86_400;
    const past = (figure: string, value: number) => ({
      metric: {Hostname: 'train-01', [FIGURE]: figure},
      value: [0, String(value)],
    });
    const {reads} = openGpus({
      // Of a day and a step of ten minutes, 145 steps, 116 were measured.
      query: [past('since', second - day), past('count', 116), past('busy', second - 3600)],
    });
    expect(await reads.activity()).toEqual({
      ok: true,
      value: new Map([
        [
          HOST,
          {
            measuredSince: epochMs(now - DAY_MS - 10 * MINUTE_MS),
            measuredRatio: 0.8,
            busyAt: epochMs(now - 60 * MINUTE_MS),
          },
        ],
      ]),
    });
  });

  it('asks for a window of one machine in steps that are means', async () => {
    const {reads, asked} = openGpus({query_range: []});
    expect(await reads.history(safeText('a"b\\c'), 30 * DAY_MS)).toEqual({ok: true, value: {}});
    // Thirty days in 360 steps are two hours each.
    expect(asked[0]?.step).toBe(7200);
    expect(asked[0]?.query).toContain('avg_over_time(DCGM_FI_DEV_GPU_UTIL{Hostname="a\\"b\\\\c"}[7200s])');
  });

  it('counts a GPU once whose series changed its pod within a step', async () => {
    const {reads, asked} = openGpus({query_range: []});
    await reads.history(HOST, 30 * DAY_MS);
    expect(asked[0]?.query).toContain(
      'sum by (Hostname) (avg by (Hostname, gpu) (avg_over_time(DCGM_FI_DEV_POWER_USAGE{Hostname="train-01"}[7200s])))',
    );
  });

  it('refuses an answer about more than twenty thousand machines', async () => {
    const hosts = (count: number) =>
      Array.from({length: count}, (_, host) => gpu('utilization', '50', '0', `host-${host}`));
    const {reads} = openGpus({query: hosts(20_000), query_range: []});
    expect(await reads.loads()).toMatchObject({ok: true});
    const detail = 'Prometheus: an answer about more than 20000 machines';
    expect(await openGpus({query: hosts(20_001)}).reads.loads()).toEqual({
      ok: false,
      failure: {kind: 'incomplete', detail},
    });
  });

  it('gives the reason when nothing could be read', async () => {
    const {reads} = openGpus({});
    const failure = {kind: 'incomplete', detail: 'Prometheus: refused (503)'};
    expect(await reads.loads()).toEqual({ok: false, failure});
    expect(await reads.activity()).toEqual({ok: false, failure});
    expect(await reads.history(HOST, DAY_MS)).toEqual({ok: false, failure});
  });
});
