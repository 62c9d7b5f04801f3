import {createEnvironment, renameEnvironment} from '../../actions/environments.ts';
import type {Environment} from '../../domain/environment.ts';
import {safeText} from '../../domain/safe-text.ts';
import {environments} from '../../resources/environments.ts';
import type {Reader} from '../../resources/listing.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {type FoundRecord, findRecord, planned, plannedOn} from '../operations/plan.ts';

function findEnvironment(reader: Reader, wanted: string): Promise<FoundRecord<Environment>> {
  return findRecord(reader, environments, wanted);
}

const create: OperationCommand<{readonly region: string}> = {
  name: 'create',
  summary: 'create an environment in a region, which cannot be changed later',
  arguments: '<name>',
  options: command => command.requiredOption('--region <region>', 'one of skydeck get regions'),
  plan: ({words, flags}) => {
    const name = safeText(words[0] ?? '');
    const spec = {name, regionName: safeText(flags.region)};
    return Promise.resolve(planned(plannedOn(createEnvironment.with({spec}))));
  },
};

const rename: OperationCommand = {
  name: 'rename',
  summary: 'rename an environment',
  arguments: '<environment> <new-name>',
  plan: async ({reader, words: [wanted = '', name = '']}) => {
    const found = await findEnvironment(reader, wanted);
    if (!found.ok) return found;
    return planned(plannedOn(renameEnvironment.with({id: found.value.id, name: safeText(name)}), found.value));
  },
};

/** `skydeck environment`. */
export const environmentCommand = operationGroup('environment', [
  operationCommand(create),
  operationCommand(rename),
  ...actionCommands('environment'),
]);
