import {assert} from '../domain/assert.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';

/**
 * Where the person is: the open pane, with the ways back to where they were and forward again. Jumps to objects are
 * undone one by one. A pane that was chosen by its number or name leads back to the place before it and from there
 * to the overview, where everything begins: whoever goes from pane to pane for an hour is not led through all of them.
 */
export type Places = {
  readonly pane: () => Pane;
  /** Opens a pane, with the cursor on an object of it for a jump; without one at its list. Where the person was is one step back. */
  readonly goTo: (paneId: string, target?: Target) => void;
  /** One step back, inside the pane first, at the end to the overview; false there. */
  readonly back: () => boolean;
  /** The overview as it was chosen, with nothing open in it. */
  readonly isRoot: () => boolean;
  /** To where the last step back came from; false where there is nothing ahead. */
  readonly forward: () => boolean;
};

type Place = {
  readonly pane: Pane;
  /** Puts the pane's view back: cursor, filter, scroll, what is open. */
  readonly restore: () => void;
  /** Left by a step inside its pane, which leads back by itself. */
  readonly isInside: boolean;
  readonly arrival: Arrival;
};

/** A jump to an object may open it: who comes from elsewhere goes back there, not to a list that they never saw. */
type Arrival = {readonly isJump: boolean; readonly depth: number};

const CHOSEN: Arrival = {isJump: false, depth: 0};
/** More jumps than anybody follows. */
const MAX_PLACES = 50;

export function createPlaces(panes: readonly Pane[]): Places {
  const [home] = panes;
  let current = home;
  let arrival = CHOSEN;
  const behind: Place[] = [];
  const ahead: Place[] = [];

  function pane(): Pane {
    assert(current !== undefined, 'a deck without panes');
    return current;
  }

  function here(isInside = false): Place {
    return {pane: pane(), restore: pane().checkpoint(), isInside, arrival};
  }

  function show({pane: next, restore, arrival: before}: Place): void {
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

function keep(places: Place[], place: Place): void {
  places.push(place);
  if (places.length > MAX_PLACES) places.shift();
}
