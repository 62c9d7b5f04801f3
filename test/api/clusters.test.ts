import {describe, expect, it} from 'vitest';
import {
  clusterEvents,
  clusterNameAvailability,
  clusterNodes,
  clusterVersions,
  createCluster,
  deleteCluster,
  getCluster,
  listClusters,
  masterFlavors,
  nodeGroups,
  reconcileCluster,
} from '../../src/api/clusters.ts';
import {CLUSTER_STATUSES, type ClusterSpec, clusterId, NODE_STATUSES} from '../../src/domain/cluster.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {readExample, readResult, wireExample} from './wire-example.ts';

/** The first group of the wire examples. */
const GPU_GROUP = {
  id: 771,
  name: 'gpu',
  role: 'worker',
  flavor: {
    id: 118,
    name: 'n3-L40x2',
    cpuCount: 60,
    ramGb: 116,
    rootDiskGb: 100,
    ephemeralDiskGb: 1550,
    gpuModel: 'L40',
    gpuCount: 2,
  },
  count: 1,
  minCount: 1,
  maxCount: 4,
  firewallIds: [31207],
};

describe('listClusters', () => {
  it('reads clusters with their groups, their nodes and the machines of the nodes', () => {
    expect(readExample(listClusters)).toStrictEqual({
      records: [
        {
          id: 1612,
          name: 'inference',
          status: 'ACTIVE',
          statusText: 'ACTIVE',
          statusReason: 'K8s is ready',
          isReconciling: false,
          kubernetesVersion: '1.35.1',
          environmentName: 'default-CANADA-1',
          regionName: 'CANADA-1',
          apiAddress: 'https://api.inference-5d1c0e.default-ca.customers.example:6443',
          keyPairName: 'laptop',
          imageName: 'Ubuntu 24.04 LTS Hyperstack Kubernetes v1.35.1',
          masterFlavor: {
            id: 8,
            name: 'n1-cpu-medium',
            cpuCount: 8,
            ramGb: 8,
            rootDiskGb: 100,
            gpuCount: 0,
            hasNoHibernation: false,
          },
          masterCount: 2,
          nodeGroups: [GPU_GROUP],
          nodes: [
            {
              id: 9001,
              role: 'bastion',
              roleText: 'bastion',
              status: 'ACTIVE',
              statusText: 'ACTIVE',
              machineId: 793010,
              machineName: 'inference-bastion',
              machineStatus: 'ACTIVE',
              fixedIp: '10.0.5.20',
              floatingIp: '203.0.113.20',
              createdAt: Date.UTC(2026, 3, 1, 10, 0, 20),
            },
            {
              id: 9002,
              role: 'worker',
              roleText: 'worker',
              status: 'PRE_ACTIVE',
              statusText: 'PRE-ACTIVE',
              statusReason: 'Waiting for kubelet',
              nodeGroupName: 'gpu',
              machineId: 793011,
              machineName: 'inference-gpu-0',
              machineStatus: 'ACTIVE',
              fixedIp: '10.0.5.21',
              createdAt: Date.UTC(2026, 3, 1, 10, 0, 20),
            },
          ],
          hasKubeConfig: true,
          createdAt: Date.UTC(2026, 3, 1, 10),
        },
      ],
      quarantined: [],
    });
  });

  it('reads other spellings, and makes a group from the single flavor and count of an older version', () => {
    expect(readExample(listClusters, 'clusters.list.odd-spellings')).toStrictEqual({
      records: [
        {
          id: 7,
          name: 'of-an-older-version',
          status: 'CREATING',
          statusText: 'creating',
          statusReason: 'Waiting for ␛[31mmasters',
          kubernetesVersion: '1.27.8',
          environmentName: 'default-NORWAY-1',
          regionName: 'NORWAY-1',
          keyPairName: 'laptop',
          masterFlavor: {name: 'n1-cpu-large'},
          nodeGroups: [
            {
              name: '',
              flavor: {name: 'n3-A100x1', gpuModel: 'A100-80G-PCIe', gpuCount: 1},
              count: 3,
              firewallIds: [],
            },
          ],
          nodes: [],
          hasUnreadNodes: true,
          hasKubeConfig: false,
          createdAt: Date.UTC(2026, 4, 1, 8),
        },
        {
          id: 8,
          name: '',
          status: 'UNKNOWN',
          statusText: 'DEFRAGMENTING',
          environmentName: 'by-name-alone',
          nodeGroups: [{name: 'gpu', firewallIds: [5]}],
          nodes: [
            {role: 'load-balancer', roleText: 'load_balancer', status: 'WAITING', statusText: 'waiting'},
            {id: 3, role: 'other', roleText: 'etcd', status: 'UNKNOWN', statusText: 'thinking'},
          ],
          hasUnreadNodes: true,
          hasKubeConfig: false,
        },
      ],
      quarantined: [{fields: ['id']}, {fields: ['the record itself']}],
    });
  });

  it('keeps nothing of the kubeconfig, whether the record is usable or not', () => {
    const [first] = listClusters.collect(JSON.parse(wireExample('clusters.list'))) ?? [];
    const marked = {...Object(first), kube_config: 'c2VjcmV0LW1hcms='};
    for (const raw of [marked, {...marked, id: 'unusable'}]) {
      expect(JSON.stringify(listClusters.record(raw))).not.toContain('c2VjcmV0');
    }
    expect(listClusters.record(marked)).toMatchObject({value: {hasKubeConfig: true}});
  });

  it('gives raw records without the kubeconfig, and still knows that there is one', () => {
    const cluster = {id: 1, kube_config: 'c2VjcmV0LW1hcms='};
    const raws = [...(listClusters.collect({clusters: [cluster]}) ?? []), ...(getCluster.collect({cluster}) ?? [])];
    expect(raws).toHaveLength(2);
    expect(JSON.stringify(raws)).not.toContain('c2VjcmV0');
    for (const raw of raws) expect(listClusters.record(raw)).toMatchObject({value: {hasKubeConfig: true}});
    const without = listClusters.collect({clusters: [{id: 1, kube_config: null}]}) ?? [];
    expect(listClusters.record(without[0])).toMatchObject({value: {hasKubeConfig: false}});
  });

  it.each([
    ['no field', {}],
    ['no state', {id: 3, role: 'worker', instance: {id: 7}}],
    ['a state that is no text', {role: 'worker', status: 5}],
    ['no role', {status: 'ACTIVE'}],
  ])('says that not all nodes were read if one has %s', (_, odd) => {
    const good = {role: 'worker', status: 'ACTIVE'};
    expect(listClusters.record({id: 1, nodes: [good, odd]})).toMatchObject({value: {hasUnreadNodes: true}});
    const whole = listClusters.record({id: 1, nodes: [good]});
    expect(whole.ok && whole.value.hasUnreadNodes).toBe(undefined);
  });

  it('counts a node that is listed twice once, and one without an id each time', () => {
    const node = {role: 'worker', status: 'ACTIVE'};
    const nodes = [{id: 1, ...node}, {id: 2, ...node}, {id: 1, ...node}, node, node];
    const read = listClusters.record({id: 1, nodes});
    expect(read.ok && read.value.nodes.map(({id}) => id)).toEqual([1, 2, undefined, undefined]);
  });

  it.each(CLUSTER_STATUSES)('knows the state %s in upper and lower case', status => {
    for (const spelling of [status, status.toLowerCase()]) {
      expect(listClusters.record({id: 1, status: spelling})).toMatchObject({value: {status, statusText: spelling}});
    }
  });

  it.each(NODE_STATUSES)('knows the state %s of a node in any spelling', status => {
    const spellings = [status, status.toLowerCase(), status.replaceAll('_', '-'), status.replaceAll('_', ' ')];
    for (const spelling of spellings) {
      expect(listClusters.record({id: 1, nodes: [{status: spelling}]})).toMatchObject({
        value: {nodes: [{status, statusText: spelling}]},
      });
    }
  });
});

describe('getCluster', () => {
  it('reads the one cluster of a detail reply, with nodes that have no machine yet', () => {
    expect(getCluster.path({id: clusterId(1655)})).toBe('/core/clusters/1655');
    const {records, quarantined} = readExample(getCluster);
    expect(quarantined).toEqual([]);
    expect(records).toMatchObject([{id: 1655, status: 'CREATING', isReconciling: true, hasKubeConfig: false}]);
    expect(records[0]?.nodes).toStrictEqual([
      {
        id: 9101,
        role: 'master',
        roleText: 'master',
        status: 'CREATING',
        statusText: 'CREATING',
        createdAt: Date.UTC(2026, 4, 3, 11, 22, 34),
      },
    ]);
  });
});

describe('clusterVersions', () => {
  it('reads versions as objects and as plain text, and quarantines what is not a version', () => {
    expect(readExample(clusterVersions)).toStrictEqual({
      records: [
        {
          id: 41,
          version: '1.35.1',
          regionName: 'CANADA-1',
          imageName: 'Ubuntu 24.04 LTS Hyperstack Kubernetes v1.35.1',
        },
        {version: '1.34.3'},
      ],
      quarantined: [{fields: ['version']}],
    });
  });

  it('asks for one region or for all', () => {
    expect(clusterVersions.query({region: 'CANADA-1'})).toEqual({region: 'CANADA-1'});
    expect(clusterVersions.query({})).toEqual({});
  });
});

describe('masterFlavors', () => {
  it('reads flavors without a GPU', () => {
    expect(readExample(masterFlavors)).toStrictEqual({
      records: [
        {
          id: 8,
          name: 'n1-cpu-medium',
          regionName: 'NORWAY-1',
          cpuCount: 8,
          ramGb: 8,
          rootDiskGb: 100,
          gpuCount: 0,
          isInStock: true,
          hasNoHibernation: true,
          labels: ['no-snapshot', 'no-hibernation'],
        },
      ],
      quarantined: [{fields: ['name']}],
    });
  });
});

describe('clusterEvents', () => {
  it('reads the history in its order, and quarantines an event without content', () => {
    expect(readExample(clusterEvents)).toStrictEqual({
      records: [
        {
          id: 50211,
          occurredAt: Date.UTC(2026, 3, 1, 10),
          type: 'normal',
          reason: 'ClusterCreationRequest',
          message: 'Cluster creation request accepted',
          userId: 3107,
        },
        {
          id: 50212,
          occurredAt: Date.UTC(2026, 3, 1, 10, 14),
          type: 'error',
          reason: 'ClusterCreationFailed',
          message: '',
        },
      ],
      quarantined: [{fields: ['reason', 'message']}],
    });
  });
});

describe('nodeGroups', () => {
  it('reads groups by themselves, and drops malformed fields', () => {
    expect(nodeGroups.path({id: clusterId(1612)})).toBe('/core/clusters/1612/node-groups');
    expect(readExample(nodeGroups)).toStrictEqual({
      records: [GPU_GROUP, {id: 772, name: '', count: 2, firewallIds: []}],
      quarantined: [{fields: ['the record itself']}],
    });
  });
});

describe('clusterNodes', () => {
  it('reads nodes by themselves', () => {
    expect(clusterNodes.path({id: clusterId(1612)})).toBe('/core/clusters/1612/nodes');
    expect(readExample(clusterNodes).records).toMatchObject([
      {id: 9002, role: 'worker', status: 'PRE_ACTIVE', machineId: 793011},
      {id: 9003, role: 'load-balancer', status: 'WAITING'},
    ]);
  });
});

describe('clusterNameAvailability', () => {
  it('reads a reply without an envelope, even about a name that is a verb', () => {
    expect(readExample(clusterNameAvailability).records).toStrictEqual([
      {name: 'inference', isAvailable: false, message: 'The name is taken'},
    ]);
    expect(clusterNameAvailability.path({name: safeText('stop')})).toBe('/core/clusters/name-availability/stop');
    expect(clusterNameAvailability.record({name: 'x', available: 'yes'})).toEqual({ok: false, fields: ['available']});
  });
});

describe('operations on clusters', () => {
  const id = clusterId(1656);
  const spec: ClusterSpec = {
    name: safeText('batch-2'),
    environmentName: safeText('default-CANADA-1'),
    keyPairName: safeText('laptop'),
    kubernetesVersion: safeText('1.35.1'),
    masterFlavorName: safeText('n1-cpu-medium'),
    masterCount: 2,
    deploymentMode: 'standard',
    nodeGroups: [{name: safeText('gpu'), flavorName: safeText('n3-L40x2'), count: 2, minCount: 1, maxCount: 4}],
  };

  it('create one with the field names of the service and every group as workers, and give its id', () => {
    expect(createCluster.body({spec})).toStrictEqual({
      name: 'batch-2',
      environment_name: 'default-CANADA-1',
      keypair_name: 'laptop',
      kubernetes_version: '1.35.1',
      master_flavor_name: 'n1-cpu-medium',
      master_count: 2,
      deployment_mode: 'standard',
      node_groups: [{name: 'gpu', role: 'worker', flavor_name: 'n3-L40x2', count: 2, min_count: 1, max_count: 4}],
    });
    expect(readResult(createCluster)).toStrictEqual({kind: 'created', ids: [1656], name: 'batch-2'});
  });

  it('delete and reconcile one by its id, and do not take a status that is a word for a refusal', () => {
    expect([deleteCluster.method, deleteCluster.path({id})]).toEqual(['DELETE', '/core/clusters/1656']);
    expect([reconcileCluster.method, reconcileCluster.path({id})]).toEqual(['POST', '/core/clusters/1656/reconcile']);
    expect(reconcileCluster.body({id})).toBeUndefined();
    expect(readResult(reconcileCluster)).toBeUndefined();
  });
});
