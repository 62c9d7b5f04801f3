import {assert} from '../domain/assert.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';

/**
 * Where the person is: the open pane, with the way back and forward. Jumps to objects are undone one by one. A pane
 * chosen by number or name leads back to the place before it and from there to the overview, so that after an hour of
 * switching panes nobody has to step back through all of them.
 */
export type Places = {
  readonly pane: () => Pane;
  /**
   * Opens a pane: for a jump with the cursor on an object, otherwise at its list. The previous place is one step back.
   */
  readonly goTo: (paneId: string, target?: Target) => void;
  /** One step back, inside the pane first, finally to the overview; false there. */
  readonly back: () => boolean;
  /** The overview as if chosen by its key, with nothing open in it. */
  readonly isRoot: () => boolean;
  /** To where the last step back came from; false if there is none. */
  readonly forward: () => boolean;
};

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

export function createPlaces(panes: readonly Pane[]): Places {
  const [home] = panes;
  let current = home;
  let arrival = CHOSEN;
  const behind: VisitedPane[] = [];
  const ahead: VisitedPane[] = [];

  function pane(): Pane {
    assert(current !== undefined, 'a deck without panes');
    return current;
  }

  function here(isInside = false): VisitedPane {
    return {pane: pane(), restore: pane().checkpoint(), isInside, arrival};
  }

  function show({pane: next, restore, arrival: before}: VisitedPane): void {
    current = next;
    arrival = before;
    restore();
  }

  function jump(next: Pane, target: Target): void {
    keep(behind, here());
    current = next;
    next.goTo(target);
    arrival = {isJump: true, depth: next.depth()};
  }

  function choose(next: Pane): void {
    const before = here();
    const wasElsewhere = next !== current;
    current = next;
    arrival = CHOSEN;
    const hasClosed = next.goToList();
    if (wasElsewhere || hasClosed) behind.splice(0, behind.length, before);
  }

  function isRoot(): boolean {
    return pane() === home && !arrival.isJump && pane().depth() === 0;
  }

  return {
    pane,
    isRoot,
    goTo: (paneId, target) => {
      const next = panes.find(({id}) => id === paneId);
      if (next === undefined) return;
      if (target === undefined) choose(next);
      else jump(next, target);
      ahead.length = 0;
    },
    back: () => {
      const inside = here(true);
      if (pane().depth() > arrival.depth && pane().goBack()) {
        keep(ahead, inside);
        return true;
      }
      const place = behind.pop();
      if (place === undefined && (home === undefined || isRoot())) return false;
      keep(ahead, here());
      if (place !== undefined) show(place);
      else {
        current = home;
        arrival = CHOSEN;
      }
      return true;
    },
    forward: () => {
      const place = ahead.pop();
      if (place === undefined) return false;
      if (!place.isInside) keep(behind, here());
      show(place);
      return true;
    },
  };
}

function keep(places: VisitedPane[], place: VisitedPane): void {
  places.push(place);
  if (places.length > MAX_PLACES) places.shift();
}
