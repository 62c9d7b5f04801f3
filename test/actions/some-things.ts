import {type Cluster, clusterId} from '../../src/domain/cluster.ts';
import {type Environment, environmentId} from '../../src/domain/environment.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import {type KeyPair, keyPairId} from '../../src/domain/key-pair.ts';
import {type AccessKey, accessKeyId, type Bucket} from '../../src/domain/object-storage.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs} from '../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type Volume, volumeId} from '../../src/domain/volume.ts';

// One or two of everything that actions act on, with defaults for what a test does not care about.

const text = safeText;
export const machine = virtualMachineId(7);
export const wall = firewallId(30);
export const otherWall = firewallId(31);
export const disk = volumeId(50);
export const otherDisk = volumeId(51);

export function aMachine(rest: Partial<VirtualMachine> = {}): VirtualMachine {
  const status = rest.status ?? 'ACTIVE';
  const base = {id: machine, name: text('gpu-7'), status, statusText: text(status), volumes: [], rules: [], labels: []};
  return {...base, ...rest};
}

export function aFirewall(rest: Partial<Firewall> = {}): Firewall {
  const status = rest.status ?? 'SUCCESS';
  return {id: wall, name: text('edge'), status, statusText: text(status), rules: [], attachments: [], ...rest};
}

export function aCluster(rest: Partial<Cluster> = {}): Cluster {
  const status = rest.status ?? 'ACTIVE';
  const base = {id: clusterId(40), name: text('k8s'), status, statusText: text(status)};
  return {...base, nodeGroups: [], nodes: [], hasKubeConfig: false, ...rest};
}

export function aVolume(rest: Partial<Volume> = {}): Volume {
  const status = rest.status ?? 'AVAILABLE';
  return {id: disk, name: text('data'), status, statusText: text(status), attachments: [], ...rest};
}

export const keyPair: KeyPair = {id: keyPairId(60), name: text('laptop')};
export const environment: Environment = {id: environmentId(70), name: text('prod'), regionName: text('NORWAY-1')};
export const accessKey: AccessKey = {
  id: accessKeyId(80),
  accessKey: text('AK80'),
  regionName: text('CANADA-1'),
  // Later than the start of any test.
  createdAt: epochMs(Date.UTC(2030, 0, 1)),
};
export const bucket: Bucket = {name: text('logs'), regionName: text('CANADA-1')};
export const rule = {
  direction: 'ingress',
  protocol: text('tcp'),
  etherType: 'IPv4',
  remoteIpPrefix: text('10.0.0.0/8'),
  portRangeMin: 22,
  portRangeMax: 22,
} as const;
const asRead = {...rule, direction: text('ingress'), etherType: text('IPv4')};
export const other = {...asRead, portRangeMin: 443, portRangeMax: 443, id: 1, status: text('SUCCESS')};
export const pending = {...asRead, id: 9, status: text('pending')};
export const inForce = {...asRead, id: 9, status: text('SUCCESS')};
export const going = {...asRead, id: 9, status: text('DELETING')};
