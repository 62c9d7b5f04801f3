import {describe, expect, test} from 'vitest';
import {aSimulator, DAY_MS, found, STARTED_AT, type WireRefusal} from '../../a-simulator.ts';

type Contract = {
  readonly id: number;
  readonly status: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly expiration_policy: number;
  readonly discounts: readonly {
    readonly resource_name: string;
    readonly resource_count: number;
    readonly remaining_count: number;
    readonly discount_type: string;
    readonly discount_amount: number | null;
    readonly discount_percent: number | null;
    readonly discount_status: string;
  }[];
};
type List = {readonly count: number; readonly contracts: readonly Contract[]};

const PATH = '/pricebook/contracts';

describe('contracts', () => {
  test('are one that ends in six days and deletes its machines, and one with 304 days left that keeps them', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>(PATH);
    const terms = body.contracts.map(contract => [
      contract.id,
      contract.expiration_policy,
      (Date.parse(`${contract.end_date}Z`) - STARTED_AT) / DAY_MS,
      contract.status,
    ]);
    expect(terms).toEqual([
      [97, 1, 304, 'Active'],
      [118, 0, 6, 'Active'],
    ]);
    expect(body.count).toBe(2);
  });

  test('cover the machines with their id, and show how many of each resource remain', async () => {
    const {get, machines} = await aSimulator();
    const fleet = await machines();
    for (const {id, discounts} of (await get<List>(PATH)).body.contracts) {
      expect(fleet.some(machine => machine.contract_id === id)).toBe(true);
      for (const {resource_name, resource_count, remaining_count} of discounts) {
        const used = fleet.filter(machine => machine.contract_id === id && machine.flavor.name === resource_name);
        expect(remaining_count).toBe(resource_count - used.length);
      }
    }
  });

  test('lower prices as stated, by a percentage or to a price', async () => {
    const {get, machines, usage} = await aSimulator();
    // The published prices: an L40 at 1.00, eight H100 at 20.00 and, with NVLink, at 20.80 dollars an hour.
    const listPrices: Readonly<Record<string, number>> = {'n3-L40x1': 1, 'n3-H100x8': 20, 'n3-H100x8-NVLink': 20.8};
    const {contracts} = (await get<List>(PATH)).body;
    const records = await usage();
    const covered = (await machines()).filter(machine => machine.contract_id !== null);
    expect(covered).toHaveLength(4);
    for (const {id, contract_id: contractId, flavor, floating_ip: address} of covered) {
      const contract = found(contracts, candidate => candidate.id === contractId, 'contract');
      const discount = found(contract.discounts, ({resource_name: name}) => name === flavor.name, flavor.name);
      const percentage = (listPrices[flavor.name] ?? Number.NaN) * (1 - (discount.discount_percent ?? 0) / 100);
      const price = discount.discount_type === 'flat' ? discount.discount_amount : percentage;
      const addressPrice = address === null ? 0 : 0.00672043;
      const record = found(records, ({resource_id: resourceId}) => resourceId === id, 'record');
      expect((record.bill_per_minute ?? 0) * 60).toBeCloseTo((price ?? Number.NaN) + addressPrice, 9);
    }
    expect(new Set(contracts.flatMap(({discounts}) => discounts.map(({discount_type: type}) => type)))).toEqual(
      new Set(['flat', 'percent']),
    );
  });

  test('are paged by per_page, and ignore pageSize', async () => {
    const {get} = await aSimulator();
    const whole = (await get<List>(PATH)).body;
    const pages = await Promise.all([1, 2].map(page => get<List>(`${PATH}?page=${page}&per_page=1`)));
    expect(pages.map(({body}) => body.count)).toEqual([2, 2]);
    expect(pages.flatMap(({body}) => body.contracts)).toEqual(whole.contracts);
    expect((await get<List>(`${PATH}?pageSize=1`)).body).toEqual(whole);
    expect(await get(`${PATH}?per_page=0`)).toMatchObject({
      status: 400,
      body: {errors: {per_page: expect.any(String)}},
    });
  });

  test('can be read alone, under the plural key', async () => {
    const {get} = await aSimulator();
    const {contracts} = (await get<List>(PATH)).body;
    const alone = (await get<{contracts: Contract}>(`${PATH}/118`)).body.contracts;
    expect(alone).toEqual(found(contracts, ({id}) => id === 118, '118'));
    expect(await get<WireRefusal>(`${PATH}/1`)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
  });

  test('expire, with their discounts', async () => {
    const {get, pass} = await aSimulator();
    pass(6 * DAY_MS);
    const contract = (await get<{contracts: Contract}>(`${PATH}/118`)).body.contracts;
    expect([contract.status, contract.discounts.map(({discount_status: status}) => status)]).toEqual([
      'Expired',
      ['expired', 'expired'],
    ]);
  });

  test('do not exist in an empty account', async () => {
    const {get} = await aSimulator({scenario: 'empty'});
    expect((await get<List>(PATH)).body).toMatchObject({count: 0, contracts: []});
  });
});
