import {organization as organizationEndpoint, organizationMember} from '../api/account.ts';
import {type AuthenticatedUser, type Organization, type OrganizationUser, userName} from '../domain/account.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {meFeed, organizationFeed, rolesFeed} from '../state/account.ts';
import type {Line} from '../ui/text.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {age, type Column, number, text} from './column.ts';
import {rawField, rawOf} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

export type MemberRow = {
  readonly user: OrganizationUser;
  /** The member the API key belongs to. */
  readonly isYou: boolean;
  readonly roleNames: readonly string[];
  readonly now: EpochMs;
};

const COLUMNS: readonly Column<MemberRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({user}) => number(user.id)},
  {
    key: 'name',
    title: 'MEMBER',
    value: row => text(memberName(row)),
    list: {minWidth: 12, maxWidth: 40, flex: 1, tone: 'strong'},
  },
  {
    key: 'you',
    title: 'YOU',
    printed: 'wide',
    reads: [meFeed, organizationFeed],
    value: ({isYou}) => (isYou ? {text: 'you'} : undefined),
    list: {title: '', minWidth: 3, tone: 'focus', absent: ''},
  },
  {
    key: 'email',
    title: 'EMAIL',
    value: ({user}) => text(user.email),
    list: {minWidth: 18, maxWidth: 50, flex: 2, priority: 1},
  },
  {key: 'role', title: 'ROLE', value: ({user}) => text(user.role), list: {minWidth: 8, maxWidth: 20}},
  {
    key: 'granted',
    title: 'GRANTED',
    reads: rolesFeed,
    value: row => text(row.roleNames.join(' ')),
    list: {minWidth: 14, maxWidth: 60, flex: 2, priority: 2, absent: 'none'},
  },
  {
    key: 'login',
    title: 'LAST LOGIN',
    align: 'right',
    unit: 'duration',
    value: ({user, now}) => age(user.lastLoginAt, now),
    list: {minWidth: 10, tone: 'dim'},
  },
  {
    key: 'joined',
    title: 'JOINED',
    align: 'right',
    unit: 'duration',
    value: ({user, now}) => age(user.joinedAt, now),
    list: {minWidth: 6, priority: 3, tone: 'dim'},
  },
  {key: 'username', title: 'USER NAME', printed: 'wide', value: ({user}) => text(user.username)},
];

export const members = defineResource<OrganizationUser, MemberRow>({
  names: ['members', 'member', 'users'],
  summary: 'members of the organization',
  columns: COLUMNS,
  // Members have no list endpoint; they are part of the organization.
  list: async ({client, signal}) => {
    const listed = rawOf(await client.readRaw(organizationEndpoint, {}, {signal}));
    if (!listed.ok) return listed;
    const raw = listed.value.raw.flatMap(organization => {
      const users = rawField(organization, 'users');
      return Array.isArray(users) ? users : [];
    });
    return {ok: true, value: {...listed.value, raw}};
  },
  parse: organizationMember,
  records: ({store}) => lastValue(store.get(organizationFeed))?.users,
  row: ({store, now}) => {
    const you = userOf(lastValue(store.get(organizationFeed)), lastValue(store.get(meFeed)));
    return user => ({
      user,
      // The member read on its own is a different object from the one in the list.
      isYou: user.id === you?.id,
      roleNames: roleNames(user, {store}),
      now,
    });
  },
  orderWords: say`last login first`,
  // You first, then by last login.
  order: (left, right) =>
    Number(right.isYou) - Number(left.isYou) ||
    (right.user.lastLoginAt ?? 0) - (left.user.lastLoginAt ?? 0) ||
    left.user.id - right.user.id,
  detail: memberLines,
  recordIn: ({user}) => user,
  path: () => organizationEndpoint.path({}),
  idOf: ({id}) => id,
  nameOf: user => memberName({user}),
});

/**
 * The member the API key belongs to. The two records share no id, so they are matched by e-mail address or user name.
 */
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

/** The names of granted roles; a role given only as a number is looked up. */
export function roleNames({grantedRoles}: OrganizationUser, {store}: Pick<RowInput, 'store'>): readonly string[] {
  const roles = lastValue(store.get(rolesFeed))?.records ?? [];
  return grantedRoles.map(({id, name}) => name ?? roles.find(role => role.id === id)?.name ?? `role #${id}`);
}

/** The member behind an event, or `user 12` if the list of members does not have it. */
export function nameOfUser(id: number, organization: Pick<Organization, 'users'> | undefined): SafeText {
  const user = organization?.users.find(each => each.id === id);
  return user === undefined ? say`user ${id}` : memberName({user});
}

export function memberName({user}: Pick<MemberRow, 'user'>): SafeText {
  return userName(user);
}

/** Every field of the member. */
function memberLines(row: MemberRow, _known: RowInput, width: number): readonly Line[] {
  const {user, isYou, roleNames: names, now} = row;
  return [
    ...(isYou ? [field('', 'you: this key belongs to this member', 'focus')] : []),
    field('email', user.email),
    field('user name', user.username),
    field('role', user.role),
    ...wrappedField('granted roles', names.length === 0 ? 'none' : names.join('  '), width),
    field('last login', momentText(user.lastLoginAt, now)),
    field('joined', momentText(user.joinedAt, now)),
    field('id', String(user.id)),
  ];
}
