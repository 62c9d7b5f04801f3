import type {AccessKeySpec} from '../domain/object-storage.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {storageRegionsFeed} from '../state/object-storage.ts';
import type {FormValues} from '../ui/form-field.ts';
import type {Ask} from './action-key.ts';
import type {Form, FormCheck} from './form.ts';
import type {AssessmentInput} from './assessment-input.ts';

/** The service's limit on an access key's description. */
const MAX_DESCRIPTION_LENGTH = 250;

export function noStorageReason(known: AssessmentInput): SafeText | undefined {
  return regionsOf(known).length === 0 ? say`no region with object storage is known` : undefined;
}

function regionsOf({store}: AssessmentInput): readonly string[] {
  return lastValue(store.get(storageRegionsFeed))?.records.map(({name}) => name) ?? [];
}

type AskAccessKey = Ask<{readonly spec: AccessKeySpec}>;

export function newAccessKeyForm(known: AssessmentInput, ask: AskAccessKey): Form {
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

function checkAccessKey(values: FormValues, ask: AskAccessKey): FormCheck {
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
  return {mistakes: {}, notes: [], question: ask({spec})};
}
