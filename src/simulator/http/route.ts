import type {Caller, Permission} from '../world/account.ts';
import type {World} from '../world/world.ts';
import type {ObjectSchema, Schema} from './schema.ts';

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
  /** Every endpoint there is, for those that tell of the others. */
  readonly routes: readonly Route[];
};

/** What the OpenAPI document says about an endpoint beyond its method, path and role. Only the summary is needed. */
export type Description = {
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: ObjectSchema;
  /** What a success holds; the plain envelope where nothing is said. */
  readonly reply?: Schema;
  /** The code of a success; 200 where nothing is said. */
  readonly replyStatus?: 200 | 201;
  /** Codes of refusals beyond those of every endpoint and those that follow from path, body and role. */
  readonly refusals?: readonly number[];
};

/** One endpoint: a line of the interface's table. The pattern is relative to the base URL. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly pattern: string;
  /** What the caller's role must allow, and how a refusal names it; absent where any key will do. */
  readonly requires?: {readonly permission: Permission; readonly action: string};
  readonly takesBody?: true;
  readonly describes?: Description;
  readonly answer: (inquiry: Inquiry) => Response;
};
