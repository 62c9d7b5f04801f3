import {kubernetesImage, REGIONS} from '../../world/catalogue.ts';
import {type Cluster, kubeConfigOf, type NodeGroup} from '../../world/cluster.ts';
import {holdsFor} from '../../world/firewalls.ts';
import type {Machine} from '../../world/machine.ts';
import type {World} from '../../world/world.ts';
import {bareTimestamp} from '../timestamps.ts';
import {flavorPart} from './flavor-body.ts';
import {floatingIpStatus} from './virtual-machine-body.ts';

/** A cluster as it stands in the list and by itself: both hold the key to it. */
export function clusterBody(cluster: Cluster, world: World) {
  const nodes = world.machines.filter(machine => machine.cluster?.clusterId === cluster.id);
  const {environment} = cluster;
  return {
    id: cluster.id,
    name: cluster.name,
    environment_name: environment.name,
    environment_region: environment.regionName,
    kubernetes_version: cluster.kubernetesVersion,
    api_address: cluster.apiAddress,
    kube_config: kubeConfigOf(cluster),
    status: cluster.status,
    status_reason: cluster.statusReason,
    green_status: REGIONS.find(({name}) => name === environment.regionName)?.greenStatus ?? 'NOT_GREEN',
    master_flavor: flavorPart(cluster.masterFlavor),
    master_count: nodes.filter(({cluster: node}) => node?.role === 'master').length,
    keypair_name: cluster.keyPairName,
    created_at: bareTimestamp(cluster.createdAt),
    image: {name: kubernetesImage(cluster.kubernetesVersion).name},
    node_groups: cluster.nodeGroups.map(group => nodeGroupBody(group, cluster, nodes, world)),
    nodes: nodes.map(machine => nodeBody(machine, cluster)),
    is_reconciling: cluster.status === 'RECONCILING' || cluster.status === 'CREATING',
  };
}

export function nodeGroupBody(group: NodeGroup, cluster: Cluster, nodes: readonly Machine[], world: World) {
  const members = new Set(nodes.filter(({cluster: node}) => node?.groupName === group.name).map(({id}) => id));
  const firewalls = world.firewalls.filter(firewall => [...members].some(id => holdsFor(firewall, id)));
  return {
    id: group.id,
    cluster_id: cluster.id,
    name: group.name,
    role: 'worker',
    flavor: flavorPart(group.flavor),
    count: group.count,
    min_count: group.minCount,
    max_count: group.maxCount,
    firewall_ids: firewalls.map(({id}) => id),
    firewalls: firewalls.map(({id, name, status}) => ({id, name, status})),
    created_at: bareTimestamp(group.createdAt),
    updated_at: group.updatedAt === null ? null : bareTimestamp(group.updatedAt),
  };
}

export function nodeBody(machine: Machine, cluster: Cluster) {
  const node = machine.cluster;
  const group = cluster.nodeGroups.find(({name}) => name === node?.groupName);
  const isUp = machine.stableStatus !== undefined;
  return {
    id: node?.nodeId ?? null,
    node_group_id: group?.id ?? null,
    node_group_name: group?.name ?? null,
    role: node?.role ?? 'worker',
    status: node?.trouble?.status ?? nodeStatus(machine, cluster),
    status_reason: node?.trouble?.reason ?? null,
    is_bastion: node?.role === 'bastion',
    requires_public_ip: machine.requiresPublicIp,
    created_at: bareTimestamp(machine.createdAt),
    updated_at: null,
    instance: {
      id: machine.id,
      name: machine.name,
      status: machine.status,
      fixed_ip: isUp ? (machine.fixedIp ?? null) : null,
      floating_ip: machine.floatingIp ?? null,
      floating_ip_status: floatingIpStatus(machine),
      contract_id: machine.contract?.id ?? null,
      image_id: machine.image.id,
    },
  };
}

/** A cluster does not see its machines being stopped; it sees those that never came. */
function nodeStatus({status, cluster: node}: Machine, cluster: Cluster): string {
  if (status === 'ERROR' || status === 'DELETING') return status;
  if (node?.stage !== undefined) return node.stage;
  if (status === 'CREATING' || status === 'BUILD') return 'CREATING';
  // Workers wait for the whole cluster, with the hyphen this state has among nodes.
  return cluster.status === 'CREATING' && node?.role === 'worker' ? 'PRE-ACTIVE' : 'ACTIVE';
}
