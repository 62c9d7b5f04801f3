import type {Machine, Status} from '../../world/machine.ts';
import type {VolumeAttachment} from '../../world/volumes.ts';
import type {World} from '../../world/world.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {environmentFeatures} from './features.ts';
import {flavorPart} from './flavor-body.ts';
import {ruleBody} from './rule-body.ts';

/** A machine as it stands in the list. */
export function machineBody(machine: Machine, world: World) {
  const {environment, flavor, stableStatus} = machine;
  return {
    id: machine.id,
    name: machine.name,
    status: machine.status,
    environment: {
      id: environment.id,
      name: environment.name,
      org_id: world.organization.id,
      region: environment.regionName,
      features: environmentFeatures(environment),
    },
    // A machine started from a volume has none.
    image: machine.image.name === '' ? null : {name: machine.image.name},
    flavor: flavorPart(flavor),
    os: machine.image.os,
    keypair: {name: machine.keyPairName},
    volume_attachments: machine.attachments.map(attachmentBody),
    // A machine that has never been up has neither state, nor address, nor rules.
    power_state: stableStatus === undefined ? null : (POWER_STATES[stableStatus] ?? 'NOSTATE'),
    vm_state: stableStatus === undefined ? null : (VM_STATES[stableStatus] ?? 'error'),
    fixed_ip: stableStatus === undefined ? null : (machine.fixedIp ?? null),
    floating_ip: machine.floatingIp ?? null,
    floating_ip_status: floatingIpStatus(machine),
    security_rules: stableStatus === undefined ? [] : machine.rules.map(ruleBody),
    callback_url: machine.callback?.url ?? null,
    locked: false,
    contract_id: machine.contract?.id ?? null,
    labels: machine.labels,
    created_at: bareTimestamp(machine.createdAt),
    features: {},
    is_snapshotting: false,
    cluster_id: machine.cluster?.clusterId ?? null,
    port_randomization: machine.isPortRandomized,
    port_randomization_status: portRandomizationStatus(machine),
    requires_public_ip: machine.requiresPublicIp,
  };
}

// Both states are those of the compute layer underneath and only know what is stable.
const VM_STATES: Partial<Record<Status, string>> = {
  ACTIVE: 'active',
  SHUTOFF: 'stopped',
  HIBERNATED: 'shelved_offloaded',
  ERROR: 'error',
};
const POWER_STATES: Partial<Record<Status, string>> = {
  ACTIVE: 'RUNNING',
  SHUTOFF: 'SHUTDOWN',
  HIBERNATED: 'SHUTDOWN',
  ERROR: 'NOSTATE',
};

/** How a machine's public address is; a machine without one says so in three words. */
export function floatingIpStatus(machine: Machine): string {
  if (machine.addressChange !== undefined) return machine.addressChange;
  if (machine.floatingIp !== undefined) return 'ATTACHED';
  const isComing = machine.requiresPublicIp && ['CREATING', 'BUILD', 'RESTORING'].includes(machine.status);
  return isComing ? 'ATTACHING' : 'NO FLOATING IP';
}

function portRandomizationStatus({floatingIp, isPortRandomized}: Machine): string {
  if (floatingIp === undefined) return 'NO_FLOATING_IP';
  return isPortRandomized ? 'ENABLED' : 'DISABLED';
}

function attachmentBody({id, status, volume, device, createdAt, isProtected}: VolumeAttachment) {
  return {
    id,
    status,
    device,
    protected: isProtected,
    created_at: zuluTimestamp(createdAt),
    volume: {
      id: volume.id,
      name: volume.name,
      description: volume.description,
      volume_type: 'Cloud-SSD',
      size: volume.sizeGb,
      bootable: volume.isBootable ?? false,
    },
  };
}
