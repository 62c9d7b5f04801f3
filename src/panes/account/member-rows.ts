import type {AuthenticatedUser, Organization, OrganizationUser} from '../../domain/account.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import {field, momentText, wrappedField} from '../../resources/detail.ts';
import type {Column} from '../../resources/resource.ts';
import {meFeed, organizationFeed, rolesFeed} from '../../state/account.ts';
import type {Line} from '../../ui/text.ts';
import {ageColumn, textColumn} from '../column.ts';
import type {Scene} from '../pane.ts';

export type MemberRow = {
  readonly user: OrganizationUser;
  /** The one the key belongs to. */
  readonly isYou: boolean;
  readonly roleNames: readonly string[];
  readonly now: EpochMs;
};

/** The members: you, then whoever was there last. Undefined until the organization was read. */
export function memberRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly MemberRow[] | undefined {
  const organization = lastValue(store.get(organizationFeed));
  const you = userOf(organization, lastValue(store.get(meFeed)));
  return organization?.users
    .map(user => ({user, isYou: user === you, roleNames: roleNames(user, {store}), now}))
    .sort(
      (left, right) =>
        Number(right.isYou) - Number(left.isYou) ||
        (right.user.lastLoginAt ?? 0) - (left.user.lastLoginAt ?? 0) ||
        left.user.id - right.user.id,
    );
}

/** The member the key belongs to: the two records share no id, so the address or the user name has to do. */
export function userOf(
  organization: Organization | undefined,
  me: AuthenticatedUser | undefined,
): OrganizationUser | undefined {
  if (me === undefined) return undefined;
  const users = organization?.users ?? [];
  return (
    users.find(({email}) => email?.toLowerCase() === me.email.toLowerCase()) ??
    users.find(({username}) => username !== undefined && username === me.username)
  );
}

/** The roles granted by name; one that the service gave as a number alone is looked up. */
export function roleNames({grantedRoles}: OrganizationUser, {store}: Pick<Scene, 'store'>): readonly string[] {
  const roles = lastValue(store.get(rolesFeed))?.records ?? [];
  return grantedRoles.map(({id, name}) => name ?? roles.find(role => role.id === id)?.name ?? `role #${id}`);
}

export function memberName({user}: Pick<MemberRow, 'user'>): SafeText {
  return user.name ?? user.email ?? user.username ?? say`user #${user.id}`;
}

export const MEMBER_COLUMNS: readonly Column<MemberRow>[] = [
  textColumn({key: 'name', title: 'MEMBER', minWidth: 12, maxWidth: 40, flex: 1}, memberName, {tone: 'strong'}),
  textColumn({key: 'you', title: '', minWidth: 3}, ({isYou}) => (isYou ? 'you' : undefined), {
    tone: 'focus',
    absent: '',
  }),
  textColumn({key: 'email', title: 'EMAIL', minWidth: 18, maxWidth: 50, flex: 2, priority: 1}, ({user}) => user.email),
  textColumn({key: 'role', title: 'ROLE', minWidth: 8, maxWidth: 20}, ({user}) => user.role),
  textColumn(
    {key: 'granted', title: 'GRANTED', minWidth: 14, maxWidth: 60, flex: 2, priority: 2},
    row => row.roleNames.join(' '),
    {absent: 'none'},
  ),
  ageColumn({key: 'login', title: 'LAST LOGIN', minWidth: 10}, ({user}) => user.lastLoginAt),
  ageColumn({key: 'joined', title: 'JOINED', minWidth: 6, priority: 3}, ({user}) => user.joinedAt),
];

/** Every field of the member. */
export function memberLines(row: MemberRow, _scene: Scene, width: number): readonly Line[] {
  const {user, isYou, roleNames: names, now} = row;
  return [
    ...(isYou ? [field('', 'you: this key acts for this member', 'focus')] : []),
    field('email', user.email),
    field('user name', user.username),
    field('role', user.role),
    ...wrappedField('granted roles', names.length === 0 ? 'none' : names.join('  '), width),
    field('last login', momentText(user.lastLoginAt, now)),
    field('joined', momentText(user.joinedAt, now)),
    field('id', String(user.id)),
  ];
}
