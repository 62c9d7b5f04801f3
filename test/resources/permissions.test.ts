import {describe, expect, it} from 'vitest';
import type {Permission} from '../../src/domain/permission.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {actionsText, PERMISSION_COLUMNS, permissionLines, permissionRows} from '../../src/resources/permissions.ts';
import {permissionsFeed} from '../../src/state/account.ts';
import {aReadScene, listed, textsOf} from '../panes/a-read-scene.ts';

function permission(resource: string, action?: string, call?: readonly [string, string]): Permission {
  return {
    resource: safeText(resource),
    ...(action === undefined ? {} : {action: safeText(action)}),
    ...(call === undefined ? {} : {method: safeText(call[0]), endpoint: safeText(call[1])}),
  };
}

const calls = PERMISSION_COLUMNS.find(({key}) => key === 'count');
const scene = aReadScene([
  listed(permissionsFeed, [
    permission('volumes', 'volumes:read', ['GET', '/core/volumes']),
    permission('machines', 'stop', ['GET', '/core/virtual-machines/{id}/stop']),
    permission('volumes', 'volumes:read', ['GET', '/core/volumes/{id}']),
    permission('billing'),
  ]),
]);

describe('permissionRows', () => {
  it('groups the allowed actions by resource, each action once and without the resource as a prefix', () => {
    expect(permissionRows(scene)?.map(row => [row.resource, actionsText(row)])).toEqual([
      ['billing', 'all'],
      ['machines', 'stop'],
      ['volumes', 'read'],
    ]);
  });

  it('is undefined until the permissions are read', () => {
    expect(permissionRows(aReadScene([]))).toBeUndefined();
  });

  it('counts the requests, and shows no count if the service lists none', () => {
    expect(permissionRows(scene)?.map(row => calls?.value(row)?.number)).toEqual([undefined, 1, 2]);
  });

  it('lists each request in the detail', () => {
    const [billing, , volumes] = permissionRows(scene) ?? [];
    expect(volumes && textsOf(permissionLines(volumes, scene, 80))).toMatch(/GET \/core\/volumes\n.*GET .*\{id\}/);
    expect(billing && textsOf(permissionLines(billing, scene, 80))).toContain('lists no request');
  });
});
