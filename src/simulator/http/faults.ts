import type {ServerResponse} from 'node:http';
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response';
import {gatewayPage, plausibleError, succeeded} from './answers.ts';

/** How a request affected by a fault is answered. */
type Deliver = (request: StruckRequest) => Promise<Response>;

/** One kind of fault, as selected with `kind=`. */
type FaultKind = {
  /** Its name, with a value after a colon if it takes one: `latency:2s`. */
  readonly usage: string;
  /**
   * The default of `when`. A fault that replaces the answer comes before the request takes effect; one that spoils the
   * answer needs it to take effect.
   */
  readonly when: Fault['when'];
  /** Repeats answers of earlier requests, so their bodies are kept. */
  readonly isRepeating?: true;
  /** How it answers, given its value; or what is wrong with the value, and what is allowed. */
  readonly withValue: (value: string) => Deliver | Mistake;
};

type Mistake = {readonly what: string; readonly allowed: string};

/** Every kind of fault. */
const KINDS: readonly FaultKind[] = [
  {
    usage: 'latency:2s',
    when: 'before',
    withValue: value => {
      const delayMs = delayOf(value);
      if (delayMs !== undefined) return request => deliverLate(delayMs, request);
      return {
        what: `kind=latency:${value} is not a duration`,
        allowed: 'kind=latency:250ms, latency:2s or latency:1m',
      };
    },
  },
  {usage: 'reset', when: 'before', withValue: () => onAnswer(reset)},
  {usage: 'truncate', when: 'after', withValue: () => onAnswer(truncate)},
  {usage: 'malformed', when: 'after', withValue: () => onAnswer(malformed)},
  {
    usage: 'html',
    when: 'before',
    withValue: () => onAnswer(async (_answer, {httpStatus}) => gatewayPage(httpStatus ?? 200)),
  },
  {
    usage: 'redirect:URL',
    when: 'before',
    withValue: location =>
      location === ''
        ? {what: 'kind=redirect has no URL', allowed: 'kind=redirect:URL'}
        : onAnswer(
            async (_answer, {httpStatus}) => new Response(null, {status: httpStatus ?? 302, headers: {location}}),
          ),
  },
  {
    usage: 'stale:3',
    when: 'after',
    isRepeating: true,
    withValue: value =>
      /^[1-9]\d{0,2}$/.test(value)
        ? onAnswer((answer, {earlierBodies}) => stale(answer, Number(value), earlierBodies))
        : {what: `kind=stale:${value} is not a number of answers`, allowed: 'kind=stale:1 to stale:999'},
  },
  {usage: 'drip', when: 'after', withValue: () => onAnswer(drip)},
  {
    usage: 'without:FIELD',
    when: 'after',
    withValue: field =>
      field === ''
        ? {what: 'kind=without names no field', allowed: 'kind=without:FIELD'}
        : onAnswer(answer => without(answer, field)),
  },
];

/** Selected by `status=` alone. */
const STATUS: FaultKind = {
  usage: 'status',
  when: 'before',
  withValue: () => onAnswer(async (_answer, {httpStatus}) => plausibleError(httpStatus ?? 500)),
};

/** An answer in place of the real one. */
function onAnswer(spoil: (answer: Response, request: StruckRequest) => Promise<Response>): Deliver {
  return async request => {
    // With `before` the request never took effect, so there is only a stand-in answer to spoil.
    const isCarriedOut = request.when === 'after';
    return spoil(isCarriedOut ? await request.carryOut() : succeeded('The request was received'), request);
  };
}

export type Fault = {
  readonly deliver: Deliver;
  readonly isRepeating: boolean;
  /** The status of the answer; undefined keeps the kind's own. */
  readonly httpStatus: number | undefined;
  /** Whether the request takes effect: with `before` it does not. */
  readonly when: 'before' | 'after';
  readonly matches: (method: string, path: string) => boolean;
  /** How many times the fault applies in all. */
  readonly times: number;
  /** Applies to every n-th matching request. */
  readonly every: number;
};

/** The faults in force. */
export type FaultBoard = {
  readonly replace: (faults: readonly Fault[]) => void;
  /** The fault that applies to this request, if any; counts it. The path is relative to the base URL. */
  readonly strike: (method: string, path: string) => Fault | undefined;
  /** Whether a later answer to such a request may repeat this one. */
  readonly isRepeatable: (method: string, path: string) => boolean;
};

/** What a fault needs from the server. */
export type Delivery = {
  readonly outgoing: ServerResponse;
  /** Lets the request take effect and returns its answer. */
  readonly carryOut: () => Promise<Response>;
  readonly wait: (ms: number) => Promise<void>;
  /** Earlier bodies for the same URL, latest last. */
  readonly earlierBodies: string[];
  /** The `Date` for an answer written directly to the socket; for other answers the caller sets it. */
  readonly date: () => string;
};

type StruckRequest = Delivery & Pick<Fault, 'when' | 'httpStatus'>;

const PARTS = ['status', 'kind', 'match', 'when', 'times', 'every'] as const;
type Part = (typeof PARTS)[number];
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
    isRepeatable: (method, path) => counted.some(({fault}) => fault.isRepeating && fault.matches(method, path)),
  };
}

/**
 * Parses `status=500,match=GET /core/*,when=after,times=3,every=1`, or `kind=…` in place of `status=…`. Throws an error
 * that names the part that is wrong and what is allowed there.
 */
export function parseFault(spec: string): Fault {
  const parts = splitParts(spec);
  const kind = parts.get('kind');
  const status = parts.get('status');
  if (kind === undefined && status === undefined) {
    throw mistake(spec, 'it needs status= or kind=', `one of status=500 or kind=${ALL_KINDS}`);
  }
  const asked = kind === undefined ? {kind: STATUS, value: ''} : parseKind(spec, kind);
  const deliver = asked.kind.withValue(asked.value);
  if ('what' in deliver) throw mistake(spec, deliver.what, deliver.allowed);
  return {
    deliver,
    isRepeating: asked.kind.isRepeating === true,
    httpStatus: status === undefined ? undefined : parseStatus(spec, status),
    when: parseWhen(spec, parts.get('when') ?? asked.kind.when),
    matches: parseMatch(spec, parts.get('match') ?? '* *'),
    times: parseCount(spec, 'times', parts.get('times'), Number.POSITIVE_INFINITY),
    every: parseCount(spec, 'every', parts.get('every'), 1),
  };
}

function withCounts(faults: readonly Fault[]) {
  return faults.map(fault => ({fault, matchCount: 0, strikeCount: 0}));
}

// A comma ends a part only if a known part follows, because URLs and paths may contain commas.
function splitParts(spec: string): ReadonlyMap<Part, string> {
  const parts = new Map<Part, string>();
  for (const text of spec.split(new RegExp(`,(?=\\s*(?:${PARTS.join('|')})=)`))) {
    const [, name = '', value = ''] = /^\s*([^=]*)=(.*)$/s.exec(text) ?? [];
    const part = PARTS.find(known => known === name);
    if (part === undefined)
      throw mistake(spec, `"${text}" is not a known part`, PARTS.map(known => `${known}=`).join(', '));
    if (parts.has(part)) throw mistake(spec, `${part}= is given twice`, 'each part once');
    parts.set(part, value.trim());
  }
  return parts;
}

const USAGES = KINDS.map(({usage}) => usage);
/** What a fault is written with, for help. */
export const FAULT_PARTS = `status=200 to 599, kind=${USAGES.join('|')}, match=METHOD PATH, when=before|after, times=N, every=N`;
const ALL_KINDS = `${USAGES.slice(0, -1).join(', ')} or ${USAGES.at(-1)}`;

function parseKind(spec: string, text: string): {readonly kind: FaultKind; readonly value: string} {
  const [, name = '', colon = '', value = ''] = /^([^:]*)(:?)(.*)$/s.exec(text) ?? [];
  const kind = KINDS.find(({usage}) => usage.split(':')[0] === name);
  if (kind === undefined) throw mistake(spec, `kind=${text} is not known`, `kind=${ALL_KINDS}`);
  if (colon !== '' && !kind.usage.includes(':')) {
    throw mistake(spec, `kind=${name} takes no value`, `kind=${name}`);
  }
  return {kind, value};
}

function delayOf(text: string): number | undefined {
  const [, amount = '', unitName = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const unitMs = DELAY_UNIT_MS[unitName];
  return unitMs === undefined ? undefined : Number(amount) * unitMs;
}

function parseStatus(spec: string, text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw mistake(spec, `status=${text} is not a status code`, 'status=200 to status=599');
  return Number(text);
}

function parseWhen(spec: string, text: string): Fault['when'] {
  if (text === 'before' || text === 'after') return text;
  throw mistake(spec, `when=${text} is not known`, 'when=before or when=after');
}

function parseMatch(spec: string, text: string): Fault['matches'] {
  const [, method = '', path = ''] = /^(\*|[A-Z]+)\s+([*/]\S*)$/.exec(text) ?? [];
  if (method === '') throw mistake(spec, `match=${text} is not a method and path`, 'match=GET /core/* or match=* *');
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
  return new Error(`the fault "${spec}" cannot be read: ${what}; allowed: ${allowed}`);
}

/** Answers a request as the fault demands. */
export function deliver(fault: Fault, delivery: Delivery): Promise<Response> {
  const {when, httpStatus} = fault;
  return fault.deliver({...delivery, when, httpStatus});
}

async function deliverLate(delayMs: number, {when, carryOut, wait}: StruckRequest): Promise<Response> {
  if (when === 'before') await wait(delayMs);
  const answer = await carryOut();
  if (when === 'after') await wait(delayMs);
  return answer;
}

/** A reset rather than an orderly end: the client must see a broken connection. */
async function reset(_answer: Response, {outgoing}: StruckRequest): Promise<Response> {
  outgoing.socket?.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** A complete answer that is not valid JSON: its second half is missing, its length is right. */
async function malformed(answer: Response, {httpStatus}: StruckRequest): Promise<Response> {
  const body = await answer.text();
  const headers = {'content-type': 'application/json'};
  return new Response(body.slice(0, Math.ceil(body.length / 2)), {status: httpStatus ?? answer.status, headers});
}

/** Leaves a field out wherever it occurs, as other versions of the service do: a cluster may have no `nodes`. */
async function without(answer: Response, field: string): Promise<Response> {
  const body: unknown = await answer.json();
  const text = JSON.stringify(body, (key, value: unknown) => (key === field ? undefined : value));
  return new Response(text, {status: answer.status, headers: {'content-type': 'application/json'}});
}

/** The body of that many answers ago, or the oldest there is. */
async function stale(answer: Response, answersAgo: number, earlierBodies: string[]): Promise<Response> {
  const body = await answer.text();
  rememberBody(earlierBodies, body);
  const index = Math.max(0, earlierBodies.length - 1 - answersAgo);
  return new Response(earlierBodies[index] ?? body, {status: answer.status, headers: answer.headers});
}

/** Keeps a body for later stale answers. */
export function rememberBody(earlierBodies: string[], body: string): void {
  earlierBodies.push(body);
  if (earlierBodies.length > REMEMBERED_BODIES) earlierBodies.shift();
}

/** Announces the whole length, sends half of it, and cuts the connection once that was sent. */
async function truncate(answer: Response, {outgoing, date}: StruckRequest): Promise<Response> {
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, headersOf(answer, body, date()));
  await new Promise<void>(sent => {
    outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => sent());
  });
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Sends a few bytes at a time, until all are sent or the client has gone. */
async function drip(answer: Response, {outgoing, wait, date}: StruckRequest): Promise<Response> {
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, headersOf(answer, body, date()));
  for (let start = 0; start < body.length && !outgoing.destroyed; start += DRIP_BYTES) {
    outgoing.write(body.subarray(start, start + DRIP_BYTES));
    await wait(DRIP_INTERVAL_MS);
  }
  outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

function headersOf({headers}: Response, body: Buffer, date: string): Record<string, string | number> {
  return {...Object.fromEntries(headers), date, 'content-length': body.length};
}
