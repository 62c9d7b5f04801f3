import {createAccessKey} from '../actions/object-storage.ts';
import {type Subject, subjectKey, subjectOf} from '../domain/action.ts';
import {type Confirmed, isBeingChecked, isEnded, type Operation} from '../domain/operation.ts';
import {joinSafe, type SafeText, say} from '../domain/safe-text.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Operations} from '../state/operations/operation.ts';
import {type Plan, untouchedSteps} from '../state/operations/plan.ts';
import {createUndoStacks, type UndoStacks} from '../state/operations/undo.ts';

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

/** What quitting would interrupt. */
export type Outstanding = {
  /** Operations that go on unwatched. */
  readonly sent: readonly Operation[];
  /** Confirmed actions that are never sent. */
  readonly unsent: readonly Confirmed[];
  /** Operations for a secret that is shown once, and which was not shown and closed yet. */
  readonly secret: readonly Operation[];
};

type WritesOptions = {
  readonly operations: Operations | undefined;
  /** Creates the client that can send; absent if it exists from the start. */
  readonly unlock: (() => Operations) | undefined;
  /** Called once with the session's operations, as soon as they exist. */
  readonly onOperations: (operations: Operations) => void;
  /** Called before a batch goes on once the request budget has room: the time for writes may be over. */
  readonly beforeNext: () => void;
};

/** Owns what this session may send, and what it sent. */
export class Writes {
  readonly #options: WritesOptions;
  #watched: Operations | undefined;
  #undo: UndoStacks | undefined;
  #unlockedUntil: MonotonicMs | undefined;
  #isDryRun = false;
  #batch: Batch | undefined;
  readonly #plans = new Set<Plan>();

  constructor(options: WritesOptions) {
    this.#options = options;
    if (options.operations !== undefined) this.#watch(options.operations);
  }

  mode(): WriteMode {
    const isDryRun = this.#isDryRun;
    if (this.#options.operations !== undefined) return {access: 'open', isDryRun};
    const unlockedUntil = this.#unlockedUntil;
    return unlockedUntil === undefined ? {access: 'locked', isDryRun} : {access: 'unlocked', unlockedUntil, isDryRun};
  }

  /** Absent while nothing may be sent. */
  operations(): Operations | undefined {
    return this.#mayWrite() ? this.#watched : undefined;
  }

  /** Including those begun before writes were locked again: they are still watched. */
  watched(): Operations | undefined {
    return this.#watched;
  }

  undo(): UndoStacks | undefined {
    return this.#mayWrite() ? this.#undo : undefined;
  }

  /**
   * A plan was begun or resumed: it begins nothing more once writes are locked, and `done` ones can be undone later.
   */
  began(plan: Plan, how: 'done' | 'undone' | 'resumed'): void {
    // A plan that undoes something is already on the other stack, and resumed plans are recorded on their own.
    if (how === 'done') this.#undo?.remember(plan);
    for (const each of this.#plans) if (each.progress().status !== 'running') this.#plans.delete(each);
    this.#plans.add(plan);
  }

  /** Takes back what was confirmed last, if it is still being checked; false if there is no such operation. */
  withdraw(): boolean {
    const checked = this.checked();
    return checked !== undefined && this.#watched?.withdraw(checked.id) === true;
  }

  /** What is confirmed and still being checked: it can be withdrawn. */
  checked(): Operation | undefined {
    return this.#watched?.all().find(isBeingChecked);
  }

  outstanding(): Outstanding {
    const all = this.#watched?.all() ?? [];
    const open = all.filter(({phase}) => !isEnded(phase));
    const checked = open.filter(({phase}) => phase === 'preflight');
    return {
      sent: open.filter(({phase}) => phase !== 'preflight'),
      unsent: [...checked, ...[...this.#plans].flatMap(plan => untouchedSteps(plan.progress()))],
      secret: all.filter(holdsSecret),
    };
  }

  /** Whether a plan that is under way has yet to begin an action on it. */
  isQueued(subject: Subject): boolean {
    const key = subjectKey(subject);
    const batches = [...this.#plans].filter(({mode}) => mode === 'batch');
    const queued = batches.flatMap(plan => untouchedSteps(plan.progress()));
    return queued.some(({action}) => subjectKey(subjectOf(action)) === key);
  }

  /** How many actions of plans that are under way have yet to begin. */
  queuedCount(): number {
    return [...this.#plans].reduce((sum, plan) => sum + untouchedSteps(plan.progress()).length, 0);
  }

  /** The last batch, for a person who closed its progress box. */
  batch(): Batch | undefined {
    return this.#batch;
  }

  keepBatch(batch: Batch): void {
    this.#batch = batch;
  }

  toggleDryRun(): void {
    this.#isDryRun = !this.#isDryRun;
  }

  /** Allows writes for a while in a read-only session; false in a session that was never locked. */
  unlock(now: MonotonicMs): boolean {
    const {unlock} = this.#options;
    if (unlock === undefined) return false;
    if (this.#watched === undefined) this.#watch(unlock());
    this.#unlockedUntil = monotonicMs(now + UNLOCK_MS);
    return true;
  }

  /** Begins nothing more; returns what to tell of that. */
  lock(): SafeText {
    const {length} = this.outstanding().unsent;
    this.#unlockedUntil = undefined;
    const standing = [...this.#plans].flatMap(plan => plan.cancel() ?? []);
    this.#plans.clear();
    const unsent = length === 0 ? [] : [length === 1 ? say`1 was not sent` : say`${length} were not sent`];
    return joinSafe([say`writes are locked again`, ...unsent, ...standing], '; ');
  }

  /** Locks again when the time is over, and returns what to tell if that has just happened. */
  expire(now: MonotonicMs): SafeText | undefined {
    return this.#unlockedUntil === undefined || now < this.#unlockedUntil ? undefined : this.lock();
  }

  #mayWrite(): boolean {
    return this.#options.operations !== undefined || this.#unlockedUntil !== undefined;
  }

  #watch(operations: Operations): void {
    const {beforeNext, onOperations} = this.#options;
    const untilRoom: Operations['untilRoom'] = resume =>
      operations.untilRoom(() => {
        beforeNext();
        resume();
      });
    this.#watched = {...operations, untilRoom};
    this.#undo = createUndoStacks(this.#watched);
    onOperations(this.#watched);
  }
}

/** Whether it was sent from here for a secret that is shown once, and which is still awaited, waits or is on screen. */
function holdsSecret({action, phase, result, sentElsewhereAt}: Operation): boolean {
  if (result !== undefined) return result.kind === 'access-key' && result.secretKey.reveal() !== '';
  return createAccessKey.is(action) && phase === 'sent' && sentElsewhereAt === undefined;
}
