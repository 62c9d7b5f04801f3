import type {Failure} from './failure.ts';
import type {MonotonicMs} from './time.ts';

/**
 * What one feed knows now. Old data is never dropped because of a failure: `stale` keeps the last good value, with the
 * time it was read and why there is nothing newer.
 */
export type Snapshot<T> =
  | {readonly status: 'waiting'}
  | {readonly status: 'fresh'; readonly value: T; readonly readAt: MonotonicMs}
  | {
      readonly status: 'stale';
      readonly value: T;
      readonly readAt: MonotonicMs;
      readonly failure: Failure;
      readonly failedAt: MonotonicMs;
      /** When the first reading failed after the last good one. */
      readonly failingSince: MonotonicMs;
    }
  | {readonly status: 'failed'; readonly failure: Failure; readonly failedAt: MonotonicMs};

/** The last good value, however old. */
export function lastValue<T>(snapshot: Snapshot<T>): T | undefined {
  return snapshot.status === 'fresh' || snapshot.status === 'stale' ? snapshot.value : undefined;
}

export function readAt(snapshot: Snapshot<unknown>): MonotonicMs | undefined {
  return snapshot.status === 'fresh' || snapshot.status === 'stale' ? snapshot.readAt : undefined;
}

export function failureOf(snapshot: Snapshot<unknown>): Failure | undefined {
  return snapshot.status === 'stale' || snapshot.status === 'failed' ? snapshot.failure : undefined;
}

/** When the service said that the object does not exist; undefined if that was not its last answer. */
export function goneAt(snapshot: Snapshot<unknown>): MonotonicMs | undefined {
  return 'failure' in snapshot && snapshot.failure.kind === 'not-found' ? snapshot.failedAt : undefined;
}

/** The snapshot after a failed poll: the value stays, the reason is added. */
export function afterFailure<T>(snapshot: Snapshot<T>, failure: Failure, failedAt: MonotonicMs): Snapshot<T> {
  if (snapshot.status !== 'fresh' && snapshot.status !== 'stale') return {status: 'failed', failure, failedAt};
  const failingSince = snapshot.status === 'stale' ? snapshot.failingSince : failedAt;
  return {status: 'stale', value: snapshot.value, readAt: snapshot.readAt, failure, failedAt, failingSince};
}
