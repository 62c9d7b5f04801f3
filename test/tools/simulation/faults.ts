import type {WireReply} from '../../../src/api/exchange.ts';
import type {ActionKind} from '../../../src/domain/action.ts';
import {type DurationMs, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import type {Mishap, Sent} from './cloud.ts';

/** When the one who operates dies: at so-manieth line of the journal, or with the request on its way. */
export type Death =
  | {readonly atLine: 1 | 2 | 3 | 4; readonly moment: 'before' | 'torn' | 'after'}
  | {readonly atArrival: 'on its way' | 'answered'};

/** One way for an operation to go wrong. */
export type Fault = {
  readonly name: string;
  /** What befalls the request of the operation; each is the first of its kind. */
  readonly operation?: Mishap;
  /** What befalls readings, by the time since the operation left; negative before that. */
  readonly reading?: (sinceMs: DurationMs, sent: Sent, chance: () => number, kind: ActionKind) => Mishap | undefined;
  /** How long after the operation left readings are whole again. */
  readonly recoversAfterMs?: DurationMs;
  readonly death?: Death;
  /** Another person does the same, or something else, to the same thing. */
  readonly other?: `${'same' | 'disturbance'} ${'before the check' | 'just before' | 'just after' | 'soon after'}`;
  /** Begun so many times in one tick. */
  readonly beginCount?: number;
  /** Another skydeck with the same journal: asked for the same in the same moment, or opened meanwhile. */
  readonly rival?: 'at once' | 'while it is under way';
  /** The machine sleeps while the check waits for its answer. */
  readonly sleepsMs?: DurationMs;
  readonly isJournalBroken?: true;
};

const LATE: Mishap = {kind: 'slow', byMs: MINUTE_MS};
const ELSEWHERE = 'https://elsewhere.example/v1/core/virtual-machines';
const PAGE = '<html><body><h1>gateway</h1></body></html>';

function instead(isExecuted: boolean, reply: Extract<Mishap, {kind: 'instead'}>['reply']): Mishap {
  return {kind: 'instead', isExecuted, reply};
}

function bothWays(name: string, reply: Extract<Mishap, {kind: 'instead'}>['reply']): readonly Fault[] {
  return [
    {name: `${name}, not executed`, operation: instead(false, reply)},
    {name: `${name}, executed`, operation: instead(true, reply)},
  ];
}

function failing(httpStatus: number): Mishap {
  return instead(false, () => ({httpStatus, body: httpStatus === 503 ? PAGE : '{"status":false,"message":"no"}'}));
}

function halved({body}: WireReply): {readonly body: string} {
  return {body: body.slice(0, Math.ceil(body.length / 2))};
}

const OUTAGE_MS = 40 * SECOND_MS;
/** What another person began has come to its end by then. */
const OTHERS_TAKE_MS = 30 * SECOND_MS;
/** As long as readings tell of the past there is nothing to resolve by. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** The operation's answer is lost, and for a while nothing can be read either. */
function outage(name: string, mishap: Mishap, isExecuted: boolean): Fault {
  return {
    name: `${isExecuted ? 'executed' : 'dropped'} and unanswered, then ${name} for a while`,
    operation: isExecuted ? {kind: 'cut'} : {kind: 'dropped'},
    reading: sinceMs => (sinceMs >= 0 && sinceMs < OUTAGE_MS ? mishap : undefined),
    recoversAfterMs: OUTAGE_MS,
  };
}

/**
 * Readings that tell of the past: any answer of the last few, the newest among them. Not of what ends in the state it
 * began in: a record from before it and one from after it are the same record, and nobody could tell them apart.
 */
function staleReading(_sinceMs: DurationMs, {path}: Sent, chance: () => number, kind: ActionKind): Mishap | undefined {
  const isRecord = /\/\d+$/.test(path);
  if (isRecord && (kind === 'vm.hard-reboot' || kind === 'cluster.reconcile')) return undefined;
  const answersAgo = Math.floor(chance() * 4);
  return answersAgo === 0 ? undefined : {kind: 'stale', answersAgo};
}

/** Readings of very different lengths, so that what was begun first may arrive last. */
function reorderedReading(_sinceMs: DurationMs, _sent: Sent, chance: () => number): Mishap {
  return {kind: chance() < 0.5 ? 'slow' : 'delayed', byMs: Math.floor(chance() * 9 * SECOND_MS)};
}

const DEATHS: readonly Fault[] = [
  ...([1, 2, 3, 4] as const).flatMap(atLine =>
    (['before', 'torn', 'after'] as const).map(
      (moment): Fault => ({name: `killed, line ${atLine} of the journal ${moment}`, death: {atLine, moment}}),
    ),
  ),
  {name: 'killed with the request on its way', death: {atArrival: 'on its way'}},
  {name: 'killed with the answer on its way', death: {atArrival: 'answered'}},
  {name: 'killed with a dropped request on its way', operation: {kind: 'dropped'}, death: {atArrival: 'on its way'}},
  {
    name: 'killed, and the request is carried out long after',
    operation: {kind: 'delayed', byMs: 30 * SECOND_MS},
    death: {atLine: 1, moment: 'after'},
  },
];

const OTHERS: readonly Fault[] = (['same', 'disturbance'] as const).flatMap(what => [
  ...(['before the check', 'just before', 'just after', 'soon after'] as const).map(
    (when): Fault => ({name: `another person: ${what}, ${when}`, other: `${what} ${when}`}),
  ),
  {
    name: `another person: ${what}, and ours is dropped`,
    operation: {kind: 'dropped'} as const,
    other: `${what} just after` as const,
  },
  {
    name: `another person: ${what}, and ours is not answered`,
    operation: {kind: 'cut'} as const,
    other: `${what} soon after` as const,
  },
]);

/** Every step at which something can go wrong, and every way it is known to have gone wrong for somebody. */
export const FAULTS: readonly Fault[] = [
  {name: 'nothing'},
  {name: 'no connection', operation: {kind: 'unconnected'}},
  {name: 'connected, and cut before the request', operation: {kind: 'unsent'}},
  {name: 'sent, and dropped', operation: {kind: 'dropped'}},
  {name: 'executed, and cut', operation: {kind: 'cut'}},
  ...[500, 502, 503, 504].flatMap(httpStatus =>
    bothWays(`answered ${httpStatus}`, () => ({httpStatus, body: '{"message":"Internal Server Error"}'})),
  ),
  ...bothWays('truncated JSON', halved),
  ...bothWays('an empty 200', () => ({body: ''})),
  ...bothWays('an HTML 200', () => ({body: PAGE})),
  ...bothWays('JSON of another kind', () => ({body: '[1,2]'})),
  ...[301, 302, 303, 307, 308].flatMap(httpStatus =>
    bothWays(`redirected ${httpStatus}`, () => ({httpStatus, body: '', headers: {location: ELSEWHERE}})),
  ),
  ...[
    [429, '{"status":false,"message":"Rate limit"}'],
    [401, '{"status":false,"message":"no key"}'],
    [403, '{"status":false,"message":"not yours"}'],
    [404, '{"status":false,"message":"not there"}'],
    [409, '{"status":false,"message":"twice"}'],
    [200, '{"status":false,"message":"cannot be done"}'],
  ].map(
    ([httpStatus, body]): Fault => ({
      name: `refused: ${httpStatus} ${body}`,
      operation: instead(false, () => ({httpStatus: Number(httpStatus), body: String(body)})),
    }),
  ),
  {name: 'answered late', operation: {kind: 'slow', byMs: 30 * SECOND_MS}},
  {name: 'answered after the time-out', operation: LATE},
  {name: 'executed late', operation: {kind: 'delayed', byMs: 30 * SECOND_MS}},
  {name: 'executed after the time-out', operation: {kind: 'delayed', byMs: MINUTE_MS}},
  {name: 'sent twice by a proxy', operation: {kind: 'repeated'}},
  {name: 'stale readings', reading: staleReading, recoversAfterMs: NEVER_MS},
  {
    name: 'stale readings, executed and cut',
    reading: staleReading,
    operation: {kind: 'cut'},
    recoversAfterMs: NEVER_MS,
  },
  {name: 'reordered readings', reading: reorderedReading},
  {name: 'reordered readings, executed and cut', reading: reorderedReading, operation: {kind: 'cut'}},
  {name: 'reordered readings, dropped', reading: reorderedReading, operation: {kind: 'dropped'}},
  ...[true, false].flatMap(isExecuted => [
    outage('cut readings', {kind: 'cut'}, isExecuted),
    outage('unconnected readings', {kind: 'unconnected'}, isExecuted),
    outage('readings answered 503', failing(503), isExecuted),
    outage('readings answered 429', failing(429), isExecuted),
    outage('readings of half their length', instead(true, halved), isExecuted),
  ]),
  {name: 'the check fails', reading: sinceMs => (sinceMs < 0 ? failing(500) : undefined)},
  {name: 'the check is rate-limited', reading: sinceMs => (sinceMs < 0 ? failing(429) : undefined)},
  {name: 'the check takes too long', reading: sinceMs => (sinceMs < 0 ? {kind: 'slow', byMs: MINUTE_MS} : undefined)},
  {name: 'asleep during the check', sleepsMs: 8 * 60 * MINUTE_MS},
  {name: 'the journal cannot be written', isJournalBroken: true},
  {name: 'begun twice in one tick', beginCount: 2},
  {name: 'begun fifty times, executed and cut', beginCount: 50, operation: {kind: 'cut'}},
  ...(['at once', 'while it is under way'] as const).flatMap(rival => [
    {name: `another skydeck ${rival}`, rival},
    {name: `another skydeck ${rival}, executed and cut`, rival, operation: {kind: 'cut'} as const},
    {name: `another skydeck ${rival}, answered after the time-out`, rival, operation: LATE},
  ]),
  ...OTHERS.map(fault => ({...fault, recoversAfterMs: OTHERS_TAKE_MS})),
  ...DEATHS,
];
