import {describe, expect, it} from 'vitest';
import {roles} from '../../src/resources/roles.ts';
import {aReadScene} from '../panes/a-read-scene.ts';
import {detailOf, rowsOf} from './a-resource.ts';
import {ORGANIZATION, ROLES} from './an-organization.ts';

describe('the roles', () => {
  it('is sorted by name, each role with the members who have it by id or by name', () => {
    const rows = rowsOf(roles, aReadScene([ORGANIZATION, ROLES])) ?? [];
    expect(rows.map(({role, memberNames}) => [role.name, memberNames])).toEqual([
      ['admin', ['Tomasz']],
      ['owner', ['Ines']],
    ]);
  });

  it('leaves the members undefined until the organization is known', () => {
    expect(rowsOf(roles, aReadScene([ROLES]))?.map(({memberNames}) => memberNames)).toEqual([undefined, undefined]);
  });

  it('shows by resource what the role allows', () => {
    const scene = aReadScene([ORGANIZATION, ROLES]);
    const [admin] = rowsOf(roles, scene) ?? [];
    const text = admin && detailOf(roles, admin, scene);
    expect(text).toMatch(/machines\s+operate read/);
    expect(text).toMatch(/volumes\s+read/);
  });
});
