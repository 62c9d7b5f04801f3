import type {ServerResponse} from 'node:http';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {gatewayPage, plausibleError, succeeded} from './answers.ts';

/** What a fault does to a request that it strikes. */
type FaultEffect =
  | {readonly kind: 'status' | 'reset' | 'truncate' | 'malformed' | 'html' | 'drip'}
  | {readonly kind: 'latency'; readonly delayMs: number}
  | {readonly kind: 'redirect'; readonly location: string}
  /** Gives the answer that the same request got so many answers ago. */
  | {readonly kind: 'stale'; readonly answersAgo: number};

export type Fault = {
  readonly effect: FaultEffect;
  /** The status of the answer; undefined leaves the one that belongs to the effect. */
  readonly httpStatus: number | undefined;
  /** Whether the request takes effect: `before` = the fault comes first and it does not. */
  readonly when: 'before' | 'after';
  readonly matches: (method: string, path: string) => boolean;
  /** How often the fault strikes in all. */
  readonly times: number;
  /** Strikes each so-manieth request that matches. */
  readonly every: number;
};

/** The faults in force. */
export type FaultBoard = {
  readonly replace: (faults: readonly Fault[]) => void;
  /** The fault that strikes this request, if any; counts. The path is relative to the base URL. */
  readonly strike: (method: string, path: string) => Fault | undefined;
  /** Whether a later answer to such a request may be this one's over again. */
  readonly isRepeatable: (method: string, path: string) => boolean;
};

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

const PARTS = ['status', 'kind', 'match', 'when', 'times', 'every'] as const;
type Part = (typeof PARTS)[number];
const KINDS = 'latency:2s, reset, truncate, malformed, html, redirect:URL, stale:3 or drip';
const DELAY_UNIT_MS: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000};

const DRIP_INTERVAL_MS = 100;
const DRIP_BYTES = 16;
const REMEMBERED_BODIES = 1000;

export function createFaultBoard(faults: readonly Fault[]): FaultBoard {
  let counted = withCounts(faults);
  return {
    replace: next => {
      counted = withCounts(next);
    },
    strike: (method, path) => {
      for (const entry of counted) {
        if (entry.strikeCount >= entry.fault.times || !entry.fault.matches(method, path)) continue;
        entry.matchCount += 1;
        if (entry.matchCount % entry.fault.every !== 0) continue;
        entry.strikeCount += 1;
        return entry.fault;
      }
      return undefined;
    },
    isRepeatable: (method, path) =>
      counted.some(({fault}) => fault.effect.kind === 'stale' && fault.matches(method, path)),
  };
}

/**
 * Reads `status=500,match=GET /core/*,when=after,times=3,every=1`, or `kind=…` in the place of `status=…`. Throws an
 * error that names the part that is wrong and what is allowed there.
 */
export function parseFault(spec: string): Fault {
  const parts = splitParts(spec);
  const kind = parts.get('kind');
  const status = parts.get('status');
  if (kind === undefined && status === undefined) {
    throw mistake(spec, 'it says neither status= nor kind=', `one of status=500 or kind=${KINDS}`);
  }
  const effect: FaultEffect = kind === undefined ? {kind: 'status'} : parseEffect(spec, kind);
  return {
    effect,
    httpStatus: status === undefined ? undefined : parseStatus(spec, status),
    when: parseWhen(spec, parts.get('when'), effect),
    matches: parseMatch(spec, parts.get('match') ?? '* *'),
    times: parseCount(spec, 'times', parts.get('times'), Number.POSITIVE_INFINITY),
    every: parseCount(spec, 'every', parts.get('every'), 1),
  };
}

function withCounts(faults: readonly Fault[]) {
  return faults.map(fault => ({fault, matchCount: 0, strikeCount: 0}));
}

// A comma ends a part only where a known part follows: URLs and paths may hold commas of their own.
function splitParts(spec: string): ReadonlyMap<Part, string> {
  const parts = new Map<Part, string>();
  for (const text of spec.split(new RegExp(`,(?=\\s*(?:${PARTS.join('|')})=)`))) {
    const [, name = '', value = ''] = /^\s*([^=]*)=(.*)$/s.exec(text) ?? [];
    const part = PARTS.find(known => known === name);
    if (part === undefined)
      throw mistake(spec, `"${text}" is not a part of it`, PARTS.map(known => `${known}=`).join(', '));
    if (parts.has(part)) throw mistake(spec, `${part}= is there twice`, 'each part once');
    parts.set(part, value.trim());
  }
  return parts;
}

function parseEffect(spec: string, text: string): FaultEffect {
  const colonIndex = text.indexOf(':');
  const name = colonIndex < 0 ? text : text.slice(0, colonIndex);
  const value = colonIndex < 0 ? '' : text.slice(colonIndex + 1);
  switch (name) {
    case 'reset':
    case 'truncate':
    case 'malformed':
    case 'html':
    case 'drip':
      if (colonIndex >= 0) throw mistake(spec, `kind=${name} takes no value`, `kind=${name}`);
      return {kind: name};
    case 'latency':
      return {kind: 'latency', delayMs: parseDelay(spec, value)};
    case 'redirect':
      if (value === '') throw mistake(spec, 'kind=redirect names no place', 'kind=redirect:URL');
      return {kind: 'redirect', location: value};
    case 'stale':
      if (!/^[1-9]\d{0,2}$/.test(value))
        throw mistake(spec, `kind=stale:${value} names no number of answers`, 'kind=stale:1 to stale:999');
      return {kind: 'stale', answersAgo: Number(value)};
    default:
      throw mistake(spec, `kind=${text} is not known`, `kind=${KINDS}`);
  }
}

function parseDelay(spec: string, text: string): number {
  const [, amount = '', unitName = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const unitMs = DELAY_UNIT_MS[unitName];
  if (unitMs === undefined)
    throw mistake(spec, `kind=latency:${text} is no length of time`, 'kind=latency:250ms, latency:2s or latency:1m');
  return Number(amount) * unitMs;
}

function parseStatus(spec: string, text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw mistake(spec, `status=${text} is no status`, 'status=200 to status=599');
  return Number(text);
}

// What replaces an answer comes before the request by default; what spoils an answer needs one, so it comes after.
function parseWhen(spec: string, text: string | undefined, effect: FaultEffect): 'before' | 'after' {
  if (text === undefined) return ['truncate', 'malformed', 'drip', 'stale'].includes(effect.kind) ? 'after' : 'before';
  if (text === 'before' || text === 'after') return text;
  throw mistake(spec, `when=${text} is not known`, 'when=before or when=after');
}

function parseMatch(spec: string, text: string): Fault['matches'] {
  const [, method = '', path = ''] = /^(\*|[A-Z]+)\s+([*/]\S*)$/.exec(text) ?? [];
  if (method === '') throw mistake(spec, `match=${text} is no method and path`, 'match=GET /core/* or match=* *');
  const pattern = new RegExp(`^${path.split('*').map(literally).join('.*')}$`);
  return (actualMethod, actualPath) => (method === '*' || method === actualMethod) && pattern.test(actualPath);
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&');
}

function parseCount(spec: string, part: Part, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw mistake(spec, `${part}=${text} is no count`, `${part}=1 or more`);
  return Number(text);
}

function mistake(spec: string, what: string, allowed: string): Error {
  return new Error(`The fault "${spec}" cannot be read: ${what}; allowed: ${allowed}.`);
}

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
