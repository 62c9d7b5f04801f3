import {say} from '../domain/safe-text.ts';
import {roles as rolesEndpoint} from '../api/account.ts';
import type {Role} from '../domain/permission.ts';
import {lastValue} from '../domain/snapshot.ts';
import {organizationFeed, rolesFeed} from '../state/account.ts';
import type {Line} from '../ui/text.ts';
import {field, wrappedField} from './detail.ts';
import {memberName} from './members.ts';
import {actionsText, byResource} from './permissions.ts';
import {type Column, number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

export type RoleRow = {
  readonly role: Role;
  /** The members with this role; undefined until members are known. */
  readonly memberNames: readonly string[] | undefined;
};

const COLUMNS: readonly Column<RoleRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({role}) => number(role.id)},
  {
    key: 'name',
    title: 'ROLE',
    value: ({role}) => text(role.name),
    list: {minWidth: 14, maxWidth: 40, flex: 1, tone: 'strong'},
  },
  {
    key: 'description',
    title: 'DESCRIPTION',
    value: ({role}) => text(role.description),
    list: {minWidth: 18, maxWidth: 80, flex: 3, absent: 'none', isProse: true},
  },
  {
    key: 'policies',
    title: 'POLICIES',
    printed: 'wide',
    value: ({role}) => text(role.policyNames.join(' ')),
    list: {minWidth: 14, maxWidth: 60, flex: 2, priority: 1, tone: 'dim', absent: 'none'},
  },
  {
    key: 'permissions',
    title: 'PERMISSIONS',
    align: 'right',
    value: ({role}) => number(role.permissions.length),
    list: {minWidth: 11},
  },
  {
    key: 'members',
    title: 'MEMBERS',
    align: 'right',
    reads: organizationFeed,
    value: ({memberNames}) => number(memberNames?.length),
    list: {minWidth: 7},
  },
];

export const roles = defineResource<Role, RoleRow>({
  names: ['roles', 'role'],
  summary: 'roles of the organization, with what they allow',
  columns: COLUMNS,
  list: async ({client, signal}) => rawOf(await client.readRaw(rolesEndpoint, {}, {signal})),
  parse: rolesEndpoint.record,
  feed: rolesFeed,
  row: ({store}) => {
    const users = lastValue(store.get(organizationFeed))?.users;
    return role => ({
      role,
      memberNames: users
        ?.filter(({grantedRoles}) =>
          grantedRoles.some(({id, name}) => (id === undefined ? name === role.name : id === role.id)),
        )
        .map(user => memberName({user})),
    });
  },
  orderWords: say`by name`,
  order: (left, right) => left.role.name.localeCompare(right.role.name, 'en') || left.role.id - right.role.id,
  detail: roleLines,
  recordIn: ({role}) => role,
  path: () => rolesEndpoint.path({}),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

/** Who has the role, and what it allows, by resource. */
function roleLines({role, memberNames}: RoleRow, _known: RowInput, width: number): readonly Line[] {
  return [
    ...wrappedField('description', role.description ?? 'none', width),
    ...(memberNames === undefined
      ? [field('members', undefined)]
      : wrappedField('members', memberNames.length === 0 ? 'none' : memberNames.join('  '), width)),
    ...wrappedField('policies', role.policyNames.length === 0 ? 'none' : role.policyNames.join('  '), width),
    field('id', String(role.id)),
    [],
    ...byResource(role.permissions).flatMap(row => wrappedField(row.resource, actionsText(row), width)),
  ];
}
