import {subjectOf} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import {describeOperation, operationWords} from '../domain/describe-operation.ts';
import {type Confirmed, isEnded, type Operation, type OperationPhase} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {Cancel} from '../domain/time.ts';
import type {Begun, Operations} from './operation.ts';

/** One action of a plan. */
export type PlanStep = Confirmed & {
  /** How things stand when the plan ends before this action was confirmed: told to the person, who has to know. */
  readonly ifNotDone?: SafeText;
};

/**
 * `chain`: what belongs together, each action only once the one before was confirmed. `batch`: the same done to many, each
 * action as soon as the one before was accepted or came to an end that says nothing about the next.
 */
export type PlanMode = 'chain' | 'batch';

export type PlanProgress = {
  /** `ended` when nothing is left to begin and all has ended; `stopped` and `cancelled` when some never were begun. */
  readonly status: 'running' | 'ended' | 'stopped' | 'cancelled';
  /** Why it stopped. */
  readonly reason?: SafeText;
  readonly steps: readonly PlanStepProgress[];
};

export type PlanStepProgress = {
  readonly step: PlanStep;
  /** As it stands now; absent for an action that was not begun. */
  readonly operation?: Operation;
  /** Why it could not be begun. */
  readonly reason?: SafeText;
};

/** How far a plan is, in numbers. Ends other than a confirmation count as failed; what was not sent is left. */
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
  /** Begins nothing more; what was sent is sent, and goes on being watched. */
  readonly cancel: () => void;
  /** What was not sent and could be taken up again now; none where the outcome of an action is still unknown. */
  readonly left: () => readonly PlanStep[];
  /** Takes up again those of them that are given here. False where there is none. */
  readonly resume: (wanted: readonly PlanStep[]) => boolean;
};

export type PlanStart =
  | {readonly status: 'begun'; readonly plan: Plan}
  /** Another operation holds the first object of a chain; a batch passes over what is held. */
  | Extract<Begun, {status: 'locked'}>;

/** An end before anything left, which can be tried again. */
const UNSENT: ReadonlySet<OperationPhase> = new Set<OperationPhase>(['NOT_SENT', 'STALE']);

type Verdict = 'go' | 'wait' | 'stop';

/** What the phase of the last action means for the next: `stop` where that would meet the same trouble, or add to it. */
const VERDICTS: Readonly<Record<PlanMode, (phase: OperationPhase) => Verdict>> = {
  chain: phase => {
    if (phase === 'CONFIRMED') return 'go';
    return isEnded(phase) ? 'stop' : 'wait';
  },
  batch: phase => {
    if (phase === 'preflight' || phase === 'sent') return 'wait';
    return phase === 'unknown' || phase === 'NOT_SENT' || phase === 'NO_EFFECT_SEEN' ? 'stop' : 'go';
  },
};

/**
 * Carries out actions one after the other, each as an operation of its own, and says by `tell` how things stand when it ends
 * early. Nothing is undone by itself.
 */
export function startPlan(
  operations: Operations,
  planned: readonly [PlanStep, ...PlanStep[]],
  {mode, tell}: {readonly mode: PlanMode; readonly tell: (standing: SafeText) => void},
): PlanStart {
  const steps: PlanStepProgress[] = planned.map(step => ({step}));
  const listeners = new Set<() => void>();
  let status: PlanProgress['status'] = 'running';
  let reason: SafeText | undefined;
  /** The action begun last, which the next one waits for. */
  let current: number | undefined;
  let unsubscribe: Cancel = () => {};

  function goOn(): void {
    for (let verdict = verdictNow(); status === 'running' && verdict !== 'wait'; verdict = verdictNow()) {
      const next = steps.findIndex(isUntouched);
      if (verdict === 'stop' && (mode === 'chain' || next !== -1)) stop();
      else if (next !== -1) beginAt(next);
      else if (steps.some(isUnderWay)) break;
      else status = 'ended';
    }
    if (status !== 'running' && !steps.some(isUnderWay)) unsubscribe();
    for (const listener of listeners) listener();
  }

  function verdictNow(): Verdict {
    const phase = current === undefined ? undefined : steps[current]?.operation?.phase;
    return phase === undefined ? 'go' : VERDICTS[mode](phase);
  }

  function beginAt(index: number): void {
    const planned = steps[index];
    assert(planned !== undefined, 'a plan begins an action that it does not have');
    const {step} = planned;
    const begun = operations.begin(step);
    if (begun.status === 'begun') {
      steps[index] = {step, operation: begun.operation};
      current = index;
      return;
    }
    steps[index] = {step, reason: describeOperation(begun.by).text};
    if (mode === 'batch') return;
    status = 'stopped';
    if (index > 0 && step.ifNotDone !== undefined) tell(step.ifNotDone);
  }

  function stop(): void {
    status = 'stopped';
    const last = current === undefined ? undefined : steps[current];
    if (last?.operation === undefined) return;
    reason = describeOperation(last.operation).text;
    const standing = mode === 'chain' ? chainStanding(last.step, last.operation) : batchStanding(steps, last.operation);
    if (standing !== undefined) tell(standing);
  }

  function follow(): void {
    unsubscribe = operations.subscribe(changed => {
      const index = steps.findIndex(({operation}) => operation?.id === changed.id);
      const known = steps[index];
      if (known === undefined) return;
      steps[index] = {step: known.step, operation: changed};
      goOn();
    });
  }

  function left(): readonly PlanStep[] {
    if (status === 'running' || !canResume(mode, steps)) return [];
    return steps.filter(isLeft).map(({step}) => step);
  }

  function resume(wanted: readonly PlanStep[]): boolean {
    const taken = left().filter(step => wanted.includes(step));
    if (taken.length === 0) return false;
    for (const [index, each] of steps.entries()) {
      if (taken.includes(each.step)) steps[index] = {step: each.step};
      else if (isUntouched(each)) steps[index] = {step: each.step, reason: say`left out`};
    }
    [status, reason, current] = ['running', undefined, undefined];
    unsubscribe();
    follow();
    goOn();
    return true;
  }

  follow();
  goOn();
  const [first] = steps;
  if (mode === 'chain' && first?.operation === undefined) {
    const holder = operations.openOn(subjectOf(planned[0].action));
    if (holder !== undefined) return {status: 'locked', by: holder};
  }
  return {
    status: 'begun',
    plan: {
      mode,
      progress: () => ({status, steps: [...steps], ...(reason === undefined ? {} : {reason})}),
      subscribe: listener => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      cancel: () => {
        if (status === 'running' && steps.some(isUntouched)) status = 'cancelled';
        goOn();
      },
      left,
      resume,
    },
  };
}

export function planCounts({steps}: Pick<PlanProgress, 'steps'>): PlanCounts {
  const done = steps.filter(({operation}) => operation?.phase === 'CONFIRMED').length;
  const underWay = steps.filter(isUnderWay).length;
  const left = steps.filter(isLeft).length;
  return {done, underWay, left, failed: steps.length - left - done - underWay};
}

/** Not sent, and worth trying again. */
function isLeft({operation}: PlanStepProgress): boolean {
  return operation === undefined || UNSENT.has(operation.phase);
}

function isUntouched({operation, reason}: PlanStepProgress): boolean {
  return operation === undefined && reason === undefined;
}

function isUnderWay({operation}: PlanStepProgress): boolean {
  return operation !== undefined && !isEnded(operation.phase);
}

/** A chain continues only after a confirmed step, and stops at one whose outcome is unknown. */
function canResume(mode: PlanMode, steps: readonly PlanStepProgress[]): boolean {
  const sent = steps.filter(each => !isLeft(each));
  const isClear = !sent.some(({operation}) => operation?.phase === 'unknown');
  return mode === 'chain' ? sent.every(({operation}) => operation?.phase === 'CONFIRMED') : isClear;
}

/** Why it ended stands behind how things are now: both are needed, and one line has to hold them. */
function chainStanding({ifNotDone}: PlanStep, {detail}: Operation): SafeText | undefined {
  if (ifNotDone === undefined || detail === undefined) return ifNotDone;
  return say`${ifNotDone} (${detail})`;
}

function batchStanding(steps: readonly PlanStepProgress[], by: Operation): SafeText {
  return say`stopped at ${operationWords(by)}; ${steps.filter(isLeft).length} of ${steps.length} are not sent`;
}
