import * as z from 'zod';
import {
  createEnvironment as createEndpoint,
  deleteEnvironment as deleteEndpoint,
  renameEnvironment as renameEndpoint,
} from '../api/environments.ts';
import {type Inverse, TARGET} from '../domain/action.ts';
import {nameInWords, say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {CONTENT_KINDS, contentsIn, type EnvironmentRow} from '../resources/environments.ts';
import {regionsFeed} from '../state/catalogue.ts';
import {clustersFeed} from '../state/clusters.ts';
import {firewallsFeed} from '../state/firewalls.ts';
import {keyPairsFeed} from '../state/key-pairs.ts';
import {machinesFeed} from '../state/machines.ts';
import {volumesFeed} from '../state/volumes.ts';
import type {Line} from '../ui/text.ts';
import {missingName} from './question/missing-names.ts';
import {actionMaking, actionOn, deletion, RENAMING} from './define.ts';
import {
  contentReason,
  newEnvironmentForm,
  noRegionReason,
  regionLines,
  renameEnvironmentForm,
} from './forms/environment-forms.ts';
import {environment, text} from './parameters.ts';
import {typedAnswer} from './question/question.ts';

export const createEnvironment = actionMaking({
  kind: 'environment.create',
  creation: {
    reason: noRegionReason,
    form: newEnvironmentForm,
  },
  parameters: z.object({spec: z.object({name: text, regionName: text})}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create environment`,
  wordsAfter: ({spec}) => say`in ${spec.regionName}`,
  overdueAfterMs: 2 * MINUTE_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: () => TARGET,
  reads: () => [regionsFeed],
  missing: ({spec: {regionName}}, known) =>
    missingName(known, {what: say`region`, feed: regionsFeed, name: regionName}),
  assess: ({spec}, known) => ({
    happens: [
      [{text: `An empty environment in ${spec.regionName}. Its name can be changed later, its region cannot.`}],
    ],
    costs: [[{text: 'free: only resources in it are billed', tone: 'money'}]],
    warnings: regionLines(spec.regionName, known),
    undo: {words: 'delete it again while it is empty', by: 'environment.delete'},
    answer: {kind: 'key'},
  }),
});

export const renameEnvironment = actionOn({
  kind: 'environment.rename',
  keys: [
    {
      key: 'i',
      title: say`rename`,
      help: 'Renames the environment; opens a form.',
      form: renameEnvironmentForm,
    },
  ],
  parameters: z.object({id: environment, name: text}),
  endpoint: renameEndpoint,
  ...RENAMING,
  undo: ({id}, {name}): Inverse => ({
    action: renameEnvironment.with({id, name}),
    words: say`renames it back to ${nameInWords(name)}`,
  }),
  assess: ({name}, environment) => ({
    title: say`rename environment ${nameInWords(environment.name)}  #${environment.id} to ${nameInWords(name)}`,
    happens: [[{text: 'Only its name changes; scripts that use the old name have to be changed.'}]],
    undo: {words: 'rename it back'},
    answer: {kind: 'key'},
  }),
  commandWords: ({id, name}) => ['environment', 'rename', `${id}`, name],
});

const deleteEnvironment = actionOn({
  kind: 'environment.delete',
  keys: [
    {
      key: 'X',
      title: say`delete`,
      help: 'Deletes an empty environment; asks for its full name.',
    },
  ],
  parameters: z.object({id: environment}),
  endpoint: deleteEndpoint,
  command: {
    words: ['environment', 'delete'],
    summary: 'delete empty environments',
  },
  ...deletion('environment', 5 * MINUTE_MS),
  reads: () => [machinesFeed, clustersFeed, volumesFeed, firewallsFeed, keyPairsFeed],
  refusal: contentReason,
  assess: (_action, environment, known) => ({
    title: say`delete environment ${nameInWords(environment.name)}  #${environment.id}`,
    happens: [[{text: 'The environment and its network are deleted permanently.', tone: 'danger'}]],
    warnings: contentsLines(contentsIn(known.store)(environment)),
    undo: 'none; a new environment can have the same name',
    answer: typedAnswer(environment.name, environment.id),
  }),
});

function contentsLines(contents: EnvironmentRow['contents']): readonly Line[] {
  const unknown = CONTENT_KINDS.filter(kind => contents[kind] === undefined).map(kind => `${kind}s`);
  if (unknown.length === 0) return [[{text: 'It is empty.'}]];
  return [[{text: `Unknown whether it has ${unknown.join(', ')}: the service refuses if so (405).`, tone: 'warning'}]];
}

export const ENVIRONMENTS = [createEnvironment, renameEnvironment, deleteEnvironment] as const;
