import {describe, expect, it} from 'vitest';
import {me, organization} from '../../src/api/account.ts';
import {readExample} from './wire-example.ts';

describe('me', () => {
  it('reads who the key belongs to', () => {
    expect(readExample(me).records).toStrictEqual([{email: 'owner@example.org', name: 'Ada Owner', username: 'owner'}]);
  });

  it('does without everything but the email', () => {
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
        users: [
          {id: 3107, email: 'owner@example.org', name: 'Ada Owner', role: 'Owner'},
          {id: 3222, email: 'member@example.org', name: 'Max Member', role: 'Member'},
        ],
      },
    ]);
  });

  it('drops members it cannot name and keeps the organization', () => {
    expect(organization.record({id: 1, users: [{id: null}, 'x', {id: 2}]})).toStrictEqual({
      ok: true,
      value: {id: 1, name: '', users: [{id: 2}]},
    });
    expect(organization.record({id: 1, users: null})).toStrictEqual({ok: true, value: {id: 1, name: '', users: []}});
  });
});
