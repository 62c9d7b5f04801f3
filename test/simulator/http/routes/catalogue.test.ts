import {describe, expect, test} from 'vitest';
import {aSimulator, found, type SimulatorUnderTest} from '../../a-simulator.ts';

type Model = {
  readonly model: string;
  readonly available: string;
  readonly planned_7_days: string | null;
  readonly configurations: Readonly<Record<string, number>>;
};
type Stocks = {readonly stocks: readonly {readonly region: string; readonly models: readonly Model[]}[]};
type Dashboard = {
  readonly overview: Readonly<Record<'instance' | 'container' | 'volume', Readonly<Record<string, number>>>>;
};
type Flavors = {
  readonly data: readonly {
    readonly region_name: string;
    readonly flavors: readonly {readonly name: string; readonly stock_available: boolean}[];
  }[];
};

test('there are three regions, one of them not green', async () => {
  const {get} = await aSimulator();
  expect((await get('/core/regions')).body).toMatchObject({
    status: true,
    regions: [
      {name: 'NORWAY-1', country: 'NO', green_status: 'GREEN', features: {floating_ip: true, volumes: true}},
      {name: 'CANADA-1', country: 'CA', green_status: 'GREEN'},
      {name: 'US-1', country: 'US', green_status: 'NOT_GREEN', description: null},
    ],
  });
});

test('each GPU lists its regions', async () => {
  const {get} = await aSimulator();
  const {body} = await get<{gpu_list: {name: string; regions: {name: string}[]}[]}>('/core/gpus');
  const places = Object.fromEntries(body.gpu_list.map(({name, regions}) => [name, regions.map(region => region.name)]));
  expect(places).toMatchObject({
    'RTX-A4000': ['NORWAY-1'],
    L40: ['CANADA-1'],
    'RTX-A6000': ['NORWAY-1', 'CANADA-1'],
    'H100-80G-SXM5': ['CANADA-1', 'US-1'],
  });
});

describe('stocks', () => {
  test('have no envelope, and give numbers as text', async () => {
    const {get} = await aSimulator();
    const {body} = await get<Stocks>('/core/stocks');
    expect(Object.keys(body)).toEqual(['stocks']);
    for (const row of body.stocks) {
      expect(Object.keys(row)).toEqual(['region', 'stock-type', 'models']);
      for (const model of row.models) {
        expect(Object.keys(model)).toEqual([
          'model',
          'available',
          'planned_7_days',
          'planned_30_days',
          'planned_100_days',
          'configurations',
        ]);
        expect(model.available).toMatch(/^(?:\d|10\+?)$/);
        expect(Object.keys(model.configurations)).toEqual(['1x', '2x', '4x', '8x', '10x']);
      }
    }
    expect(body.stocks.flatMap(({models}) => models).map(({available}) => available)).toContain('10+');
  });

  test('agree with the stock flags of the flavors', async () => {
    const simulator = await aSimulator();
    const {data} = (await simulator.get<Flavors>('/core/flavors?region=CANADA-1')).body;
    const h100 = await modelOf(simulator, 'CANADA-1', 'H100-80G-PCIe');
    for (const count of [1, 2, 4, 8]) {
      const flavor = found(
        data.flatMap(({flavors}) => flavors),
        ({name}) => name === `n3-H100x${count}`,
        'flavor',
      );
      expect([count, (h100.configurations[`${count}x`] ?? 0) > 0]).toEqual([count, flavor.stock_available]);
    }
    expect(await modelOf(simulator, 'CANADA-1', 'H200-141G-SXM5')).toMatchObject({available: '0'});
  });

  test('fall with every machine that others start, until none is left for a restore', async () => {
    const simulator = await aSimulator({scenario: 'runaway-spend'});
    const {get, pass} = simulator;
    const sxm = async () => (await modelOf(simulator, 'CANADA-1', 'H100-80G-SXM5')).configurations['8x'] ?? 0;
    const before = await sxm();
    expect(before).toBeGreaterThan(1);
    const {id} = await simulator.machine('hyperparam-sweep-01');
    await get(`/core/virtual-machines/${id}/hibernate`);
    pass(20_000);
    expect(await sxm()).toBe(before);
    // Sixteen machines of eight GPUs each, one a minute.
    pass(20 * 60_000);
    expect(await sxm()).toBe(0);
    const {data} = (await get<Flavors>('/core/flavors?region=CANADA-1')).body;
    expect(
      found(
        data.flatMap(({flavors}) => flavors),
        ({name}) => name === 'n3-H100-SXM5x8',
        'SXM5',
      ),
    ).toMatchObject({
      stock_available: false,
    });
    expect((await get(`/core/virtual-machines/${id}/hibernate-restore`)).status).toBe(200);
    pass(20_000);
    expect((await simulator.machine('hyperparam-sweep-01')).status).toBe('HIBERNATED');
  });
});

test('the dashboard sums up machines and volumes with their current cost', async () => {
  const {get, machines, usage} = await aSimulator();
  const {overview} = (await get<Dashboard>('/core/dashboard')).body;
  const fleet = await machines();
  const records = await usage();
  const hourly = (type: string) =>
    records.reduce((sum, record) => sum + (record.resource_type === type ? (record.bill_per_minute ?? 0) * 60 : 0), 0);
  expect(overview.instance).toMatchObject({
    count: fleet.length,
    vcpus: fleet.reduce((sum, {flavor}) => sum + flavor.cpu, 0),
    gpus: fleet.reduce((sum, {flavor}) => sum + flavor.gpu_count, 0),
    ram: fleet.reduce((sum, {flavor}) => sum + flavor.ram, 0),
  });
  expect(overview.instance.cost_per_hour).toBeCloseTo(hourly('vm'), 8);
  expect(overview.volume.count).toBe(records.filter(record => record.resource_type === 'volume').length);
  expect(overview.volume.cost_per_hour).toBeCloseTo(hourly('volume'), 8);
  expect(overview.container).toMatchObject({count: 0, cost_per_hour: 0});
});

test('the dashboard needs a role', async () => {
  const {get, simulator} = await aSimulator();
  expect((await get('/core/dashboard', {key: simulator.keys.none})).status).toBe(403);
});

async function modelOf({get}: SimulatorUnderTest, region: string, wanted: string): Promise<Model> {
  const {stocks} = (await get<Stocks>('/core/stocks')).body;
  const row = found(stocks, candidate => candidate.region === region, region);
  return found(row.models, ({model}) => model === wanted, wanted);
}
