import type {Cluster} from './cluster.ts';
import type {Environment} from './environment.ts';
import type {Firewall} from './firewall.ts';
import type {KeyPair} from './key-pair.ts';
import type {AccessKey, Bucket} from './object-storage.ts';
import {type SafeText, say} from './safe-text.ts';
import type {VirtualMachine} from './virtual-machine.ts';
import type {Volume} from './volume.ts';

/** Everything that actions are done to, by its type. */
export type CloudResources = {
  readonly vm: VirtualMachine;
  readonly firewall: Firewall;
  readonly cluster: Cluster;
  readonly volume: Volume;
  readonly 'key-pair': KeyPair;
  readonly environment: Environment;
  readonly 'access-key': AccessKey;
  readonly bucket: Bucket;
};
export type ResourceType = keyof CloudResources;
export type CloudResource = CloudResources[ResourceType];

export const RESOURCE_TYPES: readonly ResourceType[] = [
  'vm',
  'firewall',
  'cluster',
  'volume',
  'key-pair',
  'environment',
  'access-key',
  'bucket',
];

/** What a person calls it by. An access key has no name: its public half stands for it. */
export function nameOf(subject: CloudResource): SafeText {
  if ('name' in subject) return subject.name;
  return 'accessKey' in subject && subject.accessKey !== undefined ? subject.accessKey : say``;
}

/** The state in the service's word; undefined where resources of its type have none. */
export function statusOf(subject: CloudResource): {readonly status: string; readonly statusText: SafeText} | undefined {
  return 'statusText' in subject ? subject : undefined;
}
