import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {memberName, members, userOf} from '../../src/resources/members.ts';
import {aReadScene} from '../panes/a-read-scene.ts';
import {detailOf, rowsOf} from './a-resource.ts';
import {ME, ORGANIZATION, ROLES} from './an-organization.ts';

const scene = aReadScene([ME, ORGANIZATION, ROLES]);

describe('the members', () => {
  it('lists you first, matching the e-mail address in any case, then the most recent login', () => {
    const rows = rowsOf(members, scene) ?? [];
    expect(rows.map(({user, isYou}) => [user.id, isYou])).toEqual([
      [2, true],
      [1, false],
      [3, false],
    ]);
  });

  it('shows the names of granted roles, looking up those given by number', () => {
    expect(rowsOf(members, scene)?.map(({roleNames}) => roleNames)).toEqual([
      ['owner', 'auditor'],
      ['admin'],
      ['role #77'],
    ]);
  });

  it('marks no member as you until the owner of the key is known', () => {
    expect(rowsOf(members, aReadScene([ORGANIZATION]))?.some(({isYou}) => isYou)).toBe(false);
    expect(rowsOf(members, aReadScene([ME]))).toBeUndefined();
  });

  it('shows in the detail that the key belongs to you', () => {
    const [you, other] = rowsOf(members, scene) ?? [];
    expect(you && detailOf(members, you, scene)).toContain('this key belongs to this member');
    expect(other && detailOf(members, other, scene)).not.toContain('this key');
  });
});

describe('userOf', () => {
  it('matches by user name if no e-mail address matches, and never matches two missing user names', () => {
    const me = {email: safeText('a@b.example'), username: safeText('ines')};
    const users = [
      {id: 1, grantedRoles: []},
      {id: 2, username: safeText('ines'), grantedRoles: []},
    ];
    const organization = {id: 1, name: safeText('acme'), users};
    expect(userOf(organization, me)?.id).toBe(2);
    expect(userOf(organization, {email: me.email})).toBeUndefined();
  });
});

describe('memberName', () => {
  it('is the name, else the address, else the id', () => {
    const user = {id: 7, grantedRoles: []};
    expect(memberName({user: {...user, name: safeText('Ines'), email: safeText('i@a.example')}})).toBe('Ines');
    expect(memberName({user: {...user, email: safeText('i@a.example')}})).toBe('i@a.example');
    expect(memberName({user})).toBe('user #7');
  });
});
