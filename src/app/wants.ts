import type {Preferences} from '../domain/preferences.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type Cancel, type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Pane, Scene} from '../panes/pane.ts';
import {organizationFeed} from '../state/account.ts';
import {paced} from '../state/poller/pace.ts';
import type {Want} from '../state/poller/poll-schedule.ts';
import type {Poller} from '../state/poller/poller.ts';

/** A pane that is left sooner than this was only passed through. */
const SETTLING_MS: DurationMs = SECOND_MS;
/** After everything that the open pane shows. */
const HEADER_PRIORITY = 9;

type WantsOptions = {
  readonly poller: Pick<Poller, 'want'>;
  readonly clock: Clock;
  readonly preferences: Preferences;
  /** The open pane and what is known now, and the feeds that something open above it needs. */
  readonly shown: () => {readonly pane: Pane; readonly scene: Scene; readonly overlay: readonly Want[]};
};

/**
 * Owns which feeds are read for what is on the screen. Of a pane that was reached by quick switching from pane to pane,
 * feeds that are read for each object wait until the person stays on it.
 */
export class Wants {
  readonly #options: WantsOptions;
  /** Waits until the person has stayed on the pane. */
  #cancelSettling: Cancel | undefined;
  #cancelSoon: Cancel | undefined;
  #pane: Pane | undefined;
  #since = Number.NEGATIVE_INFINITY;
  #isQuick = false;

  constructor(options: WantsOptions) {
    this.#options = options;
  }

  update(): void {
    this.stop();
    const {poller, clock, preferences, shown} = this.#options;
    const {pane, scene, overlay} = shown();
    const wants = paced(pane.wants(scene), preferences);
    const settlingMs = this.#settlingMs(pane, clock.monotonicNow());
    poller.want('pane', settlingMs > 0 ? wants.filter(isOfList) : wants);
    if (settlingMs > 0) this.#cancelSettling = clock.after(settlingMs, () => this.update());
    poller.want('overlay', overlay);
    poller.want('header', headerWants(scene));
  }

  /** After what is being done now, if that is not so anyway. */
  updateSoon(): void {
    this.#cancelSoon ??= this.#options.clock.after(0, () => this.update());
  }

  stop(): void {
    this.#cancelSettling?.();
    this.#cancelSoon?.();
    this.#cancelSoon = undefined;
  }

  /** How long the open pane may still be one that is only passed through; 0 if it was not reached by quick switching. */
  #settlingMs(pane: Pane, now: MonotonicMs): DurationMs {
    if (pane !== this.#pane) {
      this.#isQuick = now - this.#since < SETTLING_MS;
      this.#pane = pane;
      this.#since = now;
    }
    return this.#isQuick ? Math.max(0, this.#since + SETTLING_MS - now) : 0;
  }
}

/** The header names the account in every pane. Its name does not change, so it is read until it is known. */
function headerWants({store}: Scene): readonly Want[] {
  if (lastValue(store.get(organizationFeed)) !== undefined) return [];
  return [{feed: organizationFeed, priority: HEADER_PRIORITY}];
}

/** Feeds that are read once for all objects, and not for each of them. */
function isOfList({feed}: Want): boolean {
  return feed.of.length === 0;
}
