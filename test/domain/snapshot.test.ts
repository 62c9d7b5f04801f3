import {describe, expect, it} from 'vitest';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {afterFailure, failureOf, lastValue, readAt, type Snapshot} from '../../src/domain/snapshot.ts';
import {monotonicMs} from '../../src/domain/time.ts';

const failure: Failure = {kind: 'cut', detail: safeText('reset')};
const earlier: Failure = {kind: 'timed-out', afterMs: 15_000};
const at = monotonicMs;

const waiting: Snapshot<number> = {status: 'waiting'};
const fresh: Snapshot<number> = {status: 'fresh', value: 7, readAt: at(10)};
const stale: Snapshot<number> = {
  status: 'stale',
  value: 7,
  readAt: at(10),
  failure: earlier,
  failedAt: at(15),
  failingSince: at(12),
};
const failed: Snapshot<number> = {status: 'failed', failure: earlier, failedAt: at(15)};

describe('afterFailure', () => {
  it.each<[string, Snapshot<number>, Snapshot<number>]>([
    ['nothing', waiting, {status: 'failed', failure, failedAt: at(20)}],
    ['a failure', failed, {status: 'failed', failure, failedAt: at(20)}],
    ['fresh data', fresh, {status: 'stale', value: 7, readAt: at(10), failure, failedAt: at(20), failingSince: at(20)}],
    ['stale data', stale, {status: 'stale', value: 7, readAt: at(10), failure, failedAt: at(20), failingSince: at(12)}],
  ])('after %s, keeps the last value and takes the newer failure', (_name, before, expected) => {
    expect(afterFailure(before, failure, at(20))).toEqual(expected);
  });

  it('keeps a value that is itself undefined', () => {
    const nothing: Snapshot<undefined> = {status: 'fresh', value: undefined, readAt: at(1)};
    expect(afterFailure(nothing, failure, at(2)).status).toBe('stale');
  });
});

describe('a snapshot', () => {
  it.each<[Snapshot<number>, number | undefined, number | undefined, Failure | undefined]>([
    [waiting, undefined, undefined, undefined],
    [fresh, 7, 10, undefined],
    [stale, 7, 10, earlier],
    [failed, undefined, undefined, earlier],
  ])('that is $status gives its value, its age and its failure', (snapshot, value, moment, reason) => {
    expect([lastValue(snapshot), readAt(snapshot), failureOf(snapshot)]).toEqual([value, moment, reason]);
  });
});
