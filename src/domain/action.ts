import {assert} from './assert.ts';
import {isResourceType, type ResourceType} from './cloud-resource.ts';
import type {History, Observation} from './observation.ts';
import type {SafeText} from './safe-text.ts';
import type {NamedFacts} from './shown-facts.ts';
import type {DurationMs} from './time.ts';

/**
 * Something that can be done to the cloud, as data: its kind and its parameters. The meaning of a kind is in its record
 * in `actions/`, which also gives the exact type of its parameters; this type is what all kinds have in common.
 */
export type Action = ActionParameters & {
  /** The word before the dot is the type of the subject. */
  readonly kind: ActionKind;
};
export type ActionParameters = {
  /**
   * The subject's id. Something being created is described by `spec` instead, and a bucket has a name instead of an id.
   */
  readonly id?: number;
  readonly spec?: {readonly name?: SafeText; readonly regionName?: SafeText; readonly [field: string]: unknown};
  readonly name?: SafeText;
  readonly regionName?: SafeText;
  readonly [parameter: string]: unknown;
};
export type ActionKind = `${ResourceType}.${string}`;

/** The subject of an action: what is locked, checked and watched. Something being created is known by its name. */
export type Subject =
  | {readonly type: ResourceType; readonly id: number}
  | {readonly type: ResourceType; readonly name: SafeText; readonly regionName?: SafeText};

export function typeOf(kind: ActionKind): ResourceType {
  const [type = ''] = kind.split('.');
  assert(isResourceType(type), `${kind} does not say what it is done to`);
  return type;
}

export function subjectOf({kind, id, spec, name, regionName}: Action): Subject {
  const type = typeOf(kind);
  if (id !== undefined) return {type, id};
  if (name !== undefined && regionName !== undefined) return {type, name, regionName};
  // Access keys have no names, so two created in one region at once could not be told apart.
  const own = spec?.name ?? spec?.regionName;
  assert(own !== undefined, `${kind} does not say what it makes`);
  return {type, name: own};
}

/** What happened to a resource, whoever reports it: an event, metering, the journal, or two readings that differ. */
export type ResourceChange =
  | 'created'
  | 'deleted'
  | 'started'
  | 'stopped'
  | 'rebooted'
  | 'hibernated'
  | 'restored'
  /** A machine that was to be restored is hibernated as before: nothing was hibernated then. */
  | 'restore failed'
  | 'resized'
  | 'reconciled'
  | 'rule added'
  | 'rule removed'
  | 'volume attached'
  | 'volume detached'
  | 'address attached'
  | 'address detached';

/** Ids are unique only within a type. */
export function subjectKey(subject: Subject): string {
  if ('id' in subject) return `${subject.type} ${subject.id}`;
  // The quotes distinguish a name that is a number from an id.
  const names = subject.regionName === undefined ? [subject.name] : [subject.name, subject.regionName];
  return `${subject.type} ${JSON.stringify(names)}`;
}

/** What is true of one kind of action: its words, what it needs, and how its effect is recognised. */
export type ActionTraits<A, R> = {
  /** The service's own word. */
  readonly verb: SafeText;
  /**
   * The action without its subject, if the verb alone is not enough: `add rule ingress tcp/22 0.0.0.0/0 on`. `named`:
   * what its question said of others, such as their names.
   */
  words?(action: A, named?: NamedFacts): SafeText;
  /** What comes after its subject in them: `to n3-L40x1`. */
  wordsAfter?(action: A): SafeText;
  /** What events and changes in a list are matched with. */
  readonly change?: ResourceChange;
  /** Twice the longest the service is known to take. After that, watching goes on but says that it takes long. */
  readonly overdueAfterMs: DurationMs;
  /**
   * What is read besides the subject: its history, as evidence or only for the cause of a failure, or the firewalls.
   */
  readonly alsoReads?: 'events' | 'cause' | 'firewalls';
  /** For an action that brings its subject into another state: that state. */
  readonly targetStatus?: string;
  /** It is confirmed only after the subject's state was shown. */
  readonly needsStatus?: true;
  /** Starts a job and changes nothing: the answer is its only effect, and nothing else has to wait for it. */
  readonly endsWithReply?: true;
  /** The records the action is about: its subject, or what it created. */
  among(action: A, records: readonly R[]): readonly R[];
  /** Why the service would refuse the action, or why it would change nothing; undefined if it is worth sending. */
  precondition(action: A, seen: Observation<R>): SafeText | undefined;
  /** For an action that replaces one set by another: the present set. */
  replaced?(action: A, seen: Observation<R>): readonly string[];
  /** What its question says of the subject that must still be so, besides the facts that are compared for every action. */
  namedFacts?(action: A, subject: R): NamedFacts | undefined;
  evidence(action: A, seen: Observation<R>, history: History<R>): Evidence;
  /** The action that undoes this one, or why there is none, from the readings before and after it. */
  undo(action: A, was: Observation<R>, is: Observation<R>): Inverse | SafeText;
};

/** What one reading says about an operation. */
export type Evidence =
  /** Under way. `unlessLate` says what it means if this lasts too long, for actions without a change of state. */
  | {readonly kind: 'transition'; readonly unlessLate?: SafeText}
  | {readonly kind: 'target'; readonly remark?: SafeText}
  | {readonly kind: 'elsewhere'; readonly detail: SafeText}
  | {readonly kind: 'unchanged'; readonly remark?: SafeText}
  /** An unknown state, or one in transition to another. */
  | {readonly kind: 'nothing'};

/** An undoing action, what it will do, and what its subject should be like. */
export type Inverse = {
  readonly action: Action;
  readonly words: SafeText;
  readonly status?: string;
  readonly replaced?: readonly string[];
  readonly namedFacts?: NamedFacts;
};

export const TRANSITION: Evidence = {kind: 'transition'};
export const TARGET: Evidence = {kind: 'target'};
export const UNCHANGED: Evidence = {kind: 'unchanged'};
export const NOTHING: Evidence = {kind: 'nothing'};

export function elsewhere(detail: SafeText): Evidence {
  return {kind: 'elsewhere', detail};
}
