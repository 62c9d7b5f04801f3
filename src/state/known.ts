import type {Preferences} from '../domain/preferences.ts';
import type {EpochMs, MonotonicMs} from '../domain/time.ts';
import type {Store} from './store.ts';

/** What everything told of an account depends on: what was read, the moment, and what the person prefers. */
export type Known = {
  readonly store: Store;
  readonly now: EpochMs;
  /** Gives the age of readings. */
  readonly monotonicNow: MonotonicMs;
  readonly preferences: Preferences;
};

/** The same for a command that reads once: without the second clock, a reading counts as current. */
export type KnownOnce = Omit<Known, 'monotonicNow'> & {readonly monotonicNow?: MonotonicMs | undefined};
