import {
  type AccessKey,
  type Bucket,
  createAccessKey as create,
  deleteAccessKey,
  deleteBucket,
  STORAGE_REGIONS,
} from '../../world/object-storage.ts';
import {json, notFound, unprocessableRequest} from '../answer.ts';
import {ACCESS_KEY, BUCKET} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {complaintAbout, fields, INTEGER, listOf, type Schema, TEXT, TEXTS} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {answered} from './outcome-answer.ts';
import {numberedPart} from './path-parts.ts';

const READS = {permission: 'storage:read', action: 'read object storage'} as const;
const OPERATES = {permission: 'storage:operate', action: 'change object storage'} as const;
const REGION: Schema = {type: 'string', enum: STORAGE_REGIONS};
const CREATION = fields({region: REGION}, {description: {type: 'string', maxLength: 250, nullable: true}});
const DEFAULT_PAGE_SIZE = 20;
const LARGEST_PAGE = 100;
const PAGE: Schema = {type: 'integer', minimum: 1};
const PAGE_SIZE: Schema = {type: 'integer', minimum: 1, maximum: LARGEST_PAGE};
const META = fields({count: INTEGER, current_page: INTEGER, total_pages: INTEGER});
const MESSAGE = fields({message: TEXT});

/** Nothing here has the usual envelope, and what does not fit is refused with 422 in a shape of its own. */
export const objectStorageRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/object-storage/access-keys',
    requires: READS,
    describes: {
      summary: 'List access keys',
      query: {search: TEXT, page: PAGE, page_size: PAGE_SIZE},
      reply: fields({access_keys: listOf(ACCESS_KEY), meta: META}),
      refusals: [422],
    },
    answer: listAccessKeys,
  },
  {
    method: 'POST',
    pattern: '/object-storage/access-keys',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Create an access key; its secret is in this answer only',
      body: CREATION,
      reply: ACCESS_KEY,
      replyStatus: 201,
      refusals: [422],
    },
    answer: createAccessKey,
  },
  {
    method: 'DELETE',
    pattern: '/object-storage/access-keys/:id',
    requires: OPERATES,
    describes: {summary: 'Delete an access key', reply: MESSAGE, refusals: [422]},
    answer: inquiry =>
      /^\d+$/.test(inquiry.part('id'))
        ? answered(deleteAccessKey(inquiry.world, numberedPart(inquiry, 'id')), () =>
            json({message: 'Access key deleted'}),
          )
        : unprocessableRequest([{loc: ['path', 'id'], msg: 'must be an integer', type: 'int_parsing'}]),
  },
  {
    method: 'GET',
    pattern: '/object-storage/buckets',
    requires: READS,
    describes: {
      summary: 'List buckets, and the regions that did not answer',
      query: {search: TEXT},
      reply: fields({buckets: listOf(BUCKET), failed_regions: TEXTS}),
      refusals: [422],
    },
    answer: ({world, query}) => {
      const search = query('search')?.toLowerCase() ?? '';
      const found = world.objectStorage.buckets.filter(({name}) => name.toLowerCase().includes(search));
      return json({buckets: found.map(bucketBody), failed_regions: []});
    },
  },
  {
    method: 'GET',
    pattern: '/object-storage/buckets/:bucket_name',
    requires: READS,
    describes: {
      summary: 'Read a bucket',
      query: {region: REGION},
      requiredQuery: ['region'],
      reply: BUCKET,
      refusals: [422],
    },
    answer: inquiry =>
      inRegion(inquiry, regionName => {
        const name = inquiry.part('bucket_name');
        const bucket = inquiry.world.objectStorage.buckets.find(
          candidate => candidate.name === name && candidate.regionName === regionName,
        );
        return bucket === undefined
          ? notFound(`The bucket '${name}' does not exist in ${regionName}.`)
          : json(bucketBody(bucket));
      }),
  },
  {
    method: 'DELETE',
    pattern: '/object-storage/buckets/:bucket_name',
    requires: OPERATES,
    describes: {
      summary: 'Delete a bucket and everything in it',
      query: {region: REGION},
      requiredQuery: ['region'],
      reply: MESSAGE,
      refusals: [422],
    },
    answer: inquiry =>
      inRegion(inquiry, regionName =>
        answered(deleteBucket(inquiry.world, inquiry.part('bucket_name'), regionName), () =>
          json({message: 'Bucket deleted'}),
        ),
      ),
  },
  {
    method: 'GET',
    pattern: '/object-storage/healthz',
    describes: {summary: 'Say whether object storage is there', reply: fields({status: TEXT})},
    answer: () => json({status: 'alive'}),
  },
  {
    method: 'GET',
    pattern: '/object-storage/regions',
    describes: {
      summary: 'List the regions that have object storage',
      reply: fields({regions: listOf(fields({name: TEXT}))}),
    },
    answer: () => json({regions: STORAGE_REGIONS.map(name => ({name}))}),
  },
];

function listAccessKeys({world, query}: Inquiry): Response {
  const page = numberFrom(query('page'), 1);
  const pageSize = numberFrom(query('page_size'), DEFAULT_PAGE_SIZE);
  const problems = [
    ...problemsOf(['query', 'page'], page, PAGE),
    ...problemsOf(['query', 'page_size'], pageSize, PAGE_SIZE),
  ];
  if (problems.length > 0) return unprocessableRequest(problems);
  const search = query('search')?.toLowerCase() ?? '';
  const found = world.objectStorage.accessKeys.filter(
    ({id, description}) => String(id).includes(search) || (description ?? '').toLowerCase().includes(search),
  );
  const start = (page - 1) * pageSize;
  return json({
    access_keys: found.slice(start, start + pageSize).map(accessKeyBody),
    meta: {count: found.length, current_page: page, total_pages: Math.ceil(found.length / pageSize)},
  });
}

function createAccessKey({world, caller, body}: Inquiry): Response {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return unprocessableRequest([{loc: ['body'], msg: 'must be an object', type: 'model_attributes_type'}]);
  }
  const sent = new Map<string, unknown>(Object.entries(body));
  const [region, description] = [sent.get('region'), sent.get('description') ?? null];
  const problems = [
    ...problemsOf(['body', 'region'], region, REGION),
    ...problemsOf(['body', 'description'], description, CREATION.properties?.description ?? TEXT),
  ];
  if (problems.length > 0) return unprocessableRequest(problems);
  const {secretKey, ...accessKey} = create(world, {
    userId: caller.user.id,
    regionName: String(region),
    description: typeof description === 'string' ? description : null,
  });
  return json({...accessKeyBody(accessKey), secret_key: secretKey}, 201);
}

function inRegion({query}: Inquiry, answer: (regionName: string) => Response): Response {
  const problems = problemsOf(['query', 'region'], query('region'), REGION);
  return problems.length > 0 ? unprocessableRequest(problems) : answer(query('region') ?? '');
}

function problemsOf(loc: readonly string[], value: unknown, schema: Schema) {
  if (value === undefined) return [{loc, msg: 'Field required', type: 'missing'}];
  const complaint = complaintAbout(value, schema);
  return complaint === undefined ? [] : [{loc, msg: complaint, type: 'value_error'}];
}

function numberFrom(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function accessKeyBody(accessKey: AccessKey) {
  return {
    id: accessKey.id,
    user_id: accessKey.userId,
    access_key: accessKey.accessKey,
    region: accessKey.regionName,
    description: accessKey.description,
    created_at: zuluTimestamp(accessKey.createdAt),
  };
}

function bucketBody(bucket: Bucket) {
  return {
    name: bucket.name,
    region: bucket.regionName,
    endpoint: `https://${bucket.regionName.toLowerCase()}.storage.example`,
    created_at: zuluTimestamp(bucket.createdAt),
    num_objects: bucket.objectCount,
    size_bytes: bucket.sizeBytes,
    size_bytes_actual: bucket.storedBytes,
  };
}
