import {me as meEndpoint} from '../api/account.ts';
import type {AuthenticatedUser} from '../domain/account.ts';
import {text} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const me = defineResource<AuthenticatedUser, AuthenticatedUser>({
  names: ['me', 'user', 'whoami'],
  isOnlyOne: true,
  summary: 'the owner of the key',
  columns: [
    {key: 'email', title: 'EMAIL', value: ({email}) => text(email)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'username', title: 'USERNAME', value: ({username}) => text(username)},
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(meEndpoint, {}, {signal})),
  parse: meEndpoint.record,
  row: undated,
  idOf: ({email}) => email,
  nameOf: ({email}) => email,
});
