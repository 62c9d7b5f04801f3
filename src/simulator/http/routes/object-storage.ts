import * as z from 'zod';
import {
  type AccessKey,
  type Bucket,
  createAccessKey,
  deleteAccessKey,
  deleteBucket,
  STORAGE_REGIONS,
} from '../../world/object-storage.ts';
import {answered, json, notFound, unprocessableRequest} from '../answers.ts';
import {finder} from '../paging.ts';
import {idIn, type Route, type RouteRequest, route} from '../route.ts';
import {complaint, ID, INTEGER, TEXT, text} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

// Nothing here has the usual reply form, and invalid input is refused with 422 in a form of its own.

const READS = {permission: 'storage:read', action: 'read object storage'} as const;
const OPERATES = {permission: 'storage:operate', action: 'change object storage'} as const;
const DEFAULT_PAGE_SIZE = 20;
const LARGEST_PAGE = 100;

const ACCESS_KEY = z.object({
  id: ID,
  user_id: ID,
  access_key: TEXT,
  region: TEXT,
  description: TEXT.nullable(),
  created_at: TEXT,
  secret_key: TEXT.meta({description: 'Only in the answer that creates the key.'}).optional(),
});
const BUCKET = z.object({
  name: TEXT,
  region: TEXT,
  endpoint: TEXT,
  created_at: TEXT,
  num_objects: INTEGER,
  size_bytes: INTEGER,
  size_bytes_actual: INTEGER,
});
const MESSAGE = z.object({message: TEXT});
const REGION_QUERY = z.object({region: z.enum(STORAGE_REGIONS)});
const KEY_QUERY = z.object({
  search: TEXT.optional(),
  page: z.int().min(1).optional(),
  page_size: z.int().min(1).max(LARGEST_PAGE).optional(),
});
const KEY_REQUEST = z.looseObject({region: z.enum(STORAGE_REGIONS), description: text(0, 250).nullish()});

export const objectStorageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/object-storage/access-keys',
    summary: 'List access keys',
    requires: READS,
    query: KEY_QUERY,
    reply: z.object({
      access_keys: z.array(ACCESS_KEY),
      meta: z.object({count: INTEGER, current_page: INTEGER, total_pages: INTEGER}),
    }),
    refusals: [422],
    answer: listAccessKeys,
  }),
  route({
    method: 'POST',
    path: '/object-storage/access-keys',
    summary: 'Create an access key; its secret is in this answer only',
    requires: OPERATES,
    body: KEY_REQUEST,
    refuse: issues => unprocessableRequest(detailsOf(issues, 'body')),
    reply: ACCESS_KEY,
    replyStatus: 201,
    refusals: [422],
    answer: ({world, caller, read}) =>
      read(({region, description = null}) => {
        const asked = {userId: caller.user.id, regionName: region, description};
        const {secretKey, ...accessKey} = createAccessKey(world, asked);
        return json({...accessKeyBody(accessKey), secret_key: secretKey}, 201);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/object-storage/access-keys/:id',
    summary: 'Delete an access key',
    requires: OPERATES,
    reply: MESSAGE,
    refusals: [422],
    answer: ({world, param}) =>
      /^\d+$/.test(param('id'))
        ? answered(deleteAccessKey(world, idIn(param('id'))), () => json({message: 'Access key deleted'}))
        : unprocessableRequest([{loc: ['path', 'id'], msg: 'must be an integer', type: 'int_parsing'}]),
  }),
  route({
    method: 'GET',
    path: '/object-storage/buckets',
    summary: 'List buckets, and the regions that did not answer',
    requires: READS,
    query: z.object({search: TEXT.optional()}),
    reply: z.object({buckets: z.array(BUCKET), failed_regions: z.array(TEXT)}),
    refusals: [422],
    answer: request => {
      const isFound = finder(request);
      const found = request.world.objectStorage.buckets.filter(({name}) => isFound(name));
      return json({buckets: found.map(bucketBody), failed_regions: []});
    },
  }),
  route({
    method: 'GET',
    path: '/object-storage/buckets/:bucket_name',
    summary: 'Read a bucket',
    requires: READS,
    query: REGION_QUERY,
    reply: BUCKET,
    refusals: [422],
    answer: ({world, param, query}) =>
      inRegion(query, regionName => {
        const name = param('bucket_name');
        const bucket = world.objectStorage.buckets.find(
          candidate => candidate.name === name && candidate.regionName === regionName,
        );
        return bucket === undefined
          ? notFound(`The bucket '${name}' does not exist in ${regionName}.`)
          : json(bucketBody(bucket));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/object-storage/buckets/:bucket_name',
    summary: 'Delete a bucket and everything in it',
    requires: OPERATES,
    query: REGION_QUERY,
    reply: MESSAGE,
    refusals: [422],
    answer: ({world, param, query}) =>
      inRegion(query, regionName =>
        answered(deleteBucket(world, param('bucket_name'), regionName), () => json({message: 'Bucket deleted'})),
      ),
  }),
  route({
    method: 'GET',
    path: '/object-storage/healthz',
    summary: 'Check whether object storage responds',
    // The status is a word here.
    reply: z.object({status: TEXT}),
    answer: () => json({status: 'alive'}),
  }),
  route({
    method: 'GET',
    path: '/object-storage/regions',
    summary: 'List the regions that have object storage',
    reply: z.object({regions: z.array(z.object({name: TEXT}))}),
    answer: () => json({regions: STORAGE_REGIONS.map(name => ({name}))}),
  }),
];

function listAccessKeys(request: RouteRequest): Response {
  const {world, query} = request;
  const asked = KEY_QUERY.safeParse(
    {page: numberFrom(query('page')), page_size: numberFrom(query('page_size'))},
    {error: complaint, reportInput: true},
  );
  if (!asked.success) return unprocessableRequest(detailsOf(asked.error.issues, 'query'));
  const {page = 1, page_size: size = DEFAULT_PAGE_SIZE} = asked.data;
  const isFound = finder(request);
  const found = world.objectStorage.accessKeys.filter(({id, description}) => isFound(id, description ?? ''));
  const start = (page - 1) * size;
  return json({
    access_keys: found.slice(start, start + size).map(accessKeyBody),
    meta: {count: found.length, current_page: page, total_pages: Math.ceil(found.length / size)},
  });
}

function inRegion(query: RouteRequest['query'], answer: (regionName: string) => Response): Response {
  const asked = REGION_QUERY.safeParse({region: query('region')}, {error: complaint, reportInput: true});
  return asked.success ? answer(asked.data.region) : unprocessableRequest(detailsOf(asked.error.issues, 'query'));
}

function detailsOf(issues: readonly z.core.$ZodIssue[], place: 'body' | 'query') {
  return issues.map(({path, message, input}) => {
    const loc = [place, ...path.map(String)];
    if (path.length === 0) return {loc, msg: 'must be an object', type: 'model_attributes_type'};
    return input === undefined
      ? {loc, msg: 'Field required', type: 'missing'}
      : {loc, msg: message, type: 'value_error'};
  });
}

function numberFrom(parameter: string | undefined): number | undefined {
  if (parameter === undefined) return undefined;
  return /^-?\d{1,9}$/.test(parameter) ? Number(parameter) : Number.NaN;
}

function accessKeyBody(accessKey: AccessKey): z.output<typeof ACCESS_KEY> {
  return {
    id: accessKey.id,
    user_id: accessKey.userId,
    access_key: accessKey.accessKey,
    region: accessKey.regionName,
    description: accessKey.description,
    created_at: zuluTimestamp(accessKey.createdAt),
  };
}

function bucketBody(bucket: Bucket): z.output<typeof BUCKET> {
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
