import type {ClusterRequest, NodeGroupRequest} from '../../world/cluster-operations.ts';
import {badRequest, invalidInput, unknownFields, unprocessable} from '../answer.ts';
import {type Fields, fieldErrors, fieldsOf, readBody} from '../body.ts';
import {EXISTING_NAME, fields, ID, INTEGER, listOf, type ObjectSchema, RECORDS, type Schema} from '../schema.ts';

export type Reading<T> =
  | {readonly isValid: true; readonly order: T}
  | {readonly isValid: false; readonly refusal: Response};

type Complaints = Readonly<Record<string, readonly string[]>>;

const GROUP_NAME_LIMIT = 20;
const MOST_WORKERS = 20;
const DEFAULT_MASTERS = 2;
const MOST_MASTERS = 3;
/** What the workers are called that were asked for by flavor and number alone. */
const ONLY_GROUP_NAME = 'default';
/** Inner spaces only. */
const NAME_PATTERN = '^[\\w-](?:[\\w -]*[\\w-])?$';

// Numbers out of their range are refused in another way than other mistakes, so no schema here has a range.
export const NODE_GROUP_ORDER: ObjectSchema = fields(
  {
    name: {type: 'string', minLength: 1, maxLength: GROUP_NAME_LIMIT},
    role: {type: 'string', enum: ['worker']},
    flavor_name: EXISTING_NAME,
  },
  {count: INTEGER, min_count: INTEGER, max_count: INTEGER, firewall_ids: listOf(ID)},
);
const REQUIRED = {
  environment_name: EXISTING_NAME,
  keypair_name: EXISTING_NAME,
  kubernetes_version: EXISTING_NAME,
  master_flavor_name: EXISTING_NAME,
} as const;
const OPTIONAL = {
  master_count: INTEGER,
  deployment_mode: {type: 'string', enum: ['full', 'standard']},
  node_flavor_name: EXISTING_NAME,
  node_count: INTEGER,
  image_name: EXISTING_NAME,
} as const;

/** What a new cluster is to be like, as the OpenAPI document tells it. */
export const CLUSTER_ORDER: ObjectSchema = fields(
  {name: {type: 'string', minLength: 1, pattern: NAME_PATTERN}, ...REQUIRED},
  {...OPTIONAL, node_groups: listOf(NODE_GROUP_ORDER)},
);

/**
 * Reads what a new cluster is to be like. Names and types are refused with 400, numbers out of their range and
 * workers told twice or not at all with 422.
 */
export function readClusterOrder(body: unknown, nameLimit: number): Reading<ClusterRequest> {
  const reading = readBody(body, clusterFields(nameLimit));
  if (!reading.isValid) return reading;
  const sent = reading.fields;
  // The described field of older versions; the service now chooses by the version.
  if (sent.text('image_name')?.endsWith('with Docker') === true) {
    return refuse(badRequest('Images whose name ends in "with Docker" are not supported for clusters.'));
  }
  const masterCount = sent.integer('master_count') ?? DEFAULT_MASTERS;
  const complaints = {
    ...rangeComplaint('master_count', masterCount, DEFAULT_MASTERS, MOST_MASTERS),
    ...workerComplaints(sent),
  };
  if (Object.keys(complaints).length > 0) return refuse(unprocessable(complaints));
  const groups = groupsOf(sent);
  if (!groups.isValid) return groups;
  return {
    isValid: true,
    order: {
      name: sent.text('name') ?? '',
      environmentName: sent.text('environment_name') ?? '',
      keyPairName: sent.text('keypair_name') ?? '',
      kubernetesVersion: sent.text('kubernetes_version') ?? '',
      masterFlavorName: sent.text('master_flavor_name') ?? '',
      masterCount,
      isFull: sent.text('deployment_mode') !== 'standard',
      groups: groups.order,
    },
  };
}

/** Reads a node group, for a cluster that is there or one that is to be. */
export function readGroupOrder(body: unknown): Reading<NodeGroupRequest> {
  const reading = readBody(body, NODE_GROUP_ORDER);
  if (!reading.isValid) return reading;
  const order = groupOf(reading.fields);
  const complaints = groupComplaints(order, '');
  return Object.keys(complaints).length > 0 ? refuse(unprocessable(complaints)) : {isValid: true, order};
}

export function rangeComplaint(name: string, value: number, least: number, most: number): Complaints {
  return value >= least && value <= most ? {} : {[name]: [`Must be from ${least} to ${most}.`]};
}

/** Groups are read one by one, as those are that are added to a cluster. */
function clusterFields(nameLimit: number): ObjectSchema {
  const name: Schema = {type: 'string', minLength: 1, maxLength: nameLimit, pattern: NAME_PATTERN};
  return fields({name, ...REQUIRED}, {...OPTIONAL, node_groups: RECORDS});
}

/** The workers are told in one of two ways, and have to be told. */
function workerComplaints(sent: Fields): Complaints {
  const isByFlavor = sent.has('node_flavor_name') || sent.has('node_count');
  const isByGroups = sent.list('node_groups').length > 0;
  if (isByFlavor && isByGroups) return {node_groups: ['Cannot be combined with node_flavor_name and node_count.']};
  if (isByGroups) return {};
  const count = sent.integer('node_count');
  return {
    ...(sent.has('node_flavor_name') ? {} : {node_flavor_name: ['Is required without node_groups.']}),
    ...(count === undefined
      ? {node_count: ['Is required without node_groups.']}
      : rangeComplaint('node_count', count, 1, MOST_WORKERS)),
  };
}

function groupsOf(sent: Fields): Reading<readonly NodeGroupRequest[]> {
  const bodies = sent.list('node_groups').map(body => new Map<string, unknown>(Object.entries(Object(body))));
  if (bodies.length === 0) return {isValid: true, order: [onlyGroup(sent)]};
  for (const [index, values] of bodies.entries()) {
    const unknown = [...values.keys()].filter(name => !Object.hasOwn(NODE_GROUP_ORDER.properties ?? {}, name));
    if (unknown.length > 0) return refuse(unknownFields(unknown.map(name => `node_groups.${index}.${name}`)));
    const errors = Object.entries(fieldErrors(values, NODE_GROUP_ORDER));
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

function onlyGroup(sent: Fields): NodeGroupRequest {
  const count = sent.integer('node_count') ?? 1;
  const flavorName = sent.text('node_flavor_name') ?? '';
  return {name: ONLY_GROUP_NAME, flavorName, count, minCount: 1, maxCount: MOST_WORKERS, firewallIds: []};
}

function groupOf(sent: Fields): NodeGroupRequest {
  const count = sent.integer('count') ?? 1;
  return {
    name: sent.text('name') ?? '',
    flavorName: sent.text('flavor_name') ?? '',
    count,
    minCount: sent.integer('min_count') ?? 1,
    maxCount: sent.integer('max_count') ?? MOST_WORKERS,
    firewallIds: sent.integers('firewall_ids'),
  };
}

function groupComplaints({count, minCount, maxCount}: NodeGroupRequest, prefix: string): Complaints {
  return {
    ...rangeComplaint(`${prefix}max_count`, maxCount, 1, MOST_WORKERS),
    ...rangeComplaint(`${prefix}min_count`, minCount, 1, Math.min(maxCount, MOST_WORKERS)),
    ...rangeComplaint(`${prefix}count`, count, Math.max(1, minCount), Math.min(maxCount, MOST_WORKERS)),
  };
}

function refuse(refusal: Response): {isValid: false; refusal: Response} {
  return {isValid: false, refusal};
}
