import {assert} from '../domain/assert.ts';
import {closest} from '../domain/closest-word.ts';
import {type CloudResource, isResourceType, type ResourceType} from '../domain/cloud-resource.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {ListChanges} from '../state/list-changes.ts';
import type {Store} from '../state/store.ts';
import {accessKeys} from './access-keys.ts';
import {buckets} from './buckets.ts';
import {clusters} from './clusters.ts';
import {contracts} from './contracts.ts';
import {credit} from './credit.ts';
import {environments} from './environments.ts';
import {events} from './events.ts';
import {firewalls} from './firewalls.ts';
import {flavors, masterFlavors} from './flavors.ts';
import {gpus} from './gpus.ts';
import {images} from './images.ts';
import {keyPairs} from './key-pairs.ts';
import {versions} from './kubernetes-versions.ts';
import {machines} from './machines.ts';
import {members} from './members.ts';
import {nodes} from './nodes.ts';
import {organization} from './organizations.ts';
import {permissions} from './permissions.ts';
import {prices} from './prices.ts';
import {regions} from './regions.ts';
import type {RelatedGroup} from './related.ts';
import type {Resource} from './resource.ts';
import {roles} from './roles.ts';
import {protocols, rules} from './rules.ts';
import {stock} from './stock.ts';
import {usage} from './usage.ts';
import {me} from './users.ts';
import {volumes} from './volumes.ts';

/** Every kind of record that `get` and `describe` know, in the order of the help text. */
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
  gpus,
  prices,
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
  members,
  roles,
  permissions,
  events,
  protocols,
  versions,
];

type ActedOn = Resource & Required<Pick<Resource, 'subjects'>>;

const BY_TYPE: ReadonlyMap<ResourceType, Resource> = new Map(
  RESOURCES.flatMap(resource => (resource.type === undefined ? [] : [[resource.type, resource]])),
);

/** The kind that declares this type. */
export function resourceOf(type: ResourceType): Resource {
  const resource = BY_TYPE.get(type);
  assert(resource !== undefined, `no resource declares the type ${type}`);
  return resource;
}

/** The kind that actions of this type apply to. */
export function subjectResource(type: ResourceType): ActedOn {
  const resource = resourceOf(type);
  assert(isActedOn(resource), `no actions are done to the type ${type}`);
  return resource;
}

function isActedOn(resource: Resource): resource is ActedOn {
  return resource.subjects !== undefined;
}

/** Reports changes from now on, one for each list whose changes the timeline shows. */
export function allListChanges(): readonly ListChanges[] {
  return RESOURCES.flatMap(({changes}) => changes?.() ?? []);
}

/** All known records of a type, however old. */
export function lastSeen(store: Store, type: ResourceType): readonly CloudResource[] {
  return seenIn(store, subjectResource(type).subjects) ?? [];
}

/** Whether the list was read and does not have it. A cursor sent there would land on another row. */
export function isUnlisted(store: Store, kind: string, id: number): boolean {
  const subjects = resourceNamed(kind)?.subjects;
  if (subjects === undefined) return false;
  const listed = seenIn(store, subjects);
  return listed !== undefined && !listed.some(each => 'id' in each && each.id === id);
}

/** The records last read; undefined if none were. */
function seenIn(store: Store, {list, observed}: ActedOn['subjects']): readonly CloudResource[] | undefined {
  return observed === undefined ? lastValue(store.get(list))?.records : observed(store);
}

/**
 * What belongs to an object that a finding, an entry or an operation is about, as far as the lists tell; of several
 * objects, they themselves.
 */
export function relatedToSubjects(
  subjects: readonly {readonly type: string; readonly id?: number | undefined; readonly name: SafeText}[],
  store: Store,
): readonly RelatedGroup[] {
  const objects = new Map<string, {readonly kind: ResourceType; readonly id: number; readonly name: SafeText}>();
  for (const {type, id, name} of subjects)
    if (isResourceType(type) && id !== undefined) objects.set(`${type} ${id}`, {kind: type, id, name});
  const [first, ...others] = objects.values();
  if (first === undefined) return [];
  if (others.length === 0) return resourceOf(first.kind).relatedById(first.id, store);
  return [...Map.groupBy(objects.values(), ({kind}) => kind)].map(([kind, own]) => ({
    kind,
    objects: own.map(({id, name}) => ({id, name})),
  }));
}

/** Where the deck shows a record by id, for any name of its kind; undefined if no pane lists such records. */
export function placeOf(kind: string, id: number | undefined) {
  const place = resourceNamed(kind)?.shownIn;
  return place === undefined || id === undefined ? undefined : {...place, objectId: id};
}

/** The resource by any of its names: plural, singular or short form. */
export function resourceNamed(name: string): Resource | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '-');
  return RESOURCES.find(({names}) => names.includes(wanted));
}

/** Says that there is no resource with that name, and which one was probably meant; `instead` if none is similar. */
export function unknownResource(name: string, instead?: string): string {
  const meant = closest(
    name,
    RESOURCES.flatMap(({names}) => names),
  );
  if (meant !== undefined) return `unknown resource "${name}"; did you mean ${meant}?`;
  return `unknown resource "${name}"; ${instead === undefined ? '' : `did you mean ${instead}? `}${available()}`;
}

/** Says that a command was given no resource. */
export function missingResource(command: string): string {
  return `${command} needs a resource; ${available()}`;
}

function available(): string {
  return `available: ${RESOURCES.map(({names}) => names[0]).join(' ')}`;
}
