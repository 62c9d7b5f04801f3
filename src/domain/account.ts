import type {SafeText} from './safe-text.ts';

/** Who the key belongs to. */
export type AuthenticatedUser = {
  readonly email: SafeText;
  readonly name?: SafeText;
  readonly username?: SafeText;
};

export type Organization = {
  readonly id: number;
  readonly name: SafeText;
  readonly users: readonly OrganizationUser[];
};

export type OrganizationUser = {
  readonly id: number;
  readonly email?: SafeText;
  readonly name?: SafeText;
  readonly role?: SafeText;
};
