import {operationWords} from '../../domain/describe-operation.ts';
import {isEnded, type Operation} from '../../domain/operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {type Undo, undoOf} from '../../domain/undo.ts';
import type {Operations} from './operation.ts';
import {type Plan, type PlanMode, type PlanStart, type PlanStep, startPlan} from './plan.ts';

/** What undoing would do, for the question asked first; or why it cannot be done now. */
export type UndoOffer =
  | {
      readonly kind: 'possible';
      readonly steps: readonly [PlanStep, ...PlanStep[]];
      /** The operation that each step undoes. */
      readonly operationIds: readonly string[];
      /** One line for each step. */
      readonly words: readonly SafeText[];
      /** A batch is undone as a batch: each by itself, without waiting for the others. */
      readonly mode: PlanMode;
      /** What stays as it is, with the reason. */
      readonly remaining: readonly SafeText[];
    }
  | {
      readonly kind: 'impossible';
      readonly reason: SafeText;
      /** Impossible only for now, because something is under way. */
      readonly isBusy: boolean;
    };

/** What a person confirmed: the operations to undo, and the steps for it as the question showed them. */
export type ConfirmedUndo = Pick<Extract<UndoOffer, {kind: 'possible'}>, 'steps' | 'operationIds'>;

/** By the next undo, or after what was done later is undone; otherwise why it cannot be undone from here. */
export type Undoable = 'next' | 'later' | {readonly reason: SafeText};

/** What was done in this session and can be undone, newest first, and what was undone and can be redone. */
export type UndoStacks = {
  /** Records what a person did: it becomes the next to undo, and plans undone earlier can no longer be redone. */
  readonly remember: (plan: Plan) => void;
  /** Undefined if nothing was done. */
  readonly toUndo: () => UndoOffer | undefined;
  readonly toRedo: () => UndoOffer | undefined;
  /** Sent like every other action. Undefined if these operations are no longer the next ones to undo. */
  readonly undo: (confirmed: ConfirmedUndo, tell: (standing: SafeText) => void) => PlanStart | undefined;
  readonly redo: (confirmed: ConfirmedUndo, tell: (standing: SafeText) => void) => PlanStart | undefined;
  /** Whether an operation can be undone; undefined if this session did not send it. */
  readonly undoable: (operationId: string) => Undoable | undefined;
  /** Drops the next plan to undo, because it cannot be undone, so that the one before it comes up. */
  readonly dropUndo: () => void;
  /** Another number whenever another plan may be the next to undo or redo. */
  readonly version: () => number;
};

/** One plan, and which of its operations were already undone. */
type FinishedPlan = {readonly plan: Plan; readonly undoneIds: ReadonlySet<string>};

const MAX_DEPTH = 100;

export function createUndoStacks(operations: Operations): UndoStacks {
  const done = new PlanStack(operations);
  const undone = new PlanStack(operations);
  const whyNot = (operation: Operation): SafeText => {
    const undo = undoOf(operation, operations.lastRead(operation));
    if (undo.kind === 'impossible') return undo.reason;
    if (done.hasSettled(operation.id) || undone.hasSettled(operation.id)) return say`it was undone already`;
    return undone.holding(operation.id) === undefined
      ? say`too much was done since`
      : say`it undid an earlier one, which can be redone`;
  };
  return {
    remember: plan => {
      done.push(plan);
      undone.clear();
    },
    toUndo: () => offerAtTop(done, undone, operations),
    toRedo: () => offerAtTop(undone, done, operations),
    undo: (confirmed, tell) => startUndo({from: done, to: undone}, confirmed, {operations, tell}),
    redo: (confirmed, tell) => startUndo({from: undone, to: done}, confirmed, {operations, tell}),
    undoable: operationId => {
      const newest = done.newest();
      const entry = done.holding(operationId);
      if (entry === undefined) {
        const operation = operations.all().find(({id}) => id === operationId);
        return operation && {reason: whyNot(operation)};
      }
      // While others of the same batch are under way, none of it can be undone yet.
      return entry === newest && operationsOf(entry.plan).every(({phase}) => isEnded(phase)) ? 'next' : 'later';
    },
    dropUndo: () => done.drop(),
    version: () => done.version() + undone.version(),
  };
}

/** Plans in the order in which they were carried out. */
class PlanStack {
  readonly #operations: Operations;
  readonly #entries: FinishedPlan[] = [];
  readonly #settledIds = new Set<string>();
  #version = 0;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  version(): number {
    return this.#version;
  }

  push(plan: Plan): void {
    this.#version += 1;
    this.#entries.push({plan, undoneIds: new Set()});
    if (this.#entries.length > MAX_DEPTH) this.#entries.shift();
  }

  drop(): void {
    this.#version += 1;
    this.#entries.pop();
  }

  clear(): void {
    this.#version += 1;
    this.#entries.length = 0;
  }

  /** A plan without any effect has nothing to undo and is dropped. */
  newest(): FinishedPlan | undefined {
    const isVain = (entry: FinishedPlan) => !isUnderWay(entry.plan) && inversesOf(entry, this.#operations).length === 0;
    for (let top = this.#entries.at(-1); top !== undefined && isVain(top); top = this.#entries.at(-1)) this.drop();
    return this.#entries.at(-1);
  }

  /** Whether an operation of this stack was taken back. */
  hasSettled(operationId: string): boolean {
    return this.#settledIds.has(operationId);
  }

  isAnyUnderWay(): boolean {
    return this.#entries.some(({plan}) => isUnderWay(plan));
  }

  /** The plan that sent an operation that can be undone. */
  holding(operationId: string): FinishedPlan | undefined {
    return this.#entries.find(entry =>
      inversesOf(entry, this.#operations).some(
        ({operation: {id}, undo}) => id === operationId && undo.kind === 'possible',
      ),
    );
  }

  /** Notes which operations of a plan are undone; a plan with nothing left to undo leaves the stack. */
  note(plan: Plan, ids: readonly string[]): void {
    this.#version += 1;
    for (const id of ids) this.#settledIds.add(id);
    const index = this.#entries.findIndex(entry => entry.plan === plan);
    const entry = this.#entries[index];
    if (entry === undefined) return;
    const next = {plan, undoneIds: new Set([...entry.undoneIds, ...ids])};
    const isLeft = inversesOf(next, this.#operations).some(({undo}) => undo.kind === 'possible');
    if (isLeft) this.#entries[index] = next;
    else this.#entries.splice(index, 1);
  }
}

/** One thing at a time: while something is being undone or redone, nothing more is offered. */
function offerAtTop(stack: PlanStack, other: PlanStack, operations: Operations): UndoOffer | undefined {
  const newest = stack.newest();
  if (newest === undefined) return undefined;
  return other.isAnyUnderWay() || isUnderWay(newest.plan)
    ? {kind: 'impossible', reason: say`the last one is still under way`, isBusy: true}
    : offerOf(newest, operations);
}

/** Undoes the newest plan of one stack; once confirmed, it goes on the other stack. */
function startUndo(
  {from, to}: {readonly from: PlanStack; readonly to: PlanStack},
  {steps: confirmed, operationIds}: ConfirmedUndo,
  {operations, tell}: {readonly operations: Operations; readonly tell: (standing: SafeText) => void},
): PlanStart | undefined {
  const [newest, offer] = [from.newest(), offerAtTop(from, to, operations)];
  if (newest === undefined || offer?.kind !== 'possible') return undefined;
  // The question may have left some out, which are gone or cannot be sent now.
  if (!operationIds.every(id => offer.operationIds.includes(id))) return undefined;
  const start = startPlan(operations, confirmed, {mode: offer.mode, tell});
  if (start.status === 'locked') return start;
  const {plan} = start;
  to.push(plan);
  const stop = plan.subscribe(() => {
    const {steps} = plan.progress();
    const isUndone = (index: number) => steps[index]?.operation?.phase === 'CONFIRMED';
    from.note(
      newest.plan,
      operationIds.filter((_, index) => isUndone(index)),
    );
    if (!isUnderWay(plan)) stop();
  });
  return start;
}

function offerOf(done: FinishedPlan, operations: Operations): UndoOffer {
  const inverses = inversesOf(done, operations);
  const [first, ...rest] = inverses.flatMap(({operation: {id}, undo}) =>
    undo.kind === 'possible' ? [{id, ...undo}] : [],
  );
  const remaining = inverses.flatMap(({operation, undo}) =>
    undo.kind === 'impossible' ? [say`${operationWords(operation)}: ${undo.reason}`] : [],
  );
  if (first === undefined)
    return {kind: 'impossible', reason: remaining[0] ?? say`none of it took effect`, isBusy: false};
  return {
    kind: 'possible',
    steps: [{...first.confirmed, ifNotDone: PARTLY}, ...rest.map(({confirmed}) => ({...confirmed, ifNotDone: PARTLY}))],
    operationIds: [first, ...rest].map(({id}) => id),
    words: [first.words, ...rest.map(({words}) => words)],
    mode: done.plan.mode,
    remaining,
  };
}

const PARTLY = say`not all of it is undone`;

/** In reverse order: the last action is undone first. */
function inversesOf(
  {plan, undoneIds}: FinishedPlan,
  operations: Operations,
): readonly {operation: Operation; undo: Undo}[] {
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
