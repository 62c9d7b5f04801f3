import * as z from 'zod';
import {
  type AccessKey,
  type AccessKeyId,
  type AccessKeySpec,
  accessKeyId,
  type Bucket,
  type StorageHealth,
  type StorageRegion,
} from '../domain/object-storage.ts';
import type {OperationResult} from '../domain/operation-result.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {secret} from '../domain/secret.ts';
import {defineOperation, defineRead, saysYes} from './endpoint.ts';
import {
  count,
  isObject,
  moment,
  nameOf,
  present,
  readText,
  recordOf,
  reference,
  requiredId,
  requiredName,
  text,
  under,
} from './fields.ts';
import {withoutSecrets} from './hidden-fields.ts';

// This part of the API has no common reply form, and its own name for the page size.

const BUCKET = '/object-storage/buckets/{name}';
/** The largest page it returns. */
const PAGE_SIZE = 100;

type OneBucket = {readonly name: SafeText; readonly regionName: SafeText};

const accessKeyRecord = z.object({
  id: requiredId,
  user_id: reference,
  access_key: text,
  region: nameOf,
  description: text,
  created_at: moment,
});

const bucketRecord = z.object({
  name: requiredName,
  region: nameOf,
  endpoint: text,
  created_at: moment,
  num_objects: count,
  size_bytes: count,
  size_bytes_actual: count,
});

const healthRecord = z.object({status: requiredName});

export const accessKeys = defineRead<object, AccessKey>({
  id: 'object-storage.access-keys',
  template: '/object-storage/access-keys',
  collect: body => withoutSecrets(under(body, 'access_keys', 'access_key'), 'secret_key'),
  record: recordOf(accessKeyRecord, parsed =>
    present({
      id: accessKeyId(parsed.id),
      userId: parsed.user_id,
      accessKey: parsed.access_key,
      regionName: parsed.region,
      description: parsed.description,
      createdAt: parsed.created_at,
    }),
  ),
  paging: {pageParameter: 'page', sizeParameter: 'page_size', pageSize: PAGE_SIZE},
});

/** All buckets of the regions that answered. If the reply names regions that did not, the list is incomplete. */
export const buckets = defineRead<object, Bucket>({
  id: 'object-storage.buckets',
  template: '/object-storage/buckets',
  collect: body => under(body, 'buckets'),
  record: recordOf(bucketRecord, toBucket),
  absentParts: failedRegions,
});

/** One bucket; the reply is the bare object. */
export const getBucket = defineRead<OneBucket, Bucket>({
  id: 'object-storage.get-bucket',
  template: BUCKET,
  query: ({regionName}) => ({region: regionName}),
  collect: body => under(body, 'bucket') ?? (isObject(body) && 'name' in body ? [body] : undefined),
  record: recordOf(bucketRecord, toBucket),
});

/** Whether object storage responds at all; its `status` is a word. */
export const storageHealth = defineRead<object, StorageHealth>({
  id: 'object-storage.health',
  template: '/object-storage/healthz',
  collect: body => (isObject(body) && typeof body.status === 'string' ? [body] : undefined),
  record: recordOf(healthRecord, ({status}) => ({isAlive: status.toLowerCase() === 'alive', statusText: status})),
});

export const storageRegions = defineRead<object, StorageRegion>({
  id: 'object-storage.regions',
  template: '/object-storage/regions',
  collect: body => under(body, 'regions')?.map(each => (typeof each === 'string' ? {name: each} : each)),
  record: recordOf(z.object({name: requiredName}), ({name}) => ({name})),
});

/** The only reply that ever contains the secret key. */
export const createAccessKey = defineOperation<{readonly spec: AccessKeySpec}>({
  id: 'object-storage.create-access-key',
  method: 'POST',
  template: '/object-storage/access-keys',
  body: ({spec}) => present({region: spec.regionName, description: spec.description}),
  isAccepted: body => accessKeyResult(body) !== undefined,
  result: accessKeyResult,
});

export const deleteAccessKey = defineOperation<{readonly id: AccessKeyId}>({
  id: 'object-storage.delete-access-key',
  method: 'DELETE',
  template: '/object-storage/access-keys/{id}',
  isAccepted: hasMessage,
});

/** Permanently deletes the bucket and everything in it. */
export const deleteBucket = defineOperation<OneBucket>({
  id: 'object-storage.delete-bucket',
  method: 'DELETE',
  template: BUCKET,
  isAccepted: hasMessage,
  query: ({regionName}) => ({region: regionName}),
});

/** Object storage has no `status`: a message is all that its deletions answer. */
function hasMessage(body: unknown): boolean {
  return saysYes(body) || (isObject(body) && typeof body.message === 'string');
}

function toBucket(parsed: z.output<typeof bucketRecord>): Bucket {
  return present({
    name: parsed.name,
    regionName: parsed.region,
    endpoint: parsed.endpoint,
    createdAt: parsed.created_at,
    objectCount: parsed.num_objects,
    sizeBytes: parsed.size_bytes,
    storedBytes: parsed.size_bytes_actual,
  });
}

/** Plain names, or objects with a name. */
function failedRegions(body: unknown): readonly SafeText[] {
  const failed = isObject(body) ? body.failed_regions : undefined;
  if (!Array.isArray(failed)) return [];
  return failed.map(each => readText(isObject(each) ? (each.name ?? each.region) : each) ?? safeText('?'));
}

function accessKeyResult(body: unknown): OperationResult | undefined {
  const [made] = under(body, 'access_key') ?? [body];
  if (!isObject(made)) return undefined;
  const id = reference.parse(made.id);
  const accessKey = readText(made.access_key);
  const {secret_key} = made;
  if (id === undefined || accessKey === undefined || typeof secret_key !== 'string') return undefined;
  return {kind: 'access-key', id, accessKey, secretKey: secret(secret_key)};
}
