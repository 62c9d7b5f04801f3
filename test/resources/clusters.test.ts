import {expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {clusters as resource} from '../../src/resources/clusters.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {aCluster} from '../actions/some-things.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const MASTER = {...aUsageRecord(3, '0'), isExcludedFromBilling: true};

test.each<[string, readonly UsageRecord[], string | undefined]>([
  ['of none of its workers', [aUsageRecord(1, undefined), MASTER], undefined],
  ['of one of them', [aUsageRecord(1, '1.25'), aUsageRecord(2, undefined), MASTER], '1.25+'],
  ['of all, the master being free', [aUsageRecord(1, '1.25'), aUsageRecord(2, '0.50'), MASTER], '1.75'],
])('the rate of a cluster tells that it is known %s', (_, usage, expected) => {
  const cluster = aCluster();
  const machines = [1, 2, 3].map(id => aVirtualMachine({id, clusterId: cluster.id}));
  const scene = aReadScene([
    listed(clustersFeed, [cluster]),
    read(machinesFeed, aListing(machines)),
    listed(usageFeed, usage),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe(expected);
});

test('a worker that changes state has no rate of its cluster meanwhile', () => {
  const cluster = aCluster();
  const [worker, starting] = [
    aVirtualMachine({id: 1, clusterId: cluster.id}),
    aVirtualMachine({id: 2, clusterId: cluster.id, status: 'STARTING'}),
  ];
  const usage = [aUsageRecord(1, '1.25'), aUsageRecord(2, '0')];
  const scene = aReadScene([
    listed(clustersFeed, [cluster]),
    read(machinesFeed, aListing([worker, starting])),
    listed(usageFeed, usage),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe('1.25+');
});

test('the rate of a cluster is the sum of its machines, and unknown until their usage was read', () => {
  const cluster = aCluster();
  const known = [
    listed(clustersFeed, [cluster]),
    read(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id, clusterId: cluster.id})))),
  ];
  const [before] = rowsOf(resource, aReadScene(known)) ?? [];
  expect(cellOf(resource, before, 'cost')).toBe(undefined);
  const usage = listed(usageFeed, [aUsageRecord(1, '1.25'), aUsageRecord(2, '0.50'), aUsageRecord(3, '7.00')]);
  const [after] = rowsOf(resource, aReadScene([...known, usage])) ?? [];
  expect(cellOf(resource, after, 'cost')?.number).toBe(1.75);
});

test('the workers and masters of a cluster whose nodes were not all read are unknown, not missing', () => {
  const nodeGroups = [{name: safeText('gpu'), count: 3, firewallIds: []}];
  const scene = aReadScene([listed(clustersFeed, [aCluster({nodeGroups, masterCount: 2, hasUnreadNodes: true})])]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'workers')).toEqual({text: '?/3'});
  expect(cellOf(resource, row, 'masters')).toEqual({text: '?/2'});
  const detail = detailOf(resource, row, scene);
  expect(detail).toMatch(/nodes +unknown/);
});
