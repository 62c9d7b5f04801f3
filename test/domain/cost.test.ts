import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {
  burnRate,
  costChange,
  currentRate,
  besidesBurn,
  lastingRunway,
  listRate,
  listSource,
  unitListRate,
  machineRates,
  meteredRate,
  rateInStatus,
  runway,
} from '../../src/domain/cost.ts';
import {PRICES, pricesWith, unitSource, withPriceBook} from '../../src/domain/money/prices.ts';
import {billingInStatus} from '../../src/domain/money/state-billing.ts';
import {
  hourlyUsd,
  parseDecimal,
  type Rate,
  ratePerHour,
  rational,
  sumRates,
  type Usd,
  usd,
  ZERO_RATE,
} from '../../src/domain/money.ts';
import type {UnitPrice} from '../../src/domain/price-book.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../src/domain/time.ts';
import {
  MACHINE_STATUSES,
  type MachineFlavor,
  type MachineStatus,
  type VirtualMachine,
  virtualMachineId,
} from '../../src/domain/virtual-machine.ts';

const H100X8: MachineFlavor = {
  name: safeText('n3-H100x8'),
  cpuCount: 252,
  rootDiskGb: 100,
  gpuModel: safeText('H100-80G-PCIe'),
  gpuCount: 8,
};
/** 0.35 $/h running, and 0.194 $/h for its root disk while hibernated. */
const SMALL_WITH_A_LARGE_DISK: MachineFlavor = {name: safeText('n1-cpu-small'), cpuCount: 4, rootDiskGb: 2000};
/** 100 GB × 0.000096774 $/GB·h. */
const ROOT_DISK_PER_HOUR = '0.0096774';
/** The root disk and an address of 0.00672043 $/h. */
const ROOT_DISK_AND_IP_PER_HOUR = '0.01639783';

describe('burnRate', () => {
  test('adds the rates of active records', () => {
    const records = [aRecord({rate: perHour('25.6')}), aRecord({rate: perHour('0.15')})];
    expect(burnRate(records)).toEqual({rate: perHour('25.75'), unpricedCount: 0});
    expect(burnRate([])).toEqual({rate: ZERO_RATE, unpricedCount: 0});
  });

  test('leaves out what is not active or not billed', () => {
    const records = [aRecord({isActive: false}), aRecord({isExcludedFromBilling: true})];
    expect(burnRate(records)).toEqual({rate: ZERO_RATE, unpricedCount: 0});
  });

  test('counts active records without a usable rate as unpriced', () => {
    const {rate: _, ...withoutRate} = aRecord({});
    const records = [withoutRate, aRecord({rate: perHour('-3')}), aRecord({rate: perHour('2')})];
    expect(burnRate(records)).toEqual({rate: perHour('2'), unpricedCount: 2});
    expect(burnRate([{...withoutRate, isActive: false}]).unpricedCount).toBe(0);
  });

  test('counts a record dated in the future, since the service may be right about the time', () => {
    expect(burnRate([aRecord({createdAt: epochMs(9e12)})]).rate).toEqual(perHour('1'));
  });
});

describe('machineRates', () => {
  test('adds the active spans of each machine, and no volumes', () => {
    const rates = machineRates([
      aRecord({resourceId: 1, rate: perHour('2')}),
      aRecord({resourceId: 1, rate: perHour('0.5')}),
      aRecord({resourceId: 2, rate: perHour('3'), resourceType: safeText('VM')}),
      aRecord({resourceId: 1, rate: perHour('7'), resourceType: safeText('volume')}),
      aRecord({resourceId: 3, isActive: false}),
      aRecord({resourceId: 4, isExcludedFromBilling: true}),
    ]);
    expect(rates).toEqual(
      new Map([
        [1, perHour('2.5')],
        [2, perHour('3')],
      ]),
    );
  });

  test('has no rate for a machine with an unpriced active span', () => {
    const {rate: _, ...unpriced} = aRecord({resourceId: 1});
    expect(machineRates([unpriced, aRecord({resourceId: 1})]).size).toBe(0);
  });
});

describe('runway', () => {
  test.each([
    ['4120', '25.6', (4120 / 25.6) * HOUR_MS],
    ['48', '2', DAY_MS],
    ['0', '2', 0],
    ['-5', '2', 0],
    ['100', '0', undefined],
    ['-12', '0', 0],
  ])('of %s dollars at %s an hour', (balance, burn, expected) => {
    expect(runway({balance: dollars(balance)}, perHour(burn))).toBe(expected);
  });

  test('is unknown when the balance or the burn rate is', () => {
    expect(runway({}, perHour('1'))).toBeUndefined();
    expect(runway({balance: dollars('1')}, undefined)).toBeUndefined();
  });

  test('is over when the balance is used up, at an unknown burn rate too', () => {
    expect(runway({balance: dollars('-12')}, undefined)).toBe(0);
  });
});

describe('lastingRunway', () => {
  const prices = pricesWith({perHourByFlavor: {'n3-H100x8': 20}, billingByState: {}});
  const withoutAddress = (fields: Partial<VirtualMachine>) => {
    const {floatingIp: _address, ...machine} = aMachine(fields);
    return machine;
  };
  const credit = {balance: dollars('240')};
  const lasting = (
    status: VirtualMachine['status'],
    metered: string | undefined,
    fields: Partial<VirtualMachine> = {},
  ) => {
    const machines = [withoutAddress({status, ...fields})];
    const {rate: _rate, ...unpriced} = aRecord({});
    const records = [
      metered === undefined ? unpriced : aRecord({rate: perHour(metered)}),
      aRecord({resourceId: 2, rate: perHour('4')}),
    ];
    return lastingRunway(credit, burnRate(records).rate, {records, isWhole: true, machines, prices});
  };

  test('counts at its price what is free only while it changes state', () => {
    // $240 at $4 + $20 an hour; without the machine they would last 60 hours.
    const paused = {
      leftMs: 10 * HOUR_MS,
      isEndless: false,
      isAtMost: false,
      hasUnpriced: false,
      changingCount: 1,
      unmeteredCount: 0,
    };
    for (const status of ['REBOOTING', 'STARTING', 'STOPPING', 'RESTORING'] as const) {
      expect(lasting(status, '0')).toEqual(paused);
    }
  });

  test('counts at its price a machine that no usage record is about, and says so', () => {
    const records = [aRecord({resourceId: 2, rate: perHour('4')})];
    const lastingWith = (...machines: readonly VirtualMachine[]) =>
      lastingRunway(credit, perHour('4'), {records, isWhole: true, machines, prices});
    const known = lastingWith(withoutAddress({}));
    // $240 at $4 + $20 an hour; without the machine they would last 60 hours.
    expect(known).toEqual({
      leftMs: 10 * HOUR_MS,
      isEndless: false,
      isAtMost: false,
      hasUnpriced: false,
      changingCount: 0,
      unmeteredCount: 1,
    });
    expect(besidesBurn(known)).toBe('1 machine without a usage record');
    const {flavor: _flavor, ...unpriced} = withoutAddress({});
    expect(lastingWith(unpriced)).toMatchObject({leftMs: 60 * HOUR_MS, isAtMost: true, unmeteredCount: 1});
    // Its contract may set another price than $20.
    const underContract = lastingWith(withoutAddress({contractId: 5}));
    expect(underContract).toMatchObject({
      leftMs: 60 * HOUR_MS,
      isAtMost: true,
      atListMs: 10 * HOUR_MS,
      hasUnpriced: false,
    });
    expect(lastingWith({...unpriced, contractId: 5})).toMatchObject({isAtMost: true, hasUnpriced: true});
    expect(lastingWith(withoutAddress({status: 'ERROR'}))).toMatchObject({leftMs: 60 * HOUR_MS, unmeteredCount: 0});
    expect(besidesBurn({changingCount: 1, unmeteredCount: 2})).toBe(
      '1 machine changing state and 2 machines without a usage record',
    );
  });

  test.each<[string, ReturnType<typeof lasting>, number]>([
    ['a machine on its way out', lasting('DELETING', '0'), 60],
    ['one under a contract', lasting('REBOOTING', '0', {contractId: 5}), 60],
    ['one metered as before', lasting('REBOOTING', '20'), 10],
    ['one that runs', lasting('ACTIVE', '20'), 10],
  ])('follows the metered rates of all others: %s', (_name, {leftMs, changingCount}, hours) => {
    expect([leftMs, changingCount]).toEqual([hours * HOUR_MS, 0]);
  });

  const running = 10;
  const hibernated = 240 / 4.0096774;
  test.each<[string, number, readonly [MachineStatus, metered: string][]]>([
    [
      'stop',
      running,
      [
        ['ACTIVE', '20'],
        ['STOPPING', '0'],
        ['SHUTOFF', '20'],
      ],
    ],
    [
      'start',
      running,
      [
        ['SHUTOFF', '20'],
        ['STARTING', '0'],
        ['ACTIVE', '20'],
      ],
    ],
    [
      'reboot',
      running,
      [
        ['ACTIVE', '20'],
        ['REBOOTING', '0'],
        ['ACTIVE', '20'],
      ],
    ],
    [
      'hibernate',
      hibernated,
      [
        ['ACTIVE', '20'],
        ['HIBERNATING', '0'],
        ['HIBERNATED', ROOT_DISK_PER_HOUR],
      ],
    ],
    [
      'restore',
      hibernated,
      [
        ['HIBERNATED', ROOT_DISK_PER_HOUR],
        ['RESTORING', '0'],
        ['ACTIVE', '20'],
      ],
    ],
    [
      'creation',
      running,
      [
        ['CREATING', '0'],
        ['BUILD', '0'],
        ['ACTIVE', '20'],
      ],
    ],
  ])('is never longer during a %s than before or after, whenever usage was read', (_name, longestHours, steps) => {
    for (const [index, [, metered]] of steps.entries()) {
      for (const [status] of steps.slice(index)) {
        const {leftMs = Infinity} = lasting(status, metered);
        expect([status, metered, leftMs <= longestHours * HOUR_MS]).toEqual([status, metered, true]);
      }
    }
  });

  test('counts a machine at the price of its state when usage was read before it came into that', () => {
    const tenHours = {
      leftMs: 10 * HOUR_MS,
      isEndless: false,
      isAtMost: false,
      hasUnpriced: false,
      changingCount: 1,
      unmeteredCount: 0,
    };
    expect(lasting('SHUTOFF', '0')).toEqual(tenHours);
    expect(lasting('ACTIVE', '0')).toEqual(tenHours);
    // While it was hibernated its root disk was billed.
    expect(lasting('RESTORING', ROOT_DISK_PER_HOUR)).toEqual(tenHours);
    expect(lasting('ACTIVE', ROOT_DISK_PER_HOUR)).toEqual(tenHours);
    // $240 at $4.0096774 an hour.
    const {leftMs, changingCount} = lasting('HIBERNATED', '0');
    expect([leftMs, changingCount]).toEqual([Math.floor((240 / 4.0096774) * HOUR_MS), 1]);
    expect(lasting('SHUTOFF', '0', {flavor: {name: safeText('n9-new')}})).toEqual({
      leftMs: 60 * HOUR_MS,
      isEndless: false,
      isAtMost: true,
      hasUnpriced: true,
      changingCount: 1,
      unmeteredCount: 0,
    });
  });

  test('is at most that if something of unknown price is billed too, or not all was read', () => {
    expect(lasting('ACTIVE', undefined)).toMatchObject({leftMs: 60 * HOUR_MS, isAtMost: true});
    expect(lasting('REBOOTING', '0', {flavor: {name: safeText('n9-new')}})).toMatchObject({
      leftMs: 60 * HOUR_MS,
      isAtMost: true,
    });
    // An address that could not be read may be billed besides the machine's $20 an hour.
    expect(lasting('REBOOTING', '0', {hasUnreadAddress: true})).toMatchObject({
      leftMs: 10 * HOUR_MS,
      isAtMost: true,
      atListMs: Math.floor((240 / 24.00672043) * HOUR_MS),
      hasUnpriced: false,
    });
    const known = {records: [], machines: [], prices};
    expect(lastingRunway(credit, perHour('4'), {...known, isWhole: false}).isAtMost).toBe(true);
    expect(lastingRunway(credit, perHour('4'), {...known, isWhole: true}).isAtMost).toBe(false);
  });
});

describe('currentRate', () => {
  test('is unknown while nothing is billed for a moment: it is not what is saved without the machine', () => {
    const rateIn = (status: VirtualMachine['status'], metered: string) =>
      currentRate(aMachine({status}), perHour(metered), PRICES).rate;
    expect(rateIn('STOPPING', '0')).toBeUndefined();
    expect(rateIn('HIBERNATING', '19.5')).toBeUndefined();
    expect(rateIn('ERROR', '0')).toEqual(perHour('0'));
    expect(rateIn('SHUTOFF', '20')).toEqual(perHour('20'));
  });
});

describe('meteredRate', () => {
  test.each<[string, string, Partial<VirtualMachine>, string | undefined]>([
    ['a running machine is what the meter says', '19.5', {}, '19.5'],
    ['a running machine is unknown when the meter was read while the machine was free', '0', {}, undefined],
    ['a starting machine, which is free meanwhile, is unknown', '0', {status: 'STARTING'}, undefined],
    ['a machine that is hibernating, which is free meanwhile, is unknown', '0', {status: 'HIBERNATING'}, undefined],
    ['a starting machine under a contract is what the meter says', '0', {status: 'STARTING', contractId: 7}, '0'],
    ['a failed machine, which stays free, is what the meter says', '0', {status: 'ERROR'}, '0'],
    [
      'a stopping machine, which is free, is unknown when the meter was read before',
      '19.5',
      {status: 'STOPPING'},
      undefined,
    ],
    ['a starting machine is unknown when the meter was read before', '19.5', {status: 'STARTING'}, undefined],
    ['a stopping machine under a contract is what the meter says', '19.5', {status: 'STOPPING', contractId: 7}, '19.5'],
    ['a failed machine is what the meter says', '19.5', {status: 'ERROR'}, '19.5'],
    [
      'a restored machine is unknown when the meter was read while it was hibernated',
      ROOT_DISK_AND_IP_PER_HOUR,
      {},
      undefined,
    ],
    [
      'a hibernated machine is unknown when the meter was read while it was running',
      '19.5',
      {status: 'HIBERNATED'},
      undefined,
    ],
    ['a machine under a contract that is paid separately is what the meter says', '0', {contractId: 7}, '0'],
  ])('of %s', (_, metered, fields, expected) => {
    expect(meteredRate(aMachine(fields), perHour(metered), PRICES)).toEqual(expected && perHour(expected));
  });
});

describe('listRate', () => {
  test.each([
    ['n3-H100x8', 'H100-80G-PCIe', 8, 20],
    ['n3-H100x8-NVLink', 'H100-80G-PCIe-NVLink', 8, 20.8],
    ['n3-H100-SXM5x8', 'H100-80G-SXM5', 8, 25.6],
    ['n3-H200-SXM5x8', 'H200-SXM5', 8, 31.92],
    ['n3-A100x4', 'A100-80G-PCIe', 4, 5.4],
    ['n3-L40x2', 'L40', 2, 2],
    ['n3-RTX-A6000x1', 'rtx-a6000', 1, 0.5],
    ['n1-cpu-large', undefined, 0, 1.3],
    ['N1-CPU-SMALL', undefined, undefined, 0.35],
    ['n3-A100x1-spot', 'A100-80G-PCIe', 1, 1.08],
    ['n3-L40x1-spot', 'L40', 1, undefined],
    ['n9-new', 'B900', 8, undefined],
    ['n3-L40', 'L40', undefined, undefined],
  ])('of %s with the GPU %s × %s is %s', (name, gpuModel, gpuCount, expected) => {
    const flavor: MachineFlavor = {
      name: safeText(name),
      ...(gpuModel === undefined ? {} : {gpuModel: safeText(gpuModel)}),
      ...(gpuCount === undefined ? {} : {gpuCount}),
    };
    const rate = listRate(flavor, PRICES);
    expect(rate === undefined ? undefined : hourlyUsd(rate)).toBe(expected);
  });

  test('is unknown without a flavor', () => {
    expect(listRate(undefined, PRICES)).toBeUndefined();
  });
});

describe('the price list of the account', () => {
  const own = pricesWith({
    perHourByFlavor: {'n3-own': 9},
    perHourByGpuModel: {'own-gpu': 3},
    storagePerGbHour: 0.5,
    addressPerHour: 1,
  });
  const now = epochMs(Date.UTC(2026, 10, 20));
  const listedAt = (name: string, hourly: string, fields: Partial<UnitPrice> = {}): UnitPrice => ({
    name: safeText(name),
    rate: perHour(hourly),
    listRate: perHour(hourly),
    ...fields,
  });
  const book = [
    listedAt('N1-CPU-Small', '0.4'),
    listedAt('H200-SXM5', '3.5'),
    listedAt('L40', '1.5', {rate: perHour('0.75')}),
    listedAt('L40-spot', '0.8'),
    listedAt('n3-own', '1'),
    listedAt('own-gpu', '1'),
    listedAt('own-gpu-spot', '2'),
    listedAt('RTX-A6000', '7', {startsAt: epochMs(now + 1)}),
    listedAt('RTX-A4000', '7', {endsAt: now}),
    listedAt('Cloud-SSD', '0.0002'),
  ];
  const prices = withPriceBook(own, book, now);
  const flavor = (name: string, gpuModel?: string, gpuCount = 1): MachineFlavor => ({
    name: safeText(name),
    ...(gpuModel === undefined ? {} : {gpuModel: safeText(gpuModel), gpuCount}),
  });

  test.each([
    ['replaces the published price of a flavor', flavor('n1-cpu-small'), 0.4],
    ['prices a flavor by its GPUs, whatever is published of the whole', flavor('n3-H200-SXM5x8', 'H200-SXM5', 8), 28],
    ['counts the higher price, as a discount may not apply', flavor('n3-L40x2', 'L40', 2), 3],
    ['has a price of its own for spot flavors', flavor('n3-L40x1-spot', 'L40'), 0.8],
    ['leaves the price that a person has set for a flavor', flavor('n3-own', 'L40'), 9],
    ['leaves the price that a person has set for a GPU', flavor('n3-ownx2', 'own-gpu', 2), 6],
    ['prices spot flavors of such a GPU', flavor('n3-ownx1-spot', 'own-gpu'), 2],
    ['says nothing before a price begins', flavor('n3-RTX-A6000x1', 'RTX-A6000'), 0.5],
    ['says nothing once a price is over', flavor('n3-RTX-A4000x1', 'RTX-A4000'), 0.15],
  ])('%s', (_, each, expected) => {
    expect(hourlyUsd(listRate(each, prices) ?? ZERO_RATE)).toBe(expected);
  });

  test('is the highest price in force of each unit, in any order, and nothing else counts', () => {
    const cents = fc.integer({min: 0, max: 500});
    const entry = fc.record({
      name: fc.constantFrom('L40', 'l40', 'Cloud-SSD', 'cloud_ssd', 'other'),
      rate: fc.option(cents),
      list: fc.option(cents),
      starts: fc.option(fc.integer({min: -2, max: 2})),
      ends: fc.option(fc.integer({min: -2, max: 2})),
    });
    fc.assert(
      fc.property(fc.array(entry, {maxLength: 10}), entries => {
        const moment = (hours: number) => epochMs(now + hours * HOUR_MS);
        const hourly = (each: number) => ratePerHour(rational(BigInt(each), 100n));
        const list = entries.map(
          ({name, rate, list: before, starts, ends}): UnitPrice => ({
            name: safeText(name),
            ...(rate === null ? {} : {rate: hourly(rate)}),
            ...(before === null ? {} : {listRate: hourly(before)}),
            ...(starts === null ? {} : {startsAt: moment(starts)}),
            ...(ends === null ? {} : {endsAt: moment(ends)}),
          }),
        );
        const highest = (names: readonly string[]) =>
          Math.max(
            0,
            ...entries
              .filter(({name, starts, ends}) => names.includes(name) && (starts ?? -9) <= 0 && (ends ?? 9) > 0)
              .flatMap(({rate, list: before}) => [rate ?? 0, before ?? 0]),
          );
        const [gpu, disk] = [highest(['L40', 'l40']), highest(['Cloud-SSD', 'cloud_ssd'])];
        const prices = withPriceBook(PRICES, list, now);
        // A dollar is published for an L40.
        expect(listRate(flavor('n3-L40x2', 'L40', 2), prices)).toEqual(hourly(gpu === 0 ? 200 : 2 * gpu));
        expect(prices.storagePerGb).toEqual(disk === 0 ? PRICES.storagePerGb : hourly(disk));
        expect(prices.publicIp).toBe(PRICES.publicIp);
        const reversed = withPriceBook(PRICES, [...list].reverse(), now);
        expect({...reversed, listed: Object.fromEntries(reversed.listed)}).toEqual({
          ...prices,
          listed: Object.fromEntries(prices.listed),
        });
      }),
    );
  });

  test('prices the other parts of a machine too, if it has prices for them', () => {
    const parts = withPriceBook(own, [...book, listedAt('vCPU', '0.01'), listedAt('RAM', '0.002')], now);
    const sized = (each: MachineFlavor, fields: object) => ({...each, ...fields});
    // 2 × $1.50 + 60 × $0.01 + 116 × $0.002
    const gpus = listRate(sized(flavor('n3-L40x2', 'L40', 2), {cpuCount: 60, ramGb: 116}), parts);
    expect(hourlyUsd(gpus ?? ZERO_RATE)).toBeCloseTo(3.832, 9);
    // 8 × $0.01 + 8 × $0.002
    const cores = listRate(sized(flavor('n1-cpu-medium'), {cpuCount: 8, ramGb: 8, gpuCount: 0}), parts);
    expect(hourlyUsd(cores ?? ZERO_RATE)).toBeCloseTo(0.096, 9);
    // Of unknown size: as published.
    expect(hourlyUsd(listRate(flavor('n3-L40x2', 'L40', 2), parts) ?? ZERO_RATE)).toBe(2);
  });

  test('prices no machine of which it has a part without a readable price', () => {
    const sized = {...flavor('n3-L40x2', 'L40', 2), cpuCount: 60, ramGb: 116};
    const unread = (name: string): UnitPrice => ({name: safeText(name)});
    const priceWith = (...more: readonly UnitPrice[]) =>
      hourlyUsd(listRate(sized, withPriceBook(own, [...book, ...more], now)) ?? ZERO_RATE);
    // 2 × $1.50, and published 2 × $1.00.
    expect(priceWith()).toBe(3);
    expect(priceWith(unread('RAM'))).toBe(2);
    expect(priceWith(unread('n3-L40x2'))).toBe(2);
    expect(priceWith({...unread('L40'), startsAt: epochMs(0)})).toBe(3);
    expect(priceWith({...unread('RAM'), rate: ZERO_RATE})).toBe(3);
    expect(priceWith(unread('RAM'), {...unread('RAM'), rate: perHour('1')})).toBe(119);
    expect(priceWith({...unread('RAM'), endsAt: now})).toBe(3);
  });

  test('is named as the source of a price, not the published list', () => {
    expect(listSource(flavor('n3-L40x2', 'L40', 2), prices)).toBe('listed');
    expect(listSource(flavor('n3-own', 'L40'), prices)).toBe('own');
    expect(listSource(flavor('n3-RTX-A6000x1', 'RTX-A6000'), prices)).toBe('published');
  });

  test('comes before the settings for storage and addresses, which count if it has none', () => {
    expect([hourlyUsd(prices.storagePerGb), unitSource('storagePerGb', prices)]).toEqual([0.0002, 'listed']);
    expect([hourlyUsd(prices.publicIp), unitSource('publicIp', prices)]).toEqual([1, 'own']);
  });

  test('gives the price of a flavor or GPU that a contract names', () => {
    const named = ['l40', 'n3-own', 'own-gpu', 'rtx-a6000', 'none'].map(name => unitListRate(name, prices));
    expect(named.map(rate => rate && hourlyUsd(rate))).toEqual([1.5, 9, 3, 0.5, undefined]);
  });
});

describe('billingInStatus', () => {
  test('bills a stopped machine in full and a hibernated one for storage', () => {
    const byBilling = Map.groupBy([...MACHINE_STATUSES, 'UNKNOWN' as const], status => billingInStatus(status, PRICES));
    expect(byBilling.get('full')).toEqual(['ACTIVE', 'SHUTOFF']);
    expect(byBilling.get('storage')).toEqual(['HIBERNATED']);
    expect(byBilling.get('unknown')).toEqual(['UNKNOWN']);
    expect(byBilling.get('free')).toEqual(
      MACHINE_STATUSES.filter(status => !['ACTIVE', 'SHUTOFF', 'HIBERNATED'].includes(status)),
    );
  });
});

describe('rateInStatus', () => {
  test.each<[MachineStatus, boolean, string | undefined]>([
    ['ACTIVE', false, '20'],
    ['SHUTOFF', false, '20'],
    ['UNKNOWN', false, '20'],
    ['HIBERNATED', false, ROOT_DISK_PER_HOUR],
    ['HIBERNATED', true, ROOT_DISK_AND_IP_PER_HOUR],
    ['STOPPING', true, '0'],
    ['ERROR', true, '0'],
    ['DELETED', true, '0'],
  ])('in %s, address kept: %s, is %s', (status, retainsIp, expected) => {
    const options = {listRate: perHour('20'), retainsIp, prices: PRICES};
    expect(rateInStatus(aMachine({}), status, options)).toEqual(perHour(expected ?? '0'));
  });

  test('is unknown when the list price or the root disk is', () => {
    const options = {listRate: undefined, retainsIp: false, prices: PRICES};
    expect(rateInStatus(aMachine({}), 'ACTIVE', options)).toBeUndefined();
    const {flavor: _, ...withoutFlavor} = aMachine({});
    expect(rateInStatus(withoutFlavor, 'HIBERNATED', options)).toBeUndefined();
  });
});

describe('costChange', () => {
  const RUNNING = {status: 'ACTIVE', retainsIp: true} as const;
  const STOPPED = {status: 'SHUTOFF', retainsIp: true} as const;
  const KEEPING = {status: 'HIBERNATED', retainsIp: true} as const;
  const RELEASING = {status: 'HIBERNATED', retainsIp: false} as const;
  const metered = perHour('19.5');

  test.each<[MachineStatus, MachineStatus]>([
    ['ACTIVE', 'SHUTOFF'],
    ['ACTIVE', 'ACTIVE'],
    ['SHUTOFF', 'ACTIVE'],
  ])('saves nothing from %s to %s', (status, next) => {
    expect(costChange(aMachine({status}), {status: next, retainsIp: false}, metered, PRICES)).toEqual({
      before: metered,
      after: metered,
      savings: ZERO_RATE,
      savingIsUncertain: false,
      isListPrice: false,
    });
  });

  test('bills a hibernated machine for its root disk, and for its address when that is kept', () => {
    const released = costChange(aMachine({}), RELEASING, metered, PRICES);
    expect(released.after).toEqual(perHour(ROOT_DISK_PER_HOUR));
    expect(released.savings).toEqual(perHour('19.4903226'));
    const kept = costChange(aMachine({}), KEEPING, metered, PRICES);
    expect(kept.after).toEqual(perHour(ROOT_DISK_AND_IP_PER_HOUR));
    const {floatingIp: _, ...withoutAddress} = aMachine({});
    const nothingToKeep = costChange(withoutAddress, KEEPING, metered, PRICES);
    expect(nothingToKeep.after).toEqual(perHour(ROOT_DISK_PER_HOUR));
  });

  test('is at most, and saves at least, what an address that could not be read would make of it', () => {
    const {floatingIp: _, ...machine} = aMachine({hasUnreadAddress: true});
    const kept = costChange(machine, KEEPING, metered, PRICES);
    expect(kept).toMatchObject({before: metered, after: perHour(ROOT_DISK_AND_IP_PER_HOUR)});
    expect(kept.savings && sumRates([kept.savings, perHour(ROOT_DISK_AND_IP_PER_HOUR)])).toEqual(metered);
    expect(kept.furtherSavings).toEqual(PRICES.publicIp);
    expect(costChange(machine, RELEASING, metered, PRICES).furtherSavings).toBeUndefined();
    expect(costChange(machine, RELEASING, metered, PRICES).after).toEqual(perHour(ROOT_DISK_PER_HOUR));
    expect(costChange(machine, STOPPED, metered, PRICES).savings).toEqual(ZERO_RATE);
    const hibernated = {...machine, status: 'HIBERNATED'} as const;
    const restored = costChange(hibernated, RUNNING, undefined, PRICES);
    expect(restored).toMatchObject({before: undefined, savings: undefined, furtherSavings: PRICES.publicIp});
    // Metered as running, or as hibernated with or without an address, it was metered in another state.
    expect(meteredRate(hibernated, metered, PRICES)).toBeUndefined();
    for (const rate of [ROOT_DISK_PER_HOUR, ROOT_DISK_AND_IP_PER_HOUR]) {
      expect(meteredRate(machine, perHour(rate), PRICES)).toBeUndefined();
      expect(meteredRate(hibernated, perHour(rate), PRICES)).toEqual(perHour(rate));
    }
  });

  test('takes a restored machine from its hibernated rate to the list price and its address', () => {
    const hibernated = aMachine({status: 'HIBERNATED'});
    expect(costChange(hibernated, RUNNING, undefined, PRICES)).toEqual({
      before: perHour(ROOT_DISK_AND_IP_PER_HOUR),
      // 20 $/h for the machine and 0.00672043 $/h for its address; 0.0096774 + 0.00672043 before.
      after: perHour('20.00672043'),
      savings: perHour('-19.9903226'),
      savingIsUncertain: false,
      isListPrice: true,
    });
    const stillMetered = perHour('0.02');
    expect(costChange(hibernated, RUNNING, stillMetered, PRICES).before).toEqual(stillMetered);
  });

  test('takes a restored machine under a contract to the price of the contract and its address', () => {
    const {after} = costChange(
      aMachine({status: 'HIBERNATED'}),
      {...RUNNING, fullRate: perHour('14')},
      undefined,
      PRICES,
    );
    // 14 $/h for the machine and 0.00672043 $/h for its address.
    expect(after).toEqual(perHour('14.00672043'));
  });

  test('takes no rate from a meter that was read before the machine was hibernated', () => {
    const {before, savings} = costChange(aMachine({status: 'HIBERNATED'}), RUNNING, metered, PRICES);
    expect(before).toEqual(perHour(ROOT_DISK_AND_IP_PER_HOUR));
    expect(savings).toEqual(perHour('-19.9903226'));
  });

  test('takes no rate from a meter that was read before the machine was restored', () => {
    const hibernated = perHour(ROOT_DISK_AND_IP_PER_HOUR);
    const {before, savings, isListPrice} = costChange(aMachine({}), RELEASING, hibernated, PRICES);
    // 20 $/h for the machine and 0.00672043 $/h for its address; hibernated it keeps its root disk for 0.0096774.
    expect(before).toEqual(perHour('20.00672043'));
    expect(savings).toEqual(perHour('19.99704303'));
    expect(isListPrice).toBe(true);
  });

  test('takes no rate from a meter that was read while the machine was starting, which is free', () => {
    const {before, after, isListPrice} = costChange(aMachine({}), STOPPED, ZERO_RATE, PRICES);
    // 20 $/h for the machine and 0.00672043 $/h for its address.
    expect([before, after]).toEqual([perHour('20.00672043'), perHour('20.00672043')]);
    expect(isListPrice).toBe(true);
    const unlisted = aMachine({flavor: {name: safeText('n9-new')}});
    expect(costChange(unlisted, STOPPED, ZERO_RATE, PRICES).before).toBeUndefined();
  });

  test.each<[string, string, Partial<VirtualMachine>]>([
    ['a twentieth of the list price', '1', {}],
    ['nothing, under a contract that is paid separately', '0', {contractId: 7}],
    [
      'the rate of a hibernated machine, under a contract that is paid separately',
      ROOT_DISK_AND_IP_PER_HOUR,
      {contractId: 7},
    ],
    [
      'little more than the rate of a hibernated machine, whose root disk of 2,000 GB is most of the price',
      '0.2',
      {flavor: SMALL_WITH_A_LARGE_DISK},
    ],
  ])('believes a meter that says %s', (_what, perHourText, fields) => {
    const said = perHour(perHourText);
    expect(costChange(aMachine(fields), RELEASING, said, PRICES).before).toEqual(said);
  });

  test('calls no rate the list price that is not known', () => {
    const unlisted = aMachine({flavor: {name: safeText('n9-new'), rootDiskGb: 100}});
    expect(costChange(unlisted, STOPPED, undefined, PRICES).isListPrice).toBe(false);
    expect(costChange({...unlisted, status: 'HIBERNATED'}, RUNNING, undefined, PRICES).isListPrice).toBe(false);
    // With an address that could not be read it is known at most.
    const {floatingIp: _, ...unread} = aMachine({status: 'HIBERNATED', hasUnreadAddress: true});
    expect(costChange(unread, RUNNING, undefined, PRICES).isListPrice).toBe(true);
  });

  test('is unknown for a restored machine whose flavor has no price', () => {
    const unlisted = aMachine({status: 'HIBERNATED', flavor: {name: safeText('n9-new'), rootDiskGb: 100}});
    const {after, savings} = costChange(unlisted, RUNNING, undefined, PRICES);
    expect([after, savings]).toEqual([undefined, undefined]);
  });

  test('falls back to the list price when nothing is metered, and says so', () => {
    const {before, isListPrice} = costChange(aMachine({}), RELEASING, undefined, PRICES);
    expect(before).toEqual(perHour('20.00672043'));
    expect(isListPrice).toBe(true);
  });

  test('uses the prices and the billing of states that a person has set', () => {
    const prices = pricesWith({perHourByFlavor: {'n3-H100x8': 16}, billingByState: {shutoff: 'storage'}});
    const stop = costChange(aMachine({}), STOPPED, undefined, prices);
    // 16 $/h and the address; stopped, it keeps root disk and address.
    expect([stop.before, stop.after]).toEqual([perHour('16.00672043'), perHour(ROOT_DISK_AND_IP_PER_HOUR)]);
    expect(stop.isListPrice).toBe(true);
    const start = costChange(aMachine({status: 'SHUTOFF'}), RUNNING, undefined, prices);
    expect([start.before, start.after]).toEqual([stop.after, stop.before]);
  });

  test('marks savings as uncertain under a contract', () => {
    expect(costChange(aMachine({contractId: 7}), RELEASING, metered, PRICES).savingIsUncertain).toBe(true);
  });

  test('says that stopping a machine in ERROR, which is free, makes it cost again', () => {
    const {before, after} = costChange(aMachine({status: 'ERROR'}), STOPPED, undefined, PRICES);
    expect([before, after]).toEqual([ZERO_RATE, perHour('20.00672043')]);
  });
});

function aMachine(fields: Partial<VirtualMachine>): VirtualMachine {
  return {
    id: virtualMachineId(1),
    name: safeText('train-01'),
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    flavor: H100X8,
    floatingIp: safeText('185.1.2.3'),
    volumes: [],
    rules: [],
    labels: [],
    ...fields,
  };
}

function aRecord(fields: Partial<UsageRecord>): UsageRecord {
  return {
    resourceId: 1,
    resourceType: safeText('vm'),
    name: safeText('train-01'),
    createdAt: epochMs(0),
    rate: perHour('1'),
    isActive: true,
    isExcludedFromBilling: false,
    ...fields,
  };
}

function perHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}
