import {describe, expect, test} from 'vitest';
import {aSimulator, type WireRefusal} from '../a-simulator.ts';

type Me = {readonly status: boolean; readonly user: {readonly name: string; readonly email: string}};
type Org = {
  readonly organization: {
    readonly id: number;
    readonly name: string;
    readonly users: readonly {
      readonly role: string;
      readonly name: string;
      readonly created_at?: string;
      readonly joined_at?: string;
    }[];
  };
};

describe('the key', () => {
  test.each([undefined, '', 'wrong', 'sim-owner-'])('%s is refused with 401 on every path', async key => {
    const {simulator} = await aSimulator();
    for (const path of ['/auth/me', '/core/virtual-machines', '/billing/billing/usage', '/nothing/here']) {
      const headers: Record<string, string> = key === undefined ? {} : {api_key: key};
      const response = await fetch(simulator.url + path, {headers});
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({status: false, message: expect.any(String), error_reason: 'unauthorized'});
    }
  });

  test('identifies its user', async () => {
    const {get, simulator} = await aSimulator();
    const {users} = (await get<Org>('/auth/organizations')).body.organization;
    const names = await Promise.all(
      [simulator.keys.owner, simulator.keys.member, simulator.keys.none].map(
        async key => (await get<Me>('/auth/me', {key})).body.user.name,
      ),
    );
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(users.map(user => user.name)).toContain(name);
    expect(simulator.apiKey).toBe(simulator.keys.owner);
  });

  test('is the same for the same seed and different for another seed', async () => {
    const [first, same, other] = [
      await aSimulator({seed: 5}),
      await aSimulator({seed: 5}),
      await aSimulator({seed: 6}),
    ];
    expect(same.simulator.keys).toEqual(first.simulator.keys);
    expect(other.simulator.keys.owner).not.toBe(first.simulator.keys.owner);
  });
});

describe('the organization', () => {
  test('has one owner with created_at, and other users with joined_at', async () => {
    const {get} = await aSimulator();
    const {users} = (await get<Org>('/auth/organizations')).body.organization;
    expect(users.filter(user => user.role === 'Owner')).toHaveLength(1);
    for (const user of users) {
      expect(user.created_at !== undefined).toBe(user.role === 'Owner');
      expect(user.joined_at !== undefined).toBe(user.role !== 'Owner');
    }
  });
});

describe('permissions', () => {
  test('let an owner read everything', async () => {
    const {get, machine} = await aSimulator();
    const {id} = await machine('train-01');
    for (const path of readPaths(id)) expect((await get(path)).status).toBe(200);
  });

  test('let a member see and operate machines, but not see billing', async () => {
    const {get, machine, simulator} = await aSimulator();
    const {id} = await machine('train-01');
    const key = simulator.keys.member;
    for (const path of readPaths(id)) {
      expect((await get(path, {key})).status).toBe(/^\/(?:billing|pricebook)/.test(path) ? 403 : 200);
    }
    expect((await get(`/core/virtual-machines/${id}/stop`, {key})).status).toBe(200);
    expect(simulator.executions()).toHaveLength(1);
  });

  test('let a user without roles see only their account and the catalogue, and change nothing', async () => {
    const {get, post, machine, simulator} = await aSimulator();
    const {id, status} = await machine('train-01');
    const key = simulator.keys.none;
    for (const path of CATALOGUE) expect((await get(path, {key})).status).toBe(200);
    const verbs = ['start', 'stop', 'hard-reboot', 'hibernate', 'hibernate-restore'];
    const operations = verbs.map(verb => `/core/virtual-machines/${id}/${verb}`);
    for (const path of [...readPaths(id).filter(read => !CATALOGUE.includes(read)), ...operations]) {
      const reply = await get<WireRefusal>(path, {key});
      expect(reply).toMatchObject({status: 403, body: {status: false, error_reason: 'forbidden'}});
    }
    for (const path of ['/core/firewalls/31207/firewall-rules', `/core/virtual-machines/${id}/sg-rules`]) {
      // Refused before the body is validated, and without revealing whether the resource exists.
      expect((await post(path, {}, {key})).status).toBe(403);
      expect((await get(`${path}/1`, {key, method: 'DELETE'})).status).toBe(403);
    }
    expect(simulator.executions()).toEqual([]);
    expect((await machine('train-01')).status).toBe(status);
  });
});

const CATALOGUE = [
  '/auth/me',
  '/auth/organizations',
  '/core/flavors',
  '/core/clusters/master-flavors',
  '/core/clusters/versions',
  '/core/sg-rules-protocols',
];

function readPaths(id: number): string[] {
  return [
    '/core/virtual-machines',
    `/core/virtual-machines/${id}`,
    `/core/virtual-machines/${id}/metrics?duration=1h`,
    `/core/virtual-machines/${id}/events`,
    '/core/environments',
    '/core/flavors',
    '/core/clusters',
    '/core/clusters/1612',
    '/core/clusters/1612/events',
    '/core/firewalls',
    '/core/firewalls/31207',
    '/pricebook/contracts',
    '/pricebook/contracts/97',
    '/billing/billing/usage',
    '/billing/user-credit/credit',
  ];
}
