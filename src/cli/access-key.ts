import {createAccessKey, deleteAccessKey} from '../actions/object-storage.ts';
import {accessKeys as accessKeysEndpoint} from '../api/object-storage.ts';
import type {AccessKey} from '../domain/object-storage.ts';
import {safeText} from '../domain/safe-text.ts';
import {accessKeys} from '../resources/access-keys.ts';
import type {Reader} from '../resources/resource.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {type FoundRecord, findRecord, planEach, planned, plannedOn} from './plan.ts';

const create: OperationCommand<{readonly region: string; readonly description?: string}> = {
  name: 'create',
  summary: 'creates an access key for object storage; its secret half is shown once',
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

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes access keys; requests signed with them are refused',
  arguments: '<access-key...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findAccessKey(reader, word),
      accessKey => plannedOn(deleteAccessKey.with({id: accessKey.id}), accessKey),
    ),
};

function findAccessKey(reader: Reader, wanted: string): Promise<FoundRecord<AccessKey>> {
  return findRecord(reader, accessKeys, accessKeysEndpoint.record, wanted);
}

/** `skydeck access-key`. */
export const accessKeyCommand = operationGroup('access-key', 'access keys for object storage', [
  operationCommand(create),
  operationCommand(remove),
]);
