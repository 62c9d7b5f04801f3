import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import type {Contract, Discount} from '../../../src/domain/contract.ts';
import {commitmentOf, contractRate, coverageRatio, utilizationRatio} from '../../../src/domain/money/commitment.ts';
import {withPaidTimes} from '../../../src/domain/money/paid-times.ts';
import {PRICES} from '../../../src/domain/money/prices.ts';
import {ratePerHour, rational, usdNumber} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {type MachineStatus, type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {sweepOf} from '../../support/tier.ts';
import {aRecord, at, dollars, MONTH, perHour} from './a-usage-record.ts';

/** Ten days into the month. */
const NOW = at('2026-11-11T00:00:00Z');

const DISCOUNT: Discount = {
  resourceName: safeText('n3-H100x8'),
  resourceCount: 2,
  statusText: safeText('active'),
  terms: {kind: 'percent', percent: rational(20n, 1n)},
};

const H100S = {name: safeText('n3-H100x8'), gpuModel: safeText('H100-80G-PCIe'), gpuCount: 8};

function contract(fields: Partial<Contract> = {}): Contract {
  return {
    id: 118,
    status: 'ACTIVE',
    statusText: safeText('Active'),
    startsAt: at('2026-10-01T00:00:00Z'),
    endsAt: at('2026-11-21T00:00:00Z'),
    expirationPolicy: {kind: 'market', code: 1},
    discounts: [DISCOUNT],
    ...fields,
  };
}

function machine(id: number, fields: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    id: virtualMachineId(id),
    name: safeText(`train-${id}`),
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    flavor: {name: safeText('n3-H100x8'), gpuCount: 8},
    volumes: [],
    rules: [],
    labels: [],
    contractId: 118,
    ...fields,
  };
}

function commitment(
  given: Contract,
  machines: readonly VirtualMachine[],
  records: readonly UsageRecord[] = machines.map(({id}) => record(id)),
) {
  return commitmentOf(given, {records, machines, prices: PRICES, now: NOW, since: MONTH.start});
}

const record = (id: number, fields = {}) => aRecord({resourceId: id, rate: perHour('16'), ...fields});

describe('contractRate', () => {
  const flavor = {name: safeText('n3-H100x8'), gpuModel: safeText('H100-80G-PCIe'), gpuCount: 8};
  const priced = (given: Contract, contractId = 118) =>
    contractRate(machine(1, {flavor, contractId}), [given], {prices: PRICES, now: NOW});
  const discounts = (...terms: Discount['terms'][]) =>
    contract({discounts: terms.map(each => ({...DISCOUNT, terms: each}))});

  // The list price is 8 × 2.50 = 20 dollars an hour.
  test.each<[string, Contract, string | undefined]>([
    ['the list price minus a percentage', contract(), '16'],
    ['a flat price by the hour', discounts({kind: 'flat', price: rational(14n, 1n)}), '14'],
    ['a flat price by the minute', discounts({kind: 'flat', price: rational(1n, 4n)}), '15'],
    [
      'the lowest price of several discounts, which never stack',
      discounts(DISCOUNT.terms, {kind: 'flat', price: rational(18n, 1n)}),
      '16',
    ],
    [
      'unknown for a flat price that fits neither an hour nor a minute',
      discounts({kind: 'flat', price: rational(9000n, 1n)}),
      undefined,
    ],
    ['unknown for a discount on no machine', contract({discounts: [{...DISCOUNT, resourceCount: 0}]}), undefined],
    ['unknown for a contract that has ended', contract({endsAt: NOW}), undefined],
  ])('is %s', (_, given, expected) => {
    expect(priced(given)).toEqual(expected && perHour(expected));
  });

  // The commitment is for two machines at $16, or by the model for 16 GPUs at $2; the list price is $20.
  const byModel = contract({discounts: [{...DISCOUNT, resourceName: flavor.gpuModel, resourceCount: 12}]});
  test.each<[string, Contract, readonly Partial<VirtualMachine>[], string | undefined]>([
    ['agreed price while one of two is used', contract(), [{}], '16'],
    ['list price once both are used', contract(), [{}, {}], undefined],
    [
      'agreed price while the others do not run',
      contract(),
      [{}, {status: 'HIBERNATED'}, {status: 'HIBERNATED'}],
      '16',
    ],
    ['agreed price while the others are of another contract', contract(), [{contractId: 7}, {contractId: 7}], '16'],
    // Four of its eight GPUs are left.
    ['mean of both where the commitment ends in the middle of it', byModel, [{}], '18'],
  ])('is the %s', (_, given, others, expected) => {
    const machines = others.map((fields, index) => machine(index + 2, {flavor, ...fields}));
    const restored = machine(1, {flavor, status: 'HIBERNATED'});
    const rate = contractRate(restored, [given], {prices: PRICES, now: NOW, machines: [restored, ...machines]});
    expect(rate).toEqual(expected && perHour(expected));
  });

  // In the order of their ids: by when they were created, then by id.
  test.each<[string, readonly Partial<VirtualMachine>[], readonly (string | undefined)[]]>([
    ['the oldest of those that run', [{}, {}, {}], ['16', '16', undefined]],
    ['those that run before those to be started', [{status: 'HIBERNATED'}, {}, {}], [undefined, '16', '16']],
    [
      'those in transition too, which are free only for a moment',
      [{}, {}, {status: 'RESTORING'}],
      ['16', '16', undefined],
    ],
    [
      'the oldest of those that are to be started together',
      [{status: 'HIBERNATED', createdAt: NOW}, {status: 'HIBERNATED'}, {}],
      [undefined, '16', '16'],
    ],
  ])('covers two: %s', (_, given, expected) => {
    const machines = given.map((fields, index) => machine(index + 1, {flavor, ...fields}));
    const starting = machines.filter(({status}) => status === 'HIBERNATED');
    const moment = {prices: PRICES, now: NOW, machines, starting};
    const rates = machines.map(each => contractRate(each, [contract()], moment));
    expect(rates).toEqual(expected.map(each => each && perHour(each)));
  });

  test('is that of the discount that lowers it most, of those with units left', () => {
    const flat: Discount = {...DISCOUNT, resourceCount: 1, terms: {kind: 'flat', price: rational(12n, 1n)}};
    const given = contract({discounts: [{...DISCOUNT, resourceCount: 1}, flat]});
    const machines = [1, 2, 3].map(id => machine(id, {flavor}));
    const rates = machines.map(each => contractRate(each, [given], {prices: PRICES, now: NOW, machines}));
    expect(rates).toEqual([perHour('12'), perHour('16'), undefined]);
  });

  test('is that of the best discount alone, in any order, and never above the list price', () => {
    const percents = fc.array(fc.integer({min: 0, max: 10_000}), {minLength: 1, maxLength: 6});
    fc.assert(
      fc.property(percents, fc.infiniteStream(fc.boolean()), (hundredths, isNone) => {
        const given = hundredths.map((percent, index) => ({percent, isNone: index > 0 && isNone.next().value}));
        const counted = contract({
          discounts: given.map(({percent, ...each}) => ({
            ...DISCOUNT,
            resourceCount: each.isNone ? 0 : 2,
            terms: {kind: 'percent', percent: rational(BigInt(percent), 100n)},
          })),
        });
        const best = Math.max(...given.filter(each => !each.isNone).map(({percent}) => percent));
        // Of $20, to the hundredth of a percent.
        const net = ratePerHour(rational(20n * BigInt(10_000 - best), 10_000n));
        expect(priced(counted)).toEqual(net);
        expect(priced({...counted, discounts: [...counted.discounts].reverse()})).toEqual(net);
      }),
    );
  });

  test('is unknown for a machine of another contract', () => {
    expect(priced(contract(), 119)).toBeUndefined();
  });
});

describe('commitmentOf', {timeout: 300_000}, () => {
  test('measures use at each moment: two committed, three used for an hour, one for the rest', () => {
    const records = [
      record(1),
      record(2, {createdAt: epochMs(NOW - HOUR_MS)}),
      record(3, {createdAt: epochMs(NOW - HOUR_MS)}),
    ];
    const {use} = commitment(contract(), [machine(1), machine(2), machine(3)], records);
    // 240 hours with one machine, one of them with three; of eight GPUs each.
    expect(use).toEqual({
      committed: 240 * 16 * HOUR_MS,
      used: (239 + 3) * 8 * HOUR_MS,
      covered: (239 + 2) * 8 * HOUR_MS,
    });
    expect(use && utilizationRatio(use)).toBeCloseTo(241 / 480);
    expect(use && coverageRatio(use)).toBeCloseTo(241 / 242);
  });

  test.each<[string, readonly VirtualMachine[], Discount, string | undefined]>([
    // Of 2 × 240 hours 240 were used: the other 240 at 20 % off 8 × 2.50 = 16 dollars.
    ['of a flavor', [machine(1, {flavor: H100S})], DISCOUNT, '3840'],
    // 3 × 240 hours at 20 % off 1.00.
    ['of a GPU model without any machine', [], {...DISCOUNT, resourceName: safeText('L40'), resourceCount: 3}, '576'],
    ['that is used up', [machine(1, {flavor: H100S}), machine(2, {flavor: H100S})], DISCOUNT, '0'],
    ['of a flavor without a known price', [machine(1)], DISCOUNT, undefined],
  ])('prices the unused part of a commitment %s', (_, machines, discount, expected) => {
    const {use} = commitment(contract({discounts: [discount]}), machines);
    expect(use?.unused).toEqual(expected && dollars(expected));
  });

  test('covers as much of the use as it uses of the commitment', () => {
    const hours = fc.integer({min: 0, max: 400});
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hours, hours), {minLength: 1, maxLength: 6}),
        fc.integer({min: 1, max: 4}),
        (spans, count) => {
          const records = spans.map(([ago, length], index) =>
            record(index + 1, {
              createdAt: epochMs(NOW - ago * HOUR_MS),
              terminatedAt: epochMs(NOW - Math.max(0, ago - length) * HOUR_MS),
            }),
          );
          const given = contract({discounts: [{...DISCOUNT, resourceCount: count}]});
          const {use} = commitment(
            given,
            spans.map((_, index) => machine(index + 1)),
            records,
          );
          if (use === undefined) throw new Error('no use');
          const [utilization, coverage] = [utilizationRatio(use) ?? 0, coverageRatio(use) ?? 0];
          expect(coverage * use.used).toBeCloseTo(utilization * (use.committed ?? 0), 3);
          expect(utilization).toBeLessThanOrEqual(1);
        },
      ),
      {numRuns: sweepOf({sample: 100, deep: 10_000})},
    );
  });

  test('does not count a machine under another contract as use, even of the same kind', () => {
    const others = [machine(1), machine(2, {contractId: 97})];
    const {use} = commitment(contract(), others);
    expect(use).toMatchObject({used: 240 * 8 * HOUR_MS, covered: 240 * 8 * HOUR_MS});
    const {contractId: _, ...free} = machine(3);
    // One of the same kind under no contract counts.
    expect(commitment(contract(), [...others, free]).use).toMatchObject({used: 240 * 16 * HOUR_MS});
  });

  test('counts a machine that fits two discounts once, and covers by the second what exceeds the first', () => {
    const ofModel: Discount = {...DISCOUNT, resourceName: safeText('H100-80G-PCIe'), resourceCount: 4};
    const both = contract({discounts: [{...DISCOUNT, resourceCount: 1}, ofModel]});
    const {use} = commitment(both, [machine(1, {flavor: H100S}), machine(2, {flavor: H100S})]);
    // Sixteen GPUs for 240 hours: eight by the first, four of the others by the second.
    expect(use).toMatchObject({
      committed: 240 * (8 + 4) * HOUR_MS,
      used: 240 * 16 * HOUR_MS,
      covered: 240 * (8 + 4) * HOUR_MS,
      unused: dollars('0'),
    });
  });

  test('has no utilization without a limit, and no use without a discount in force', () => {
    const {resourceCount: _, ...unlimited} = DISCOUNT;
    const {use} = commitment(contract({discounts: [unlimited]}), [machine(1)]);
    expect(use && [utilizationRatio(use), coverageRatio(use)]).toEqual([undefined, 1]);
    expect(commitment(contract({discounts: []}), [machine(1)]).use).toBeUndefined();
  });

  test.each<[string, Parameters<typeof record>[1], number | undefined]>([
    // Created with the month, 100 of 240 hours at $16 and the others at a cent.
    ['its bill', {rate: perHour('0.01'), billedCost: dollars('1601.4')}, 100],
    [
      'its events',
      {
        paidTimes: [
          {from: MONTH.start, until: at('2026-11-03T00:00:00Z'), share: rational(1n, 1n)},
          {from: at('2026-11-03T00:00:00Z'), until: at('2026-11-04T00:00:00Z'), share: rational(1n, 1000n)},
          {from: at('2026-11-04T00:00:00Z'), until: at('2026-11-04T12:00:00Z'), share: rational(1n, 1n)},
          {from: at('2026-11-04T12:00:00Z'), until: epochMs(Infinity), share: rational(1n, 1000n)},
        ],
      },
      60,
    ],
    ['nothing, as its bill is unknown', {rate: perHour('0.01')}, undefined],
  ])('counts a hibernated machine as use for as long as it ran, by %s', (_, fields, hours) => {
    const machines = [machine(1, {flavor: H100S}), machine(2, {flavor: H100S, status: 'HIBERNATED'})];
    const records = [1, 2].map(id => record(id, {createdAt: MONTH.start, ...(id === 2 ? fields : {})}));
    const {use} = commitment(contract(), machines, records);
    // Of two machines of eight GPUs each, of which one ran for all 240 hours.
    expect(
      use && [use.used, use.committed].map(each => (each === undefined ? each : Math.round(each / HOUR_MS))),
    ).toEqual(hours === undefined ? undefined : [8 * (240 + hours), 16 * 240]);
    // Each GPU at $2.
    if (hours !== undefined) {
      expect(use?.unused && usdNumber(use.unused)).toBeCloseTo(8 * (240 - hours) * 2, 3);
    }
  });

  test.each<[MachineStatus, string]>([
    ['ACTIVE', '16'],
    // Free meanwhile.
    ['HIBERNATING', '0'],
    ['STOPPING', '0'],
    ['HIBERNATED', '0.01'],
  ])('counts the same use of a machine that was just ACTIVE by a history read before: %s', (status, rate) => {
    // Committed at $16 and created with the month; from the third to the sixth day it hibernated, at a cent.
    const history = [
      ['01', 'InstanceCreationSuccess'],
      ['03', 'HibernateInstanceSuccess'],
      ['07', 'RestoreHibernationSuccess'],
    ].map(([day, reason]) => ({
      occurredAt: at(`2026-11-${day}T00:00:00Z`),
      reason: safeText(reason ?? ''),
      message: safeText(''),
    }));
    const machines = [machine(1, {flavor: H100S, status})];
    const records = withPaidTimes([record(1, {rate: perHour(rate), billedCost: dollars('2304.96')})], {
      machines,
      events: new Map([[1, history]]),
      prices: PRICES,
    });
    const {use} = commitment(contract({discounts: [{...DISCOUNT, resourceCount: 1}]}), machines, records);
    // Two days and four of ten: 144 of 240 hours.
    expect(use && Math.round(use.covered / HOUR_MS)).toBe(8 * 144);
    expect(use?.unused && usdNumber(use.unused)).toBeCloseTo(96 * 16, 0);
  });

  test('takes a hibernated machine to have run at the list price while others use the whole commitment', () => {
    const machines = [1, 2, 3].map(id => machine(id, {flavor: H100S, status: id === 3 ? 'HIBERNATED' : 'ACTIVE'}));
    // A hundred of 240 hours at $20 and the others at a cent.
    const asleep = {rate: perHour('0.01'), billedCost: dollars('2001.4')};
    const records = [1, 2, 3].map(id => record(id, {createdAt: MONTH.start, ...(id === 3 ? asleep : {})}));
    const {use} = commitment(contract(), machines, records);
    expect(use && Math.round(use.used / HOUR_MS)).toBe(8 * (240 + 240 + 100));
  });

  test('does not know how long a hibernated machine ran while it is unknown whether it has an address', () => {
    const machines = [machine(1, {flavor: H100S, status: 'HIBERNATED', hasUnreadAddress: true})];
    const records = [record(1, {createdAt: MONTH.start, rate: perHour('0.01'), billedCost: dollars('1601.4')})];
    expect(commitment(contract(), machines, records).use).toBeUndefined();
  });

  test.each([
    ['at a flat price', {kind: 'flat', price: rational(14n, 1n)}, '14', '6'],
    ['at a discount', {kind: 'percent', percent: rational(20n, 1n)}, '16', '4'],
  ] as const)('has no cliff for a machine that stays hibernated %s', (_, terms, net, rise) => {
    const machines = [machine(1, {flavor: H100S, status: 'HIBERNATED'}), machine(2, {flavor: H100S})];
    const records = [record(1, {rate: perHour('0.01')}), record(2, {rate: perHour(net)})];
    const discounts = [{...DISCOUNT, resourceCount: 1, terms}];
    expect(commitment(contract({discounts}), machines, records).cliff).toEqual(perHour(rise));
  });

  test('has a cliff up to the market price for as many machines as it covers, the oldest first', () => {
    const machines = [
      machine(1, {createdAt: at('2026-10-03T00:00:00Z')}),
      machine(2, {createdAt: at('2026-10-01T00:00:00Z')}),
      machine(3, {createdAt: at('2026-10-02T00:00:00Z')}),
    ];
    const records = [record(1, {rate: perHour('99')}), record(2), record(3)];
    // 16 dollars are 80 % of 20, for two of the three.
    expect(commitment(contract(), machines, records).cliff).toEqual(perHour('8'));
  });

  test('has a cliff down by all its machines when it deletes them, and none when a rate is unknown', () => {
    const deleting = contract({expirationPolicy: {kind: 'delete', code: 0}});
    expect(commitment(deleting, [machine(1), machine(2)]).cliff).toEqual(perHour('-32'));
    expect(commitment(deleting, [machine(1), machine(2)], [record(1)]).cliff).toBeUndefined();
  });

  // Of H100s at $2.50 listed and $2.00 agreed on; each machine has eight.
  test.each<[gpus: number, metered: readonly string[], rise: string]>([
    [8, ['16', '20'], '4'],
    [16, ['16', '16'], '8'],
    // Half of the second machine: 4 × $2.00 and 4 × $2.50.
    [12, ['16', '18'], '6'],
    [0, ['20', '20'], '0'],
  ])('has a cliff for %i GPUs if the discount names their model, however many machines have them', (gpus, metered, rise) => {
    const discount = {...DISCOUNT, resourceName: safeText('H100-80G-PCIe'), resourceCount: gpus};
    const machines = metered.map((_, index) => machine(index + 1, {flavor: H100S}));
    const records = metered.map((rate, index) => record(index + 1, {rate: perHour(rate)}));
    expect(commitment(contract({discounts: [discount]}), machines, records).cliff).toEqual(perHour(rise));
  });

  test('has no cliff after it has ended', () => {
    expect(commitment(contract({endsAt: NOW}), [machine(1)]).cliff).toBeUndefined();
  });
});
