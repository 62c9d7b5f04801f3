import type {Failure, Result} from '../../domain/failure.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {Feed} from '../feed.ts';
import {askedDelay, isHostFailure, nextAttemptDelay} from './circuit-breaker.ts';

/** A feed that somebody needs now. The lower the priority number, the sooner it is read. */
export type Want = {
  readonly feed: Feed<unknown>;
  readonly priority: number;
  /** Slower than the feed's own interval, if the budget has to be shared. */
  readonly intervalMs?: DurationMs;
  /** One of many feeds read in turn, such as metrics of each machine. It gives way to feeds that somebody waits for. */
  readonly isBackground?: boolean;
  /** Used to watch an operation, so it may spend the part of the budget reserved for operations. */
  readonly isForOperation?: true;
};

/** What is known about the readings of one feed. */
type Track = {
  /** The end of the last reading; without one the feed is due at once. */
  restsSince: number;
  /** How long the feed rests for a caller that wants it at this interval. */
  restFor: (intervalMs: DurationMs) => DurationMs;
  consecutiveFailureCount: number;
  inFlightCount: number;
};

/** The time of an answer, and whether the host is up (asked again while the feed rests). */
type Host = {readonly now: MonotonicMs; readonly isUp: () => boolean};

/** After a 403 or 400 the same request gets the same answer, so it is repeated only rarely. */
const SETTLED_REFUSAL_PAUSE_MS = 10 * MINUTE_MS;
/** After this many failures of one feed, its back-off no longer makes it faster than its interval. */
const QUICK_RETRIES = 2;
const DUE_AT_ONCE = Number.NEGATIVE_INFINITY;
/** Far more feeds than are wanted within the longest interval. Beyond it, the feed read longest ago is dropped. */
const MAX_TRACKS = 5000;

/**
 * Decides what to read next: who wants which feed, and how long each feed rests after a reading. Sends no requests
 * itself.
 */
export class PollSchedule {
  readonly #wantsByAsker = new Map<string, readonly Want[]>();
  readonly #tracks = new Map<string, Track>();
  /** Parts of the service, and kinds of request, in the order in which they were last read. */
  readonly #partsRead = new Set<string>();
  readonly #kindsRead = new Set<string>();
  readonly #random: () => number;

  /** @param random uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Replaces the wants of one caller. */
  want(asker: string, wants: readonly Want[]): void {
    if (wants.length === 0) this.#wantsByAsker.delete(asker);
    else this.#wantsByAsker.set(asker, wants);
  }

  /**
   * The most urgent feed that is due and not being read, or when to look again. If they take turns, the part of the
   * service read longest ago comes first, and in it the kind read longest ago.
   */
  next(
    now: MonotonicMs,
    {
      hasRoomInBackground = true,
      isForOperations = false,
      takesTurns = false,
    }: {
      readonly hasRoomInBackground?: boolean;
      readonly isForOperations?: boolean;
      readonly takesTurns?: boolean;
    } = {},
  ): {readonly feed: Feed<unknown>} | {readonly lookAt: number} {
    const parts = takesTurns ? [...this.#partsRead] : [];
    const kinds = takesTurns ? [...this.#kindsRead] : [];
    const turnOf = ({feed}: Want) => parts.indexOf(partOf(feed)) * (kinds.length + 1) + kinds.indexOf(feed.kind);
    const comesBefore = (left: Want, right: Want) =>
      turnOf(left) === turnOf(right) ? this.#isMoreUrgent(left, right) : turnOf(left) < turnOf(right);
    let best: Want | undefined;
    let lookAt = Number.POSITIVE_INFINITY;
    for (const wants of this.#wantsByAsker.values()) {
      for (const want of wants) {
        // The budget counts requests to the service only; other sources are free.
        if (isForOperations && want.isForOperation !== true && want.feed.source === undefined) continue;
        if (this.#trackOf(want.feed).inFlightCount > 0) continue;
        const dueAt = this.#dueAt(want);
        if (dueAt > now) lookAt = Math.min(lookAt, dueAt);
        else if (want.isBackground === true && !hasRoomInBackground) lookAt = Math.min(lookAt, now + SECOND_MS);
        else if (best === undefined || comesBefore(want, best)) best = want;
      }
    }
    return best === undefined ? {lookAt} : {feed: best.feed};
  }

  /** What anyone wants now. */
  wanted(): readonly Feed<unknown>[] {
    return [...this.#wantsByAsker.values()].flatMap(wants => wants.map(({feed}) => feed));
  }

  /**
   * The more urgent requests ahead of a due feed. Undefined if nobody wants the feed, if it rests, or if it is being
   * read.
   */
  lineBefore(
    feed: Feed<unknown>,
    now: MonotonicMs,
  ): {readonly requestCount: number; readonly isBackground: boolean} | undefined {
    const due = [...this.#wantsByAsker.values()]
      .flat()
      .filter(want => want.feed.source === undefined && this.#trackOf(want.feed).inFlightCount === 0)
      .filter(want => this.#dueAt(want) <= now);
    const own = due.filter(want => want.feed.key === feed.key);
    const [first, ...others] = own;
    if (first === undefined) return undefined;
    const urgent = others.reduce((best, want) => (this.#isMoreUrgent(want, best) ? want : best), first);
    const isBackground = own.every(want => want.isBackground === true);
    const before = due.filter(want => this.#isMoreUrgent(want, urgent) && (isBackground || want.isBackground !== true));
    return {requestCount: new Set(before.map(want => want.feed.key)).size, isBackground};
  }

  /** Returns a token to hand to `end` when the answer arrives, and then to `rest`. */
  begin(feed: Feed<unknown>): Track {
    const track = this.#trackOf(feed);
    track.inFlightCount += 1;
    readLast(this.#partsRead, partOf(feed));
    readLast(this.#kindsRead, feed.kind);
    return track;
  }

  end(track: Track): void {
    track.inFlightCount -= 1;
  }

  /**
   * Lets the feed rest as its answer requires. Returns false if the feed was forgotten while the answer was on its way.
   */
  rest(feed: Feed<unknown>, track: Track, result: Result<unknown>, host: Host): boolean {
    if (this.#tracks.get(feed.key) !== track) return false;
    track.consecutiveFailureCount = result.ok ? 0 : track.consecutiveFailureCount + 1;
    track.restFor = result.ok
      ? afterAnswer(track, this.#random)
      : afterFailure(track, result.failure, {isUp: host.isUp, random: this.#random, source: feed.source});
    track.restsSince = host.now;
    this.#tracks.delete(feed.key);
    this.#tracks.set(feed.key, track);
    const [oldest] = this.#tracks;
    if (this.#tracks.size > MAX_TRACKS && oldest?.[1].inFlightCount === 0) this.#tracks.delete(oldest[0]);
    return true;
  }

  hasten(feed: Feed<unknown>): void {
    this.#trackOf(feed).restsSince = DUE_AT_ONCE;
  }

  hastenAll(): void {
    for (const track of this.#tracks.values()) track.restsSince = DUE_AT_ONCE;
  }

  /** Feeds that failed while the host was unreachable are due as soon as it is back. */
  hastenFailed(): void {
    for (const track of this.#tracks.values()) if (track.consecutiveFailureCount > 0) track.restsSince = DUE_AT_ONCE;
  }

  forget(feed: Feed<unknown>): void {
    this.#tracks.delete(feed.key);
  }

  #trackOf(feed: Feed<unknown>): Track {
    const known = this.#tracks.get(feed.key);
    if (known !== undefined) return known;
    const made: Track = {restsSince: DUE_AT_ONCE, restFor: () => 0, consecutiveFailureCount: 0, inFlightCount: 0};
    this.#tracks.set(feed.key, made);
    return made;
  }

  /** Each caller has its own interval, so a feed may be due for one and at rest for another. */
  #dueAt({feed, intervalMs = 0}: Want): number {
    const {restsSince, restFor} = this.#trackOf(feed);
    return restsSince + restFor(Math.max(intervalMs, feed.intervalMs));
  }

  #isMoreUrgent(left: Want, right: Want): boolean {
    if (left.priority !== right.priority) return left.priority < right.priority;
    return this.#dueAt(left) < this.#dueAt(right);
  }
}

/** A feed without a part is one of its own. */
export function partOf({part, kind}: Pick<Feed<unknown>, 'part' | 'kind'>): string {
  return part ?? kind;
}

function readLast(order: Set<string>, name: string): void {
  order.delete(name);
  order.add(name);
}

/**
 * Feeds that became due together (at the start, or by a refresh) are spread over a whole interval once; later a little
 * jitter is enough. It only ever lengthens the interval, so the request rate stays within what was planned.
 */
function afterAnswer({restsSince}: Track, random: () => number): Track['restFor'] {
  const factor = restsSince === DUE_AT_ONCE ? 0.5 + random() : 1 + 0.1 * random();
  return intervalMs => intervalMs * factor;
}

function afterFailure(
  {consecutiveFailureCount}: Track,
  failure: Failure,
  {
    isUp,
    random,
    source,
  }: Pick<Host, 'isUp'> & {readonly source: Feed<unknown>['source'] | undefined; readonly random: () => number},
): Track['restFor'] {
  // It may be back at any time, and a request to it costs the service nothing.
  if (source !== undefined) return intervalMs => Math.min(intervalMs, MINUTE_MS);
  if (isHostFailure(failure)) {
    const delay = nextAttemptDelay(consecutiveFailureCount, random);
    const pause = Math.max(SECOND_MS, delay, askedDelay(failure, random));
    // A request that always fails is not sent more often than one that succeeds.
    const isSettled = consecutiveFailureCount > QUICK_RETRIES;
    return intervalMs => (isSettled && isUp() ? Math.max(pause, intervalMs) : pause);
  }
  // The pause applies to the whole host; after it, even slow feeds are due.
  if (failure.kind === 'rate-limited') return () => 0;
  // A 404 may be about a machine that is just being created, so it is retried sooner than after a refusal.
  if (failure.kind === 'not-found') return intervalMs => intervalMs;
  return intervalMs => Math.max(intervalMs, SETTLED_REFUSAL_PAUSE_MS);
}
