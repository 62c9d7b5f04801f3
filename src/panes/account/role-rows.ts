import type {Role} from '../../domain/permission.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {field, wrappedField} from '../../resources/detail.ts';
import type {Column} from '../../resources/resource.ts';
import {organizationFeed, rolesFeed} from '../../state/account.ts';
import {formatCount} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {numberColumn, textColumn} from '../column.ts';
import type {Scene} from '../pane.ts';
import {memberName} from './member-rows.ts';
import {actionsText, byResource} from './permission-rows.ts';

export type RoleRow = {
  readonly role: Role;
  /** Who has it; undefined while the members are not known. */
  readonly memberNames: readonly string[] | undefined;
};

/** The roles by name. Undefined until they were read. */
export function roleRows({store}: Pick<Scene, 'store'>): readonly RoleRow[] | undefined {
  const users = lastValue(store.get(organizationFeed))?.users;
  return lastValue(store.get(rolesFeed))
    ?.records.map(role => ({
      role,
      memberNames: users
        ?.filter(({grantedRoles}) =>
          grantedRoles.some(({id, name}) => (id === undefined ? name === role.name : id === role.id)),
        )
        .map(user => memberName({user})),
    }))
    .sort((left, right) => left.role.name.localeCompare(right.role.name, 'en') || left.role.id - right.role.id);
}

export const ROLE_COLUMNS: readonly Column<RoleRow>[] = [
  textColumn({key: 'name', title: 'ROLE', minWidth: 14, maxWidth: 40, flex: 1}, ({role}) => role.name, {
    tone: 'strong',
  }),
  textColumn(
    {key: 'description', title: 'DESCRIPTION', minWidth: 18, maxWidth: 80, flex: 3},
    ({role}) => role.description,
    {absent: 'none', isProse: true},
  ),
  textColumn(
    {key: 'policies', title: 'POLICIES', minWidth: 14, maxWidth: 60, flex: 2, priority: 1},
    ({role}) => role.policyNames.join(' '),
    {tone: 'dim', absent: 'none'},
  ),
  numberColumn(
    {key: 'permissions', title: 'PERMISSIONS', minWidth: 11},
    ({role}) => role.permissions.length,
    formatCount,
  ),
  numberColumn({key: 'members', title: 'MEMBERS', minWidth: 7}, row => row.memberNames?.length, formatCount),
];

/** Who has the role, and what it allows, by resource. */
export function roleLines({role, memberNames}: RoleRow, _scene: Scene, width: number): readonly Line[] {
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
