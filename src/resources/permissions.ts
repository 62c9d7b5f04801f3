import {permissions as permissionsEndpoint} from '../api/account.ts';
import type {Permission} from '../domain/permission.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {permissionsFeed} from '../state/account.ts';
import type {Line} from '../ui/text.ts';
import {field, wrappedField} from './detail.ts';
import {type Column, number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, type RowInput, undated} from './resource.ts';

/** The single permissions, by the names the service gives them. */
export const permissions = defineResource<Permission, Permission>({
  names: ['permissions', 'permission'],
  summary: 'what the key may do',
  columns: [
    {key: 'resource', title: 'RESOURCE', value: ({resource}) => text(resource)},
    {key: 'action', title: 'ALLOWED', value: permission => text(actionText(permission))},
    {key: 'method', title: 'METHOD', value: ({method}) => text(method)},
    {key: 'endpoint', title: 'ENDPOINT', value: ({endpoint}) => text(endpoint)},
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(permissionsEndpoint, {}, {signal})),
  parse: permissionsEndpoint.record,
  row: undated,
  idOf: ({id}) => id,
  nameOf: ({resource}) => resource,
});

/** Everything allowed on one kind of resource: a line of the deck's list. */
export type PermissionRow = {
  readonly resource: SafeText;
  readonly permissions: readonly Permission[];
};

export const PERMISSION_COLUMNS: readonly Column<PermissionRow>[] = [
  {
    key: 'resource',
    title: 'RESOURCE',
    value: ({resource}) => text(resource),
    list: {minWidth: 20, maxWidth: 40, flex: 1, tone: 'strong'},
  },
  {
    key: 'actions',
    title: 'ALLOWED',
    value: row => text(actionsText(row)),
    list: {minWidth: 24, maxWidth: 120, flex: 3},
  },
  {
    key: 'count',
    title: 'CALLS',
    align: 'right',
    value: row => number(callCount(row)),
    list: {minWidth: 5, tone: 'dim'},
  },
];

/** What this key may do, by resource; undefined until it was read. */
export function permissionRows({store}: Pick<RowInput, 'store'>): readonly PermissionRow[] | undefined {
  const all = lastValue(store.get(permissionsFeed))?.records;
  return all && byResource(all);
}

export function byResource(permissions: readonly Permission[]): readonly PermissionRow[] {
  return [...Map.groupBy(permissions, ({resource}) => resource)]
    .map(([resource, group]) => ({resource, permissions: group}))
    .sort((left, right) => left.resource.localeCompare(right.resource, 'en'));
}

/** For example `create delete read`, each action once. A permission without an action stands for the whole resource. */
export function actionsText({permissions}: Pick<PermissionRow, 'permissions'>): string {
  return [...new Set(permissions.map(actionText))].sort().join(' ');
}

/** `read`, also if the service says `storage:read` for the resource `storage`. */
function actionText({resource, action}: Permission): string {
  if (action === undefined) return 'all';
  return action.startsWith(`${resource}:`) ? action.slice(resource.length + 1) : action;
}

/** The number of calls listed; undefined if the service lists none. */
function callCount({permissions}: PermissionRow): number | undefined {
  const named = permissions.filter(({endpoint}) => endpoint !== undefined);
  return named.length === 0 ? undefined : named.length;
}

/** Each permission with the call it allows, as far as the service names one. */
export function permissionLines({permissions}: PermissionRow, _known: RowInput, width: number): readonly Line[] {
  return [...permissions]
    .sort((left, right) => (left.action ?? '').localeCompare(right.action ?? '', 'en'))
    .flatMap(permission => permissionField(permission, width));
}

function permissionField(permission: Permission, width: number): readonly Line[] {
  const {method, endpoint} = permission;
  const call = [method, endpoint].filter(word => word !== undefined).join(' ');
  return call === ''
    ? [field(actionText(permission), 'the service lists no request for it', 'dim')]
    : wrappedField(actionText(permission), call, width);
}
