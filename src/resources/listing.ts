import type {RawAnswer, ReadClient} from '../api/client.ts';
import type {ReadEndpoint} from '../api/endpoint.ts';
import type {Result} from '../domain/failure.ts';
import type {SafeText} from '../domain/safe-text.ts';

/** Which part of the account is meant, where the question can be narrowed. */
export type Narrowing = {
  readonly vm?: string;
  readonly cluster?: string;
  readonly firewall?: string;
  readonly region?: string;
  readonly deleted?: boolean;
};

/** The records of a list as they came. */
export type RawListing = {
  readonly raw: readonly unknown[];
  readonly incompleteReason?: string;
  /** The object that each was found in, where records do not say it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

/** What a kind is read with for a command. */
export type Reader = {
  readonly client: ReadClient;
  readonly signal: AbortSignal;
  readonly narrowing: Narrowing;
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  /** Says what is going on, for whoever waits. */
  readonly progress: (words: string) => void;
};

/** The request for one record by its id. */
export type OneRead = {
  readonly path: (id: number) => string;
  readonly read: (reader: Reader, id: number) => Promise<Result<RawListing>>;
};

/** A listing, a failure of the service, or a mistake in the question. */
export type Listed = Result<RawListing> | {readonly ok: false; readonly mistake: SafeText};

/** One record by its id, as the service sends it. `idOf` makes the id what the endpoint takes. */
export function readById<Id, R>(endpoint: ReadEndpoint<{readonly id: Id}, R>, idOf: (id: number) => Id): OneRead {
  return {
    path: id => endpoint.path({id: idOf(id)}),
    read: async ({client, signal}, id) => rawOf(await client.readRaw(endpoint, {id: idOf(id)}, {signal})),
  };
}

/** The raw records of an answer, for a list function. */
export function rawOf(answer: Result<RawAnswer>): Result<RawListing> {
  if (!answer.ok) return answer;
  const {raw, incompleteReason, absentParts} = answer.value;
  const missing = absentParts === undefined ? incompleteReason : `no answer from ${absentParts.join(', ')}`;
  return {ok: true, value: missing === undefined ? {raw} : {raw, incompleteReason: missing}};
}

/**
 * A record with the name and the id of what it belongs to, where it does not say so itself. The service's fields stay as
 * they are; a leading `_` marks ours.
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
