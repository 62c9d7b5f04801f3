import {setImmediate as turn} from 'node:timers/promises';
import {type Clock, type DurationMs, type EpochMs, epochMs, monotonicMs} from '../../src/domain/time.ts';

export type VirtualClock = {
  readonly clock: Clock;
  /** Lets time pass: runs the timers that fall due in their order, and lets promises settle after each. */
  readonly advance: (duration: DurationMs) => Promise<void>;
  /** Moves the wall clock alone, as a correction of the host's time does; may be negative. */
  readonly shiftWall: (shift: DurationMs) => void;
  readonly pendingCount: () => number;
  /** How long until the first timer falls due; undefined where none is set. */
  readonly nextDueInMs: () => DurationMs | undefined;
};

type Timer = {readonly dueMs: number; readonly run: () => void};

/** History this many timers in one `advance`, something starts itself again without end. */
const TIMER_LIMIT = 1_000_000;

/** Both clocks and the timer of the program, turned by hand. The monotonic clock starts at 0. */
export function createVirtualClock({
  wallStart = epochMs(Date.UTC(2026, 10, 11)),
}: {
  wallStart?: EpochMs;
} = {}): VirtualClock {
  const pending = new Set<Timer>();
  let elapsedMs = 0;
  let wallShiftMs = 0;

  const clock: Clock = {
    wallNow: () => epochMs(wallStart + wallShiftMs + elapsedMs),
    monotonicNow: () => monotonicMs(elapsedMs),
    after: (delayMs, run) => {
      if (!Number.isFinite(delayMs)) throw new Error(`A timer needs a finite delay, not ${delayMs}.`);
      const timer: Timer = {dueMs: elapsedMs + Math.max(0, delayMs), run};
      pending.add(timer);
      return () => pending.delete(timer);
    },
  };

  async function advance(duration: DurationMs): Promise<void> {
    const endMs = elapsedMs + duration;
    await turn();
    for (let count = 0; ; count += 1) {
      const timer = earliest(pending);
      if (timer === undefined || timer.dueMs > endMs) break;
      if (count >= TIMER_LIMIT) throw new Error(`More than ${TIMER_LIMIT} timers fell due in ${duration} ms.`);
      pending.delete(timer);
      elapsedMs = timer.dueMs;
      timer.run();
      await turn();
    }
    elapsedMs = endMs;
  }

  return {
    clock,
    advance,
    shiftWall: shift => {
      wallShiftMs += shift;
    },
    pendingCount: () => pending.size,
    nextDueInMs: () => {
      const timer = earliest(pending);
      return timer === undefined ? undefined : Math.max(0, timer.dueMs - elapsedMs);
    },
  };
}

/** The first due; of two due together the one set first, which a set keeps first. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (first === undefined || timer.dueMs < first.dueMs) first = timer;
  }
  return first;
}
