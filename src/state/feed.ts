import type {Answer, ReadClient} from '../api/client.ts';
import type {ReadEndpoint} from '../api/endpoint.ts';
import type {Result} from '../domain/failure.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {type DurationMs, MINUTE_MS} from '../domain/time.ts';

/** What a feed is called. Two feeds with one key are the same feed. */
export type FeedName = {
  /** The kind and what it is of, in one text. */
  readonly key: string;
  /** What is read, such as `events`. One request serves all feeds of a kind, so their failures count as those of one. */
  readonly kind: string;
  /** The object it is of, with a window or period if it has one; empty if there is one feed of its kind. */
  readonly of: readonly (number | string)[];
};

/** The name of a feed as it is declared: its kind, and what it is of if there are many of that kind. */
export type FeedId = string | readonly [kind: string, ...of: (number | string)[]];

/** A polled thing, as a value: what it is called, how often it is worth reading, and how it is read. */
export type Feed<T> = FeedName & {
  readonly intervalMs: DurationMs;
  /** A list that changes while somebody watches it: its interval follows the setting `refreshSeconds`. */
  readonly isPaced?: true;
  readonly read: (client: ReadClient, signal?: AbortSignal) => Promise<Result<T>>;
  /** Combines a new reading with the previous one; without it, the new one replaces the old. */
  merge?(previous: T, next: T): T;
  /** The key of the list that also contains this record; the later reading of the two counts. */
  readonly listKey?: string;
  /** The part of the service that answers, such as `billing` or `core/volumes`: it may fail while others answer. */
  readonly part?: string;
  /** The source, if it is not the service. Its failures say nothing about the service. */
  readonly source?: 'prometheus';
};

/**
 * A list as read: its good records, and those quarantined. It is the answer object itself, so the same answer gives the
 * same listing.
 */
export type Listing<R> = Answer<R>;

/**
 * Whether every record of the list was read, so that a record missing from it does not exist. A record could also be in
 * a page that was not received, in a region that did not answer, or be one that could not be parsed.
 */
export function isWhole({
  quarantined,
  incompleteReason,
  absentParts,
}: Pick<Listing<unknown>, 'quarantined' | 'incompleteReason' | 'absentParts'>): boolean {
  return quarantined.length === 0 && incompleteReason === undefined && absentParts === undefined;
}

export function feedName(id: FeedId): FeedName {
  const [kind, ...of] = typeof id === 'string' ? [id] : id;
  return {key: [kind, ...of].join(':'), kind, of};
}

/** A feed of all records that one read returns. */
export function listFeed<Params, R>(
  id: FeedId,
  intervalMs: DurationMs,
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Feed<Listing<R>> {
  return {
    ...feedName(id),
    intervalMs,
    part: partOf(endpoint),
    read: (client, signal) => client.read(endpoint, params, {signal}),
  };
}

/** A feed of the one record that a read returns; an answer without it is a failure. */
export function oneFeed<Params, R>(
  id: FeedId,
  intervalMs: DurationMs,
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Feed<R> {
  return {
    ...feedName(id),
    intervalMs,
    part: partOf(endpoint),
    read: async (client, signal) => {
      const answer = await client.read(endpoint, params, {signal});
      return answer.ok ? onlyRecord(answer.value) : answer;
    },
  };
}

/** A record as the service sent it, for a person who wants to see it unchanged. */
export function recordFeed<Params, R>(
  id: [string, ...(number | string)[]],
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Feed<unknown> {
  return {
    ...feedName(['record', ...id]),
    intervalMs: MINUTE_MS,
    part: partOf(endpoint),
    read: async (client, signal) => {
      const answer = await client.readRaw(endpoint, params, {signal});
      return answer.ok ? {ok: true, value: answer.value.raw[0]} : answer;
    },
  };
}

/** The start of the path; what is under `core` runs apart. */
function partOf({template}: Pick<ReadEndpoint<never, unknown>, 'template'>): string {
  const [, service = '', resource = ''] = template.split('/');
  return service === 'core' ? `${service}/${resource}` : service;
}

function onlyRecord<R>({records, quarantined}: Answer<R>): Result<R> {
  const [record] = records;
  return record === undefined
    ? {ok: false, failure: {kind: 'odd-answer', detail: unreadableFields(quarantined)}}
    : {ok: true, value: record};
}

function unreadableFields(quarantined: Answer<unknown>['quarantined']): SafeText {
  const field = quarantined[0]?.fields[0];
  return field === undefined ? say`the record is missing` : say`the record cannot be read (field ${field})`;
}
