import type {AccessKeySpec} from '../domain/object-storage.ts';
import {hasEscapes, isCut, nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {storageRegionsFeed} from '../state/object-storage.ts';
import type {FormValues} from '../ui/form-field.ts';
import type {Ask, Form, FormCheck} from './forms/form.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import * as z from 'zod';
import {fitsPath} from '../api/endpoint.ts';
import {present} from '../api/fields.ts';
import {
  createAccessKey as createEndpoint,
  deleteAccessKey as deleteEndpoint,
  deleteBucket as deleteBucketEndpoint,
} from '../api/object-storage.ts';
import {TARGET} from '../domain/action.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {accessKeyName, accessKeys, userText} from '../resources/access-keys.ts';
import {organizationFeed} from '../state/account.ts';
import {formatBytesLong, formatCounted, formatKnown} from '../ui/format.ts';
import {missingName} from './question/missing-names.ts';
import {actionMaking, actionOn, deletion} from './define.ts';
import {accessKey, text} from './parameters.ts';
import {descriptionLines, isTypable, typedBucket, typedId} from './question/question.ts';

const accessKeySpec: z.ZodType<AccessKeySpec> = z
  .object({regionName: text, description: text.optional()})
  .transform(present);

export const createAccessKey = actionMaking({
  kind: 'access-key.create',
  creation: {
    reason: noStorageReason,
    form: newAccessKeyForm,
  },
  parameters: z.object({spec: accessKeySpec}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create access key in`,
  overdueAfterMs: 2 * MINUTE_MS,
  isNameless: true,
  isMade: ({spec}, key) => key.regionName === spec.regionName && key.description === spec.description,
  progress: () => TARGET,
  remark: (_action, {result}) =>
    result?.kind === 'access-key' ? undefined : say`the secret key did not arrive; delete it and create another`,
  reads: () => [storageRegionsFeed],
  missing: ({spec: {regionName}}, known) =>
    missingName(known, {what: say`region with object storage`, feed: storageRegionsFeed, name: regionName}),
  refusal: ({spec}) => {
    const mistake = descriptionMistake(spec.description ?? '');
    return mistake === undefined ? undefined : say`description: ${mistake}`;
  },
  assess: ({spec}) => ({
    title: say`create access key in ${spec.regionName}`,
    happens: [
      [{text: 'A key pair with access to every bucket that its user can access.'}],
      ...descriptionLines(spec),
      [{text: 'The secret key is shown once, right after creation.', tone: 'warning'}],
    ],
    undo: {words: 'delete it again', by: 'access-key.delete'},
    answer: {kind: 'key'},
  }),
});

const deleteAccessKey = actionOn({
  kind: 'access-key.delete',
  keys: [{key: 'X', title: say`delete`, help: 'Deletes the access key; asks for its id.'}],
  parameters: z.object({id: accessKey}),
  endpoint: deleteEndpoint,
  command: {words: ['access-key', 'delete'], summary: 'delete access keys; requests signed with them are refused'},
  ...deletion('access-key', 2 * MINUTE_MS),
  reads: () => [organizationFeed],
  // An access key has no name of its own: its id is typed.
  assess: (_action, accessKey, known) => {
    const row = accessKeys.row(known)(accessKey);
    const owner = userText(row);
    return {
      title:
        accessKey.accessKey === undefined
          ? say`delete ${accessKeyName(row)}`
          : say`delete access key ${accessKeyName(row)}`,
      happens: [
        [{text: 'Requests signed with it will be refused.', tone: 'danger'}],
        [{text: `Buckets and their contents stay.${owner === undefined ? '' : ` It belongs to ${owner}.`}`}],
      ],
      undo: 'none: a new access key is different',
      answer: typedId(accessKey.id),
    };
  },
});

const UNFIT_NAME = say`a bucket with this name cannot be addressed: the request would go elsewhere`;

/** A bucket has no id; name and region identify it. */
export const deleteBucket = actionOn({
  kind: 'bucket.delete',
  keys: [
    {
      key: 'X',
      title: say`delete`,
      help: 'Deletes the bucket and everything in it; asks for its full name.',
      reason: ({name}) => {
        if (!fitsPath(name)) return UNFIT_NAME;
        return isTypable(name)
          ? undefined
          : say`its name has characters that cannot be typed, so it cannot be confirmed here`;
      },
      parametersFor: ({name, regionName}) => ({name, regionName: regionName ?? say``}),
    },
  ],
  parameters: z.object({name: text, regionName: text}),
  endpoint: deleteBucketEndpoint,
  ...deletion('bucket', 10 * MINUTE_MS),
  refusal: ({name, regionName}) => {
    if (!fitsPath(name)) return UNFIT_NAME;
    // The request would name another bucket, which was never listed.
    if (isCut(name) || hasEscapes(name)) return say`its name is too long, or has characters that cannot be sent`;
    return regionName === undefined ? say`its region is unknown, and is required` : undefined;
  },
  assess: (_action, {name, regionName, objectCount, sizeBytes}) => {
    const objects = objectCount === undefined ? 'all objects' : formatCounted(objectCount, 'object');
    return {
      title: say`delete bucket ${nameInWords(name)}${regionName === undefined ? say`` : say` in ${regionName}`}`,
      happens: [
        [
          {
            text: `The bucket and everything in it are deleted permanently: ${objects}, ${formatKnown(sizeBytes, formatBytesLong)}.`,
            tone: 'danger',
          },
        ],
      ],
      warnings: [[{text: 'The service does not check whether it is empty.', tone: 'warning'}]],
      undo: 'none: there is no copy',
      answer: typedBucket(name),
    };
  },
  commandWords: ({name, regionName}) => ['bucket', 'delete', name, '--region', regionName],
});

export const OBJECT_STORAGE = [createAccessKey, deleteAccessKey, deleteBucket] as const;

/** The service's limit on an access key's description. */
const MAX_DESCRIPTION_LENGTH = 250;

function noStorageReason(known: AssessmentInput): SafeText | undefined {
  return regionsOf(known).length === 0 ? say`no region with object storage is known` : undefined;
}

function regionsOf({store}: AssessmentInput): readonly string[] {
  return lastValue(store.get(storageRegionsFeed))?.records.map(({name}) => name) ?? [];
}

type AskAccessKey = Ask<{readonly spec: AccessKeySpec}>;

function newAccessKeyForm(known: AssessmentInput, ask: AskAccessKey): Form {
  const regions = regionsOf(known);
  return {
    title: say`new access key`,
    fields: [
      {key: 'region', label: 'region', initial: regions[0] ?? '', choices: regions},
      {key: 'description', label: 'description', initial: '', hint: `at most ${MAX_DESCRIPTION_LENGTH} characters`},
    ],
    check: values => checkAccessKey(values, ask),
  };
}

function descriptionMistake(description: string): SafeText | undefined {
  const {length} = [...description];
  return length > MAX_DESCRIPTION_LENGTH ? say`${length} characters, at most ${MAX_DESCRIPTION_LENGTH}` : undefined;
}

function checkAccessKey(values: FormValues, ask: AskAccessKey): FormCheck {
  const description = (values.description ?? '').trim();
  const mistake = descriptionMistake(description);
  if (mistake !== undefined) return {mistakes: {description: mistake}, notes: [], question: undefined};
  const spec: AccessKeySpec = {
    regionName: safeText(values.region ?? ''),
    ...(description === '' ? {} : {description: safeText(description)}),
  };
  return {mistakes: {}, notes: [], question: ask({spec})};
}
