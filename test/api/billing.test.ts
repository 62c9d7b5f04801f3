import {describe, expect, it} from 'vitest';
import {
  billingHistory,
  credit,
  lastDayCost,
  machineHistory,
  machineHistoryDetail,
  machineHistoryGraph,
  usage,
} from '../../src/api/billing.ts';
import {ratePerHour, rational} from '../../src/domain/money.ts';
import {epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {openClients, openServer} from './loopback.ts';
import {readExample, wireExample} from './wire-example.ts';

describe('usage', () => {
  it('reads rates, times and bills exactly, from the text of the numbers', () => {
    expect(readExample(usage)).toStrictEqual({
      records: [
        {
          resourceId: 793001,
          organizationId: 2041,
          resourceType: 'vm',
          name: 'trainer-1',
          createdAt: Date.UTC(2026, 3, 1, 10),
          rate: rational(41666666666666664n, 10n ** 18n),
          upTimeMinutes: rational(14405n, 10n),
          billedCost: rational(6002n, 100n),
          isActive: true,
          isExcludedFromBilling: false,
        },
        {
          resourceId: 38001,
          organizationId: 2041,
          resourceType: 'volume',
          name: 'data',
          createdAt: Date.UTC(2026, 3, 1, 10, 5),
          rate: rational(16n, 10n ** 7n),
          upTimeMinutes: rational(10n, 1n),
          billedCost: rational(0n, 1n),
          isActive: true,
          isExcludedFromBilling: true,
        },
      ],
      quarantined: [],
    });
  });

  it('leaves out what is not a number, keeps a negative rate so that it can be flagged, and turns neither into zero', () => {
    expect(readExample(usage, 'billing.usage.deleted')).toStrictEqual({
      records: [
        {
          resourceId: 792000,
          organizationId: 2041,
          resourceType: 'vm',
          name: 'gone',
          createdAt: Date.UTC(2026, 2, 1),
          terminatedAt: Date.UTC(2026, 2, 1, 1),
          upTimeMinutes: rational(60n, 1n),
          billedCost: rational(15n, 100n),
          isActive: false,
          isExcludedFromBilling: false,
        },
        {
          resourceId: 792001,
          resourceType: 'vm',
          name: 'negative',
          createdAt: Date.UTC(2026, 2, 1),
          rate: rational(-1n, 2n),
          isActive: true,
          isExcludedFromBilling: false,
        },
      ],
      quarantined: [{fields: ['resource_type']}],
    });
  });

  it('asks for live and for deleted resources separately', () => {
    expect(usage.query({isDeleted: false})).toEqual({deleted: false});
    expect(usage.query({isDeleted: true})).toEqual({deleted: true});
  });
});

describe('credit', () => {
  it('reads the balance and the threshold, as numbers or as text', () => {
    expect(readExample(credit).records).toStrictEqual([
      {balance: rational(123456n, 100n), threshold: rational(10n, 1n)},
    ]);
  });

  it('reads a negative balance to the last digit', () => {
    expect(readExample(credit, 'billing.credit.below-zero').records).toStrictEqual([
      {balance: rational(-30000000000000004n, 10n ** 17n)},
    ]);
  });

  it('leaves an unusable balance absent', () => {
    expect(credit.record({credit: 'unlimited'})).toStrictEqual({ok: true, value: {}});
  });
});

describe('lastDayCost', () => {
  it('reads dollars to the last digit', () => {
    expect(readExample(lastDayCost).records).toStrictEqual([
      {
        machines: rational(6123n, 10n),
        volumes: rational(4877409n, 10n ** 6n),
        clusters: rational(30000000000000004n, 10n ** 17n),
        total: rational(617477409n, 10n ** 6n),
      },
    ]);
  });
});

describe('histories', () => {
  const period = {startsAt: epochMs(Date.UTC(2026, 5, 1)), endsAt: epochMs(Date.UTC(2026, 6, 1, 0, 0, 0, 999))};
  const id = virtualMachineId(793001);

  it('ask for a period without a time zone and without fractions', () => {
    const expected = {start_date: '2026-06-01T00:00:00', end_date: '2026-07-01T00:00:00'};
    expect(billingHistory.query({period})).toEqual(expected);
    expect(machineHistory.query({period})).toEqual(expected);
    expect(machineHistoryDetail.query({period, id})).toEqual(expected);
    expect(machineHistoryGraph.query({period, id})).toEqual(expected);
  });

  it('read that of the organization from under its doubled key', () => {
    expect(readExample(billingHistory)).toStrictEqual({
      records: [
        {
          billedCost: rational(12345n, 10n),
          listCost: rational(1500n, 1n),
        },
      ],
      quarantined: [],
    });
  });

  it('read machines with their prices and times, and quarantine one without metrics', () => {
    expect(readExample(machineHistory)).toStrictEqual({
      records: [
        {
          machineId: 793001,
          name: 'trainer-1',
          statusText: 'ACTIVE',
          billedCost: rational(4n, 100n),
          listCost: rational(5n, 100n),
          rate: ratePerHour(rational(3n, 10n)),
          listRate: ratePerHour(rational(375n, 1000n)),
          usedMs: 480_000,
          usedByState: [],
        },
        {name: '', billedCost: rational(12n, 1n), usedByState: []},
        {name: '', usedByState: []},
      ],
      quarantined: [{fields: ['metrics']}],
    });
  });

  it('read one machine by state, and keep a negative time as it is', () => {
    expect(machineHistoryDetail.path({period, id})).toBe('/billing/billing/history/virtual-machine/793001');
    expect(readExample(machineHistoryDetail).records).toStrictEqual([
      {
        machineId: 793001,
        name: 'trainer-1',
        billedCost: rational(4n, 100n),
        rate: ratePerHour(rational(3n, 10n)),
        usedMs: 480_000,
        usedByState: [
          {state: 'ACTIVE', usedMs: -20_500},
          {state: 'HIBERNATED', usedMs: 500_500},
        ],
      },
    ]);
  });

  it('read one machine step by step, and leave out steps that cannot be read', () => {
    expect(readExample(machineHistoryGraph).records).toStrictEqual([
      {
        machineId: 793001,
        name: 'trainer-1',
        billedCost: rational(144n, 10n),
        stepMs: 86_400_000,
        steps: [
          {startsAt: Date.UTC(2026, 5, 11), billedCost: rational(72n, 10n)},
          {startsAt: Date.UTC(2026, 5, 12), billedCost: rational(72n, 10n)},
        ],
      },
    ]);
  });

  it('are empty when the service says 404 not_found, and failed when it says 404 only', async () => {
    const nothing = await openServer((_request, response) =>
      response.writeHead(404).end(wireExample('billing.history.nothing')),
    );
    const nowhere = await openServer((_request, response) =>
      response.writeHead(404).end('{"message": "no such path"}'),
    );
    const reads = (baseUrl: string) => {
      const client = openClients(baseUrl).reads;
      return Promise.all([client.read(billingHistory, {period}), client.read(machineHistory, {period})]);
    };
    const empty = {ok: true, value: {records: [], quarantined: []}};
    expect(await reads(nothing.baseUrl)).toEqual([empty, empty]);
    const failed = {ok: false, failure: {kind: 'odd-answer'}};
    expect(await reads(nowhere.baseUrl)).toMatchObject([failed, failed]);
  });

  it('fail when a 2xx says success: false', async () => {
    const server = await openServer((_request, response) => response.end('{"success": false, "message": "no"}'));
    const read = await openClients(server.baseUrl).reads.read(billingHistory, {period});
    expect(read).toMatchObject({ok: false, failure: {kind: 'refused', message: 'no'}});
  });

  it('walk the pages by the count that is one level down', async () => {
    const entry = (number: number) => ({
      attributes: {id: `uuid-${number}`, resource_name: `vm-${number}`},
      metrics: {incurred_bill: 1},
    });
    const server = await openServer((request, response) => {
      const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'));
      const entries = Array.from({length: page < 3 ? 100 : 50}, (_, index) => entry((page - 1) * 100 + index));
      const pagination = {page, per_page: 100, pages: 3};
      response.end(
        JSON.stringify({success: true, billing_history_vm: {billing_history: entries, total_count: 250, pagination}}),
      );
    });
    const read = await openClients(server.baseUrl).reads.read(machineHistory, {period});
    expect(read.ok && new Set(read.value.records.map(({name}) => name)).size).toBe(250);
    expect(server.seen).toHaveLength(3);
    expect(server.seen[0]?.url).toContain('&page=1&per_page=100');
  });
});
