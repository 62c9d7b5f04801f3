import {type Permission, ROLES, type Role} from '../../world/account.ts';
import type {World} from '../../world/world.ts';
import {succeeded} from '../answer.ts';
import {PERMISSION, POLICY, ROLE} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, listOf} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

const READS = {permission: 'access:read', action: 'read roles'} as const;

/**
 * Who may do what. A permission is one endpoint that can be refused, taken from the very table that refuses it; those
 * that any key may call have none.
 */
export const accessRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/auth/users/me/permissions',
    describes: {
      summary: 'List what the user behind the key may do',
      reply: envelope({permissions: listOf(PERMISSION)}),
    },
    answer: ({routes, caller}) =>
      succeeded('Getting user permissions successful', {permissions: permissionsWithin(routes, caller.permissions)}),
  },
  {
    method: 'GET',
    pattern: '/auth/permissions',
    requires: READS,
    describes: {summary: 'List everything that can be allowed', reply: envelope({permissions: listOf(PERMISSION)})},
    answer: ({routes, world}) =>
      succeeded('Getting permissions successful', {
        permissions: permissionsWithin(routes).map(permission => ({...permission, created_at: madeAt(world)})),
      }),
  },
  {
    method: 'GET',
    pattern: '/auth/policies',
    requires: READS,
    describes: {summary: 'List sets of permissions', reply: envelope({policies: listOf(POLICY)})},
    answer: inquiry =>
      succeeded('Getting policies successful', {
        policies: ROLES.map(role => ({
          ...policyPart(role),
          is_public: true,
          permissions: permissionsWithin(inquiry.routes, new Set(role.permissions)),
          created_at: madeAt(inquiry.world),
        })),
      }),
  },
  {
    method: 'GET',
    pattern: '/auth/roles',
    requires: READS,
    describes: {summary: 'List roles with their policies and permissions', reply: envelope({roles: listOf(ROLE)})},
    answer: inquiry => succeeded('Getting roles successful', {roles: ROLES.map(role => roleBody(role, inquiry))}),
  },
];

/** A role has the one policy that is made for it. */
function roleBody(role: Role, {routes, world}: Inquiry) {
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    policies: [policyPart(role)],
    permissions: permissionsWithin(routes, new Set(role.permissions)),
    created_at: madeAt(world),
  };
}

function policyPart({id, name, description}: Role) {
  return {id: 10 + id, name: `${name}-policy`, description};
}

function permissionsWithin(routes: readonly Route[], held?: ReadonlySet<Permission>) {
  return routes.flatMap(({method, pattern, requires}, index) => {
    if (requires === undefined || (held !== undefined && !held.has(requires.permission))) return [];
    const [resource = ''] = requires.permission.split(':');
    const endpoint = pattern.replaceAll(/:([a-z_]+)/g, '{$1}');
    return [{id: index + 1, resource, permission: requires.permission, method, endpoint}];
  });
}

function madeAt({organization}: World): string {
  return zuluTimestamp(organization.createdAt);
}
