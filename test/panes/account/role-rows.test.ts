import {describe, expect, it} from 'vitest';
import {roleLines, roleRows} from '../../../src/panes/account/role-rows.ts';
import {aReadScene, textsOf} from '../a-read-scene.ts';
import {ORGANIZATION, ROLES} from './an-organization.ts';

describe('roleRows', () => {
  it('goes by name, each role with the members who have it by id or by name', () => {
    const rows = roleRows(aReadScene([ORGANIZATION, ROLES])) ?? [];
    expect(rows.map(({role, memberNames}) => [role.name, memberNames])).toEqual([
      ['admin', ['Tomasz']],
      ['owner', ['Ines']],
    ]);
  });

  it('knows no members while the organization is not known', () => {
    expect(roleRows(aReadScene([ROLES]))?.map(({memberNames}) => memberNames)).toEqual([undefined, undefined]);
  });

  it('tells what the role allows, by resource', () => {
    const scene = aReadScene([ORGANIZATION, ROLES]);
    const [admin] = roleRows(scene) ?? [];
    const text = admin && textsOf(roleLines(admin, scene, 80));
    expect(text).toMatch(/machines\s+operate read/);
    expect(text).toMatch(/volumes\s+read/);
  });
});
