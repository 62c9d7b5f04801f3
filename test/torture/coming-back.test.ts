import {expect, it} from 'vitest';
import {HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {mostWithin} from '../state/polling.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {openIdleDeck} from './idle-deck.ts';

// Decks that come back from the same outage in the same virtual time, each over a cloud of its own in this process.

const DECKS = sweepOf({sample: 1, deep: 10, whole: 100});
/** Of a few decks, two may well come in the same second. */
const MOST_DECKS = sweepOf({sample: DECKS, deep: DECKS, whole: DECKS / 10});
/** By then the pauses between attempts are as long as they get. */
const OUTAGE_MS = sweepOf({sample: 4, deep: 10}) * MINUTE_MS;
const LOADING_MS = 2 * MINUTE_MS;
const WATCHED_MS = 2 * MINUTE_MS;
/** Two attempts that find the service back, and requests at least a quarter of a second apart. */
const MOST_PER_SECOND = 2 + 4;
const PATIENT = {timeout: HOUR_MS};

it(
  'asks a service that is back for one thing after the other, at another moment than other decks',
  PATIENT,
  async () => {
    const all: number[] = [];
    const firsts: number[] = [];
    let most = 0;
    for (let seed = 1; seed <= DECKS; seed += 1) {
      const {before, after} = await comeBack(seed);
      // What was due is read, or a deck that asks for nothing would be the most polite of all.
      expect(new Set(after).size).toBeGreaterThan(before / 2);
      const [first = Number.NaN] = after;
      firsts.push(first);
      all.push(...after);
      most = Math.max(most, after.filter(atMs => atMs < first + SECOND_MS).length);
    }
    const mostFirsts = mostWithin(SECOND_MS, firsts);
    reportCounted('decks that come back', firsts.length);
    reportMeasured(
      `${DECKS} decks come back, ${mostFirsts} in the busiest second; in the first second of one ${most} requests at most; of all ${mostWithin(SECOND_MS, all)} in the busiest second, ${all.length} in ${WATCHED_MS / MINUTE_MS} min`,
    );
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(MOST_PER_SECOND);
    expect(mostFirsts).toBeLessThanOrEqual(MOST_DECKS);
  },
);

/** How many requests a deck sent in the two minutes before an outage, and when each after it, from when it was over. */
async function comeBack(seed: number): Promise<{readonly before: number; readonly after: readonly number[]}> {
  const idle = openIdleDeck({seed});
  try {
    idle.press('2');
    await idle.pass(LOADING_MS);
    const before = idle.cloud.sent.length;
    idle.cloud.setMishaps(() => ({kind: 'unconnected'}));
    await idle.pass(OUTAGE_MS);
    idle.cloud.setMishaps(() => undefined);
    const backAtMs = idle.cloud.time.clock.monotonicNow();
    await idle.pass(WATCHED_MS);
    const after = idle.cloud.sent.flatMap(({atMs}) => (atMs >= backAtMs ? [atMs - backAtMs] : []));
    return {before, after};
  } finally {
    idle.close();
  }
}
