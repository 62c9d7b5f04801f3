import {type DurationMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Operations} from '../state/operation.ts';
import type {Store} from '../state/store.ts';
import {createUndoStacks, type UndoStacks} from '../state/undo.ts';

/** How long writes stay allowed in a read-only session before they have to be asked for again. */
export const UNLOCK_MS: DurationMs = 15 * MINUTE_MS;

/** What a yes does in this session now, and what the header shouts. */
export type WriteMode = {
  /** `locked`: read-only. `unlocked`: read-only, but allowed for a while. */
  readonly access: 'open' | 'locked' | 'unlocked';
  readonly unlockedUntil?: MonotonicMs;
  /** Questions lead to the list of calls; nothing is sent. */
  readonly isDryRun: boolean;
};

/** What this session may send, and what it sent. */
export type Writes = {
  readonly mode: () => WriteMode;
  /** Absent while nothing may be sent. */
  readonly operations: () => Operations | undefined;
  /** Also what was begun before writes were locked again: it goes on being watched. */
  readonly watched: () => Operations | undefined;
  readonly undo: () => UndoStacks | undefined;
  readonly toggleDryRun: () => void;
  /** Allows writes for a while in a read-only session; false in a session that was never locked. */
  readonly unlock: (now: MonotonicMs) => boolean;
  readonly lock: () => void;
  /** Locks again when the time is over; true when that has just happened. */
  readonly expire: (now: MonotonicMs) => boolean;
};

export function createWrites({
  operations: initial,
  unlock: makeOperations,
  store,
  onOperations,
}: {
  readonly operations: Operations | undefined;
  /** Makes the client that can send; absent where it exists from the start. */
  readonly unlock: (() => Operations) | undefined;
  readonly store: Store;
  /** Told once for the operations of the session, as soon as they exist. */
  readonly onOperations: (operations: Operations) => void;
}): Writes {
  let watched = initial;
  let undo = watched === undefined ? undefined : createUndoStacks({operations: watched, store});
  let unlockedUntil: MonotonicMs | undefined;
  let isDryRun = false;
  if (watched !== undefined) onOperations(watched);

  function mayWrite(): boolean {
    return initial !== undefined || unlockedUntil !== undefined;
  }

  return {
    mode: () => {
      if (initial !== undefined) return {access: 'open', isDryRun};
      return unlockedUntil === undefined ? {access: 'locked', isDryRun} : {access: 'unlocked', unlockedUntil, isDryRun};
    },
    operations: () => (mayWrite() ? watched : undefined),
    watched: () => watched,
    undo: () => (mayWrite() ? undo : undefined),
    toggleDryRun: () => {
      isDryRun = !isDryRun;
    },
    unlock: now => {
      if (makeOperations === undefined) return false;
      if (watched === undefined) {
        watched = makeOperations();
        undo = createUndoStacks({operations: watched, store});
        onOperations(watched);
      }
      unlockedUntil = monotonicMs(now + UNLOCK_MS);
      return true;
    },
    lock: () => {
      unlockedUntil = undefined;
    },
    expire: now => {
      if (unlockedUntil === undefined || now < unlockedUntil) return false;
      unlockedUntil = undefined;
      return true;
    },
  };
}
