import {expect, test} from 'vitest';
import {aSimulator, DAY_MS, HOUR_MS, STARTED_AT} from '../../a-simulator.ts';

type Costs = {
  readonly data: Readonly<Record<'instances_cost' | 'volumes_cost' | 'clusters_cost' | 'total_cost', number>>;
};

test("yesterday's cost is that of the last whole day, by kind of resource", async () => {
  const {get} = await aSimulator();
  const {data} = (await get<Costs>('/billing/billing/last-day-cost')).body;
  expect(data.total_cost).toBeCloseTo(data.instances_cost + data.volumes_cost + data.clusters_cost, 5);
  const {body} = await get<{billing_history: {billing_history: {metrics: {incurred_bill: number}}[]}}>(
    '/billing/billing/history?start_date=2026-11-19T00:00:00&end_date=2026-11-20T00:00:00',
  );
  expect(data.total_cost).toBeCloseTo(body.billing_history.billing_history[0]?.metrics.incurred_bill ?? 0, 5);
  // Five workers: three with two L40 at 2.00 and two with two A6000 at 1.00 an hour. One load balancer at 0.35 with an
  // address.
  expect(data.clusters_cost).toBeCloseTo(24 * (3 * 2 + 2 * 1 + 0.35 + 0.00672043), 3);
});

test("yesterday's cost stays the same until midnight", async () => {
  const {get, pass} = await aSimulator();
  const before = (await get<Costs>('/billing/billing/last-day-cost')).body.data;
  pass(3 * HOUR_MS);
  expect((await get<Costs>('/billing/billing/last-day-cost')).body.data).toEqual(before);
  pass(HOUR_MS);
  expect((await get<Costs>('/billing/billing/last-day-cost')).body.data).not.toEqual(before);
});

test('a threshold has the documented keys', async () => {
  const {get} = await aSimulator();
  const {body} = await get<{thresholds: object[]}>('/billing/billing/threshold');
  for (const threshold of body.thresholds) {
    expect(Object.keys(threshold)).toEqual(['id', 'threshold', 'subscribed', 'interface_title', 'interface_tooltip']);
  }
});

test('payments are in the past, and a new account has none', async () => {
  const {get} = await aSimulator();
  const {body} = await get<{data: {created_at: string; status: string}[]}>('/billing/payment/payment-details');
  expect(body.data.map(({created_at: at}) => STARTED_AT - Date.parse(at) > 3 * DAY_MS)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(new Set(body.data.map(({status}) => status))).toEqual(new Set(['succeeded', 'failed']));
  const empty = await aSimulator({scenario: 'empty'});
  expect((await empty.get<{data: object[]}>('/billing/payment/payment-details')).body.data).toEqual([]);
});

test('the status of the automatic top-up is a word', async () => {
  const {get} = await aSimulator();
  expect((await get('/billing/auto-topup/status')).body).toEqual({
    status: 'disabled',
    threshold_amount: 0,
    topup_amount: 0,
  });
});
