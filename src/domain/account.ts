import {type SafeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** The user that the key belongs to. */
export type AuthenticatedUser = {
  readonly email: SafeText;
  readonly name?: SafeText;
  readonly username?: SafeText;
  readonly createdAt?: EpochMs;
};

export type Organization = {
  readonly id: number;
  readonly name: SafeText;
  readonly createdAt?: EpochMs;
  readonly users: readonly OrganizationUser[];
};

export type OrganizationUser = {
  readonly id: number;
  readonly email?: SafeText;
  readonly name?: SafeText;
  readonly username?: SafeText;
  /** The position in the organization, such as `Owner`; what a member may do depends on the granted roles. */
  readonly role?: SafeText;
  /** The granted roles: the service gives either ids or names. */
  readonly grantedRoles: readonly RoleReference[];
  /** When the owner was added, or another member joined. */
  readonly joinedAt?: EpochMs;
  readonly lastLoginAt?: EpochMs;
};

/** The displayed name of a member of the organization. */
export function userName({id, name, email, username}: OrganizationUser): SafeText {
  return name ?? email ?? username ?? say`user #${id}`;
}

export type RoleReference = {readonly id?: number; readonly name?: SafeText};
