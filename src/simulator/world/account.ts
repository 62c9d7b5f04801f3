import {seedFor} from './random.ts';
import type {World} from './world.ts';

export type Permission =
  | 'machines:read'
  | 'machines:operate'
  | 'firewalls:read'
  | 'firewalls:operate'
  | 'storage:read'
  | 'storage:operate'
  | 'access:read'
  | 'access:operate'
  | 'billing:read';
type KeyName = 'owner' | 'member' | 'none';

/** The account's three keys, one for each kind of role. */
export type AccountKeys = Readonly<Record<KeyName, string>>;

export type User = {
  readonly id: number;
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly username: string;
  readonly role: string;
  readonly rbacRoles: readonly {readonly name: string}[];
  readonly createdAt: number;
  readonly lastLoginAt: number;
};

export type Organization = {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  /** The owner first. */
  readonly users: readonly User[];
};

export type Contract = {
  readonly id: number;
  readonly description: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** 0: what it covers is deleted at its end; 1: kept at market rates. */
  readonly expirationPolicy: 0 | 1;
  /** Discount on the list price of everything it covers. */
  readonly discountPercent: number;
  readonly discounts: readonly Discount[];
};

export function contractStatus({startsAt, endsAt}: Contract, now: number): 'Active' | 'Expired' {
  return startsAt <= now && now < endsAt ? 'Active' : 'Expired';
}

/** The same discount for one flavor, as a percentage or as the resulting price. */
export type Discount = {
  readonly flavorName: string;
  readonly count: number;
  readonly type: 'percent' | 'flat';
  readonly code?: string;
  /** If it ends before its contract does. */
  readonly endsAt?: number;
};

/** The caller, and what that user's role allows. */
export type Caller = {readonly user: User; readonly permissions: ReadonlySet<Permission>};

export const AUTOSCALER_USER_ID = 5133;
const OWNER_ID = 5102;
const MEMBER_ID = 5117;
const ROLELESS_ID = 5140;

const DAY_MS = 86_400_000;

type Person = readonly [
  id: number,
  name: string,
  username: string,
  role: string,
  rbacRole: string,
  joinedDaysAgo: number,
];
const PEOPLE: readonly Person[] = [
  [OWNER_ID, 'Ines Albrecht', 'ines', 'Owner', 'owner', 412],
  [5109, 'Tomasz Wrona', 'tomasz', 'Admin', 'admin', 398],
  [MEMBER_ID, 'Mira Solberg', 'mira', 'Member', 'operator', 301],
  [5121, '佐藤 葵', 'aoi', 'Member', 'operator', 154],
  [AUTOSCALER_USER_ID, 'CI autoscaler', 'ci-autoscaler', 'Member', 'operator', 120],
  [ROLELESS_ID, 'Noé Lefèvre', 'noe', 'Member', '', 9],
];

/** A named set of permissions, given to users. */
export type Role = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
};

const OPERATING: readonly Permission[] = [
  'machines:read',
  'machines:operate',
  'firewalls:read',
  'firewalls:operate',
  'storage:read',
  'storage:operate',
  'access:read',
  'access:operate',
];
const EVERYTHING: readonly Permission[] = [...OPERATING, 'billing:read'];

export const ROLES: readonly Role[] = [
  {id: 1, name: 'owner', description: 'May do everything.', permissions: EVERYTHING},
  {id: 2, name: 'admin', description: 'May do everything.', permissions: EVERYTHING},
  // A member runs machines but does not see the organization's money, which is the provider's usual split.
  {id: 3, name: 'operator', description: 'Runs machines, but sees no money.', permissions: OPERATING},
];

const USER_ID_OF: Readonly<Record<KeyName, number>> = {owner: OWNER_ID, member: MEMBER_ID, none: ROLELESS_ID};
const KEY_NAMES: readonly KeyName[] = ['owner', 'member', 'none'];

/** Keys that nobody can mistake for real ones. What follows each name is the caller's choice. */
export function accountKeys(tailOf: (name: KeyName) => string): AccountKeys {
  const keyOf = (name: KeyName) => `sim-${name}-${tailOf(name)}`;
  return {owner: keyOf('owner'), member: keyOf('member'), none: keyOf('none')};
}

/** The same keys for the same seed. */
export function seededKeys(seed: number): AccountKeys {
  return accountKeys(name => (seedFor(seed, name) >>> 0).toString(16).padStart(8, '0'));
}

export function createOrganization(startedAt: number, isNew: boolean): Organization {
  const users = PEOPLE.map(([id, name, username, role, rbacRole, joinedDaysAgo], personIndex) => ({
    id,
    sub: `sim-user-${id}`,
    name,
    email: `${username}@acme.example`,
    username,
    role,
    rbacRoles: rbacRole === '' ? [] : [{name: rbacRole}],
    createdAt: startedAt - (isNew ? personIndex * 60_000 : joinedDaysAgo * DAY_MS),
    lastLoginAt: startedAt - (personIndex + 1) * 47 * 60_000,
  }));
  const createdAt = isNew ? startedAt - 3_600_000 : startedAt - 412 * DAY_MS;
  return {id: 4217, name: isNew ? 'acme-new' : 'acme-prod', createdAt, users};
}

/** The three keys with the user of each. */
export function keyHolders(keys: AccountKeys): readonly {readonly key: string; readonly userId: number}[] {
  return KEY_NAMES.map(name => ({key: keys[name], userId: USER_ID_OF[name]}));
}

/** The caller a key belongs to; undefined for an unknown key. */
export function callerOf(
  {organization, apiKeys}: Pick<World, 'organization' | 'apiKeys'>,
  key: string | undefined,
): Caller | undefined {
  const held = apiKeys.find(each => each.key === key);
  const user = organization.users.find(({id}) => id === held?.userId);
  return user === undefined ? undefined : {user, permissions: permissionsOf(user)};
}

/** The combined permissions of a user's roles; none without a role. */
function permissionsOf({rbacRoles}: User): ReadonlySet<Permission> {
  const held = ROLES.filter(role => rbacRoles.some(({name}) => name === role.name));
  return new Set(held.flatMap(({permissions}) => permissions));
}

/** When somebody is warned about the credit. */
export const THRESHOLDS = [
  {id: 1, threshold: 50, title: 'Low credit', tooltip: 'Sent when credit falls below this.'},
  {id: 2, threshold: 10, title: 'Very low credit', tooltip: 'Sent once more, nearer to the end.'},
  {id: 3, threshold: 0, title: 'No credit', tooltip: 'Sent when resources are suspended.'},
] as const;

export const SUBSCRIBED_AT_FIRST: readonly number[] = [1, 2];
