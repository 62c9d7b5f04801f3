import {type Action, subjectKey, subjectOf, typeOf} from '../domain/action.ts';
import {statusOf} from '../domain/cloud-resource.ts';
import {knownOutcome, operationWords, repeatAdvice} from '../domain/describe-operation.ts';
import {isEnded, isUnsent, mayStillTakeEffect, type Operation, type OperationPhase} from '../domain/operation.ts';
import {oncePer} from '../domain/memo.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {SentOperation, TimelineSubject} from '../domain/timeline/entry.ts';
import type {Latest, LatestEntry, RawEntry} from '../state/operations/journal.ts';
import {isOpen, type Sent} from '../resources/journal.ts';
import {lastSeen, subjectResource} from '../resources/resources.ts';
import {isWhole} from '../state/feed.ts';
import type {Store} from '../state/store.ts';
import {formatElapsed} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {recordOf, wordsOf} from './actions.ts';

type SentSources = {
  readonly operations?: {readonly all: () => readonly Operation[]} | undefined;
  readonly journal?: (() => Latest) | undefined;
};

/**
 * Operations of this session, then those found only in the journal, then raw requests. What was not sent is among them
 * until the same is confirmed again: the rest of a batch that was resumed, and stopped again, stands once.
 */
export function sentFromHere({operations, journal}: SentSources): readonly Sent[] {
  const {entries, raws} = journal?.() ?? {entries: [], raws: []};
  const written = new Map(entries.map(entry => [entry.operationId, entry]));
  const live = operations?.all() ?? [];
  const ids = new Set(live.map(({id}) => id));
  const all = [
    ...live.map(operation => sentOperation(operation, written.get(operation.id))),
    ...entries.filter(({operationId, phase}) => !ids.has(operationId) && phase !== 'preflight').map(sentEntry),
    ...raws.map(sentRaw),
  ];
  const last = new Map<string, Sent>();
  for (const sent of all) if (!isConfirmedAfter(last.get(requestKey(sent)), sent)) last.set(requestKey(sent), sent);
  return withoutDone(all.filter(sent => !isUnsent(sent.phase) || last.get(requestKey(sent)) === sent));
}

/**
 * Equal for actions of the same kind with the same subject and parameters; their words leave parameters out. The body of
 * a raw request is not known, so none is the same as another.
 */
function requestKey({id, action, isWatched}: Sent): string {
  if (action === undefined) return id;
  return isWatched ? journaledKey(action) : actionKey(action);
}

const actionKey = oncePer((action: Action) => JSON.stringify(action));

/** The journal has no secrets, and the parameters in the order of their schema. */
const journaledKey = oncePer((action: Action) => {
  const record = recordOf(action);
  return JSON.stringify(record.parse(JSON.parse(JSON.stringify(record.withoutSecrets(action)))) ?? action);
});

/** What remained to be done after an action is no longer said once the state of its subject was changed again. */
function withoutDone(all: readonly Sent[]): readonly Sent[] {
  const changes = Map.groupBy(all.filter(isStateChange), keyOf);
  return all.map(sent => {
    const {detail, followUp, confirmedAt} = sent;
    if (detail === undefined || followUp === undefined) return sent;
    const isDone = changes.get(keyOf(sent))?.some(later => later.confirmedAt > confirmedAt);
    return isDone === true ? {...sent, detail: undefined} : sent;
  });
}

function isStateChange({phase, targetStatus}: Sent): boolean {
  return phase === 'CONFIRMED' && targetStatus !== undefined;
}

function keyOf({action}: Sent): string {
  return action === undefined ? '' : subjectKey(subjectOf(action));
}

/** Of two confirmed at the same moment, what was not sent comes first. */
function isConfirmedAfter(known: Sent | undefined, {confirmedAt, phase}: Sent): boolean {
  if (known === undefined || known.confirmedAt < confirmedAt) return false;
  return known.confirmedAt > confirmedAt || isUnsent(phase);
}

function sentOperation(operation: Operation, written: LatestEntry | undefined): Sent {
  const {id, action, subjectName, phase, remark, correction, confirmedAt, sentElsewhereAt} = operation;
  const followUp = followUpOf(operation);
  const detail = operation.detail ?? nextWords(followUp) ?? remark;
  const {sentAt} = written ?? {};
  // The file is read only now and then, so what ended since still looks open in it.
  const endedAt = isEnded(phase) ? written?.endedAt : undefined;
  return {
    id,
    action,
    targetStatus: recordOf(action).targetStatus,
    subjectName,
    words: operationWords(operation),
    phase,
    detail: correction ?? withLastLook({action, phase, detail, sentAt, endedAt}),
    followUp,
    correction,
    confirmedAt,
    sentAt,
    endedAt,
    changedAt: written?.at,
    isWatched: true,
    isElsewhere: sentElsewhereAt !== undefined,
    isByOtherKey: written?.isByOtherKey === true,
  };
}

function sentEntry(entry: LatestEntry): Sent {
  const {operationId, at, action, subjectName, phase, correction, confirmedAt = at, sentAt, endedAt} = entry;
  const followUp = followUpOf(entry);
  const detail = entry.detail ?? nextWords(followUp);
  return {
    id: operationId,
    action,
    targetStatus: recordOf(action).targetStatus,
    subjectName,
    words: wordsOf(entry),
    phase,
    detail: correction ?? withLastLook({action, phase, detail, sentAt, endedAt}),
    followUp,
    correction,
    confirmedAt,
    sentAt,
    endedAt,
    changedAt: at,
    isWatched: false,
    isElsewhere: false,
    isByOtherKey: entry.isByOtherKey === true,
  };
}

/** Where the message about what remains to be done is not seen, the detail says it, unless it says something else. */
function followUpOf({phase, detail, correction, followUp}: Operation | LatestEntry): SafeText | undefined {
  return phase === 'CONFIRMED' && detail === undefined && correction === undefined ? followUp : undefined;
}

function nextWords(followUp: SafeText | undefined): SafeText | undefined {
  return followUp && say`next ${followUp}`;
}

/** "Nothing was seen" only covers the time it was watched: an effect may have come later, so it says what to do. */
function withLastLook({
  action,
  phase,
  detail,
  sentAt,
  endedAt,
}: Pick<Sent, 'phase' | 'detail' | 'sentAt' | 'endedAt'> & {readonly action: Action}) {
  if (phase !== 'NO_EFFECT_SEEN') return detail;
  const isTimed = !isJob(action) && sentAt !== undefined && endedAt !== undefined;
  const looks = isTimed ? [say`last looked ${safeText(formatElapsed(endedAt - sentAt))} after sending`] : [];
  return joinSafe([...(detail === undefined ? [] : [detail]), ...looks, repeatAdvice(recordOf(action))], '; ');
}

/** It changes nothing, so nothing of it is seen, now or later. */
function isJob(action: Action): boolean {
  return recordOf(action).endsWithReply === true;
}

function sentRaw({operationId, at, confirmedAt, phase, request, detail}: RawEntry): Sent {
  return {
    id: operationId,
    action: undefined,
    targetStatus: undefined,
    subjectName: undefined,
    words: request,
    phase,
    detail,
    followUp: undefined,
    correction: undefined,
    confirmedAt,
    sentAt: confirmedAt,
    endedAt: phase === 'sent' ? undefined : at,
    changedAt: at,
    isWatched: false,
    isElsewhere: false,
    isByOtherKey: false,
  };
}

/** The same entries in their present state, with what the lists say of the subjects of those that nobody watches. */
export function presentSent({
  now,
  store,
  ...sources
}: SentSources & {readonly now: EpochMs; readonly store?: Store}): readonly Sent[] {
  return sentFromHere(sources).map(sent => {
    const present = inPresentPhase(sent, now);
    const state = store === undefined || sent.isWatched || !isOpen(sent) ? undefined : stateInList(sent, store);
    if (state === undefined) return present;
    return {...present, detail: present.detail === undefined ? state : say`${present.detail}; ${state}`};
  });
}

/** How the subject is listed now. That proves no outcome, but whoever takes over need not look it up. */
function stateInList({action}: Pick<Sent, 'action'>, store: Store): SafeText | undefined {
  if (action === undefined || action.spec !== undefined) return undefined;
  const type = typeOf(action.kind);
  const listing = lastValue(store.get(subjectResource(type).subjects.list));
  if (listing === undefined) return undefined;
  const [subject] = recordOf(action).among(action, lastSeen(store, type));
  if (subject === undefined) return isWhole(listing) ? say`it is no longer listed` : undefined;
  // The state of a firewall or machine says nothing about a rule that was added to it.
  const state = recordOf(action).ignoresStatus === true ? undefined : statusOf(subject);
  return state === undefined || state.statusText === '' ? undefined : say`it is ${state.statusText} now`;
}

/** The same in its present phase, with what is known of its outcome. */
export function inPresentPhase(sent: Sent, now: EpochMs): Sent {
  const known = sent.action === undefined ? sent : knownOutcome(sent);
  const present = {...known, phase: presentPhase(known, now)};
  if (isOnlyAccepted(present)) return {...present, detail: present.detail ?? NO_CHANGE_NOTED};
  if (!isEffectPossible(present, now)) return present;
  return {
    ...present,
    detail: present.detail === undefined ? STILL_POSSIBLE : say`${STILL_POSSIBLE}; ${present.detail}`,
  };
}

/** The journal says that the service accepted it, and of no change that was seen since. */
function isOnlyAccepted({action, phase, isWatched}: Sent): boolean {
  return action !== undefined && phase === 'accepted' && !isWatched;
}

const NO_CHANGE_NOTED = say`no change noted yet`;
const STILL_POSSIBLE = say`it may still take effect`;

function isEffectPossible({action, phase, correction, sentAt, confirmedAt}: Sent, now: EpochMs): boolean {
  if (action !== undefined && isJob(action)) return false;
  return mayStillTakeEffect({phase, correction}, now - (sentAt ?? confirmedAt));
}

/** What was sent to these before, without an outcome that was ever known, and may still take effect: one line. */
export function lateEffectLines(
  candidates: readonly {readonly action: Action}[],
  {now, ...sources}: SentSources & {readonly now: EpochMs},
): readonly Line[] {
  const keys = new Set(candidates.map(({action}) => subjectKey(subjectOf(action))));
  const late = sentFromHere(sources).filter(
    sent => sent.action !== undefined && keys.has(subjectKey(subjectOf(sent.action))) && isEffectPossible(sent, now),
  );
  const [first, ...others] = late.map(({words, sentAt, confirmedAt}) => ({words, at: sentAt ?? confirmedAt}));
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const text = `${first.words} was sent ${formatElapsed(now - first.at)} ago${more}; its outcome was never known, it may still take effect.`;
  return [[{text, tone: 'warning'}]];
}

/**
 * The present phase. What the service has accepted is as it was noted for as long as such an action usually takes; any
 * other open operation that this session does not watch has an unknown outcome.
 */
function presentPhase(sent: Sent, now: EpochMs): OperationPhase {
  if (sent.isWatched || !isOpen(sent)) return sent.phase;
  const ageMs = now - sent.confirmedAt;
  // A raw request is answered or given up within a minute.
  if (sent.action === undefined) return ageMs <= MINUTE_MS ? sent.phase : 'unknown';
  const isAccepted = sent.phase === 'accepted' || sent.phase === 'in-progress';
  return isAccepted && ageMs <= recordOf(sent.action).overdueAfterMs ? sent.phase : 'unknown';
}

/** What was sent, for the timeline: without raw requests, whose subject is unknown. */
export function sentFrom(
  known: SentSources & {readonly now: EpochMs; readonly store?: Store},
): readonly SentOperation[] {
  return presentSent(known).flatMap(sent => {
    const {action, subjectName, phase} = sent;
    if (action === undefined || subjectName === undefined || phase === 'preflight') return [];
    return {
      ...sent,
      change: recordOf(action).change,
      subject: subjectIn(action, subjectName),
    };
  });
}

function subjectIn(action: Action, name: SafeText): TimelineSubject {
  const subject = subjectOf(action);
  return 'id' in subject ? {type: subject.type, id: subject.id, name} : {type: subject.type, name};
}
