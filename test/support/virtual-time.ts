import {setImmediate as turn} from 'node:timers/promises';
import {expect} from 'vitest';
import {type DurationMs, epochMs} from '../../src/domain/time.ts';
import {atEnd} from './lifetime.ts';
import {createVirtualClock, type VirtualClock} from './clock.ts';

/** The time of one test, shared by its cloud, its deck and the test itself. */
export type TestTime = VirtualClock & {
  /** Tracks a pending request: the clock stops until it is answered or delayed by a fault. */
  readonly whileOnItsWay: <T>(answer: Promise<T>) => Promise<T>;
  /** The delay of a fault. */
  readonly hold: (durationMs: DurationMs) => Promise<void>;
  /** Resolves when nothing is left to do at this time. */
  readonly settle: () => Promise<void>;
  /** Advances time to the next timer, but at most by this. */
  readonly step: (atMostMs: DurationMs) => Promise<void>;
};

/** An arbitrary time, not on a whole second, because real clocks rarely are. */
const WALL_START = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12, 345));
/** React and reading bodies take several turns of the event loop. After this many idle turns nothing is left to do. */
const QUIET_TURNS = 12;

let timeOfTest: TestTime | undefined;

/**
 * The deck that the test which asks uses. `virtual`: in this process, on a virtual screen, with time that passes as fast
 * as the machine allows; so in test/deck. `real`: the built program on a terminal of the operating system; so everywhere
 * else, and in `npm run test:deep`.
 */
export function deckTier(): 'virtual' | 'real' {
  return process.env.SKYDECK_TEST_DEEP !== '1' && /[/\\]test[/\\]deck[/\\]/.test(expect.getState().testPath ?? '')
    ? 'virtual'
    : 'real';
}

/** The same one during the whole test. */
export function testTime(): TestTime {
  if (timeOfTest !== undefined) return timeOfTest;
  timeOfTest = createTestTime();
  atEnd(() => {
    timeOfTest = undefined;
  });
  return timeOfTest;
}

function createTestTime(): TestTime {
  const time = createVirtualClock({wallStart: WALL_START});
  let underWayCount = 0;
  let heldCount = 0;

  async function settle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
      await turn();
      quietTurns = underWayCount > heldCount ? 0 : quietTurns + 1;
    }
  }

  return {
    ...time,
    whileOnItsWay: answer => {
      underWayCount += 1;
      return answer.finally(() => {
        underWayCount -= 1;
      });
    },
    hold: durationMs => {
      heldCount += 1;
      return new Promise(resolve => {
        time.clock.after(durationMs, () => {
          heldCount -= 1;
          resolve();
        });
      });
    },
    settle,
    step: async atMostMs => {
      await time.advance(Math.min(atMostMs, time.nextDueInMs() ?? atMostMs));
      await settle();
    },
  };
}
