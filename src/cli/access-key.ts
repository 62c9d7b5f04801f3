import {accessKeys as accessKeysEndpoint} from '../api/object-storage.ts';
import type {AccessKey} from '../domain/object-storage.ts';
import {safeText, say} from '../domain/safe-text.ts';
import {accessKeys} from '../resources/access-keys.ts';
import type {Reader} from '../resources/resource.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {type FoundRecord, findRecord, planEach, planned} from './plan.ts';

const create: OperationCommand<{readonly region: string; readonly description?: string}> = {
  name: 'create',
  summary: 'makes an access key of the object storage; its secret half is shown this once',
  options: command =>
    command
      .requiredOption('--region <region>', 'the region whose buckets it opens')
      .option('--description <text>', 'what it is for'),
  plan: ({flags: {region, description}}) => {
    const regionName = safeText(region);
    const spec = {regionName, ...(description === undefined ? {} : {description: safeText(description)})};
    return Promise.resolve(
      planned({action: {kind: 'access-key.create', spec}, subjectName: regionName, weight: 'undoable'}),
    );
  },
};

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes access keys; whoever uses them is shut out',
  arguments: '<access-key...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findAccessKey(reader, word),
      ({id, accessKey}) => ({
        action: {kind: 'access-key.delete', id},
        subjectName: accessKey ?? say``,
        weight: 'irreversible',
      }),
    ),
};

function findAccessKey(reader: Reader, wanted: string): Promise<FoundRecord<AccessKey>> {
  return findRecord(reader, accessKeys, accessKeysEndpoint.record, wanted);
}

/** `skydeck access-key`. */
export const accessKeyCommand = operationGroup('access-key', 'access keys of the object storage', [
  operationCommand(create),
  operationCommand(remove),
]);
