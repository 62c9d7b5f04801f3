import type {Failure, Result} from '../../domain/failure.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../../domain/time.ts';
import {nextAttemptDelay} from './circuit-breaker.ts';

/** A service that fails once may answer the next moment, and a read can be asked for again. */
const RETRIED: ReadonlySet<Failure['kind']> = new Set(['timed-out', 'cut', 'service-error', 'odd-answer']);
const MAX_TRIES = 3;
/** A try that begins later may have its answer only when the confirmation is too old. */
const TRIES_BEGIN_WITHIN_MS: DurationMs = 20 * SECOND_MS;

/** For readings that decide whether something is sent: after a failure that may pass, they are tried again. */
export async function readAgain<T>(
  read: () => Promise<Result<T>>,
  {
    clock,
    random,
    hasRoom,
  }: {
    readonly clock: Clock;
    /** Uniform in [0, 1), for the pauses. */
    readonly random: () => number;
    /** Whether the request budget allows another try. */
    readonly hasRoom: () => boolean;
  },
): Promise<Result<T>> {
  const begunAt = clock.monotonicNow();
  for (let tryCount = 1; ; tryCount += 1) {
    const result = await read();
    const pauseMs = nextAttemptDelay(tryCount, random);
    const isLate = clock.monotonicNow() + pauseMs - begunAt > TRIES_BEGIN_WITHIN_MS;
    const isRetried = !result.ok && RETRIED.has(result.failure.kind) && tryCount < MAX_TRIES && !isLate;
    if (!isRetried || !hasRoom()) return result;
    await new Promise<void>(resolve => clock.after(pauseMs, resolve));
  }
}
