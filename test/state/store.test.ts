import {describe, expect, it} from 'vitest';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {Feed} from '../../src/state/feed.ts';
import {createStore} from '../../src/state/store.ts';

const MAX_SNAPSHOTS = 2000;
const failure: Failure = {kind: 'cut', detail: safeText('reset')};

function feed(key: string, merge?: (previous: number, next: number) => number): Feed<number> {
  const read: Feed<number>['read'] = () => Promise.resolve({ok: true, value: 0});
  return merge === undefined ? {key, intervalMs: 1000, read} : {key, intervalMs: 1000, read, merge};
}

describe('createStore', () => {
  it('waits for what was never read', () => {
    expect(createStore().get(feed('a'))).toEqual({status: 'waiting'});
  });

  it('keeps the last data when a reading fails, with the reason and both moments', () => {
    const store = createStore();
    store.writeValue(feed('a'), 7, monotonicMs(10));
    store.writeFailure(feed('a'), failure, monotonicMs(20));
    store.writeFailure(feed('a'), failure, monotonicMs(30));
    expect(store.get(feed('a'))).toEqual({status: 'stale', value: 7, readAt: 10, failure, failedAt: 30});
  });

  it('has failed where nothing was ever read, and is fresh after the first value', () => {
    const store = createStore();
    store.writeFailure(feed('a'), failure, monotonicMs(5));
    expect(store.get(feed('a'))).toEqual({status: 'failed', failure, failedAt: 5});
    store.writeValue(feed('a'), 7, monotonicMs(10));
    expect(store.get(feed('a'))).toEqual({status: 'fresh', value: 7, readAt: 10});
  });

  it('joins a value to the last one where the feed says how, also over a failure', () => {
    const store = createStore();
    const summed = feed('a', (previous, next) => previous + next);
    store.writeValue(summed, 1, monotonicMs(1));
    store.writeFailure(summed, failure, monotonicMs(2));
    store.writeValue(summed, 2, monotonicMs(3));
    expect(store.get(summed)).toEqual({status: 'fresh', value: 3, readAt: 3});
  });

  it('does not let a slow answer replace one that was asked for later', () => {
    const store = createStore();
    store.writeValue(feed('a'), 2, monotonicMs(20));
    store.writeValue(feed('a'), 1, monotonicMs(10));
    expect(store.get(feed('a'))).toEqual({status: 'fresh', value: 2, readAt: 20});
  });

  it('knows nothing any more of what it was told to forget, and says that something changed', () => {
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

  it('tells its listeners of each write, grows its version, and forgets who left', () => {
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

  it('tells of the same value read again, and does not grow its version for it', () => {
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

  it('grows its version where the same list takes the place of a record that was read by itself meanwhile', () => {
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

  it('holds two thousand snapshots and gives up what was written longest ago', () => {
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
