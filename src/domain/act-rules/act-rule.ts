import type {Act, ActKind, ActOf, TypeOf} from '../act.ts';
import type {SafeText} from '../safe-text.ts';
import type {Past, Sighting} from '../sighting.ts';
import type {Things} from '../thing.ts';
import type {DurationMs} from '../time.ts';

/** All that one kind of act has of its own: how it is told, what it needs, and how it is seen to have worked. */
export type ActRule<A extends Act, R> = {
  /** In the service's own word. */
  readonly verb: SafeText;
  /** The act without its subject, where the verb alone does not tell it: `add rule ingress tcp/22 0.0.0.0/0 on`. */
  words?(act: A): SafeText;
  /** Twice the longest the service is known to take; after it the watch goes on, but says so. */
  readonly overdueAfterMs: DurationMs;
  /** What is read beside the subject. */
  readonly alsoReads?: 'events' | 'firewalls';
  /** Starts a job and changes nothing: the answer is all there is to see, and nothing else has to wait for it. */
  readonly endsWithReply?: true;
  /** Those of the records that the act is about: its subject, or what has come into being by it. */
  among(act: A, records: readonly R[]): readonly R[];
  /** Why the service would refuse the act, or why it would change nothing; undefined where it is worth sending. */
  obstacle(act: A, seen: Sighting<R>): SafeText | undefined;
  /** For an act that puts one set in place of another: the set that stands. */
  replaced?(act: A, seen: Sighting<R>): readonly string[];
  evidence(act: A, seen: Sighting<R>, past: Past<R>): Evidence;
  /** The act that takes this one back, or why there is none, by the readings before it and after it. */
  undo(act: A, was: Sighting<R>, is: Sighting<R>): Inverse | SafeText;
};

/** One record for each kind of act, typed by what it is done to. */
export type ActRules = {readonly [Kind in ActKind]: ActRule<ActOf<Kind>, Things[TypeOf<Kind>]>};

/** What one reading says about an operation. */
export type Evidence =
  /** On its way. `unlessLate` says what it is once it has been so for too long, where no change of state would tell. */
  | {readonly kind: 'transition'; readonly unlessLate?: SafeText}
  | {readonly kind: 'target'; readonly remark?: SafeText}
  | {readonly kind: 'elsewhere'; readonly detail: SafeText}
  | {readonly kind: 'unchanged'; readonly remark?: SafeText}
  /** A state we do not know, or the way to another one. */
  | {readonly kind: 'nothing'};

/** An act that takes another one back, what it will do, and the state in which it is meant to find its subject. */
export type Inverse = {
  readonly act: Act;
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
