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
};

/** What was created last: the cursor moves to it once its list has it, unless the person has moved on. */
export class Created {
  #awaited: Awaited | undefined;
  #noted: string | undefined;

  note({id: operationId, action, result}: Pick<Operation, 'id' | 'action' | 'result'>): void {
    const objectId = createdId(action, result);
    if (objectId === undefined || this.#noted === operationId) return;
    const type = typeOf(action.kind);
    const place = resourceOf(type).shownIn;
    if (place === undefined) return;
    this.#noted = operationId;
    const {paneId, ...part} = place;
    this.#awaited = {type, paneId, target: {...part, objectId}};
  }

  /** A key was pressed in the pane: the cursor is left alone from now on. */
  forget(): void {
    this.#awaited = undefined;
  }

  /** Where the cursor moves now; undefined if there is nothing to move to. */
  take(pane: Pick<Pane, 'id'>, store: Store): Target | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined) return undefined;
    if (pane.id !== awaited.paneId) this.forget();
    const isListed = lastSeen(store, awaited.type).some(
      record => 'id' in record && record.id === awaited.target.objectId,
    );
    if (this.#awaited === undefined || !isListed) return undefined;
    this.forget();
    return awaited.target;
  }
}

/** The first, if several were created. What is added to something else, such as a rule, has no list of its own. */
function createdId(action: Action, result: Operation['result']): number | undefined {
  if (action.spec === undefined) return undefined;
  if (result?.kind === 'access-key') return result.id;
  return result?.kind === 'created' ? result.ids[0] : undefined;
}
