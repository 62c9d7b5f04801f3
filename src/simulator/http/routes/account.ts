import * as z from 'zod';
import {type Permission, ROLES, type Role, type User} from '../../world/account.ts';
import type {World} from '../../world/world.ts';
import {json, succeeded} from '../answers.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, FLAG, ID, NUMBER, TEXT} from '../schema.ts';
import {offsetTimestamp, zuluTimestamp} from '../timestamps.ts';

// The organization, its members, and their permissions. A permission is one endpoint that can be refused, taken from
// the table that refuses it; endpoints any key may call have none.

const READS_ROLES = {permission: 'access:read', action: 'read roles'} as const;

const USER = z.object({
  id: ID,
  sub: TEXT,
  email: TEXT,
  username: TEXT,
  name: TEXT,
  role: TEXT,
  rbac_roles: z.array(z.object({name: TEXT})),
  last_login: TEXT.nullable(),
  created_at: TEXT.meta({description: 'Of the owner.'}).optional(),
  joined_at: TEXT.meta({description: 'Of everybody else.'}).optional(),
});
// Some versions of the service include the totals.
const ORGANIZATION = z.object({
  id: ID,
  name: TEXT,
  created_at: TEXT,
  users: z.array(USER),
  credit: NUMBER.nullable().optional(),
});
const PERMISSION = z.object({
  id: ID,
  resource: TEXT,
  permission: TEXT,
  method: TEXT,
  endpoint: TEXT,
  created_at: TEXT.optional(),
});
const POLICY_PART = z.object({id: ID, name: TEXT, description: TEXT});
const POLICY = POLICY_PART.extend({is_public: FLAG, permissions: z.array(PERMISSION), created_at: TEXT});
const ROLE = z.object({
  id: ID,
  name: TEXT,
  description: TEXT,
  policies: z.array(POLICY_PART),
  permissions: z.array(PERMISSION),
  created_at: TEXT,
});

const DEFAULT_CHOICE = z.object({flavor_id: ID, image_id: ID, keypair_id: ID});

export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/me',
    summary: 'Read the user of the key',
    reply: envelope({
      user: z.object({email: TEXT, name: TEXT, username: TEXT, created_at: TEXT, has_social_login: FLAG}),
    }),
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
  }),
  route({
    method: 'GET',
    path: '/auth/organizations',
    summary: 'Read the organization and its members',
    reply: envelope({organization: ORGANIZATION}),
    answer: ({world: {organization}}) =>
      succeeded('Getting organization details successful', {
        organization: {
          id: organization.id,
          name: organization.name,
          created_at: offsetTimestamp(organization.createdAt),
          users: organization.users.map(userBody),
        },
      }),
  }),
  route({
    method: 'GET',
    path: '/auth/me/organizations',
    summary: 'List the organizations of the user of the key',
    // This answer is a bare object.
    reply: z.object({organizations: z.array(ORGANIZATION.omit({users: true}))}),
    answer: ({world: {organization}}) =>
      json({
        organizations: [
          {id: organization.id, name: organization.name, created_at: offsetTimestamp(organization.createdAt)},
        ],
      }),
  }),
  route({
    method: 'GET',
    path: '/core/user/resources/defaults',
    summary: 'List the default flavors, images and key pairs of forms',
    reply: envelope({user_default_choices: z.array(DEFAULT_CHOICE)}),
    answer: ({world, caller}) =>
      succeeded('Getting default choices successful', {user_default_choices: defaultChoices(world, caller.user.id)}),
  }),
  route({
    method: 'GET',
    path: '/auth/users/me/permissions',
    summary: 'List the permissions of the user of the key',
    reply: envelope({permissions: z.array(PERMISSION)}),
    answer: ({routes, caller}) =>
      succeeded('Getting user permissions successful', {permissions: permissionsWithin(routes, caller.permissions)}),
  }),
  route({
    method: 'GET',
    path: '/auth/permissions',
    summary: 'List all permissions',
    requires: READS_ROLES,
    reply: envelope({permissions: z.array(PERMISSION)}),
    answer: ({routes, world}) =>
      succeeded('Getting permissions successful', {
        permissions: permissionsWithin(routes).map(permission => ({...permission, created_at: madeAt(world)})),
      }),
  }),
  route({
    method: 'GET',
    path: '/auth/policies',
    summary: 'List policies',
    requires: READS_ROLES,
    reply: envelope({policies: z.array(POLICY)}),
    answer: ({routes, world}) =>
      succeeded('Getting policies successful', {
        policies: ROLES.map(role => ({
          ...policyPart(role),
          is_public: true,
          permissions: permissionsWithin(routes, new Set(role.permissions)),
          created_at: madeAt(world),
        })),
      }),
  }),
  route({
    method: 'GET',
    path: '/auth/roles',
    summary: 'List roles with their policies and permissions',
    requires: READS_ROLES,
    reply: envelope({roles: z.array(ROLE)}),
    answer: request => succeeded('Getting roles successful', {roles: ROLES.map(role => roleBody(role, request))}),
  }),
];

// The owner has an "added at", everybody else a "joined at": two fields for the same thing.
function userBody(user: User): z.output<typeof USER> {
  const since = zuluTimestamp(user.createdAt);
  return {
    id: user.id,
    sub: user.sub,
    email: user.email,
    username: user.username,
    name: user.name,
    role: user.role,
    rbac_roles: [...user.rbacRoles],
    last_login: zuluTimestamp(user.lastLoginAt),
    ...(user.role === 'Owner' ? {created_at: since} : {joined_at: since}),
  };
}

/** Each role has a single policy, made for it. */
function roleBody(role: Role, {routes, world}: RouteRequest): z.output<typeof ROLE> {
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    policies: [policyPart(role)],
    permissions: permissionsWithin(routes, new Set(role.permissions)),
    created_at: madeAt(world),
  };
}

function policyPart({id, name, description}: Role): z.output<typeof POLICY_PART> {
  return {id: 10 + id, name: `${name}-policy`, description};
}

/** The settings of the user's newest machine; empty for a user who has created none. */
function defaultChoices(
  {machines, images, keyPairs, factory}: World,
  userId: number,
): z.output<typeof DEFAULT_CHOICE>[] {
  const newest = machines.findLast(machine => machine.cluster === undefined && factory.creatorOf(machine) === userId);
  const image = images.find(
    ({name, region}) => name === newest?.image.name && region.name === newest.environment.regionName,
  );
  const keyPair = keyPairs.find(
    ({name, environment}) => name === newest?.keyPairName && environment.id === newest.environment.id,
  );
  if (newest === undefined || image === undefined || keyPair === undefined) return [];
  return [{flavor_id: newest.flavor.id, image_id: image.id, keypair_id: keyPair.id}];
}

function permissionsWithin(routes: readonly Route[], held?: ReadonlySet<Permission>): z.output<typeof PERMISSION>[] {
  return routes.flatMap(({method, path, requires}, index) => {
    if (requires === undefined || (held !== undefined && !held.has(requires.permission))) return [];
    const [resource = ''] = requires.permission.split(':');
    const endpoint = path.replaceAll(/:([a-z_]+)/g, '{$1}');
    return [{id: index + 1, resource, permission: requires.permission, method, endpoint}];
  });
}

function madeAt({organization}: World): string {
  return zuluTimestamp(organization.createdAt);
}
