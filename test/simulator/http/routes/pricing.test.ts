import {describe, expect, test} from 'vitest';
import {aSimulator, found, SECOND_MS} from '../../a-simulator.ts';

type Price = {readonly id: number; readonly name: string; readonly value: string; readonly original_value: string};
type Part = {
  readonly name: string;
  readonly type: string;
  readonly amount: number;
  readonly rate: number;
  readonly discounted_rate: number;
  readonly price: number;
  readonly actual_price: number;
};
type Calculated = {
  readonly calculated_resource_bills: {
    readonly org_id: number;
    readonly resource: {
      readonly infrahub_id: number;
      readonly status: string;
      readonly price: number;
      readonly actual_price: number;
      readonly resources: readonly Part[];
    };
  };
};

describe('the pricebook', () => {
  test('is a list without an envelope, with prices as decimal text', async () => {
    const {get} = await aSimulator();
    const {body} = await get<readonly Price[]>('/pricebook');
    expect(Array.isArray(body)).toBe(true);
    expect(Object.keys(body[0] ?? {})).toEqual([
      'id',
      'name',
      'value',
      'original_value',
      'discount_applied',
      'start_time',
      'end_time',
    ]);
    const values = Object.fromEntries(body.map(({name, value}) => [name, value]));
    // The published prices per unit and hour.
    expect(values).toMatchObject({
      'RTX-A4000': '0.150000000',
      L40: '1.000000000',
      'A100-80G-PCIe': '1.350000000',
      'A100-80G-PCIe-spot': '1.080000000',
      'H100-80G-SXM5': '3.200000000',
      'H200-141G-SXM5': '3.990000000',
      'n1-cpu-medium': '0.650000000',
      'Cloud-SSD': '0.000096774',
      'Public IP': '0.006720430',
      vCPU: '0E-9',
      RAM: '0E-9',
    });
    expect(new Set(body.map(({id}) => id)).size).toBe(body.length);
  });

  test('is refused to a member, who may not see billing', async () => {
    const {get, simulator} = await aSimulator();
    expect((await get('/pricebook', {key: simulator.keys.member})).status).toBe(403);
  });
});

describe('the price of a resource', () => {
  test.each([
    ['train-01', 25.6, 25.6],
    ['train-02', 14, 20],
    ['infer-01', 0.7 + 0.00672043, 1 + 0.00672043],
    ['bastion', 0.35 + 0.00672043, 0.35 + 0.00672043],
    ['sweep-02', 100 * 0.000096774 + 0.00672043, 100 * 0.000096774 + 0.00672043],
    ['etl-03', 0, 0],
    ['serve-master-0', 0, 0],
  ])('of the machine %s is %d dollars an hour, %d without a contract', async (name, price, listPrice) => {
    const {get, machine} = await aSimulator();
    const {id} = await machine(name);
    const path = `/pricebook/calculate/resource/virtual-machine/${id}`;
    const {resource} = (await get<Calculated>(path)).body.calculated_resource_bills;
    expect(resource.infrahub_id).toBe(id);
    expect(resource.price).toBeCloseTo(price, 9);
    expect(resource.actual_price).toBeCloseTo(listPrice, 9);
    const parts = resource.resources.reduce((sum, part) => sum + part.price, 0);
    expect(parts).toBeCloseTo(resource.price, 9);
  });

  test('agrees with the usage record in every state of the machine', async () => {
    const {get, machine, usage, pass} = await aSimulator();
    const {id} = await machine('train-01');
    const price = async () =>
      (await get<Calculated>(`/pricebook/calculate/resource/virtual-machine/${id}`)).body.calculated_resource_bills
        .resource.price;
    const rate = async () =>
      (found(await usage(), record => record.resource_id === id, 'record').bill_per_minute ?? Number.NaN) * 60;
    for (const verb of ['stop', 'start', 'hibernate', 'hibernate-restore']) {
      await get(`/core/virtual-machines/${id}/${verb}`);
      expect(await price()).toBe(0);
      pass(20 * SECOND_MS);
      expect(await price()).toBeGreaterThan(0);
      expect(await price()).toBeCloseTo(await rate(), 9);
    }
  });

  test('of a volume depends on its gigabytes, and of a cluster on its nodes', async () => {
    const {get, usage} = await aSimulator();
    const volume = found(await usage(), ({name}) => name === 'scratch-3', 'scratch-3');
    const ofVolume = await get<Calculated>(`/pricebook/calculate/resource/volume/${volume.resource_id}`);
    expect(ofVolume.body.calculated_resource_bills.resource).toMatchObject({
      status: 'AVAILABLE',
      resources: [{name: 'Cloud-SSD', amount: 2000, rate: 0.000096774}],
    });
    const {clusters} = (await get<{clusters: {id: number; nodes: {instance: {id: number}}[]}[]}>('/core/clusters'))
      .body;
    const records = await usage();
    for (const {id, nodes} of clusters) {
      const ids = nodes.map(({instance}) => instance.id);
      const hourly = records
        .filter(({resource_id: resourceId}) => ids.includes(resourceId))
        .reduce((sum, record) => sum + (record.bill_per_minute ?? 0) * 60, 0);
      const ofCluster = await get<Calculated>(`/pricebook/calculate/resource/cluster/${id}`);
      expect(ofCluster.body.calculated_resource_bills.resource.price).toBeCloseTo(hourly, 9);
    }
  });

  test.each([
    ['virtual-machine/1', 404],
    ['volume/1', 404],
    ['bucket/1', 400],
    ['constructor/1', 400],
  ])('of %s answers %i', async (path, status) => {
    const {get} = await aSimulator();
    expect((await get(`/pricebook/calculate/resource/${path}`)).status).toBe(status);
  });
});

describe('the GPU allocation of a contract', () => {
  test('counts the GPUs of its machines for each day', async () => {
    const {get, machines} = await aSimulator();
    const query = 'start_date=2026-11-10T00:00:00&end_date=2026-11-20T00:00:00';
    const {body} = await get<{
      contract: {
        id: string;
        total_gpu_allocation: number;
        granularity: number;
        allocated_gpu_count_graph: {datetime: string; value: number}[];
      };
    }>(`/pricebook/contracts/118/gpu_allocation_graph?${query}`);
    // One H100x8 and two H100x8-NVLink are reserved.
    expect(body.contract).toMatchObject({id: '118', total_gpu_allocation: 24, granularity: 86_400});
    const covered = (await machines()).filter(machine => machine.contract_id === 118);
    expect(body.contract.allocated_gpu_count_graph).toHaveLength(10);
    for (const {datetime, value} of body.contract.allocated_gpu_count_graph) {
      const there = covered.filter(machine => Date.parse(`${machine.created_at}Z`) <= Date.parse(`${datetime}Z`));
      expect(value).toBe(there.reduce((sum, {flavor}) => sum + flavor.gpu_count, 0));
    }
    expect((await get('/pricebook/contracts/118/gpu_allocation_graph')).status).toBe(400);
    expect((await get(`/pricebook/contracts/1/gpu_allocation_graph?${query}`)).status).toBe(404);
  });
});
