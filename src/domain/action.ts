import {assert} from './assert.ts';
import {isResourceType, type ResourceType} from './cloud-resource.ts';
import type {History, Observation} from './observation.ts';
import type {SafeText} from './safe-text.ts';
import type {DurationMs} from './time.ts';

/**
 * Something that can be done to the cloud, as data: its kind, and its parameters. What a kind means stands in its record
 * in `actions/`, which also gives the exact type of its parameters; this is what all kinds have in common.
 */
export type Action = ActionParameters & {
  /** The word before the dot is the type of what it is done to. */
  readonly kind: ActionKind;
};
export type ActionParameters = {
  /** What it is done to; what is only being made is described by `spec`, and a bucket has a name in place of an id. */
  readonly id?: number;
  readonly spec?: {readonly name?: SafeText; readonly regionName?: SafeText; readonly [field: string]: unknown};
  readonly name?: SafeText;
  readonly regionName?: SafeText;
  readonly [parameter: string]: unknown;
};
export type ActionKind = `${ResourceType}.${string}`;

/** What an action is done to: what is locked, checked and watched. What is only being made is known by its name. */
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
  // Access keys have no names: two that are created in one region at once could not be told apart.
  const own = spec?.name ?? spec?.regionName;
  assert(own !== undefined, `${kind} does not say what it makes`);
  return {type, name: own};
}

/** Ids are unique only within a type. */
export function subjectKey(subject: Subject): string {
  if ('id' in subject) return `${subject.type} ${subject.id}`;
  // The quotes keep a name that is a number apart from an id.
  const names = subject.regionName === undefined ? [subject.name] : [subject.name, subject.regionName];
  return `${subject.type} ${JSON.stringify(names)}`;
}

/** What is true of one kind of action: how it is told, what it needs, and how it is seen to have worked. */
export type ActionRule<A, R> = {
  /** In the service's own word. */
  readonly verb: SafeText;
  /** The action without its subject, where the verb alone does not tell it: `add rule ingress tcp/22 0.0.0.0/0 on`. */
  words?(action: A): SafeText;
  /** What events of the service and changes in a list call the same: `started`, `rule added`. */
  readonly happening?: string;
  /** Twice the longest the service is known to take; after it the watch goes on, but says so. */
  readonly overdueAfterMs: DurationMs;
  /** What is read beside the subject: its history as evidence or only for the cause of a failure, or the firewalls. */
  readonly alsoReads?: 'events' | 'cause' | 'firewalls';
  /** It is confirmed only after the subject's state was shown. */
  readonly needsStatus?: true;
  /** Starts a job and changes nothing: the answer is all there is to see, and nothing else has to wait for it. */
  readonly endsWithReply?: true;
  /** Those of the records that the action is about: its subject, or what has come into being by it. */
  among(action: A, records: readonly R[]): readonly R[];
  /** Why the service would refuse the action, or why it would change nothing; undefined where it is worth sending. */
  precondition(action: A, seen: Observation<R>): SafeText | undefined;
  /** For an action that puts one set in place of another: the set that stands. */
  replaced?(action: A, seen: Observation<R>): readonly string[];
  evidence(action: A, seen: Observation<R>, history: History<R>): Evidence;
  /** The action that takes this one back, or why there is none, by the readings before it and after it. */
  undo(action: A, was: Observation<R>, is: Observation<R>): Inverse | SafeText;
};

/** What one reading says about an operation. */
export type Evidence =
  /** On its way. `unlessLate` says what it is once it has been so for too long, where no change of state would tell. */
  | {readonly kind: 'transition'; readonly unlessLate?: SafeText}
  | {readonly kind: 'target'; readonly remark?: SafeText}
  | {readonly kind: 'elsewhere'; readonly detail: SafeText}
  | {readonly kind: 'unchanged'; readonly remark?: SafeText}
  /** A state we do not know, or the way to another one. */
  | {readonly kind: 'nothing'};

/** An action that takes another one back, what it will do, and the state in which it is meant to find its subject. */
export type Inverse = {
  readonly action: Action;
  readonly words: SafeText;
  readonly status?: string;
  readonly replaced?: readonly string[];
};

export const TRANSITION: Evidence = {kind: 'transition'};
export const TARGET: Evidence = {kind: 'target'};
export const UNCHANGED: Evidence = {kind: 'unchanged'};
export const NOTHING: Evidence = {kind: 'nothing'};

export function elsewhere(detail: SafeText): Evidence {
  return {kind: 'elsewhere', detail};
}
