import {describe, expect, it} from 'vitest';
import {monthSoFar} from '../../src/domain/billing-history.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {
  historyFeed,
  machineGraphFeed,
  machineHistoriesFeed,
  machineHistoryFeed,
  machinePriceFeed,
} from '../../src/state/billing-feeds.ts';
import type {Feed} from '../../src/state/feeds.ts';
import {openClients, openServer} from '../api/loopback.ts';
import {wireExample} from '../api/wire-example.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12));
const PERIOD = monthSoFar(NOW);
const SEVEN = virtualMachineId(7);
const HISTORY = '/billing/billing/history';
const QUERY = 'start_date=2026-11-01T00%3A00%3A00&end_date=2026-11-21T00%3A00%3A00';

const LISTS: readonly (readonly [Feed<unknown>, example: string, path: string, records: readonly object[]])[] = [
  [historyFeed(PERIOD), 'billing.history', `${HISTORY}?${QUERY}`, [{classes: expect.any(Array)}]],
  [
    machineHistoryFeed(SEVEN, PERIOD),
    'billing.machine-history-detail',
    `${HISTORY}/virtual-machine/7?${QUERY}`,
    [{usedMs: 480_000}],
  ],
  [
    machineGraphFeed(SEVEN, PERIOD),
    'billing.machine-history-graph',
    `${HISTORY}/virtual-machine/7/graph?${QUERY}`,
    [{stepMs: DAY_MS}],
  ],
];

it.each(
  LISTS.map(([feed, ...rest]) => [rest[0], feed, ...rest] as const),
)('%s is read for the month', async (_title, feed, example, path, records) => {
  const server = await openServer((_request, response) => response.end(wireExample(example)));
  expect(await feed.read(openClients(server.baseUrl).reads)).toMatchObject({ok: true, value: {records}});
  expect(server.seen.map(({url}) => url)).toEqual([`/v1${path}`]);
});

it('the bills of all machines are read for the month', async () => {
  const server = await openServer((_request, response) => response.end(wireExample('billing.machine-history')));
  const reading = await machineHistoriesFeed(PERIOD).read(openClients(server.baseUrl).reads);
  expect(reading).toMatchObject({
    ok: true,
    value: {records: expect.arrayContaining([expect.objectContaining({machineId: 793001})])},
  });
  expect(server.seen[0]?.url).toContain(`/v1${HISTORY}/virtual-machine?${QUERY}`);
});

it('takes the word for nothing billed for an empty list, not for a failure', async () => {
  const server = await openServer((_request, response) => {
    response.statusCode = 404;
    response.end(wireExample('billing.history.nothing'));
  });
  const reading = await historyFeed(PERIOD).read(openClients(server.baseUrl).reads);
  expect(reading).toEqual({ok: true, value: {records: [], quarantined: []}});
});

it('reads the price of a machine', async () => {
  const server = await openServer((_request, response) => response.end(wireExample('price-book.calculate')));
  const reading = await machinePriceFeed(SEVEN).read(openClients(server.baseUrl).reads);
  expect(reading).toMatchObject({ok: true, value: {resourceId: 793001}});
  expect(server.seen.map(({url}) => url)).toEqual(['/v1/pricebook/calculate/resource/virtual-machine/7']);
});

describe('the keys', () => {
  const feedsAt = (now: number) => {
    const period = monthSoFar(epochMs(now));
    return [
      historyFeed(period),
      machineHistoriesFeed(period),
      machineHistoryFeed(SEVEN, period),
      machineGraphFeed(SEVEN, period),
    ];
  };
  const keysAt = (now: number) => feedsAt(now).map(({key}) => key);

  it('are the same all day, and others the day after', () => {
    expect(keysAt(NOW + 60_000)).toEqual(keysAt(NOW));
    for (const [index, key] of keysAt(NOW + DAY_MS).entries()) expect(key).not.toBe(keysAt(NOW)[index]);
  });

  it('differ from one another and from machine to machine', () => {
    const keys = [...keysAt(NOW), machineHistoryFeed(virtualMachineId(8), PERIOD).key, machinePriceFeed(SEVEN).key];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
