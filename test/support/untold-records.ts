import {
  CALLBACK_URL,
  FLAG,
  fields,
  ID,
  INTEGER,
  listOf,
  NUMBER,
  orNull,
  type Schema,
  TEXT,
  TEXTS,
} from '../../src/simulator/http/schema.ts';

// The records that the simulator's document tells as plain objects, with every field of facts.md (A2, A3, A6, B1, G).

const RULE = fields({
  id: ID,
  direction: TEXT,
  protocol: TEXT,
  port_range_min: orNull(INTEGER),
  port_range_max: orNull(INTEGER),
  ethertype: TEXT,
  remote_ip_prefix: TEXT,
  status: TEXT,
  created_at: TEXT,
});
const ENVIRONMENT = fields({id: ID, name: TEXT, org_id: INTEGER, region: TEXT, features: fields({green_status: TEXT})});
const FLAVOR = fields({
  id: ID,
  name: TEXT,
  display_name: orNull(TEXT),
  region_name: TEXT,
  cpu: INTEGER,
  ram: NUMBER,
  disk: INTEGER,
  ephemeral: orNull(INTEGER),
  gpu: TEXT,
  gpu_count: INTEGER,
  stock_available: FLAG,
  created_at: TEXT,
  labels: listOf(fields({id: INTEGER, label: TEXT})),
  features: fields({network_optimised: FLAG, no_hibernation: FLAG, api_only: FLAG}),
});
const IMAGE = fields({id: ID, name: TEXT, region_name: TEXT, type: TEXT, version: TEXT, size: INTEGER});
const REGION = fields({id: ID, name: TEXT, country: TEXT, description: orNull(TEXT), green_status: TEXT});
const EVENT = fields({
  org_id: INTEGER,
  user_id: INTEGER,
  time: TEXT,
  type: TEXT,
  reason: TEXT,
  object: TEXT,
  message: TEXT,
});
const MACHINE = fields({
  id: ID,
  name: TEXT,
  status: TEXT,
  environment: ENVIRONMENT,
  image: orNull(fields({name: TEXT})),
  flavor: FLAVOR,
  os: TEXT,
  keypair: fields({name: TEXT}),
  volume_attachments: listOf(
    fields({id: ID, status: TEXT, device: TEXT, protected: FLAG, volume: fields({id: ID, name: TEXT, size: INTEGER})}),
  ),
  power_state: orNull(TEXT),
  vm_state: orNull(TEXT),
  fixed_ip: orNull(TEXT),
  floating_ip: orNull(TEXT),
  floating_ip_status: TEXT,
  security_rules: listOf(RULE),
  callback_url: orNull(CALLBACK_URL),
  locked: FLAG,
  contract_id: orNull(INTEGER),
  labels: TEXTS,
  created_at: TEXT,
  is_snapshotting: FLAG,
  cluster_id: orNull(INTEGER),
  port_randomization_status: TEXT,
});
const INSTANCE = orNull(
  fields({
    id: ID,
    name: TEXT,
    status: TEXT,
    fixed_ip: orNull(TEXT),
    floating_ip: orNull(TEXT),
    image_id: orNull(INTEGER),
  }),
);
const CLUSTER = fields({
  id: ID,
  name: TEXT,
  environment_name: TEXT,
  environment_region: TEXT,
  kubernetes_version: TEXT,
  api_address: orNull(TEXT),
  kube_config: orNull(TEXT),
  status: TEXT,
  status_reason: orNull(TEXT),
  master_flavor: FLAVOR,
  master_count: INTEGER,
  keypair_name: TEXT,
  created_at: TEXT,
  node_groups: listOf(
    fields({id: ID, name: TEXT, role: TEXT, flavor: FLAVOR, count: INTEGER, min_count: orNull(INTEGER)}),
  ),
  nodes: listOf(
    fields({
      id: ID,
      role: {type: 'string', enum: ['bastion', 'load-balancer', 'master', 'worker']},
      node_group_name: orNull(TEXT),
      status: TEXT,
      status_reason: orNull(TEXT),
      created_at: TEXT,
      instance: INSTANCE,
    }),
  ),
  is_reconciling: FLAG,
});
const FIREWALL = fields({
  id: ID,
  name: TEXT,
  description: TEXT,
  environment: ENVIRONMENT,
  status: TEXT,
  created_at: TEXT,
  rules: listOf(RULE),
  attachments: listOf(fields({id: ID, status: TEXT, vm: fields({id: ID, name: TEXT, status: TEXT})})),
});
const VERSION = fields({id: ID, version: TEXT, region: REGION, image: IMAGE, created_at: TEXT});

const USER = fields({
  id: ID,
  sub: TEXT,
  email: TEXT,
  username: TEXT,
  name: TEXT,
  role: TEXT,
  rbac_roles: listOf(fields({name: TEXT})),
  last_login: orNull(TEXT),
  joined_at: TEXT,
});
const ORGANIZATION = fields({id: ID, name: TEXT, created_at: TEXT, users: listOf(USER), credit: orNull(NUMBER)});
const ME = fields({email: TEXT, name: TEXT, username: TEXT, created_at: TEXT, has_social_login: FLAG});

/** By path and key of the reply. */
export const UNTOLD_RECORDS: Readonly<Record<string, Schema>> = {
  '/auth/me user': ME,
  '/auth/organizations organization': ORGANIZATION,
  '/core/virtual-machines instances': MACHINE,
  '/core/virtual-machines/{vm_id}/events instance_events': EVENT,
  '/core/clusters clusters': CLUSTER,
  '/core/clusters/{cluster_id}/events cluster_events': EVENT,
  '/core/clusters/master-flavors flavors': FLAVOR,
  '/core/clusters/versions versions': VERSION,
  '/core/firewalls firewalls': FIREWALL,
  '/core/flavors data': fields({gpu: TEXT, region_name: TEXT, flavors: listOf(FLAVOR)}),
};
