import {describe, expect, it} from 'vitest';
import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import {createCluster, deleteCluster, reconcileCluster} from '../../../src/actions/clusters.ts';
import type {Cluster} from '../../../src/domain/cluster.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {clustersPane} from '../../../src/panes/clusters/pane.tsx';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aCluster, aVolume, factText} from '../a-catalogue.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';
import {onSubject} from '../a-read-scene.ts';

const SCENE = aKnownScene({});

function deleteReason(cluster: Cluster, scene = SCENE) {
  return onSubject('cluster', 'delete', cluster, scene).reason;
}

function reconcileReason(cluster: Cluster, scene = SCENE) {
  return onSubject('cluster', 'reconcile', cluster, scene).reason;
}

function deletion(cluster: Cluster, scene = SCENE) {
  return questionFor([candidate(deleteCluster.with({id: cluster.id}), cluster, scene)], scene);
}

function reconciliation(cluster: Cluster) {
  return questionFor([candidate(reconcileCluster.with({id: cluster.id}), cluster, SCENE)], SCENE);
}

describe('deleting a cluster', () => {
  it('says what is deleted with it and what it saves, and asks for the full name', () => {
    const node = {
      role: 'worker',
      roleText: safeText('worker'),
      status: 'ACTIVE',
      statusText: safeText('ACTIVE'),
    } as const;
    const machines = [1, 2].map(id => aVirtualMachine({id, clusterId: 77}));
    const usage = [aUsageRecord(1, '5.00'), aUsageRecord(2, '3.00'), aUsageRecord(3, '1.00')];
    const question = deletion(aCluster({nodes: [node, node, node]}), aKnownScene({machines, usage}));
    expect(factText(question, 'What happens')).toContain('with 3 nodes');
    expect(factText(question, 'What it costs')).toBe('now $8.00/h  after $0.00/h  (saves $8.00/h)');
    expect(factText(question, 'Calls')).toContain('DELETE /core/clusters/77');
    expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'k8s-inf'});
    expect(question?.steps[0].action).toEqual({kind: 'cluster.delete', id: 77});
  });

  it('does not count nodes that were not all read', () => {
    expect(factText(deletion(aCluster({hasUnreadNodes: true})), 'What happens')).toContain('with all its nodes and');
  });

  it('says which of its machines are working, and how many are unknown', () => {
    const node = (id: number, status: 'ACTIVE' | 'SHUTOFF' = 'ACTIVE') =>
      aVirtualMachine({id, name: safeText(`worker-${id}`), flavor: A_FLAVOR, status, clusterId: 77});
    const stranger = aVirtualMachine({id: 9, name: safeText('stranger'), flavor: A_FLAVOR});
    const machines = [node(1), node(2), node(3), node(4, 'SHUTOFF'), stranger];
    const cores = [4, 0.01, undefined, 4, 4];
    const metrics = new Map(
      machines.flatMap(({id}, index) => {
        const each = cores[index];
        return each === undefined ? [] : [[id, busyMetrics(each)] as const];
      }),
    );
    const later = deletion(aCluster(), aKnownScene({machines, metrics}, {now: epochMs(NOW + 7 * MINUTE_MS)}));
    expect(factText(later, 'Warnings')).toContain('1 of 3 running machines is WORKING as of 7m ago: worker-1.');
    expect(factText(later, 'Right now')).toContain('1 of 3 running machines is quiet as of 7m ago.');
    const question = deletion(aCluster(), aKnownScene({machines, metrics}));
    const care = factText(question, 'Warnings');
    expect(care).toContain('1 of 3 running machines is WORKING right now: worker-1.');
    expect(care).toContain('Whether 1 of 3 running machines is working right now is unknown: no recent metrics.');
    expect(factText(question, 'Right now')).toContain(
      '1 of 3 running machines is quiet. GPU load is not reported by this API.',
    );
    const covered = aKnownScene({machines: [{...node(1), contractId: 118}], usage: [aUsageRecord(1, '8.00')]});
    expect(factText(deletion(aCluster(), covered), 'What it costs')).toContain(
      '(saves up to $8.00/h)  less if a contract is charged anyway',
    );
  });

  const worker = (id?: number) => ({
    role: 'worker' as const,
    roleText: safeText('worker'),
    status: 'ACTIVE' as const,
    statusText: safeText('ACTIVE'),
    ...(id === undefined ? {} : {machineId: virtualMachineId(id)}),
  });
  const busy = new Map([[virtualMachineId(1), busyMetrics(4)]]);
  const usage = [aUsageRecord(1, '5.00')];

  it.each([
    ['name another that cannot be read', {hasUnreadCluster: true as const}],
    ['do not say whether they are nodes', {isNodeUnknown: true as const}],
  ])('counts the machines that it lists as its nodes, also if these %s', (_, field) => {
    const machines = [aVirtualMachine({id: 1, flavor: A_FLAVOR, ...field})];
    const scene = aKnownScene({machines, usage, metrics: busy});
    const question = deletion(aCluster({nodes: [worker(1)]}), scene);
    expect(factText(question, 'What it costs')).toBe('now $5.00/h  after $0.00/h  (saves $5.00/h)');
    expect(factText(question, 'Warnings')).toContain('1 of 1 running machine is WORKING right now: gpu-1.');
  });

  it.each<[string, Partial<Cluster>, object]>([
    ['its nodes do not name them', {nodes: [worker()]}, {hasUnreadCluster: true}],
    ['its nodes could not be read', {hasUnreadNodes: true}, {hasUnreadCluster: true}],
    ['its nodes name one that is not in the list', {nodes: [worker(2)]}, {}],
    ['its nodes name one that says it is none', {nodes: [worker(1)]}, {}],
    ['its nodes name one that names another cluster', {nodes: [worker(1)]}, {clusterId: 78}],
  ])('knows neither what it saves nor what is working there if %s', (_, known, field) => {
    const machines = [aVirtualMachine({id: 1, flavor: A_FLAVOR, ...field})];
    const question = deletion(aCluster(known), aKnownScene({machines, usage, metrics: busy}));
    expect(factText(question, 'What it costs')).toBe('The savings are unknown.');
    expect(factText(question, 'Warnings')).toContain(
      'Whether machines of it are working right now is unknown: not all of its machines are known.',
    );
    expect(question?.answer).toEqual({kind: 'text', what: 'name', expected: 'k8s-inf'});
  });

  it('says that its cost is that of some of its machines only', () => {
    const machines = [1, 2].map(id => aVirtualMachine({id, clusterId: 77}));
    const question = deletion(aCluster(), aKnownScene({machines, usage}));
    expect(factText(question, 'What it costs')).toBe(
      'now at least $5.00/h  after $0.00/h  (saves at least $5.00/h)  without machines whose cost is unknown',
    );
  });

  it('costs nothing if it has no nodes', () => {
    const question = deletion(aCluster(), aKnownScene({machines: [aVirtualMachine({id: 1})], usage}));
    expect(factText(question, 'What it costs')).toBe('now $0.00/h  after $0.00/h  (no change in cost)');
    expect(factText(question, 'Warnings')).not.toContain('unknown');
  });

  it('warns about volumes that carry its name or are attached to its machines', () => {
    const machines = [aVirtualMachine({id: 1, clusterId: 77}), aVirtualMachine({id: 2})];
    const on = (id: number) => ({attachments: [{machineId: virtualMachineId(id), status: safeText('ATTACHED')}]});
    const volumes = [
      aVolume({id: 1, name: safeText('pvc-k8s-inf-01')}),
      aVolume({id: 2, name: safeText('models'), ...on(1)}),
      aVolume({id: 3, name: safeText('pvc-k8s-infra-01')}),
      aVolume({id: 4, name: safeText('scratch'), ...on(2)}),
    ];
    expect(factText(deletion(aCluster(), aKnownScene({machines, volumes})), 'Warnings')).toContain(
      'Volumes that were created from inside it (pvc-k8s-inf-01, models) may stay and stay billed',
    );
  });

  it('reads the metrics of the machines that it is about', () => {
    const machines = [1, 2].map(id => aVirtualMachine({id, ...(id === 1 ? {clusterId: 77} : {})}));
    const scene = aKnownScene({machines, clusters: [aCluster()]});
    const wanted = clustersPane.wants({scene, view: clustersPane.initialView}).map(({feed}) => feed.key);
    expect(wanted.filter(key => key.startsWith('metrics'))).toEqual(['metrics:1:1h']);
  });

  it.each<[Partial<Omit<Cluster, 'id'>>, RegExp | undefined]>([
    [{status: 'ACTIVE'}, undefined],
    [{status: 'ERROR'}, undefined],
    // The service refuses nodes, node groups and another reconciliation meanwhile, but not deletion.
    [{status: 'RECONCILING'}, undefined],
    [{status: 'ERROR', isReconciling: true}, undefined],
    [{status: 'CREATING', isReconciling: true}, undefined],
    [{status: 'DELETING'}, /^already DELETING/],
    [{status: 'DELETED'}, /^already DELETED/],
  ])('with %j is %s', (cluster, reason) => {
    const told = deleteReason(aCluster(cluster));
    if (reason === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(reason);
  });
});

describe('reconciling a cluster', () => {
  it('shows the reason given by the service, and can be sent by one key', () => {
    const question = reconciliation(aCluster({status: 'ERROR', statusReason: safeText('node lost')}));
    expect(factText(question, 'Right now')).toContain('node lost');
    expect(question?.steps[0].action).toEqual({kind: 'cluster.reconcile', id: 77});
    expect(question?.answer).toEqual({kind: 'key'});
  });

  it('warns when there is nothing to repair', () => {
    expect(factText(reconciliation(aCluster()), 'Warnings')).toContain('It is ACTIVE');
  });

  it('says which nodes it is for when the service says that all is well', () => {
    const node = (status: 'ACTIVE' | 'ERROR') =>
      ({role: 'worker', roleText: safeText('worker'), status, statusText: safeText(status)}) as const;
    const nodes = [node('ACTIVE'), node('ERROR')];
    const broken = reconciliation(aCluster({nodes, statusReason: safeText('K8s is ready')}));
    expect(factText(broken, 'Right now')).toContain('It is ACTIVE: 1 of 2 workers active, 1 node in ERROR.');
    expect(factText(broken, 'Right now')).not.toContain('K8s is ready');
    expect(factText(broken, 'Warnings')).not.toContain('nothing to repair');
  });

  it('does not count workers that were not all read', () => {
    const group = {name: safeText('gpu'), count: 3, firewallIds: []};
    const question = reconciliation(aCluster({nodeGroups: [group], hasUnreadNodes: true}));
    expect(factText(question, 'Right now')).toContain('It is ACTIVE: its nodes could not be read.');
    expect(factText(question, 'Warnings')).not.toContain('nothing to repair');
  });

  it('is refused while one is already running', () => {
    expect(reconcileReason(aCluster({status: 'RECONCILING'}))).toBe('it is already reconciling');
    expect(reconcileReason(aCluster({status: 'ERROR', isReconciling: true}))).toBe('it is already reconciling');
    expect(reconcileReason(aCluster({status: 'ERROR'}))).toBeUndefined();
    expect(reconcileReason(aCluster({status: 'DELETING'}))).toBe('it is DELETING');
    expect(reconcileReason(aCluster(), {...SCENE, operations: undefined})).toMatch(/^read-only/);
  });

  it('is allowed for a cluster that is stuck in creation, but not for a recent one', () => {
    const creating = (minutes: number) =>
      aCluster({status: 'CREATING', isReconciling: true, createdAt: epochMs(NOW - minutes * MINUTE_MS)});
    expect(reconcileReason(creating(61))).toBeUndefined();
    expect(reconcileReason(creating(59))).toBe('it is still being created');
  });

  it('does not say that everything else is refused meanwhile, since it can be deleted', () => {
    expect(factText(reconciliation(aCluster({status: 'ERROR'})), 'Right now')).toContain(
      'Changes to its nodes and node groups are refused until it is done.',
    );
  });
});

describe('creating a cluster', () => {
  const created = (imageName: string, name = 'k8s') => {
    const action = createCluster.with({
      spec: {
        name: safeText(name),
        environmentName: safeText('prod-no'),
        keyPairName: safeText('ana'),
        kubernetesVersion: safeText('1.31.4'),
        masterFlavorName: safeText('n1-cpu-medium'),
        imageName: safeText(imageName),
        nodeGroups: [],
      },
    });
    return candidate(action, undefined, SCENE);
  };

  it('with an image warns that the service may refuse it', () => {
    const question = questionFor([created('Ubuntu Server 24.04 LTS')], SCENE);
    expect(factText(question, 'Warnings')).toContain('it may refuse a request that names one');
  });

  it.each([
    ['k8s prod_1-a', undefined],
    ['prod@1', 'name: only letters, digits, - and _, with blanks inside'],
    [' prod', 'name: only letters, digits, - and _, with blanks inside'],
    ['prod.eu', 'name: only letters, digits, - and _, with blanks inside'],
  ])('named %j is refused as the service would, with the reason', (name, reason) => {
    expect(created('Ubuntu Server 24.04 LTS', name).reason).toBe(reason);
  });

  it('is refused for an image with Docker, as documented', () => {
    expect(created('Ubuntu Server 22.04 LTS R535 CUDA 12.2 with Docker').reason).toMatch(/^image: .*"with Docker"$/);
    expect(created('Ubuntu Server 24.04 LTS').reason).toBeUndefined();
  });
});
