import {actionQuestion, cannotActionReason, cannotCreateReason} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {createAccessKey} from '../../actions/object-storage.ts';
import type {Question} from '../../actions/question.ts';
import type {AccessKeySpec, Bucket} from '../../domain/object-storage.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type AccessKeyRow, accessKeyName, userText} from '../../resources/access-keys.ts';
import {storageRegionsFeed} from '../../state/object-storage.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {formatBytesLong, formatCounted, formatKnown} from '../../ui/format.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

/** Of the service: a description of an access key is at most so long. */
const MAX_DESCRIPTION_LENGTH = 250;

export const BUCKET_ACTIONS: PartActions<Bucket> = {
  remove: {
    reason: ({name, regionName}, scene) => {
      if (regionName === undefined) return say`its region is not known, and the call needs it`;
      if (!isTypable(name)) return say`its name has characters that no key types, so it cannot be confirmed here`;
      return cannotActionReason(scene, {kind: 'bucket.delete', name, regionName});
    },
    run: bucket => {
      const {regionName} = bucket;
      return regionName === undefined
        ? {kind: 'done'}
        : {kind: 'ask', question: deleteBucketQuestion({...bucket, regionName})};
    },
  },
  copy: ({name}) => name,
};

/** A bucket has no id that could be typed in its name's place. */
function isTypable(name: SafeText): boolean {
  return /^[\x20-\x7e]+$/.test(name);
}

function deleteBucketQuestion(bucket: Bucket & {readonly regionName: SafeText}): Question {
  const {name, regionName, objectCount, sizeBytes} = bucket;
  const objects = objectCount === undefined ? 'all objects' : formatCounted(objectCount, 'object');
  return actionQuestion({
    title: say`delete bucket ${name} in ${regionName}`,
    steps: [{action: {kind: 'bucket.delete', name, regionName}, subjectName: name}],
    happens: [
      [
        {
          text: `The bucket goes, and its whole contents with it: ${objects}, ${formatKnown(sizeBytes, formatBytesLong)}, gone for ever.`,
          tone: 'danger',
        },
      ],
    ],
    care: [[{text: 'The service does not ask whether it is empty.', tone: 'warning'}]],
    undo: say`none: there is no copy`,
    answer: {kind: 'text', what: 'name', expected: name},
  });
}

export const ACCESS_KEY_ACTIONS: PartActions<AccessKeyRow> = {
  create: {
    reason: scene =>
      cannotCreateReason(scene, createAccessKey) ??
      (regionsOf(scene).length === 0 ? say`no region with object storage is known` : undefined),
    run: scene => ({kind: 'form', form: newAccessKeyForm(scene)}),
  },
  remove: {
    reason: ({accessKey}, scene) => cannotActionReason(scene, {kind: 'access-key.delete', id: accessKey.id}),
    run: row => ({kind: 'ask', question: deleteAccessKeyQuestion(row)}),
  },
  copy: ({accessKey}) => accessKey.accessKey,
};

function regionsOf({store}: Scene): readonly string[] {
  return lastValue(store.get(storageRegionsFeed))?.records.map(({name}) => name) ?? [];
}

function newAccessKeyForm(scene: Scene): Form {
  const regions = regionsOf(scene);
  return {
    title: say`new access key`,
    fields: [
      {key: 'region', label: 'region', initial: regions[0] ?? '', choices: regions},
      {key: 'description', label: 'description', initial: '', hint: `at most ${MAX_DESCRIPTION_LENGTH} characters`},
    ],
    check: values => checkAccessKey(values, scene),
  };
}

function checkAccessKey(values: FormValues, scene: Scene): FormCheck {
  const description = (values.description ?? '').trim();
  const {length} = [...description];
  if (length > MAX_DESCRIPTION_LENGTH) {
    const mistake = `${length} characters, at most ${MAX_DESCRIPTION_LENGTH}`;
    return {mistakes: {description: mistake}, notes: [], question: undefined};
  }
  const spec: AccessKeySpec = {
    regionName: safeText(values.region ?? ''),
    ...(description === '' ? {} : {description: safeText(description)}),
  };
  return {mistakes: {}, notes: [], question: createAccessKeyQuestion(spec, scene)};
}

function createAccessKeyQuestion(spec: AccessKeySpec, scene: Scene): Question {
  const action: ActionOf<'access-key.create'> = {kind: 'access-key.create', spec};
  const refusal = cannotActionReason(scene, action);
  return actionQuestion({
    title: say`create access key in ${spec.regionName}`,
    steps: [{action, subjectName: spec.regionName}],
    happens: [
      [{text: 'A pair of keys that opens every bucket its user may open.'}],
      [{text: 'Its secret half is shown once, right afterwards, and never again.', tone: 'warning'}],
    ],
    care: refusal === undefined ? [] : [[{text: refusal, tone: 'danger'}]],
    undo: say`delete it again (X)`,
    answer: {kind: 'key'},
  });
}

/** It has no name of its own: its id is typed. */
function deleteAccessKeyQuestion(row: AccessKeyRow): Question {
  const {accessKey} = row;
  const owner = userText(row);
  return actionQuestion({
    title: say`delete ${accessKeyName(row)}`,
    steps: [{action: {kind: 'access-key.delete', id: accessKey.id}, subjectName: accessKeyName(row)}],
    happens: [
      [{text: 'What signs its requests with this key is refused from then on.', tone: 'danger'}],
      [{text: `The buckets and what is in them stay.${owner === undefined ? '' : ` It belongs to ${owner}.`}`}],
    ],
    undo: say`none: a new pair has other keys`,
    answer: {kind: 'text', what: 'id', expected: say`${accessKey.id}`},
  });
}
