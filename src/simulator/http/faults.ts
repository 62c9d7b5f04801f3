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

const PARTS = ['status', 'kind', 'match', 'when', 'times', 'every'] as const;
type Part = (typeof PARTS)[number];
const KINDS = 'latency:2s, reset, truncate, malformed, html, redirect:URL, stale:3 or drip';
const DELAY_UNIT_MS: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000};

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
