import {type Action, typeOf} from '../domain/action.ts';
import type {ResourceType} from '../domain/cloud-resource.ts';
import {knownOutcome} from '../domain/describe-operation.ts';
import type {Operation} from '../domain/operation.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';
import {lastSeen, resourceOf} from '../resources/resources.ts';
import type {Store} from '../state/store.ts';

type Awaited = {
  readonly operationId: string;
  readonly type: ResourceType;
  readonly paneId: string;
  readonly target: Target & {readonly objectId: number};
  /** Until its pane is opened, by a person whom a message sends there. */
  readonly waits: boolean;
  readonly until: MonotonicMs;
};

/** Whoever opens the pane later came for something else. */
const AWAITED_MS: DurationMs = 10 * MINUTE_MS;

/**
 * What was created, or was started and needs a second action. The cursor moves once to what was created, unless the person
 * has moved on; to what needs a second action only when its pane is opened, of several to the next each time.
 */
export class Created {
  #awaited: readonly Awaited[] = [];
  readonly #noted = new Set<string>();
  #openPaneId: string | undefined;

  note(operation: Operation, now: MonotonicMs): void {
    const {id: operationId, action, result, followUp} = operation;
    const waits = followUp !== undefined;
    // What was accepted may fail later.
    if (waits && !isTakingEffect(operation)) return this.#drop(operationId);
    const objectId = waits ? action.id : createdId(action, result);
    if (objectId === undefined || this.#noted.has(operationId)) return;
    const type = typeOf(action.kind);
    const place = resourceOf(type).shownIn;
    if (place === undefined) return;
    this.#noted.add(operationId);
    const {paneId, ...part} = place;
    // Nothing moves under the eyes of a person who is there already.
    if (waits && paneId === this.#openPaneId) return;
    const until = monotonicMs(now + AWAITED_MS);
    this.#awaited = [...this.#awaited, {operationId, type, paneId, target: {...part, objectId}, waits, until}];
  }

  /** A key was pressed in the pane, or it was opened on something else: its cursor is left alone from now on. */
  forget({id}: Pick<Pane, 'id'>): void {
    this.#openPaneId = id;
    this.#awaited = this.#awaited.filter(({paneId, waits}) => waits || paneId !== id);
  }

  /** Where the cursor moves now; undefined if there is nothing to move to. */
  take({id}: Pick<Pane, 'id'>, store: Store, now: MonotonicMs): Target | undefined {
    const isJustOpened = id !== this.#openPaneId;
    this.#openPaneId = id;
    this.#awaited = this.#awaited.filter(({paneId, waits, until}) => now < until && (waits || paneId === id));
    const next = this.#awaited.find(
      each => each.paneId === id && (isJustOpened || !each.waits) && isListed(each, store),
    );
    if (next !== undefined) this.#drop(next.operationId);
    return next?.target;
  }

  #drop(operationId: string): void {
    this.#awaited = this.#awaited.filter(each => each.operationId !== operationId);
  }
}

/** Accepted by the service, and not known to have failed since. */
function isTakingEffect(operation: Operation): boolean {
  const {phase} = knownOutcome(operation);
  return phase === 'CONFIRMED' || phase === 'accepted' || phase === 'in-progress' || phase === 'overdue';
}

function isListed({type, target}: Awaited, store: Store): boolean {
  return lastSeen(store, type).some(record => 'id' in record && record.id === target.objectId);
}

/** The first, if several were created. What is added to something else, such as a rule, has no list of its own. */
function createdId(action: Action, result: Operation['result']): number | undefined {
  if (action.spec === undefined) return undefined;
  if (result?.kind === 'access-key') return result.id;
  return result?.kind === 'created' ? result.ids[0] : undefined;
}
