import {getEnvironment, listEnvironments} from '../api/environments.ts';
import {type Environment, environmentId} from '../domain/environment.ts';
import {age, type Dated, dated, defineResource, number, rawOf, text, yesNo} from './resource.ts';

export const environments = defineResource<Environment, Dated<Environment>>({
  names: ['environments', 'environment', 'env', 'envs'],
  summary: 'environments',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'green', title: 'GREEN', printed: 'wide', value: ({greenStatus}) => text(greenStatus)},
    {key: 'sriov', title: 'SR-IOV', printed: 'wide', value: ({isNetworkOptimised}) => yesNo(isNetworkOptimised)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listEnvironments, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getEnvironment, {id: environmentId(id)}, {signal})),
  parse: listEnvironments.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
