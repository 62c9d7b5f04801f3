import {organization as organizationEndpoint} from '../api/account.ts';
import type {Organization} from '../domain/account.ts';
import {number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const organization = defineResource<Organization, Organization>({
  names: ['org', 'organization', 'orgs'],
  isOnlyOne: true,
  summary: 'the organization of the key, with its members',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'members', title: 'MEMBERS', align: 'right', value: ({users}) => number(users.length)},
    {
      key: 'emails',
      title: 'EMAILS',
      printed: 'wide',
      value: ({users}) => text(users.flatMap(each => each.email ?? []).join(' ')),
    },
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(organizationEndpoint, {}, {signal})),
  parse: organizationEndpoint.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
