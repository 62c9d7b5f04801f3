import {subjectOf} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import {
  describeOperation,
  knownOutcome,
  operationWords,
  outcomeWords,
  phaseWords,
} from '../../domain/describe-operation.ts';
import {
  type Confirmed,
  isBeingChecked,
  isEnded,
  isPostponed,
  isUnsent,
  type Operation,
  sleptReason,
  stopReason,
  withoutSecret,
} from '../../domain/operation.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {Cancel, DurationMs} from '../../domain/time.ts';
import type {Begun, Operations} from './operation.ts';

/** One action of a plan. */
export type PlanStep = Confirmed & {
  /** What a person must know if the plan ends before this action was confirmed. */
  readonly ifNotDone?: SafeText;
};

/**
 * `chain`: actions that depend on each other, each begun once the previous one was confirmed. `batch`: the same action
 * on many objects, each begun once the previous one was accepted, or ended in a way that says nothing about the next.
 */
export type PlanMode = 'chain' | 'batch';

export type PlanProgress = {
  /** `ended`: everything was begun and has ended. `stopped`, `cancelled`: some steps were never begun. */
  readonly status: 'running' | 'ended' | 'stopped' | 'cancelled';
  /** Why it stopped. */
  readonly reason?: SafeText;
  readonly steps: readonly PlanStepProgress[];
};

export type PlanStepProgress = {
  readonly step: PlanStep;
  /** Its present state; absent if it was not begun. */
  readonly operation?: Operation;
  /** Why it could not be begun. */
  readonly reason?: SafeText;
};

/**
 * The progress of a plan in numbers. Every end but a confirmation counts as failed; `left` counts what was not sent.
 */
export type PlanCounts = {
  readonly done: number;
  readonly underWay: number;
  readonly failed: number;
  readonly left: number;
};

export type Plan = {
  readonly mode: PlanMode;
  readonly progress: () => PlanProgress;
  readonly subscribe: (listener: () => void) => Cancel;
  /**
   * Begins nothing more, and withdraws what is being checked. What was sent stays sent and is still watched. Returns
   * what a person must know of a chain that is half done now; if its last action is confirmed later, `tell` reports it.
   */
  readonly cancel: () => SafeText | undefined;
  /**
   * Steps not sent, and those of a batch that the service refused with 429, which could be resumed now; none while the
   * answer to an action is awaited, or its outcome unknown.
   */
  readonly left: () => readonly PlanStep[];
  /**
   * Resumes those of the remaining steps whose actions are given, as they were confirmed anew. Returns false if none is.
   */
  readonly resume: (confirmed: readonly PlanStep[]) => boolean;
};

export type PlanStart =
  | {readonly status: 'begun'; readonly plan: Plan}
  /** Another operation holds the first object of a chain. A batch skips locked objects. */
  | Extract<Begun, {status: 'locked'}>;

type StepVerdict = 'go' | 'wait' | 'stop';

/** What the end of the last action means for the next: `stop` if the next would meet the same trouble, or add to it. */
const VERDICTS: Readonly<Record<PlanMode, (operation: Operation) => StepVerdict>> = {
  chain: ({phase}) => {
    if (phase === 'CONFIRMED') return 'go';
    return isEnded(phase) ? 'stop' : 'wait';
  },
  batch: operation => {
    const {phase} = operation;
    if (phase === 'preflight' || phase === 'sent') return 'wait';
    return stopReason(operation) === undefined ? 'go' : 'stop';
  },
};

const LEFT_OUT = say`left out`;

/** If this many in a row cannot be checked, the cause is not one machine. */
const MAX_UNCHECKED_IN_ROW = 3;

/** Nothing could be read of its subject, so it alone is left out. */
function isUnchecked(operation: Operation): boolean {
  return operation.phase === 'NOT_SENT' && stopReason(operation) === undefined;
}

/**
 * Carries out actions one after the other, each as an operation of its own. If it ends early, `tell` reports how things
 * stand. Nothing is undone automatically.
 */
export function startPlan(
  operations: Operations,
  planned: readonly [PlanStep, ...PlanStep[]],
  options: {readonly mode: PlanMode; readonly tell: (standing: SafeText) => void},
): PlanStart {
  const plan = new RunningPlan(operations, planned, options);
  plan.start();
  const [first] = plan.progress().steps;
  if (options.mode === 'chain' && first?.operation === undefined) {
    const holder = operations.openOn(subjectOf(planned[0].action));
    if (holder !== undefined) return {status: 'locked', by: holder};
  }
  return {status: 'begun', plan};
}

/** Owns the steps of one plan, and which of them comes next. */
class RunningPlan implements Plan {
  readonly mode: PlanMode;
  readonly #operations: Operations;
  readonly #tell: (standing: SafeText) => void;
  readonly #steps: PlanStepProgress[];
  readonly #listeners = new Set<() => void>();
  #status: PlanProgress['status'] = 'running';
  /** The operation it stopped at, as it stood then. */
  #stoppedBy: Operation | undefined;
  /** Why its confirmation no longer holds, if it stopped for that. */
  #sleptReason: SafeText | undefined;
  /** How long the computer had slept when it was confirmed. */
  #sleptBefore: DurationMs;
  /** The step begun last, which the next one waits for. */
  #currentIndex: number | undefined;
  #unfollow: Cancel = () => {};
  #cancelWait: Cancel | undefined;

  constructor(
    operations: Operations,
    planned: readonly PlanStep[],
    {mode, tell}: {readonly mode: PlanMode; readonly tell: (standing: SafeText) => void},
  ) {
    this.#operations = operations;
    this.#sleptBefore = operations.sleptMs();
    this.#steps = planned.map(step => ({step}));
    this.mode = mode;
    this.#tell = tell;
  }

  start(): void {
    this.#unfollow();
    this.#unfollow = this.#operations.subscribe(changed => this.#update(changed));
    this.#proceed();
  }

  progress(): PlanProgress {
    const reason = this.#stopReason();
    return {status: this.#status, steps: [...this.#steps], ...(reason === undefined ? {} : {reason})};
  }

  subscribe(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cancel(): SafeText | undefined {
    if (canCancel(this.progress())) {
      this.#status = 'cancelled';
      this.#writeUnsent(this.#untouched(), say`cancelled`);
    }
    for (const {operation} of this.#steps)
      if (operation && isBeingChecked(operation)) this.#operations.withdraw(operation.id);
    this.#proceed();
    return this.#halfDone();
  }

  /** What a person must know of a chain that was cancelled after one of its actions took effect. */
  #halfDone(): SafeText | undefined {
    const leftIndex = this.#steps.findIndex(isLeft);
    const hasBegun = this.#steps[leftIndex - 1]?.operation?.phase === 'CONFIRMED';
    const isCut = this.mode === 'chain' && this.#status === 'cancelled' && hasBegun;
    return isCut ? this.#steps[leftIndex]?.step.ifNotDone : undefined;
  }

  left(): readonly PlanStep[] {
    if (this.#status === 'running' || !canResume(this.mode, this.#steps)) return [];
    return this.#steps.filter(isResumable).map(({step}) => step);
  }

  resume(confirmed: readonly PlanStep[]): boolean {
    const left = new Set(this.left().map(({action}) => action));
    const taken = new Map(confirmed.filter(({action}) => left.has(action)).map(step => [step.action, step]));
    if (taken.size === 0) return false;
    for (const [index, each] of this.#steps.entries()) {
      const step = isResumable(each) ? taken.get(each.step.action) : undefined;
      if (step !== undefined) this.#steps[index] = {step};
      else if (isUntouched(each)) this.#steps[index] = {step: each.step, reason: LEFT_OUT};
    }
    this.#status = 'running';
    this.#stoppedBy = undefined;
    this.#sleptReason = undefined;
    this.#sleptBefore = this.#operations.sleptMs();
    this.#currentIndex = undefined;
    this.start();
    return true;
  }

  #proceed(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    for (let verdict = this.#verdict(); this.#status === 'running' && verdict !== 'wait'; verdict = this.#verdict()) {
      const next = this.#steps.findIndex(isUntouched);
      if (verdict === 'stop' && (this.mode === 'chain' || next !== -1)) this.#stop();
      else if (next !== -1 && this.#isOutdated()) this.#stopOutdated();
      else if (next !== -1 && this.#waitsForRoom()) break;
      else if (next !== -1) this.#beginAt(next);
      else if (this.#steps.some(isUnderWay)) break;
      else this.#end();
    }
    if (this.#status !== 'running' && !this.#steps.some(isUnderWay)) this.#unfollow();
    for (const listener of this.#listeners) listener();
  }

  /** Beginning many at once would use up the request budget, and then no end or anything else would be seen. */
  #waitsForRoom(): boolean {
    const isFirst = this.#currentIndex === undefined;
    if (this.mode === 'batch' && !isFirst) this.#cancelWait = this.#operations.untilRoom(() => this.#proceed());
    return this.#cancelWait !== undefined;
  }

  #verdict(): StepVerdict {
    const last = this.#current()?.operation;
    if (last === undefined) return 'go';
    const verdict = VERDICTS[this.mode](last);
    return verdict === 'go' && this.#isUncheckable() ? 'stop' : verdict;
  }

  #isUncheckable(): boolean {
    const begun = this.#steps.slice(0, (this.#currentIndex ?? 0) + 1).flatMap(({operation}) => operation ?? []);
    const last = begun.slice(-MAX_UNCHECKED_IN_ROW);
    return last.length === MAX_UNCHECKED_IN_ROW && last.every(isUnchecked);
  }

  #current(): PlanStepProgress | undefined {
    return this.#currentIndex === undefined ? undefined : this.#steps[this.#currentIndex];
  }

  #beginAt(index: number): void {
    const planned = this.#steps[index];
    assert(planned !== undefined, 'a plan begins an action that it does not have');
    const {step} = planned;
    const begun = this.#operations.begin(step, {isJustAnswered: this.#currentIndex === undefined});
    if (begun.status === 'begun') {
      this.#steps[index] = {step, operation: begun.operation};
      this.#currentIndex = index;
      return;
    }
    const reason = describeOperation(begun.by).text;
    // A key asks for a job without a question, so one that is under way already was not confirmed again.
    const isConfirmed = begun.by.traits.endsWithReply !== true;
    if (isConfirmed) this.#writeUnsent(this.mode === 'batch' ? [step] : this.#untouched(), reason);
    this.#steps[index] = {step, reason};
    if (this.mode === 'batch') return;
    this.#status = 'stopped';
    const standing = index > 0 ? chainStanding(step, {detail: reason}) : undefined;
    if (standing !== undefined) this.#tell(standing);
  }

  /** Sums up what a batch left out: the message of each was soon replaced by that of the next. */
  #end(): void {
    this.#status = 'ended';
    const unsent = this.#steps.filter(each => isLeft(each) && each.reason !== LEFT_OUT);
    const [first] = unsent;
    if (this.mode !== 'batch' || first === undefined) return;
    const {step, operation, reason = operation?.detail} = first;
    // The message of the only one stays.
    if (this.#steps.length === 1 && operation !== undefined) return;
    const why = reason === undefined ? say`` : say`: ${reason}`;
    const words = operation === undefined ? nameInWords(step.subjectName) : operationWords(operation);
    const which = unsent.length === 1 ? words : say`${words} and others`;
    this.#tell(say`${unsent.length} of ${this.#steps.length} not sent: ${which}${why}`);
  }

  #stop(): void {
    this.#status = 'stopped';
    const last = this.#current();
    if (last?.operation === undefined) return;
    this.#stoppedBy = last.operation;
    this.#writeUnsent(this.#untouched(), say`stopped at ${operationWords(last.operation)}`);
    const standing =
      this.mode === 'chain' ? chainStanding(last.step, last.operation) : batchStanding(this.#steps, last.operation);
    if (standing !== undefined) this.#tell(standing);
  }

  /** Those that had an end of their own are in the journal already. */
  #untouched(): readonly PlanStep[] {
    return this.#steps.filter(isUntouched).map(({step}) => step);
  }

  #writeUnsent(steps: readonly PlanStep[], why: SafeText): void {
    const fault = this.#operations.writeUnsent(steps, why);
    if (fault !== undefined) this.#tell(fault);
  }

  /** Who confirmed it hours ago, before the computer slept, does not expect anything to be sent now. */
  #isOutdated(): boolean {
    this.#sleptReason = sleptReason(this.#operations.sleptMs() - this.#sleptBefore);
    return this.#sleptReason !== undefined;
  }

  #stopOutdated(): void {
    this.#status = 'stopped';
    const why = this.#sleptReason ?? say``;
    this.#writeUnsent(this.#untouched(), why);
    const next = this.#steps.find(isUntouched);
    const {ifNotDone = say`${this.#steps.filter(isLeft).length} of ${this.#steps.length} not sent`} = next?.step ?? {};
    this.#tell(this.mode === 'chain' ? say`${ifNotDone} (${why})` : say`${ifNotDone}: ${why}`);
  }

  /** As it is now: an outcome that was unknown may have become known since. */
  #stopReason(): SafeText | undefined {
    if (this.#sleptReason !== undefined) return this.#sleptReason;
    const then = this.#stoppedBy;
    const present = this.#steps.find(({operation}) => operation?.id === then?.id)?.operation;
    if (then === undefined || present === undefined) return undefined;
    if (knownOutcome(present).phase === then.phase) return describeOperation(present).text;
    const now = isEnded(present.phase) ? outcomeWords(present) : phaseWords(present);
    return say`the outcome of ${operationWords(present)} was unknown; now ${now}`;
  }

  #update(changed: Operation): void {
    const index = this.#steps.findIndex(({operation}) => operation?.id === changed.id);
    const known = this.#steps[index];
    if (known === undefined) return;
    // A plan is kept for undo, long after the secret in an answer was shown.
    this.#steps[index] = {step: known.step, operation: withoutSecret(changed)};
    this.#proceed();
    const standing = changed.phase === 'CONFIRMED' ? this.#halfDone() : undefined;
    if (standing !== undefined) this.#tell(standing);
  }
}

export function planCounts({steps}: Pick<PlanProgress, 'steps'>): PlanCounts {
  const done = steps.filter(({operation}) => operation?.phase === 'CONFIRMED').length;
  const underWay = steps.filter(isUnderWay).length;
  const left = steps.filter(isLeft).length;
  return {done, underWay, left, failed: steps.length - left - done - underWay};
}

/** Not sent. */
function isLeft({operation}: PlanStepProgress): boolean {
  return operation === undefined || isUnsent(operation.phase);
}

/** Not carried out. That the service refused it with 429 still counts as its end. */
function isResumable(each: PlanStepProgress): boolean {
  return isLeft(each) || (each.operation !== undefined && isPostponed(each.operation));
}

/** Not begun yet. */
export function isUntouched({operation, reason}: PlanStepProgress): boolean {
  return operation === undefined && reason === undefined;
}

/** Whether anything is left that was not sent yet. */
export function canCancel({status, steps}: PlanProgress): boolean {
  return (
    status === 'running' &&
    steps.some(each => isUntouched(each) || (each.operation !== undefined && isBeingChecked(each.operation)))
  );
}

/** The steps a running plan has yet to begin. */
export function untouchedSteps({status, steps}: PlanProgress): readonly PlanStep[] {
  return status === 'running' ? steps.filter(isUntouched).map(({step}) => step) : [];
}

function isUnderWay({operation}: PlanStepProgress): boolean {
  return operation !== undefined && !isEnded(operation.phase);
}

/** A chain continues only after a confirmed step, a batch after one that was answered and whose outcome is not unknown. */
function canResume(mode: PlanMode, steps: readonly PlanStepProgress[]): boolean {
  const sent = steps.filter(each => !isLeft(each)).flatMap(({operation}) => operation ?? []);
  if (mode === 'chain') return sent.every(({phase}) => phase === 'CONFIRMED');
  return sent.every(operation => operation.phase !== 'sent' && knownOutcome(operation).phase !== 'unknown');
}

/** One line has to hold both the present state and, after it, why the plan ended. */
function chainStanding({ifNotDone}: PlanStep, {detail}: Pick<Operation, 'detail'>): SafeText | undefined {
  if (ifNotDone === undefined || detail === undefined) return ifNotDone;
  return say`${ifNotDone} (${detail})`;
}

function batchStanding(steps: readonly PlanStepProgress[], by: Operation): SafeText {
  return say`stopped at ${operationWords(by)}; ${steps.filter(isLeft).length} of ${steps.length} not sent`;
}
