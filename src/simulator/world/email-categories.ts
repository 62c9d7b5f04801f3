/** What the service writes e-mails about, beside what nobody can do without. */
export const EMAIL_CATEGORIES = [
  {slug: 'account', title: 'Your account', description: 'Sign-ins, invoices, suspensions.', isRequired: true},
  {slug: 'maintenance', title: 'Maintenance', description: 'Planned work on regions and hosts.', isRequired: false},
  {slug: 'news', title: 'News', description: 'New flavors, regions and features.', isRequired: false},
] as const;
