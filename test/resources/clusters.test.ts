import {expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {type Cluster, type ClusterNode, clusterId} from '../../src/domain/cluster.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {clusters as resource} from '../../src/resources/clusters.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {HOUR_MS, epochMs} from '../../src/domain/time.ts';
import {anOperation} from '../actions/an-operation.ts';
import {EVERY_ACTION} from '../actions/every-action.ts';
import {aCluster} from '../actions/some-things.ts';
import {aUsageRecord, NOW} from '../panes/a-known-scene.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {textOf} from '../../src/ui/text.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const MASTER = {...aUsageRecord(3, '0'), isExcludedFromBilling: true};

const ready: ClusterNode = {
  id: 1,
  role: 'worker',
  roleText: safeText('worker'),
  status: 'ACTIVE',
  statusText: safeText('ACTIVE'),
};

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

test('the rate of a cluster is that of a part where any other machine may be a node of it', () => {
  const clusters = [aCluster({nodes: [aNode(1), aNode(), aNode()]})];
  const machines = [1, 2, 3].map(id => aVirtualMachine({id, isNodeUnknown: true}));
  const usage = [1, 2, 3].map(id => aUsageRecord(id, '6.00'));
  const known = [listed(clustersFeed, clusters), read(machinesFeed, aListing(machines)), listed(usageFeed, usage)];
  const [row] = rowsOf(resource, aReadScene(known)) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe('6.00+');
});

test('a machine that two clusters list as their node is only of the one that its record names', () => {
  const other = clusterId(41);
  const clusters = [aCluster({nodes: [aNode(1)]}), aCluster({id: other, nodes: [aNode(1)]})];
  const machines = aListing([aVirtualMachine({id: 1, clusterId: other})]);
  const known = [
    listed(clustersFeed, clusters),
    read(machinesFeed, machines),
    listed(usageFeed, [aUsageRecord(1, '6')]),
  ];
  const rows = rowsOf(resource, aReadScene(known)) ?? [];
  const costs = rows.map(row => [row.cluster.id, cellOf(resource, row, 'cost')?.text]);
  expect(costs).toEqual([
    [clusters[0]?.id, undefined],
    [other, '6.00'],
  ]);
});

test.each<[string, Partial<Cluster>, object, string | undefined]>([
  ['its nodes name them', {nodes: [aNode(1), aNode(2)]}, {hasUnreadCluster: true}, '1.75'],
  ['its nodes name some of them', {nodes: [aNode(1), aNode(7)]}, {hasUnreadCluster: true}, '1.25+'],
  ['its nodes name none', {nodes: [aNode()]}, {hasUnreadCluster: true}, undefined],
  ['its nodes were not read', {hasUnreadNodes: true}, {hasUnreadCluster: true}, undefined],
  ['its nodes were not sent either', {hasUnreadNodes: true}, {}, undefined],
  ['it is still waiting for them', {nodes: [{...aNode(), status: 'WAITING'}]}, {}, '0.00'],
  ['it has none', {nodes: []}, {}, '0.00'],
])('the rate of a cluster that its machines do not name, if %s', (_, known, field, expected) => {
  const scene = aReadScene([
    listed(clustersFeed, [aCluster(known)]),
    read(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id, ...field})))),
    listed(usageFeed, [aUsageRecord(1, '1.25'), aUsageRecord(2, '0.50')]),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'cost')?.text).toBe(expected);
});

function aNode(machineId?: number): ClusterNode {
  return {...ready, ...(machineId === undefined ? {} : {machineId: virtualMachineId(machineId)})};
}

test('the workers and masters of a cluster whose nodes were not all read are unknown, not missing', () => {
  const nodeGroups = [{name: safeText('gpu'), count: 3, firewallIds: []}];
  const scene = aReadScene([listed(clustersFeed, [aCluster({nodeGroups, masterCount: 2, hasUnreadNodes: true})])]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(cellOf(resource, row, 'workers')).toEqual({text: '?/3'});
  expect(cellOf(resource, row, 'masters')).toEqual({text: '?/2'});
  const detail = detailOf(resource, row, scene);
  expect(detail).toMatch(/nodes +unknown/);
});

const broken: ClusterNode = {
  ...ready,
  id: 2,
  status: 'ERROR',
  statusText: safeText('ERROR'),
  statusReason: safeText('the host did not answer'),
};

test.each<[string, Partial<Cluster>, string, string]>([
  [
    'a worker in ERROR, with why it is',
    {nodes: [ready, broken], statusReason: safeText('K8s is ready')},
    '1 of 2 workers in ERROR: the host did not answer',
    'K8s is ready',
  ],
  [
    'a master in ERROR',
    {nodes: [ready, {...broken, role: 'master'}]},
    '1 of 1 master in ERROR: the host did not answer',
    'none given',
  ],
  [
    'a worker that is missing from an active cluster',
    {
      nodes: [ready],
      nodeGroups: [{name: safeText('gpu'), count: 3, firewallIds: []}],
      statusReason: safeText('K8s is ready'),
    },
    '1 of 3 workers active',
    'K8s is ready',
  ],
])('the reason of a cluster begins with %s', (_, known, expected, given) => {
  const scene = aReadScene([listed(clustersFeed, [aCluster(known)])]);
  const [row] = rowsOf(resource, scene) ?? [];
  const draw = resource.columns.find(({key}) => key === 'reason')?.list?.draw;
  if (row === undefined || draw === undefined) throw new Error('no reason is drawn');
  const cell = draw(row, 80, scene.theme);
  expect(textOf(cell)).toBe(expected);
  expect(cell[0]?.tone).not.toBe('dim');
  expect(detailOf(resource, row, scene).split('\n').slice(0, 2)).toEqual([
    ` trouble     ${expected}`,
    ` reason      ${given}`,
  ]);
});

test('a cluster that is being created has no workers in trouble yet', () => {
  const nodeGroups = [{name: safeText('gpu'), count: 3, firewallIds: []}];
  const scene = aReadScene([listed(clustersFeed, [aCluster({status: 'CREATING', nodeGroups})])]);
  const [row] = rowsOf(resource, scene) ?? [];
  expect(detailOf(resource, row, scene)).not.toContain('trouble');
});

test('a cluster stuck in creation is to be deleted, until its deletion is under way', () => {
  const cluster = aCluster({status: 'CREATING', createdAt: epochMs(NOW - 2 * HOUR_MS), nodes: []});
  const operation = anOperation('op-1', EVERY_ACTION['cluster.delete'].confirmed, NOW);
  const told = (open: readonly (typeof operation)[]) => {
    const operations = {openOn: () => open[0], all: () => open, version: () => open.length};
    const scene = aReadScene([listed(clustersFeed, [cluster])], {operations});
    const [row] = rowsOf(resource, scene) ?? [];
    return detailOf(resource, row, scene);
  };
  expect(told([])).toMatch(/STUCK 2h00: past 60 min, delete it and create it again/);
  expect(told([operation])).toMatch(/STUCK 2h00: being deleted$/m);
});
