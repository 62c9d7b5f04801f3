import {describe, expect, it} from 'vitest';
import {clusterId} from '../../../src/domain/cluster.ts';
import {flavorsFeed} from '../../../src/state/catalogue.ts';
import {clusterFeed, clusterNodesFeed, clustersFeed} from '../../../src/state/clusters.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {paced, pacedInterval} from '../../../src/state/poller/pace.ts';

describe('pacedInterval', () => {
  it('scales the intervals of lists that change, but not those of closely watched or rarely changing feeds', () => {
    const feeds = [machinesFeed, firewallsFeed, clusterFeed(clusterId(1)), flavorsFeed];
    expect(feeds.map(feed => pacedInterval(feed, {refreshMs: 10_000}))).toEqual([10_000, 20_000, 2_500, 300_000]);
    expect(feeds.map(feed => pacedInterval(feed, {refreshMs: 2_000}))).toEqual([2_000, 4_000, 2_500, 300_000]);
    expect(feeds.map(feed => pacedInterval(feed, {refreshMs: 60_000}))).toEqual([60_000, 120_000, 2_500, 300_000]);
  });

  it("follows the feed's own isPaced, not its interval", () => {
    const lists = [machinesFeed, firewallsFeed, volumesFeed, clustersFeed, clusterNodesFeed(clusterId(1))];
    expect(lists.map(({isPaced}) => isPaced)).toEqual([true, true, true, true, true]);
    const {isPaced: _, ...own} = firewallsFeed;
    expect(pacedInterval(own, {refreshMs: 2_000})).toBe(20_000);
    expect(pacedInterval({...flavorsFeed, isPaced: true}, {refreshMs: 2_000})).toBe(60_000);
  });
});

describe('paced', () => {
  it('keeps the wants and their priorities', () => {
    const wants = [
      {feed: machinesFeed, priority: 1},
      {feed: flavorsFeed, priority: 3, intervalMs: 600_000},
    ];
    expect(paced(wants, {refreshMs: 10_000})).toBe(wants);
    expect(paced(wants, {refreshMs: 5_000})).toMatchObject([
      {feed: {key: machinesFeed.key, intervalMs: 5_000}, priority: 1},
      {feed: {key: flavorsFeed.key, intervalMs: 300_000}, priority: 3, intervalMs: 600_000},
    ]);
  });
});
