import {type Action, subjectKey, subjectOf, typeOf} from '../../domain/action.ts';
import {type CloudResource, nameOf} from '../../domain/cloud-resource.ts';
import {outdatedReason, repeatedReason} from '../../domain/operation.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {monotonicMs} from '../../domain/time.ts';
import {lastSeen} from '../../resources/resources.ts';
import {type Feed, isWhole} from '../../state/feed.ts';
import {observedFirewalls} from '../../state/firewalls.ts';
import type {PlanStep} from '../../state/operations/plan.ts';
import type {Line} from '../../ui/text.ts';
import {actionQuestion, alikeLines, lockReason, nodeDoubtLines, permissionReason} from './action-question.ts';
import {confirmationOf, recordOf, shownSubject, undoLine, unmetPrecondition} from '../actions.ts';
import type {Alternative, Assessment, Candidate} from './assessment.ts';
import {batchQuestion, skippedLines} from './batch.ts';
import {checkCallback, checkName} from '../forms/form-values.ts';
import type {AssessmentInput} from './assessment-input.ts';
import {modeOf, type Question} from './question.ts';
import {lateEffectLines} from '../sent.ts';

type Candidates = readonly [Candidate, ...Candidate[]];

/**
 * The question before one action, before the same action on many objects, or before several that depend on each other,
 * as assessed by their records. Undefined if there is nothing to ask, or if nothing can be sent. `remarks`: what was
 * left out, where that was decided before.
 */
export function questionFor(
  candidates: readonly Candidate[],
  known: AssessmentInput,
  remarks: readonly Line[] = [],
): Question | undefined {
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  const {action, subject} = first;
  const {assess, assessChain} = recordOf(action);
  const remarked = (assessed: Assessment): Assessment =>
    remarks.length === 0 ? assessed : {...assessed, warnings: [...(assessed.warnings ?? []), ...remarks]};
  if (others.length === 0) return questionOf([first], remarked(assess(action, subject, known)), known);
  const isOnOne = others.every(other => isOnSame(other.action, action));
  if (!isOnOne && others.every(other => other.action.kind === action.kind)) return questionOfMany(candidates, known);
  const assessment = assessChain?.(candidates, known);
  return assessment && questionOf([first, ...others], remarked(assessment), known);
}

/** The candidate with the reason why it cannot be sent now, the most fundamental one first. */
export function candidate(action: Action, subject: CloudResource | undefined, known: AssessmentInput): Candidate {
  return {action, subject, reason: reasonAgainst(action, subject, known)};
}

/** Why none can be sent now, if that is so: the reason of all, or if they differ that of one, with its name. */
export function reasonAgainstAll(candidates: readonly Pick<Candidate, 'subject' | 'reason'>[]): SafeText | undefined {
  const [first] = candidates;
  if (first?.reason === undefined || candidates.some(({reason}) => reason === undefined)) return undefined;
  const {subject, reason} = first;
  const isOfAll = candidates.every(each => each.reason === reason);
  return isOfAll || subject === undefined
    ? reason
    : say`none of ${candidates.length}; ${nameInWords(nameOf(subject))}: ${reason}`;
}

export function reasonAgainst(
  action: Action,
  subject: CloudResource | undefined,
  known: AssessmentInput,
): SafeText | undefined {
  return (
    lockReason(known, subjectOf(action)) ??
    (subject === undefined ? undefined : repeatedIn(action, known)) ??
    missingFor(action, subject, known) ??
    refusalOf(action, subject, known) ??
    (subject === undefined ? undefined : unmetPrecondition(action, shownSubject(action, subject, known))) ??
    permissionReason(known, action)
  );
}

/** Why the subject cannot be told from another one in its list. */
function repeatedIn(action: Action, {store}: AssessmentInput): SafeText | undefined {
  const record = recordOf(action);
  const {repeatedIds} = lastValue(store.get(record.feeds.list)) ?? {};
  const records = lastSeen(store, typeOf(action.kind));
  return repeatedReason({action, traits: record}, {records, ...(repeatedIds === undefined ? {} : {repeatedIds})});
}

/** What an action names and the service does not have. */
export function missingFor(
  action: Action,
  subject: CloudResource | undefined,
  known: AssessmentInput,
): SafeText | undefined {
  const isMaking = action.spec !== undefined;
  return subject === undefined && !isMaking ? undefined : recordOf(action).missing?.(subject, known, action);
}

/** Why an action cannot be sent because of data read for it, rather than its subject's own record. */
export function refusalOf(
  action: Action,
  subject: CloudResource | undefined,
  known: AssessmentInput,
): SafeText | undefined {
  const isMaking = action.spec !== undefined;
  if (subject === undefined && !isMaking) return undefined;
  const reason = isMaking ? (mistakeIn(action) ?? takenReason(action, known)) : undefined;
  return reason ?? recordOf(action).refusal?.(subject, known, action);
}

/** Whether more has to be read than the action's own subject before it is known that it can be sent. */
export function mayBeRefused(action: Action): boolean {
  const {missing, refusal} = recordOf(action);
  return action.spec !== undefined || missing !== undefined || refusal !== undefined;
}

/** What is wrong with the description itself: a form says it beside its field, a command has no other place for it. */
function mistakeIn({spec}: Action): SafeText | undefined {
  const name = spec?.name === undefined ? undefined : checkName(spec.name, []);
  if (name !== undefined) return say`name: ${safeText(name)}`;
  const callback = typeof spec?.callbackUrl === 'string' ? checkCallback(spec.callbackUrl) : undefined;
  return callback === undefined ? undefined : say`callback URL: ${safeText(callback)}`;
}

/** What has the name already, as last read; the check before sending reads it again. */
function takenReason(action: Action, {store}: AssessmentInput): SafeText | undefined {
  const records = lastSeen(store, typeOf(action.kind));
  return recordOf(action).precondition(action, {startedAt: monotonicMs(0), records, isWhole: true});
}

/**
 * The same for actions known only as steps: undo, redo, or the rest of a batch. Returns the steps as they are shown now,
 * without those that cannot be sent.
 */
export function questionAnew(steps: readonly PlanStep[], known: AssessmentInput): Question | undefined {
  const actions = steps.map(({action}) => action);
  const question = questionFor(candidatesOf(actions, known), known);
  const shown = new Map(question?.steps.map(step => [step.action, step]));
  const [first, ...others] = steps.flatMap((step): readonly PlanStep[] => {
    const now = shown.get(step.action);
    return now === undefined ? [] : [{...step, ...now}];
  });
  return question && first && {...question, steps: [first, ...others]};
}

/** What has changed since a question was asked, and whether anything is left to send. */
export type Outdated = {readonly text: SafeText; readonly isOver: boolean};

/**
 * What has changed in a question since it was shown, because somebody else acted. In a batch, the other actions can
 * still be sent; a chain depends on its first action.
 */
export function outdatedBy(asked: Pick<Question, 'steps' | 'purpose'>, known: AssessmentInput): Outdated | undefined {
  const {steps} = asked;
  const begun = modeOf(asked) === 'batch' ? steps : [steps[0]];
  const changes = begun.flatMap(step => {
    const reason = outdatedStep(step, known);
    return reason === undefined ? [] : [say`${nameInWords(step.subjectName)}: ${reason}`];
  });
  const [first, ...others] = changes;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? say`` : say`, and ${others.length} more changed`;
  const isOver = changes.length === begun.length;
  const consequence = isOver ? say`This question no longer applies.` : say`What changed will not be sent.`;
  return {text: say`${first}${more}. ${consequence}`, isOver};
}

/** What has changed in one step since it was shown; undefined if nothing has, as far as is known. */
export function outdatedStep({status, ...step}: PlanStep, known: AssessmentInput): SafeText | undefined {
  const {store} = known;
  const record = recordOf(step.action);
  const listing = lastValue(store.get(record.feeds.list));
  if (listing === undefined) return undefined;
  const records = lastSeen(store, typeOf(step.action.kind));
  const firewalls = record.alsoReads === 'firewalls' ? observedFirewalls(store) : undefined;
  const isKnown = record.alsoReads !== 'firewalls' || firewalls !== undefined;
  const isListed = step.action.spec !== undefined || record.among(step.action, records).length > 0;
  // Something missing from an incomplete list is not necessarily gone.
  if (!isKnown || (!isListed && !isWhole(listing))) return undefined;
  const seen = {
    startedAt: monotonicMs(0),
    records,
    isWhole: isWhole(listing),
    ...(listing.repeatedIds === undefined ? {} : {repeatedIds: listing.repeatedIds}),
    ...(firewalls === undefined ? {} : {firewalls}),
  };
  const [subject] = step.action.spec === undefined ? record.among(step.action, records) : [];
  const shown = {...step, traits: record, ...(status === undefined ? {} : {initialStatus: status})};
  return outdatedReason(shown, seen, record.besides(step.action, subject, known));
}

/** The steps that still can be sent, as far as is known: others may have reached their target already, or be gone. */
export function sendableNow(steps: readonly PlanStep[], known: AssessmentInput): readonly PlanStep[] {
  const candidates = candidatesOf(
    steps.map(({action}) => action),
    known,
  );
  const sendable = new Set(candidates.filter(({reason}) => reason === undefined).map(({action}) => action));
  return steps.filter(({action}) => sendable.has(action));
}

/** Actions with their subjects as last read; those whose subject is gone are left out. */
export function candidatesOf(actions: readonly Action[], known: AssessmentInput): readonly Candidate[] {
  return actions.flatMap((action): readonly Candidate[] => {
    if (action.spec !== undefined) return [candidate(action, undefined, known)];
    const [subject] = recordOf(action).among(action, lastSeen(known.store, typeOf(action.kind)));
    return subject === undefined ? [] : [candidate(action, subject, known)];
  });
}

/** Everything that must be read before these can be assessed, as far as that can be told from what was read. */
export function feedsFor(
  candidates: readonly Candidate[],
  known: Pick<AssessmentInput, 'store'>,
): readonly Feed<unknown>[] {
  const [first] = candidates;
  if (first === undefined) return [];
  return recordOf(first.action).reads?.(candidates, known) ?? [];
}

function questionOf(candidates: Candidates, assessment: Assessment, known: AssessmentInput): Question {
  const {title, happens, costs = [], warnings = [], undo, answer, alternatives = []} = assessment;
  const [{action, subject, reason}] = candidates;
  const refusal: readonly Line[] = reason === undefined ? [] : [[{text: reason, tone: 'danger'}]];
  return {
    ...actionQuestion({
      title: title ?? titleOf(candidates[0]),
      happens,
      costs,
      warnings: [...refusal, ...nodeDoubtLines(candidates), ...lateEffectLines(candidates, known), ...warnings],
      oddities: alikeLines(candidates, known),
      undo: undoLine(undo, action, shownSubject(action, subject, known), known),
      answer,
      steps: stepsOf(candidates, known),
    }),
    alternatives: alternatives.flatMap(each => alternativeOf(each, known)),
  };
}

function questionOfMany(candidates: readonly Candidate[], known: AssessmentInput): Question | undefined {
  const [first, ...others] = candidates.filter(({reason}) => reason === undefined);
  if (first === undefined) return undefined;
  const sent: Candidates = [first, ...others];
  const skipped = candidates.filter(({reason}) => reason !== undefined);
  const {alternatives, ...asked} = batchQuestion({sent, skipped}, known);
  if (others.length === 0) {
    // The only one left of many is asked about in words for one, unless only the shorter forms fit.
    const {warnings = [], ...assessment} = recordOf(first.action).assess(first.action, first.subject, known);
    const question = questionOf(sent, {...assessment, warnings: [...warnings, ...skippedLines(skipped)]}, known);
    return {...question, shorterFacts: [asked.facts, ...asked.shorterFacts]};
  }
  return {
    ...asked,
    alternatives: alternatives.flatMap(each => alternativeOf(each, known)),
    steps: stepsOf(sent, known),
    purpose: {kind: 'begin', mode: 'batch'},
  };
}

function alternativeOf({key, title, candidates}: Alternative, known: AssessmentInput): Question['alternatives'] {
  const judged = candidates.map(({action, subject, reason}) => {
    const judgement = candidate(action, subject, known);
    return {...judgement, reason: judgement.reason ?? reason};
  });
  const able = judged.filter(({reason}) => reason === undefined).map(({action}) => action);
  const question = able.length === 0 ? undefined : questionFor(judged, known);
  return question === undefined ? [] : [{key, title: title(able), question}];
}

/** `stop gpu-7  #7`, `resize gpu-7  #7 to n3-L40x1`; something being created has no id yet. */
function titleOf({action, subject}: Candidate): SafeText {
  const {words, wordsAfter, verb} = recordOf(action);
  const name = subject === undefined ? (action.name ?? action.spec?.name ?? say``) : nameOf(subject);
  const titled = say`${words?.(action) ?? verb} ${nameInWords(name)}`;
  const after = wordsAfter === undefined ? say`` : say` ${wordsAfter(action)}`;
  return action.id === undefined ? say`${titled}${after}` : say`${titled}  #${action.id}${after}`;
}

function stepsOf([first, ...others]: Candidates, known: AssessmentInput): Question['steps'] {
  return [stepOf(first, known), ...others.map(each => stepOf(each, known))];
}

function stepOf({action, subject}: Candidate, known: AssessmentInput): PlanStep {
  return withBesides(confirmationOf(action, shownSubject(action, subject, known)), subject, known);
}

/** A step known only as such, with what its question says now of money and of others than its subject. */
export function withShown(step: PlanStep, known: AssessmentInput): PlanStep {
  const [subject] = recordOf(step.action).among(step.action, lastSeen(known.store, typeOf(step.action.kind)));
  return withBesides(step, subject, known);
}

function withBesides(step: PlanStep, subject: CloudResource | undefined, known: AssessmentInput): PlanStep {
  const besides = recordOf(step.action).besides(step.action, subject, known);
  return Object.keys(besides).length === 0 ? step : {...step, facts: {...step.facts, ...besides}};
}

function isOnSame(one: Action, other: Action): boolean {
  return subjectKey(subjectOf(one)) === subjectKey(subjectOf(other));
}
