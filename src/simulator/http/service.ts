import type {ServerResponse} from 'node:http';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {gpuMetricsText} from '../world/gpu-metrics.ts';
import type {World} from '../world/world.ts';
import {misdirected, tooManyRequests} from './answers.ts';
import {BASE_PATH, createApp} from './app.ts';
import {createCallbackDelivery} from './callback-delivery.ts';
import {createFaultBoard, deliver, parseFault, rememberBody} from './faults.ts';
import {machineEventBody} from './routes/virtual-machines.ts';

/** One request as it arrived, the refused and the faulted included. */
export type RequestRecord = {
  readonly method: string;
  /** Relative to the base URL, as in the interface's tables: `/core/virtual-machines`. */
  readonly path: string;
  /** As it stood behind the question mark; empty without one. */
  readonly query: string;
  /** World time, epoch milliseconds. */
  readonly at: number;
  readonly apiKeyPresent: boolean;
};

export type ServiceOptions = {
  readonly world: World;
  readonly worldNow: () => number;
  readonly wallClock: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly rateLimitPerMinute: number | 'off';
  readonly faults: readonly string[];
  /** Beside the interface there is what DCGM's exporters of all machines tell. */
  readonly hasGpuMetrics: boolean;
};

export type AnswerRequest = (request: Request, outgoing: ServerResponse) => Promise<Response>;

export const GPU_METRICS_PATH = '/metrics';

const REQUEST_RECORD_LIMIT = 10_000;
const REMEMBERED_URLS = 500;
const MINUTE_MS = 60_000;

/** Everything a request passes: the record, the limit, the faults, the interface. */
export function createService({
  world,
  worldNow,
  wallClock,
  wait,
  rateLimitPerMinute,
  faults,
  hasGpuMetrics,
}: ServiceOptions) {
  const app = createApp(world);
  const isOverLimit = createRateLimit(rateLimitPerMinute);
  const board = createFaultBoard(faults.map(parseFault));
  const requests: RequestRecord[] = [];
  const bodiesByUrl = new Map<string, string[]>();

  const callbacks = createCallbackDelivery();

  function advance(): void {
    world.advanceTo(worldNow());
    postEvents();
  }

  function postEvents(): void {
    for (const {url, machineId, machineName, status, event} of world.outbox.take()) {
      const subject = {id: machineId, name: machineName};
      callbacks.post(url, {...machineEventBody(event, subject, world.organization.id), status});
    }
  }

  async function carryOut(request: Request): Promise<Response> {
    advance();
    const answer = await app.fetch(request);
    postEvents();
    return answer;
  }

  const answer: AnswerRequest = async (request, outgoing) => {
    advance();
    const host = request.headers.get('host') ?? '';
    // Not the service's: it is neither counted nor limited.
    if (hasGpuMetrics && isLoopbackHost(host) && new URL(request.url).pathname === GPU_METRICS_PATH) {
      return new Response(gpuMetricsText(world), {headers: {'content-type': 'text/plain; version=0.0.4'}});
    }
    const record = recordOf(request, world.now());
    requests.push(record);
    if (requests.length > REQUEST_RECORD_LIMIT) requests.shift();
    if (!isLoopbackHost(host)) return dated(misdirected(host), world.now());
    if (rateLimitPerMinute !== 'off' && isOverLimit(wallClock())) {
      return dated(tooManyRequests(rateLimitPerMinute), world.now());
    }
    const fault = board.strike(record.method, record.path);
    const earlierBodies = () => remembered(bodiesByUrl, `${record.method} ${request.url}`);
    if (fault === undefined) {
      const plain = await carryOut(request);
      if (board.isRepeatable(record.method, record.path)) rememberBody(earlierBodies(), await plain.clone().text());
      return dated(plain, world.now());
    }
    const delivery = {outgoing, carryOut: () => carryOut(request), wait, earlierBodies: earlierBodies()};
    return dated(await deliver(fault, delivery, {date: () => httpDate(world.now())}), world.now());
  };

  return {
    answer,
    requests: () => requests,
    /** Events are due between requests too, where somebody listens for them. */
    tick: () => {
      if (world.machines.some(({callback}) => callback !== undefined)) advance();
    },
    close: callbacks.close,
    setFaults: (specs: readonly string[]) => {
      board.replace(specs.map(parseFault));
      bodiesByUrl.clear();
    },
  };
}

/**
 * Counts every request of everyone together, by the minutes of the wall clock, and says of each whether it is over the
 * limit; the service then refuses until the minute ends.
 */
function createRateLimit(perMinute: number | 'off'): (wallNow: number) => boolean {
  let minute = Number.NaN;
  let requestCount = 0;
  return wallNow => {
    if (perMinute === 'off') return false;
    const wallMinute = Math.floor(wallNow / MINUTE_MS);
    if (wallMinute !== minute) {
      minute = wallMinute;
      requestCount = 0;
    }
    requestCount += 1;
    return requestCount > perMinute;
  };
}

/** A page in a browser can make any name mean this machine; only its own names are answered. */
function isLoopbackHost(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname;
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]';
}

function recordOf(request: Request, at: number): RequestRecord {
  const {pathname, search} = new URL(request.url);
  const path = pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname;
  return {method: request.method, path, query: search.slice(1), at, apiKeyPresent: request.headers.has('api_key')};
}

// A client takes its time from this header, so it must be the world's, whatever the answer.
function dated(response: Response, now: number): Response {
  if (response !== RESPONSE_ALREADY_SENT) response.headers.set('date', httpDate(now));
  return response;
}

function httpDate(now: number): string {
  return new Date(now).toUTCString();
}

function remembered(bodiesByUrl: Map<string, string[]>, url: string): string[] {
  const known = bodiesByUrl.get(url);
  if (known !== undefined) return known;
  if (bodiesByUrl.size >= REMEMBERED_URLS) bodiesByUrl.clear();
  const bodies: string[] = [];
  bodiesByUrl.set(url, bodies);
  return bodies;
}
