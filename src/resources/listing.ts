import type {RawAnswer, ReadClient} from '../api/client.ts';
import type {ReadEndpoint} from '../api/endpoint.ts';
import type {Result} from '../domain/failure.ts';
import type {SafeText} from '../domain/safe-text.ts';

/** Which part of the account is meant, where the list can be narrowed. */
export type Narrowing = {
  readonly vm?: string;
  readonly cluster?: string;
  readonly firewall?: string;
  readonly region?: string;
  readonly deleted?: boolean;
};

/** The records of a list as received. */
export type RawListing = {
  readonly raw: readonly unknown[];
  readonly incompleteReason?: string;
  /** Ids that the list has twice: which of two records is right is unknown. */
  readonly repeatedIds?: readonly string[];
  /** The object each record was found in, where records do not name it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

/** What a command needs to read a kind. */
export type Reader = {
  readonly client: ReadClient;
  readonly signal: AbortSignal;
  readonly narrowing: Narrowing;
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  /** Reports progress to the person waiting. */
  readonly progress: (words: string) => void;
  /** The lists in which its names were sought, by kind: read once for all of them. */
  readonly lists: Map<string, Promise<Listed>>;
};

/** The request for one record by id. */
export type OneRead = {
  readonly path: (id: number) => string;
  readonly read: (reader: Reader, id: number) => Promise<Result<RawListing>>;
};

/** A listing, a failure of the service, or a usage error. */
export type Listed = Result<RawListing> | {readonly ok: false; readonly mistake: SafeText};

/** One record by id, as the service sends it. `idOf` converts the id to what the endpoint takes. */
export function readById<Id, R>(endpoint: ReadEndpoint<{readonly id: Id}, R>, idOf: (id: number) => Id): OneRead {
  return {
    path: id => endpoint.path({id: idOf(id)}),
    read: async ({client, signal}, id) => rawOf(await client.readRaw(endpoint, {id: idOf(id)}, {signal})),
  };
}

/** The raw records of an answer, as input for a list function. */
export function rawOf(answer: Result<RawAnswer>): Result<RawListing> {
  if (!answer.ok) return answer;
  const {raw, incompleteReason, absentParts, repeatedIds} = answer.value;
  const missing = absentParts === undefined ? incompleteReason : `no answer from ${absentParts.join(', ')}`;
  const listing = {raw, ...(repeatedIds === undefined ? {} : {repeatedIds})};
  return {ok: true, value: missing === undefined ? listing : {...listing, incompleteReason: missing}};
}

/**
 * A record with the name and id of its owner, if it does not name the owner itself. The service's fields are unchanged;
 * a leading `_` marks ours.
 */
export function withOwner(raw: unknown, kind: 'vm' | 'cluster' | 'firewall', owner: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  return {...raw, [`_${kind}`]: rawField(owner, 'name') ?? null, [`_${kind}_id`]: rawField(owner, 'id') ?? null};
}

export function rawField(raw: unknown, name: string): unknown {
  return typeof raw === 'object' && raw !== null ? Object.getOwnPropertyDescriptor(raw, name)?.value : undefined;
}

export function regionOf({region}: Narrowing): {readonly region?: string} {
  return region === undefined ? {} : {region};
}
