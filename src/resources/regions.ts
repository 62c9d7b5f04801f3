import {regions as regionsEndpoint} from '../api/regions.ts';
import type {Region} from '../domain/region.ts';
import {number, text, yesNo} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const regions = defineResource<Region, Region>({
  names: ['regions', 'region'],
  summary: 'regions of the service',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'country', title: 'COUNTRY', value: ({country}) => text(country)},
    {key: 'green', title: 'GREEN', value: ({greenStatus}) => text(greenStatus)},
    {key: 'floating-ip', title: 'FLOATING IP', value: ({hasFloatingIp}) => yesNo(hasFloatingIp)},
    {key: 'volumes', title: 'VOLUMES', value: ({hasVolumes}) => yesNo(hasVolumes)},
    {key: 'description', title: 'DESCRIPTION', printed: 'wide', value: ({description}) => text(description)},
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(regionsEndpoint, {}, {signal})),
  parse: regionsEndpoint.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
