import type {Exchange} from '../../../src/api/client.ts';
import type {OpenReply, WireReply, WireRequest} from '../../../src/api/exchange.ts';
import type {Failure, Result} from '../../../src/domain/failure.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type DurationMs, epochMs} from '../../../src/domain/time.ts';
import {createApp} from '../../../src/simulator/http/app.ts';
import {scenarioNamed} from '../../../src/simulator/scenarios/scenarios.ts';
import {unit} from '../../../src/simulator/world/random.ts';
import {createWorld} from '../../../src/simulator/world/world.ts';
import {createVirtualClock, type VirtualClock} from '../../support/clock.ts';

/** What befalls one request on its way there or back. */
export type Mishap =
  /** No connection: not a byte left. */
  | {readonly kind: 'unconnected'}
  /** The connection stood and broke before the request was on it. */
  | {readonly kind: 'unsent'}
  /** It arrived, and was dropped before anything was done. */
  | {readonly kind: 'dropped'}
  /** The answer never came back whole: the line broke. */
  | {readonly kind: 'cut'}
  /** Another answer in the place of the service's own. */
  | {
      readonly kind: 'instead';
      readonly isExecuted: boolean;
      readonly reply: (own: WireReply) => {
        readonly httpStatus?: number;
        readonly body?: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  /** It is carried out at once, and answered so much later. */
  | {readonly kind: 'slow'; readonly byMs: DurationMs}
  /** It hangs on its way, and is carried out so much later. */
  | {readonly kind: 'delayed'; readonly byMs: DurationMs}
  /** Something between us and the service sends it twice. */
  | {readonly kind: 'repeated'}
  /** The answer that the same question got so many answers ago. */
  | {readonly kind: 'stale'; readonly answersAgo: number};

export type Sent = {
  /** Which skydeck. */
  readonly by: string;
  readonly isOperation: boolean;
  readonly method: string;
  /** Below the base path, without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
  readonly atMs: number;
  /** How many of its kind, reads or operations, were sent before it. */
  readonly index: number;
};

export type Arrival = Sent & {readonly isExecuted: boolean};

/** A cloud in this very process, with no sockets between: every delay and every chance comes from the seed. */
export type Cloud = {
  readonly time: VirtualClock;
  readonly seed: number;
  /** A number in [0, 1), another one for every call, always the same ones for a seed. */
  readonly chance: () => number;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Everything that one skydeck sends. `isAlive` turns false when it dies: it sends no more and hears no more. */
  readonly wireOf: (by: string, isAlive: () => boolean) => Exchange;
  /** What befalls each request; nothing where nothing is said. */
  readonly setMishaps: (mishapOf: (sent: Sent) => Mishap | undefined) => void;
  readonly sent: readonly Sent[];
  readonly subscribe: (listener: (arrival: Arrival) => void) => void;
  /** Told of each answer to a read just before the one that asked gets it. */
  readonly onAnswer: (listener: (arrival: Arrival) => void) => void;
  /** Asks past every mishap and every count, for the truth or as another person. */
  readonly ask: <T>(method: string, path: string, options?: {body?: unknown; asOther?: boolean}) => Promise<T>;
  /** Operations that took effect because a skydeck asked for them, none that another person did. */
  readonly executionCount: () => number;
  /** All that took effect, whoever asked for it. */
  readonly everybodysExecutionCount: () => number;
  /** Lets what is being answered be answered, without time passing. */
  readonly settle: () => Promise<void>;
  readonly note: (line: string) => void;
  /** All that happened, in order. */
  readonly trace: readonly string[];
};

const STARTED_AT = Date.UTC(2026, 10, 20, 20);
const ORIGIN = 'https://cloud.example';
const BASE_PATH = '/v1';
const OPERATION_TIMEOUT_MS = 45_000;
const READ_TIMEOUT_MS = 15_000;
const SHORTEST_WAY_MS = 5;
const LONGEST_WAY_MS = 60;

export function createCloud(seed: number, {vmCount}: {readonly vmCount?: number} = {}): Cloud {
  const time = createVirtualClock({wallStart: epochMs(STARTED_AT)});
  const {clock} = time;
  const scenario = scenarioNamed('calm', {startedAt: STARTED_AT, seed, vmCount});
  const world = createWorld({seed, startedAt: STARTED_AT, isFaithful: false, scenario, allowsResize: true});
  const app = createApp(world);
  const sent: Sent[] = [];
  const trace: string[] = [];
  const listeners: ((arrival: Arrival) => void)[] = [];
  const answerListeners: ((arrival: Arrival) => void)[] = [];
  const bodies = new Map<string, string[]>();
  let mishapOf: (sent: Sent) => Mishap | undefined = () => undefined;
  let chanceCount = 0;
  let answering = 0;
  let executionCount = 0;
  let lastReply: Promise<unknown> = Promise.resolve();

  const chance = () => {
    chanceCount += 1;
    return unit(seed, chanceCount);
  };
  const note = (line: string) => trace.push(`${clock.monotonicNow()} ${line}`);
  const wayMs = () => SHORTEST_WAY_MS + Math.floor(chance() * (LONGEST_WAY_MS - SHORTEST_WAY_MS));

  /** One after the other, so that what took effect meanwhile is the effect of this one. */
  function carryOut(...request: Parameters<typeof answer>): ReturnType<typeof answer> {
    const reply = lastReply.then(() => answer(...request));
    lastReply = reply;
    return reply;
  }

  async function answer(
    method: string,
    url: string,
    {body, key, isOurs}: {readonly body: string | undefined; readonly key: string; readonly isOurs: boolean},
  ): Promise<WireReply> {
    answering += 1;
    const before = world.executions.length;
    world.advanceTo(clock.wallNow());
    const headers = {api_key: key, ...(body === undefined ? {} : {'content-type': 'application/json'})};
    const response = await app.fetch(new Request(url, {method, headers, ...(body === undefined ? {} : {body})}));
    const text = await response.text();
    if (isOurs) executionCount += world.executions.length - before;
    answering -= 1;
    return {httpStatus: response.status, header: name => response.headers.get(name) ?? undefined, body: text};
  }

  function wireOf(by: string, isAlive: () => boolean): Exchange {
    return {
      read: async (_line, request, {signal}) => {
        const reply = await travel(request, {by, isAlive, isOperation: false}, signal);
        return reply.ok ? {ok: true, value: opened(reply.value)} : reply;
      },
      operation: (_line, request) => travel(request, {by, isAlive, isOperation: true}),
    };
  }

  function travel(
    request: WireRequest,
    {by, isAlive, isOperation}: {readonly by: string; readonly isAlive: () => boolean; readonly isOperation: boolean},
    signal?: AbortSignal,
  ): Promise<Result<WireReply>> {
    // The dead send nothing, and wait for nothing.
    if (!isAlive()) return new Promise(() => {});
    const {method, url, body} = request;
    const index = sent.filter(each => each.isOperation === isOperation).length;
    const path = url.pathname.slice(BASE_PATH.length);
    const one: Sent = {by, isOperation, method, path, query: url.search, body, atMs: clock.monotonicNow(), index};
    sent.push(one);
    note(`${by} ${isOperation ? 'operation' : 'read'} ${method} ${path}${url.search}`);
    return new Promise(resolve => {
      let isSettled = false;
      const end = (result: Result<WireReply>) => {
        if (isSettled || !isAlive()) return;
        isSettled = true;
        cancelTimer();
        note(`${path} ${result.ok ? result.value.httpStatus : result.failure.kind}`);
        resolve(result);
      };
      const timeoutMs = isOperation ? OPERATION_TIMEOUT_MS : READ_TIMEOUT_MS;
      const fail = (failure: Failure) => end({ok: false, failure});
      const cancelTimer = clock.after(timeoutMs, () => fail({kind: 'timed-out', afterMs: timeoutMs}));
      signal?.addEventListener('abort', () => fail(CUT), {once: true});
      void undergo(one, request, {end, fail});
    });
  }

  async function undergo(
    one: Sent,
    request: WireRequest,
    {end, fail}: {end: (result: Result<WireReply>) => void; fail: (failure: Failure) => void},
  ): Promise<void> {
    const mishap = mishapOf(one);
    const later = (delayMs: DurationMs) => new Promise<void>(resolve => clock.after(delayMs, resolve));
    await later(wayMs());
    if (mishap?.kind === 'unconnected') return fail({kind: 'not-sent', detail: safeText('connection refused')});
    if (mishap?.kind === 'unsent') return fail(CUT);
    if (mishap?.kind === 'delayed') await later(mishap.byMs);
    const isExecuted = mishap?.kind !== 'dropped' && (mishap?.kind !== 'instead' || mishap.isExecuted);
    const times = mishap?.kind === 'repeated' ? 2 : 1;
    let reply: WireReply | undefined;
    for (let count = 0; isExecuted && count < times; count += 1) {
      const own = await carryOut(request.method, request.url.href, {
        body: request.body,
        key: world.keys.owner,
        isOurs: one.isOperation,
      });
      reply ??= own;
    }
    if (reply !== undefined && !one.isOperation) remember(`${one.path}${one.query}`, reply.body);
    note(`arrived ${one.method} ${one.path} ${isExecuted ? (reply?.httpStatus ?? '') : 'dropped'}`);
    for (const listener of listeners) listener({...one, isExecuted});
    await later((mishap?.kind === 'slow' ? mishap.byMs : 0) + wayMs());
    if (mishap?.kind === 'dropped' || mishap?.kind === 'cut') return fail(CUT);
    if (!one.isOperation) for (const listener of answerListeners) listener({...one, isExecuted});
    end({ok: true, value: asGiven(one, reply ?? EMPTY, mishap)});
  }

  function remember(question: string, body: string): void {
    const known = bodies.get(question) ?? [];
    known.push(body);
    bodies.set(question, known);
  }

  function asGiven(one: Sent, own: WireReply, mishap: Mishap | undefined): WireReply {
    if (mishap?.kind === 'stale') {
      const known = bodies.get(`${one.path}${one.query}`) ?? [];
      const body = known[Math.max(0, known.length - 1 - mishap.answersAgo)] ?? own.body;
      // The first answer of all may have been a refusal; a stale answer is a good one that is old.
      return {...own, body};
    }
    if (mishap?.kind !== 'instead') return own;
    const {httpStatus = own.httpStatus, body = own.body, headers = {}} = mishap.reply(own);
    return {httpStatus, body, header: name => headers[name]};
  }

  return {
    time,
    seed,
    chance,
    baseUrl: `${ORIGIN}${BASE_PATH}`,
    apiKey: world.keys.owner,
    wireOf,
    setMishaps: next => {
      mishapOf = next;
    },
    sent,
    subscribe: listener => listeners.push(listener),
    onAnswer: listener => answerListeners.push(listener),
    ask: async (method, path, {body, asOther = false} = {}) => {
      const key = asOther ? world.keys.member : world.keys.owner;
      const text = body === undefined ? undefined : JSON.stringify(body);
      const reply = await carryOut(method, `${ORIGIN}${BASE_PATH}${path}`, {body: text, key, isOurs: false});
      if (asOther) note(`another person: ${method} ${path} ${reply.httpStatus}`);
      return JSON.parse(reply.body);
    },
    executionCount: () => executionCount,
    everybodysExecutionCount: () => world.executions.length,
    settle: async () => {
      // What an answer leads to may ask the next question at once.
      for (let quietTurns = 0; quietTurns < 2; ) {
        await time.advance(0);
        quietTurns = answering === 0 ? quietTurns + 1 : 0;
      }
    },
    note,
    trace,
  };
}

const CUT: Failure = {kind: 'cut', detail: safeText('the line broke')};
const EMPTY: WireReply = {httpStatus: 200, header: () => undefined, body: '{"status":true,"message":"received"}'};

/** The same answer as it comes over a network: its head, and then its body. */
function opened({httpStatus, header, body}: WireReply): OpenReply {
  const chunks = [Buffer.from(body)];
  return {httpStatus, header, next: () => Promise.resolve({ok: true, value: chunks.shift()}), close: () => {}};
}
