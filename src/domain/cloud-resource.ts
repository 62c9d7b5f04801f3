import type {Cluster} from './cluster.ts';
import type {Contract} from './contract.ts';
import type {Environment} from './environment.ts';
import type {Firewall} from './firewall.ts';
import type {Flavor} from './flavor.ts';
import type {KeyPair} from './key-pair.ts';
import type {AccessKey, Bucket} from './object-storage.ts';
import {type SafeText, say} from './safe-text.ts';
import type {VirtualMachine} from './virtual-machine.ts';
import type {Volume} from './volume.ts';

/** Everything that actions, findings, timeline entries and other resources refer to, by type. */
export type CloudResources = {
  readonly vm: VirtualMachine;
  readonly firewall: Firewall;
  readonly cluster: Cluster;
  readonly volume: Volume;
  readonly 'key-pair': KeyPair;
  readonly environment: Environment;
  readonly 'access-key': AccessKey;
  readonly bucket: Bucket;
  readonly contract: Contract;
  readonly flavor: Flavor;
};
export type ResourceType = keyof CloudResources;
export type CloudResource = CloudResources[ResourceType];

/** The name of each type in a sentence. */
export const RESOURCE_WORDS: Readonly<Record<ResourceType, {readonly many: SafeText; readonly one: SafeText}>> = {
  vm: {many: say`machines`, one: say`machine`},
  firewall: {many: say`firewalls`, one: say`firewall`},
  cluster: {many: say`clusters`, one: say`cluster`},
  volume: {many: say`volumes`, one: say`volume`},
  'key-pair': {many: say`key pairs`, one: say`key pair`},
  environment: {many: say`environments`, one: say`environment`},
  'access-key': {many: say`access keys`, one: say`access key`},
  bucket: {many: say`buckets`, one: say`bucket`},
  contract: {many: say`contracts`, one: say`contract`},
  flavor: {many: say`flavors`, one: say`flavor`},
};

export function isResourceType(word: string): word is ResourceType {
  return Object.hasOwn(RESOURCE_WORDS, word);
}

/** The name a person knows it by: the public half of an access key, the id of a contract. */
export function nameOf(subject: CloudResource): SafeText {
  if ('name' in subject) return subject.name;
  if ('accessKey' in subject) return subject.accessKey ?? say``;
  return say`#${subject.id}`;
}

/** The common part of numbered names: `sweep-` for `sweep-07`. */
export function stemOf(name: string): string {
  return name.replace(/\d+$/, '');
}

/** The state in the service's word; undefined for types without states. */
export function statusOf(subject: CloudResource): {readonly status: string; readonly statusText: SafeText} | undefined {
  return 'statusText' in subject ? subject : undefined;
}
