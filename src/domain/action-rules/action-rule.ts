import type {Action, ActionKind, ActionOf, TypeOf} from '../action.ts';
import type {SafeText} from '../safe-text.ts';
import type {Past, Sighting} from '../sighting.ts';
import type {Things} from '../thing.ts';
import type {DurationMs} from '../time.ts';

/** All that one kind of action has of its own: how it is told, what it needs, and how it is seen to have worked. */
export type ActionRule<A extends Action, R> = {
  /** In the service's own word. */
  readonly verb: SafeText;
  /** The action without its subject, where the verb alone does not tell it: `add rule ingress tcp/22 0.0.0.0/0 on`. */
  words?(action: A): SafeText;
  /** Twice the longest the service is known to take; after it the watch goes on, but says so. */
  readonly overdueAfterMs: DurationMs;
  /** What is read beside the subject. */
  readonly alsoReads?: 'events' | 'firewalls';
  /** Starts a job and changes nothing: the answer is all there is to see, and nothing else has to wait for it. */
  readonly endsWithReply?: true;
  /** Those of the records that the action is about: its subject, or what has come into being by it. */
  among(action: A, records: readonly R[]): readonly R[];
  /** Why the service would refuse the action, or why it would change nothing; undefined where it is worth sending. */
  obstacle(action: A, seen: Sighting<R>): SafeText | undefined;
  /** For an action that puts one set in place of another: the set that stands. */
  replaced?(action: A, seen: Sighting<R>): readonly string[];
  evidence(action: A, seen: Sighting<R>, past: Past<R>): Evidence;
  /** The action that takes this one back, or why there is none, by the readings before it and after it. */
  undo(action: A, was: Sighting<R>, is: Sighting<R>): Inverse | SafeText;
};

/** One record for each kind of action, typed by what it is done to. */
export type ActionRules = {readonly [Kind in ActionKind]: ActionRule<ActionOf<Kind>, Things[TypeOf<Kind>]>};

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
