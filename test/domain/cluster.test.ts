import {describe, expect, it, test} from 'vitest';
import {
  type Cluster,
  type ClusterNode,
  clusterId,
  clusterProgress,
  clustersByUrgency,
  type NodeRole,
  type NodeStatus,
  nodeCounts,
  wantedWorkerCount,
} from '../../src/domain/cluster.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 20));

function aCluster(parts: Partial<Cluster>): Cluster {
  return {
    id: clusterId(1612),
    name: safeText('serve'),
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    nodeGroups: [],
    nodes: [],
    hasKubeConfig: false,
    ...parts,
  };
}

function aNode(role: NodeRole, status: NodeStatus): ClusterNode {
  return {role, roleText: safeText(role), status, statusText: safeText(status)};
}

describe('nodeCounts', () => {
  it('counts nodes by role and by what their states mean', () => {
    const nodes = [
      aNode('master', 'ACTIVE'),
      aNode('master', 'ACTIVE'),
      aNode('worker', 'ACTIVE'),
      ...(['CREATING', 'WAITING', 'RECONCILING', 'PRE_ACTIVE', 'DELETING', 'DELETED'] as const).map(status =>
        aNode('worker', status),
      ),
      aNode('worker', 'ERROR'),
      aNode('worker', 'UNKNOWN'),
      aNode('other', 'ERROR'),
    ];
    const none = {total: 0, active: 0, changing: 0, failed: 0, unknown: 0};
    expect(nodeCounts(aCluster({nodes}))).toEqual({
      master: {...none, total: 2, active: 2},
      worker: {total: 9, active: 1, changing: 6, failed: 1, unknown: 1},
      bastion: none,
      'load-balancer': none,
      other: {...none, total: 1, failed: 1},
    });
  });
});

describe('clustersByUrgency', () => {
  it('puts trouble before change before the rest, and the lowest id first among equals', () => {
    const created = (minutesAgo: number) => ({createdAt: epochMs(NOW - minutesAgo * MINUTE_MS)});
    const clusters = [
      aCluster({id: clusterId(1)}),
      aCluster({id: clusterId(2), status: 'RECONCILING'}),
      aCluster({id: clusterId(3), status: 'CREATING', ...created(10)}),
      aCluster({id: clusterId(4), status: 'CREATING', ...created(61)}),
      aCluster({id: clusterId(5), nodes: [aNode('worker', 'ERROR')]}),
      aCluster({id: clusterId(6), status: 'ERROR'}),
      aCluster({id: clusterId(7), status: 'WARNING'}),
    ];
    const order = clustersByUrgency(clusters.toReversed(), NOW).map(({id}) => Number(id));
    expect(order).toEqual([4, 5, 6, 7, 2, 3, 1]);
  });
});

describe('wantedWorkerCount', () => {
  const group = (count?: number) => ({name: safeText('g'), firewallIds: [], ...(count === undefined ? {} : {count})});
  test.each([
    ['is the sum of several groups', [group(3), group(2)], 5],
    ['is 0 for an empty group', [group(0)], 0],
    ['is unknown when one group has no count', [group(3), group()], undefined],
    ['is unknown without groups', [], undefined],
  ])('%s', (_name, nodeGroups, expected) => {
    expect(wantedWorkerCount(aCluster({nodeGroups}))).toBe(expected);
  });
});

describe('clusterProgress', () => {
  const aged = (elapsedMs: number) => aCluster({status: 'CREATING', createdAt: epochMs(NOW - elapsedMs)});

  test.each([
    ['creating', 0],
    ['creating', 5 * MINUTE_MS],
    ['creating', 20 * MINUTE_MS],
    ['slow', 20 * MINUTE_MS + 1],
    ['slow', HOUR_MS],
    ['overdue', HOUR_MS + 1],
    ['overdue', 75 * MINUTE_MS],
  ])('is %s after %i ms', (kind, elapsedMs) => {
    expect(clusterProgress(aged(elapsedMs), NOW)).toEqual({kind, elapsedMs});
  });

  it("starts at zero when the service's clock is ahead", () => {
    expect(clusterProgress(aged(-MINUTE_MS), NOW)).toEqual({kind: 'creating', elapsedMs: 0});
  });

  it('is unknown without a creation time', () => {
    expect(clusterProgress(aCluster({status: 'CREATING'}), NOW)).toEqual({kind: 'unknown'});
  });

  it.each([
    'ACTIVE',
    'RECONCILING',
    'ERROR',
    'UNKNOWN',
  ] as const)('is "created" for a cluster in %s, however old', status => {
    expect(clusterProgress(aCluster({status, createdAt: epochMs(0)}), NOW)).toEqual({kind: 'created'});
  });
});
