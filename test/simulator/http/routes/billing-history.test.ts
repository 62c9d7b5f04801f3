import {describe, expect, test} from 'vitest';
import {aSimulator, DAY_MS, found, HOUR_MS, SECOND_MS, STARTED_AT, type WireUsage} from '../../a-simulator.ts';

type Metrics = Readonly<Record<string, number>> & {
  readonly incurred_bill_graph?: readonly {readonly datetime: string; readonly value: number}[];
};
type Row = {
  readonly attributes: {
    readonly id: string;
    readonly infrahub_id: number;
    readonly resource_name: string;
    readonly status: string;
    readonly contract_id: number | null;
  };
  readonly metrics: Metrics;
};
type History = {
  readonly org_id: number;
  readonly billing_history: readonly Row[];
  readonly total_count: number;
  readonly granularity?: number;
  readonly pagination?: {readonly page: number; readonly per_page: number; readonly pages: number};
};
type Body = Readonly<Record<string, History>>;
type Events = {
  readonly billing_events_history: readonly {
    readonly event: string;
    readonly start: string;
    readonly event_duration: number;
    readonly price_per_hour: number;
    readonly total_cost: number;
  }[];
};

const PATH = '/billing/billing/history';
const NOVEMBER = periodQuery(Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1));
const OCTOBER = periodQuery(Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 1));
const EVER = periodQuery(STARTED_AT - 400 * DAY_MS, STARTED_AT + DAY_MS);

describe('the two dates', () => {
  test.each([
    ['', 'start_date'],
    ['start_date=2026-11-01T00:00:00', 'end_date'],
    ['start_date=2026-11-01&end_date=2026-11-02T00:00:00', 'start_date'],
    ['start_date=2026-11-01T00:00:00Z&end_date=2026-11-02T00:00:00', 'start_date'],
    ['start_date=2026-11-01T00:00:00&end_date=2026-11-02T00:00:00.5', 'end_date'],
    ['start_date=2026-13-01T00:00:00&end_date=2026-11-02T00:00:00', 'start_date'],
    ['start_date=2026-11-02T00:00:00&end_date=2026-11-02T00:00:00', 'start_date'],
  ])('of %j are refused', async (query, name) => {
    const {get} = await aSimulator();
    for (const path of [PATH, `${PATH}/virtual-machine`, `${PATH}/volume/38104/graph`]) {
      expect(await get(`${path}?${query}`)).toMatchObject({
        status: 400,
        body: {status: false, error_reason: 'bad_request', message: expect.stringContaining(name)},
      });
    }
  });

  test('of a period without resources get 404', async () => {
    const {get} = await aSimulator();
    const early = periodQuery(Date.UTC(2020, 0, 1), Date.UTC(2020, 1, 1));
    const future = periodQuery(STARTED_AT + DAY_MS, STARTED_AT + 2 * DAY_MS);
    for (const query of [early, future]) {
      expect(await get(`${PATH}/virtual-machine?${query}`)).toMatchObject({
        status: 404,
        body: {error_reason: 'not_found'},
      });
    }
    expect((await get(`${PATH}/virtual-machine/1?${NOVEMBER}`)).status).toBe(404);
    const empty = await aSimulator({scenario: 'empty'});
    expect((await empty.get(`${PATH}?${NOVEMBER}`)).status).toBe(404);
  });

  test('are not enough for a user who may not see billing', async () => {
    const {get, simulator} = await aSimulator();
    expect((await get(`${PATH}?${NOVEMBER}`, {key: simulator.keys.member})).status).toBe(403);
  });
});

describe('the history of every resource', () => {
  test.each([
    ['virtual-machine', 'billing_history_vm', 'vm'],
    ['volume', 'billing_history_volume', 'volume'],
  ])('of kind %s agrees with the usage records over all time', async (kind, key, type) => {
    const simulator = await aSimulator();
    const {status, body} = await simulator.get<Body>(`${PATH}/${kind}?${EVER}`);
    expect([status, Object.keys(body)]).toEqual([200, ['success', 'message', key]]);
    const rows = body[key]?.billing_history ?? [];
    const records = [...(await simulator.usage()), ...(await simulator.usage('?deleted=true'))].filter(
      record => record.resource_type === type,
    );
    expect(rows.map(({attributes}) => attributes.infrahub_id).toSorted()).toEqual(
      records.map(({resource_id: id}) => id).toSorted(),
    );
    for (const {attributes, metrics} of rows) {
      const record = recordOf(records, attributes.infrahub_id);
      expect([attributes.resource_name, metrics.incurred_bill]).toEqual([record.name, record.total_bill]);
      expect(metrics.usage_time).toBe(record.total_up_time * 60);
    }
  });

  test('has the documented keys, hourly prices and upper-case statuses', async () => {
    const {get} = await aSimulator();
    const vms = rowsOf((await get<Body>(`${PATH}/virtual-machine?${NOVEMBER}`)).body.billing_history_vm);
    const row = found(vms, ({attributes}) => attributes.resource_name === 'train-02', 'train-02');
    expect(Object.keys(row.attributes)).toEqual(['id', 'infrahub_id', 'resource_name', 'status', 'contract_id']);
    expect(row.attributes).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      status: 'ACTIVE',
      contract_id: 118,
    });
    // Eight H100 at 20 dollars an hour, with a discount of 30 %.
    expect(row.metrics).toMatchObject({price_per_hour: 14, non_discounted_price_per_hour: 20});
    expect(row.metrics.non_discounted_bill).toBeCloseTo((row.metrics.incurred_bill ?? 0) / 0.7, 5);
    const volumes = rowsOf((await get<Body>(`${PATH}/volume?${NOVEMBER}`)).body.billing_history_volume);
    expect(new Set(volumes.map(({attributes}) => attributes.status))).toEqual(new Set(['IN-USE', 'AVAILABLE']));
    expect(vms.filter(({attributes}) => attributes.status === 'DELETED').length).toBeGreaterThan(3);
  });

  test('can be paged by per_page and searched', async () => {
    const {get} = await aSimulator();
    const path = `${PATH}/virtual-machine?${NOVEMBER}`;
    const whole = (await get<Body>(path)).body.billing_history_vm;
    expect(whole?.pagination).toEqual({page: 1, per_page: whole?.total_count, pages: 1});
    const pages = await Promise.all([1, 2].map(page => get<Body>(`${path}&page=${page}&per_page=10`)));
    expect(pages.flatMap(({body}) => rowsOf(body.billing_history_vm))).toEqual(rowsOf(whole).slice(0, 20));
    const {total_count: count, pagination} = pages[0]?.body.billing_history_vm ?? {};
    expect([count, pagination]).toEqual([
      whole?.total_count,
      {page: 1, per_page: 10, pages: Math.ceil((whole?.total_count ?? 0) / 10)},
    ]);
    const found = rowsOf((await get<Body>(`${path}&search=INFER-0`)).body.billing_history_vm);
    expect(found.every(({attributes}) => attributes.resource_name.startsWith('infer-0'))).toBe(true);
    expect((await get(`${path}&per_page=0`)).status).toBe(400);
  });
});

describe("the organization's history", () => {
  test('is the sum of its resources and of its months', async () => {
    const {get} = await aSimulator();
    const metrics = async (query: string) =>
      (await get<{billing_history: History}>(`${PATH}?${query}`)).body.billing_history.billing_history[0]?.metrics;
    const november = await metrics(NOVEMBER);
    const {vm_cost: vm = 0, volume_cost: volume = 0, contract_cost: contract = 0} = november ?? {};
    expect(november?.incurred_bill).toBeCloseTo(vm + volume + contract, 5);
    const rows = [
      ...rowsOf((await get<Body>(`${PATH}/virtual-machine?${NOVEMBER}`)).body.billing_history_vm),
      ...rowsOf((await get<Body>(`${PATH}/volume?${NOVEMBER}`)).body.billing_history_volume),
    ];
    expect(november?.incurred_bill).toBeCloseTo(sumOf(rows.map(row => row.metrics.incurred_bill ?? 0)), 4);
    const covered = rows.filter(({attributes}) => typeof attributes.contract_id === 'number');
    expect(contract).toBeCloseTo(sumOf(covered.map(row => row.metrics.incurred_bill ?? 0)), 4);
    const [both, october] = [
      await metrics(periodQuery(Date.UTC(2026, 9, 1), Date.UTC(2026, 11, 1))),
      await metrics(OCTOBER),
    ];
    expect(both?.incurred_bill).toBeCloseTo((october?.incurred_bill ?? 0) + (november?.incurred_bill ?? 0), 5);
  });

  test('has a graph whose days add up to it', async () => {
    const {get} = await aSimulator();
    const {billing_history: history} = (await get<{billing_history: History}>(`${PATH}?${NOVEMBER}&graph=true`)).body;
    const [row] = history.billing_history;
    const points = row?.metrics.incurred_bill_graph ?? [];
    expect([history.granularity, points.length]).toEqual([86_400, 20]);
    expect([points[0]?.datetime, points.at(-1)?.datetime]).toEqual(['2026-11-01 00:00:00', '2026-11-20 00:00:00']);
    expect(sumOf(points.map(({value}) => value))).toBeCloseTo(row?.metrics.incurred_bill ?? 0, 4);
  });

  test('equals the fall of the credit', async () => {
    const simulator = await aSimulator();
    const credit = async () =>
      (await simulator.get<{data: {credit: number}}>('/billing/user-credit/credit')).body.data.credit;
    const before = await credit();
    simulator.pass(5 * HOUR_MS);
    const afterwards = await credit();
    const query = periodQuery(STARTED_AT, STARTED_AT + 5 * HOUR_MS);
    const {body} = await simulator.get<{billing_history: History}>(`${PATH}?${query}`);
    expect(body.billing_history.billing_history[0]?.metrics.incurred_bill).toBeCloseTo(before - afterwards, 4);
  });
});

describe('the history of one machine', () => {
  test('shows the seconds in each billed state', async () => {
    const {get, machine} = await aSimulator();
    const {id} = await machine('train-03');
    const query = periodQuery(STARTED_AT - 12 * HOUR_MS, STARTED_AT);
    const details = (await get<Body>(`${PATH}/virtual-machine/${id}?${query}`)).body.billing_history_vm_details;
    const [row] = rowsOf(details);
    // It was stopped nine hours, fourteen minutes and twenty seconds ago, which took between 40 and 75 seconds.
    const stoppedFor = (9 * 60 + 14) * 60 + 20;
    expect(row?.metrics.usage_time_ACTIVE).toBe(12 * 3600 - stoppedFor);
    const shutOff = row?.metrics.usage_time_SHUTOFF ?? 0;
    expect(stoppedFor - shutOff).toBeGreaterThanOrEqual(40);
    expect(stoppedFor - shutOff).toBeLessThanOrEqual(76);
    expect(row?.metrics).not.toHaveProperty('usage_time_HIBERNATED');
    expect(row?.metrics.price_per_hour).toBe(25.6);
    expect(row?.metrics.incurred_bill).toBeCloseTo(((row?.metrics.usage_time ?? 0) / 3600) * 25.6, 5);
  });

  test('has an hourly graph for a short period', async () => {
    const {get, machine} = await aSimulator();
    const {id} = await machine('train-01');
    const query = periodQuery(STARTED_AT - 3 * HOUR_MS, STARTED_AT);
    const {body} = await get<Body>(`${PATH}/virtual-machine/${id}/graph?${query}`);
    const history = body.billing_history_vm_details;
    expect(history?.granularity).toBe(3600);
    expect(rowsOf(history)[0]?.metrics.incurred_bill_graph).toEqual(
      ['17', '18', '19'].map(hour => ({datetime: `2026-11-20 ${hour}:00:00`, value: 25.6})),
    );
    expect(rowsOf(history)[0]?.metrics.incurred_bill).toBeCloseTo(3 * 25.6, 6);
  });

  test('has an event for each state, and their costs add up to the bill', async () => {
    const simulator = await aSimulator();
    const {get, machine, pass} = simulator;
    const {id} = await machine('train-01');
    await get(`/core/virtual-machines/${id}/hibernate`);
    pass(HOUR_MS);
    const query = periodQuery(STARTED_AT - 400 * DAY_MS, STARTED_AT + HOUR_MS);
    const {billing_events_history: events} = (
      await get<Events>(`/billing/billing/virtual-machine/${id}/billing-events?${query}`)
    ).body;
    expect(events.map(({event}) => event)).toEqual(['CREATING', 'BUILD', 'ACTIVE', 'HIBERNATING', 'HIBERNATED']);
    // The service's own clients request them without dates.
    const undated = await get<Events>(`/billing/billing/virtual-machine/${id}/billing-events`);
    expect(undated.body.billing_events_history).toEqual(events);
    expect(events.map(({price_per_hour: price}) => price)).toEqual([0, 0, 25.6, 0, 0.0096774]);
    for (const [index, {start, event_duration: seconds}] of events.slice(0, -1).entries()) {
      expect(
        Math.abs(Date.parse(`${start}Z`) + seconds * 1000 - Date.parse(`${events[index + 1]?.start}Z`)),
      ).toBeLessThan(SECOND_MS);
    }
    const record = recordOf(await simulator.usage(), id);
    expect(sumOf(events.map(({total_cost: cost}) => cost))).toBeCloseTo(record.total_bill, 5);
  });
});

test('a volume has a history and billing events too', async () => {
  const simulator = await aSimulator();
  const {get, usage} = simulator;
  const record = found(await usage(), ({name}) => name === 'scratch-3', 'scratch-3');
  const path = `${PATH}/volume/${record.resource_id}`;
  const [row] = rowsOf((await get<Body>(`${path}?${EVER}`)).body.billing_history_volume_details);
  expect(row?.metrics).toMatchObject({incurred_bill: record.total_bill, usage_time_AVAILABLE: 31 * 86_400});
  expect((await get<Body>(`${path}/graph?${NOVEMBER}`)).body.billing_history_volume_details?.granularity).toBe(86_400);
  const events = await get<Events>(`/billing/billing/volume/${record.resource_id}/billing-events?${EVER}`);
  expect(events.body.billing_events_history).toMatchObject([{event: 'AVAILABLE', total_cost: record.total_bill}]);
});

function periodQuery(from: number, until: number): string {
  const text = (moment: number) => new Date(moment).toISOString().slice(0, 19);
  return `start_date=${text(from)}&end_date=${text(until)}`;
}

function recordOf(records: readonly WireUsage[], wanted: number): WireUsage {
  return found(records, ({resource_id: id}) => id === wanted, `record of ${wanted}`);
}

function rowsOf(history: History | undefined): readonly Row[] {
  return history?.billing_history ?? [];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

describe('the history of groups', () => {
  test('a cluster costs what its nodes cost, and lists each of them', async () => {
    const {get} = await aSimulator();
    type Clusters = {readonly billing_history: readonly (Row & {readonly nodes: readonly Row[]})[]};
    const {body} = await get<{billing_history_cluster: Clusters}>(`${PATH}/cluster?${NOVEMBER}`);
    const machines = (await get<Body>(`${PATH}/virtual-machine?${NOVEMBER}`)).body.billing_history_vm;
    const clusters = body.billing_history_cluster.billing_history;
    expect(clusters.map(({attributes}) => attributes.resource_name)).toEqual(['serve', 'embed']);
    for (const {attributes, metrics, nodes} of clusters) {
      const own = machines?.billing_history.filter(row =>
        row.attributes.resource_name.startsWith(`${attributes.resource_name}-`),
      );
      const sum = own?.reduce((total, row) => total + (row.metrics.incurred_bill ?? 0), 0);
      expect(metrics.incurred_bill).toBeCloseTo(sum ?? Number.NaN, 4);
      expect(nodes).toHaveLength(own?.length ?? 0);
      const graph = await get<Body>(`${PATH}/cluster/${attributes.infrahub_id}/graph?${NOVEMBER}`);
      const [drawn] = graph.body.billing_history_cluster_details?.billing_history ?? [];
      expect(drawn?.metrics.incurred_bill).toBeCloseTo(metrics.incurred_bill ?? Number.NaN, 4);
    }
  });

  test("the contracts together cost what the organization's history shows for contracts", async () => {
    const {get} = await aSimulator();
    const {body} = await get<Body>(`${PATH}/contract?${NOVEMBER}`);
    const whole = (await get<Body>(`${PATH}?${NOVEMBER}`)).body.billing_history;
    const sum = body.billing_history_contract?.billing_history.reduce(
      (total, {metrics}) => total + (metrics.incurred_bill ?? 0),
      0,
    );
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeCloseTo(whole?.billing_history[0]?.metrics.contract_cost ?? Number.NaN, 4);
  });

  test('an ended contract is expired, as in the list of contracts', async () => {
    const {get, pass} = await aSimulator();
    pass(6 * DAY_MS);
    const {contracts} = (await get<{contracts: readonly {id: number; status: string}[]}>('/pricebook/contracts')).body;
    const {body} = await get<Body>(`${PATH}/contract?${NOVEMBER}`);
    const rows = body.billing_history_contract?.billing_history ?? [];
    expect(rows.map(({attributes}) => attributes.status)).toContain('Expired');
    expect(rows.map(({attributes}) => [attributes.infrahub_id, attributes.status])).toEqual(
      contracts.map(({id, status}) => [id, status]),
    );
  });

  test('snapshots and buckets have a history without costs', async () => {
    const {get} = await aSimulator();
    const buckets = (await get<Body>(`${PATH}/bucket?${NOVEMBER}&search=scratch`)).body.billing_history_bucket;
    expect(buckets?.billing_history).toMatchObject([
      {attributes: {resource_name: 'scratch'}, metrics: {incurred_bill: 0, price_per_hour: 0}},
    ]);
    const {status, body} = await get<Body>(`${PATH}/snapshot/4410?${NOVEMBER}`);
    expect([status, body.billing_history_snapshot_details?.billing_history[0]?.metrics.incurred_bill]).toEqual([
      200, 0,
    ]);
  });
});
