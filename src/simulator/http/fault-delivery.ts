import type {ServerResponse} from 'node:http';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {gatewayPage, plausibleError, succeeded} from './answer.ts';
import type {Fault} from './faults.ts';

/** What a fault needs of the server around it. */
export type Delivery = {
  readonly outgoing: ServerResponse;
  /** Lets the request take effect and gives its answer. */
  readonly carryOut: () => Promise<Response>;
  readonly wait: (ms: number) => Promise<void>;
  /** Earlier bodies for the same URL, the latest last. */
  readonly earlierBodies: string[];
};

/** The `Date` every answer carries is put on by the caller; what is written to the socket here needs it too. */
export type Dated = {readonly date: () => string};

const DRIP_INTERVAL_MS = 100;
const DRIP_BYTES = 16;
const REMEMBERED_BODIES = 1000;

/** Answers a request the way the fault wants it. */
export async function deliver(fault: Fault, delivery: Delivery, dated: Dated): Promise<Response> {
  const {effect, when} = fault;
  if (effect.kind === 'latency') return deliverLate(effect.delayMs, when, delivery);
  // An answer that is to be spoiled before the request takes effect is one that nobody ever meant.
  const answer = when === 'after' ? await delivery.carryOut() : succeeded('The request was received');
  switch (effect.kind) {
    case 'status':
      return plausibleError(fault.httpStatus ?? 500);
    case 'html':
      return gatewayPage(fault.httpStatus ?? 200);
    case 'redirect':
      return new Response(null, {status: fault.httpStatus ?? 302, headers: {location: effect.location}});
    case 'malformed':
      return malformed(answer, fault.httpStatus);
    case 'stale':
      return stale(answer, effect.answersAgo, delivery.earlierBodies);
    case 'reset':
      // A reset, not an orderly end: the client must see a broken line.
      delivery.outgoing.socket?.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    case 'truncate':
      await truncate(answer, delivery.outgoing, dated);
      return RESPONSE_ALREADY_SENT;
    case 'drip':
      await drip(answer, delivery, dated);
      return RESPONSE_ALREADY_SENT;
    default:
      return neverReached(effect);
  }
}

async function deliverLate(delayMs: number, when: Fault['when'], {carryOut, wait}: Delivery): Promise<Response> {
  if (when === 'after') {
    const answer = await carryOut();
    await wait(delayMs);
    return answer;
  }
  await wait(delayMs);
  return carryOut();
}

/** A whole answer that is no JSON: its second half is missing, its length is right. */
async function malformed(answer: Response, httpStatus: number | undefined): Promise<Response> {
  const body = await answer.text();
  const headers = {'content-type': 'application/json'};
  return new Response(body.slice(0, Math.ceil(body.length / 2)), {status: httpStatus ?? answer.status, headers});
}

/** The body of so many answers ago, or the oldest there is. */
async function stale(answer: Response, answersAgo: number, earlierBodies: string[]): Promise<Response> {
  const body = await answer.text();
  rememberBody(earlierBodies, body);
  const index = Math.max(0, earlierBodies.length - 1 - answersAgo);
  return new Response(earlierBodies[index] ?? body, {status: answer.status, headers: answer.headers});
}

/** Keeps a body for a stale answer to come. */
export function rememberBody(earlierBodies: string[], body: string): void {
  earlierBodies.push(body);
  if (earlierBodies.length > REMEMBERED_BODIES) earlierBodies.shift();
}

/** Promises the whole length, sends half, and cuts the line once that half has left. */
async function truncate(answer: Response, outgoing: ServerResponse, dated: Dated): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, {...headersOf(answer, dated), 'content-length': body.length});
  await new Promise<void>(sent => {
    outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => sent());
  });
  outgoing.destroy();
}

/** Sends a few bytes at a time, until all are sent or nobody listens. */
async function drip(answer: Response, {outgoing, wait}: Delivery, dated: Dated): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, {...headersOf(answer, dated), 'content-length': body.length});
  for (let start = 0; start < body.length && !outgoing.destroyed; start += DRIP_BYTES) {
    outgoing.write(body.subarray(start, start + DRIP_BYTES));
    await wait(DRIP_INTERVAL_MS);
  }
  outgoing.end();
}

function headersOf(answer: Response, {date}: Dated): Record<string, string> {
  return {...Object.fromEntries(answer.headers), date: date()};
}

function neverReached(effect: never): never {
  throw new Error(`No way to deliver the fault ${String(effect)}.`);
}
