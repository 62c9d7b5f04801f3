import type {SafeText} from './safe-text.ts';

/** One thing a key's user may do, in the service's words: an action on a kind of resource. */
export type Permission = {
  readonly id?: number;
  /** Like `virtual-machine`. */
  readonly resource: SafeText;
  /** Like `create`; absent where the service names the resource alone. */
  readonly action?: SafeText;
  /** The HTTP method and the path it opens, where the service says so. */
  readonly method?: SafeText;
  readonly endpoint?: SafeText;
};

/** A named set of permissions that can be given to members. */
export type Role = {
  readonly id: number;
  readonly name: SafeText;
  readonly description?: SafeText;
  readonly policyNames: readonly SafeText[];
  readonly permissions: readonly Permission[];
};
