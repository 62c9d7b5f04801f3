import {randomBytes} from 'node:crypto';
import {ServerResponse} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {createAdaptorServer} from '@hono/node-server';
import {isScenarioName, SCENARIO_NAMES, scenarioNamed} from '../scenarios/scenarios.ts';
import {type AccountKeys, accountKeys} from '../world/account.ts';
import type {Execution} from '../world/operation.ts';
import {createWorld, type World} from '../world/world.ts';
import {BASE_PATH} from './app.ts';
import {type AnswerRequest, createService, GPU_METRICS_PATH, type RequestRecord} from './service.ts';

export type SimulatorOptions = {
  /** 0, the default, means any free port. */
  readonly port?: number | undefined;
  readonly scenario?: string | undefined;
  readonly vmCount?: number | undefined;
  /**
   * The same seed gives the same account with the same keys. Without one, the keys are random and the account is that
   * of seed 1.
   */
  readonly seed?: number | undefined;
  /** World seconds per wall-clock second. */
  readonly speed?: number | undefined;
  /** Transitions take the service's own minutes. */
  readonly isFaithful?: boolean | undefined;
  readonly rateLimitPerMinute?: number | 'off' | undefined;
  /** The longest name of a new cluster: 50 as documented, 20 at the live service. */
  readonly clusterNameLimit?: number | undefined;
  /** Enables what the live service has disabled. */
  readonly allowsResize?: boolean | undefined;
  readonly faults?: readonly string[] | undefined;
  /** Also serves what DCGM's exporters on all machines would report. */
  readonly hasGpuMetrics?: boolean | undefined;
  /** The world's time at its start, epoch milliseconds; the wall clock's by default. */
  readonly startedAt?: number | undefined;
  readonly wallClock?: (() => number) | undefined;
  /** Waits in wall-clock time; only faults wait. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
};

export type Simulator = {
  /** The base URL, including the version. */
  readonly url: string;
  /** The URL of the GPU series, if they are served. */
  readonly gpuMetricsUrl: string | undefined;
  /** The owner's key. */
  readonly apiKey: string;
  readonly keys: AccountKeys;
  /** Ground truth: each operation that really took effect because of a request, oldest first. */
  readonly executions: () => readonly Execution[];
  /** The latest requests, oldest first. */
  readonly requests: () => readonly RequestRecord[];
  /** Replaces all faults in force with these; an empty list ends them. */
  readonly setFaults: (specs: readonly string[]) => void;
  /** Stops serving and cuts every open connection. */
  readonly close: () => Promise<void>;
};

const HOST = '127.0.0.1';
const DEFAULT_RATE_LIMIT = 500;
const KEY_BYTES = 16;
/** How late, at most, a due event is posted to a callback URL. */
const HEARTBEAT_MS = 250;

/** Starts a cloud on loopback. Rejects with a sentence if an option is wrong or the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  // The simulator reads the real clocks here, unless a test supplies others.
  const wallClock = options.wallClock ?? Date.now;
  const wait = options.wait ?? ((ms: number) => new Promise<void>(done => setTimeout(done, ms).unref()));
  const openedAt = wallClock();
  const startedAt = options.startedAt ?? openedAt;
  const speed = options.speed ?? 1;
  const world = createWorldFor(options, startedAt);
  const service = createService({
    world,
    worldNow: () => startedAt + Math.floor((wallClock() - openedAt) * speed),
    wallClock,
    wait,
    rateLimitPerMinute: options.rateLimitPerMinute ?? DEFAULT_RATE_LIMIT,
    faults: options.faults ?? [],
    hasGpuMetrics: options.hasGpuMetrics ?? false,
  });
  const {port, close} = await listen(service.answer, options.port ?? 0);
  const heartbeat = setInterval(service.tick, HEARTBEAT_MS).unref();
  return {
    url: `http://${HOST}:${port}${BASE_PATH}`,
    gpuMetricsUrl: options.hasGpuMetrics === true ? `http://${HOST}:${port}${GPU_METRICS_PATH}` : undefined,
    apiKey: world.keys.owner,
    keys: world.keys,
    executions: () => world.executions,
    requests: service.requests,
    setFaults: service.setFaults,
    close: () => {
      clearInterval(heartbeat);
      service.close();
      return close();
    },
  };
}

function createWorldFor(options: SimulatorOptions, startedAt: number): World {
  const name = options.scenario ?? 'on-call';
  if (!isScenarioName(name)) {
    throw new Error(`there is no scenario "${name}"; there are ${SCENARIO_NAMES.join(', ')}`);
  }
  const seed = options.seed ?? 1;
  const scenario = scenarioNamed(name, {startedAt, seed, vmCount: options.vmCount});
  return createWorld({
    seed,
    startedAt,
    isFaithful: options.isFaithful ?? false,
    scenario,
    ...(options.seed === undefined ? {keys: accountKeys(() => randomBytes(KEY_BYTES).toString('hex'))} : {}),
    ...(options.allowsResize === undefined ? {} : {allowsResize: options.allowsResize}),
    ...(options.clusterNameLimit === undefined ? {} : {clusterNameLimit: options.clusterNameLimit}),
  });
}

async function listen(answer: AnswerRequest, port: number): Promise<{port: number; close: () => Promise<void>}> {
  const server = createAdaptorServer({
    // The deck may run in this same process, so its Request and Response must stay the platform's own.
    overrideGlobalObjects: false,
    fetch: (request, {outgoing}) => {
      if (outgoing instanceof ServerResponse) return answer(request, outgoing);
      throw new Error('The simulator speaks HTTP/1.1 only.');
    },
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, HOST, () => listening());
  });
  return {
    port: portOf(server.address()),
    close: () =>
      new Promise<void>(closed => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
