import {describe, expect, test} from 'vitest';
import {ROUTES} from '../../../../src/simulator/http/app.ts';
import {aSimulator} from '../../a-simulator.ts';

type Permission = {
  readonly id: number;
  readonly resource: string;
  readonly permission: string;
  readonly method: string;
  readonly endpoint: string;
};
type Permissions = {readonly permissions: readonly Permission[]};
type Roles = {
  readonly roles: readonly {
    readonly name: string;
    readonly policies: readonly {readonly id: number; readonly name: string}[];
    readonly permissions: readonly Permission[];
  }[];
};
type Policies = {
  readonly policies: readonly {readonly id: number; readonly name: string; readonly is_public: boolean}[];
};

describe("a user's own permissions", () => {
  test.each([
    'owner',
    'member',
    'none',
  ] as const)('are exactly the requests that the key of %s is not refused', async name => {
    const {get, simulator} = await aSimulator();
    const key = simulator.keys[name];
    const {permissions} = (await get<Permissions>('/auth/users/me/permissions', {key})).body;
    const allowed = permissions.map(({method, endpoint}) => `${method} ${endpoint}`);
    for (const {method, path, requires} of ROUTES) {
      if (requires === undefined) continue;
      const endpoint = path.replaceAll(/:([a-z_]+)/g, '{$1}');
      // With an id that does not exist, an allowed request gets another error than 403.
      const {status} = await get(path.replaceAll(/:([a-z_]+)/g, '0'), {
        method,
        key,
        ...(method === 'GET' ? {} : {body: '{}'}),
      });
      expect([method, endpoint, status === 403]).toEqual([
        method,
        endpoint,
        !allowed.includes(`${method} ${endpoint}`),
      ]);
    }
    expect(simulator.executions()).toEqual([]);
  });

  test('can be read without a role', async () => {
    const {get, simulator} = await aSimulator();
    const reply = await get('/auth/users/me/permissions', {key: simulator.keys.none});
    expect(reply).toMatchObject({status: 200, body: {status: true, permissions: []}});
  });
});

describe('roles', () => {
  test('are those that users have, with their policies', async () => {
    const {get} = await aSimulator();
    const {roles} = (await get<Roles>('/auth/roles')).body;
    const {policies} = (await get<Policies>('/auth/policies')).body;
    const {body} = await get<{organization: {users: {rbac_roles: {name: string}[]}[]}}>('/auth/organizations');
    const held = new Set(body.organization.users.flatMap(user => user.rbac_roles.map(({name}) => name)));
    expect(new Set(roles.map(({name}) => name))).toEqual(held);
    expect(new Set(roles.flatMap(role => role.policies.map(({id}) => id)))).toEqual(
      new Set(policies.map(({id}) => id)),
    );
  });

  test('allow a member everything except billing', async () => {
    const {get, simulator} = await aSimulator();
    const {roles} = (await get<Roles>('/auth/roles', {key: simulator.keys.member})).body;
    const {permissions} = (await get<Permissions>('/auth/permissions')).body;
    const operator = roles.find(({name}) => name === 'operator')?.permissions.map(({id}) => id);
    expect(operator).toEqual(permissions.filter(({resource}) => resource !== 'billing').map(({id}) => id));
    expect(roles.find(({name}) => name === 'owner')?.permissions).toHaveLength(permissions.length);
  });

  test('are hidden from users without a role', async () => {
    const {get, simulator} = await aSimulator();
    for (const path of ['/auth/roles', '/auth/permissions', '/auth/policies']) {
      expect(await get(path, {key: simulator.keys.none})).toMatchObject({
        status: 403,
        body: {status: false, error_reason: 'forbidden'},
      });
    }
  });
});
