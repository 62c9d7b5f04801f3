import {describe, expect, test} from 'vitest';
import type {ReadClient} from '../../src/api/client.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {activityFeed, joinedMetrics} from '../../src/export/activity-feed.ts';
import {createStore} from '../../src/state/store.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

function series(...minutes: readonly number[]) {
  return minutes.map(minute => ({sampledAt: epochMs(minute * MINUTE), value: minute}));
}

describe('activityFeed', () => {
  async function askedFor(ageMs: number | undefined): Promise<unknown> {
    const store = createStore();
    const id = virtualMachineId(7);
    const feed = activityFeed(id, {store, monotonicNow: () => monotonicMs(100 * DAY)});
    if (ageMs !== undefined) store.writeValue(feed, {}, monotonicMs(100 * DAY - ageMs));
    let asked: unknown;
    const client = {
      read: (_: unknown, params: {readonly duration: string}) => {
        asked = params.duration;
        return Promise.resolve({ok: true, value: {records: [{}], raw: [], quarantined: []}});
      },
    } as unknown as ReadClient;
    await feed.read(client);
    return asked;
  }

  test.each([
    ['two weeks where nothing is known', undefined, '15d'],
    ['the last hour soon after', 5 * MINUTE, '1h'],
    ['the last day after an hour', 60 * MINUTE, '1d'],
    ['two weeks again after a day', DAY, '15d'],
  ])('reads %s', async (_, ageMs, duration) => {
    expect(await askedFor(ageMs)).toBe(duration);
  });
});

describe('joinedMetrics', () => {
  test('puts what is new behind what is known, each sample once', () => {
    const joined = joinedMetrics({cpu: series(0, 5, 10)}, {cpu: series(5, 10, 15), memory: series(15)});
    expect([...(joined.cpu ?? [])]).toEqual(series(0, 5, 10, 15));
    expect([...(joined.memory ?? [])]).toEqual(series(15));
  });

  test('keeps one sample of five minutes once it is older than an hour, and none after fifteen days', () => {
    const joined = joinedMetrics({cpu: series(0, 1, 2, 3, 4, 5, 9)}, {cpu: series(70, 71)});
    expect([...(joined.cpu ?? [])]).toEqual(series(0, 4, 9, 70, 71));
    const late = joinedMetrics({cpu: series(0, 5)}, {cpu: series(15 * 1440 + 5)});
    expect([...(late.cpu ?? [])]).toEqual(series(5, 15 * 1440 + 5));
  });
});
