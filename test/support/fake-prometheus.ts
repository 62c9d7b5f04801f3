import {createServer, type IncomingHttpHeaders, type ServerResponse} from 'node:http';

const CPU = 'skydeck_machine_cpu_utilization_ratio';
const MEMORY = 'skydeck_machine_memory_utilization_ratio';
const STREAMS = ['network_receive', 'network_transmit', 'disk_read', 'disk_written'].map(
  stream => `skydeck_machine_${stream}_bytes_per_second`,
);

type Asked = {readonly path: string; readonly query: URLSearchParams; readonly headers: IncomingHttpHeaders};

/** The exported values of a machine, as functions of the second of the sample. */
export type ExportedMachine = {
  readonly id: number;
  readonly cpu: (second: number) => number;
  readonly memory?: (second: number) => number;
  /** Bytes per second of its network and its disks, the same in each direction. */
  readonly bytes?: (second: number) => number;
  /** How old the newest sample is at each scrape. */
  readonly ageSeconds?: (second: number) => number;
};

/** One GPU by default. The utilization is in percent, the memory of each GPU a share of 80 GiB. */
export type GpuHost = {
  readonly utilization: number;
  readonly xid?: number;
  readonly count?: number;
  readonly memoryRatio?: number;
  readonly watts?: number;
  readonly celsius?: number;
};

export type FakePrometheus = {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Sets the GPUs that DCGM reports for each of these hosts. */
  readonly giveGpus: (hosts: Readonly<Record<string, GpuHost>>) => void;
  readonly give: (machines: readonly ExportedMachine[]) => void;
  /** Sends this answer to every request from now on, until it is undefined again. */
  readonly answer: (how: ((response: ServerResponse) => void) | undefined) => void;
  readonly close: () => void;
};

/** A Prometheus on loopback that knows only the queries of the deck. */
export async function startFakePrometheus(given: readonly ExportedMachine[] = []): Promise<FakePrometheus> {
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
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
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
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The body of the answer to a range query: at each step the scrape of that second. */
function rangeText(machines: readonly ExportedMachine[], query: URLSearchParams): string {
  const [start, end, step] = ['start', 'end', 'step'].map(name => Number(query.get(name)));
  const seconds: number[] = [];
  for (let second = start ?? 0; second <= (end ?? 0); second += step ?? 60) seconds.push(second);
  const series = (metric: object, value: (second: number) => number) => ({
    metric,
    values: seconds.map(second => [second, String(value(second))]),
  });
  const result = machines.flatMap(({id, cpu, memory, bytes, ageSeconds = () => 0}) => {
    const labels = {resource_id: String(id), name: `gpu-${id}`, instance: 'exporter:9469', job: 'skydeck'};
    const sampledAt = (second: number) => second - ageSeconds(second);
    return [
      series({__name__: CPU, ...labels}, second => cpu(sampledAt(second))),
      ...(memory === undefined ? [] : [series({__name__: MEMORY, ...labels}, second => memory(sampledAt(second)))]),
      ...(bytes === undefined
        ? []
        : STREAMS.map(name => series({__name__: name, ...labels}, second => bytes(sampledAt(second))))),
      series({skydeck_sampled_at: '1', ...labels}, sampledAt),
    ];
  });
  return JSON.stringify({status: 'success', data: {resultType: 'matrix', result}});
}

/** The past is constant: a quarter of the CPU, 55 $/h and two critical findings. */
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

const MEMORY_MIB = 81_920;

/** Answers both kinds of queries for the GPUs of the hosts: the current values, and past ones that vary a little. */
function gpuText(hosts: Readonly<Record<string, GpuHost>>, path: string, query: URLSearchParams): string {
  const isRange = path.endsWith('query_range');
  const result = Object.entries(hosts).flatMap(([host, gpu]): object[] =>
    isRange ? gpuHistory(host, gpu, query) : gpusNow(host, gpu, Number(query.get('time'))),
  );
  return JSON.stringify({status: 'success', data: {resultType: isRange ? 'matrix' : 'vector', result}});
}

function gpusNow(
  Hostname: string,
  {count = 1, utilization, xid, memoryRatio, watts, celsius}: GpuHost,
  second: number,
) {
  const used = memoryRatio === undefined ? undefined : memoryRatio * MEMORY_MIB;
  const free = used === undefined ? undefined : MEMORY_MIB - used;
  const figures = {utilization, used, free, power: watts, temperature: celsius, xid};
  const series = (labels: object, skydeck_figure: string, value: number | undefined) =>
    value === undefined ? [] : [{metric: {...labels, skydeck_figure}, value: [second, String(value)]}];
  return [
    ...series({Hostname}, 'sampled', second),
    ...Array.from({length: count}, (_, gpu) => ({Hostname, gpu: String(gpu), modelName: 'NVIDIA H100'})).flatMap(
      labels => Object.entries(figures).flatMap(([figure, value]) => series(labels, figure, value)),
    ),
  ];
}

function gpuHistory(
  Hostname: string,
  {count = 1, utilization, memoryRatio, watts, celsius}: GpuHost,
  query: URLSearchParams,
) {
  const [start = 0, end = 0, step = 60] = ['start', 'end', 'step'].map(name => Number(query.get(name)));
  const seconds = Array.from(
    {length: Math.floor((end - start) / step) + 1},
    (_, index) => end - index * step,
  ).reverse();
  const swing = (second: number) => 1 - 0.12 * (1 - Math.cos((end - second) / 300));
  const figures = {
    utilization: utilization / 100,
    memory: memoryRatio,
    power: watts === undefined ? undefined : watts * count,
    temperature: celsius,
  };
  return Object.entries(figures).flatMap(([skydeck_figure, value]) =>
    value === undefined
      ? []
      : [{metric: {Hostname, skydeck_figure}, values: seconds.map(second => [second, String(value * swing(second))])}],
  );
}
