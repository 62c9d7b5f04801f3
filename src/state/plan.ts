import {type Confirmed, isEnded, type Operation} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {Begun, Operations} from './operation.ts';

/** One act of a plan. */
export type PlanStep = Confirmed & {
  /** How things stand when the plan ends before this act was confirmed: told to the person, who has to know. */
  readonly ifNotDone?: SafeText;
};

/**
 * Carries out acts one after the other, each as an operation of its own. The next begins only when the one before was
 * confirmed; anything else ends the plan, and `tell` says how things stand. Nothing is taken back by itself.
 */
export function beginPlan(
  operations: Operations,
  [first, ...rest]: readonly [PlanStep, ...PlanStep[]],
  tell: (standing: SafeText) => void,
): Begun {
  const begun = operations.begin(first);
  if (begun.status === 'begun') follow(operations, begun.operation, first, rest, tell);
  return begun;
}

function follow(
  operations: Operations,
  operation: Operation,
  step: PlanStep,
  rest: readonly PlanStep[],
  tell: (standing: SafeText) => void,
): void {
  const stop = operations.subscribe(changed => {
    if (changed.id !== operation.id || !isEnded(changed.phase)) return;
    stop();
    const [next, ...others] = rest;
    if (changed.phase !== 'CONFIRMED') {
      // Why it ended stands behind how things are now: both are needed, and one line has to hold them.
      const {detail} = changed;
      if (step.ifNotDone !== undefined)
        tell(detail === undefined ? step.ifNotDone : say`${step.ifNotDone} (${detail})`);
      return;
    }
    if (next === undefined) return;
    const begun = operations.begin(next);
    if (begun.status === 'begun') follow(operations, begun.operation, next, others, tell);
    else if (next.ifNotDone !== undefined) tell(next.ifNotDone);
  });
}
