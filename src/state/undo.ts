import {operationWords} from '../domain/describe-operation.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {type Undo, undoOf} from '../domain/undo.ts';
import type {Operations} from './operation.ts';
import {type Plan, type PlanStart, type PlanStep, startPlan} from './plan.ts';

/** What undoing would do, for the question that comes first; or why it cannot be done now. */
export type UndoOffer =
  | {
      readonly kind: 'possible';
      readonly steps: readonly [PlanStep, ...PlanStep[]];
      /** One line for each step. */
      readonly words: readonly SafeText[];
      /** What stays as it is, with the reason. */
      readonly remaining: readonly SafeText[];
    }
  | {
      readonly kind: 'impossible';
      readonly reason: SafeText;
      /** Only for now: something is under way. */
      readonly isBusy: boolean;
    };

export type Undoable = 'next' | 'later';

/** What was done in this session and can be undone, newest first, and what was undone and can be done again. */
export type UndoStacks = {
  /** Records what a person began: it is the next to be undone, and earlier undone plans cannot be redone. */
  readonly remember: (plan: Plan) => void;
  /** Undefined where nothing was done. */
  readonly toUndo: () => UndoOffer | undefined;
  readonly toRedo: () => UndoOffer | undefined;
  /** Goes the same way as every action, one after the other. Undefined where there is nothing that can be undone. */
  readonly undo: (tell: (standing: SafeText) => void) => PlanStart | undefined;
  readonly redo: (tell: (standing: SafeText) => void) => PlanStart | undefined;
  /** Whether an operation can be undone: by the next undo, or once what was done after it is undone. */
  readonly undoable: (operationId: string) => Undoable | undefined;
  /** Puts aside what cannot be undone, so that what was done before it comes up. */
  readonly dropUndo: () => void;
};

/** One plan, and how much of it was undone already. */
type Done = {readonly plan: Plan; readonly undoneIds: ReadonlySet<string>};

const MAX_DEPTH = 100;

export function createUndoStacks(operations: Operations): UndoStacks {
  const done: Done[] = [];
  const undone: Done[] = [];

  /** Undoes the newest of one stack; what is confirmed to be undone goes on the other. */
  function startUndo(from: Done[], to: Done[], tell: (standing: SafeText) => void): PlanStart | undefined {
    const [newest, offer] = [newestOf(from), offerAtTop(from, to)];
    if (newest === undefined || offer?.kind !== 'possible') return undefined;
    const targets = inversesOf(newest, operations).filter(({undo}) => undo.kind === 'possible');
    // What was done to many is undone like it: each by itself, and none has to wait for the end of another.
    const start = startPlan(operations, offer.steps, {mode: newest.plan.mode, tell});
    if (start.status === 'locked') return start;
    const {plan} = start;
    push(to, {plan, undoneIds: new Set()});
    const stop = plan.subscribe(() => {
      const {steps} = plan.progress();
      const isUndone = (index: number) => steps[index]?.operation?.phase === 'CONFIRMED';
      note(
        from,
        newest.plan,
        targets.flatMap(({operation}, index) => (isUndone(index) ? [operation.id] : [])),
      );
      if (!isUnderWay(plan)) stop();
    });
    return start;
  }

  /** A plan without any effect has nothing to undo and is dropped. */
  function newestOf(stack: Done[]): Done | undefined {
    const isVain = (entry: Done) => !isUnderWay(entry.plan) && inversesOf(entry, operations).length === 0;
    for (let top = stack.at(-1); top !== undefined && isVain(top); top = stack.at(-1)) stack.pop();
    return stack.at(-1);
  }

  /** Notes what of a plan is undone by now; a plan of which nothing is left to undo leaves its stack. */
  function note(stack: Done[], plan: Plan, ids: readonly string[]): void {
    const index = stack.findIndex(entry => entry.plan === plan);
    const entry = stack[index];
    if (entry === undefined) return;
    const next = {plan, undoneIds: new Set([...entry.undoneIds, ...ids])};
    const isLeft = inversesOf(next, operations).some(({undo}) => undo.kind === 'possible');
    if (isLeft) stack[index] = next;
    else stack.splice(index, 1);
  }

  /** One thing at a time: while something is being undone, or done again, nothing more is offered. */
  function offerAtTop(stack: Done[], other: readonly Done[]): UndoOffer | undefined {
    const newest = newestOf(stack);
    if (newest === undefined) return undefined;
    const isBusy = [...other, newest].some(({plan}) => isUnderWay(plan));
    return isBusy
      ? {kind: 'impossible', reason: say`the last one is still under way`, isBusy: true}
      : offerOf(newest, operations);
  }

  return {
    remember: plan => {
      push(done, {plan, undoneIds: new Set()});
      undone.length = 0;
    },
    toUndo: () => offerAtTop(done, undone),
    toRedo: () => offerAtTop(undone, done),
    undo: tell => startUndo(done, undone, tell),
    redo: tell => startUndo(undone, done, tell),
    undoable: operationId => {
      const newest = newestOf(done);
      const holds = (entry: Done) =>
        inversesOf(entry, operations).some(({operation: {id}, undo}) => id === operationId && undo.kind === 'possible');
      const entry = done.find(holds);
      if (entry === undefined) return undefined;
      // While others of the same batch are under way, none of it can be undone yet.
      return entry === newest && operationsOf(entry.plan).every(({phase}) => isEnded(phase)) ? 'next' : 'later';
    },
    dropUndo: () => {
      done.pop();
    },
  };
}

function offerOf(done: Done, operations: Operations): UndoOffer {
  const inverses = inversesOf(done, operations);
  const [first, ...rest] = inverses.flatMap(({undo}) => (undo.kind === 'possible' ? [undo] : []));
  const remaining = inverses.flatMap(({operation, undo}) =>
    undo.kind === 'impossible' ? [say`${operationWords(operation)}: ${undo.reason}`] : [],
  );
  if (first === undefined)
    return {kind: 'impossible', reason: remaining[0] ?? say`none of it took effect`, isBusy: false};
  return {
    kind: 'possible',
    steps: [{...first.confirmed, ifNotDone: PARTLY}, ...rest.map(({confirmed}) => ({...confirmed, ifNotDone: PARTLY}))],
    words: [first.words, ...rest.map(({words}) => words)],
    remaining,
  };
}

const PARTLY = say`not all of it is undone`;

/** In the reverse order: what was done last is undone first. */
function inversesOf({plan, undoneIds}: Done, operations: Operations): readonly {operation: Operation; undo: Undo}[] {
  return operationsOf(plan)
    .filter(({id, phase}) => phase === 'CONFIRMED' && !undoneIds.has(id))
    .map(operation => ({operation, undo: undoOf(operation, operations.lastRead(operation))}))
    .reverse();
}

function operationsOf(plan: Plan): readonly Operation[] {
  return plan.progress().steps.flatMap(({operation}) => operation ?? []);
}

function isUnderWay(plan: Plan): boolean {
  return plan.progress().status === 'running' || operationsOf(plan).some(({phase}) => !isEnded(phase));
}

function push(stack: Done[], entry: Done): void {
  stack.push(entry);
  if (stack.length > MAX_DEPTH) stack.shift();
}
