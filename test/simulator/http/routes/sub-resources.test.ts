import {expect, test} from 'vitest';
import {aSimulator, HOUR_MS, STARTED_AT} from '../../a-simulator.ts';

type Costs = {
  readonly sub_resources_costs: {
    readonly granularity?: number;
    readonly billing_history: readonly {readonly metrics: Readonly<Record<string, number>>}[];
  };
};

const QUERY = `start_date=${text(STARTED_AT - 10 * HOUR_MS)}&end_date=${text(STARTED_AT)}`;
const ADDRESS = 10 * 0.00672043;

test.each([
  ['train-01', {gpu_incurred_bill: 256, publicip_incurred_bill: 0}],
  ['infer-01', {gpu_incurred_bill: 10 * 0.7, publicip_incurred_bill: ADDRESS}],
  ['bastion', {cpu_incurred_bill: 3.5, gpu_incurred_bill: 0, publicip_incurred_bill: ADDRESS}],
  ['sweep-02', {disk_incurred_bill: 10 * 0.0096774, gpu_incurred_bill: 0, publicip_incurred_bill: ADDRESS}],
])('the costs of %s over ten hours include %j', async (name, expected) => {
  const {get, machine} = await aSimulator();
  const {id} = await machine(name);
  const path = `/billing/billing/virtual-machine/${id}/sub-resource?${QUERY}`;
  const metrics = (await get<Costs>(path)).body.sub_resources_costs.billing_history[0]?.metrics ?? {};
  expect(Object.keys(metrics)).toEqual(
    ['gpu', 'cpu', 'ram', 'disk', 'ephemeral', 'publicip'].map(kind => `${kind}_incurred_bill`),
  );
  for (const [kind, dollars] of Object.entries(expected)) expect(metrics[kind]).toBeCloseTo(dollars, 5);
});

test('a graph shows the same costs hour by hour', async () => {
  const {get, machine} = await aSimulator();
  const {id} = await machine('infer-01');
  const {sub_resources_costs: costs} = (
    await get<{
      sub_resources_costs: {
        granularity: number;
        billing_history: {metrics: Record<string, readonly {datetime: string; value: number}[]>}[];
      };
    }>(`/billing/billing/virtual-machine/${id}/sub-resource/graph?${QUERY}`)
  ).body;
  expect(costs.granularity).toBe(3600);
  const points = costs.billing_history[0]?.metrics.gpu_incurred_bill_graph ?? [];
  expect(points).toHaveLength(10);
  for (const {value} of points) expect(value).toBeCloseTo(0.7, 5);
});

test('a missing machine gets 404, and missing dates get 400', async () => {
  const {get} = await aSimulator();
  expect((await get(`/billing/billing/virtual-machine/1/sub-resource?${QUERY}`)).status).toBe(404);
  expect((await get('/billing/billing/virtual-machine/1/sub-resource')).status).toBe(400);
});

function text(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19);
}
