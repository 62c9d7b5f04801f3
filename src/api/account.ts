import * as z from 'zod';
import type {AuthenticatedUser, Organization} from '../domain/account.ts';
import {safeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {list, present, recordOf, requiredId, text, under} from './fields.ts';

const user = z.object({
  email: z
    .string()
    .min(1)
    .transform(email => safeText(email)),
  name: text,
  username: text,
});

const organizationUser = z.object({id: requiredId, email: text, name: text, role: text});

const organizationRecord = z.object({
  id: requiredId,
  name: text,
  users: list(organizationUser),
});

/** Who the key belongs to. */
export const me = defineRead({
  id: 'account.me',
  template: '/auth/me',
  collect: body => under(body, 'user', 'users'),
  record: recordOf(user, (parsed): AuthenticatedUser => present(parsed)),
});

/** The organization of the key, with its members. */
export const organization = defineRead({
  id: 'account.organization',
  template: '/auth/organizations',
  collect: body => under(body, 'organization', 'organizations'),
  record: recordOf(
    organizationRecord,
    (parsed): Organization => ({
      id: parsed.id,
      name: parsed.name ?? safeText(''),
      users: (parsed.users ?? []).map(each => present(each)),
    }),
  ),
});
