import {cannotActionReason, cannotCreateReason} from '../../actions/action-question.ts';
import {candidate, questionFor} from '../../actions/ask.ts';
import {createEnvironment, deleteEnvironment, regionLines, renameEnvironment} from '../../actions/environments.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {checkName} from '../../actions/name-check.ts';
import {renameForm} from '../../actions/rename-form.ts';
import type {EnvironmentSpec} from '../../domain/environment.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {contentsText, type EnvironmentRow} from '../../resources/environments.ts';
import {regionsFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {rowAction} from '../asking.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

const DELETION = rowAction<EnvironmentRow>(({environment}) => ({
  action: deleteEnvironment.with({id: environment.id}),
  subject: environment,
}));

export const ENVIRONMENT_ACTIONS: PartActions<EnvironmentRow> = {
  create: {
    reason: scene =>
      cannotCreateReason(scene, createEnvironment) ??
      (regionsOf(scene).length === 0 ? say`no region is known to make it in` : undefined),
    run: scene => ({kind: 'form', form: newEnvironmentForm(scene)}),
  },
  edit: {
    reason: ({environment: {id, name}}, scene) => cannotActionReason(scene, {kind: 'environment.rename', id, name}),
    run: ({environment}, scene) => ({kind: 'form', form: renameEnvironmentForm(environment, scene)}),
  },
  remove: {...DELETION, reason: (row, scene) => contentReason(row) ?? DELETION.reason(row, scene)},
  copy: ({environment}) => environment.name,
};

/** The service answers 405 for one that holds anything: said before it is tried, and nothing is sent. */
function contentReason(row: EnvironmentRow): SafeText | undefined {
  const held = contentsText(row);
  return held === '' ? undefined : say`not empty: ${safeText(held)}; the service would refuse`;
}

function regionsOf({store}: Scene): readonly string[] {
  return lastValue(store.get(regionsFeed))?.records.map(({name}) => name) ?? [];
}

function takenNames({store}: Scene): readonly string[] {
  return lastValue(store.get(environmentsFeed))?.records.map(({name}) => name) ?? [];
}

function newEnvironmentForm(scene: Scene): Form {
  const regions = regionsOf(scene);
  return {
    title: say`new environment`,
    fields: [
      {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
      {key: 'region', label: 'region', initial: regions[0] ?? '', choices: regions, hint: 'cannot be changed later'},
    ],
    check: values => checkEnvironment(values, scene),
  };
}

function checkEnvironment(values: FormValues, scene: Scene): FormCheck {
  const mistake = checkName(values.name ?? '', takenNames(scene));
  const notes = regionLines(values.region ?? '', scene);
  if (mistake !== undefined) return {mistakes: {name: mistake}, notes, question: undefined};
  const spec: EnvironmentSpec = {
    name: safeText((values.name ?? '').trim()),
    regionName: safeText(values.region ?? ''),
  };
  const question = questionFor([candidate(createEnvironment.with({spec}), undefined, scene)], scene);
  return {mistakes: {}, notes, question};
}

function renameEnvironmentForm(environment: EnvironmentRow['environment'], scene: Scene): Form {
  return renameForm({
    what: say`environment`,
    subject: environment,
    taken: takenNames(scene),
    actionOf: name => renameEnvironment.with({id: environment.id, name}),
    known: scene,
  });
}
