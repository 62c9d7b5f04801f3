import {KEYS} from '../keys.ts';
import {isWhole} from '../../state/feed.ts';
import {type Action, type Subject, typeOf} from '../../domain/action.ts';
import {type CloudResource, nameOf, type ResourceType} from '../../domain/cloud-resource.ts';
import {describeOperation} from '../../domain/describe-operation.ts';
import {permits} from '../../domain/permission.ts';
import {nameInWords, nameLook, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {lastSeen, subjectResource} from '../../resources/resources.ts';
import {permissionsFeed} from '../../state/account.ts';
import type {PlanStep} from '../../state/operations/plan.ts';
import type {Store} from '../../state/store.ts';
import type {Line} from '../../ui/text.ts';
import {callOf, recordOf, unmetPrecondition} from '../actions.ts';
import type {ActionCall, ActionRecord} from '../define.ts';
import type {Candidate} from './assessment.ts';
import {type AssessmentInput, awayReason} from './assessment-input.ts';
import {
  type Confirmation,
  type Fact,
  fact,
  factIfAny,
  nameLines,
  type Question,
  someNames,
  typedId,
  warningFacts,
} from './question.ts';

export type ActionQuestion = {
  /** The action and its subject, with id: `delete volume scratch-3  #38112`. */
  readonly title: SafeText;
  readonly steps: readonly [PlanStep, ...PlanStep[]];
  /** One line per sentence: what happens to the object. */
  readonly happens: readonly Line[];
  readonly costs?: readonly Line[];
  /** What a careful reader would ask about; shown as warnings or as what is merely so. */
  readonly warnings?: readonly Line[];
  /** What else its name could be taken for, so that the id is typed. */
  readonly oddities?: readonly Line[];
  /** How it is undone, or that it cannot be. */
  readonly undo: Line;
  readonly answer: Confirmation;
};

/** The question before an action, with its facts always in the same order: what, money, warnings, calls, undo. */
export function actionQuestion({
  title,
  steps,
  happens,
  costs = [],
  warnings = [],
  oddities: alike = [],
  undo,
  answer,
}: ActionQuestion): Question {
  const [{action, subjectName}] = steps;
  const oddities = [...nameLines(subjectName), ...alike];
  const allWarnings = [...warnings, ...oddities];
  return {
    title,
    answer: oddities.length === 0 ? answer : answerForOddName(answer, action.id),
    facts: [
      fact('happens', happens),
      ...factIfAny('costs', costs),
      ...warningFacts(allWarnings),
      callsFact(steps.map(({action}) => action)),
      fact('undo', [undo]),
    ],
    alternatives: [],
    steps,
    purpose: {kind: 'begin', mode: 'chain'},
  };
}

/** Which others of the kind those in question could be taken for by their names: one line, so that the question fits. */
export function alikeLines(
  candidates: readonly {readonly action: Action}[],
  {store}: {readonly store: Store},
): readonly Line[] {
  const comparing = candidates.filter(({action}) => recordOf(action).comparesNames === true);
  const [first] = comparing;
  const ids = new Set(comparing.flatMap(({action}) => action.id ?? []));
  if (first === undefined || ids.size === 0) return [];
  const named = lastSeen(store, typeOf(first.action.kind)).flatMap(record =>
    'id' in record && 'name' in record ? [{id: Number(record.id), name: record.name}] : [],
  );
  const looks = new Set(named.flatMap(({id, name}) => (ids.has(id) ? [nameLook(name)] : [])));
  const alike = named.filter(({id, name}) => !ids.has(id) && looks.has(nameLook(name)));
  if (alike.length === 0) return [];
  const shown = alike.slice(0, MAX_ALIKE).map(({id, name}) => `${nameInWords(name)} #${id}`);
  const more = alike.length > shown.length ? ` and ${alike.length - shown.length} more` : '';
  const [whose, what] = ids.size === 1 ? ['Its name looks', 'id'] : ['Names here look', 'ids'];
  return [[{text: `${whose} like ${shown.join(', ')}${more}: compare the ${what}.`, tone: 'warning'}]];
}

const MAX_ALIKE = 2;

/** Whether it is unknown if this is left to a cluster: its subject may be a node, for which it would not be sent. */
export function mayBeLeftToCluster({
  action,
  subject,
}: {
  readonly action: Action;
  readonly subject?: CloudResource | undefined;
}): boolean {
  if (subject === undefined || !('isNodeUnknown' in subject) || subject.isNodeUnknown !== true) return false;
  return unmetPrecondition(action, {subject: {...subject, hasUnreadCluster: true}}) !== undefined;
}

/** Of which subjects nobody knows whether they are nodes: one line. */
export function nodeDoubtLines(candidates: readonly Candidate[]): readonly Line[] {
  const named = candidates
    .filter(mayBeLeftToCluster)
    .flatMap(({subject}) => (subject === undefined ? [] : [{name: nameOf(subject)}]));
  if (named.length === 0) return [];
  const which = candidates.length === 1 ? 'it' : someNames(named);
  const are = named.length === 1 ? 'is a node' : 'are nodes';
  const text = `Whether ${which} ${are} of a cluster is unknown: the clusters were not all read.`;
  return [[{text, tone: 'warning'}]];
}

/** If the name could be mistaken for another, the id is typed instead. */
function answerForOddName(answer: Confirmation, id: number | undefined): Confirmation {
  const isWords = answer.kind === 'text' && answer.what === 'words';
  return id === undefined || isWords ? answer : typedId(id);
}

/** The requests that a yes sends, in order. */
export function callsFact(actions: readonly Action[]): Fact {
  const calls = actions.map((action, index): Line => {
    const {method, path} = callOf(action);
    return [{text: `${index + 1}: ${method} ${path}`}];
  });
  const last: Line = [
    {text: actions.length === 1 ? 'sent once, never retried' : 'each sent once, never retried', tone: 'dim'},
  ];
  return fact('calls', [...calls, last]);
}

/** Why no action is possible on this object now: read-only, already under way, or the service is unreachable. */
export function lockReason(scene: AssessmentInput, subject: Subject): SafeText | undefined {
  const {operations} = scene;
  if (operations === undefined) return READ_ONLY;
  const holder = operations.openOn(subject);
  if (holder !== undefined) return describeOperation(holder, scene.now).text;
  return scene.isQueued?.(subject) === true ? QUEUED : awayReason(scene);
}

const QUEUED = say`it waits in a batch that is under way; ${KEYS.progress} shows it`;

const READ_ONLY = say`read-only session; ${KEYS.unlock} allows writes for a while`;

/** Why nothing can be sent now. */
export function cannotOperateReason(scene: AssessmentInput): SafeText | undefined {
  return scene.operations === undefined ? READ_ONLY : awayReason(scene);
}

/** Why nothing new can be created now by an action of this kind, reported before a form is filled in. */
export function cannotCreateReason(scene: AssessmentInput, {kind, template}: ActionRecord): SafeText | undefined {
  return cannotOperateReason(scene) ?? refusedCall(scene, template) ?? unreadReason(scene, typeOf(kind));
}

/** Why this kind of action is not possible on the subject now, reported before a form is filled in. */
export function cannotUseReason(
  known: AssessmentInput,
  {kind, template}: ActionRecord,
  {id}: {readonly id?: number},
): SafeText | undefined {
  if (id === undefined) return cannotOperateReason(known);
  const path = template.path.replace(/\{\w+\}/, `${id}`);
  return lockReason(known, {type: typeOf(kind), id}) ?? refusedCall(known, {method: template.method, path});
}

/**
 * A user without roles has an empty list of permissions, which proves nothing by itself, because an owner may have one
 * too. If not even the list of such objects may be read, it does.
 */
function unreadReason({store}: AssessmentInput, type: ResourceType): SafeText | undefined {
  const {subjects, words} = subjectResource(type);
  const failure = failureOf(store.get(subjects.list));
  return failure?.kind === 'not-authorised' && failure.httpStatus === FORBIDDEN
    ? say`the role of this key may not read ${words.many}`
    : undefined;
}

const FORBIDDEN = 403;

/** What the key's user may not do, reported before trying; undefined if it is allowed or unknown. */
export function permissionReason(scene: Pick<AssessmentInput, 'store'>, action: Action): SafeText | undefined {
  // The service counts ids from one. Something with id zero can be read, but nothing is sent to it.
  if (action.id !== undefined && action.id <= 0) return say`its id is ${action.id}, which is not a valid id`;
  return refusedCall(scene, callOf(action));
}

function refusedCall(
  {store}: Pick<AssessmentInput, 'store'>,
  {method, path}: Pick<ActionCall, 'method' | 'path'>,
): SafeText | undefined {
  const listing = lastValue(store.get(permissionsFeed));
  // A permission that could not be parsed may be the one in question.
  if (listing === undefined || !isWhole(listing)) return undefined;
  return permits(listing.records, {method, path}) === false
    ? say`the role of this key does not allow ${safeText(method)} ${safeText(path)}`
    : undefined;
}
