import {type Confirmed, isEnded, type Operation} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Operations} from '../state/operation.ts';
import {type Plan, untouchedSteps} from '../state/plan.ts';
import {createUndoStacks, type UndoStacks} from '../state/undo.ts';

/** How long writes stay allowed in a read-only session before they have to be asked for again. */
const UNLOCK_MS: DurationMs = 15 * MINUTE_MS;

/** What a yes does in this session now, and what the header shouts. */
export type WriteMode = {
  /** `locked`: read-only. `unlocked`: read-only, but allowed for a while. */
  readonly access: 'open' | 'locked' | 'unlocked';
  readonly unlockedUntil?: MonotonicMs;
  /** Questions lead to the list of calls; nothing is sent. */
  readonly isDryRun: boolean;
};

/** The same done to many, and what it was asked as. */
export type Batch = {readonly plan: Plan; readonly title: SafeText};

/** What leaving the deck would interrupt: operations that go on unwatched, and confirmed actions that are never sent. */
export type Outstanding = {readonly sent: readonly Operation[]; readonly unsent: readonly Confirmed[]};

/** What this session may send, and what it sent. */
export type Writes = {
  readonly mode: () => WriteMode;
  /** Absent while nothing may be sent. */
  readonly operations: () => Operations | undefined;
  /** Also what was begun before writes were locked again: it goes on being watched. */
  readonly watched: () => Operations | undefined;
  readonly undo: () => UndoStacks | undefined;
  /** A plan was begun or taken up again: it begins nothing more once writes are locked, and `done` ones can be undone later. */
  readonly began: (plan: Plan, how: 'done' | 'undone' | 'resumed') => void;
  readonly outstanding: () => Outstanding;
  /** The last batch, for a person who closed the box that shows how far it is. */
  readonly batch: () => Batch | undefined;
  readonly keepBatch: (batch: Batch) => void;
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
  onOperations,
}: {
  readonly operations: Operations | undefined;
  /** Makes the client that can send; absent where it exists from the start. */
  readonly unlock: (() => Operations) | undefined;
  /** Told once for the operations of the session, as soon as they exist. */
  readonly onOperations: (operations: Operations) => void;
}): Writes {
  let watched = initial;
  let undo = watched === undefined ? undefined : createUndoStacks(watched);
  let unlockedUntil: MonotonicMs | undefined;
  let isDryRun = false;
  let batch: Batch | undefined;
  const plans = new Set<Plan>();
  if (watched !== undefined) onOperations(watched);

  function mayWrite(): boolean {
    return initial !== undefined || unlockedUntil !== undefined;
  }

  function lock(): void {
    unlockedUntil = undefined;
    for (const plan of plans) plan.cancel();
    plans.clear();
  }

  return {
    mode: () => {
      if (initial !== undefined) return {access: 'open', isDryRun};
      return unlockedUntil === undefined ? {access: 'locked', isDryRun} : {access: 'unlocked', unlockedUntil, isDryRun};
    },
    operations: () => (mayWrite() ? watched : undefined),
    watched: () => watched,
    undo: () => (mayWrite() ? undo : undefined),
    began: (plan, how) => {
      // What takes something back is on the other stack already, and what is resumed on its own.
      if (how === 'done') undo?.remember(plan);
      for (const each of plans) if (each.progress().status !== 'running') plans.delete(each);
      plans.add(plan);
    },
    outstanding: () => {
      const open = watched?.all().filter(({phase}) => !isEnded(phase)) ?? [];
      const checked = open.filter(({phase}) => phase === 'preflight');
      return {
        sent: open.filter(({phase}) => phase !== 'preflight'),
        unsent: [...checked, ...[...plans].flatMap(plan => untouchedSteps(plan.progress()))],
      };
    },
    batch: () => batch,
    keepBatch: begun => {
      batch = begun;
    },
    toggleDryRun: () => {
      isDryRun = !isDryRun;
    },
    unlock: now => {
      if (makeOperations === undefined) return false;
      if (watched === undefined) {
        watched = makeOperations();
        undo = createUndoStacks(watched);
        onOperations(watched);
      }
      unlockedUntil = monotonicMs(now + UNLOCK_MS);
      return true;
    },
    lock,
    expire: now => {
      if (unlockedUntil === undefined || now < unlockedUntil) return false;
      lock();
      return true;
    },
  };
}
