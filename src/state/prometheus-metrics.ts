import type {ExportedMachines, PrometheusConnection, readExportedMachines} from '../api/prometheus.ts';
import {type ExportedSample, SAME_SAMPLE_MS, withExported} from '../domain/exported-metrics.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {type DurationMs, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../domain/virtual-machine.ts';
import type {Feed} from './feed.ts';
import {metricsFeed, metricsIn, observedMachines} from './machines.ts';
import type {WritableStore} from './store.ts';

/** Whether the machines' last hour comes from Prometheus now. */
export type MetricsSource =
  | {readonly status: 'waiting'}
  | {readonly status: 'giving'; readonly newestSampledAt: EpochMs}
  | {readonly status: 'away'; readonly reason: SafeText};

const INTERVAL_MS: DurationMs = MINUTE_MS;
/**
 * If the newest sample of all is older than this, the exporter or the scraping has stopped, and the service is read
 * instead.
 */
const MAX_SAMPLE_AGE_MS: DurationMs = 10 * MINUTE_MS;
/**
 * With the most machines allowed, the exporter takes about nine minutes per round, and its samples may already be five
 * minutes old when read.
 */
const MAX_MACHINE_SAMPLE_AGE_MS: DurationMs = 20 * MINUTE_MS;
/** The exporter may be scraped late, so this much is queried again, and known samples are skipped. */
const OVERLAP_MS: DurationMs = 5 * MINUTE_MS;
/** The first rate of an hour needs the sample before it. */
const KEPT_MS: DurationMs = HOUR_MS + OVERLAP_MS;
/** More machines than the exporter measures; the store has room for them beside everything else. */
const MAX_MACHINES = 1000;

type Machine = {readonly metrics: MachineMetrics; readonly samples: readonly ExportedSample[]};

/**
 * Owns the machines' last hour from Prometheus: one range query a minute for all of them, written into the feeds that
 * rows read. The poller does not request from the service what Prometheus supplies, and goes on requesting the rest, or
 * everything if Prometheus fails.
 */
export class PrometheusMetrics {
  readonly #connection: PrometheusConnection;
  readonly #read: typeof readExportedMachines;
  readonly #store: WritableStore;
  readonly #machines = new Map<VirtualMachineId, Machine>();
  #source: MetricsSource = {status: 'waiting'};
  #isAsking = false;
  #failure: SafeText | undefined;
  #askedAt: MonotonicMs | undefined;
  #readUntil: EpochMs | undefined;
  #readAt: MonotonicMs | undefined;
  #written: readonly VirtualMachine[] | undefined;
  #given: ReadonlySet<string> = new Set();
  #unknownCount = 0;
  #news: SafeText | undefined;

  constructor(options: {
    readonly connection: PrometheusConnection;
    readonly store: WritableStore;
    readonly read: typeof readExportedMachines;
  }) {
    this.#connection = options.connection;
    this.#store = options.store;
    this.#read = options.read;
  }

  /**
   * Queries if a minute has passed, and writes the result into the rows' feeds. Costs nothing if there is nothing new.
   */
  refresh(): void {
    const now = this.#connection.clock.monotonicNow();
    if (!this.#isAsking && (this.#askedAt === undefined || now - this.#askedAt >= INTERVAL_MS)) void this.#ask(now);
    this.#judge();
    const machines = observedMachines(this.#store);
    if (machines !== undefined && machines !== this.#written) this.#write(machines);
  }

  /** Whether this feed need not be requested from the service; true also while the first answer is on its way. */
  isGiven(feed: Feed<unknown>): boolean {
    if (this.#source.status === 'giving') return this.#given.has(feed.key);
    return this.#source.status === 'waiting' && this.#isAsking && metricsIn(feed)?.window === '1h';
  }

  readonly state = (): MetricsSource => this.#source;

  /** What to tell the person, once. */
  takeNews(): SafeText | undefined {
    const news = this.#news;
    this.#news = undefined;
    return news;
  }

  async #ask(now: MonotonicMs): Promise<void> {
    this.#isAsking = true;
    this.#askedAt = now;
    const until = this.#connection.clock.wallNow();
    const hourAgo = until - HOUR_MS;
    const since = epochMs(Math.max(hourAgo, (this.#readUntil ?? hourAgo) - OVERLAP_MS));
    const answer = await this.#read(this.#connection, {since, until});
    this.#isAsking = false;
    this.#failure = answer.ok ? undefined : answer.reason;
    if (!answer.ok) return this.#judge();
    this.#readUntil = until;
    this.#readAt = this.#connection.clock.monotonicNow();
    this.#take(answer.value, until);
    this.#judge();
    const machines = observedMachines(this.#store);
    if (machines !== undefined) this.#write(machines);
  }

  /** Samples wait here until the list of machines says which flavor their machine has. */
  #take(exported: ExportedMachines, now: EpochMs): void {
    for (const [id, {metrics, samples}] of this.#machines) {
      const kept = samples.filter(({sampledAt}) => now - sampledAt <= KEPT_MS);
      if (kept.length === 0) this.#machines.delete(id);
      else this.#machines.set(id, {metrics, samples: kept});
    }
    for (const [id, samples] of exported) {
      const known = this.#machines.get(id) ?? {metrics: {}, samples: []};
      const newest = known.samples.at(-1)?.sampledAt ?? 0;
      const newer = samples.filter(({sampledAt}) => sampledAt > newest);
      if (this.#machines.has(id) || this.#machines.size < MAX_MACHINES) {
        this.#machines.set(id, {metrics: known.metrics, samples: [...known.samples, ...newer]});
      }
    }
  }

  #judge(): void {
    if (this.#failure !== undefined) return this.#change({status: 'away', reason: this.#failure});
    if (this.#readAt === undefined) return;
    const now = this.#connection.clock.wallNow();
    const newest = this.#newestSampledAt();
    if (newest === undefined) return this.#change({status: 'away', reason: say`it has no metrics of machines`});
    if (now - newest <= MAX_SAMPLE_AGE_MS) return this.#change({status: 'giving', newestSampledAt: newest});
    const minutes = Math.floor((now - newest) / MINUTE_MS);
    this.#change({status: 'away', reason: say`its newest sample is ${minutes}m old`});
  }

  #newestSampledAt(): EpochMs | undefined {
    let newest: EpochMs | undefined;
    for (const {samples} of this.#machines.values()) {
      const at = samples.at(-1)?.sampledAt;
      if (at !== undefined && (newest === undefined || at > newest)) newest = at;
    }
    return newest;
  }

  #change(source: MetricsSource): void {
    const before = this.#source.status;
    this.#source = source;
    if (source.status === 'away' && before !== 'away') {
      this.#news = say`Prometheus: ${source.reason}; metrics are read from the service`;
    } else if (source.status === 'giving' && before === 'away') {
      this.#news = say`metrics are read from Prometheus again`;
    }
  }

  #write(machines: readonly VirtualMachine[]): void {
    if (this.#readAt === undefined || this.#source.status !== 'giving') return;
    this.#written = machines;
    const now = this.#connection.clock.wallNow();
    const given = new Set<string>();
    let unknownCount = 0;
    for (const {id, flavor, status} of machines) {
      const own = this.#machines.get(id);
      if (own !== undefined && isFresh(own, now) && hasRates(own)) {
        const since = epochMs(now - KEPT_MS);
        const metrics = withExported(own.metrics, own.samples, {flavor, since});
        this.#machines.set(id, {...own, metrics});
        this.#store.writeValue(metricsFeed(id, '1h'), metrics, this.#readAt);
        given.add(metricsFeed(id, '1h').key);
      } else if (status === 'ACTIVE') unknownCount += 1;
    }
    this.#given = given;
    if (unknownCount > 0 && this.#unknownCount === 0) {
      this.#news ??= say`running machines with too few samples in Prometheus: ${unknownCount}; those are read from the service`;
    }
    this.#unknownCount = unknownCount;
  }
}

function isFresh({samples}: Machine, now: EpochMs): boolean {
  const newest = samples.at(-1)?.sampledAt;
  return newest !== undefined && now - newest <= MAX_MACHINE_SAMPLE_AGE_MS;
}

/** A rate needs the sample before it. With a single sample, as from a new exporter, the service knows more. */
function hasRates({samples}: Machine): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  return first !== undefined && last !== undefined && last.sampledAt - first.sampledAt >= SAME_SAMPLE_MS;
}
