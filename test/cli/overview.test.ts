import {expect, test} from 'vitest';
import {openAccount} from '../../src/cli/account.ts';
import {printOverview} from '../../src/cli/overview.ts';
import {commandIo} from './a-command.ts';
import {openService} from './a-service.ts';

test.each([
  ['of what runs', {bill_per_minute: null, total_bill: 720}, /^this month {2}\$720\.00(?: {2}|$)/m],
  ['or bill at all', {bill_per_minute: null, total_bill: null}, /^this month {2}unknown$/m],
])('calls the figures unknown, not $0.00, where the usage has no rate %s', async (_, figures, month) => {
  const record = {
    resource_id: 1,
    resource_type: 'vm',
    name: 'gpu-1',
    organization_id: 7,
    create_time: '2026-11-06T00:00:00',
    terminate_time: null,
    total_up_time: 7200,
    active: true,
    exclude_billing: false,
    ...figures,
  };
  const {simulator} = await openService({
    '/billing/billing/usage': {data: [record]},
    '/core/virtual-machines': {status: true, instances: []},
  });
  const {io, stdout} = commandIo({simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
  const opened = await openAccount(io, {color: false});
  if (!opened.ok) throw new Error(opened.mistake);
  await printOverview(io, opened.account);
  expect(stdout()).toMatch(/^burn rate {3}unknown {2}\(1 unpriced\)$/m);
  expect(stdout()).toMatch(month);
});
