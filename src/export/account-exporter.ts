import {withMutes, type Preferences} from '../domain/preferences.ts';
import type {LearntActivity} from '../state/learnt-activity.ts';
import type {Mutes} from '../state/mutes.ts';
import {monthSoFar} from '../domain/billing-history.ts';
import {costliestFirst} from '../domain/cost.ts';
import {knownBurn} from '../domain/money/report.ts';
import {failureOf, lastValue, readAt} from '../domain/snapshot.ts';
import {
  type Cancel,
  type Clock,
  DAY_MS,
  type DurationMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
} from '../domain/time.ts';
import {machineActivity, sampleAge} from '../domain/utilization.ts';
import {isTroubled, type VirtualMachine} from '../domain/virtual-machine.ts';
import {
  billedDayFeeds,
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  historyFeed,
  knownCredit,
  presentRates,
  presentRunway,
  usageFeed,
} from '../state/billing.ts';
import {flavorsFeed, priceBookFeed, stocksFeed, withPricesInForce} from '../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../state/clusters.ts';
import {contractsFeed} from '../state/contracts.ts';
import type {Feed} from '../state/feed.ts';
import {firewallsFeed} from '../state/firewalls.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from '../state/machines.ts';
import type {Want} from '../state/poller/poll-schedule.ts';
import type {Session} from '../state/session.ts';
import type {Store} from '../state/store.ts';
import {learnActivity, needsTwoWeeks, newestReading, presentTriage, silentAmong} from '../state/triage.ts';
import {idleAmong} from '../state/waste.ts';
import {volumesFeed} from '../state/volumes.ts';
import {presentWaste} from '../state/waste.ts';
import {costMetrics, wastePerHour} from './cost-metrics.ts';
import {currentStore, isTooOld} from './current-store.ts';
import {inventoryMetrics, type MeasuredMachine, SERIES_PER_MEASURED_MACHINE} from './machine-metrics.ts';
import {type MetricFamily, seriesCount} from './metric.ts';
import {type KnownReading, type ServiceReadings, serviceMetrics} from './service-metrics.ts';

const ASKER = 'exporter';
const PRIORITY = {lists: 1, details: 2, bills: 3, events: 4, metrics: 5, activity: 6};
/** What the exporter knows about an account; each part can become stale. */
const LISTS: readonly Feed<unknown>[] = [
  machinesFeed,
  usageFeed,
  volumesFeed,
  clustersFeed,
  firewallsFeed,
  contractsFeed,
  flavorsFeed,
  stocksFeed,
  creditFeed,
  deletedUsageFeed,
];
/** How often, at most, the choice of machines to measure changes. */
const RENEWED_MS: DurationMs = SECOND_MS;
/** Histories take one request each, so only those are read that tell when a problem began. */
const MAX_HISTORIES = 20;
const HISTORY_INTERVAL_MS: DurationMs = 5 * MINUTE_MS;
/** The service samples every five minutes; reading every minute would return the same again. */
const METRICS_INTERVAL_MS: DurationMs = 5 * MINUTE_MS;
/** The budget has 80 reads a minute; the others are for lists. */
const METRICS_PER_MINUTE = 50;
/** With more machines, a sample would be too old before the next is read. */
export const MAX_MEASURED = 400;
/** A reading older than this many intervals does not describe the present. */
const READ_LATE = 2;
/** Waste is not counted over a longer gap between readings. */
const MAX_WASTE_GAP_MS: DurationMs = 5 * MINUTE_MS;

type ProcessFacts = ServiceReadings['process'];
type PresentRates = ReturnType<typeof presentRates>;

const NO_MACHINES: readonly VirtualMachine[] = [];

/** The parts of the account to be exported, once all are read. */
type ExportPlan = {
  readonly machines: number;
  readonly measured: number;
  readonly series: number;
  /** How often the metrics of a machine are read. */
  readonly everyMs: DurationMs;
  /** Lists that were not read completely. */
  readonly partial: readonly string[];
};

/** One account for other systems: decides what to poll, and gives what is known as metrics. */
export class AccountExporter {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #preferences: Preferences;
  readonly #activity: LearntActivity;
  readonly #mutes: Pick<Mutes, 'all' | 'trouble'>;
  readonly #measuredLimit: number;
  readonly #processFacts: () => ProcessFacts;
  #scrapeCount = 0;
  #wasted: {readonly at: number; readonly perHour: number} | undefined;
  #wastedUsd: number | undefined;
  #order:
    | {
        readonly machines: readonly VirtualMachine[];
        readonly rates: PresentRates;
        readonly chosen: readonly VirtualMachine[];
      }
    | undefined;

  /** @param options.measuredLimit how many machines' metrics may be read, the costliest first */
  constructor(options: {
    readonly session: Session;
    readonly clock: Clock;
    /** The settings alone, without what was kept by a key in the deck. */
    readonly preferences: Preferences;
    readonly activity: LearntActivity;
    readonly mutes: Pick<Mutes, 'all' | 'trouble'>;
    readonly measuredLimit: number;
    readonly processFacts: () => ProcessFacts;
  }) {
    this.#session = options.session;
    this.#clock = options.clock;
    this.#preferences = options.preferences;
    this.#activity = options.activity;
    this.#mutes = options.mutes;
    this.#measuredLimit = Math.min(options.measuredLimit, MAX_MEASURED);
    this.#processFacts = options.processFacts;
  }

  /** Asks for what is exported, and again when what is known changes what else is worth reading. */
  follow(): Cancel {
    const {poller, store} = this.#session;
    let cancelTimer: Cancel | undefined;
    const renew = () => {
      cancelTimer = undefined;
      this.#learn();
      poller.want(ASKER, this.#wants());
      this.#forgetLearnt();
    };
    const stop = store.subscribe(() => {
      cancelTimer ??= this.#clock.after(RENEWED_MS, renew);
    });
    renew();
    return () => {
      stop();
      cancelTimer?.();
      poller.want(ASKER, []);
    };
  }

  #learn(): void {
    const [store, activity, clock] = [this.#session.store, this.#activity, this.#clock];
    learnActivity({store, now: clock.wallNow(), monotonicNow: clock.monotonicNow(), activity});
  }

  /** Everything known now, for one scrape. */
  scrape(): readonly MetricFamily[] {
    this.#scrapeCount += 1;
    return this.#families();
  }

  /** How many series there will be once all metrics are read; undefined until machines are known. */
  plan(): ExportPlan | undefined {
    const machines = observedMachines(this.#session.store);
    if (machines === undefined || lastValue(this.#session.store.get(usageFeed)) === undefined) return undefined;
    const toMeasure = this.#machinesToMeasure(this.#session.store);
    const measuredNow = this.#measured(this.#session.store).length;
    const unmeasured = toMeasure.length - measuredNow;
    return {
      machines: machines.length,
      measured: toMeasure.length,
      series: seriesCount(this.#families()) + unmeasured * SERIES_PER_MEASURED_MACHINE,
      everyMs: metricsInterval(toMeasure.length),
      partial: LISTS.map(feed => this.#reading(feed)).flatMap(({feed, isIncomplete}) => (isIncomplete ? [feed] : [])),
    };
  }

  #families(): readonly MetricFamily[] {
    const [session, clock, preferences] = [this.#session, this.#clock, this.#preferences];
    const now = clock.wallNow();
    const monotonicNow = clock.monotonicNow();
    const store = currentStore(session.store, LISTS, monotonicNow);
    const machines = observedMachines(store);
    const mutes = this.#mutes.all();
    const inForce = withPricesInForce(withMutes(preferences, mutes), {store, now});
    const input = {store, now, monotonicNow, preferences: inForce, activity: this.#activity};
    this.#learn();
    const [waste, figures] = [presentWaste(input), billingFigures(input)];
    this.#meterWaste(waste && wastePerHour(waste));
    const known = {
      machines,
      volumes: lastValue(store.get(volumesFeed))?.records,
    };
    return [
      ...costMetrics({
        ...known,
        usage: lastValue(store.get(usageFeed))?.records,
        // The sum of a part would be taken for that of the whole.
        figures: lastValue(store.get(usageFeed))?.incompleteReason === undefined ? figures : undefined,
        waste,
        wastedUsd: this.#wastedUsd,
        credit: knownCredit(store, preferences)?.balance,
        // A part of the usage still shows how long it lasts at most.
        runway: presentRunway(input, figures && knownBurn(figures), inForce),
        budget: preferences.budget,
      }),
      ...inventoryMetrics({
        ...known,
        measured: this.#measured(store),
        clusters: lastValue(store.get(clustersFeed))?.records,
        stocks: lastValue(store.get(stocksFeed))?.records,
        triage: machines === undefined ? undefined : presentTriage({...input, mutes, link: this.#link()}),
        areMutesUnreadable: this.#mutes.trouble() !== undefined,
      }),
      ...serviceMetrics(this.#service(store)),
    ];
  }

  #wants(): readonly Want[] {
    const {store} = this.#session;
    const now = this.#clock.wallNow();
    const machines = observedMachines(store) ?? [];
    const clusters = lastValue(store.get(clustersFeed))?.records ?? [];
    const toMeasure = this.#machinesToMeasure(store);
    const doubted = [
      ...silentAmong(toMeasure, {store, now}),
      ...idleAmong(toMeasure, {
        store,
        now,
        monotonicNow: this.#clock.monotonicNow(),
        activity: this.#activity,
        preferences: this.#preferences,
      }),
    ];
    return [
      {feed: priceBookFeed, priority: PRIORITY.details},
      ...LISTS.map((feed, index) => ({feed, priority: index < 2 ? PRIORITY.lists : PRIORITY.details})),
      ...[historyFeed(monthSoFar(now)), ...billedDayFeeds(store, now)].map(feed => ({feed, priority: PRIORITY.bills})),
      ...clusters
        .filter(({status}) => status !== 'ACTIVE')
        .slice(0, MAX_HISTORIES)
        .map(({id}) => ({feed: clusterEventsFeed(id), priority: PRIORITY.events, intervalMs: HISTORY_INTERVAL_MS})),
      ...costliestFirst([...machines.filter(isTroubled), ...doubted], presentRates(store))
        .slice(0, MAX_HISTORIES)
        .map(({id}) => ({feed: eventsFeed(id), priority: PRIORITY.events, intervalMs: HISTORY_INTERVAL_MS})),
      ...this.#dueMetrics(toMeasure),
    ];
  }

  /** The readings due now: the last hour if what came before is known, and two weeks, once, of quiet machines. */
  #dueMetrics(toMeasure: readonly VirtualMachine[]): readonly Want[] {
    const [session, activity, clock] = [this.#session, this.#activity, this.#clock];
    const [now, monotonicNow] = [clock.wallNow(), clock.monotonicNow()];
    const intervalMs = metricsInterval(toMeasure.length);
    return toMeasure.flatMap((machine): Want[] => {
      const reading = newestReading(machine, session.store);
      if (reading === undefined || monotonicNow - reading.at >= intervalMs) {
        return [{feed: metricsFeed(machine.id, activity.windowFor(machine, now)), priority: PRIORITY.metrics}];
      }
      const isToLearn = needsTwoWeeks(machine, {
        metrics: reading.metrics,
        now,
        activity,
        preferences: this.#preferences,
      });
      return isToLearn ? [{feed: metricsFeed(machine.id, '15d'), priority: PRIORITY.activity, intervalMs: DAY_MS}] : [];
    });
  }

  #machinesToMeasure(store: Store): readonly VirtualMachine[] {
    const [machines, rates] = [observedMachines(store) ?? NO_MACHINES, presentRates(store)];
    // Sorting thousands of machines is done once per reading, not each time it is needed.
    if (this.#order?.machines !== machines || this.#order.rates !== rates) {
      const running = machines.filter(({status}) => status === 'ACTIVE');
      this.#order = {machines, rates, chosen: costliestFirst(running, rates).slice(0, this.#measuredLimit)};
    }
    return this.#order.chosen;
  }

  /**
   * Two weeks of a machine are half a megabyte: once they were learnt from, and a newer reading is there, they are
   * dropped.
   */
  #forgetLearnt(): void {
    const {poller, store} = this.#session;
    for (const machine of this.#machinesToMeasure(store)) {
      const newest = newestReading(machine, store);
      for (const window of ['1d', '15d'] as const) {
        const feed = metricsFeed(machine.id, window);
        const at = readAt(store.get(feed));
        if (at !== undefined && newest !== undefined && at < newest.at) poller.forget(feed);
      }
    }
  }

  #measured(store: Store): readonly MeasuredMachine[] {
    const [now, monotonicNow] = [this.#clock.wallNow(), this.#clock.monotonicNow()];
    const toMeasure = this.#machinesToMeasure(store);
    const intervalMs = metricsInterval(toMeasure.length);
    return toMeasure.flatMap(machine => {
      const reading = newestReading(machine, store);
      if (reading === undefined) return [];
      const {metrics} = reading;
      const readMs = Math.max(0, monotonicNow - reading.at);
      // What was current when it was read stays until it is read again; its age is exported beside it.
      const judgedAt = readMs <= READ_LATE * intervalMs ? epochMs(now - readMs) : now;
      const activity = machineActivity(metrics, machine.flavor, {now: judgedAt, windowMs: HOUR_MS, binCount: 1});
      const age = sampleAge(metrics, now);
      return [{machine, activity, metrics, sampleAgeMs: age?.aheadMs === undefined ? age?.ageMs : -age.aheadMs}];
    });
  }

  /** What was wasted since the previous call, at the rates then; nothing if too much time passed. */
  #meterWaste(perHour: number | undefined): void {
    const at = this.#clock.monotonicNow();
    const before = this.#wasted;
    if (before !== undefined && at - before.at <= MAX_WASTE_GAP_MS) {
      this.#wastedUsd = (this.#wastedUsd ?? 0) + (before.perHour * (at - before.at)) / HOUR_MS;
    }
    if (perHour === undefined) return;
    this.#wastedUsd ??= 0;
    this.#wasted = {at, perHour};
  }

  #link() {
    const {link, budget} = this.#session;
    return {
      clockOffsetMs: link.clockOffsetMs(),
      isClockFollowed: link.isClockFollowed(),
      requestsLastMinute: budget.usedLastMinute(),
      requestCeiling: budget.ceilingPerMinute,
    };
  }

  #service(store: Store): ServiceReadings {
    const {poller, link} = this.#session;
    return {
      ...this.#link(),
      now: this.#clock.wallNow(),
      readings: LISTS.map(feed => this.#reading(feed)),
      health: poller.health().status,
      latencyMs: link.latencyMs(),
      measuredCount: this.#machinesToMeasure(store).length,
      measuredLimit: this.#measuredLimit,
      scrapeCount: this.#scrapeCount,
      process: this.#processFacts(),
    };
  }

  #reading(feed: Feed<unknown>): KnownReading {
    const snapshot = this.#session.store.get(feed);
    const at = readAt(snapshot);
    const value = lastValue(snapshot);
    const isListing = typeof value === 'object' && value !== null && 'quarantined' in value;
    return {
      feed: feed.key,
      intervalMs: feed.intervalMs,
      ageMs: at === undefined ? undefined : this.#clock.monotonicNow() - at,
      failure: failureOf(snapshot),
      unreadableCount: isListing && Array.isArray(value.quarantined) ? value.quarantined.length : 0,
      isIncomplete: isListing && 'incompleteReason' in value && value.incompleteReason !== undefined,
      isTooOld: isTooOld(feed, snapshot, this.#clock.monotonicNow()),
    };
  }
}

function metricsInterval(count: number): DurationMs {
  return Math.max(METRICS_INTERVAL_MS, (count / METRICS_PER_MINUTE) * MINUTE_MS);
}
