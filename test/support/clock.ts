import {setImmediate as turn} from 'node:timers/promises';
import {type Clock, type DurationMs, type EpochMs, epochMs, monotonicMs} from '../../src/domain/time.ts';

export type VirtualClock = {
  readonly clock: Clock;
  /** Advances time: runs the timers that fall due in order, and lets promises settle after each. */
  readonly advance: (duration: DurationMs) => Promise<void>;
  /** Time passes without any timer, as in a program that was stopped: those that fell due run at the next `advance`. */
  readonly standStill: (duration: DurationMs) => void;
  /** The computer sleeps: no timer runs, and both clocks go on. A host's clock set forward looks the same. */
  readonly sleep: (duration: DurationMs) => void;
  /** Moves only the wall clock, like a correction of the host's time. May be negative. */
  readonly shiftWall: (shift: DurationMs) => void;
  readonly pendingCount: () => number;
  /** How long until the first timer falls due. Undefined if none is set. */
  readonly nextDueInMs: () => DurationMs | undefined;
};

type Timer = {readonly dueMs: number; readonly run: () => void};

/** More timers than this in one `advance` mean that something restarts itself forever. */
const TIMER_LIMIT = 1_000_000;

/** The clocks and the timer of the program, under the control of a test. The monotonic clock starts at 0. */
export function createVirtualClock({
  wallStart = epochMs(Date.UTC(2026, 10, 11)),
}: {
  wallStart?: EpochMs;
} = {}): VirtualClock {
  const pending = new Set<Timer>();
  let elapsedMs = 0;
  let wallShiftMs = 0;
  let sleptMs = 0;

  const clock: Clock = {
    wallNow: () => epochMs(wallStart + wallShiftMs + elapsedMs),
    monotonicNow: () => monotonicMs(elapsedMs),
    sleptMs: () => sleptMs,
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
      elapsedMs = Math.max(elapsedMs, timer.dueMs);
      timer.run();
      await turn();
    }
    elapsedMs = endMs;
  }

  return {
    clock,
    advance,
    standStill: duration => {
      elapsedMs += duration;
    },
    sleep: duration => {
      elapsedMs += duration;
      sleptMs += duration;
    },
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

/** The first timer due. Of two due together it is the one set first, because a set keeps the order. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (first === undefined || timer.dueMs < first.dueMs) first = timer;
  }
  return first;
}
