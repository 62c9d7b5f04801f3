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

/**
 * Whether a list of permissions allows a request, by the methods and paths it names, `{…}` standing for any part.
 * Undefined where the list names no paths at all: then it proves nothing.
 */
export function permits(
  permissions: readonly Permission[],
  {method, path}: {readonly method: string; readonly path: string},
): boolean | undefined {
  const named = permissions.filter(permission => permission.endpoint !== undefined && permission.method !== undefined);
  if (named.length === 0) return undefined;
  const [bare = ''] = path.split('?');
  return named.some(
    permission => permission.method?.toUpperCase() === method && matchesTemplate(permission.endpoint ?? '', bare),
  );
}

/** The service writes a parameter as `{id}`, `<id>` or `:id`, and a path with or without its version. */
function matchesTemplate(template: string, path: string): boolean {
  const parts = segmentsOf(template);
  const actual = segmentsOf(path);
  return (
    parts.length === actual.length && parts.every((part, index) => /^([{<:]|\*$)/.test(part) || part === actual[index])
  );
}

function segmentsOf(path: string): readonly string[] {
  return path
    .replace(/^\/v1(?=\/)/, '')
    .split('/')
    .filter(segment => segment !== '');
}
