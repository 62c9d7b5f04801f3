import {type Action, subjectOf} from '../domain/action.ts';
import {operationWords} from '../domain/describe-operation.ts';
import {isEnded, type Operation, type OperationPhase} from '../domain/operation.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import type {SentOperation, TimelineSubject} from '../domain/timeline/entry.ts';
import type {Latest, LatestEntry, RawEntry} from '../state/journal.ts';
import {formatElapsed} from '../ui/format.ts';
import {recordOf, wordsOf} from './actions.ts';

/** What was sent from this computer: an operation of this session or of an earlier one, or a raw request. */
export type Sent = {
  readonly id: string;
  /** Undefined for a raw request. */
  readonly action: Action | undefined;
  readonly subjectName: SafeText | undefined;
  readonly words: SafeText;
  /** As last heard. */
  readonly phase: OperationPhase;
  readonly detail: SafeText | undefined;
  /** When the person confirmed it; of very old entries when the last line was written. */
  readonly confirmedAt: EpochMs;
  /** As the journal on disk has it: undefined where it does not. */
  readonly sentAt: EpochMs | undefined;
  readonly endedAt: EpochMs | undefined;
  /** When its last line was written; undefined for one that has none yet. */
  readonly changedAt: EpochMs | undefined;
  /** This session watches it, so the phase is that of now. */
  readonly isWatched: boolean;
  /** Sent by another skydeck that is still there. */
  readonly isElsewhere: boolean;
};

type SentSources = {
  readonly operations?: {readonly all: () => readonly Operation[]} | undefined;
  readonly journal?: (() => Latest) | undefined;
};

/** The operations of this session, then those that only the journal has, then the raw requests. */
export function sentFromHere({operations, journal}: SentSources): readonly Sent[] {
  const {entries, raws} = journal?.() ?? {entries: [], raws: []};
  const written = new Map(entries.map(entry => [entry.operationId, entry]));
  const live = operations?.all() ?? [];
  const ids = new Set(live.map(({id}) => id));
  return [
    ...live.map(operation => sentOperation(operation, written.get(operation.id))),
    ...entries.filter(({operationId, phase}) => !ids.has(operationId) && phase !== 'preflight').map(sentEntry),
    ...raws.map(sentRaw),
  ];
}

function sentOperation(operation: Operation, written: LatestEntry | undefined): Sent {
  const {id, action, subjectName, phase, detail, remark, correction, confirmedAt, sentElsewhereAt} = operation;
  const {sentAt} = written ?? {};
  // The file is read now and then: what ended since still looks open in it.
  const endedAt = isEnded(phase) ? written?.endedAt : undefined;
  return {
    id,
    action,
    subjectName,
    words: operationWords(operation),
    phase,
    detail: correction ?? withLastLook({phase, detail: detail ?? remark, sentAt, endedAt}),
    confirmedAt,
    sentAt,
    endedAt,
    changedAt: written?.at,
    isWatched: true,
    isElsewhere: sentElsewhereAt !== undefined,
  };
}

function sentEntry(entry: LatestEntry): Sent {
  const {operationId, at, action, subjectName, phase, detail, correction, confirmedAt = at, sentAt, endedAt} = entry;
  return {
    id: operationId,
    action,
    subjectName,
    words: wordsOf(entry),
    phase,
    detail: correction ?? withLastLook({phase, detail, sentAt, endedAt}),
    confirmedAt,
    sentAt,
    endedAt,
    changedAt: at,
    isWatched: false,
    isElsewhere: false,
  };
}

/** That nothing was seen says only as much as was looked for: an effect may still have come after that. */
function withLastLook({phase, detail, sentAt, endedAt}: Pick<Sent, 'phase' | 'detail' | 'sentAt' | 'endedAt'>) {
  if (phase !== 'NO_EFFECT_SEEN' || sentAt === undefined || endedAt === undefined) return detail;
  const look = say`last looked ${safeText(formatElapsed(endedAt - sentAt))} after sending`;
  return joinSafe(detail === undefined ? [look] : [detail, look], '; ');
}

function sentRaw({operationId, at, confirmedAt, phase, request, detail}: RawEntry): Sent {
  return {
    id: operationId,
    action: undefined,
    subjectName: undefined,
    words: request,
    phase,
    detail,
    confirmedAt,
    sentAt: confirmedAt,
    endedAt: phase === 'sent' ? undefined : at,
    changedAt: at,
    isWatched: false,
    isElsewhere: false,
  };
}

/** Whether an outcome is still to come. Of a raw request nothing is known beyond its answer. */
export function isOpen({action, phase}: Pick<Sent, 'action' | 'phase'>): boolean {
  return action === undefined ? phase === 'sent' : !isEnded(phase);
}

/** The same, each as it stands now. */
export function presentSent({now, ...sources}: SentSources & {readonly now: EpochMs}): readonly Sent[] {
  return sentFromHere(sources).map(sent => ({...sent, phase: presentPhase(sent, now)}));
}

/**
 * The phase as it is now. What the service has accepted is under way for as long as such an action usually takes; the
 * outcome of any other open one that this session does not watch is unknown.
 */
function presentPhase(sent: Sent, now: EpochMs): OperationPhase {
  if (sent.isWatched || !isOpen(sent)) return sent.phase;
  const ageMs = now - sent.confirmedAt;
  // A raw request is answered or given up within a minute.
  if (sent.action === undefined) return ageMs <= MINUTE_MS ? sent.phase : 'unknown';
  const isAccepted = sent.phase === 'accepted' || sent.phase === 'in-progress';
  return isAccepted && ageMs <= recordOf(sent.action).overdueAfterMs ? 'in-progress' : 'unknown';
}

/** What was sent, for the timeline: without raw requests, whose subject is not known. */
export function sentFrom(known: SentSources & {readonly now: EpochMs}): readonly SentOperation[] {
  return presentSent(known).flatMap(sent => {
    const {action, subjectName, phase} = sent;
    if (action === undefined || subjectName === undefined || phase === 'preflight') return [];
    return {
      ...sent,
      happening: recordOf(action).happening,
      subject: subjectIn(action, subjectName),
    };
  });
}

function subjectIn(action: Action, name: SafeText): TimelineSubject {
  const subject = subjectOf(action);
  return 'id' in subject ? {type: subject.type, id: subject.id, name} : {type: subject.type, name};
}
