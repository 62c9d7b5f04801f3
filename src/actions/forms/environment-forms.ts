import type {Environment, EnvironmentId, EnvironmentSpec} from '../../domain/environment.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {contentsIn, contentsText} from '../../resources/environments.ts';
import {regionsFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {type Ask, type Form, type FormCheck, renameForm} from './form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {checkName, NAME_FIELD} from './form-values.ts';

/** The service answers 405 for an environment that is not empty: reported beforehand, and nothing is sent. */
export function contentReason(environment: Environment, known: AssessmentInput): SafeText | undefined {
  const held = contentsText({contents: contentsIn(known.store)(environment)});
  return held === '' ? undefined : say`not empty: ${safeText(held)}; the service would refuse`;
}

export function noRegionReason(known: AssessmentInput): SafeText | undefined {
  return regionsOf(known).length === 0 ? say`no region is known` : undefined;
}

function regionsOf({store}: AssessmentInput): readonly string[] {
  return lastValue(store.get(regionsFeed))?.records.map(({name}) => name) ?? [];
}

function takenNames({store}: AssessmentInput): readonly string[] {
  return lastValue(store.get(environmentsFeed))?.records.map(({name}) => name) ?? [];
}

type AskEnvironment = Ask<{readonly spec: EnvironmentSpec}>;

export function newEnvironmentForm(known: AssessmentInput, ask: AskEnvironment): Form {
  const regions = regionsOf(known);
  return {
    title: say`new environment`,
    fields: [
      NAME_FIELD,
      {key: 'region', label: 'region', initial: regions[0] ?? '', choices: regions, hint: 'cannot be changed later'},
    ],
    check: values => checkEnvironment(values, known, ask),
  };
}

function checkEnvironment(values: FormValues, known: AssessmentInput, ask: AskEnvironment): FormCheck {
  const mistake = checkName(values.name ?? '', takenNames(known));
  const notes = regionLines(values.region ?? '', known);
  if (mistake !== undefined) return {mistakes: {name: mistake}, notes, question: undefined};
  const spec: EnvironmentSpec = {
    name: safeText((values.name ?? '').trim()),
    regionName: safeText(values.region ?? ''),
  };
  return {mistakes: {}, notes, question: ask({spec})};
}

export function renameEnvironmentForm(
  environment: Environment,
  known: AssessmentInput,
  ask: Ask<{readonly id: EnvironmentId; readonly name: SafeText}>,
): Form {
  const {id, name} = environment;
  return renameForm({
    what: say`environment`,
    id,
    name,
    taken: takenNames(known),
    ask: wanted => ask({id, name: wanted}),
  });
}

/** Shows what a region lacks now, rather than when the first machine is created in it. */
export function regionLines(name: string, {store}: Pick<AssessmentInput, 'store'>): readonly Line[] {
  const region = lastValue(store.get(regionsFeed))?.records.find(each => each.name === name);
  const lacks = [
    ...(region?.hasFloatingIp === false ? ['public addresses'] : []),
    ...(region?.hasVolumes === false ? ['volumes'] : []),
  ];
  return lacks.length === 0 ? [] : [[{text: `${name} has no ${lacks.join(' and no ')}.`, tone: 'warning'}]];
}
