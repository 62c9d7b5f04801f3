import {request} from 'node:http';
import type {LookupFunction} from 'node:net';

/** Posts to callback URLs, beside the world and never in its way. */
export type CallbackDelivery = {
  /** Takes a body for a URL. What is not on this machine is never contacted. */
  readonly post: (url: string, body: object) => void;
  /** Ends what is under way and takes nothing more. */
  readonly close: () => void;
};

const TIMEOUT_MS = 2000;
/** Bodies waiting for one URL; a receiver that is slower loses the oldest. */
const QUEUE_LIMIT = 100;
/** URLs that are posted to at the same time; a machine too many is not posted for. */
const URL_LIMIT = 64;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Each URL has a queue of its own, so one that does not answer holds up no other, and its events arrive in order. One
 * attempt for each event, two seconds long: how often the real service tries is not documented.
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

/** Whether a URL names this machine, in plain http. */
export function isLoopback(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && LOOPBACK.has(parsed.hostname);
}

// Node's own client: it follows no redirect, and with an agent of its own goes through no proxy.
function send(url: string, body: string, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    const headers = {'content-type': 'application/json', 'content-length': Buffer.byteLength(body)};
    const outgoing = request(url, {method: 'POST', agent: false, headers, signal, lookup}, answer => {
      // What it says does not matter, only that it has said it.
      answer.resume();
      answer.once('close', done);
    });
    outgoing.once('error', () => done());
    outgoing.end(body);
  });
}

/** `localhost` is this machine whatever a name server says. */
const lookup: LookupFunction = (_hostname, {all}, answer) => {
  if (all === true) {
    answer(null, [
      {address: '127.0.0.1', family: 4},
      {address: '::1', family: 6},
    ]);
  } else answer(null, '127.0.0.1', 4);
};
