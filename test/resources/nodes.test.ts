import {expect, it} from 'vitest';
import type {ClusterNode, NodeRole, NodeStatus} from '../../src/domain/cluster.ts';
import type {UsageRecord} from '../../src/domain/billing.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {listColumns} from '../../src/panes/list/list-columns.ts';
import {nodeRows, nodes} from '../../src/resources/nodes.ts';
import {layoutColumns} from '../../src/ui/table.ts';
import {aCluster} from '../panes/a-catalogue.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

function aNode(id: number, role: NodeRole, status: NodeStatus): ClusterNode {
  return {id, role, roleText: safeText(role), status, statusText: safeText(status)};
}

it('lists failed nodes first, then those that are not ready, then sorts by role', () => {
  const failed = [
    aNode(1, 'worker', 'ACTIVE'),
    aNode(2, 'bastion', 'ERROR'),
    aNode(3, 'master', 'ACTIVE'),
    aNode(4, 'worker', 'ERROR'),
    aNode(5, 'worker', 'RECONCILING'),
  ];
  const rows = nodeRows(aKnownScene({}), aCluster({nodes: failed}));
  expect(rows.map(({node}) => node.id)).toEqual([4, 2, 5, 3, 1]);
});

it('columns of nodes at 80 cells keep the state and the reason, and the whole name of a worker', () => {
  // 80 cells without the two edges of the box and the three cells before the first column.
  const placed = layoutColumns(listColumns(nodes.columns), 75);
  expect(placed.map(({column}) => column.key)).toEqual(['role', 'state', 'machine', 'machine-state', 'cost', 'reason']);
  expect(placed.find(({column}) => column.key === 'machine')?.width).toBeGreaterThanOrEqual(
    'k8s-batch-worker-2'.length,
  );
});

it('calls a master free if the loaded usage has no record of it, and unknown before the usage is loaded', () => {
  const cost = (known: Parameters<typeof aKnownScene>[0], role: NodeRole) => {
    const [row] = nodeRows(aKnownScene(known), aCluster({nodes: [aNode(1, role, 'ACTIVE')]}));
    return row && nodes.columns.find(({key}) => key === 'cost')?.value(row)?.text;
  };
  expect(cost({usage: []}, 'master')).toBe('free');
  expect(cost({usage: []}, 'worker')).toBeUndefined();
  expect(cost({}, 'master')).toBeUndefined();
});

it('has the cost of its machine as the list of machines shows it', () => {
  const cost = (status: MachineStatus, hourly: string, rest: Partial<UsageRecord> = {}) => {
    const machine = aVirtualMachine({id: 9, status, flavor: A_FLAVOR});
    const node = {...aNode(1, 'worker', 'ACTIVE'), machineId: machine.id};
    const known = {machines: [machine], usage: [{...aUsageRecord(9, hourly), ...rest}]};
    const [row] = nodeRows(aKnownScene(known), aCluster({nodes: [node]}));
    return row && nodes.columns.find(({key}) => key === 'cost')?.value(row)?.text;
  };
  expect(cost('ACTIVE', '2.70')).toBe('2.70');
  // A machine is free while it starts: that rate is out of date once it runs.
  expect(cost('ACTIVE', '0')).toBeUndefined();
  expect(cost('ERROR', '0')).toBe('free');
  expect(cost('ACTIVE', '2.70', {isExcludedFromBilling: true})).toBe('free');
});
