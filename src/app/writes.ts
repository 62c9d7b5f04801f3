import {type Subject, subjectKey, subjectOf} from '../domain/action.ts';
import {type Confirmed, isEnded, type Operation} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Operations} from '../state/operation.ts';
import {type Plan, untouchedSteps} from '../state/plan.ts';
import {createUndoStacks, type UndoStacks} from '../state/undo.ts';

/** How long writes stay allowed in a read-only session before the person has to allow them again. */
const UNLOCK_MS: DurationMs = 15 * MINUTE_MS;

/** What confirming does in this session now; the header shows it. */
export type WriteMode = {
  /** `locked`: read-only. `unlocked`: read-only, but writes are allowed for a while. */
  readonly access: 'open' | 'locked' | 'unlocked';
  readonly unlockedUntil?: MonotonicMs;
  /** Confirming shows the list of calls; nothing is sent. */
  readonly isDryRun: boolean;
};

/** A batch, and the question that started it. */
export type Batch = {readonly plan: Plan; readonly title: SafeText};

/** What quitting would interrupt: operations that go on unwatched, and confirmed actions that are never sent. */
export type Outstanding = {readonly sent: readonly Operation[]; readonly unsent: readonly Confirmed[]};

/** What this session may send, and what it sent. */
export type Writes = {
  readonly mode: () => WriteMode;
  /** Absent while nothing may be sent. */
  readonly operations: () => Operations | undefined;
  /** Including those begun before writes were locked again: they are still watched. */
  readonly watched: () => Operations | undefined;
  readonly undo: () => UndoStacks | undefined;
  /**
   * A plan was begun or resumed: it begins nothing more once writes are locked, and `done` ones can be undone later.
   */
  readonly began: (plan: Plan, how: 'done' | 'undone' | 'resumed') => void;
  readonly outstanding: () => Outstanding;
  /** Whether a plan that is under way has yet to begin an action on it. */
  readonly isQueued: (subject: Subject) => boolean;
  /** The last batch, for a person who closed its progress box. */
  readonly batch: () => Batch | undefined;
  readonly keepBatch: (batch: Batch) => void;
  readonly toggleDryRun: () => void;
  /** Allows writes for a while in a read-only session; false in a session that was never locked. */
  readonly unlock: (now: MonotonicMs) => boolean;
  readonly lock: () => void;
  /** Locks again when the time is over; returns true if that has just happened. */
  readonly expire: (now: MonotonicMs) => boolean;
};

export function createWrites({
  operations: initial,
  unlock: makeOperations,
  onOperations,
}: {
  readonly operations: Operations | undefined;
  /** Creates the client that can send; absent if it exists from the start. */
  readonly unlock: (() => Operations) | undefined;
  /** Called once with the session's operations, as soon as they exist. */
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
      // A plan that undoes something is already on the other stack, and resumed plans are recorded on their own.
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
    isQueued: subject => {
      const key = subjectKey(subject);
      const queued = [...plans].filter(({mode}) => mode === 'batch').flatMap(plan => untouchedSteps(plan.progress()));
      return queued.some(({action}) => subjectKey(subjectOf(action)) === key);
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
