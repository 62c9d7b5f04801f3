import type {OperationClient, OperationReply} from '../../api/client.ts';
import type {Action, ActionKind, ActionTraits} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {Result} from '../../domain/failure.ts';
import type {ShownFacts} from '../../domain/shown-facts.ts';
import type {Feed, Listing} from '../feed.ts';
import type {Known} from '../known.ts';
import type {Store} from '../store.ts';

/**
 * All that the engine knows about one kind of action. The full records are in `actions/` and are handed to the session:
 * nothing in this folder knows which actions exist.
 */
export type ActionDefinition<A extends Action = Action, R extends CloudResource = CloudResource> = ActionTraits<
  A,
  R
> & {
  readonly kind: ActionKind;
  /** Where its subject is read. */
  readonly feeds: SubjectFeeds;
  /** An action of this kind restored from the journal; undefined if its parameters cannot be parsed. */
  parse(value: unknown): A | undefined;
  /** The same action without anything that must not be written to disk; the action itself if it holds no such thing. */
  withoutSecrets(action: A): object;
  /** What its question says of money, and of others than its subject, according to what is known now. */
  besides(action: A, subject: R | undefined, known: Known): ShownFacts;
  /** What is read again for that before it is sent; `replaced` is the set that is replaced, as shown. */
  rereads?(action: A, replaced: readonly string[]): readonly Feed<unknown>[];
  /** Lists that show its effect as well, beside its subject: read again once it has ended. */
  readonly shownIn?: readonly Feed<unknown>[];
  /** The lists that its question quotes: read again as well, unless they were read a moment ago and nobody was asked. */
  quotes?(action: A, known: Known): readonly Feed<unknown>[];
  /** The one request that the action sends. */
  sendOnce(client: OperationClient, action: A): Promise<Result<OperationReply>>;
};

/** Where resources of a type are read, for the check before sending and for watching afterwards. */
export type SubjectFeeds = {
  /** The list of this type of resource. */
  readonly list: Feed<SubjectListing>;
  /** Reads one by id, if the service has a request for that; otherwise it is looked up in the list. */
  readonly one?: (id: number) => Feed<CloudResource>;
  /** The lists that name it, according to what was last read: once it is gone, their findings would go on naming it. */
  namedIn?(gone: CloudResource, store: Store): readonly Feed<unknown>[];
};

/** A list of resources, and which of its records were only kept from an earlier reading. */
export type SubjectListing = Listing<CloudResource> & {readonly missingOnce?: ReadonlySet<number>};

/** Every kind of action, by its kind. */
export type Actions = ReadonlyMap<string, ActionDefinition>;

export function definitionOf(actions: Actions, {kind}: Pick<Action, 'kind'>): ActionDefinition {
  const definition = actions.get(kind);
  assert(definition !== undefined, `${kind} is not an action`);
  return definition;
}
