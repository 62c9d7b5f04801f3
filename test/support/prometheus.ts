import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {openHome} from './program.ts';

export const TOKEN = 'CANARY-of-prometheus-0123456789';
const CPU = 'skydeck_machine_cpu_utilization_ratio';
const MEMORY = 'skydeck_machine_memory_utilization_ratio';

type Asked = {readonly path: string; readonly query: URLSearchParams; readonly headers: IncomingHttpHeaders};

/** What a machine has exported: by the second of the sample. */
export type ExportedMachine = {
  readonly id: number;
  readonly cpu: (second: number) => number;
  readonly memory?: (second: number) => number;
  /** How old its newest sample is at each scrape. */
  readonly ageSeconds?: (second: number) => number;
};

export type FakePrometheus = {
  readonly url: string;
  readonly tokenFile: string;
  readonly asked: readonly Asked[];
  /** What DCGM tells of one GPU of each of these hosts; the utilization in percent. */
  readonly giveGpus: (hosts: Readonly<Record<string, {readonly utilization: number; readonly xid?: number}>>) => void;
  readonly give: (machines: readonly ExportedMachine[]) => void;
  /** Answers like this from now on; undefined ends it. */
  readonly answer: (how: ((response: ServerResponse) => void) | undefined) => void;
};

/** A Prometheus on loopback that knows nothing but range queries of the exporter's series; closed with the test. */
export async function openFakePrometheus(given: readonly ExportedMachine[] = []): Promise<FakePrometheus> {
  const asked: Asked[] = [];
  let machines = given;
  let gpus: Parameters<FakePrometheus['giveGpus']>[0] = {};
  let how: ((response: ServerResponse) => void) | undefined;
  const server = createServer(({url = '', headers}, response) => {
    const {pathname, searchParams} = new URL(url, 'http://loopback');
    asked.push({path: pathname, query: searchParams, headers});
    if (how !== undefined) return how(response);
    response.setHeader('content-type', 'application/json');
    const query = searchParams.get('query') ?? '';
    if (query.includes('DCGM_FI_DEV')) response.end(gpuText(gpus, pathname, searchParams));
    else if (query.includes('avg_over_time')) response.end(pastText(searchParams));
    else response.end(rangeText(machines, searchParams));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    tokenFile: aTokenFile(),
    asked,
    giveGpus: next => {
      gpus = next;
    },
    give: next => {
      machines = next;
    },
    answer: next => {
      how = next;
    },
  };
}

/** A home whose profile reads this Prometheus. */
export function homeWithPrometheus(
  {url, tokenFile}: Pick<FakePrometheus, 'url' | 'tokenFile'>,
  simulator: {readonly url: string},
): ReturnType<typeof openHome> {
  const home = openHome();
  const profiles = {a: {baseUrl: simulator.url, prometheus: {url, tokenFile}}};
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify({profile: 'a', profiles}), {mode: 0o600});
  return home;
}

/** The body of a range query's answer: at each step the scrape of that second. */
function rangeText(machines: readonly ExportedMachine[], query: URLSearchParams): string {
  const [start, end, step] = ['start', 'end', 'step'].map(name => Number(query.get(name)));
  const seconds: number[] = [];
  for (let second = start ?? 0; second <= (end ?? 0); second += step ?? 60) seconds.push(second);
  const series = (metric: object, value: (second: number) => number) => ({
    metric,
    values: seconds.map(second => [second, String(value(second))]),
  });
  const result = machines.flatMap(({id, cpu, memory, ageSeconds = () => 0}) => {
    const labels = {resource_id: String(id), name: `gpu-${id}`, instance: 'exporter:9469', job: 'skydeck'};
    const sampledAt = (second: number) => second - ageSeconds(second);
    return [
      series({__name__: CPU, ...labels}, second => cpu(sampledAt(second))),
      ...(memory === undefined ? [] : [series({__name__: MEMORY, ...labels}, second => memory(sampledAt(second)))]),
      series({skydeck_sampled_at: '1', ...labels}, sampledAt),
    ];
  });
  return JSON.stringify({status: 'success', data: {resultType: 'matrix', result}});
}

/** Whatever is asked of a long time, it was always the same: a quarter of the CPU, 55 $/h, two critical findings. */
function pastText(query: URLSearchParams): string {
  const [start, end, step] = ['start', 'end', 'step'].map(name => Number(query.get(name)));
  const seconds: number[] = [];
  for (let second = start ?? 0; second <= (end ?? 0); second += step ?? 60) seconds.push(second);
  const figures = {cpu: 0.25, burn: 55, critical: 2};
  const result = Object.entries(figures).map(([skydeck_figure, value]) => ({
    metric: {skydeck_figure},
    values: seconds.map(second => [second, String(value)]),
  }));
  return JSON.stringify({status: 'success', data: {resultType: 'matrix', result}});
}

/** The hosts' GPUs, as the two kinds of queries are answered. */
function gpuText(hosts: Parameters<FakePrometheus['giveGpus']>[0], path: string, query: URLSearchParams): string {
  const isRange = path.endsWith('query_range');
  const second = Number(query.get(isRange ? 'end' : 'time'));
  const result = Object.entries(hosts).flatMap(([Hostname, {utilization, xid}]) => {
    const gpu = {Hostname, gpu: '0', modelName: 'NVIDIA H100'};
    const series = (labels: object, figure: string, value: number) => ({
      metric: {...labels, skydeck_figure: figure},
      ...(isRange ? {values: [[second, String(value)]]} : {value: [second, String(value)]}),
    });
    if (isRange) return [series({Hostname}, 'utilization', utilization / 100)];
    return [
      series({Hostname}, 'sampled', second),
      series(gpu, 'utilization', utilization),
      ...(xid === undefined ? [] : [series(gpu, 'xid', xid)]),
    ];
  });
  return JSON.stringify({status: 'success', data: {resultType: isRange ? 'matrix' : 'vector', result}});
}

function aTokenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-token-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  const path = join(folder, 'token');
  writeFileSync(path, TOKEN, {mode: 0o600});
  chmodSync(path, 0o600);
  return path;
}
