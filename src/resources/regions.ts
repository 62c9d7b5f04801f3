import {regions as regionsEndpoint} from '../api/regions.ts';
import type {Region} from '../domain/region.ts';
import {defineResource, number, type Resource, rawOf, text, yesNo} from './resource.ts';

export const regions: Resource = defineResource<Region>({
  names: ['regions', 'region'],
  summary: 'regions of the service',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'country', title: 'COUNTRY', value: ({country}) => text(country)},
    {key: 'green', title: 'GREEN', value: ({greenStatus}) => text(greenStatus)},
    {key: 'floating-ip', title: 'FLOATING IP', value: ({hasFloatingIp}) => yesNo(hasFloatingIp)},
    {key: 'volumes', title: 'VOLUMES', value: ({hasVolumes}) => yesNo(hasVolumes)},
    {key: 'description', title: 'DESCRIPTION', shown: 'wide', value: ({description}) => text(description)},
  ],
  list: async ({client, signal}) => rawOf(await client.read(regionsEndpoint, {}, {signal})),
  parse: regionsEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
