import type {Action} from '../../domain/action.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {Result} from '../../domain/failure.ts';
import type {Firewall} from '../../domain/firewall.ts';
import type {Observation} from '../../domain/observation.ts';
import {goneAt, lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../../domain/time.ts';
import {virtualMachineId} from '../../domain/virtual-machine.ts';
import {meFeed, organizationFeed} from '../account.ts';
import {type Actions, definitionOf, type SubjectFeeds, type SubjectListing} from './action.ts';
import {type Feed, isWhole, type Listing} from '../feed.ts';
import {firewallsFeed} from '../firewalls.ts';
import {eventsFeed} from '../machines.ts';
import type {Poller} from '../poller/poller.ts';
import type {Store} from '../store.ts';

/** The feeds by which an action is checked and watched, and what the store holds of them. */
export type ActionReadings = {
  /** The subject's own feed first. */
  readonly feeds: readonly [Feed<unknown>, ...Feed<unknown>[]];
  /** Read as well, but only once the subject is in an unexpected state, to find out why. */
  readonly cause?: Feed<unknown>;
  /** The list that also contains the subject, if the subject is read on its own. */
  readonly list?: ListReading | undefined;
  /** Starts one reading now, for the check before sending. */
  readonly readNow: (poller: Poller) => Promise<Result<Observation<CloudResource>>>;
  /**
   * The newest observation for which every feed has a good reading; undefined if one is missing or failed.
   * @param source `alone`: ignore what the list shows of a subject that is read on its own
   */
  readonly newest: (store: Store, source?: 'alone') => Observation<CloudResource> | undefined;
};

type ObservedList = Pick<Observation<CloudResource>, 'startedAt' | 'records' | 'isWhole' | 'repeatedIds'>;
type SubjectReading = Pick<ActionReadings, 'list'> & {
  readonly feed: Feed<unknown>;
  readonly readNow: (poller: Poller) => Promise<Result<ObservedList>>;
  readonly newest: (store: Store, source?: 'alone') => ObservedList | undefined;
};

type ListReading = {
  readonly feed: Feed<unknown>;
  /** The number of requests one reading takes; unknown before the first. */
  readonly requestCount: (store: Store) => number | undefined;
  /** Whether a reading begun after this moment lacks the subject, so that only the subject's own reading counts. */
  readonly lacksSince: (store: Store, moment: MonotonicMs) => boolean;
};

/** Smaller than any page the service has been seen to return when asked for a large one. */
const RECORDS_A_REQUEST = 200;

/** Lists are long, so a watched list is read less often than a single object. */
const LIST_INTERVAL_MS = 10 * SECOND_MS;
/** One reading of the list replaces the readings of several objects. */
const SHARED_LIST_INTERVAL_MS = 5 * SECOND_MS;

export function readingsOf(action: Action, actions: Actions): ActionReadings {
  const {alsoReads, feeds} = definitionOf(actions, action);
  const subject = subjectReading(action, feeds);
  if (alsoReads === undefined || action.id === undefined) return {...subject, feeds: [subject.feed]};
  if (alsoReads === 'firewalls') return withFirewalls(subject, watchedList(firewallsFeed));
  const events = {...eventsFeed(virtualMachineId(action.id)), intervalMs: subject.feed.intervalMs};
  const reading = {...withEvents(subject, events), list: subject.list};
  return alsoReads === 'cause'
    ? {...reading, feeds: [subject.feed], cause: events}
    : // … Our own user is read once: histories name the user of each action by number.
      {...reading, feeds: [subject.feed, events, meFeed, organizationFeed]};
}

/**
 * Our own user number in histories. The organization lists users by number and e-mail address; the key knows only our
 * address.
 */
export function ownUserId(store: Store): number | undefined {
  const email = lastValue(store.get(meFeed))?.email.toLowerCase();
  const users = lastValue(store.get(organizationFeed))?.users ?? [];
  return email === undefined ? undefined : users.find(user => user.email?.toLowerCase() === email)?.id;
}

function withEvents(
  subject: SubjectReading,
  events: ReturnType<typeof eventsFeed>,
): Pick<ActionReadings, 'readNow' | 'newest'> {
  return {
    readNow: async poller => {
      const [look, history] = await Promise.all([subject.readNow(poller), poller.readNow(events)]);
      if (!look.ok || !history.ok) return look;
      return {ok: true, value: {...look.value, events: history.value.value.records}};
    },
    newest: (store, source) => {
      const look = subject.newest(store, source);
      if (look === undefined) return undefined;
      const history = store.get(events);
      const own = ownUserId(store);
      return {
        ...look,
        ...(history.status === 'fresh' ? {events: history.value.records, eventsStartedAt: history.readAt} : {}),
        ...(own === undefined ? {} : {ownUserId: own}),
      };
    },
  };
}

function withFirewalls(subject: SubjectReading, feed: typeof firewallsFeed): ActionReadings {
  return {
    feeds: [subject.feed, feed],
    list: subject.list,
    readNow: async poller => {
      const [look, firewalls] = await Promise.all([subject.readNow(poller), poller.readNow(feed)]);
      if (!look.ok) return look;
      if (!firewalls.ok) return firewalls;
      return {ok: true, value: {...look.value, ...wholeFirewalls(firewalls.value.value)}};
    },
    newest: (store, source) => {
      const look = subject.newest(store, source);
      const firewalls = store.get(feed);
      if (look === undefined || firewalls.status !== 'fresh') return undefined;
      // Both must be newer than the request, so the older of the two counts.
      const startedAt = monotonicMs(Math.min(look.startedAt, firewalls.readAt));
      return {...look, startedAt, ...wholeFirewalls(firewalls.value)};
    },
  };
}

/** A firewall missing from a partial list may still apply to the machine, so a partial list is ignored. */
function wholeFirewalls(listing: Listing<Firewall>): Pick<Observation<CloudResource>, 'firewalls'> {
  return isWhole(listing) ? {firewalls: listing.records} : {};
}

function subjectReading({id}: Action, {list, one}: SubjectFeeds): SubjectReading {
  return id === undefined || one === undefined ? amongAll(list) : alone(one(id), id, list);
}

function alone(feed: Feed<CloudResource>, id: number, list: SubjectFeeds['list']): SubjectReading {
  const look = (startedAt: MonotonicMs, record?: CloudResource): ObservedList => ({
    startedAt,
    records: record === undefined ? [] : [record],
    isWhole: true,
  });
  const readAlone = (store: Store): ObservedList | undefined => {
    const snapshot = store.get(feed);
    if (snapshot.status === 'fresh') return look(snapshot.readAt, snapshot.value);
    const gone = goneAt(snapshot);
    return gone === undefined ? undefined : look(gone);
  };
  const listed = (store: Store): ObservedList | undefined => {
    const snapshot = store.get(list);
    const record = snapshot.status === 'fresh' ? recordIn(snapshot.value, id) : undefined;
    return snapshot.status === 'fresh' && record !== undefined ? look(snapshot.readAt, record) : undefined;
  };
  return {
    feed,
    list: {
      feed: {...list, intervalMs: Math.min(list.intervalMs, SHARED_LIST_INTERVAL_MS)},
      requestCount: store => {
        const listing = lastValue(store.get(list));
        return listing && Math.ceil(listing.records.length / RECORDS_A_REQUEST);
      },
      lacksSince: (store, moment) => {
        const snapshot = store.get(list);
        return snapshot.status === 'fresh' && snapshot.readAt > moment && recordIn(snapshot.value, id) === undefined;
      },
    },
    readNow: async poller => {
      const reading = await poller.readNow(feed);
      return reading.ok ? {ok: true, value: look(reading.value.startedAt, reading.value.value)} : reading;
    },
    newest: (store, source) => {
      const own = readAlone(store);
      const other = source === 'alone' ? undefined : listed(store);
      return own === undefined || (other !== undefined && other.startedAt > own.startedAt) ? other : own;
    },
  };
}

/** The record in this reading; one merely kept from an earlier reading does not count. */
function recordIn(
  {records, quarantined, incompleteReason, absentParts, missingOnce}: SubjectListing,
  id: number,
): CloudResource | undefined {
  const isKept = missingOnce?.has(id) === true || quarantined.some(unreadable => unreadable.id === `${id}`);
  if (isKept || incompleteReason !== undefined || absentParts !== undefined) return undefined;
  return records.find(record => 'id' in record && record.id === id);
}

function amongAll(feed: Feed<Listing<CloudResource>>): SubjectReading {
  const watched = watchedList(feed);
  const look = (startedAt: MonotonicMs, listing: Listing<CloudResource>): ObservedList => ({
    startedAt,
    records: listing.records,
    isWhole: isWhole(listing),
    ...(listing.repeatedIds === undefined ? {} : {repeatedIds: listing.repeatedIds}),
  });
  return {
    feed: watched,
    readNow: async poller => {
      const reading = await poller.readNow(watched);
      return reading.ok ? {ok: true, value: look(reading.value.startedAt, reading.value.value)} : reading;
    },
    newest: store => {
      const snapshot = store.get(watched);
      return snapshot.status === 'fresh' ? look(snapshot.readAt, snapshot.value) : undefined;
    },
  };
}

function watchedList<T>(feed: Feed<T>): Feed<T> {
  const intervalMs: DurationMs = Math.min(feed.intervalMs, LIST_INTERVAL_MS);
  return {...feed, intervalMs};
}
