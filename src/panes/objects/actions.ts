import {cannotCreateReason} from '../../actions/action-question.ts';
import {candidate, questionFor, reasonAgainst} from '../../actions/ask.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {createAccessKey, deleteAccessKey, deleteBucket} from '../../actions/object-storage.ts';
import {isTypable} from '../../actions/question.ts';
import type {AccessKeySpec, Bucket} from '../../domain/object-storage.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {AccessKeyRow} from '../../resources/access-keys.ts';
import {storageRegionsFeed} from '../../state/object-storage.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {asking, rowAction} from '../asking.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

/** Of the service: a description of an access key is at most so long. */
const MAX_DESCRIPTION_LENGTH = 250;

export const BUCKET_ACTIONS: PartActions<Bucket> = {
  remove: {
    reason: (bucket, scene) => {
      const {name, regionName} = bucket;
      if (regionName === undefined) return say`its region is not known, and the call needs it`;
      if (!isTypable(name)) return say`its name has characters that no key types, so it cannot be confirmed here`;
      return reasonAgainst(deleteBucket.with({name, regionName}), bucket, scene);
    },
    run: (bucket, scene) => {
      const {name, regionName} = bucket;
      if (regionName === undefined) return {kind: 'done'};
      return asking([candidate(deleteBucket.with({name, regionName}), bucket, scene)], scene);
    },
  },
  copy: ({name}) => name,
};

export const ACCESS_KEY_ACTIONS: PartActions<AccessKeyRow> = {
  create: {
    reason: scene =>
      cannotCreateReason(scene, createAccessKey) ??
      (regionsOf(scene).length === 0 ? say`no region with object storage is known` : undefined),
    run: scene => ({kind: 'form', form: newAccessKeyForm(scene)}),
  },
  remove: rowAction(({accessKey}) => ({action: deleteAccessKey.with({id: accessKey.id}), subject: accessKey})),
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
  const question = questionFor([candidate(createAccessKey.with({spec}), undefined, scene)], scene);
  return {mistakes: {}, notes: [], question};
}
