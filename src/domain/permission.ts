import {oncePer} from './memo.ts';
import type {SafeText} from './safe-text.ts';

/** One permission of the key's user, in the service's words: an action on a kind of resource. */
export type Permission = {
  readonly id?: number;
  /** For example `virtual-machine`. */
  readonly resource: SafeText;
  /** For example `create`; absent if the service names only the resource. */
  readonly action?: SafeText;
  /** The HTTP method and path it allows, if the service says so. */
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

/**
 * Whether a list of permissions allows a request, by the methods and paths it names, with `{…}` for any path segment.
 * Undefined if none matches and some name no path: those may or may not mean this request.
 */
export function permits(
  permissions: readonly Permission[],
  {method, path}: {readonly method: string; readonly path: string},
): boolean | undefined {
  const calls = callsOf(permissions);
  const [bare = ''] = path.split('?');
  const actual = segmentsOf(bare);
  if (calls.some(call => call.method === method && matches(call.parts, actual))) return true;
  return calls.length === 0 || calls.length < permissions.length ? undefined : false;
}

/** A call named by a permission; undefined parts stand for anything. */
type PermittedCall = {readonly method: string; readonly parts: readonly (string | undefined)[]};

// Cached: a menu for thousands of marked machines asks for each of them, about the same list.
const callsOf = oncePer((permissions: readonly Permission[]): readonly PermittedCall[] =>
  permissions.flatMap(({method, endpoint}) =>
    method === undefined || endpoint === undefined ? [] : [{method: method.toUpperCase(), parts: partsOf(endpoint)}],
  ),
);

/** The service writes a parameter as `{id}`, `<id>` or `:id`, and a path with or without its version. */
function partsOf(template: string): readonly (string | undefined)[] {
  return segmentsOf(template).map(part => (/^([{<:]|\*$)/.test(part) ? undefined : part));
}

function matches(parts: readonly (string | undefined)[], actual: readonly string[]): boolean {
  return parts.length === actual.length && parts.every((part, index) => part === undefined || part === actual[index]);
}

function segmentsOf(path: string): readonly string[] {
  return path
    .replace(/^\/v1(?=\/)/, '')
    .split('/')
    .filter(segment => segment !== '');
}
