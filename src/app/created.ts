import {type Action, typeOf} from '../domain/action.ts';
import type {ResourceType} from '../domain/cloud-resource.ts';
import type {Operation} from '../domain/operation.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';
import {lastSeen, resourceOf} from '../resources/resources.ts';
import type {Store} from '../state/store.ts';

type Awaited = {
  readonly type: ResourceType;
  readonly paneId: string;
  readonly target: Target & {readonly objectId: number};
  /** Until its pane is opened, by a person whom a message sends there. */
  readonly waits: boolean;
};

/**
 * What was created last, or waits for a second action: the cursor moves to it once its list has it, unless the person
 * has moved on.
 */
export class Created {
  #awaited: Awaited | undefined;
  readonly #noted = new Set<string>();
  #openPaneId: string | undefined;

  note({id: operationId, action, result, followUp}: Pick<Operation, 'id' | 'action' | 'result' | 'followUp'>): void {
    const waits = followUp !== undefined;
    const objectId = waits ? action.id : createdId(action, result);
    if (objectId === undefined || this.#noted.has(operationId)) return;
    const type = typeOf(action.kind);
    const place = resourceOf(type).shownIn;
    if (place === undefined) return;
    this.#noted.add(operationId);
    const {paneId, ...part} = place;
    // Nothing moves under the eyes of a person who is there already.
    if (waits && paneId === this.#openPaneId) return;
    this.#awaited = {type, paneId, target: {...part, objectId}, waits};
  }

  /** A key was pressed in the pane: its cursor is left alone from now on. */
  forget({id}: Pick<Pane, 'id'>): void {
    if (this.#awaited?.paneId === id) this.#awaited = undefined;
  }

  /** Where the cursor moves now; undefined if there is nothing to move to. */
  take(pane: Pick<Pane, 'id'>, store: Store): Target | undefined {
    this.#openPaneId = pane.id;
    const awaited = this.#awaited;
    if (awaited === undefined) return undefined;
    if (pane.id !== awaited.paneId) {
      if (!awaited.waits) this.#awaited = undefined;
      return undefined;
    }
    const isListed = lastSeen(store, awaited.type).some(
      record => 'id' in record && record.id === awaited.target.objectId,
    );
    if (!isListed) return undefined;
    this.#awaited = undefined;
    return awaited.target;
  }
}

/** The first, if several were created. What is added to something else, such as a rule, has no list of its own. */
function createdId(action: Action, result: Operation['result']): number | undefined {
  if (action.spec === undefined) return undefined;
  if (result?.kind === 'access-key') return result.id;
  return result?.kind === 'created' ? result.ids[0] : undefined;
}
