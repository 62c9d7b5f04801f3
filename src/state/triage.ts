import type {UsageRecord} from '../domain/billing.ts';
import {burnRate, isBurning} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';
import type {Preferences} from '../domain/preferences.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {failureOf, lastValue, readAt} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import {type KnownAccount, type KnownService, unreadAccount} from '../domain/triage/finding.ts';
import type {Mute} from '../domain/triage/mute.ts';
import {type Triage, triage} from '../domain/triage/triage.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {organizationFeed} from './account.ts';
import {billingFigures, creditLeft, presentRates, usageFeed} from './billing.ts';
import {flavorsFeed} from './catalogue.ts';
import {clusterEventsFeed, clustersFeed} from './clusters.ts';
import {contractsFeed} from './contracts.ts';
import type {Feed} from './feed.ts';
import {firewallsFeed} from './firewalls.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from './machines.ts';
import type {Store} from './store.ts';
import {volumesFeed} from './volumes.ts';

/** The lists that triage looks at, by the words that findings call them by. */
export const TRIAGE_LISTS: readonly {readonly what: SafeText; readonly feed: Feed<unknown>}[] = [
  {what: safeText('machines'), feed: machinesFeed},
  {what: safeText('usage'), feed: usageFeed},
  {what: safeText('volumes'), feed: volumesFeed},
  {what: safeText('clusters'), feed: clustersFeed},
  {what: safeText('firewalls'), feed: firewallsFeed},
  {what: safeText('contracts'), feed: contractsFeed},
  {what: safeText('flavors'), feed: flavorsFeed},
];

export type TriageMoment = {
  readonly store: Store;
  readonly now: EpochMs;
  readonly monotonicNow: MonotonicMs;
  readonly preferences: Preferences;
  /** What a person has muted, of all organizations of the service. */
  readonly mutes?: readonly Mute[] | undefined;
  /** How the line to the service is; what it does not tell is no reason for a finding. */
  readonly link?: Pick<KnownService, 'clockOffsetMs' | 'requestsLastMinute' | 'requestCeiling'> | undefined;
};

type Kept = {
  readonly version: number;
  readonly moment: number;
  readonly mutes: TriageMoment['mutes'];
  readonly preferences: Preferences;
  readonly triage: Triage;
};

const keptByStore = new WeakMap<Store, Kept>();

/** What needs a person, from all that was read so far. Judged anew when something was read, and every few seconds. */
export function presentTriage(moment: TriageMoment): Triage {
  const version = moment.store.version();
  const step = Math.floor(moment.now / RENEWED_MS);
  const kept = keptByStore.get(moment.store);
  const {mutes, preferences} = moment;
  const isCurrent = kept?.version === version && kept.moment === step;
  if (isCurrent && kept.mutes === mutes && kept.preferences === preferences) return kept.triage;
  const found = triage(knownAccount(moment));
  keptByStore.set(moment.store, {version, moment: step, mutes, preferences, triage: found});
  return found;
}

/** Findings tell times by the minute: a fleet of thousands is not judged anew for every frame. */
const RENEWED_MS = 5000;

/** All that rules look at, as it was last read. */
function knownAccount({store, now, monotonicNow, preferences, link, mutes = []}: TriageMoment): KnownAccount {
  const organizationId = lastValue(store.get(organizationFeed))?.id;
  const figures = billingFigures({store, now, monotonicNow, preferences});
  const usage = lastValue(store.get(usageFeed))?.records;
  return {
    ...unreadAccount(now, preferences),
    machines: observedMachines(store),
    usage,
    rates: usage === undefined ? undefined : presentRates(store),
    volumeRates: usage === undefined ? undefined : volumeRates(usage),
    volumes: lastValue(store.get(volumesFeed))?.records,
    clusters: lastValue(store.get(clustersFeed))?.records,
    firewalls: lastValue(store.get(firewallsFeed))?.records,
    contracts: lastValue(store.get(contractsFeed))?.records,
    flavors: lastValue(store.get(flavorsFeed))?.records,
    metricsOf: machine => widestMetrics(machine, store, monotonicNow),
    eventsOf: machine => lastValue(store.get(eventsFeed(machine.id)))?.records,
    clusterEventsOf: cluster => lastValue(store.get(clusterEventsFeed(cluster.id)))?.records,
    creditLeftMs: creditLeft(store, figures, preferences),
    spend: figures,
    anomaly: figures?.anomaly,
    mutes: mutes.filter(mute => isOf(mute, organizationId)),
    service: {
      clockOffsetMs: link?.clockOffsetMs,
      requestsLastMinute: link?.requestsLastMinute ?? 0,
      requestCeiling: link?.requestCeiling ?? 1,
      readings: TRIAGE_LISTS.map(({what, feed}) => {
        const snapshot = store.get(feed);
        const at = readAt(snapshot);
        const ageMs = at === undefined ? undefined : monotonicNow - at;
        return {what, ageMs, intervalMs: feed.intervalMs, failure: failureOf(snapshot)};
      }),
    },
  };
}

/** Until it is known who is asked, what was muted by name holds: it is better shown late than told twice. */
function isOf({organizationId}: Mute, present: number | undefined): boolean {
  return organizationId === undefined || present === undefined || organizationId === present;
}

export function volumeRates(usage: readonly UsageRecord[]): ReadonlyMap<number, Rate> {
  const metered = usage.filter(record => isBurning(record) && record.resourceType.toLowerCase() === 'volume');
  return new Map([...Map.groupBy(metered, ({resourceId}) => resourceId)].map(([id, own]) => [id, burnRate(own).rate]));
}

const MAX_METRICS_AGE_MS: DurationMs = 10 * MINUTE_MS;

/** Whichever window was read: two weeks tell what a day cannot, and a day what an hour cannot. */
function widestMetrics({id}: VirtualMachine, store: Store, now: MonotonicMs): MachineMetrics | undefined {
  for (const window of ['15d', '1d', '6h', '1h'] as const) {
    const feed = metricsFeed(id, window);
    const snapshot = store.get(feed);
    const at = readAt(snapshot);
    const metrics = lastValue(snapshot);
    // What nobody looks at is not read any more: old figures would call a machine silent that is well.
    if (at !== undefined && metrics !== undefined && now - at <= MAX_METRICS_AGE_MS) return metrics;
  }
  return undefined;
}
