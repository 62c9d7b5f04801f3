import type {Permission} from '../../domain/permission.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {field, wrappedField} from '../../resources/detail.ts';
import type {Column} from '../../resources/resource.ts';
import {permissionsFeed} from '../../state/account.ts';
import {formatCount} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {numberColumn, textColumn} from '../column.ts';
import type {Scene} from '../pane.ts';

/** All that may be done with one kind of resource. */
export type PermissionRow = {
  readonly resource: SafeText;
  readonly permissions: readonly Permission[];
};

/** What this key may do, by resource. Undefined until it was read. */
export function permissionRows({store}: Pick<Scene, 'store'>): readonly PermissionRow[] | undefined {
  const permissions = lastValue(store.get(permissionsFeed))?.records;
  return permissions && byResource(permissions);
}

export function byResource(permissions: readonly Permission[]): readonly PermissionRow[] {
  return [...Map.groupBy(permissions, ({resource}) => resource)]
    .map(([resource, group]) => ({resource, permissions: group}))
    .sort((left, right) => left.resource.localeCompare(right.resource, 'en'));
}

/** `create delete read`: each action once. A permission without an action stands for the resource as a whole. */
export function actionsText({permissions}: Pick<PermissionRow, 'permissions'>): string {
  return [...new Set(permissions.map(actionText))].sort().join(' ');
}

/** `read`, also where the service says `storage:read` of the resource `storage`. */
function actionText({resource, action}: Permission): string {
  if (action === undefined) return 'all';
  return action.startsWith(`${resource}:`) ? action.slice(resource.length + 1) : action;
}

export const PERMISSION_COLUMNS: readonly Column<PermissionRow>[] = [
  textColumn({key: 'resource', title: 'RESOURCE', minWidth: 20, maxWidth: 40, flex: 1}, ({resource}) => resource, {
    tone: 'strong',
  }),
  textColumn({key: 'actions', title: 'MAY BE', minWidth: 24, maxWidth: 120, flex: 3}, actionsText),
  numberColumn({key: 'count', title: 'CALLS', minWidth: 5}, callCount, formatCount, 'dim'),
];

/** How many calls are named; undefined where the service names none. */
function callCount({permissions}: PermissionRow): number | undefined {
  const named = permissions.filter(({endpoint}) => endpoint !== undefined);
  return named.length === 0 ? undefined : named.length;
}

/** Each permission with the call it opens, as far as the service says. */
export function permissionLines({permissions}: PermissionRow, _scene: Scene, width: number): readonly Line[] {
  return [...permissions]
    .sort((left, right) => (left.action ?? '').localeCompare(right.action ?? '', 'en'))
    .flatMap(permission => permissionField(permission, width));
}

function permissionField(permission: Permission, width: number): readonly Line[] {
  const {method, endpoint} = permission;
  const call = [method, endpoint].filter(word => word !== undefined).join(' ');
  return call === ''
    ? [field(actionText(permission), 'the service names no call for it', 'dim')]
    : wrappedField(actionText(permission), call, width);
}
