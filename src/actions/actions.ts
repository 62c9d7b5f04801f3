import type {Action, ActionKind} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import {type CloudResource, nameOf, statusOf} from '../domain/cloud-resource.ts';
import {operationWords} from '../domain/describe-operation.ts';
import type {Fix} from '../domain/fix.ts';
import type {Firewall} from '../domain/firewall.ts';
import type {Observation} from '../domain/observation.ts';
import type {Confirmed} from '../domain/operation.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {factsOf} from '../domain/shown-facts.ts';
import {monotonicMs} from '../domain/time.ts';
import {observedFirewalls} from '../state/firewalls.ts';
import {type ActionCall, type ActionRecord, keysText} from './define.ts';
import type {UndoWords} from './question/assessment.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import {CLUSTERS} from './clusters.ts';
import {KEYS} from './keys.ts';
import {ENVIRONMENTS} from './environments.ts';
import {FIREWALLS} from './firewalls.ts';
import {KEY_PAIRS} from './key-pairs.ts';
import {MACHINE_ADDRESS} from './machines/address.ts';
import {MACHINE_CALLBACK} from './machines/callback.ts';
import {setFirewalls} from './machines/firewalls.ts';
import {MACHINE_JOBS} from './machines/jobs.ts';
import {setLabels} from './machines/labels.ts';
import {MACHINE_POWER} from './machines/power.ts';
import {resizeMachine} from './machines/resize.ts';
import {MACHINE_VOLUMES} from './machines/volumes.ts';
import {createMachines} from './machines/creation.ts';
import {deleteMachine} from './machines/deletion.ts';
import {OBJECT_STORAGE} from './object-storage.ts';
import {RULES} from './rules.ts';
import {VOLUMES} from './volumes.ts';
import type {Line} from '../ui/text.ts';

/**
 * Everything that can be done. To add an action, add its record here, or to the list that its file exports.
 *
 * The records are in one file for each resource (`volumes.ts`), those of machines in `machines/`; `define.ts` says what
 * a record is made of. Their forms are in `forms/`. All other files are parts that records share: what an assessment is
 * written with (`assessment*`, `access-lines`, `cluster-plan`, `creation-*`, `missing-names`), the question made of it
 * (`question*`, `action-question`, `batch`), and an action as a command or as something sent (`shell-line`, `sent`).
 */
const RECORDS = [
  ...MACHINE_POWER,
  createMachines,
  deleteMachine,
  resizeMachine,
  setLabels,
  ...MACHINE_CALLBACK,
  ...MACHINE_ADDRESS,
  ...MACHINE_VOLUMES,
  setFirewalls,
  ...MACHINE_JOBS,
  ...RULES,
  ...CLUSTERS,
  ...FIREWALLS,
  ...VOLUMES,
  ...KEY_PAIRS,
  ...ENVIRONMENTS,
  ...OBJECT_STORAGE,
] as const;

/** The kinds of action, taken from the records. */
export type KnownKind = (typeof RECORDS)[number]['kind'];

export const ACTIONS: ReadonlyMap<string, ActionRecord> = new Map(
  RECORDS.map((record): [KnownKind, ActionRecord] => [record.kind, record]),
);

export function recordOf({kind}: Pick<Action, 'kind'>): ActionRecord {
  const record = ACTIONS.get(kind);
  assert(record !== undefined, `${kind} is not an action`);
  return record;
}

export function verbOf(kind: ActionKind): SafeText {
  return recordOf({kind}).verb;
}

/** The action that fixes a finding or ends waste; undefined if the service says too little about its subject. */
export function actionOfFix(fix: Fix): Action | undefined {
  const kind: KnownKind = fix.kind;
  return recordOf({kind}).parse(fix);
}

/** The action with its subject: `stop gpu-7 #7`. */
export function wordsOf(confirmed: Pick<Confirmed, 'action' | 'subjectName' | 'facts'>): SafeText {
  return operationWords({...confirmed, traits: recordOf({kind: confirmed.action.kind})});
}

/** The one request an action would send, without sending it. The body can contain secrets. */
export function callOf(action: Action): ActionCall {
  return recordOf(action).call(action);
}

/**
 * How an action is undone, with the keys for it: `stop it again (p x)`. The undoing action is the one that its record
 * gives for the subject as shown, so that the question promises what the undo key does.
 */
export function undoLine(
  undo: UndoWords,
  action: Action,
  shown: ShownSubject,
  {isUndo}: Pick<AssessmentInput, 'isUndo'>,
): Line {
  if (typeof undo === 'string') return [{text: safeText(undo)}];
  const {words, key: own = keyOf(undo.by ?? inverseKind(action, shown)), caveat = ''} = undo;
  // After an undo, the key that undoes takes back what was done before.
  const key = isUndo === true && own === KEYS.undo ? KEYS.redo : own;
  if (key === undefined) return [{text: safeText(words)}];
  return [{text: safeText(words)}, {text: ` (${key})`, inCommand: ''}, {text: safeText(caveat)}];
}

function keyOf(kind: ActionKind | undefined): string | undefined {
  if (kind === undefined) return undefined;
  const [key] = recordOf({kind}).keys ?? [];
  assert(key !== undefined, `${kind} has no key`);
  return keysText(key);
}

/** Undefined if the record has no action that undoes it, as far as is known. */
function inverseKind(action: Action, shown: ShownSubject): ActionKind | undefined {
  const seen = asObservation(shown);
  const inverse = recordOf(action).undo(action, seen, seen);
  return typeof inverse === 'string' ? undefined : inverse.action.kind;
}

/** What a screen shows of an action in question: its subject, and the firewalls if the action replaces those. */
export type ShownSubject = {
  readonly subject?: CloudResource | undefined;
  readonly firewalls?: readonly Firewall[] | undefined;
};

/** What was last read of a subject, with the firewalls if the action replaces those. */
export function shownSubject(
  action: Action,
  subject: CloudResource | undefined,
  {store}: Pick<AssessmentInput, 'store'>,
): ShownSubject {
  return recordOf(action).alsoReads === 'firewalls' ? {subject, firewalls: observedFirewalls(store)} : {subject};
}

/** Why an action does not apply to what is shown; undefined if it does. */
export function unmetPrecondition(action: Action, shown: ShownSubject): SafeText | undefined {
  return recordOf(action).precondition(action, asObservation(shown));
}

/** What confirming the action confirms: everything that must still be so when it is sent. */
export function confirmationOf(action: Action, shown: ShownSubject = {}): Confirmed {
  const {subject} = shown;
  const record = recordOf(action);
  const judged = record.ignoresStatus === true ? undefined : subject;
  const status = judged && statusOf(judged)?.status;
  const replaced = record.replaced?.(action, asObservation(shown));
  const named = subject === undefined ? undefined : record.namedFacts?.(action, subject);
  const facts = {...(judged && factsOf(judged)), ...(named === undefined ? {} : {named})};
  return {
    action,
    subjectName: subject === undefined ? ownName(action) : nameOf(subject),
    ...(status === undefined ? {} : {status}),
    ...(judged === undefined && named === undefined ? {} : {facts}),
    ...(replaced === undefined ? {} : {replaced}),
  };
}

/** Something being created is called by its future name; an access key, which has no name, by its region. */
function ownName({kind, spec, name}: Action): SafeText {
  return name ?? spec?.name ?? spec?.regionName ?? verbOf(kind);
}

function asObservation({subject, firewalls}: ShownSubject): Observation<CloudResource> {
  return {
    startedAt: monotonicMs(0),
    records: subject === undefined ? [] : [subject],
    isWhole: true,
    ...(firewalls === undefined ? {} : {firewalls}),
  };
}
