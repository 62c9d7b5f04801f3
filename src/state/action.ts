import type {OperationClient, OperationReply} from '../api/client.ts';
import type {Action, ActionKind, ActionRule} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {CloudResource} from '../domain/cloud-resource.ts';
import type {Result} from '../domain/failure.ts';
import type {Feed, Listing} from './feed.ts';

/**
 * All that the engine knows of one kind of action. The records stand in `actions/`, each with more than this, and are
 * handed to the session: nothing in here knows which there are.
 */
export type ActionDefinition<A extends Action = Action, R extends CloudResource = CloudResource> = ActionRule<A, R> & {
  readonly kind: ActionKind;
  /** Where its subject is read. */
  readonly feeds: SubjectFeeds;
  /** An action of this kind as the journal has it; undefined where its parameters cannot be read. */
  parse(value: unknown): A | undefined;
  /** The same action without what must not be written down; the action itself where it holds nothing of that kind. */
  withoutSecrets(action: A): object;
  /** The one request of the action. */
  sendOnce(client: OperationClient, action: A): Promise<Result<OperationReply>>;
};

/** Where resources of a type are read, for the check before sending and the watch after it. */
export type SubjectFeeds = {
  /** The list in which what is made, changed or deleted is seen by everybody else. */
  readonly list: Feed<SubjectListing>;
  /** One by its id, where the service gives one alone; the rest is found in the list. */
  readonly one?: (id: number) => Feed<CloudResource>;
};

/** A list of resources, and which of its records are only kept from an earlier reading. */
export type SubjectListing = Listing<CloudResource> & {readonly missingOnce?: ReadonlySet<number>};

/** Every kind of action there is, by its kind. */
export type Actions = ReadonlyMap<string, ActionDefinition>;

export function definitionOf(actions: Actions, {kind}: Pick<Action, 'kind'>): ActionDefinition {
  const definition = actions.get(kind);
  assert(definition !== undefined, `${kind} is no action`);
  return definition;
}
