import type {User} from '../../world/account.ts';
import {succeeded} from '../answer.ts';
import type {Route} from '../route.ts';
import {envelope, RECORD} from '../schema.ts';
import {offsetTimestamp, zuluTimestamp} from '../timestamps.ts';

export const accountRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/auth/me',
    describes: {summary: 'Read the user behind the key', reply: envelope({user: RECORD})},
    answer: ({caller: {user}}) =>
      succeeded('Getting user details successful', {
        user: {
          email: user.email,
          name: user.name,
          username: user.username,
          created_at: zuluTimestamp(user.createdAt),
          has_social_login: false,
        },
      }),
  },
  {
    method: 'GET',
    pattern: '/auth/organizations',
    describes: {summary: 'Read the organization and its members', reply: envelope({organization: RECORD})},
    answer: ({world: {organization}}) =>
      succeeded('Getting organization details successful', {
        organization: {
          id: organization.id,
          name: organization.name,
          created_at: offsetTimestamp(organization.createdAt),
          users: organization.users.map(userBody),
        },
      }),
  },
];

// The owner was added at a moment, everybody else joined at one: two keys for the same thing.
function userBody(user: User) {
  const since = zuluTimestamp(user.createdAt);
  return {
    id: user.id,
    sub: user.sub,
    email: user.email,
    username: user.username,
    name: user.name,
    role: user.role,
    rbac_roles: user.rbacRoles,
    last_login: zuluTimestamp(user.lastLoginAt),
    ...(user.role === 'Owner' ? {created_at: since} : {joined_at: since}),
  };
}
