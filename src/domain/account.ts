import {type SafeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** Who the key belongs to. */
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
  /** The place in the organization, like `Owner`; what a member may do is in the roles granted. */
  readonly role?: SafeText;
  /** The roles granted: the service gives either ids or names. */
  readonly grantedRoles: readonly RoleReference[];
  /** When the owner was added, or when another member joined. */
  readonly joinedAt?: EpochMs;
  readonly lastLoginAt?: EpochMs;
};

/** What a person of the organization is called. */
export function userName({id, name, email, username}: OrganizationUser): SafeText {
  return name ?? email ?? username ?? say`user #${id}`;
}

export type RoleReference = {readonly id?: number; readonly name?: SafeText};
