import {type LastScreenFile, writeLastScreen} from '../config/last-screen.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type Clock, type DurationMs, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import {organizationFeed} from '../state/account.ts';
import {startedAt} from '../state/list-changes.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import type {Picture} from '../terminal/picture.ts';
import type {Deck} from './deck.ts';
import {isTooSmall} from './small-screen.ts';

/** Soon after the start, then rarely enough to cost nothing, so that a deck that is killed leaves a last screen too. */
const FIRST_DELAY_MS: DurationMs = 3 * SECOND_MS;
const INTERVAL_MS: DurationMs = MINUTE_MS;
const ROWS_ABOVE = 2;
const ROWS_BELOW = 2;

/**
 * Saves what the first pane shows, for the next start, which opens with it before anything newer was read. Overlays are
 * left out, and so is a pane with nothing to show yet. Returns a function that saves it at once, for the end.
 */
export function keepLastScreen(
  deck: Pick<Deck, 'pane' | 'panes' | 'overlay' | 'scene' | 'size'>,
  {
    screen,
    file,
    clock,
  }: {
    readonly screen: {readonly picture: () => Picture};
    readonly file: LastScreenFile;
    readonly clock: Clock;
  },
): () => void {
  const keep = (): void => {
    const {store, now, monotonicNow} = deck.scene();
    const organization = lastValue(store.get(organizationFeed));
    const isFirst = deck.pane() === deck.panes[0] && deck.overlay() === undefined;
    if (!isFirst || isTooSmall(deck.size()) || organization === undefined || observedMachines(store) === undefined)
      return;
    const lines = screen.picture().plain.split('\n').slice(ROWS_ABOVE, -ROWS_BELOW).map(withoutAges);
    // While the service does not answer, what is shown grows old.
    const readAt = startedAt(store.get(machinesFeed), {now, monotonicNow});
    if (lines.length > 0) writeLastScreen(file, {readAt, organization: organization.name, lines});
  };
  const keepAgain = (): void => {
    keep();
    clock.after(INTERVAL_MS, keepAgain);
  };
  clock.after(FIRST_DELAY_MS, keepAgain);
  return keep;
}

/** The age at the end of a box's title, which would stand still: the header tells the age of the whole. */
const TITLE_AGE = / \d+(?:[smh]|[hd]\d+|d) (?=([─┄-])(?:[╮┐+]|\s*$))/g;

function withoutAges(line: string): string {
  return line.replaceAll(TITLE_AGE, (age, edge: string) => edge.repeat(age.length));
}
