import {describe, expect, it} from 'vitest';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {type Feed, feedName} from '../../src/state/feed.ts';
import {createStore} from '../../src/state/store.ts';

const MAX_SNAPSHOTS = 2000;
const failure: Failure = {kind: 'cut', detail: safeText('reset')};

function feed(key: string, merge?: (previous: number, next: number) => number): Feed<number> {
  const read: Feed<number>['read'] = () => Promise.resolve({ok: true, value: 0});
  const named = {...feedName(key), intervalMs: 1000, read};
  return merge === undefined ? named : {...named, merge};
}

describe('createStore', () => {
  it('reports a feed that was never read as waiting', () => {
    expect(createStore().get(feed('a'))).toEqual({status: 'waiting'});
  });

  it('keeps the last data when a reading fails, with the reason and the moments', () => {
    const store = createStore();
    store.writeValue(feed('a'), 7, monotonicMs(10));
    store.writeFailure(feed('a'), failure, monotonicMs(20));
    store.writeFailure(feed('a'), failure, monotonicMs(30));
    expect(store.get(feed('a'))).toEqual({
      status: 'stale',
      value: 7,
      readAt: 10,
      failure,
      failedAt: 30,
      failingSince: 20,
    });
  });

  it('reports a feed as failed when nothing was ever read, and as fresh after the first value', () => {
    const store = createStore();
    store.writeFailure(feed('a'), failure, monotonicMs(5));
    expect(store.get(feed('a'))).toEqual({status: 'failed', failure, failedAt: 5});
    store.writeValue(feed('a'), 7, monotonicMs(10));
    expect(store.get(feed('a'))).toEqual({status: 'fresh', value: 7, readAt: 10});
  });

  it('merges a value with the last one when the feed says how, also after a failure', () => {
    const store = createStore();
    const summed = feed('a', (previous, next) => previous + next);
    store.writeValue(summed, 1, monotonicMs(1));
    store.writeFailure(summed, failure, monotonicMs(2));
    store.writeValue(summed, 2, monotonicMs(3));
    expect(store.get(summed)).toEqual({status: 'fresh', value: 3, readAt: 3});
  });

  it('does not let a slow answer replace one that was requested later', () => {
    const store = createStore();
    store.writeValue(feed('a'), 2, monotonicMs(20));
    store.writeValue(feed('a'), 1, monotonicMs(10));
    expect(store.get(feed('a'))).toEqual({status: 'fresh', value: 2, readAt: 20});
  });

  it('forgets a feed on request, and notifies listeners only if something changed', () => {
    const store = createStore();
    let changeCount = 0;
    store.writeValue(feed('a'), 7, monotonicMs(10));
    store.subscribe(() => {
      changeCount += 1;
    });
    store.forget(feed('a'));
    store.forget(feed('never read'));
    expect(store.get(feed('a'))).toEqual({status: 'waiting'});
    expect(changeCount).toBe(1);
  });

  it('notifies listeners of each write, increases its version, and drops listeners that leave', () => {
    const store = createStore();
    const versions: number[] = [];
    const leave = store.subscribe(() => versions.push(store.version()));
    store.writeValue(feed('a'), 1, monotonicMs(1));
    store.writeFailure(feed('a'), failure, monotonicMs(2));
    leave();
    store.writeValue(feed('a'), 1, monotonicMs(3));
    expect(versions).toEqual([1, 2]);
    expect(store.version()).toBe(3);
  });

  it('notifies listeners of an unchanged value, but does not increase its version for it', () => {
    const store = createStore();
    let toldCount = 0;
    store.subscribe(() => {
      toldCount += 1;
    });
    store.writeValue(feed('a'), 7, monotonicMs(1));
    store.writeValue(feed('a'), 7, monotonicMs(2));
    expect([store.version(), toldCount]).toEqual([1, 2]);
    expect(store.get(feed('a'))).toEqual({status: 'fresh', value: 7, readAt: 2});
    store.writeFailure(feed('a'), failure, monotonicMs(3));
    store.writeValue(feed('a'), 7, monotonicMs(4));
    expect(store.version()).toBe(3);
  });

  it('increases its version when an unchanged list replaces a record that was read on its own meanwhile', () => {
    const store = createStore();
    const [list, part] = [feed('list'), {...feed('part'), listKey: 'list'}];
    store.writeValue(list, 1, monotonicMs(1));
    expect(store.hasNewerParts(list)).toBe(false);
    store.writeValue(part, 2, monotonicMs(2));
    expect(store.hasNewerParts(list)).toBe(true);
    store.writeValue(list, 1, monotonicMs(3));
    expect([store.version(), store.hasNewerParts(list)]).toEqual([3, false]);
    store.writeValue(list, 1, monotonicMs(4));
    expect(store.version()).toBe(3);
    store.writeValue(part, 2, monotonicMs(5));
    expect([store.version(), store.hasNewerParts(list)]).toEqual([4, true]);
  });

  it('holds two thousand snapshots and drops those written longest ago', () => {
    const store = createStore();
    const list = feed('list');
    for (let index = 0; index < MAX_SNAPSHOTS + 500; index += 1) {
      store.writeValue(feed(`metrics:${index}`), index, monotonicMs(index));
      if (index % 100 === 0) store.writeValue(list, index, monotonicMs(index));
    }
    const held = Array.from({length: MAX_SNAPSHOTS + 500}, (_, index) => feed(`metrics:${index}`)).filter(
      each => store.get(each).status === 'fresh',
    );
    expect(held).toHaveLength(MAX_SNAPSHOTS - 1);
    expect(store.get(list).status).toBe('fresh');
    expect(store.get(feed('metrics:0')).status).toBe('waiting');
  });
});
