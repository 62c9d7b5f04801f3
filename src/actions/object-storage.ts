import * as z from 'zod';
import {present} from '../api/fields.ts';
import {
  createAccessKey as createEndpoint,
  deleteBucket as deleteBucketEndpoint,
  deleteAccessKey as deleteEndpoint,
} from '../api/object-storage.ts';
import {TARGET} from '../domain/action.ts';
import type {AccessKeySpec} from '../domain/object-storage.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {actionMaking, actionOn, deletion} from './define.ts';
import {accessKey, text} from './parameters.ts';

const accessKeySpec: z.ZodType<AccessKeySpec> = z
  .object({regionName: text, description: text.optional()})
  .transform(present);

export const createAccessKey = actionMaking({
  kind: 'access-key.create',
  parameters: z.object({spec: accessKeySpec}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create access key in`,
  overdueAfterMs: 2 * MINUTE_MS,
  isNameless: true,
  isMade: ({spec}, key) => key.regionName === spec.regionName && key.description === spec.description,
  progress: () => TARGET,
  remark: (_action, {result}) =>
    result?.kind === 'access-key' ? undefined : say`its secret half did not arrive; delete it and create another`,
});

const deleteAccessKey = actionOn({
  kind: 'access-key.delete',
  parameters: z.object({id: accessKey}),
  endpoint: deleteEndpoint,
  ...deletion('access-key', 2 * MINUTE_MS),
});

/** A bucket is known by its name and its region: it has no id. */
const deleteBucket = actionOn({
  kind: 'bucket.delete',
  parameters: z.object({name: text, regionName: text}),
  endpoint: deleteBucketEndpoint,
  ...deletion('bucket', 10 * MINUTE_MS),
  commandWords: ({name, regionName}) => ['bucket', 'delete', name, '--region', regionName],
});

export const OBJECT_STORAGE = [createAccessKey, deleteAccessKey, deleteBucket] as const;
