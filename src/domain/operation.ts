import type {Action, ActionTraits, Evidence} from './action.ts';
import {unreachable} from './assert.ts';
import {isSameSet} from './attachment-state.ts';
import {type CloudResource, nameOf, statusOf} from './cloud-resource.ts';
import type {Failure} from './failure.ts';
import {describeFailure} from './failure.ts';
import type {History, Observation} from './observation.ts';
import type {OperationResult} from './operation-result.ts';
import {hasEscapes, joinSafe, nameInWords, type SafeText, safeText, say} from './safe-text.ts';
import {secret} from './secret.ts';
import {changedFact, factsOf, lostFact, lostWords, type ShownFacts} from './shown-facts.ts';
import {type DurationMs, type EpochMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from './time.ts';

/**
 * One confirmed action on its way, in an observed phase. A phase in capitals is final: nothing changes it any more, and
 * only then is the lock on the object released. `unknown` means sent, with an outcome that could not be determined.
 */
export type OperationPhase = OpenPhase | EndPhase;
export const OPEN_PHASES = ['preflight', 'sent', 'accepted', 'in-progress', 'overdue', 'unknown'] as const;
export type OpenPhase = (typeof OPEN_PHASES)[number];
export const END_PHASES = ['CONFIRMED', 'REFUSED', 'NOT_SENT', 'STALE', 'CONTRADICTED', 'NO_EFFECT_SEEN'] as const;
export type EndPhase = (typeof END_PHASES)[number];

/**
 * What a person confirmed, as shown in the question; the check before sending stops the action if it no longer holds.
 */
export type Confirmed = {
  readonly action: Action;
  readonly subjectName: SafeText;
  /** The state shown, if the action depends on it. */
  readonly status?: string;
  /** What else was shown, if the action depends on it. */
  readonly facts?: ShownFacts;
  /** For an action that replaces one set by another: the present set as shown. */
  readonly replaced?: readonly string[];
  /** What remains to be done afterwards to achieve the purpose. */
  readonly followUp?: SafeText;
};

export type Operation = {
  readonly id: string;
  readonly action: Action;
  /** What is true of actions of this kind. */
  readonly traits: ActionTraits<Action, CloudResource>;
  readonly subjectName: SafeText;
  /** The state, the facts and the set shown with the confirmation. */
  readonly initialStatus?: string;
  readonly facts?: ShownFacts;
  readonly replaced?: readonly string[];
  readonly followUp?: SafeText;
  readonly phase: OperationPhase;
  /** What the service or the watch said last, if it matters. */
  readonly detail?: SafeText;
  /** The service accepted it before the skydeck that sent it ended: a change that is seen is then its own. */
  readonly wasAccepted?: true;
  /** Why it was not accepted: from the check before sending, or from the answer. */
  readonly failure?: Failure;
  /** What the watch noticed besides the outcome. */
  readonly remark?: SafeText;
  /** What was seen after the end and corrects it: the end itself stays what it is. */
  readonly correction?: SafeText;
  readonly confirmedAt: EpochMs;
  readonly sentAt?: MonotonicMs;
  /** How long the computer slept since then, or seemed to: its effect is not awaited in that time. */
  readonly sleptMs?: DurationMs;
  /** When another skydeck sent it: this one only watches, and may not begin anything on the same object meanwhile. */
  readonly sentElsewhereAt?: EpochMs;
  readonly hasSeenTransition: boolean;
  /** Consecutive reads, begun after sending, that showed the target, another settled state, or no change at all. */
  readonly targetReadCount: number;
  /** Whether any reading showed the target. One alone confirms nothing, but what follows is then no plain failure. */
  readonly hasSeenTarget?: true;
  readonly otherReadCount: number;
  readonly unchangedReadCount: number;
  /**
   * What was observed of the action's objects before it was sent; absent for an operation found open in the journal.
   */
  readonly before?: Observation<CloudResource>;
  /** And when it was confirmed. */
  readonly after?: Observation<CloudResource>;
  /** What the answer contained. Kept only here: never in a journal or log. */
  readonly result?: OperationResult;
};

/** A confirmation older than this may be about a state that has changed: nothing is sent for it any more. */
export const MAX_CONFIRMATION_AGE_MS: DurationMs = 30 * SECOND_MS;
/**
 * Money and risk in a question are as old as the question: a later answer on the command line sends nothing (the deck
 * allows less time, and asks again with one key), and a longer sleep ends what else was confirmed with it.
 */
export const MAX_QUESTION_AGE_MS: DurationMs = 5 * MINUTE_MS;
const WITHDRAWN = say`withdrawn`;
const READS_TO_CONFIRM = 2;
const READS_TO_CONTRADICT = 2;
/** An unknown outcome without an effect in three reads is reported as such; it is never sent again automatically. */
const READS_TO_SEE_NO_EFFECT = 3;
/** Accepted without any visible effect: after this long it ends, so that its lock is released. */
const ACCEPTED_WITHOUT_EFFECT_MS = 15 * MINUTE_MS;
/**
 * A request that was held up may be carried out after three readings showed nothing: its effect is looked for this
 * long.
 */
const LATE_EFFECT_MS = 15 * MINUTE_MS;
const LATE_EFFECT = say`its effect was seen after all, late or by someone else`;

export function newOperation(
  {id, confirmedAt}: Pick<Operation, 'id' | 'confirmedAt'>,
  {action, subjectName, status, facts, replaced, followUp}: Confirmed,
  traits: Operation['traits'],
): Operation {
  return {
    id,
    action,
    traits,
    subjectName,
    ...(status === undefined ? {} : {initialStatus: status}),
    ...(facts === undefined ? {} : {facts}),
    ...(replaced === undefined ? {} : {replaced}),
    ...(followUp === undefined ? {} : {followUp}),
    phase: 'preflight',
    confirmedAt,
    hasSeenTransition: false,
    targetReadCount: 0,
    otherReadCount: 0,
    unchangedReadCount: 0,
  };
}

export function isEnded(phase: OperationPhase): phase is EndPhase {
  return END_PHASES.some(end => end === phase);
}

/** Why nothing more may begin of what was confirmed together, after so much sleep of the computer since. */
export function sleptReason(sleptMs: DurationMs): SafeText | undefined {
  if (sleptMs <= MAX_QUESTION_AGE_MS) return undefined;
  const minutes = Math.round(sleptMs / MINUTE_MS);
  return say`the computer slept for ${minutes} min since it was confirmed, or its clock was set forward`;
}

/** Ended before anything was sent. */
export function isUnsent(phase: OperationPhase): boolean {
  return phase === 'NOT_SENT' || phase === 'STALE';
}

/** Confirmed here and still being checked: it can be withdrawn. */
export function isBeingChecked({phase, sentElsewhereAt}: Operation): boolean {
  return phase === 'preflight' && sentElsewhereAt === undefined;
}

/** Why the check right before sending stops the action, or undefined if everything is as confirmed. */
export function staleReason(
  operation: Operation,
  seen: Observation<CloudResource>,
  besides?: ShownFacts,
): SafeText | undefined {
  const odd = escapeIn(operation.action);
  if (odd !== undefined) return say`${odd} contains a placeholder for a character that cannot be sent`;
  return outdatedReason(operation, seen, besides);
}

/** What was confirmed, or is being asked about, as shown. */
type AsShown = Pick<Operation, 'action' | 'traits' | 'subjectName' | 'initialStatus' | 'facts' | 'replaced'>;

/**
 * What is no longer as shown or not known any more, or why nothing would be left to do; undefined while the action can
 * be sent. `besides` is what its question would say now of money, and of others than its subject.
 */
export function outdatedReason(
  shown: AsShown,
  seen: Observation<CloudResource>,
  besides: ShownFacts = {},
): SafeText | undefined {
  const {action, traits} = shown;
  const [subject] = action.spec === undefined ? traits.among(action, seen.records) : [];
  const was = shown.facts ?? {};
  const is = presentFacts(shown, subject, besides);
  return (
    (subject && changeReason(shown, subject)) ??
    changedFact(was, is) ??
    (subject && replacedReason(shown, seen)) ??
    repeatedReason(shown, seen) ??
    traits.precondition(action, seen) ??
    lostFact(was, is)
  );
}

/** Why it is unknown which of two the action is for: both have its id, or what it goes by instead. */
export function repeatedReason(
  {action, traits}: Pick<AsShown, 'action' | 'traits'>,
  {records, repeatedIds = []}: Pick<Observation<CloudResource>, 'records' | 'repeatedIds'>,
): SafeText | undefined {
  if (action.spec !== undefined) return undefined;
  const isRepeated = repeatedIds.includes(`${action.id ?? ''}`) || traits.among(action, records).length > 1;
  const known = action.id === undefined ? say`this name` : say`the id ${action.id}`;
  return isRepeated ? say`the list has ${known} twice, so which one is meant is unknown` : undefined;
}

/** The first text to be sent that contains an escape: read somewhere and sent back, it would be a different text. */
function escapeIn(action: Action): SafeText | undefined {
  return 'ruleId' in action ? undefined : textsIn(action).find(hasEscapes);
}

function textsIn(value: unknown): readonly SafeText[] {
  if (typeof value === 'string') return [safeText(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function changeReason({traits, subjectName, initialStatus}: AsShown, subject: CloudResource): SafeText | undefined {
  const name = nameOf(subject);
  if (name !== subjectName) return name === '' ? lostWords(say`its name`) : say`the name is now ${nameInWords(name)}`;
  const state = statusOf(subject);
  const isAsShown = initialStatus === undefined ? traits.needsStatus !== true : state?.status === initialStatus;
  if (isAsShown || state === undefined) return undefined;
  if (state.statusText === '') return lostWords(say`its state`);
  const was = initialStatus === undefined ? say`it` : say`it was ${safeText(initialStatus)} and`;
  return say`${was} is ${state.statusText} now`;
}

/** What the question would say now; nothing of a subject that is gone. */
function presentFacts({action, traits}: AsShown, subject: CloudResource | undefined, besides: ShownFacts): ShownFacts {
  if (subject === undefined) return action.spec === undefined ? {} : besides;
  const named = traits.namedFacts?.(action, subject);
  return {...factsOf(subject), ...besides, ...(named === undefined ? {} : {named})};
}

/** The full set is sent, so a change by somebody else in the meantime would be undone unnoticed. */
function replacedReason({action, traits, replaced}: AsShown, seen: Observation<CloudResource>): SafeText | undefined {
  if (traits.replaced === undefined || replaced === undefined) return undefined;
  const standing = traits.replaced(action, seen);
  if (isSameSet(replaced, standing)) return undefined;
  const changes = [
    ...standing.filter(each => !replaced.includes(each)).map(each => say`${memberWords(each)} was added`),
    ...replaced.filter(each => !standing.includes(each)).map(each => say`${memberWords(each)} was removed`),
  ];
  const more = changes.length - MAX_CHANGES_NAMED;
  const named = joinSafe(changes.slice(0, MAX_CHANGES_NAMED), ', ');
  return say`${more > 0 ? say`${named} and ${more} more` : named} meanwhile; check it again`;
}

const MAX_CHANGES_NAMED = 3;

/** Labels are compared by themselves, other members by id. */
function memberWords(member: string): SafeText {
  return /^\d+$/.test(member) ? safeText(`#${member}`) : nameInWords(safeText(member));
}

/** The operation with the observation it was sent on; only what the action is about is kept. */
export function afterCheck(operation: Operation, seen: Observation<CloudResource>): Operation {
  return {...operation, before: withSubjectOnly(operation, seen)};
}

function withSubjectOnly({action, traits}: Operation, seen: Observation<CloudResource>): Observation<CloudResource> {
  const {firewalls, ...rest} = seen;
  const about = {...rest, records: traits.among(action, seen.records)};
  if (firewalls === undefined || action.id === undefined) return about;
  return {
    ...about,
    firewalls: firewalls.filter(({attachments}) => attachments.some(({machineId}) => machineId === action.id)),
  };
}

/** Without the secret in its answer, which is shown once. */
export function withoutSecret(operation: Operation): Operation {
  const {result} = operation;
  return result?.kind === 'access-key' ? {...operation, result: {...result, secretKey: secret('')}} : operation;
}

/** Without histories, which only a watch needs: ended operations are remembered for long. */
export function withoutHistory(operation: Operation): Operation {
  const {before, after, ...rest} = operation;
  return {
    ...rest,
    ...(before === undefined ? {} : {before: withoutEvents(before)}),
    ...(after === undefined ? {} : {after: withoutEvents(after)}),
  };
}

function withoutEvents({events: _history, ...rest}: Observation<CloudResource>): Observation<CloudResource> {
  return rest;
}

/** Taken back by the person before it was sent. */
export function afterWithdrawal(operation: Operation): Operation {
  return {...operation, phase: 'NOT_SENT', detail: WITHDRAWN};
}

export function isWithdrawn({phase, detail}: Pick<Operation, 'phase' | 'detail'>): boolean {
  return phase === 'NOT_SENT' && detail === WITHDRAWN;
}

export function afterSending(operation: Operation, sentAt: MonotonicMs): Operation {
  return {...operation, phase: 'sent', sentAt};
}

/** What the answer to the request means; no failure means a complete yes, with its content. */
export function afterReply(operation: Operation, failure: Failure | undefined, result?: OperationResult): Operation {
  if (operation.phase !== 'sent') return operation;
  if (failure === undefined) {
    const answered = result === undefined ? operation : {...operation, result};
    return {...answered, phase: operation.traits.endsWithReply === true ? 'CONFIRMED' : 'accepted'};
  }
  // The phase already says that nothing was sent.
  const detail = failure.kind === 'not-sent' ? failure.detail : describeFailure(failure);
  return {...operation, phase: phaseAfterFailure(failure), detail, failure};
}

/**
 * Why an answer is not the one to this creation: it names something with another name, or that was there before. What
 * is made may differ then, so nothing of such an answer counts. Undefined if it may be the answer.
 */
export function otherMade(
  {spec}: Action,
  result: OperationResult | undefined,
  before: Observation<CloudResource> | undefined,
): Failure | undefined {
  if (result?.kind !== 'created') return undefined;
  const {ids, name} = result;
  // Of several, each has a name of its own.
  const isOther = name !== undefined && spec?.name !== undefined && (spec.count ?? 1) === 1 && name !== spec.name;
  if (isOther) return {kind: 'odd-answer', detail: say`it names ${nameInWords(name)} #${ids[0] ?? 0} instead`};
  const known = before?.records ?? [];
  const parts = spec === undefined ? known.flatMap(owner => ('rules' in owner ? owner.rules : [])) : known;
  const old = parts
    .flatMap(part => ('id' in part && part.id !== undefined ? [part.id] : []))
    .find(id => ids.includes(id));
  return old === undefined ? undefined : {kind: 'odd-answer', detail: say`it names #${old}, which existed before`};
}

function phaseAfterFailure(failure: Failure): OperationPhase {
  switch (failure.kind) {
    case 'not-sent':
      return 'NOT_SENT';
    case 'refused':
    case 'not-authorised':
    case 'not-found':
    case 'rate-limited':
      return 'REFUSED';
    case 'timed-out':
    case 'cut':
    case 'service-error':
    case 'incomplete':
    case 'redirected':
    case 'odd-answer':
      return 'unknown';
    default:
      return unreachable(failure);
  }
}

/**
 * Why nothing of the same batch may follow an operation in this phase: the next would meet the same trouble, or add to
 * it. Undefined if the phase and the answer say nothing about the next.
 */
export function stopReason({phase, failure}: Pick<Operation, 'phase' | 'failure'>): SafeText | undefined {
  const isUnknown = phase === 'unknown' || phase === 'NO_EFFECT_SEEN' || (failure !== undefined && !isEnded(phase));
  if (isUnknown) return say`an earlier outcome is unknown`;
  if (failure?.kind === 'rate-limited') return say`the service asked to wait`;
  if (failure?.kind === 'not-authorised') return say`the key or its role was refused`;
  const isUnsendable = phase === 'NOT_SENT' && (failure === undefined || failure.kind === 'not-sent');
  return isUnsendable ? say`an earlier action could not be sent` : undefined;
}

/** The service answered that it carried nothing out because of too many requests: the same can be sent later. */
export function isPostponed({phase, failure}: Pick<Operation, 'phase' | 'failure'>): boolean {
  return phase === 'REFUSED' && failure?.kind === 'rate-limited';
}

/**
 * What one read after sending proves. Reads begun before the request was sent are discarded: answers may arrive out of
 * order.
 */
export function afterObservation(operation: Operation, seen: Observation<CloudResource>): Operation {
  if (isEnded(operation.phase) || operation.sentAt === undefined || seen.startedAt <= operation.sentAt)
    return operation;
  const {action, traits} = operation;
  const evidence = traits.evidence(action, seen, pastOf(operation));
  // While the answer is awaited, only being under way is remembered; everything else is judged afterwards.
  if (operation.phase === 'sent') {
    return evidence.kind === 'transition' ? {...operation, hasSeenTransition: true} : operation;
  }
  return withRemark(judge(operation, seen, evidence, traits.overdueAfterMs), evidence);
}

/** Whether an effect that was not seen may still come, this long after it was sent. */
export function mayStillTakeEffect(
  {phase, correction}: {readonly phase: OperationPhase; readonly correction?: SafeText | undefined},
  sinceSentMs: DurationMs,
): boolean {
  return phase === 'NO_EFFECT_SEEN' && correction === undefined && sinceSentMs <= LATE_EFFECT_MS;
}

/** Whether it is still looked for. */
export function awaitsLateEffect(operation: Operation, now: MonotonicMs): boolean {
  const waitedMs = awaitedMs(operation, now);
  return waitedMs !== undefined && mayStillTakeEffect(operation, waitedMs);
}

/**
 * How long its effect was awaited until then, without the time in which the computer slept: the clock may only have
 * been set forward. Undefined for an operation that was not sent.
 */
export function awaitedMs({sentAt, sleptMs = 0}: Operation, moment: MonotonicMs): DurationMs | undefined {
  return sentAt === undefined ? undefined : moment - sentAt - sleptMs;
}

/** What one reading says about an operation that ended without an effect: two that show the effect correct the end. */
export function afterLateObservation(operation: Operation, seen: Observation<CloudResource>): Operation {
  if (!awaitsLateEffect(operation, seen.startedAt)) return operation;
  const {kind} = operation.traits.evidence(operation.action, seen, pastOf(operation));
  const hasSeenTransition = operation.hasSeenTransition || kind === 'transition';
  if (kind !== 'target') return {...withoutCounts(operation), hasSeenTransition};
  const targetReadCount = operation.targetReadCount + 1;
  const counted = {...operation, targetReadCount};
  return targetReadCount < READS_TO_CONFIRM ? counted : {...counted, correction: LATE_EFFECT};
}

function judge(
  operation: Operation,
  seen: Observation<CloudResource>,
  evidence: Evidence,
  overdueAfterMs: DurationMs,
): Operation {
  switch (evidence.kind) {
    case 'transition':
      return afterTransition(operation, seen, evidence.unlessLate, overdueAfterMs);
    case 'target':
      return afterTarget(operation, seen);
    case 'elsewhere':
      return afterElsewhere(operation, evidence.detail);
    case 'nothing':
      return afterNothingTold(operation, seen, overdueAfterMs);
    case 'unchanged':
      return afterNoChange(operation, seen, overdueAfterMs);
    default:
      return unreachable(evidence);
  }
}

function pastOf(operation: Operation): History<CloudResource> {
  const {confirmedAt, initialStatus, hasSeenTransition, before, result} = operation;
  return {
    confirmedAt,
    hasSeenTransition,
    ...(initialStatus === undefined ? {} : {initialStatus}),
    ...(before === undefined ? {} : {before}),
    ...(result === undefined ? {} : {result}),
  };
}

function withRemark(operation: Operation, evidence: Evidence): Operation {
  const remark = 'remark' in evidence ? evidence.remark : undefined;
  return remark === undefined ? operation : {...operation, remark};
}

function afterTransition(
  operation: Operation,
  seen: Observation<CloudResource>,
  unlessLate: SafeText | undefined,
  overdueAfterMs: DurationMs,
): Operation {
  const isOverdue = elapsed(operation, seen) > overdueAfterMs;
  if (isOverdue && unlessLate !== undefined) return afterElsewhere(operation, unlessLate);
  const moving = {
    ...withoutCounts(operation),
    hasSeenTransition: true,
    phase: isOverdue ? 'overdue' : 'in-progress',
  } as const;
  // A reason why it is unknown stays with it only while it may still be so.
  const {detail: _why, ...accepted} = moving;
  return moving.wasAccepted === true ? accepted : moving;
}

/** An unknown state, or one in transition: it proves nothing, but time passes. */
function afterNothingTold(
  operation: Operation,
  seen: Observation<CloudResource>,
  overdueAfterMs: DurationMs,
): Operation {
  const isAnswered = operation.phase === 'accepted' || operation.phase === 'in-progress';
  const isOverdue = isAnswered && elapsed(operation, seen) > overdueAfterMs;
  return {...withoutCounts(operation), ...(isOverdue ? {phase: 'overdue'} : {})};
}

function afterTarget(operation: Operation, seen: Observation<CloudResource>): Operation {
  const targetReadCount = operation.targetReadCount + 1;
  const counted = {...withoutCounts(operation), targetReadCount, hasSeenTarget: true} as const;
  if (targetReadCount < READS_TO_CONFIRM) return counted;
  // Once the outcome is known, why it was unknown no longer matters.
  const {detail: _why, ...known} = counted;
  return {...known, phase: 'CONFIRMED', after: withSubjectOnly(operation, seen)};
}

function afterElsewhere(operation: Operation, detail: SafeText): Operation {
  const otherReadCount = operation.otherReadCount + 1;
  const counted = {...withoutCounts(operation), otherReadCount};
  if (otherReadCount < READS_TO_CONTRADICT) return counted;
  const why = operation.hasSeenTarget ? say`${detail}, though it was as expected at one reading` : detail;
  return {...counted, phase: 'CONTRADICTED', detail: why};
}

function afterNoChange(operation: Operation, seen: Observation<CloudResource>, overdueAfterMs: DurationMs): Operation {
  const unchangedReadCount = operation.unchangedReadCount + 1;
  const counted = {...withoutCounts(operation), unchangedReadCount};
  const sinceSentMs = elapsed(operation, seen);
  const isHopeless = operation.phase === 'unknown' || sinceSentMs > ACCEPTED_WITHOUT_EFFECT_MS;
  if (isHopeless && unchangedReadCount >= READS_TO_SEE_NO_EFFECT) return {...counted, phase: 'NO_EFFECT_SEEN'};
  return operation.phase === 'accepted' && sinceSentMs > overdueAfterMs ? {...counted, phase: 'overdue'} : counted;
}

function withoutCounts(operation: Operation): Operation {
  return {...operation, targetReadCount: 0, otherReadCount: 0, unchangedReadCount: 0};
}

function elapsed(operation: Operation, seen: Observation<CloudResource>): DurationMs {
  return awaitedMs(operation, seen.startedAt) ?? 0;
}
