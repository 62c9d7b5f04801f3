import type {Resource} from './resource.ts';
import {me, organization} from './resources-account.ts';
import {
  environments,
  flavors,
  images,
  keyPairs,
  masterFlavors,
  regions,
  stock,
  versions,
} from './resources-catalogue.ts';
import {clusters, events, machines, nodes} from './resources-compute.ts';
import {contracts, credit, usage} from './resources-money.ts';
import {firewalls, protocols, rules} from './resources-network.ts';
import {accessKeys, buckets, volumes} from './resources-storage.ts';
import {closest} from './suggest.ts';

/** Every kind of record that `get` and `describe` know, in the order in which they are told. */
export const RESOURCES: readonly Resource[] = [
  machines,
  clusters,
  nodes,
  firewalls,
  rules,
  volumes,
  keyPairs,
  flavors,
  masterFlavors,
  images,
  environments,
  regions,
  stock,
  contracts,
  usage,
  credit,
  buckets,
  accessKeys,
  organization,
  me,
  events,
  protocols,
  versions,
];

/** The resource that goes by a name: its plural, its singular or a short form. */
export function resourceNamed(name: string): Resource | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '-');
  return RESOURCES.find(({names}) => names.includes(wanted));
}

/** Why there is no resource of that name, and which was probably meant. */
export function unknownResource(name: string): string {
  const meant = closest(
    name,
    RESOURCES.flatMap(({names}) => names),
  );
  const list = RESOURCES.map(({names}) => names[0]).join(' ');
  return meant === undefined
    ? `there is no resource "${name}"; there are ${list}`
    : `there is no resource "${name}"; did you mean ${meant}?`;
}
