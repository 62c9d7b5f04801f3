import {describe, expect, it} from 'vitest';
import {collectOnce} from '../../../src/state/poller/collect.ts';
import {cut, openPolling} from '../polling.ts';

describe('collectOnce', () => {
  it('reads each feed once and finishes with the last', async () => {
    const {time, store, poller, feed, answer, reads} = openPolling();
    answer(({key}) => ({takesMs: key === 'a' ? 100 : 900}));
    const feeds = [feed('a'), feed('b')];
    const collecting = collectOnce({feeds, poller, clock: time.clock, limitMs: 5000});
    await time.advance(900);
    expect(await collecting).toBe(true);
    expect(reads.map(({key}) => key)).toEqual(['a', 'b']);
    expect(feeds.map(each => store.get(each).status)).toEqual(['fresh', 'fresh']);
    expect(time.pendingCount()).toBe(0);
  });

  it('reads a feed only once when it is asked for twice', async () => {
    const {time, poller, feed, answer, reads} = openPolling();
    answer(() => ({takesMs: 100}));
    const collecting = collectOnce({
      feeds: [feed('a'), feed('b'), feed('a')],
      poller,
      clock: time.clock,
      limitMs: 5000,
    });
    await time.advance(100);
    expect(await collecting).toBe(true);
    expect(reads.map(({key}) => key)).toEqual(['a', 'b']);
  });

  it('stops waiting at the limit, and keeps what has arrived', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    answer(({key}) => ({takesMs: key === 'a' ? 100 : 60_000}));
    const feeds = [feed('a'), feed('b')];
    const collecting = collectOnce({feeds, poller, clock: time.clock, limitMs: 5000});
    await time.advance(5000);
    expect(await collecting).toBe(true);
    expect(feeds.map(each => store.get(each).status)).toEqual(['fresh', 'waiting']);
  });

  it('returns false when nothing arrived', async () => {
    const {time, poller, feed, answer} = openPolling();
    answer(() => ({failure: cut}));
    expect(await collectOnce({feeds: [feed('a')], poller, clock: time.clock, limitMs: 5000})).toBe(false);
    expect(await collectOnce({feeds: [], poller, clock: time.clock, limitMs: 5000})).toBe(false);
  });
});
