import {listEnvironments} from '../api/environments.ts';
import type {Environment} from '../domain/environment.ts';
import {safeText} from '../domain/safe-text.ts';
import {environments} from '../resources/environments.ts';
import type {Reader} from '../resources/resource.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {type FoundRecord, findRecord, planEach, planned} from './plan.ts';

function findEnvironment(reader: Reader, wanted: string): Promise<FoundRecord<Environment>> {
  return findRecord(reader, environments, listEnvironments.record, wanted);
}

const create: OperationCommand<{readonly region: string}> = {
  name: 'create',
  summary: 'makes an environment in one region, for ever',
  arguments: '<name>',
  options: command => command.requiredOption('--region <region>', 'one of skydeck get regions'),
  plan: ({words, flags}) => {
    const name = safeText(words[0] ?? '');
    const spec = {name, regionName: safeText(flags.region)};
    return Promise.resolve(
      planned({action: {kind: 'environment.create', spec}, subjectName: name, weight: 'undoable'}),
    );
  },
};

const rename: OperationCommand = {
  name: 'rename',
  summary: 'gives an environment another name',
  arguments: '<environment> <new-name>',
  plan: async ({reader, words: [wanted = '', name = '']}) => {
    const found = await findEnvironment(reader, wanted);
    if (!found.ok) return found;
    const action = {kind: 'environment.rename', id: found.value.id, name: safeText(name)} as const;
    return planned({action, subjectName: found.value.name, weight: 'undoable'});
  },
};

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes environments; the service refuses those that are not empty',
  arguments: '<environment...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findEnvironment(reader, word),
      ({id, name}) => ({action: {kind: 'environment.delete', id}, subjectName: name, weight: 'irreversible'}),
    ),
};

/** `skydeck environment`. */
export const environmentCommand = operationGroup('environment', 'what can be done to environments', [
  operationCommand(create),
  operationCommand(rename),
  operationCommand(remove),
]);
