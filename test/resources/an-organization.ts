import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {meFeed, organizationFeed, rolesFeed} from '../../src/state/account.ts';
import {NOW} from '../panes/a-known-scene.ts';
import {listed, read} from '../panes/a-read-scene.ts';

export const ME = read(meFeed, {email: safeText('INES@acme.example'), name: safeText('Ines')});

export const ORGANIZATION = read(organizationFeed, {
  id: 4217,
  name: safeText('acme'),
  users: [
    {
      id: 1,
      name: safeText('Tomasz'),
      email: safeText('tomasz@acme.example'),
      grantedRoles: [{id: 2}],
      lastLoginAt: epochMs(NOW - DAY_MS),
    },
    {
      id: 2,
      name: safeText('Ines'),
      email: safeText('ines@acme.example'),
      role: safeText('Owner'),
      grantedRoles: [{id: 1}, {name: safeText('auditor')}],
    },
    {id: 3, grantedRoles: [{id: 77}], lastLoginAt: epochMs(NOW - 2 * DAY_MS)},
  ],
});

export const ROLES = listed(rolesFeed, [
  {id: 1, name: safeText('owner'), policyNames: [], permissions: []},
  {
    id: 2,
    name: safeText('admin'),
    policyNames: [safeText('admin-policy')],
    permissions: [
      {resource: safeText('volumes'), action: safeText('read')},
      {resource: safeText('machines'), action: safeText('machines:operate')},
      {resource: safeText('machines'), action: safeText('machines:read')},
    ],
  },
]);
