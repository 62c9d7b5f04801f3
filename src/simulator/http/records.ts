import {FLAG, fields, INTEGER, listOf, NUMBER, orNull, RECORD, type Schema, TEXT} from './schema.ts';

// What the records of answers hold, as the OpenAPI document tells it. Moments are text in one of several spellings.

export const ENVIRONMENT = fields({id: INTEGER, name: TEXT, region: TEXT, created_at: TEXT, features: RECORD});

export const KEY_PAIR = fields({
  id: INTEGER,
  name: TEXT,
  environment: ENVIRONMENT,
  public_key: TEXT,
  fingerprint: TEXT,
  created_at: TEXT,
});

const VOLUME_STATUS: Schema = {
  type: 'string',
  enum: ['creating', 'available', 'attaching', 'in-use', 'detaching', 'deleting', 'error'],
};
const ATTACHMENT_STATUS: Schema = {type: 'string', enum: ['ATTACHING', 'ATTACHED', 'DETACHING', 'DETACHED']};

export const VOLUME = fields(
  {
    id: INTEGER,
    name: TEXT,
    environment: fields({name: TEXT, region: TEXT, features: RECORD}),
    description: TEXT,
    volume_type: TEXT,
    size: {type: 'integer', description: 'Gigabytes.'},
    status: VOLUME_STATUS,
    bootable: FLAG,
    image_id: orNull(INTEGER),
    callback_url: orNull(TEXT),
    created_at: TEXT,
    updated_at: orNull(TEXT),
    attachments: listOf(
      fields({id: INTEGER, instance_id: INTEGER, device: TEXT, status: ATTACHMENT_STATUS, protected: FLAG}),
    ),
  },
  {os_image: orNull(TEXT)},
);

export const VOLUME_ATTACHMENT = fields({
  id: INTEGER,
  instance_id: INTEGER,
  volume_id: INTEGER,
  device: TEXT,
  status: ATTACHMENT_STATUS,
  protected: FLAG,
  created_at: TEXT,
});

export const REGION = fields({
  id: INTEGER,
  name: TEXT,
  country: TEXT,
  description: orNull(TEXT),
  green_status: {type: 'string', enum: ['GREEN', 'PARTIALLY_GREEN', 'NOT_GREEN']},
  features: fields({floating_ip: FLAG, volumes: FLAG}),
});

export const GPU = fields({
  id: INTEGER,
  name: TEXT,
  regions: listOf(fields({id: INTEGER, name: TEXT})),
  example_metadata: orNull(TEXT),
  created_at: TEXT,
  updated_at: orNull(TEXT),
});

export const STOCK = fields({
  region: TEXT,
  'stock-type': TEXT,
  models: listOf(
    fields({
      model: TEXT,
      available: {type: 'string', description: 'A number, or a number and more: `10+`.'},
      planned_7_days: orNull(TEXT),
      planned_30_days: orNull(TEXT),
      planned_100_days: orNull(TEXT),
      configurations: fields({'1x': INTEGER, '2x': INTEGER, '4x': INTEGER, '8x': INTEGER, '10x': INTEGER}),
    }),
  ),
});

const USED = {count: INTEGER, cost_per_hour: NUMBER};
const COMPUTE = fields({...USED, vcpus: INTEGER, gpus: INTEGER, ram: NUMBER});
export const OVERVIEW = fields({
  instance: COMPUTE,
  container: COMPUTE,
  volume: fields({...USED, using: {type: 'number', description: 'Gigabytes.'}}),
});

export const IMAGE = fields(
  {
    id: INTEGER,
    name: TEXT,
    region_name: TEXT,
    type: TEXT,
    version: TEXT,
    size: {type: 'integer', description: 'Bytes.'},
    display_size: TEXT,
    description: orNull(TEXT),
    snapshot: orNull(RECORD),
    is_public: FLAG,
    created_at: TEXT,
    labels: listOf(fields({id: INTEGER, label: TEXT})),
    flavor_restrictions: RECORD,
  },
  {related_vms: listOf(fields({id: INTEGER, name: TEXT, status: TEXT}))},
);

/** Images under the word images. */
export const IMAGE_GROUP = fields({
  region_name: TEXT,
  green_status: TEXT,
  type: TEXT,
  logo: TEXT,
  images: listOf(IMAGE),
});

export const ACCESS_KEY = fields(
  {id: INTEGER, user_id: INTEGER, access_key: TEXT, region: TEXT, description: orNull(TEXT), created_at: TEXT},
  {secret_key: {type: 'string', description: 'Told once, when the key is created.'}},
);

export const BUCKET = fields({
  name: TEXT,
  region: TEXT,
  endpoint: TEXT,
  created_at: TEXT,
  num_objects: INTEGER,
  size_bytes: INTEGER,
  size_bytes_actual: INTEGER,
});

export const PERMISSION = fields(
  {id: INTEGER, resource: TEXT, permission: TEXT, method: TEXT, endpoint: TEXT},
  {created_at: TEXT},
);
const POLICY_PART = fields({id: INTEGER, name: TEXT, description: TEXT});
export const POLICY = fields({
  id: INTEGER,
  name: TEXT,
  description: TEXT,
  is_public: FLAG,
  permissions: listOf(PERMISSION),
  created_at: TEXT,
});
export const ROLE = fields({
  id: INTEGER,
  name: TEXT,
  description: TEXT,
  policies: listOf(POLICY_PART),
  permissions: listOf(PERMISSION),
  created_at: TEXT,
});
