import {assert} from '../domain/assert.ts';
import type {Target} from '../panes/command.ts';
import type {Pane} from '../panes/pane.ts';

/** Where the person is: the open pane, with the ways back to where they were and forward again. */
export type Places = {
  readonly pane: () => Pane;
  /** Opens a pane, with the cursor on an object of it; where the person was is one step back. */
  readonly goTo: (paneId: string, target?: Target) => void;
  /** One step back, inside the pane first; false at the root. */
  readonly back: () => boolean;
  /** To where the last step back came from; false where there is nothing ahead. */
  readonly forward: () => boolean;
};

type Place = {
  readonly pane: Pane;
  /** Puts the pane's view back: cursor, filter, scroll, what is open. */
  readonly restore: () => void;
  /** Left by a step inside its pane, which leads back by itself. */
  readonly isInside: boolean;
  readonly arrivalDepth: number;
};

/** More steps than anybody follows. */
const MAX_PLACES = 50;

export function createPlaces(panes: readonly Pane[]): Places {
  let [current] = panes;
  const behind: Place[] = [];
  const ahead: Place[] = [];
  // A jump to an object may open it: who comes from elsewhere goes back there, not to a list that they never saw.
  let arrivalDepth = 0;

  function pane(): Pane {
    assert(current !== undefined, 'a deck without panes');
    return current;
  }

  function here(isInside = false): Place {
    return {pane: pane(), restore: pane().checkpoint(), isInside, arrivalDepth};
  }

  function show({pane: next, restore, arrivalDepth: depth}: Place): void {
    current = next;
    arrivalDepth = depth;
    restore();
  }

  return {
    pane,
    goTo: (paneId, target) => {
      const next = panes.find(({id}) => id === paneId);
      if (next === undefined || (next === current && target === undefined)) return;
      keep(behind, here());
      ahead.length = 0;
      current = next;
      if (target !== undefined) next.goTo(target);
      arrivalDepth = target === undefined ? 0 : next.depth();
    },
    back: () => {
      const inside = here(true);
      if (pane().depth() > arrivalDepth && pane().goBack()) {
        keep(ahead, inside);
        return true;
      }
      const place = behind.pop();
      if (place === undefined) return false;
      keep(ahead, here());
      show(place);
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
