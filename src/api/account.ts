import * as z from 'zod';
import type {AuthenticatedUser, Organization, OrganizationUser, RoleReference} from '../domain/account.ts';
import type {Permission, Role} from '../domain/permission.ts';
import {safeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {
  field,
  isObject,
  list,
  moment,
  nameOf,
  present,
  readText,
  recordOf,
  reference,
  requiredId,
  requiredName,
  text,
  under,
} from './fields.ts';

const user = z.object({email: requiredName, name: text, username: text, created_at: moment});

const organizationUser = z.object({
  id: requiredId,
  email: text,
  name: text,
  username: text,
  role: text,
  // One document shows these as ids, another as objects with a name.
  rbac_roles: list(field(readRole)),
  created_at: moment,
  joined_at: moment,
  last_login: moment,
});

const organizationRecord = z.object({
  id: requiredId,
  name: text,
  created_at: moment,
  users: list(organizationUser),
});

const permissionRecord = z.object({
  id: reference,
  resource: requiredName,
  permission: text,
  method: text,
  endpoint: text,
});

const roleRecord = z.object({
  id: requiredId,
  name: text,
  description: text,
  policies: list(nameOf),
  permissions: list(permissionRecord),
});

/** The user that the key belongs to. */
export const me = defineRead({
  id: 'account.me',
  template: '/auth/me',
  collect: body => under(body, 'user', 'users'),
  record: recordOf(
    user,
    ({email, name, username, created_at}): AuthenticatedUser => present({email, name, username, createdAt: created_at}),
  ),
});

/** One member, as listed in the organization's record. */
export const organizationMember = recordOf(organizationUser, toOrganizationUser);

/** The organization that the key belongs to, with its members. */
export const organization = defineRead({
  id: 'account.organization',
  template: '/auth/organizations',
  collect: body => under(body, 'organization', 'organizations'),
  record: recordOf(
    organizationRecord,
    (parsed): Organization =>
      present({
        id: parsed.id,
        name: parsed.name ?? safeText(''),
        createdAt: parsed.created_at,
        users: (parsed.users ?? []).map(toOrganizationUser),
      }),
  ),
});

/** What the key's user may do. */
export const permissions = defineRead<object, Permission>({
  id: 'account.permissions',
  template: '/auth/users/me/permissions',
  collect: body => under(body, 'permissions'),
  record: recordOf(permissionRecord, toPermission),
});

/** The roles of the organization, with the permissions of each. */
export const roles = defineRead<object, Role>({
  id: 'account.roles',
  comesInPieces: true,
  template: '/auth/roles',
  collect: body => under(body, 'roles', 'role'),
  record: recordOf(roleRecord, parsed =>
    present({
      id: parsed.id,
      name: parsed.name ?? safeText(''),
      description: parsed.description,
      policyNames: (parsed.policies ?? []).flatMap(name => name ?? []),
      permissions: (parsed.permissions ?? []).map(toPermission),
    }),
  ),
});

function toOrganizationUser(parsed: z.output<typeof organizationUser>): OrganizationUser {
  return present({
    id: parsed.id,
    email: parsed.email,
    name: parsed.name,
    username: parsed.username,
    role: parsed.role,
    grantedRoles: (parsed.rbac_roles ?? []).flatMap(role => role ?? []),
    joinedAt: parsed.joined_at ?? parsed.created_at,
    lastLoginAt: parsed.last_login,
  });
}

function toPermission({id, resource, permission, method, endpoint}: z.output<typeof permissionRecord>): Permission {
  return present({id, resource, action: permission, method, endpoint});
}

function readRole(value: unknown): RoleReference | undefined {
  const id = reference.parse(isObject(value) ? value.id : value);
  const name = readText(isObject(value) ? value.name : id === undefined ? value : undefined);
  return id === undefined && name === undefined ? undefined : present({id, name});
}
