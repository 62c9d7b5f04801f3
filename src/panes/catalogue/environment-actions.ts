import {actionQuestion, cannotActionReason, cannotCreateReason} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import {createEnvironment} from '../../actions/environments.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {checkName} from '../../actions/name-check.ts';
import {type Question, typedAnswer} from '../../actions/question.ts';
import type {EnvironmentSpec} from '../../domain/environment.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {CONTENT_KINDS, contentsText, type EnvironmentRow} from '../../resources/environments.ts';
import {regionsFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';
import {renameForm} from './rename-form.ts';

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
  remove: {
    reason: (row, scene) =>
      contentReason(row) ?? cannotActionReason(scene, {kind: 'environment.delete', id: row.environment.id}),
    run: row => ({kind: 'ask', question: deleteQuestion(row)}),
  },
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
      {key: 'region', label: 'region', initial: regions[0] ?? '', choices: regions, hint: 'for ever'},
    ],
    check: values => checkEnvironment(values, scene),
  };
}

function checkEnvironment(values: FormValues, scene: Scene): FormCheck {
  const mistake = checkName(values.name ?? '', takenNames(scene));
  const notes = regionNotes(values.region ?? '', scene);
  if (mistake !== undefined) return {mistakes: {name: mistake}, notes, question: undefined};
  const spec: EnvironmentSpec = {
    name: safeText((values.name ?? '').trim()),
    regionName: safeText(values.region ?? ''),
  };
  return {mistakes: {}, notes, question: createQuestion(spec, scene)};
}

/** What a region lacks is found out here, and not when the first machine is made in it. */
function regionNotes(name: string, {store}: Scene): FormCheck['notes'] {
  const region = lastValue(store.get(regionsFeed))?.records.find(each => each.name === name);
  const lacks = [
    ...(region?.hasFloatingIp === false ? ['public addresses'] : []),
    ...(region?.hasVolumes === false ? ['volumes'] : []),
  ];
  return lacks.length === 0 ? [] : [[{text: `${name} has no ${lacks.join(' and no ')}.`, tone: 'warning'}]];
}

function createQuestion(spec: EnvironmentSpec, scene: Scene): Question {
  const action: ActionOf<'environment.create'> = {kind: 'environment.create', spec};
  const refusal = cannotActionReason(scene, action);
  return actionQuestion({
    title: say`create environment ${spec.name}`,
    steps: [{action, subjectName: spec.name}],
    happens: [[{text: `An empty environment in ${spec.regionName}: the region can never be changed, the name can.`}]],
    costs: [[{text: 'nothing: only what is put into it is billed'}]],
    care: [
      ...regionNotes(spec.regionName, scene),
      ...(refusal === undefined ? [] : [[{text: refusal, tone: 'danger' as const}]]),
    ],
    undo: say`delete it again while it is empty (X)`,
    answer: {kind: 'key'},
  });
}

function renameEnvironmentForm(environment: EnvironmentRow['environment'], scene: Scene): Form {
  return renameForm({
    what: say`environment`,
    ...environment,
    taken: takenNames(scene),
    actionOf: name => ({kind: 'environment.rename', id: environment.id, name}),
    happens: [[{text: 'Its name changes and nothing in it; scripts that name it have to change with it.'}]],
    reasonOf: action => cannotActionReason(scene, action),
  });
}

function deleteQuestion({environment, contents}: EnvironmentRow): Question {
  const unknown = CONTENT_KINDS.filter(kind => contents[kind] === undefined).map(kind => `${kind}s`);
  return actionQuestion({
    title: say`delete environment ${environment.name}  #${environment.id}`,
    steps: [{action: {kind: 'environment.delete', id: environment.id}, subjectName: environment.name}],
    happens: [[{text: 'The environment goes, with its network; nothing is known to be in it.'}]],
    care:
      unknown.length === 0
        ? []
        : [
            [
              {
                text: `Not known whether it holds ${unknown.join(', ')}: then the service refuses (405).`,
                tone: 'warning',
              },
            ],
          ],
    undo: say`none by itself; a new one may have the same name`,
    answer: typedAnswer(environment.name, environment.id),
  });
}
