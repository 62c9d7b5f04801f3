import {describe, expect, it} from 'vitest';
import {me, organization, permissions, roles} from '../../src/api/account.ts';
import {readExample} from './wire-example.ts';

describe('me', () => {
  it('reads who the key belongs to', () => {
    expect(readExample(me).records).toStrictEqual([
      {email: 'owner@example.org', name: 'Ada Owner', username: 'owner', createdAt: Date.UTC(2024, 2, 1, 9, 12, 45)},
    ]);
  });

  it('needs nothing but the email', () => {
    expect(me.record({email: 'a@example.org', name: null, username: 7})).toStrictEqual({
      ok: true,
      value: {email: 'a@example.org'},
    });
    expect(me.record({name: 'nobody'})).toEqual({ok: false, fields: ['email']});
  });
});

describe('organization', () => {
  it('reads its members, whichever form their roles and dates take', () => {
    expect(readExample(organization).records).toStrictEqual([
      {
        id: 2041,
        name: 'Example Research',
        createdAt: Date.UTC(2024, 2, 1, 9, 12, 44),
        users: [
          {
            id: 3107,
            email: 'owner@example.org',
            name: 'Ada Owner',
            username: 'owner',
            role: 'Owner',
            grantedRoles: [],
            joinedAt: Date.UTC(2024, 2, 1, 9, 12, 45),
            lastLoginAt: Date.UTC(2026, 4, 2, 7),
          },
          {
            id: 3222,
            email: 'member@example.org',
            name: 'Max Member',
            username: 'member',
            role: 'Member',
            grantedRoles: [{name: 'operators'}, {id: 17}],
            joinedAt: Date.UTC(2025, 0, 20, 10),
          },
        ],
      },
    ]);
  });

  it('drops members without an id and keeps the organization', () => {
    expect(organization.record({id: 1, users: [{id: null}, 'x', {id: 2}]})).toStrictEqual({
      ok: true,
      value: {id: 1, name: '', users: [{id: 2, grantedRoles: []}]},
    });
    expect(organization.record({id: 1, users: null})).toStrictEqual({ok: true, value: {id: 1, name: '', users: []}});
  });
});

describe('permissions', () => {
  it('reads actions on resources, and a resource alone when nothing more is given', () => {
    expect(readExample(permissions)).toStrictEqual({
      records: [
        {id: 11, resource: 'virtual-machine', action: 'list'},
        {id: 12, resource: 'virtual-machine', action: 'create', method: 'POST', endpoint: '/core/virtual-machines'},
        {resource: 'billing'},
      ],
      quarantined: [{fields: ['resource']}],
    });
  });
});

describe('roles', () => {
  it('reads roles with their policies and permissions, and leaves out malformed ones', () => {
    expect(readExample(roles)).toStrictEqual({
      records: [
        {
          id: 17,
          name: 'operators',
          description: 'Runs the machines',
          policyNames: ['virtual-machine-full-access'],
          permissions: [{id: 11, resource: 'virtual-machine', action: 'list'}],
        },
        {id: 18, name: '', policyNames: [], permissions: [{id: 12, resource: 'volume'}]},
      ],
      quarantined: [{fields: ['id']}],
    });
  });
});
