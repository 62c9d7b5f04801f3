import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import type {IdleVerdict} from '../../src/domain/money/idle.ts';
import {type CostReading, costReport} from '../../src/domain/money/report.ts';
import {rational, toMicroUsd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type FocusOptions, focusCsv} from '../../src/export/focus.ts';
import {aCostReading, anyRecords, aRecord, dollars, MONTH, NOW, perHour} from '../domain/money/a-usage-record.ts';
import {sweepOf} from '../support/tier.ts';

const OPTIONS: FocusOptions = {
  version: '1.2',
  period: 'day',
  verdicts: new Map(),
  includesExcluded: false,
  organization: {id: 7, name: 'acme'},
};

function rows(live: readonly UsageRecord[], fields: Partial<CostReading> = {}, options: Partial<FocusOptions> = {}) {
  const report = costReport(aCostReading(live, fields));
  const [head = [], ...lines] = parsed(focusCsv(report, {...OPTIONS, ...options}));
  return {
    report,
    head,
    rows: lines.map(cells => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? '']))),
  };
}

/** RFC 4180, read without any code of the program. */
function parsed(csv: string): readonly (readonly string[])[] {
  return csv
    .split('\r\n')
    .filter(line => line !== '')
    .map(line =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
        cell.replace(/^"|"$/g, '').replaceAll('""', '"'),
      ),
    );
}

/** Exact: the digits of a dollar amount with six decimals are its micro-dollars. */
function micro(text: string | undefined): bigint {
  expect(text).toMatch(/^-?\d+\.\d{6}$/);
  return BigInt((text ?? '').replace('.', ''));
}

describe('focusCsv', () => {
  test('adds up to the month-to-date to the micro-dollar, whatever was billed and estimated', {
    timeout: 300_000,
  }, () => {
    const day = fc.integer({min: 0, max: 9});
    fc.assert(
      fc.property(anyRecords(8), fc.option(day), fc.bigInt(0n, 10n ** 9n), (records, billedDay, amount) => {
        const start = epochMs(MONTH.start + (billedDay ?? 0) * DAY_MS);
        const bill = {start, until: epochMs(start + DAY_MS), cost: dollars(`${amount}e-6`)};
        const {report, rows: lines} = rows(records, {billed: billedDay === null ? [] : [bill]});
        const total = lines.reduce((sum, line) => sum + micro(line.BilledCost), 0n);
        expect(Number(total)).toBe(toMicroUsd(report.monthToDate));
        expect(lines.every(line => line.EffectiveCost === line.BilledCost)).toBe(true);
      }),
      {numRuns: sweepOf({sample: 40, deep: 10_000})},
    );
  });

  test('has hourly rows that add up to the daily ones, each in its hour', () => {
    const live = [
      aRecord({createdAt: epochMs(MONTH.start + 1.5 * HOUR_MS), rate: perHour('2'), billedCost: dollars('99.123457')}),
    ];
    const bill = {start: MONTH.start, until: epochMs(MONTH.start + DAY_MS), cost: dollars('40')};
    const total = (lines: ReturnType<typeof rows>['rows']) =>
      lines.reduce((sum, line) => sum + micro(line.BilledCost), 0n);
    const [byDay, byHour] = (['day', 'hour'] as const).map(period => rows(live, {billed: [bill]}, {period}));
    expect(total(byHour?.rows ?? [])).toBe(total(byDay?.rows ?? []));
    const usage = byHour?.rows.filter(({ChargeCategory}) => ChargeCategory === 'Usage') ?? [];
    // From half past one of the first until six of the eleventh.
    expect(usage).toHaveLength(10 * 24 + 6 - 1);
    expect(usage[0]).toMatchObject({
      ChargePeriodStart: '2026-11-01T01:00:00Z',
      ChargePeriodEnd: '2026-11-01T02:00:00Z',
      ConsumedQuantity: '30',
    });
    // A bill is for a day, and so is what it adds to the records.
    const adjustments = byHour?.rows.filter(({ChargeCategory}) => ChargeCategory === 'Adjustment') ?? [];
    expect(adjustments.map(line => [line.ChargePeriodStart, line.ChargePeriodEnd])).toEqual([
      ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
    ]);
  });

  test('says whether a machine is idle on the days for which that is known', () => {
    const idle = {
      verdict: 'idle',
      rule: 'long',
      since: epochMs(NOW - 2 * DAY_MS),
      confidence: 'high',
      activeRatio: 0,
      areGpusIdle: false,
    } as const;
    const live = [
      aRecord({rate: perHour('1')}),
      aRecord({resourceId: 2, rate: perHour('1')}),
      aRecord({resourceId: 3, rate: perHour('1')}),
      aRecord({resourceId: 2, resourceType: safeText('volume'), rate: perHour('1')}),
    ];
    const verdicts = new Map<number, IdleVerdict>([
      [1, idle],
      [2, {verdict: 'active'}],
    ]);
    const {rows: lines} = rows(live, {}, {verdicts});
    const told = lines
      .filter(({x_IdleVerdict}) => x_IdleVerdict !== '')
      .map(line => [line.ResourceType, line.ResourceId, line.ChargePeriodStart?.slice(0, 10), line.x_IdleVerdict]);
    expect(told.sort()).toEqual([
      ['vm', '1', '2026-11-09', 'IDLE'],
      ['vm', '1', '2026-11-10', 'IDLE'],
      ['vm', '1', '2026-11-11', 'IDLE'],
      ['vm', '2', '2026-11-11', 'ACTIVE'],
    ]);
  });

  test('describes the resource of each daily row', () => {
    const machine = {
      id: virtualMachineId(1),
      name: safeText('train-01'),
      status: 'ACTIVE' as const,
      statusText: safeText('ACTIVE'),
      environmentName: safeText('lab'),
      regionName: safeText('NORWAY-1'),
      flavor: {name: safeText('n3-H100x8'), gpuCount: 8, gpuModel: safeText('H100')},
      volumes: [],
      rules: [],
      labels: [safeText('team=ml'), safeText('prod')],
      contractId: 118,
    };
    const {rows: lines} = rows([aRecord({billedCost: dollars('246'), rate: perHour('6')})], {machines: [machine]});
    // Ten days at 24 dollars and six hours of the eleventh.
    expect(lines.map(line => line.BilledCost)).toEqual([...Array.from({length: 10}, () => '24.000000'), '6.000000']);
    expect(lines[0]).toMatchObject({
      BillingAccountId: '7',
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      ChargePeriodStart: '2026-11-01T00:00:00Z',
      ChargePeriodEnd: '2026-11-02T00:00:00Z',
      ConsumedQuantity: '1440',
      ConsumedUnit: 'Minutes',
      PricingCategory: 'Committed',
      CommitmentDiscountId: '118',
      RegionId: 'NORWAY-1',
      ResourceId: '1',
      ResourceName: 'train-01',
      ServiceCategory: 'Compute',
      SkuId: 'n3-H100x8',
      SubAccountName: 'lab',
      x_BillPerMinute: '0.1',
    });
    expect(JSON.parse(lines[0]?.Tags ?? '')).toEqual({team: 'ml', prod: true});
    expect(lines.at(-1)?.ConsumedQuantity).toBe('360');
  });

  const machine = {
    id: virtualMachineId(1),
    name: safeText('train-01'),
    status: 'ACTIVE' as const,
    statusText: safeText('ACTIVE'),
    flavor: {name: safeText('n3-H100x8'), gpuCount: 8, gpuModel: safeText('H100-80G-PCIe')},
    volumes: [],
    rules: [],
    labels: [],
  };
  const contract = {
    id: 118,
    status: 'ACTIVE' as const,
    statusText: safeText('Active'),
    endsAt: epochMs(NOW + 90 * DAY_MS),
    expirationPolicy: {kind: 'market' as const, code: 1 as const},
    discounts: [
      {
        resourceName: safeText('n3-H100x8'),
        statusText: safeText('active'),
        terms: {kind: 'percent' as const, percent: rational(30n, 1n)},
      },
    ],
  };
  const prices = (line: Record<string, string> | undefined) => [
    line?.PricingQuantity,
    line?.ListCost,
    line?.ContractedCost,
    line?.BilledCost,
    line?.x_ListPriceKnown,
  ];
  const committed = (line: Record<string, string> | undefined) => [
    line?.PricingCategory,
    line?.CommitmentDiscountId,
    line?.CommitmentDiscountStatus,
    line?.CommitmentDiscountQuantity,
  ];

  test('gives the list price, the price of the contract and the bill for the time that was metered', () => {
    // A list price of 20 dollars an hour, 14 by the contract; metered for half of its 246 hours.
    const record = aRecord({billedCost: dollars('1722'), rate: perHour('14'), upTimeMinutes: rational(7380n, 1n)});
    const machines = [{...machine, contractId: 118}];
    const {rows: lines} = rows([record], {machines, contracts: [contract]});
    expect(prices(lines[0])).toEqual(['720', '240.000000', '168.000000', '168.000000', 'true']);
    expect(lines[0]).toMatchObject({ListUnitPrice: '0.333333333', ContractedUnitPrice: '0.233333333'});
    // Twelve hours of eight GPUs.
    expect(lines[0]).toMatchObject({CommitmentDiscountQuantity: '96', CommitmentDiscountUnit: 'GPU-Hours'});
  });

  test('gives the price of the contract only to the machines it covers', () => {
    const machines = [1, 2, 3].map(id => ({...machine, id: virtualMachineId(id), contractId: 118}));
    const limited = {...contract, discounts: contract.discounts.map(each => ({...each, resourceCount: 2}))};
    const records = [1, 2, 3].map(id =>
      aRecord({
        resourceId: id,
        // The third is billed at the list price.
        ...(id === 3
          ? {billedCost: dollars('2460'), rate: perHour('20')}
          : {billedCost: dollars('1722'), rate: perHour('14')}),
        upTimeMinutes: rational(7380n, 1n),
      }),
    );
    const {rows: lines} = rows(records, {machines, contracts: [limited]});
    const firstDay = lines.filter(line => line.ChargePeriodStart === '2026-11-01T00:00:00Z' && line.ResourceId !== '');
    expect(firstDay.map(prices)).toEqual([
      ['720', '240.000000', '168.000000', '168.000000', 'true'],
      ['720', '240.000000', '168.000000', '168.000000', 'true'],
      ['720', '240.000000', '240.000000', '240.000000', 'true'],
    ]);
    expect(firstDay.map(committed)).toEqual([
      // Twelve hours of eight GPUs.
      ['Committed', '118', 'Used', '96'],
      ['Committed', '118', 'Used', '96'],
      ['Standard', '', '', ''],
    ]);
  });

  test('calls committed as many GPUs of a machine as the contract covers', () => {
    const machines = [1, 2].map(id => ({...machine, id: virtualMachineId(id), contractId: 118}));
    const ofGpus = contract.discounts.map(each => ({
      ...each,
      resourceName: safeText('H100-80G-PCIe'),
      resourceCount: 11,
    }));
    const records = [1, 2].map(id =>
      aRecord({resourceId: id, billedCost: dollars('1722'), upTimeMinutes: rational(7380n, 1n)}),
    );
    const {rows: lines} = rows(records, {machines, contracts: [{...contract, discounts: ofGpus}]});
    const firstDay = lines.filter(line => line.ChargePeriodStart === '2026-11-01T00:00:00Z' && line.ResourceId !== '');
    // Twelve hours of eight GPUs, and of three.
    expect(firstDay.map(committed)).toEqual([
      ['Committed', '118', 'Used', '96'],
      ['Committed', '118', 'Used', '36'],
    ]);
  });

  test('has a row without cost for the commitment that was not used since the month began', () => {
    const machines = [{...machine, contractId: 118}];
    const limited = {...contract, discounts: contract.discounts.map(each => ({...each, resourceCount: 2}))};
    const record = aRecord({billedCost: dollars('1722'), rate: perHour('14')});
    const {report, rows: lines} = rows([record], {machines, contracts: [limited], now: epochMs(NOW + 133)});
    // Ten days and six hours of one of two machines with eight GPUs.
    expect(lines.filter(({CommitmentDiscountStatus: status}) => status === 'Unused')).toMatchObject([
      {
        CommitmentDiscountId: '118',
        CommitmentDiscountQuantity: expect.stringMatching(/^1968\.000/),
        CommitmentDiscountUnit: 'GPU-Hours',
        BilledCost: '0.000000',
        EffectiveCost: '0.000000',
        ChargePeriodStart: '2026-11-01T00:00:00Z',
        ChargePeriodEnd: '2026-11-11T06:00:00Z',
        ResourceId: '',
      },
    ]);
    const total = lines.reduce((sum, {BilledCost: cost}) => sum + micro(cost), 0n);
    expect(total).toBe(BigInt(toMicroUsd(report.monthToDate)));
    const usedUp = rows([record], {machines, contracts: [contract]}).rows;
    expect(usedUp.some(({CommitmentDiscountStatus: status}) => status === 'Unused')).toBe(false);
  });

  test('uses the billed amount as the price when no other is known or the published one is lower', () => {
    const dear = aRecord({billedCost: dollars('6150'), rate: perHour('25'), upTimeMinutes: rational(14_760n, 1n)});
    expect(prices(rows([dear], {machines: [machine]}).rows[0])).toEqual([
      '1440',
      '600.000000',
      '600.000000',
      '600.000000',
      'false',
    ]);
    expect(prices(rows([dear]).rows[0])?.at(-1)).toBe('false');
  });

  test('has a row of its own for the difference between the bill and the records', () => {
    const bill = {start: MONTH.start, until: epochMs(MONTH.start + DAY_MS), cost: dollars('20.5')};
    const {rows: lines} = rows([aRecord({billedCost: dollars('246')})], {billed: [bill]});
    expect(lines.filter(line => line.ChargeCategory === 'Adjustment').map(line => line.BilledCost)).toEqual([
      '-3.500000',
    ]);
  });

  test('has no such row where the bill equals the records to the micro-dollar', () => {
    // 100 dollars in ten and a quarter days are 9.7560975… a day.
    const bill = {start: MONTH.start, until: epochMs(MONTH.start + DAY_MS), cost: dollars('9.756098')};
    const {rows: lines} = rows([aRecord({billedCost: dollars('100')})], {billed: [bill]});
    expect(lines.filter(line => line.ChargeCategory === 'Adjustment')).toEqual([]);
  });

  test('leaves out what is excluded from billing unless asked for, and then lists it without cost', () => {
    const excluded = aRecord({billedCost: dollars('246'), isExcludedFromBilling: true});
    expect(rows([excluded]).rows).toEqual([]);
    const {rows: lines} = rows([excluded], {}, {includesExcluded: true});
    expect(lines).toHaveLength(11);
    expect(new Set(lines.map(line => line.BilledCost))).toEqual(new Set(['0.000000']));
  });

  test('adds the columns of 1.3 to those of 1.2', () => {
    const [older, newer] = [rows([]).head, rows([], {}, {version: '1.3'}).head];
    expect(newer.filter(name => !older.includes(name))).toEqual([
      'ContractApplied',
      'HostProviderName',
      'ServiceProviderName',
    ]);
    expect(older.filter(name => !newer.includes(name))).toEqual([]);
  });
});
