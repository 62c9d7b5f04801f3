import {safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {VolumeSpec} from '../../domain/volume.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {volumesFeed, volumeTypesFeed} from '../../state/volumes.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {
  environmentField,
  environmentMistake,
  environmentNamed,
  firstEnvironment,
  firstSteps,
  recordsOf,
} from '../creation/choices.ts';
import {costLine, times, unitPrice} from '../creation/cost.ts';
import type {Ask, Form, FormCheck} from './form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {checkName, NAME_FIELD} from './form-values.ts';

/** The service's documented limits: at least 100 GB for a bootable volume, at most a pebibyte in gigabytes. */
export const MAX_SIZE_GB = 1_048_576;
const VOLUME_TYPE = safeText('Cloud-SSD');

type AskVolume = Ask<{readonly spec: VolumeSpec}>;

export function newVolumeForm(known: AssessmentInput, ask: AskVolume, environmentName?: string): Form {
  const fields = (): readonly FormField[] => [
    NAME_FIELD,
    environmentField(known, firstEnvironment(known, environmentName)),
    {key: 'size', label: 'size, GB', initial: '100', hint: 'cannot be made smaller'},
    {key: 'type', label: 'type', initial: VOLUME_TYPE, choices: typesOf(known)},
    {key: 'description', label: 'description', initial: ''},
  ];
  return {
    title: say`new volume`,
    fields: fields(),
    fieldsFor: fields,
    wants: () => [
      {feed: environmentsFeed, priority: 1},
      {feed: volumeTypesFeed, priority: 2},
      {feed: priceBookFeed, priority: 2},
    ],
    check: values => checkVolume(values, known, ask),
  };
}

/** The documented type, and any others the service offers. */
function typesOf({store}: AssessmentInput): readonly string[] {
  const offered = lastValue(store.get(volumeTypesFeed))?.records ?? [];
  return [...new Set([VOLUME_TYPE, ...offered])];
}

function checkVolume(values: FormValues, known: AssessmentInput, ask: AskVolume): FormCheck {
  // No document says that the service refuses a second one: it may be a volume that would be bought twice.
  const taken = recordsOf(known, volumesFeed).filter(
    ({environmentName = values.environment}) => environmentName === values.environment,
  );
  const nameMistake = checkName(
    values.name ?? '',
    taken.map(({name}) => name),
  );
  const sizeGb = Number(values.size);
  const isSize = /^\d+$/.test(values.size ?? '') && sizeGb >= 1 && sizeGb <= MAX_SIZE_GB;
  const environment = environmentNamed(known, values.environment);
  const environmentWanted = environmentMistake(known, environment);
  const mistakes = {
    ...(nameMistake === undefined ? {} : {name: nameMistake}),
    ...(environmentWanted === undefined ? {} : {environment: environmentWanted}),
    ...(isSize ? {} : {size: `whole GB, 1 to ${MAX_SIZE_GB}`}),
  };
  if (Object.keys(mistakes).length > 0) {
    return {mistakes, notes: firstSteps(known, environment, {needsKeyPair: false}), question: undefined};
  }
  const spec: VolumeSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentName: safeText(values.environment ?? ''),
    sizeGb,
    volumeType: safeText(values.type ?? VOLUME_TYPE),
    ...(values.description === undefined || values.description === ''
      ? {}
      : {description: safeText(values.description)}),
  };
  return {mistakes: {}, notes: [volumeCost(sizeGb, known)], question: ask({spec})};
}

/** The price of storage per hour and per 730 hours; the service's own bill wins once there is one. */
export function volumeCost(sizeGb: number, known: AssessmentInput): Line {
  const {rate, source} = unitPrice(known, 'storagePerGb');
  return costLine(times(rate, sizeGb), `${source}, attached or not`);
}
