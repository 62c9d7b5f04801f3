import {describe, expect, it} from 'vitest';
import type {Failure} from '../../../src/domain/failure.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {HOUR_MS, MINUTE_MS, type MonotonicMs, monotonicMs, SECOND_MS} from '../../../src/domain/time.ts';
import {type Feed, feedName} from '../../../src/state/feed.ts';
import {PollSchedule, type Want} from '../../../src/state/poller/poll-schedule.ts';
import {cut, forbidden, limited} from '../polling.ts';

const INTERVAL_MS = 10 * SECOND_MS;
/** The start of each test; nothing is due before it. */
const START = monotonicMs(HOUR_MS);
/** In the middle of the range, so the first rest is the interval itself. */
const HALF = () => 0.5;
const gone: Failure = {kind: 'not-found', message: safeText('gone')};

function aFeed(key: string, intervalMs = INTERVAL_MS): Feed<unknown> {
  return {...feedName(key), intervalMs, read: () => Promise.reject(new Error('A schedule reads nothing itself.'))};
}

function later(durationMs: number): MonotonicMs {
  return monotonicMs(START + durationMs);
}

/** One reading from start to end, successful unless a failure is given. */
function read(schedule: PollSchedule, feed: Feed<unknown>, now = START, failure?: Failure, isUp = true): boolean {
  const track = schedule.begin(feed);
  schedule.end(track);
  const result = failure === undefined ? ({ok: true, value: 0} as const) : ({ok: false, failure} as const);
  return schedule.rest(feed, track, result, {now, isUp: () => isUp});
}

/** When a feed is due. */
function dueAt(schedule: PollSchedule, feed: Feed<unknown>): number {
  schedule.want('who asks when it is due', [{feed, priority: 0}]);
  const next = schedule.next(monotonicMs(0));
  schedule.want('who asks when it is due', []);
  return 'feed' in next ? Number.NEGATIVE_INFINITY : next.lookAt;
}

describe('the requests that are sent before a feed is read', () => {
  const [own, urgent, less, resting, reading] = [
    aFeed('own'),
    aFeed('urgent'),
    aFeed('less'),
    aFeed('resting'),
    aFeed('reading'),
  ];
  const elsewhere: Feed<unknown> = {...aFeed('elsewhere'), source: 'prometheus'};
  const lineBefore = (wants: readonly Want[]) => {
    const schedule = new PollSchedule(HALF);
    read(schedule, resting, START);
    schedule.begin(reading);
    schedule.want('pane', wants);
    return schedule.lineBefore(own, START);
  };
  const want = (feed: Feed<unknown>, priority: number, isBackground = false): Want[] => [
    {feed, priority, isBackground},
  ];

  it.each<[string, readonly Want[], number, boolean]>([
    ['none when it is alone', want(own, 2), 0, false],
    ['those with a lower priority number', [...want(own, 2), ...want(urgent, 1), ...want(less, 3)], 1, false],
    ['none with the same number that has been due as long', [...want(urgent, 2), ...want(own, 2)], 0, false],
    ['one for a feed that two askers want', [...want(own, 2), ...want(urgent, 1), ...want(urgent, 0)], 1, false],
    ['none for a feed that rests', [...want(own, 2), ...want(resting, 1)], 0, false],
    ['none for a feed being read', [...want(own, 2), ...want(reading, 1)], 0, false],
    ['none for another source, which uses no budget', [...want(own, 2), ...want(elsewhere, 1)], 0, false],
    [
      'none for background feeds when it is not in the background',
      [...want(own, 2), ...want(urgent, 1, true)],
      0,
      false,
    ],
    [
      'those for background feeds when it is in the background',
      [...want(own, 2, true), ...want(urgent, 1, true)],
      1,
      true,
    ],
    ['all others when it is in the background', [...want(own, 2, true), ...want(urgent, 1), ...want(less, 3)], 1, true],
    [
      'those before its most urgent want',
      [...want(own, 3, true), ...want(own, 1), ...want(urgent, 2), ...want(less, 0)],
      1,
      false,
    ],
    [
      'those before its most urgent want, wherever it is listed',
      [...want(own, 1, true), ...want(own, 3, true), ...want(urgent, 2)],
      0,
      true,
    ],
  ])('are %s', (_name, wants, requestCount, isBackground) => {
    expect(lineBefore(wants)).toEqual({requestCount, isBackground});
  });

  it.each<[string, readonly Want[]]>([
    ['is not wanted while another is', want(urgent, 1)],
    ['is not wanted while none is', []],
  ])('are unknown for a feed that %s', (_name, wants) => {
    expect(lineBefore(wants)).toBeUndefined();
  });

  it('are unknown while a feed rests, until the moment it is due, and while it is being read', () => {
    const schedule = new PollSchedule(HALF);
    const feed = aFeed('feed');
    read(schedule, feed);
    schedule.want('pane', want(feed, 1));
    expect(schedule.lineBefore(feed, later(INTERVAL_MS - 1))).toBeUndefined();
    expect(schedule.lineBefore(feed, later(INTERVAL_MS))).toEqual({requestCount: 0, isBackground: false});
    schedule.begin(feed);
    expect(schedule.lineBefore(feed, later(INTERVAL_MS))).toBeUndefined();
  });

  it('are those due for longer when the priority is the same', () => {
    const schedule = new PollSchedule(HALF);
    const [first, second] = [aFeed('first'), aFeed('second')];
    read(schedule, first, START);
    read(schedule, second, later(SECOND_MS));
    schedule.want('pane', [...want(second, 1), ...want(first, 1)]);
    expect(schedule.lineBefore(second, later(MINUTE_MS))).toEqual({requestCount: 1, isBackground: false});
    expect(schedule.lineBefore(first, later(MINUTE_MS))).toEqual({requestCount: 0, isBackground: false});
  });
});

describe('the next feed', () => {
  const [first, second] = [aFeed('first'), aFeed('second')];

  it.each<[string, readonly Want[], string]>([
    [
      'the one with the lower priority number',
      [
        {feed: first, priority: 2},
        {feed: second, priority: 1},
      ],
      'second',
    ],
    [
      'the one with the lower priority number, wherever it is listed',
      [
        {feed: first, priority: 1},
        {feed: second, priority: 2},
      ],
      'first',
    ],
    [
      'the first listed of equals',
      [
        {feed: first, priority: 1},
        {feed: second, priority: 1},
      ],
      'first',
    ],
    [
      'the one not in the background when there is no room for background reads',
      [
        {feed: first, priority: 1, isBackground: true},
        {feed: second, priority: 2},
      ],
      'second',
    ],
  ])('is %s', (_name, wants, key) => {
    const schedule = new PollSchedule(HALF);
    schedule.want('pane', wants);
    expect(schedule.next(START, {hasRoomInBackground: false})).toMatchObject({feed: {key}});
  });

  it('is the one that has waited longest when both are equally urgent', () => {
    const schedule = new PollSchedule(HALF);
    read(schedule, first, later(SECOND_MS));
    read(schedule, second, START);
    schedule.want(
      'pane',
      [first, second].map(feed => ({feed, priority: 1})),
    );
    expect(schedule.next(later(MINUTE_MS))).toEqual({feed: second});
  });

  it('is only one that watches an operation when the rest of the budget is reserved for operations', () => {
    const schedule = new PollSchedule(HALF);
    schedule.want('pane', [{feed: first, priority: 1}]);
    expect(schedule.next(START)).toEqual({feed: first});
    expect(schedule.next(START, {isForOperations: true})).toEqual({lookAt: Number.POSITIVE_INFINITY});
    schedule.want('operations', [{feed: second, priority: 5, isForOperation: true}]);
    expect(schedule.next(START, {isForOperations: true})).toEqual({feed: second});
  });

  it('can also come from another source, which uses no budget', () => {
    const schedule = new PollSchedule(HALF);
    const elsewhere: Feed<unknown> = {...first, source: 'prometheus'};
    schedule.want('pane', [{feed: elsewhere, priority: 1}]);
    expect(schedule.next(START, {isForOperations: true})).toEqual({feed: elsewhere});
  });

  it('is due at the very moment its rest ends', () => {
    const schedule = new PollSchedule(HALF);
    read(schedule, first);
    schedule.want('pane', [{feed: first, priority: 1}]);
    expect(schedule.next(later(INTERVAL_MS - 1))).toEqual({lookAt: START + INTERVAL_MS});
    expect(schedule.next(later(INTERVAL_MS))).toEqual({feed: first});
  });

  it('is looked for again in a second when there is no room, or sooner when something else is due', () => {
    const schedule = new PollSchedule(HALF);
    const background: Want = {feed: first, priority: 1, isBackground: true};
    schedule.want('pane', [background]);
    expect(schedule.next(START, {hasRoomInBackground: false})).toEqual({lookAt: START + SECOND_MS});
    expect(schedule.next(START)).toEqual({feed: first});
    read(schedule, second, later(SECOND_MS / 2 - INTERVAL_MS));
    schedule.want('pane', [{feed: second, priority: 1}, background]);
    expect(schedule.next(START, {hasRoomInBackground: false})).toEqual({lookAt: START + SECOND_MS / 2});
  });

  it('is not one that is being read', () => {
    const schedule = new PollSchedule(HALF);
    schedule.want('pane', [{feed: first, priority: 1}]);
    const track = schedule.begin(first);
    expect(schedule.next(START)).toEqual({lookAt: Number.POSITIVE_INFINITY});
    schedule.end(track);
    expect(schedule.next(START)).toEqual({feed: first});
  });
});

describe('how long a feed rests', () => {
  const feed = aFeed('feed', HOUR_MS);

  it.each<[string, Failure, number]>([
    ['zero after a 429, which has a pause of its own', limited, 0],
    ['its interval when the subject is gone', gone, HOUR_MS],
    ['its interval when it is refused and the interval is long', forbidden, HOUR_MS],
  ])('is %s', (_name, failure, restMs) => {
    const schedule = new PollSchedule(HALF);
    read(schedule, feed, START, failure);
    expect(dueAt(schedule, feed)).toBe(START + restMs);
  });

  it.each([
    ['a minute', HOUR_MS, MINUTE_MS],
    ['its interval when that is shorter', INTERVAL_MS, INTERVAL_MS],
  ])('is %s after a failure of another source', (_name, intervalMs, restMs) => {
    const schedule = new PollSchedule(HALF);
    const elsewhere: Feed<unknown> = {...aFeed('elsewhere', intervalMs), source: 'prometheus'};
    read(schedule, elsewhere, START, forbidden);
    expect(dueAt(schedule, elsewhere)).toBe(START + restMs);
  });

  it('is ten minutes when it is refused and its interval is shorter', () => {
    const schedule = new PollSchedule(HALF);
    const often = aFeed('often');
    read(schedule, often, START, forbidden);
    expect(dueAt(schedule, often)).toBe(START + 10 * MINUTE_MS);
    // What is not found may still be in creation.
    read(schedule, often, START, gone);
    expect(dueAt(schedule, often)).toBe(START + INTERVAL_MS);
  });

  it('is half to one and a half intervals at first, and one to one and a tenth from then on', () => {
    for (const [at, first, later] of [
      [0, 0.5, 1],
      [0.5, 1, 1.05],
      [1, 1.5, 1.1],
    ] as const) {
      const schedule = new PollSchedule(() => at);
      read(schedule, feed);
      expect(dueAt(schedule, feed)).toBe(START + first * HOUR_MS);
      read(schedule, feed);
      expect(dueAt(schedule, feed)).toBe(START + later * HOUR_MS);
    }
  });

  it('is short after the first two failures of the host, and its interval from the third on while the host is up', () => {
    const schedule = new PollSchedule(() => 1);
    for (const count of [1, 2]) {
      read(schedule, feed, START, cut);
      expect(dueAt(schedule, feed), `failure ${count}`).toBeLessThanOrEqual(START + MINUTE_MS);
    }
    read(schedule, feed, START, cut);
    expect(dueAt(schedule, feed)).toBe(START + HOUR_MS);
  });

  it('stays short while the host is down, however often it failed', () => {
    const schedule = new PollSchedule(() => 1);
    for (let count = 0; count < 5; count += 1) read(schedule, feed, START, cut, false);
    expect(dueAt(schedule, feed)).toBeGreaterThan(START + SECOND_MS);
    expect(dueAt(schedule, feed)).toBeLessThanOrEqual(START + MINUTE_MS);
  });

  it('is as long as a 503 asks, and up to 5 s more, though the host is up', () => {
    const schedule = new PollSchedule(HALF);
    const unavailable: Failure = {
      kind: 'service-error',
      httpStatus: 503,
      message: safeText('maintenance'),
      retryAfterMs: 40 * SECOND_MS,
    };
    read(schedule, feed, START, unavailable);
    expect(dueAt(schedule, feed)).toBe(later(40 * SECOND_MS + 2.5 * SECOND_MS));
  });

  it('is at least a second after a failure, even with a shorter interval, and can be longer', () => {
    const hasty = aFeed('hasty', 1);
    const [least, most] = [new PollSchedule(() => 0), new PollSchedule(() => 1)];
    for (let count = 0; count < 5; count += 1) {
      read(least, hasty, START, cut);
      read(most, hasty, START, cut);
    }
    expect(dueAt(least, hasty)).toBe(START + SECOND_MS);
    expect(dueAt(most, hasty)).toBeGreaterThan(START + SECOND_MS);
  });
});

describe('a feed is due at once', () => {
  const feeds = [aFeed('well'), aFeed('failed')] as const;
  const [well, failed] = feeds;

  function rested(): PollSchedule {
    const schedule = new PollSchedule(HALF);
    read(schedule, well);
    read(schedule, failed, START, cut);
    return schedule;
  }

  function dueNow(schedule: PollSchedule): readonly string[] {
    return feeds.filter(feed => dueAt(schedule, feed) === Number.NEGATIVE_INFINITY).map(({key}) => key);
  }

  it('until it was first read, but not while it rests', () => {
    expect(dueNow(new PollSchedule(HALF))).toEqual(['well', 'failed']);
    expect(dueNow(rested())).toEqual([]);
  });

  it('when a person asks for it or for all feeds', () => {
    const [one, all] = [rested(), rested()];
    one.hasten(well);
    expect(dueNow(one)).toEqual(['well']);
    all.hastenAll();
    expect(dueNow(all)).toEqual(['well', 'failed']);
  });

  it('when it failed and the host is back', () => {
    const schedule = rested();
    schedule.hastenFailed();
    expect(dueNow(schedule)).toEqual(['failed']);
  });

  it('when it was forgotten, and an answer still under way changes nothing', () => {
    const schedule = rested();
    const track = schedule.begin(well);
    schedule.forget(well);
    expect(dueNow(schedule)).toEqual(['well']);
    schedule.end(track);
    expect(schedule.rest(well, track, {ok: true, value: 0}, {now: START, isUp: () => true})).toBe(false);
    expect(dueNow(schedule)).toEqual(['well']);
    expect(read(schedule, well)).toBe(true);
    expect(dueNow(schedule)).toEqual([]);
  });
});

describe('five thousand feeds', () => {
  const feeds = Array.from({length: 5000}, (_, index) => aFeed(`feed ${index}`));
  const [first = aFeed(''), second = aFeed('')] = feeds;
  const another = aFeed('one more');

  function full(): PollSchedule {
    const schedule = new PollSchedule(HALF);
    for (const feed of feeds) read(schedule, feed);
    return schedule;
  }

  it('are all remembered, and one more makes the one forgotten that was read longest ago', () => {
    const schedule = full();
    expect(dueAt(schedule, first)).toBe(START + INTERVAL_MS);
    read(schedule, first);
    read(schedule, another);
    expect(dueAt(schedule, first)).toBe(START + 1.05 * INTERVAL_MS);
    expect(dueAt(schedule, second)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('never lose one that is being read', () => {
    const schedule = full();
    const track = schedule.begin(first);
    read(schedule, another);
    schedule.end(track);
    expect(schedule.rest(first, track, {ok: true, value: 0}, {now: START, isUp: () => true})).toBe(true);
  });
});
