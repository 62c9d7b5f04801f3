import type {Caller, Permission} from './account.ts';
import type {World} from './world.ts';

/** One request, as a route sees it. */
export type Inquiry = {
  readonly world: World;
  readonly caller: Caller;
  /** Parts of the path, by the names in the route's pattern. */
  readonly part: (name: string) => string;
  readonly query: (name: string) => string | undefined;
  /** Each value of a parameter that may be repeated. */
  readonly queryAll: (name: string) => readonly string[];
  /** The parsed JSON of the request; undefined where the route takes none. */
  readonly body: unknown;
};

/** One endpoint: a line of the interface's table. The pattern is relative to the base URL. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly pattern: string;
  /** What the caller's role must allow, and how a refusal names it; absent where any key will do. */
  readonly requires?: {readonly permission: Permission; readonly action: string};
  readonly takesBody?: true;
  readonly answer: (inquiry: Inquiry) => Response;
};
