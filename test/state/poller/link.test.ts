import {describe, expect, it} from 'vitest';
import {DAY_MS, epochMs, monotonicMs} from '../../../src/domain/time.ts';
import {createLink} from '../../../src/state/poller/link.ts';

describe('createLink', () => {
  it('knows nothing before the first answer', () => {
    const link = createLink(() => 0);
    expect([link.latencyMs(), link.clockOffsetMs()]).toEqual([undefined, undefined]);
  });

  it('reports since when the oldest open request has been waiting', () => {
    const link = createLink(() => 0);
    const [first, second] = [1000, 2000].map(at => link.asked(monotonicMs(at)));
    expect(link.waitingSince()).toBe(1000);
    link.saw({latencyMs: 20});
    first?.();
    expect(link.waitingSince()).toBe(2000);
    second?.();
    expect(link.waitingSince()).toBeUndefined();
  });

  it('counts the wait for a request that was given up, until an answer comes or nothing is asked', () => {
    const link = createLink(() => 0);
    const [first, second, third] = [1000, 2000, 3000].map(at => link.asked(monotonicMs(at)));
    first?.();
    second?.();
    expect(link.waitingSince()).toBe(1000);
    link.saw({latencyMs: 20});
    expect(link.waitingSince()).toBe(3000);
    third?.();
    link.asked(monotonicMs(90_000));
    expect(link.waitingSince()).toBe(90_000);
  });

  it('gives the median latency of the last nine answers, so that one slow answer does not count', () => {
    const link = createLink(() => 0);
    for (const latencyMs of [20, 30, 9000]) link.saw({latencyMs});
    expect(link.latencyMs()).toBe(30);
    for (let count = 0; count < 9; count += 1) link.saw({latencyMs: 100 + count});
    expect(link.latencyMs()).toBe(104);
  });

  it("gives how far the service's clock is ahead, from the last answer with a date", () => {
    const link = createLink(() => 10_000);
    link.saw({latencyMs: 1, serverDate: epochMs(70_000)});
    link.saw({latencyMs: 1});
    expect(link.clockOffsetMs()).toBe(60_000);
    link.saw({latencyMs: 1, serverDate: epochMs(4000)});
    expect(link.clockOffsetMs()).toBe(-6000);
  });

  it('does not move the clock for one answer with another date, and follows it from the second on', () => {
    const link = createLink(() => 10_000);
    const offsets = [60, 60, -20 * 86_400, 60, 7200, 7200].map(seconds => {
      link.saw({latencyMs: 1, serverDate: epochMs(10_000 + seconds * 1000)});
      return (link.clockOffsetMs() ?? Number.NaN) / 1000;
    });
    expect(offsets).toEqual([60, 60, 60, 60, 60, 7200]);
  });

  it('believes of the first two dates the one that is nearer to our own clock', () => {
    const offsetAfter = (...offsets: readonly number[]) => {
      const link = createLink(() => 10_000);
      for (const offset of offsets) link.saw({latencyMs: 1, serverDate: epochMs(10_000 + offset)});
      return link.clockOffsetMs();
    };
    expect([offsetAfter(DAY_MS, 60_000), offsetAfter(60_000, DAY_MS)]).toEqual([60_000, 60_000]);
  });

  it('ignores a service clock that is more than a hundred years away', () => {
    const now = Date.UTC(2026, 10, 20);
    const link = createLink(() => now);
    link.saw({latencyMs: 1, serverDate: epochMs(Date.UTC(9999, 0, 1))});
    expect(link.clockOffsetMs()).toBeUndefined();
    link.saw({latencyMs: 1, serverDate: epochMs(now + DAY_MS)});
    link.saw({latencyMs: 1, serverDate: epochMs(Date.UTC(2126, 11, 20))});
    expect(link.clockOffsetMs()).toBe(DAY_MS);
  });

  it.each([
    ['a month ahead', 31 * DAY_MS, 31 * DAY_MS],
    ['400 days ahead', 400 * DAY_MS, 0],
    ['400 days behind', -400 * DAY_MS, 0],
    ['a second ahead, which a date in whole seconds does not prove', 1000, 0],
    ['an hour behind', -3_600_000, -3_600_000],
  ])('follows a service clock that can be right: %s', (_, offsetMs, followedMs) => {
    const now = Date.UTC(2026, 10, 20);
    const told: [number, boolean][] = [];
    const link = createLink(
      () => now,
      (...clocks) => told.push(clocks),
    );
    link.saw({latencyMs: 1, serverDate: epochMs(now + offsetMs)});
    expect(link.followedOffsetMs()).toBe(followedMs);
    expect(link.isClockFollowed()).toBe(Math.abs(offsetMs) < 400 * DAY_MS);
    expect(told).toEqual(Math.abs(offsetMs) > 300_000 ? [[offsetMs, link.isClockFollowed()]] : []);
  });

  it.each([
    ['the local clock, when the service is ahead', Date.UTC(2026, 11, 24), '2026-11-20'],
    ['the local clock, when the service is far ahead', Date.UTC(9999, 0, 1), '2026-11-20'],
    ["the service's, when that is behind", Date.UTC(2026, 10, 18), '2026-11-18'],
    ["the service's, when that is centuries behind", Date.UTC(1600, 0, 1), '1600-01-01'],
  ])('calls settled what is over by the earlier of both clocks: %s', (_, serverDate, day) => {
    const link = createLink(() => Date.UTC(2026, 10, 20));
    link.saw({latencyMs: 1, serverDate: epochMs(serverDate)});
    expect(new Date(link.settledNow()).toISOString()).toBe(`${day}T00:00:00.000Z`);
  });

  it('says whether the last answer had a date that is of no use', () => {
    const link = createLink(() => Date.UTC(2026, 10, 20));
    expect(link.hasOddDate()).toBe(false);
    link.saw({latencyMs: 1, hasOddDate: true});
    expect(link.hasOddDate()).toBe(true);
    link.saw({latencyMs: 1});
    expect(link.hasOddDate()).toBe(false);
    link.saw({latencyMs: 1, serverDate: epochMs(Date.UTC(9999, 0, 1))});
    expect(link.hasOddDate()).toBe(true);
  });

  it('accepts the service clock on a machine whose own clock starts in 1970', () => {
    const link = createLink(() => 0);
    link.saw({latencyMs: 1, serverDate: epochMs(Date.UTC(2026, 10, 20))});
    expect(link.clockOffsetMs()).toBe(Date.UTC(2026, 10, 20));
    expect(link.followedOffsetMs()).toBe(Date.UTC(2026, 10, 20));
    expect(link.settledNow()).toBe(0);
  });
});
