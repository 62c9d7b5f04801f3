import type {ServerResponse} from 'node:http';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {gpuMetricsText} from '../world/gpu-metrics.ts';
import type {World} from '../world/world.ts';
import {misdirected, tooManyRequests} from './answers.ts';
import {BASE_PATH, createApp} from './app.ts';
import {createCallbackDelivery} from './callback-delivery.ts';
import {createFaultBoard, deliver, parseFault, rememberBody} from './faults.ts';
import {machineEventBody} from './routes/virtual-machines.ts';

/** One request as it arrived, including refused ones and those affected by a fault. */
export type RequestRecord = {
  readonly method: string;
  /** Relative to the base URL, as in the interface tables: `/core/virtual-machines`. */
  readonly path: string;
  /** The part after the question mark; empty if there is none. */
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
  /** Besides the interface, the output of DCGM's exporters on all machines. */
  readonly hasGpuMetrics: boolean;
};

export type AnswerRequest = (request: Request, outgoing: ServerResponse) => Promise<Response>;

export const GPU_METRICS_PATH = '/metrics';

const REQUEST_RECORD_LIMIT = 10_000;
const REMEMBERED_URLS = 500;
const MINUTE_MS = 60_000;

/** The stages of every request: record, rate limit, faults, interface. */
export function createService(options: ServiceOptions) {
  const {world, worldNow, hasGpuMetrics} = options;
  const app = createApp(world);
  const callbacks = createCallbackDelivery();
  const requests: RequestRecord[] = [];

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

  const carryOut = async (request: Request): Promise<Response> => {
    advance();
    const answer = await app.fetch(request);
    postEvents();
    return answer;
  };
  const faults = createFaultyAnswers(options, carryOut);
  const isOverLimit = createRateLimit(options.rateLimitPerMinute, options.wallClock);

  const answer: AnswerRequest = async (request, outgoing) => {
    advance();
    const host = request.headers.get('host') ?? '';
    // Not part of the service, so it is neither counted nor limited.
    if (hasGpuMetrics && isLoopbackHost(host) && new URL(request.url).pathname === GPU_METRICS_PATH) {
      return new Response(gpuMetricsText(world), {headers: {'content-type': 'text/plain; version=0.0.4'}});
    }
    const record = recordOf(request, world.now());
    requests.push(record);
    if (requests.length > REQUEST_RECORD_LIMIT) requests.shift();
    if (!isLoopbackHost(host)) return dated(misdirected(host), world.now());
    const limit = isOverLimit();
    if (limit !== undefined) return dated(tooManyRequests(limit), world.now());
    return dated(await faults.answer(record, request, outgoing), world.now());
  };

  return {
    answer,
    requests: () => requests,
    /** Events also become due between requests, if somebody listens for them. */
    tick: () => {
      if (world.machines.some(({callback}) => callback !== undefined)) advance();
    },
    close: callbacks.close,
    setFaults: faults.replace,
  };
}

/** Answers as the faults in force demand, or as the interface does if none applies. */
function createFaultyAnswers(
  {faults, wait, world}: Pick<ServiceOptions, 'faults' | 'wait' | 'world'>,
  carryOut: (request: Request) => Promise<Response>,
) {
  const board = createFaultBoard(faults.map(parseFault));
  const bodiesByUrl = new Map<string, string[]>();
  return {
    answer: async ({method, path}: RequestRecord, request: Request, outgoing: ServerResponse): Promise<Response> => {
      const fault = board.strike(method, path);
      const earlierBodies = () => remembered(bodiesByUrl, `${method} ${request.url}`);
      if (fault === undefined) {
        const plain = await carryOut(request);
        if (board.isRepeatable(method, path)) rememberBody(earlierBodies(), await plain.clone().text());
        return plain;
      }
      return deliver(fault, {
        outgoing,
        carryOut: () => carryOut(request),
        wait,
        earlierBodies: earlierBodies(),
        date: () => httpDate(world.now()),
      });
    },
    replace: (specs: readonly string[]) => {
      board.replace(specs.map(parseFault));
      bodiesByUrl.clear();
    },
  };
}

/**
 * Counts the requests of all callers by minutes of the wall clock, and returns the limit once a request exceeds it; the
 * service then refuses until the minute ends.
 */
function createRateLimit(perMinute: number | 'off', wallClock: () => number): () => number | undefined {
  let minute = Number.NaN;
  let requestCount = 0;
  return () => {
    if (perMinute === 'off') return undefined;
    const wallMinute = Math.floor(wallClock() / MINUTE_MS);
    if (wallMinute !== minute) {
      minute = wallMinute;
      requestCount = 0;
    }
    requestCount += 1;
    return requestCount > perMinute ? perMinute : undefined;
  };
}

/** A web page can make any name resolve to this computer, so only its own names are answered. */
function isLoopbackHost(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname;
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]';
}

function recordOf(request: Request, at: number): RequestRecord {
  const {pathname, search} = new URL(request.url);
  const path = pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname;
  return {method: request.method, path, query: search.slice(1), at, apiKeyPresent: request.headers.has('api_key')};
}

// Clients take their time from this header, so every answer must have the world's.
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
