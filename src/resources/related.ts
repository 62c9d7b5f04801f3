import type {ResourceType} from '../domain/cloud-resource.ts';
import type {Cluster} from '../domain/cluster.ts';
import {contractName} from '../domain/contract.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {presentAttachments} from '../domain/volume.ts';
import {clustersFeed} from '../state/clusters.ts';
import {contractsFeed} from '../state/contracts.ts';
import {environmentsFeed} from '../state/environments.ts';
import type {Feed, Listing} from '../state/feed.ts';
import {observedFirewalls} from '../state/firewalls.ts';
import {keyPairsFeed} from '../state/key-pairs.ts';
import {observedMachines, observedMachinesOf} from '../state/machines.ts';
import type {Store} from '../state/store.ts';
import {volumesFeed} from '../state/volumes.ts';

/** The objects of one kind that belong to an object; undefined until the list that says so is known. */
export type RelatedGroup = {
  readonly kind: ResourceType;
  readonly objects: readonly {readonly id: number; readonly name: SafeText}[] | undefined;
  /** The filter that finds them in the list of their kind, if there are many. */
  readonly filterText?: string;
};

type Named = {readonly id: number; readonly name: SafeText};
type InEnvironment = {readonly environmentName?: SafeText};

export function machinesWhere(
  store: Store,
  isWanted: (machine: VirtualMachine) => boolean,
  filterText?: string,
): RelatedGroup {
  return group('vm', observedMachines(store)?.filter(isWanted), filterText);
}

/** The machines of a cluster: those that its cost is the sum of. */
export function machinesOf(store: Store, cluster: Cluster, filterText: string): RelatedGroup {
  return group('vm', observedMachines(store) && observedMachinesOf(store, cluster), filterText);
}

export function firewallsWhere(
  store: Store,
  isWanted: (firewall: NonNullable<ReturnType<typeof observedFirewalls>>[number]) => boolean,
  filterText?: string,
): RelatedGroup {
  return group('firewall', observedFirewalls(store)?.filter(isWanted), filterText);
}

/** The volumes attached to any of these machines; undefined until machines are known. */
export function volumesAttachedTo(store: Store, machineIds: readonly number[] | undefined): RelatedGroup {
  const ids = new Set(machineIds);
  const volumes = machineIds === undefined ? undefined : recordsOf(store, volumesFeed);
  const attached = volumes?.filter(volume =>
    presentAttachments(volume).some(({machineId}) => machineId !== undefined && ids.has(machineId)),
  );
  return group('volume', attached);
}

/** All records of a kind that names its environment. */
export function inEnvironment<R extends Named & InEnvironment>(
  store: Store,
  kind: ResourceType,
  feed: Feed<Listing<R>>,
  {name}: {readonly name: SafeText},
): RelatedGroup {
  const records = recordsOf(store, feed)?.filter(({environmentName}) => environmentName === name);
  return group(kind, records, `environment:"${name}"`);
}

/** Records give only the name of their environment; its id is looked up in the list. */
export function environmentOf(store: Store, {environmentName}: InEnvironment): readonly RelatedGroup[] {
  if (environmentName === undefined) return [];
  return [
    group(
      'environment',
      recordsOf(store, environmentsFeed)?.filter(({name}) => name === environmentName),
    ),
  ];
}

/** The key pair with this name in the same environment. */
export function keyPairOf(
  store: Store,
  {keyPairName, environmentName}: InEnvironment & {readonly keyPairName?: SafeText},
): readonly RelatedGroup[] {
  if (keyPairName === undefined) return [];
  const isIt = (pair: InEnvironment & Named) => pair.name === keyPairName && pair.environmentName === environmentName;
  return [group('key-pair', recordsOf(store, keyPairsFeed)?.filter(isIt))];
}

export function clusterOf(store: Store, id: number | undefined): readonly RelatedGroup[] {
  return id === undefined
    ? []
    : [
        group(
          'cluster',
          recordsOf(store, clustersFeed)?.filter(each => each.id === id),
        ),
      ];
}

export function contractOf(store: Store, id: number | undefined): readonly RelatedGroup[] {
  if (id === undefined) return [];
  const contracts = recordsOf(store, contractsFeed)?.filter(each => each.id === id);
  return [
    group(
      'contract',
      // Without the kind, which the menu shows before it.
      contracts?.map(contract => ({
        id: contract.id,
        name: contract.description === undefined ? say`#${contract.id}` : contractName(contract),
      })),
    ),
  ];
}

function recordsOf<R>(store: Store, feed: Feed<Listing<R>>): readonly R[] | undefined {
  return lastValue(store.get(feed))?.records;
}

function group(kind: ResourceType, records: readonly Named[] | undefined, filterText?: string): RelatedGroup {
  const objects = records?.map(({id, name}) => ({id, name}));
  return filterText === undefined ? {kind, objects} : {kind, objects, filterText};
}
