import * as z from 'zod';
import type {World} from '../../world/world.ts';
import {badRequest, json, notFound} from '../answers.ts';
import {type Route, route} from '../route.ts';
import {FLAG, INTEGER, TEXT} from '../schema.ts';

// E-mail preferences of the key's user. All answers are bare objects.

/** The e-mails a user can turn off. */
const EMAIL_CATEGORIES = [
  {slug: 'account', title: 'Your account', description: 'Sign-ins, invoices, suspensions.', isRequired: true},
  {slug: 'maintenance', title: 'Maintenance', description: 'Planned work on regions and hosts.', isRequired: false},
  {slug: 'news', title: 'News', description: 'New flavors, regions and features.', isRequired: false},
] as const;

const OPERATES = {permission: 'access:operate', action: 'change e-mail preferences'} as const;

const CATEGORY = z.object({
  slug: TEXT,
  display_name: TEXT,
  description: TEXT,
  position: INTEGER,
  required: FLAG,
  opted_in: FLAG,
});
const CHOICE = z.strictObject({opted_in: FLAG});
const DONE = z.object({message: TEXT});

export const emailPreferenceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/email/opt-out',
    summary: 'List e-mail preferences',
    reply: z.object({email_categories: z.array(CATEGORY)}),
    answer: ({world, caller}) =>
      json({email_categories: EMAIL_CATEGORIES.map((_, position) => categoryBody(position, world, caller.user.id))}),
  }),
  route({
    method: 'PUT',
    path: '/auth/email/opt-out',
    summary: 'Turn all optional e-mails on or off',
    requires: OPERATES,
    body: CHOICE,
    reply: DONE,
    answer: ({world, caller, read}) =>
      read(({opted_in: isWanted}) => {
        for (const {slug, isRequired} of EMAIL_CATEGORIES) {
          if (!isRequired) choose(world, caller.user.id, slug, isWanted);
        }
        return json({message: 'Email preferences updated'});
      }),
  }),
  route({
    method: 'PUT',
    path: '/auth/email/opt-out/:slug',
    summary: 'Turn the e-mails of a category on or off',
    requires: OPERATES,
    body: CHOICE,
    reply: DONE,
    answer: ({world, caller, param, read}) =>
      read(({opted_in: isWanted}) => {
        const category = EMAIL_CATEGORIES.find(({slug}) => slug === param('slug'));
        if (category === undefined) return notFound(`Email category ${param('slug')} does not exist.`);
        if (category.isRequired) return badRequest(`Emails about '${category.title}' are always sent.`);
        choose(world, caller.user.id, category.slug, isWanted);
        return json({message: 'Email preference updated'});
      }),
  }),
];

function choose({unwantedEmails, executed}: World, userId: number, slug: string, isWanted: boolean): void {
  if (isWanted) unwantedEmails.delete(`${userId} ${slug}`);
  else unwantedEmails.add(`${userId} ${slug}`);
  executed('choose-emails', userId);
}

function categoryBody(position: number, {unwantedEmails}: World, userId: number): z.output<typeof CATEGORY> {
  const {slug = '', title = '', description = '', isRequired = false} = EMAIL_CATEGORIES[position] ?? {};
  const isWanted = !unwantedEmails.has(`${userId} ${slug}`);
  return {slug, display_name: title, description, position, required: isRequired, opted_in: isWanted};
}
