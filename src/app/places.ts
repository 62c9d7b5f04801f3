import {assert} from '../domain/assert.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';

type VisitedPane = {
  readonly pane: Pane;
  /** Restores the pane's view: cursor, filter, scroll position, what is open. */
  readonly restore: () => void;
  /** Left by a step inside its pane, which has its own way back. */
  readonly isInside: boolean;
  readonly arrival: Arrival;
};

/**
 * A jump may open the object's detail. Back from there leads to where the person came from, not to a list they never
 * saw.
 */
type Arrival = {readonly isJump: boolean; readonly depth: number};

const CHOSEN: Arrival = {isJump: false, depth: 0};
/** More jumps than anybody retraces. */
const MAX_PLACES = 50;

/**
 * Owns where the person is: the open pane, with the way back and forward. Jumps to objects are undone one by one. A pane
 * chosen by number or name leads back to the place before it and from there to the overview, so that after an hour of
 * switching panes nobody has to step back through all of them.
 */
export class Places {
  readonly #panes: readonly Pane[];
  readonly #home: Pane;
  #current: Pane;
  #arrival = CHOSEN;
  readonly #behind: VisitedPane[] = [];
  readonly #ahead: VisitedPane[] = [];

  constructor(panes: readonly Pane[]) {
    const [home] = panes;
    assert(home !== undefined, 'a deck without panes');
    this.#panes = panes;
    this.#home = home;
    this.#current = home;
  }

  pane(): Pane {
    return this.#current;
  }

  /**
   * Opens a pane: for a jump with the cursor on an object, otherwise at its list. The previous place is one step back.
   */
  goTo(paneId: string, target?: Target): void {
    const next = this.#panes.find(({id}) => id === paneId);
    if (next === undefined) return;
    if (target === undefined) this.#choose(next);
    else this.#jump(next, target);
    this.#ahead.length = 0;
  }

  /** One step back, inside the pane first, finally to the overview; false there. */
  back(): boolean {
    const inside = this.#here(true);
    if (this.#current.depth() > this.#arrival.depth && this.#current.goBack()) {
      keep(this.#ahead, inside);
      return true;
    }
    const place = this.#behind.pop();
    if (place === undefined && this.isRoot()) return false;
    keep(this.#ahead, this.#here());
    if (place !== undefined) this.#show(place);
    else {
      this.#current = this.#home;
      this.#arrival = CHOSEN;
    }
    return true;
  }

  /** To where the last step back came from; false if there is none. */
  forward(): boolean {
    const place = this.#ahead.pop();
    if (place === undefined) return false;
    if (!place.isInside) keep(this.#behind, this.#here());
    this.#show(place);
    return true;
  }

  /** The overview as if chosen by its key, with nothing open in it. */
  isRoot(): boolean {
    return this.#current === this.#home && !this.#arrival.isJump && this.#current.depth() === 0;
  }

  #here(isInside = false): VisitedPane {
    return {pane: this.#current, restore: this.#current.checkpoint(), isInside, arrival: this.#arrival};
  }

  #show({pane, restore, arrival}: VisitedPane): void {
    this.#current = pane;
    this.#arrival = arrival;
    restore();
  }

  #jump(next: Pane, target: Target): void {
    keep(this.#behind, this.#here());
    this.#current = next;
    next.goTo(target);
    this.#arrival = {isJump: true, depth: next.depth()};
  }

  #choose(next: Pane): void {
    const before = this.#here();
    const wasElsewhere = next !== this.#current;
    this.#current = next;
    this.#arrival = CHOSEN;
    const hasClosed = next.goToList();
    if (wasElsewhere || hasClosed) this.#behind.splice(0, this.#behind.length, before);
  }
}

function keep(places: VisitedPane[], place: VisitedPane): void {
  places.push(place);
  if (places.length > MAX_PLACES) places.shift();
}
