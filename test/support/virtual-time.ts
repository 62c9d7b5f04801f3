import {setImmediate as turn} from 'node:timers/promises';
import {type DurationMs, epochMs} from '../../src/domain/time.ts';
import {atEnd} from './lifetime.ts';
import {createVirtualClock, type VirtualClock} from './clock.ts';

/** The time of one test: its cloud, its deck and whoever looks at them share it. */
export type TestTime = VirtualClock & {
  /** Counts a request on its way: time stands still until it is answered or is held up by a fault. */
  readonly whileOnItsWay: <T>(answer: Promise<T>) => Promise<T>;
  /** What a fault waits for. */
  readonly hold: (durationMs: DurationMs) => Promise<void>;
  /** Resolves when nothing is left to do at this moment. */
  readonly settle: () => Promise<void>;
  /** Lets time pass up to the next timer, and no further than this. */
  readonly step: (atMostMs: DurationMs) => Promise<void>;
};

/** Any moment; clocks hardly ever stand at a whole second. */
const WALL_START = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12, 345));
/** React and the reading of bodies go over several turns; after this many quiet ones nothing is left to do. */
const QUIET_TURNS = 12;

let timeOfTest: TestTime | undefined;

/** The same one for the whole of the running test. */
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
