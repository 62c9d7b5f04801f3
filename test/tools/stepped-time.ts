// Loaded before the deck (`node --import`), so that a picture of it does not depend on how fast the machine was: time
// passes only when the tool says so, every answer takes as long as every other, and chance is the same each time.
import crypto from 'node:crypto';
import {connect} from 'node:net';
import {setImmediate as nextTurn} from 'node:timers/promises';

/** One line on the socket, as JSON: let time pass up to a moment, once all keys so far have arrived. */
export type TimeOrder = {
  readonly untilMs: number;
  readonly stdinBytes: number;
  /** Time waits for answers that are on their way; false where none is ever to come. */
  readonly waitsForAnswers: boolean;
};

export const TIME_SOCKET = 'SKYDECK_TIME_SOCKET';
/** The wall clock when the deck starts, epoch milliseconds. */
export const TIME_START = 'SKYDECK_TIME_START';
/** The private sequence, with the moment in it, that follows all that was drawn up to then. */
export const TIME_MARK = 7411;

export function timeMark(momentMs: number): string {
  return `\u001b]${TIME_MARK};${momentMs}\u0007`;
}

/** What every answer takes. */
const LATENCY_MS = 23;
/** React and the reading of bodies go over several turns; after this many quiet ones nothing is left to do. */
const QUIET_TURNS = 12;

type Timer = {
  readonly dueMs: number;
  readonly run: () => void;
  /** Of an answer: which question it is to, counted from the first. */
  readonly askedIndex?: number;
};

const timers = new Set<Timer>();
let elapsedMs = 0;
let answersUnderWay = 0;
let askedCount = 0;

const socketPath = process.env[TIME_SOCKET];
if (socketPath !== undefined) {
  delete process.env[TIME_SOCKET];
  takeOverTime();
  obey(socketPath);
}

function takeOverTime(): void {
  const setVirtual = (run: (...details: unknown[]) => void, delayMs = 0, ...details: unknown[]) => {
    const timer: Timer = {dueMs: elapsedMs + Math.max(1, delayMs), run: () => run(...details)};
    timers.add(timer);
    return Object.assign(timer, {ref: () => timer, unref: () => timer, hasRef: () => false});
  };
  Object.assign(globalThis, {
    setTimeout: setVirtual,
    clearTimeout: (timer: Timer) => timers.delete(timer),
    fetch: evenly(globalThis.fetch),
  });
  Object.defineProperty(performance, 'now', {value: () => elapsedMs});
  const startedAt = Number(process.env[TIME_START]);
  Date.now = () => startedAt + elapsedMs;
  Math.random = createChance();
  let idCount = 0;
  // The program takes it from the module, which is one object for all.
  crypto.randomUUID = () => {
    idCount += 1;
    return `00000000-0000-4000-8000-${String(idCount).padStart(12, '0')}` as const;
  };
}

/** Whether it was quick or slow, whole or broken: what became of a request is told after the same time. */
function evenly(realFetch: typeof fetch): typeof fetch {
  return async (input, init) => {
    // The layout library fetches itself out of a data URL while it loads, before there is any time.
    if (urlOf(input).startsWith('data:')) return realFetch(input, init);
    answersUnderWay += 1;
    const askedIndex = askedCount;
    askedCount += 1;
    const answer = realFetch(input, init).then(async response => {
      await response.clone().arrayBuffer();
      return response;
    });
    await answer.catch(() => undefined);
    answersUnderWay -= 1;
    await new Promise<void>(resolve => {
      timers.add({dueMs: elapsedMs + LATENCY_MS, run: resolve, askedIndex});
    });
    return answer;
  };
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  if (typeof input === 'string') return input;
  return input instanceof URL ? input.href : input.url;
}

/** Mulberry32, a small generator with a fixed seed. */
function createChance(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function obey(path: string): void {
  let orders = Promise.resolve();
  let unread = '';
  const socket = connect(path).setEncoding('utf8');
  socket.unref();
  socket.on('data', (chunk: string) => {
    const lines = `${unread}${chunk}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) orders = orders.then(() => carryOut(JSON.parse(line)));
  });
}

async function carryOut(order: TimeOrder): Promise<void> {
  while (process.stdin.bytesRead < order.stdinBytes) await nextTurn();
  for (;;) {
    await untilQuiet(order);
    const timer = earliest();
    if (timer === undefined || timer.dueMs > order.untilMs) break;
    timers.delete(timer);
    elapsedMs = timer.dueMs;
    timer.run();
  }
  elapsedMs = order.untilMs;
  process.stdout.write(timeMark(order.untilMs));
}

async function untilQuiet({waitsForAnswers}: TimeOrder): Promise<void> {
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; quietTurns += 1) {
    await nextTurn();
    if (waitsForAnswers && answersUnderWay > 0) quietTurns = 0;
  }
}

/** The first due; of two due together the one set first, of two answers that to the earlier question. */
function earliest(): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || isBefore(timer, first)) first = timer;
  return first;
}

function isBefore(timer: Timer, other: Timer): boolean {
  if (timer.dueMs !== other.dueMs) return timer.dueMs < other.dueMs;
  const {askedIndex} = timer;
  return askedIndex !== undefined && other.askedIndex !== undefined && askedIndex < other.askedIndex;
}
