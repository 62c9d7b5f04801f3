import {createClient, type Exchange, type ReadClient} from '../../../src/api/client.ts';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {secret} from '../../../src/domain/secret.ts';
import {lastValue} from '../../../src/domain/snapshot.ts';
import {type Clock, DAY_MS, epochMs, monotonicMs} from '../../../src/domain/time.ts';
import type {Triage} from '../../../src/domain/triage/triage.ts';
import {machineActivity} from '../../../src/domain/utilization.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {BASE_PATH, createApp} from '../../../src/simulator/http/app.ts';
import {createWorld} from '../../../src/simulator/world/world.ts';
import {meFeed, organizationFeed} from '../../../src/state/account.ts';
import {creditFeed, deletedUsageFeed} from '../../../src/state/billing.ts';
import {clusterEventsFeed, clustersFeed} from '../../../src/state/clusters.ts';
import type {Feed} from '../../../src/state/feed.ts';
import {eventsFeed, metricsFeed, observedMachines} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {presentTriage, silentAmong, TRIAGE_LISTS} from '../../../src/state/triage.ts';
import type {Fleet} from './fleets.ts';

/** A fleet that is polled: everything that rules look at is read anew, and judged. */
export type Watched = {readonly pollAfter: (ms: number) => Promise<Triage>};

/**
 * The fleet's world in this process, asked through the program's own client; time passes between the polls alone. The
 * preferences are those of the person who watches.
 */
export function watch({
  scenario,
  seed,
  startedAt,
  watching: {preferences, link, failing},
}: Pick<Fleet, 'scenario' | 'seed' | 'startedAt' | 'watching'>): Watched {
  const world = createWorld({seed, startedAt, isFaithful: true, scenario});
  const app = createApp(world);
  let passedMs = 0;
  const clock: Clock = {
    wallNow: () => epochMs(startedAt + passedMs),
    monotonicNow: () => monotonicMs(passedMs),
    // Nothing here waits for an answer.
    after: () => () => {},
  };
  const client = createClient({
    baseUrl: `http://127.0.0.1:1${BASE_PATH}`,
    key: secret(world.keys.owner),
    clock,
    admit: async () => {},
    exchange: exchangeWith(app, world.keys.owner),
  });
  const store = createStore();
  let pollCount = 0;
  return {
    pollAfter: async ms => {
      passedMs += ms;
      world.advanceTo(startedAt + passedMs);
      pollCount += 1;
      await readAll(store, client, clock, pollCount === 1 ? [] : failing);
      return presentTriage({
        store,
        now: clock.wallNow(),
        monotonicNow: clock.monotonicNow(),
        preferences: {...DEFAULT_PREFERENCES, ...preferences},
        link: {clockOffsetMs: 0, requestsLastMinute: 0, requestCeiling: 100, ...link},
      });
    },
  };
}

/** What `skydeck triage --metrics all` reads. */
async function readAll(
  store: ReturnType<typeof createStore>,
  client: ReadClient,
  clock: Clock,
  failing: Fleet['watching']['failing'],
): Promise<void> {
  const read = async <T>(feed: Feed<T>): Promise<void> => {
    const answer = await feed.read(client);
    if (!answer.ok) throw new Error(`${feed.key}: ${JSON.stringify(answer.failure)}`);
    store.writeValue(feed, answer.value, clock.monotonicNow());
  };
  for (const {feed, what} of TRIAGE_LISTS) {
    // A list fails in one way: a seeded trouble comes after the near misses of others on the same list.
    const failed = failing.findLast(each => each.what === what);
    if (failed === undefined) await read(feed);
    else store.writeFailure(feed, failed.failure, clock.monotonicNow());
  }
  for (const feed of [deletedUsageFeed, creditFeed, meFeed, organizationFeed]) await read<unknown>(feed);
  const machines = observedMachines(store) ?? [];
  for (const {id, status} of machines) {
    if (status === 'ACTIVE') await read(metricsFeed(id, '1d'));
    else await read(eventsFeed(id));
  }
  for (const {id} of silentAmong(machines, {store, now: clock.wallNow()})) await read(eventsFeed(id));
  // Two weeks are a megabyte each, so they are read of those alone that a day calls quiet.
  for (const machine of machines.filter(each => isQuiet(each, store, clock)))
    await read(metricsFeed(machine.id, '15d'));
  for (const {id} of lastValue(store.get(clustersFeed))?.records ?? []) await read(clusterEventsFeed(id));
}

function isQuiet({id, flavor, status}: VirtualMachine, store: ReturnType<typeof createStore>, clock: Clock): boolean {
  const metrics = lastValue(store.get(metricsFeed(id, '1d')));
  if (status !== 'ACTIVE' || metrics === undefined) return false;
  const span = {now: clock.wallNow(), windowMs: DAY_MS, binCount: 1};
  return machineActivity(metrics, flavor, span).isWorking === 'no';
}

function exchangeWith(app: ReturnType<typeof createApp>, key: string): Exchange {
  return {
    read: async (_line, {method, url}) => {
      const response = await app.request(url.pathname + url.search, {method, headers: {api_key: key}});
      const reader = response.body?.getReader();
      return {
        ok: true,
        value: {
          httpStatus: response.status,
          header: name => response.headers.get(name) ?? undefined,
          next: async () => ({ok: true, value: (await reader?.read())?.value}),
          close: () => {},
        },
      };
    },
    operation: () => Promise.reject(new Error('Nothing is done to this world.')),
  };
}
