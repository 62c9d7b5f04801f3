import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Failure} from '../../../src/domain/failure.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {lastValue, readAt} from '../../../src/domain/snapshot.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {type Feed, feedName} from '../../../src/state/feed.ts';
import type {Want} from '../../../src/state/poller/poll-schedule.ts';
import type {Poller} from '../../../src/state/poller/poller.ts';
import {cut, forbidden, limited, mostWithin, openPolling, unauthorised} from '../polling.ts';

/** A small generator of our own, so that a failing run can be repeated. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function gaps(moments: readonly number[]): number[] {
  return moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
}

describe('health', () => {
  it('counts an outage from when the first of the requests was sent that failed since the last good answer', async () => {
    const {time, poller, feed, answer} = openPolling();
    answer(() => ({takesMs: 15_000, failure: cut}));
    poller.want('pane', [{feed: feed('list'), priority: 1}]);
    await time.advance(3000);
    poller.want('other', [{feed: feed('other'), priority: 1}]);
    await time.advance(3000);
    poller.want('third', [{feed: feed('third'), priority: 1}]);
    await time.advance(14_000);
    expect(poller.health().status).toBe('up');
    // Sent at 0, 3 and 6 s, each without an answer for 15 s.
    await time.advance(1000);
    expect(poller.health()).toMatchObject({status: 'down', failingSince: 0, since: 21_000});
    await time.advance(60_000);
    expect(poller.health()).toMatchObject({status: 'down', failingSince: 0, since: 21_000});
    answer(() => ({}));
    await time.advance(5 * MINUTE_MS);
    expect(poller.health()).not.toHaveProperty('failingSince');
  });
});

describe('want', () => {
  it('reads at once, then again an interval later and never sooner', async () => {
    const {time, poller, feed, readsOf} = openPolling({random: chance(3)});
    poller.want('pane', [{feed: feed('list'), priority: 1}]);
    await time.advance(10 * MINUTE_MS);
    const [first, ...later] = gaps(readsOf('list'));
    expect(readsOf('list')[0]).toBe(0);
    // The second reading falls anywhere around the interval, so that many feeds and many decks drift apart.
    expect(first).toBeGreaterThanOrEqual(5000);
    expect(first).toBeLessThan(15_000);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...later)).toBeLessThan(11_100);
  });

  it('reads more slowly when the want says so, never faster than the feed', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    poller.want('pane', [
      {feed: feed('rows'), priority: 1, intervalMs: 60_000},
      {feed: feed('list'), priority: 1, intervalMs: 1000},
    ]);
    await time.advance(10 * MINUTE_MS);
    expect(Math.min(...gaps(readsOf('rows')))).toBeGreaterThanOrEqual(60_000);
    expect(Math.min(...gaps(readsOf('list')))).toBeGreaterThanOrEqual(10_000);
  });

  it('reads as often as the most demanding of two askers, from the moment it asks', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    poller.want('pane', [{feed: feed('events', 30_000), priority: 3}]);
    await time.advance(1000);
    poller.want('operations', [{feed: feed('events', 2500), priority: 0}]);
    await time.advance(10_000);
    expect(readsOf('events').slice(0, 4)).toEqual([0, 2500, 5125, 7750]);
  });

  it('reads other sources while the budget is used up, and does not count their failures against the service', async () => {
    const {time, poller, budget, feed, readsOf} = openPolling();
    while (budget.hasRoom('read')) await budget.admit('read');
    let readCount = 0;
    const elsewhere: Feed<number> = {
      ...feedName('elsewhere'),
      intervalMs: 10_000,
      source: 'prometheus',
      read: async () => {
        readCount += 1;
        return {ok: false, failure: cut};
      },
    };
    poller.want('pane', [
      {feed: elsewhere, priority: 2},
      {feed: feed('list'), priority: 1},
    ]);
    await time.advance(39_000);
    expect([readCount, readsOf('list').length]).toEqual([4, 0]);
    expect(poller.health().status).toBe('up');
  });

  it('reads the most urgent first', async () => {
    const {time, poller, feed, reads, answer} = openPolling();
    answer(() => ({takesMs: 100}));
    const keys = ['f', 'e', 'd', 'c', 'b', 'a'];
    poller.want(
      'pane',
      keys.map((key, index) => ({feed: feed(key), priority: 6 - index})),
    );
    await time.advance(1000);
    expect(reads.map(({key}) => key)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('does not read feeds that nobody wants', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    poller.want('pane', [
      {feed: feed('a'), priority: 1},
      {feed: feed('b'), priority: 1},
    ]);
    await time.advance(20_000);
    poller.want('pane', [{feed: feed('b'), priority: 1}]);
    const before = readsOf('a').length;
    await time.advance(HOUR_MS);
    expect(readsOf('a')).toHaveLength(before);
    poller.want('pane', []);
    const all = readsOf('b').length;
    await time.advance(HOUR_MS);
    expect(readsOf('b')).toHaveLength(all);
    expect(time.pendingCount()).toBe(0);
  });

  it('leaves requests for what somebody waits for while many feeds are read in the background', async () => {
    const {time, poller, feed, reads, readsOf} = openPolling();
    const many = Array.from({length: 90}, (_, index) => feed(`machine ${index}`, HOUR_MS));
    poller.want(
      'overview',
      many.map(each => ({feed: each, priority: 5, isBackground: true})),
    );
    await time.advance(10_000);
    // Of the 80 reads of a minute, 20 are reserved.
    expect(reads).toHaveLength(60);
    poller.want('pane', [{feed: feed('list'), priority: 5}]);
    await time.advance(1000);
    expect(readsOf('list')).toHaveLength(1);
    await time.advance(2 * MINUTE_MS);
    expect(many.filter(({key}) => readsOf(key).length === 1)).toHaveLength(90);
  });

  it('does not read again at once when a feed is dropped and wanted again', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    const wants: readonly Want[] = [{feed: feed('metrics', MINUTE_MS), priority: 5}];
    for (let count = 0; count < 20; count += 1) {
      poller.want('pane', wants);
      await time.advance(500);
      poller.want('pane', []);
      await time.advance(500);
    }
    expect(readsOf('metrics')).toEqual([0]);
  });

  it('reads once when a store listener asks again after each reading', async () => {
    const {time, store, poller, feed, readsOf} = openPolling();
    const wants: readonly Want[] = [{feed: feed('machine', 2500), priority: 0}];
    store.subscribe(() => poller.want('operations', wants));
    poller.want('operations', wants);
    await time.advance(10_000);
    expect(readsOf('machine').slice(0, 4)).toEqual([0, 2500, 5125, 7750]);
  });

  it('never overlaps readings of one feed, nor begins more than four at once, however slow the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 1, max: 20}),
        fc.array(fc.record({takesMs: fc.integer({min: 0, max: 30_000}), isCut: fc.boolean()}), {minLength: 1}),
        async (feedCount, answers) => {
          const {time, poller, feed, answer, most, reads} = openPolling({random: chance(feedCount)});
          answer(({count}) => {
            const {takesMs, isCut} = answers[count % answers.length] ?? {takesMs: 0, isCut: false};
            return {takesMs, failure: isCut ? cut : undefined};
          });
          const wants = Array.from({length: feedCount}, (_, index) => ({feed: feed(`${index}`), priority: index % 3}));
          poller.want('pane', wants);
          await time.advance(30_000);
          poller.refresh();
          poller.want('other', wants.slice(0, 3));
          await time.advance(2 * MINUTE_MS);
          expect(most().together).toBeLessThanOrEqual(4);
          expect(most().ofOneFeed).toBe(1);
          expect(
            mostWithin(
              MINUTE_MS,
              reads.map(({startedAt}) => startedAt),
            ),
          ).toBeLessThanOrEqual(80);
        },
      ),
      {numRuns: 25},
    );
  });

  it('stays within the eighty reads of a minute whatever is wanted', async () => {
    const {time, poller, feed, reads} = openPolling();
    poller.want(
      'pane',
      Array.from({length: 500}, (_, index) => ({feed: feed(`${index}`, 1000), priority: 1})),
    );
    await time.advance(10 * MINUTE_MS);
    expect(
      mostWithin(
        MINUTE_MS,
        reads.map(({startedAt}) => startedAt),
      ),
    ).toBe(80);
    expect(new Set(reads.map(({key}) => key)).size).toBe(500);
  });

  it('sends no more requests and leaves no timer once stopped', async () => {
    const {time, store, poller, feed, reads, answer} = openPolling();
    answer(() => ({takesMs: 5000}));
    poller.want('pane', [{feed: feed('a'), priority: 1}]);
    await time.advance(1000);
    poller.stop();
    await time.advance(HOUR_MS);
    expect(reads).toHaveLength(1);
    expect(store.get(feed('a'))).toEqual({status: 'waiting'});
    expect(time.pendingCount()).toBe(0);
  });
});

describe('a failing service', () => {
  it('leaves the last data in place, stale and with the reason', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    poller.want('pane', [{feed: feed('list'), priority: 1}]);
    await time.advance(1000);
    answer(() => ({failure: cut}));
    await time.advance(15_000);
    expect(store.get(feed('list'))).toMatchObject({status: 'stale', value: 1, readAt: 0, failure: cut});
  });

  it('is asked at most twice a minute after the first minute, and its data is still there after a day', async () => {
    const {time, store, poller, feed, answer, reads, most} = openPolling({random: chance(11)});
    const feeds = Array.from({length: 30}, (_, index) => feed(`${index}`, 10_000 * (1 + (index % 6))));
    poller.want(
      'pane',
      feeds.map((each, index) => ({feed: each, priority: index})),
    );
    await time.advance(5 * MINUTE_MS);
    const values = feeds.map(each => lastValue(store.get(each)));
    const outageAt = time.clock.monotonicNow();
    answer(() => ({failure: cut, takesMs: 15_000}));
    await time.advance(DAY_MS);
    // A minute after the breaker has noticed, which takes three answers at their slowest.
    const late = reads.map(({startedAt}) => startedAt).filter(at => at > outageAt + 2 * MINUTE_MS);
    expect(mostWithin(MINUTE_MS, late)).toBeLessThanOrEqual(2);
    expect(late.length).toBeGreaterThan(1000);
    expect(most().together).toBeLessThanOrEqual(4);
    expect(feeds.map(each => lastValue(store.get(each)))).toEqual(values);
    expect(poller.health()).toMatchObject({status: 'down', failure: cut});
  });

  it.each([
    3_000, 20_000, 61_000, 600_000, 7_200_000,
  ])('has fresh data again within 65 s of the end of an outage of %i ms', async outageMs => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const {time, store, poller, feed, answer} = openPolling({random: chance(seed)});
      const feeds = [
        feed('list'),
        feed('usage', MINUTE_MS),
        feed('flavors', 5 * MINUTE_MS),
        feed('me', 10 * MINUTE_MS),
      ];
      poller.want(
        'pane',
        feeds.map(each => ({feed: each, priority: 1})),
      );
      await time.advance(8 * MINUTE_MS + seed * 7000);
      answer(() => ({failure: cut, takesMs: 100}));
      await time.advance(outageMs);
      const endedAt = time.clock.monotonicNow();
      answer(() => ({takesMs: 100}));
      await time.advance(65_000);
      expect(readAt(store.get(feeds[0] ?? feed('list')))).toBeGreaterThanOrEqual(endedAt - 100);
      expect(feeds.map(each => store.get(each).status)).toEqual(['fresh', 'fresh', 'fresh', 'fresh']);
      expect(poller.health().status).toBe('up');
    }
  });

  it('does not delay the list while one kind of request always fails', async () => {
    const {time, store, poller, feed, answer, reads} = openPolling({random: chance(5)});
    const rows = Array.from({length: 40}, (_, index) => feed(['metrics', index], MINUTE_MS));
    poller.want('pane', [
      {feed: feed('list'), priority: 1},
      ...rows.map(each => ({feed: each, priority: 5, intervalMs: (40 / 18) * MINUTE_MS})),
    ]);
    answer(({key}) => (key === 'list' ? {} : {failure: cut}));
    let worstAgeMs = 0;
    for (let seconds = 0; seconds < 30 * 60; seconds += 1) {
      await time.advance(1000);
      if (seconds < 60) continue;
      worstAgeMs = Math.max(worstAgeMs, time.clock.monotonicNow() - (readAt(store.get(feed('list'))) ?? 0));
      expect(poller.health().status).toBe('up');
    }
    expect(worstAgeMs).toBeLessThan(20_000);
    const steady = reads.filter(({startedAt}) => startedAt > 5 * MINUTE_MS).length / 25;
    expect(steady).toBeLessThanOrEqual(30);
  });
});

describe('one endpoint that always fails', () => {
  const unavailable: Failure = {kind: 'service-error', httpStatus: 503, message: safeText('away')};

  it.each([1, 3])('does not hide a service that works, with %i operations that watch it', async operationCount => {
    const {time, store, poller, feed, answer} = openPolling({random: chance(3)});
    answer(({key}) => (key.startsWith('machine:') ? {failure: unavailable, takesMs: 50} : {takesMs: 50}));
    const watched = Array.from({length: operationCount}, (_, index) => feed(['machine', index], 2500));
    poller.want(
      'operations',
      watched.map(each => ({feed: each, priority: 0, intervalMs: 2500, isForOperation: true})),
    );
    // The host counts as down by the time something else is wanted.
    await time.advance(MINUTE_MS);
    expect(poller.health().status).toBe('down');
    poller.want('pane', [{feed: feed('usage', MINUTE_MS), priority: 2}]);
    await time.advance(5 * MINUTE_MS);
    expect(store.get(feed('usage')).status).toBe('fresh');
    expect(poller.health().status).toBe('up');
  });

  it('does not hide a service that works, if there are two of them and one that works', async () => {
    const {time, store, poller, feed, answer} = openPolling({random: chance(3)});
    const always = new Set(['machine:1', 'firewalls']);
    answer(() => ({failure: unavailable, takesMs: 50}));
    poller.want('operations', [{feed: feed(['machine', 1], 2500), priority: 0, isForOperation: true}]);
    poller.want('pane', [
      {feed: feed('firewalls'), priority: 1},
      {feed: feed('usage'), priority: 2},
    ]);
    await time.advance(2 * MINUTE_MS);
    expect(poller.health().status).toBe('down');
    answer(({key}) => (always.has(key) ? {failure: unavailable, takesMs: 50} : {takesMs: 50}));
    await time.advance(5 * MINUTE_MS);
    for (let seconds = 0; seconds < 300; seconds += 1) {
      await time.advance(1000);
      expect(poller.health().status).toBe('up');
    }
    expect(store.get(feed('usage')).status).toBe('fresh');
  });

  it('is not tried twice in a row while the host counts as down and something else is due', async () => {
    const {time, poller, feed, answer, reads} = openPolling({random: chance(3)});
    answer(() => ({failure: unavailable}));
    poller.want('operations', [{feed: feed(['machine', 1], 2500), priority: 0, isForOperation: true}]);
    poller.want('pane', [
      {feed: feed('list'), priority: 1},
      {feed: feed('usage', MINUTE_MS), priority: 2},
    ]);
    await time.advance(20 * MINUTE_MS);
    const keys = reads.filter(({startedAt}) => startedAt > 5 * MINUTE_MS).map(({key}) => key);
    const shares = Object.values(Object.groupBy(keys, key => key)).map(each => each?.length ?? 0);
    expect(shares).toHaveLength(3);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2);
  });
});

describe('two parts of the service that always fail', () => {
  const unavailable: Failure = {kind: 'service-error', httpStatus: 503, message: safeText('away')};
  const failing = ['usage', 'usage-deleted', 'credit', 'history', 'day', 'last-day', 'graph', 'price'];
  const working = ['machines', 'clusters', 'stocks', 'firewalls', 'me'];

  /** Everything is wanted, and lists of working parts are slower than the failures. */
  function openPartial(seed: number) {
    const polling = openPolling({random: chance(seed)});
    const {poller, feed, answer} = polling;
    answer(({key}) => (working.includes(key) ? {takesMs: 400} : {failure: unavailable, takesMs: 20}));
    poller.want('pane', [
      {feed: feed('machines', 10_000, 'core/virtual-machines'), priority: 1},
      {feed: feed('volumes', 20_000, 'core/volumes'), priority: 1},
      ...failing.map(key => ({feed: feed(key, MINUTE_MS, 'billing'), priority: 1})),
      ...working.slice(1).map(key => ({feed: feed(key, 20_000, `core/${key}`), priority: 2})),
    ]);
    return polling;
  }

  it.each([1, 2, 3, 4, 5])('leave the link up, and the rest is read as ever (seed %i)', async seed => {
    const {time, store, poller, feed, readsOf} = openPartial(seed);
    let downSeconds = 0;
    for (let seconds = 0; seconds < 10 * 60; seconds += 1) {
      await time.advance(1000);
      if (poller.health().status !== 'up') downSeconds += 1;
    }
    expect(downSeconds).toBe(0);
    for (const key of working) expect(store.get(feed(key)).status).toBe('fresh');
    expect(Math.max(...gaps(readsOf('machines')))).toBeLessThan(17_000);
  });

  it.each([1, 2, 3])('cost at most two requests a minute once the rest fails as well (seed %i)', async seed => {
    const {time, poller, answer, reads, most} = openPartial(seed);
    await time.advance(5 * MINUTE_MS);
    const outageAt = time.clock.monotonicNow();
    answer(() => ({failure: unavailable, takesMs: 20}));
    await time.advance(30 * MINUTE_MS);
    expect(poller.health().status).toBe('down');
    const late = reads.map(({startedAt}) => startedAt).filter(moment => moment > outageAt + 80_000);
    expect(mostWithin(MINUTE_MS, late)).toBeLessThanOrEqual(2);
    expect(most().together).toBeLessThanOrEqual(4);
  });
});

describe('a service that is back', () => {
  it('is asked for what fell due meanwhile with pauses, the most urgent first, and then as ever', async () => {
    const {time, poller, feed, answer, reads} = openPolling();
    const feeds = Array.from({length: 12}, (_, index) => feed(`${index + 10}`, 5 * MINUTE_MS));
    poller.want(
      'pane',
      feeds.map((each, index) => ({feed: each, priority: index})),
    );
    await time.advance(MINUTE_MS);
    answer(() => ({failure: cut}));
    await time.advance(HOUR_MS);
    answer(() => ({}));
    const readBefore = reads.length;
    await time.advance(2 * MINUTE_MS);
    const caughtUp = reads.slice(readBefore);
    // The two answers that show that it is back come from the feeds whose turn it was.
    const keys = caughtUp.slice(2).map(({key}) => key);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(caughtUp.map(({key}) => key)).size).toBe(12);
    expect(new Set(gaps(caughtUp.slice(2).map(({startedAt}) => startedAt)))).toEqual(new Set([500]));
    poller.refresh();
    await time.advance(0);
    expect(reads.slice(readBefore + caughtUp.length)).toHaveLength(12);
  });
});

describe('a refusing service', () => {
  it('is not asked again after a 401 until a person asks', async () => {
    const {time, poller, feed, answer, reads} = openPolling();
    answer(() => ({failure: unauthorised}));
    poller.want('pane', [{feed: feed('a'), priority: 1}]);
    await time.advance(DAY_MS);
    expect(reads).toHaveLength(1);
    expect(poller.health().status).toBe('not-authorised');
    poller.refresh();
    await time.advance(DAY_MS);
    expect(reads).toHaveLength(2);
    answer(() => ({}));
    poller.refresh();
    await time.advance(MINUTE_MS);
    expect(reads.length).toBeGreaterThan(4);
  });

  it('leaves nothing waiting after a 401: what was not read, or is wanted later, failed with it', async () => {
    const {time, store, poller, feed, answer, readsOf} = openPolling();
    answer(() => ({failure: unauthorised, takesMs: 50}));
    const lists = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => feed(name));
    poller.want(
      'pane',
      lists.map(each => ({feed: each, priority: 1})),
    );
    await time.advance(MINUTE_MS);
    poller.want('other', [{feed: feed('later'), priority: 1}]);
    for (const each of [...lists, feed('later')])
      expect(store.get(each)).toMatchObject({status: 'failed', failure: unauthorised});
    answer(() => ({}));
    poller.refresh();
    await time.advance(1000);
    expect(store.get(feed('later')).status).toBe('fresh');
    expect(readsOf('later')).toHaveLength(1);
  });

  it('gets no more requests after a 401, even when earlier answers arrive late', async () => {
    for (const failure of [undefined, cut, limited]) {
      const {time, poller, feed, answer, reads} = openPolling();
      answer(({key}) => (key === 'a' ? {failure: unauthorised, takesMs: 100} : {failure, takesMs: 3000}));
      poller.want('pane', [
        {feed: feed('a'), priority: 1},
        {feed: feed('b'), priority: 2},
        {feed: feed('c'), priority: 3},
      ]);
      await time.advance(HOUR_MS);
      expect(reads).toHaveLength(3);
    }
  });

  it('pauses only the refused feed after a 403', async () => {
    const {time, poller, feed, answer, readsOf} = openPolling();
    answer(({key}) => (key === 'usage' ? {failure: forbidden} : {}));
    poller.want('pane', [
      {feed: feed('list'), priority: 1},
      {feed: feed('usage', MINUTE_MS), priority: 2},
    ]);
    await time.advance(25 * MINUTE_MS);
    expect(poller.health().status).toBe('up');
    expect(readsOf('usage')).toEqual([0, 600_000, 1_200_000]);
    expect(readsOf('list').length).toBeGreaterThan(130);
  });

  it('gets no requests during its whole pause after a 429, whatever arrives late and whoever asks', async () => {
    for (const late of [undefined, cut]) {
      const {time, poller, feed, answer, reads} = openPolling();
      answer(({key}) => (key === 'a' ? {failure: limited, takesMs: 100} : {failure: late, takesMs: 2000}));
      poller.want('pane', [
        {feed: feed('a'), priority: 1},
        {feed: feed('b'), priority: 2},
        {feed: feed('c'), priority: 3},
        {feed: feed('d'), priority: 4},
      ]);
      for (let seconds = 0; seconds < 60; seconds += 1) {
        await time.advance(1000);
        poller.refresh();
        expect(await poller.readNow(feed('e'))).toMatchObject({ok: false, failure: {kind: 'rate-limited'}});
      }
      expect(reads).toHaveLength(4);
      answer(() => ({}));
      await time.advance(5000);
      expect(reads.length).toBeGreaterThanOrEqual(8);
    }
  });

  // A clock that is set forward looks the same, and the minute of the service is not over then.
  it.each<[string, (poller: Poller, feed: Feed<number>) => unknown]>([
    ['nobody asks', () => {}],
    ['an operation is checked', (poller, feed) => poller.readNow(feed)],
    ['a person refreshes', poller => poller.refresh()],
    ['the screen looks at it', poller => poller.health()],
  ])('gets no requests for the rest of the pause after the computer slept in it, when %s', async (_name, ask) => {
    const {time, poller, feed, answer, reads} = openPolling();
    // The answer to b arrives after the sleep.
    answer(({key}) => (key === 'a' ? {failure: limited} : {takesMs: 20_000}));
    poller.want('pane', [
      {feed: feed('a'), priority: 1},
      {feed: feed('b'), priority: 2},
    ]);
    await time.advance(10_000);
    expect(reads).toHaveLength(2);
    answer(() => ({}));
    time.sleep(HOUR_MS);
    for (let seconds = 10; seconds < 59; seconds += 1) {
      await ask(poller, feed('c'));
      await time.advance(1000);
    }
    expect(reads).toHaveLength(2);
    expect(poller.health().status).toBe('rate-limited');
    await time.advance(10_000);
    expect(reads.length).toBeGreaterThan(2);
    expect(poller.health().status).toBe('up');
  });

  it('is asked right after the pause even for rarely read feeds', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    answer(() => ({failure: limited}));
    poller.want('pane', [{feed: feed('organization', 10 * MINUTE_MS), priority: 1}]);
    await time.advance(1000);
    answer(() => ({}));
    await time.advance(65_000);
    expect(store.get(feed('organization')).status).toBe('fresh');
  });
});

describe('refresh', () => {
  it('reads everything wanted again, once in two seconds however often it is pressed', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    poller.want('pane', [{feed: feed('flavors', 5 * MINUTE_MS), priority: 1}]);
    await time.advance(10_000);
    for (let count = 0; count < 100; count += 1) {
      poller.refresh();
      await time.advance(100);
    }
    // Ten seconds of pressing: at 0, 2, 4, 6 and 8 seconds.
    expect(readsOf('flavors')).toEqual([0, 10_000, 12_000, 14_000, 16_000, 18_000]);
  });

  it('asks a host that is down once more, and only once', async () => {
    const {time, poller, feed, answer, reads} = openPolling({random: () => 0.99});
    answer(() => ({failure: cut}));
    poller.want('pane', [
      {feed: feed('a'), priority: 1},
      {feed: feed('b'), priority: 2},
    ]);
    await time.advance(10 * MINUTE_MS);
    const before = reads.length;
    poller.refresh();
    await time.advance(10_000);
    expect(reads.length - before).toBe(1);
  });
});

describe('overlapping readings of one feed', () => {
  it('keep a newer value fresh when the reading that began earlier fails later', async () => {
    const {time, poller, store, feed, answer} = openPolling();
    answer(({count}) => (count === 1 ? {takesMs: 10_000, failure: cut} : {takesMs: 100}));
    poller.want('pane', [{feed: feed('machine'), priority: 1}]);
    await time.advance(2000);
    const reading = poller.readNow(feed('machine'));
    await time.advance(100);
    expect(await reading).toMatchObject({ok: true});
    expect(store.get(feed('machine'))).toMatchObject({status: 'fresh', readAt: 2000});
    await time.advance(7900);
    expect(store.get(feed('machine'))).toMatchObject({status: 'fresh', readAt: 2000});
  });

  it('make a value stale when the reading that began later fails', async () => {
    const {time, poller, store, feed, answer} = openPolling();
    answer(({count}) => (count === 1 ? {takesMs: 3000} : {takesMs: 5000, failure: cut}));
    poller.want('pane', [{feed: feed('machine'), priority: 1}]);
    await time.advance(2000);
    void poller.readNow(feed('machine'));
    await time.advance(5000);
    expect(store.get(feed('machine'))).toMatchObject({status: 'stale', readAt: 0});
  });
});

describe('readNow', () => {
  it('reads a resting feed now, says when the reading began, and replaces the next poll', async () => {
    const {time, store, poller, feed, readsOf} = openPolling();
    await time.advance(7000);
    expect(await poller.readNow(feed('machine'))).toEqual({ok: true, value: {value: 1, startedAt: 7000}});
    expect(store.get(feed('machine'))).toEqual({status: 'fresh', value: 1, readAt: 7000});
    poller.want('operations', [{feed: feed('machine', 2500), priority: 0}]);
    await time.advance(3000);
    expect(readsOf('machine')).toHaveLength(2);
  });

  it('does not wait for a reading under way, whose late answer changes nothing', async () => {
    const {time, store, poller, feed, answer, readsOf} = openPolling();
    answer(({count}) => (count === 1 ? {takesMs: 14_000} : {takesMs: 100}));
    poller.want('pane', [{feed: feed('machine'), priority: 1}]);
    await time.advance(5000);
    const reading = poller.readNow(feed('machine'));
    await time.advance(1000);
    expect(await reading).toMatchObject({ok: true, value: {startedAt: 5000}});
    await time.advance(8500);
    expect(store.get(feed('machine'))).toMatchObject({readAt: 5000});
    expect(readsOf('machine')).toEqual([0, 5000]);
  });

  it('sends nothing while the key is not accepted', async () => {
    const {time, poller, feed, answer, reads} = openPolling();
    answer(() => ({failure: unauthorised}));
    poller.want('pane', [{feed: feed('a'), priority: 1}]);
    await time.advance(1000);
    expect(await poller.readNow(feed('b'))).toEqual({ok: false, failure: unauthorised});
    expect(reads).toHaveLength(1);
  });

  it('leaves what it may not read with the reason, and what was read before as it is', async () => {
    const {time, store, poller, feed, answer, reads} = openPolling();
    await poller.readNow(feed('old'));
    await time.advance(1000);
    answer(() => ({failure: limited}));
    await poller.readNow(feed('a'));
    await Promise.all([poller.readNow(feed('b')), poller.readNow(feed('old'))]);
    expect(reads).toHaveLength(2);
    expect(store.get(feed('b'))).toMatchObject({status: 'failed', failure: {kind: 'rate-limited'}});
    expect(store.get(feed('old'))).toMatchObject({status: 'fresh', readAt: 0});
  });
});

describe('subscribe', () => {
  it('notifies a listener of each reading until it unsubscribes', async () => {
    const {time, poller, feed} = openPolling();
    let count = 0;
    const leave = poller.subscribe(() => {
      count += 1;
    });
    poller.want('pane', [{feed: feed('a'), priority: 1}]);
    await time.advance(1000);
    expect(count).toBe(1);
    leave();
    await time.advance(MINUTE_MS);
    expect(count).toBe(1);
  });
});

describe('hasten', () => {
  it('reads a resting feed at once if it is wanted, and not if nobody wants it', async () => {
    const {time, poller, feed, readsOf} = openPolling();
    poller.want('pane', [{feed: feed('machine'), priority: 1}]);
    await time.advance(1000);
    poller.hasten(feed('machine'));
    poller.hasten(feed('volume'));
    await time.advance(100);
    expect([readsOf('machine'), readsOf('volume')]).toEqual([[0, 1000], []]);
  });
});

describe('forget', () => {
  it('drops what was read, and a late answer does not bring it back', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    answer(({count}) => (count === 1 ? {} : {takesMs: 1000}));
    poller.want('pane', [{feed: feed('secret'), priority: 1}]);
    await time.advance(100);
    expect(store.get(feed('secret')).status).toBe('fresh');
    poller.hasten(feed('secret'));
    await time.advance(500);
    poller.want('pane', []);
    poller.forget(feed('secret'));
    expect(store.get(feed('secret')).status).toBe('waiting');
    await time.advance(MINUTE_MS);
    expect(store.get(feed('secret')).status).toBe('waiting');
  });
});

describe('a feed given by another source', () => {
  it('is never read from the service', async () => {
    const {time, poller, feed, reads, readsOf} = openPolling({isGiven: ({key}) => key === 'metrics'});
    poller.want('pane', [
      {feed: feed('metrics'), priority: 1},
      {feed: feed('list'), priority: 2},
    ]);
    await time.advance(MINUTE_MS);
    expect(reads.every(({key}) => key === 'list')).toBe(true);
    expect(readsOf('list').length).toBeGreaterThan(4);
  });
});

describe('the budget reserved for operations', () => {
  it('is used by checks, and for watching when the lists have used up theirs, but leaves what the next operation needs', async () => {
    const {time, poller, budget, feed, reads, readsOf} = openPolling();
    const wants: readonly Want[] = [
      {feed: feed('machine', 2500), priority: 0, isForOperation: true},
      {feed: feed('list'), priority: 1},
    ];
    poller.want('operations', wants);
    await time.advance(100);
    await poller.readNow(feed('check'));
    expect(reads.map(({key, isCheck}) => [key, isCheck])).toEqual([
      ['machine', false],
      ['list', false],
      ['check', true],
    ]);
    while (budget.hasRoom('read')) await budget.admit('read');
    const before = {list: readsOf('list').length, requests: budget.usedLastMinute()};
    await time.advance(20_000);
    expect(readsOf('list').length).toBe(before.list);
    const watched = reads.slice(3);
    expect(watched.length).toBeGreaterThan(4);
    expect(watched.every(({key, isCheck}) => key === 'machine' && isCheck)).toBe(true);
    while (budget.hasRoom('operation', 6)) await budget.admit('operation');
    const used = budget.usedLastMinute();
    expect(used).toBe(95);
    await time.advance(20_000);
    expect(budget.usedLastMinute()).toBe(used);
    await time.advance(30_000);
    expect(readsOf('list').length).toBeGreaterThan(before.list);
  });
});

describe('how long a reading waits for the request budget', () => {
  it('is the time until the oldest requests are a minute old, and zero for a feed that rests or comes from another source', async () => {
    const {time, poller, budget, feed} = openPolling();
    const [first, second, late] = [feed('first'), feed('second'), feed('late')];
    const given: Feed<unknown> = {...feed('given'), source: 'prometheus'};
    expect(poller.budgetWait(first)).toBe(0);
    // Of the eighty requests that reads may use, one is sent now and 79 ten seconds later.
    await budget.admit('read');
    await time.advance(10_000);
    for (let count = 0; count < 79; count += 1) await budget.admit('read');
    poller.want('pane', [
      {feed: first, priority: 1},
      {feed: second, priority: 2},
      {feed: late, priority: 1, isBackground: true},
      {feed: given, priority: 0},
    ]);
    // The first can be sent when the oldest of the eighty is a minute old, and the second when the next is too.
    expect([poller.budgetWait(first), poller.budgetWait(second)]).toEqual([50_000, 60_000]);
    // Background reads leave twenty of the eighty requests to the others.
    expect(poller.budgetWait(late)).toBe(60_000);
    expect(poller.budgetWait(given)).toBe(0);
    await time.advance(61_000);
    expect([first, second, late].map(poller.budgetWait)).toEqual([0, 0, 0]);
  });
});

describe('a reading under way', () => {
  it('is abandoned when the deck closes, and its caller gets a failure', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    answer(() => ({takesMs: 1000}));
    const reading = poller.readNow(feed('machine'));
    poller.stop();
    await time.advance(2000);
    expect(await reading).toEqual({ok: false, failure: {kind: 'not-sent', detail: 'skydeck is closing'}});
    expect(store.get(feed('machine')).status).toBe('waiting');
  });

  it('gives its place to the next due feed when it ends', async () => {
    const {time, poller, feed, answer, readsOf} = openPolling();
    answer(({key}) => (key === 'late' ? {} : {takesMs: 5000}));
    for (const key of ['a', 'b', 'c', 'd']) void poller.readNow(feed(key));
    poller.want('pane', [{feed: feed('late'), priority: 1}]);
    await time.advance(4000);
    expect(readsOf('late')).toEqual([]);
    await time.advance(2000);
    expect(readsOf('late')).toEqual([5000]);
  });
});

describe('a pause that the service asked for', () => {
  it('is reported with the time left, and requests are sent again once it is over', async () => {
    const {time, poller, feed, answer} = openPolling({random: () => 0});
    answer(({count}) => (count === 1 ? {failure: {kind: 'rate-limited', retryAfterMs: 30_000}} : {}));
    await poller.readNow(feed('a'));
    const health = poller.health();
    await time.advance('retryAt' in health ? health.retryAt - 1000 : Number.NaN);
    expect(await poller.readNow(feed('a'))).toEqual({
      ok: false,
      failure: {kind: 'rate-limited', retryAfterMs: 1000},
    });
    await time.advance(1000);
    expect(await poller.readNow(feed('a'))).toMatchObject({ok: true});
  });
});
