import {request} from 'node:http';
import type {LookupFunction} from 'node:net';

/** Posts events to callback URLs without ever delaying the world. */
export type CallbackDelivery = {
  /** Takes a body for a URL. Hosts other than this computer are never contacted. */
  readonly post: (url: string, body: object) => void;
  /** Cancels what is under way and takes nothing more. */
  readonly close: () => void;
};

const TIMEOUT_MS = 2000;
/** Maximum bodies queued for one URL; a slower receiver loses the oldest. */
const QUEUE_LIMIT = 100;
/** Maximum URLs posted to at the same time; beyond it events are dropped. */
const URL_LIMIT = 64;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Each URL has its own queue, so one that does not answer delays no other, and its events arrive in order. One attempt
 * per event, two seconds long: how often the real service tries is not documented.
 */
export function createCallbackDelivery(): CallbackDelivery {
  const queues = new Map<string, object[]>();
  const end = new AbortController();

  async function empty(url: string, queue: object[]): Promise<void> {
    for (let body = queue.shift(); body !== undefined && !end.signal.aborted; body = queue.shift()) {
      await send(url, JSON.stringify(body), AbortSignal.any([end.signal, AbortSignal.timeout(TIMEOUT_MS)]));
    }
    queues.delete(url);
  }

  return {
    post: (url, body) => {
      if (end.signal.aborted || !isLoopback(url)) return;
      const waiting = queues.get(url);
      if (waiting !== undefined) {
        waiting.push(body);
        if (waiting.length > QUEUE_LIMIT) waiting.shift();
        return;
      }
      if (queues.size >= URL_LIMIT) return;
      const queue = [body];
      queues.set(url, queue);
      void empty(url, queue);
    },
    close: () => end.abort(),
  };
}

/** Whether a URL names this computer, over plain http. */
export function isLoopback(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && LOOPBACK.has(parsed.hostname);
}

// Node's own client: it follows no redirect, and with its own agent uses no proxy.
function send(url: string, body: string, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    const headers = {'content-type': 'application/json', 'content-length': Buffer.byteLength(body)};
    const outgoing = request(url, {method: 'POST', agent: false, headers, signal, lookup}, answer => {
      // The answer's content does not matter, only that there was one.
      answer.resume();
      answer.once('close', done);
    });
    outgoing.once('error', () => done());
    outgoing.end(body);
  });
}

/** `localhost` is this computer whatever a name server says. */
const lookup: LookupFunction = (_hostname, {all}, answer) => {
  if (all === true) {
    answer(null, [
      {address: '127.0.0.1', family: 4},
      {address: '::1', family: 6},
    ]);
  } else answer(null, '127.0.0.1', 4);
};
