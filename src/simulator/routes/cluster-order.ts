import {badRequest, invalidInput, unknownFields, unprocessable} from '../answer.ts';
import type {ClusterOrder, NodeGroupOrder} from '../cluster-creation.ts';
import {
  type BodyFields,
  type Check,
  type FieldRule,
  fieldErrors,
  fieldsOf,
  integer,
  isObject,
  listOf,
  oneOf,
  readBody,
  text,
} from './body-fields.ts';

export type Reading<T> =
  | {readonly isValid: true; readonly order: T}
  | {readonly isValid: false; readonly refusal: Response};

type Complaints = Readonly<Record<string, readonly string[]>>;

const NAME_LIMIT = 250;
const GROUP_NAME_LIMIT = 20;
const MOST_WORKERS = 20;
const DEFAULT_MASTERS = 2;
const MOST_MASTERS = 3;
/** What the workers are called that were asked for by flavor and number alone. */
const ONLY_GROUP_NAME = 'default';
const NUMBER = integer(Number.MIN_SAFE_INTEGER);

const GROUP_FIELDS: Readonly<Record<string, FieldRule>> = {
  name: {check: text(GROUP_NAME_LIMIT), isRequired: true},
  role: {check: oneOf(['worker']), isRequired: true},
  flavor_name: {check: text(NAME_LIMIT), isRequired: true},
  count: {check: NUMBER},
  min_count: {check: NUMBER},
  max_count: {check: NUMBER},
  firewall_ids: {check: listOf(integer(1))},
};

/**
 * Reads what a new cluster is to be like. Names and types are refused with 400, numbers out of their range and
 * workers told twice or not at all with 422.
 */
export function readClusterOrder(body: unknown, nameLimit: number): Reading<ClusterOrder> {
  const reading = readBody(body, clusterFields(nameLimit));
  if (!reading.isValid) return reading;
  const {fields} = reading;
  // The described field of older versions; the service now chooses by the version.
  if (fields.text('image_name')?.endsWith('with Docker') === true) {
    return refuse(badRequest('Images whose name ends in "with Docker" are not supported for clusters.'));
  }
  const masterCount = fields.number('master_count') ?? DEFAULT_MASTERS;
  const complaints = {
    ...rangeComplaint('master_count', masterCount, DEFAULT_MASTERS, MOST_MASTERS),
    ...workerComplaints(fields),
  };
  if (Object.keys(complaints).length > 0) return refuse(unprocessable(complaints));
  const groups = groupsOf(fields);
  if (!groups.isValid) return groups;
  return {
    isValid: true,
    order: {
      name: fields.text('name') ?? '',
      environmentName: fields.text('environment_name') ?? '',
      keyPairName: fields.text('keypair_name') ?? '',
      kubernetesVersion: fields.text('kubernetes_version') ?? '',
      masterFlavorName: fields.text('master_flavor_name') ?? '',
      masterCount,
      isFull: fields.text('deployment_mode') !== 'standard',
      groups: groups.order,
    },
  };
}

/** Reads a node group, for a cluster that is there or one that is to be. */
export function readGroupOrder(body: unknown): Reading<NodeGroupOrder> {
  const reading = readBody(body, GROUP_FIELDS);
  if (!reading.isValid) return reading;
  const order = groupOf(reading.fields);
  const complaints = groupComplaints(order, '');
  return Object.keys(complaints).length > 0 ? refuse(unprocessable(complaints)) : {isValid: true, order};
}

export function rangeComplaint(name: string, value: number, least: number, most: number): Complaints {
  return value >= least && value <= most ? {} : {[name]: [`Must be from ${least} to ${most}.`]};
}

function clusterFields(nameLimit: number): Readonly<Record<string, FieldRule>> {
  return {
    name: {check: clusterName(nameLimit), isRequired: true},
    environment_name: {check: text(NAME_LIMIT), isRequired: true},
    keypair_name: {check: text(NAME_LIMIT), isRequired: true},
    kubernetes_version: {check: text(NAME_LIMIT), isRequired: true},
    master_flavor_name: {check: text(NAME_LIMIT), isRequired: true},
    master_count: {check: NUMBER},
    deployment_mode: {check: oneOf(['full', 'standard'])},
    node_flavor_name: {check: text(NAME_LIMIT)},
    node_count: {check: NUMBER},
    node_groups: {check: listOf(value => (isObject(value) ? undefined : 'must be an object'))},
    image_name: {check: text(NAME_LIMIT)},
  };
}

function clusterName(limit: number): Check {
  return value => {
    const error = text(limit)(value);
    if (error !== undefined) return error;
    return /^[\w-](?:[\w -]*[\w-])?$/.test(String(value))
      ? undefined
      : 'may hold letters, digits, hyphens, underscores and inner spaces only';
  };
}

/** The workers are told in one of two ways, and have to be told. */
function workerComplaints(fields: BodyFields): Complaints {
  const isByFlavor = fields.has('node_flavor_name') || fields.has('node_count');
  const isByGroups = fields.list('node_groups').length > 0;
  if (isByFlavor && isByGroups) return {node_groups: ['Cannot be combined with node_flavor_name and node_count.']};
  if (isByGroups) return {};
  const count = fields.number('node_count');
  return {
    ...(fields.has('node_flavor_name') ? {} : {node_flavor_name: ['Is required without node_groups.']}),
    ...(count === undefined
      ? {node_count: ['Is required without node_groups.']}
      : rangeComplaint('node_count', count, 1, MOST_WORKERS)),
  };
}

function groupsOf(fields: BodyFields): Reading<readonly NodeGroupOrder[]> {
  const bodies = fields.list('node_groups').map(body => new Map(isObject(body) ? Object.entries(body) : []));
  if (bodies.length === 0) return {isValid: true, order: [onlyGroup(fields)]};
  for (const [index, values] of bodies.entries()) {
    const unknown = [...values.keys()].filter(name => !Object.hasOwn(GROUP_FIELDS, name));
    if (unknown.length > 0) return refuse(unknownFields(unknown.map(name => `node_groups.${index}.${name}`)));
    const errors = Object.entries(fieldErrors(values, GROUP_FIELDS));
    if (errors.length > 0) {
      return refuse(
        invalidInput(Object.fromEntries(errors.map(([name, error]) => [`node_groups.${index}.${name}`, error]))),
      );
    }
  }
  const orders = bodies.map(values => groupOf(fieldsOf(values)));
  const complaints = Object.assign(
    {},
    ...orders.map((order, index) => groupComplaints(order, `node_groups.${index}.`)),
  );
  const names = new Set(orders.map(({name}) => name));
  if (names.size < orders.length) return refuse(unprocessable({node_groups: ['Each needs a name of its own.']}));
  return Object.keys(complaints).length > 0 ? refuse(unprocessable(complaints)) : {isValid: true, order: orders};
}

function onlyGroup(fields: BodyFields): NodeGroupOrder {
  const count = fields.number('node_count') ?? 1;
  const flavorName = fields.text('node_flavor_name') ?? '';
  return {name: ONLY_GROUP_NAME, flavorName, count, minCount: 1, maxCount: MOST_WORKERS, firewallIds: []};
}

function groupOf(fields: BodyFields): NodeGroupOrder {
  const count = fields.number('count') ?? 1;
  return {
    name: fields.text('name') ?? '',
    flavorName: fields.text('flavor_name') ?? '',
    count,
    minCount: fields.number('min_count') ?? 1,
    maxCount: fields.number('max_count') ?? MOST_WORKERS,
    firewallIds: fields.numbers('firewall_ids'),
  };
}

function groupComplaints({count, minCount, maxCount}: NodeGroupOrder, prefix: string): Complaints {
  return {
    ...rangeComplaint(`${prefix}max_count`, maxCount, 1, MOST_WORKERS),
    ...rangeComplaint(`${prefix}min_count`, minCount, 1, Math.min(maxCount, MOST_WORKERS)),
    ...rangeComplaint(`${prefix}count`, count, Math.max(1, minCount), Math.min(maxCount, MOST_WORKERS)),
  };
}

function refuse(refusal: Response): {isValid: false; refusal: Response} {
  return {isValid: false, refusal};
}
