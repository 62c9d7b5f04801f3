import {costliestFirst} from '../domain/cost.ts';
import {describeReadFailure} from '../domain/failure.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {failureOf, lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {isTroubled} from '../domain/virtual-machine.ts';
import {meFeed, organizationFeed} from '../state/account.ts';
import {creditFeed, deletedUsageFeed, presentRates, usageFeed} from '../state/billing.ts';
import {priceBookFeed, withPricesInForce} from '../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../state/clusters.ts';
import {collectOnce} from '../state/poller/collect.ts';
import type {Feed} from '../state/feed.ts';
import {gpuLoadFeed, gpuActivityFeed} from '../state/gpu-load.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../state/machines.ts';
import {
  burnHistories,
  costliestRunning,
  silentAmong,
  TRIAGE_LISTS,
  type TriageInput,
  type UnreadList,
  unjudgedMachines,
  unreadLists,
} from '../state/triage.ts';
import type {Account} from './account.ts';
import {type CommandIo, complain} from './command-io.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../domain/exit-codes.ts';
import {limitFor, readMachineActivity} from './machine-activity.ts';
import {gapsIn, gapsInJournal} from './print/print-records.ts';

/** Histories take one request per machine, so in a fleet of thousands only those of the costliest are read. */
const MAX_HISTORIES = 50;

/** What was read so far, in the form triage judges. */
export function triageInput({session, clock, preferences, mutes, activity, ownConnection}: Account): TriageInput {
  const {store} = session;
  const now = clock.wallNow();
  return {
    store,
    now,
    monotonicNow: clock.monotonicNow(),
    preferences: withPricesInForce(preferences, {store, now}),
    mutes: mutes.all(),
    activity,
    ownConnection,
    link: {
      clockOffsetMs: session.link.clockOffsetMs(),
      isClockFollowed: session.link.isClockFollowed(),
      // A command that reads everything once is always near its own request limit.
      requestsLastMinute: 0,
      requestCeiling: session.budget.ceilingPerMinute,
    },
  };
}

/**
 * Reads everything triage judges, with the metrics of the given number of costliest machines, and saves what was learnt
 * about activity. Returns how many machines were left out because of the request limit.
 */
export async function readForTriage(
  account: Account,
  measuring: Parameters<typeof readMachineActivity>[2],
): Promise<number> {
  const {session, clock, preferences} = account;
  const {poller, store} = session;
  const gpus = session.client.prometheus === undefined ? [] : [gpuLoadFeed, gpuActivityFeed];
  const lists = [
    ...TRIAGE_LISTS.map(({feed}) => feed),
    ...[deletedUsageFeed, creditFeed, meFeed, organizationFeed, priceBookFeed],
    ...gpus,
  ];
  await collectOnce({feeds: lists, poller, clock, limitMs: limitFor(lists)});
  const machines = observedMachines(store) ?? [];
  const running = costliestRunning(store);
  const histories: readonly Feed<unknown>[] = [
    ...burnHistories({store, preferences, now: clock.wallNow(), monotonicNow: clock.monotonicNow()}),
    ...costliestFirst(machines.filter(isTroubled), presentRates(store))
      .slice(0, MAX_HISTORIES)
      .map(({id}) => eventsFeed(id)),
    ...(lastValue(store.get(clustersFeed))?.records ?? [])
      .filter(({status}) => status !== 'ACTIVE')
      .map(({id}) => clusterEventsFeed(id)),
  ];
  const collect = (feeds: readonly Feed<unknown>[]) =>
    feeds.length === 0 ? undefined : collectOnce({feeds, poller, clock, limitMs: limitFor(feeds)});
  await collect(histories);
  const unreadCount = await readMachineActivity(account, running, measuring);
  const silent = silentAmong(running, {store, now: clock.wallNow()}).slice(0, MAX_HISTORIES);
  await collect(silent.map(({id}) => eventsFeed(id)));
  return unreadCount;
}

/** What was not read or is incomplete, a line each for stderr. */
export function unreadLines(account: Account): readonly string[] {
  const stopped = stoppedReading(account);
  return [
    ...unreadLists(account.session.store).map(unreadWords),
    ...partlyRead(account),
    ...(stopped === undefined ? [] : [`not everything was read: ${stopped}`]),
  ];
}

/** Why a list could not be read at all: `machines: timed out after 15 s`. */
export function unreadWords({what, failure}: UnreadList): string {
  return `${what}: ${failure === undefined ? 'timed out' : describeReadFailure(failure)}`;
}

/** Why the service was not asked any more in the end; undefined if it was, or if that is said of a whole list. */
export function stoppedReading({session: {poller, store}}: Account): SafeText | undefined {
  const health = poller.health();
  if (health.status === 'up' || unreadLists(store).length > 0) return undefined;
  return describeReadFailure(health.status === 'rate-limited' ? {kind: 'rate-limited'} : health.failure);
}

/** What is missing in the lists that were read, a line each. */
export function partlyRead({session: {store}}: Account): readonly string[] {
  return TRIAGE_LISTS.flatMap(({what, feed}) => {
    const listing = lastValue(store.get(feed));
    return listing === undefined ? [] : gapsIn(what, listing);
  });
}

/** Operations sent from here since a moment, as far as the journal can be read. */
export function knownJournal(
  io: CommandIo,
  {session}: Account,
  since: EpochMs,
): ReturnType<Account['session']['journal']['latest']> {
  const journal = session.journal.latest();
  for (const gap of gapsInJournal(journal, since)) complain(io, gap);
  if (journal.fault !== undefined)
    complain(io, `operations sent from here are missing: the journal cannot be read: ${journal.fault}`);
  return journal;
}

/** Without all machines and usage, nobody can say that all is well. */
const ESSENTIAL: readonly Feed<unknown>[] = [machinesFeed, usageFeed];

/** Why the machines or the usage are not known, or not all of them; undefined if they are. */
export function missingPart({session: {store}}: Account): string | undefined {
  const unread = unreadLists(store).find(({feed}) => ESSENTIAL.includes(feed));
  if (unread !== undefined) return unreadWords(unread);
  const gaps = TRIAGE_LISTS.filter(({feed}) => ESSENTIAL.includes(feed)).flatMap(({what, feed}) => {
    const listing = lastValue(store.get(feed));
    return listing === undefined ? [] : gapsIn(what, listing);
  });
  return [...gaps, ...unjudgedMachines(store)][0];
}

/** The command fails without machines and usage; any other missing list is only reported. */
export function codeOfUnread({session: {store}}: Account): ExitCode {
  for (const feed of ESSENTIAL) {
    const snapshot = store.get(feed);
    const failure = failureOf(snapshot);
    if (lastValue(snapshot) !== undefined) continue;
    return failure === undefined ? EXIT.noAnswer : exitCodeOf(failure, 'read');
  }
  return EXIT.done;
}
