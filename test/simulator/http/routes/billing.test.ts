import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type SimulatorUnderTest,
  STARTED_AT,
} from '../../a-simulator.ts';

const KEYS = [
  'resource_id',
  'resource_type',
  'name',
  'organization_id',
  'bill_per_minute',
  'create_time',
  'terminate_time',
  'total_up_time',
  'total_bill',
  'active',
  'exclude_billing',
];

describe('usage', () => {
  test('has one active record for each machine and each volume, with the documented keys', async () => {
    const {usage, machines} = await aSimulator();
    const records = await usage();
    for (const record of records) expect(Object.keys(record).toSorted()).toEqual(KEYS.toSorted());
    const fleet = await machines();
    const machineIds = fleet.map(machine => machine.id);
    const attached = fleet.flatMap(machine => machine.volume_attachments.map(({volume}) => volume.id));
    const idsOf = (type: string) =>
      records.filter(record => record.resource_type === type).map(record => record.resource_id);
    expect(new Set(idsOf('vm'))).toEqual(new Set(machineIds));
    // One volume is not attached to a machine.
    expect(idsOf('volume').filter(id => !attached.includes(id))).toHaveLength(1);
    expect(records.every(record => record.active && record.terminate_time === null)).toBe(true);
  });

  // Dollars an hour from the published prices: the flavor, 0.00672043 for a public address, 30 % off under contract.
  const rates: readonly [name: string, dollarsPerHour: number][] = [
    ['train-01', 25.6],
    ['train-03', 25.6],
    ['train-02', 20 * 0.7],
    ['infer-01', 1 * 0.7 + 0.00672043],
    ['bastion', 0.35 + 0.00672043],
    ['dev-ines', 100 * 0.000096774],
    ['sweep-02', 100 * 0.000096774 + 0.00672043],
    ['etl-03', 0],
    ['dev-noe', 0],
    ['serve-master-0', 0],
    ['scratch-3', 2000 * 0.000096774],
  ];
  test.each(rates)('bills %s at %d dollars an hour', async (name, dollarsPerHour) => {
    const {usage} = await aSimulator();
    const record = found(await usage(), candidate => candidate.name === name, name);
    expect(record.bill_per_minute).toBeCloseTo(dollarsPerHour / 60, 12);
  });

  test('excludes the masters of clusters, which are free', async () => {
    const {usage} = await aSimulator();
    const excluded = (await usage()).filter(record => record.exclude_billing);
    expect(excluded.map(record => record.name).toSorted()).toEqual([
      'embed-master-0',
      'embed-master-1',
      'serve-master-0',
      'serve-master-1',
    ]);
    for (const record of excluded) expect(record).toMatchObject({total_bill: 0, total_up_time: 0});
  });

  test('bills the rate times the minutes if the rate never changed', async () => {
    const {usage} = await aSimulator();
    const steady = (await usage()).filter(record =>
      ['train-01', 'bastion', 'infer-01', 'scratch-3', 'pg-data'].includes(record.name),
    );
    expect(steady).toHaveLength(5);
    for (const {bill_per_minute: rate, total_up_time: minutes, total_bill: bill} of steady) {
      expect(minutes).toBeGreaterThan(1000);
      expect(Math.abs(bill - (rate ?? 0) * minutes)).toBeLessThanOrEqual(0.51e-6);
    }
  });

  test('counts the minutes since creation, without those before the machine was up', async () => {
    const {usage} = await aSimulator();
    const record = found(await usage(), candidate => candidate.name === 'train-01', 'train-01');
    const ageMinutes = (STARTED_AT - Date.parse(`${record.create_time}Z`)) / MINUTE_MS;
    // Creation takes a minute and a half, and only whole minutes count.
    expect(ageMinutes - record.total_up_time).toBeGreaterThan(0);
    expect(ageMinutes - record.total_up_time).toBeLessThan(3);
  });

  test('with deleted=true lists only terminated records, from this month and the last', async () => {
    const {usage} = await aSimulator();
    const live = await usage();
    const deleted = await usage('?deleted=true');
    expect(await usage('?deleted=false')).toEqual(live);
    expect(deleted.length).toBeGreaterThanOrEqual(6);
    for (const record of deleted) {
      expect(record).toMatchObject({active: false, bill_per_minute: null});
      expect(live.map(({resource_id: id}) => id)).not.toContain(record.resource_id);
      expect(record.total_bill).toBeGreaterThan(0);
    }
    const months = new Set(deleted.map(record => record.terminate_time?.slice(0, 7)));
    expect(months).toEqual(new Set(['2026-10', '2026-11']));
  });

  test('has deleted records of both months even in the first minutes of a month', async () => {
    const {usage} = await aSimulator({startedAt: Date.UTC(2026, 0, 1, 0, 20)});
    const deleted = await usage('?deleted=true');
    const months = new Set(deleted.map(record => record.terminate_time?.slice(0, 7)));
    expect(months).toEqual(new Set(['2025-12', '2026-01']));
  });

  test('can be filtered by environment name or id', async () => {
    const simulator = await aSimulator();
    const fleet = await simulator.machines();
    const {environment} = await simulator.machine('train-01');
    const expected = fleet.filter(machine => machine.environment.name === 'research-ca').map(machine => machine.id);
    const vmIds = async (query: string) =>
      (await simulator.usage(query)).filter(record => record.resource_type === 'vm').map(record => record.resource_id);
    expect((await vmIds('?environment=research-ca')).toSorted()).toEqual(expected.toSorted());
    expect((await vmIds(`?environment=${environment.id}`)).toSorted()).toEqual(expected.toSorted());
    expect(await vmIds('?environment=nowhere')).toEqual([]);
  });

  test('changes the rate with the state of the machine', async () => {
    const {machine, get, usage, pass} = await aSimulator();
    const {id} = await machine('train-01');
    const hourlyRate = async () =>
      (found(await usage(), record => record.resource_id === id, 'record').bill_per_minute ?? Number.NaN) * 60;
    await get(`/core/virtual-machines/${id}/stop`);
    expect(await hourlyRate()).toBe(0);
    pass(10 * SECOND_MS);
    expect(await hourlyRate()).toBeCloseTo(25.6, 10);
    await get(`/core/virtual-machines/${id}/start`);
    pass(10 * SECOND_MS);
    await get(`/core/virtual-machines/${id}/hibernate`);
    expect(await hourlyRate()).toBe(0);
    pass(20 * SECOND_MS);
    expect(await hourlyRate()).toBeCloseTo(0.0096774, 10);
  });
});

describe('credit', () => {
  test('falls by the billed amount', async () => {
    const simulator = await aSimulator();
    const before = await accountOf(simulator);
    simulator.pass(3 * HOUR_MS);
    const afterwards = await accountOf(simulator);
    expect(before.credit - afterwards.credit).toBeGreaterThan(100);
    // About fifty records, each rounded to a millionth.
    expect(Math.abs(before.credit - afterwards.credit - (afterwards.billed - before.billed))).toBeLessThan(1e-4);
  });
});

async function accountOf({get, usage}: SimulatorUnderTest): Promise<{credit: number; billed: number}> {
  const {body} = await get<{data: {credit: number}}>('/billing/user-credit/credit');
  const billed = (await usage()).reduce((sum, record) => sum + record.total_bill, 0);
  return {credit: body.data.credit, billed};
}
