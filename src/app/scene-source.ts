import {type Operation, isEnded} from '../domain/operation.ts';
import type {OwnConnection} from '../domain/own-connection.ts';
import {DEFAULT_PREFERENCES, type Preferences, withMutes} from '../domain/preferences.ts';
import {type Clock, type DurationMs, type EpochMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Mute} from '../domain/triage/mute.ts';
import type {Scene} from '../panes/pane.ts';
import {allListChanges} from '../resources/resources.ts';
import {withPricesInForce} from '../state/catalogue.ts';
import type {LearntActivity} from '../state/learnt-activity.ts';
import type {Mutes} from '../state/mutes.ts';
import type {Journal, Latest} from '../state/operations/journal.ts';
import type {Undoable} from '../state/operations/undo.ts';
import type {Poller} from '../state/poller/poller.ts';
import type {Store} from '../state/store.ts';
import {SeenChanges} from '../state/timeline.ts';
import {lastTriage, type LinkFacts} from '../state/triage.ts';
import type {MuteSteps} from './mute-steps.ts';
import type {Writes} from './writes.ts';

/** Whoever knows what a scene tells. */
export type SceneSources = {
  readonly store: Store;
  readonly poller: Pick<Poller, 'health' | 'budgetWait'>;
  readonly clock: Clock;
  readonly writes: Writes;
  readonly muteSteps: Pick<MuteSteps, 'isNext'>;
  /** Supplies the machines' metrics besides the service. */
  readonly prometheus?: object | undefined;
  readonly preferences?: Preferences;
  readonly journal?: Pick<Journal, 'latest'> | undefined;
  readonly mutes?: Pick<Mutes, 'all'> | undefined;
  readonly activity?: LearntActivity | undefined;
  readonly linkFacts?: (() => LinkFacts) | undefined;
  /** The SSH session that the deck runs in. */
  readonly ownConnection?: OwnConnection | undefined;
};

/** The file is not read for every frame. */
const JOURNAL_AGE_MS: DurationMs = 5 * SECOND_MS;
/**
 * While nothing is read, dates, ages and charts without seconds are updated this often; charts and rows use the same
 * steps.
 */
const CLOCK_STEP_MS: DurationMs = 15 * SECOND_MS;
const NO_MUTES: readonly Mute[] = [];
const NO_JOURNAL: Latest = {entries: [], raws: [], unreadableCount: 0};
const NO_OPERATIONS: readonly Operation[] = [];

/** Owns what a scene tells besides what stores and engines know, and notices that any of it has changed. */
export class SceneSource {
  /** What was seen to change since the deck was opened. */
  readonly changes = new SeenChanges(allListChanges());
  readonly #sources: SceneSources;
  readonly #preferencesWith: (mutes: readonly Mute[]) => Preferences;
  readonly #journal: () => Latest;
  readonly #openedAt: EpochMs;
  #facts: readonly unknown[] = [];

  constructor(sources: SceneSources) {
    const {clock, preferences = DEFAULT_PREFERENCES, journal} = sources;
    this.#sources = sources;
    this.#preferencesWith = withKept(preferences);
    this.#journal = keptFor(JOURNAL_AGE_MS, clock, () => journal?.latest() ?? NO_JOURNAL);
    this.#openedAt = clock.wallNow();
  }

  /** Everything known now, on this screen. */
  scene(screen: Pick<Scene, 'size' | 'theme' | 'hasChosen'>): Scene {
    const {store, poller, clock, writes, mutes, activity, prometheus, linkFacts, ownConnection} = this.#sources;
    const muted = mutes?.all() ?? NO_MUTES;
    const now = clock.wallNow();
    return {
      ...screen,
      store,
      operations: writes.operations(),
      isQueued: subject => writes.isQueued(subject),
      health: poller.health(),
      now,
      openedAt: this.#openedAt,
      monotonicNow: clock.monotonicNow(),
      preferences: withPricesInForce(this.#preferencesWith(muted), {store, now}),
      mutes: muted,
      activity,
      hasPrometheus: prometheus !== undefined,
      budgetWait: poller.budgetWait,
      link: linkFacts?.(),
      isWatched: true,
      ownConnection,
      journal: this.#journal,
      undoable: operationId => this.#undoable(operationId),
      changes: this.changes,
      facts: this.facts(),
    };
  }

  /** A finding muted since is undone first. */
  #undoable(operationId: string): Undoable | undefined {
    const {writes, muteSteps} = this.#sources;
    const undoable = writes.undo()?.undoable(operationId);
    return undoable === 'next' && muteSteps.isNext() ? 'later' : undoable;
  }

  /** The same object until any of what is known changes, whatever keys are pressed. */
  facts(): object {
    const present = Object.values(this.#factSources()).flat();
    const isSame = present.length === this.#facts.length && present.every((each, index) => each === this.#facts[index]);
    if (!isSame) this.#facts = present;
    return this.#facts;
  }

  /** What is under way, and how long the service is away, is counted in rows and reasons on every pane. */
  countsEverywhere(): boolean {
    const {poller, writes} = this.#sources;
    if (poller.health().status !== 'up') return true;
    const operations = writes.watched()?.all() ?? NO_OPERATIONS;
    return operations.some(({phase}) => !isEnded(phase));
  }

  /**
   * What each part of a scene changes with, the clock in large steps if nothing counts seconds. A key must change none of
   * it, so that it costs only what it moves.
   */
  #factSources(): Readonly<Record<Exclude<keyof Scene, 'facts'>, readonly unknown[]>> {
    const {store, poller, clock, writes, mutes, muteSteps} = this.#sources;
    const {access, isDryRun} = writes.mode();
    return {
      // Readings are judged together a moment later.
      store: [store.version(), lastTriage(store)],
      now: [Math.floor(clock.wallNow() / CLOCK_STEP_MS)],
      monotonicNow: [this.countsEverywhere() ? Math.floor(clock.monotonicNow() / SECOND_MS) : undefined],
      mutes: [mutes?.all()],
      operations: [writes.watched()?.version(), access, isDryRun],
      isQueued: [writes.queuedCount()],
      undoable: [writes.undo()?.version(), muteSteps.isNext()],
      health: [poller.health().status],
      // Compared when something is painted, so they can follow what was judged at the paint before.
      changes: [this.changes.version()],
      // They follow the store, the mutes, the operations or the steps of the clock.
      activity: [],
      preferences: [],
      link: [],
      journal: [],
      budgetWait: [],
      // Whoever is memoised on facts compares these, or the view that follows from them.
      size: [],
      theme: [],
      hasChosen: [],
      // The same from start to end.
      openedAt: [],
      hasPrometheus: [],
      isWatched: [],
      ownConnection: [],
      // Only in the scene of a question.
      isUndo: [],
    };
  }
}

/** The preferences combined with what is kept outside the settings file; the same object until that changes. */
function withKept(preferences: Preferences): (mutes: readonly Mute[]) => Preferences {
  let made: {readonly mutes: readonly Mute[]; readonly preferences: Preferences} | undefined;
  return mutes => {
    if (made?.mutes !== mutes) made = {mutes, preferences: withMutes(preferences, mutes)};
    return made.preferences;
  };
}

/** Caches a value for a while, and computes it only when asked. */
function keptFor<T>(ageMs: DurationMs, clock: Clock, make: () => T): () => T {
  let kept: {readonly value: T; readonly madeAt: MonotonicMs} | undefined;
  return () => {
    const now = clock.monotonicNow();
    if (kept === undefined || now - kept.madeAt >= ageMs) kept = {value: make(), madeAt: now};
    return kept.value;
  };
}
