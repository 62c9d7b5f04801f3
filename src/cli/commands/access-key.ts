import {createAccessKey} from '../../actions/object-storage.ts';
import {safeText} from '../../domain/safe-text.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {planned, plannedOn} from '../operations/plan.ts';

const create: OperationCommand<{readonly region: string; readonly description?: string}> = {
  name: 'create',
  summary: 'create an access key for object storage; the secret key is shown once',
  options: command =>
    command
      .requiredOption('--region <region>', 'the region of the buckets')
      .option('--description <text>', 'a description'),
  plan: ({flags: {region, description}}) => {
    const regionName = safeText(region);
    const spec = {regionName, ...(description === undefined ? {} : {description: safeText(description)})};
    return Promise.resolve(planned(plannedOn(createAccessKey.with({spec}))));
  },
};

/** `skydeck access-key`. */
export const accessKeyCommand = operationGroup('access-key', [
  operationCommand(create),
  ...actionCommands('access-key'),
]);
