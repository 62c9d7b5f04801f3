import {NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import {existsWithin, type Meter, type Period, pricedStretches, printedDollars} from '../../world/metering.ts';
import {invalidInput, json, succeeded} from '../answer.ts';
import {noData, PERIOD_NAMES, PERIOD_QUERY, withPeriod} from '../billing-period.ts';
import {BILLING_EVENT, HISTORY} from '../billing-records.ts';
import {pageOf} from '../paging.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, listOf, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';
import {
  attributesOf,
  detailedMetricsOf,
  graphOf,
  metricsOf,
  organizationAttributes,
  organizationMetrics,
} from './history-body.ts';

const READS = {permission: 'billing:read', action: 'read billing'} as const;

/** What the two kinds of resources that are billed are called here. */
type Kind = {readonly type: Meter['resourceType']; readonly path: string; readonly key: string; readonly noun: string};
const KINDS: readonly Kind[] = [
  {type: 'vm', path: 'virtual-machine', key: 'billing_history_vm', noun: 'virtual machine'},
  {type: 'volume', path: 'volume', key: 'billing_history_volume', noun: 'volume'},
];

const PERIODIC = {query: PERIOD_QUERY, requiredQuery: PERIOD_NAMES, refusals: [404]} as const;

/** The past, cut by two dates. Its sums are differences of bills, so they add up to what the usage records say. */
export const billingHistoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/billing/billing/history',
    requires: READS,
    describes: {
      ...PERIODIC,
      summary: 'Read what the organization was billed',
      query: {...PERIOD_QUERY, graph: FLAG},
      reply: envelope({billing_history: HISTORY}),
    },
    answer: inquiry => withPeriod(inquiry, period => organizationHistory(inquiry, period)),
  },
  ...KINDS.flatMap(routesOf),
];

function routesOf(kind: Kind): Route[] {
  const {path, key, noun} = kind;
  const id = kind.type === 'vm' ? ':vm_id' : ':volume_id';
  return [
    {
      method: 'GET',
      pattern: `/billing/billing/history/${path}`,
      requires: READS,
      describes: {
        ...PERIODIC,
        summary: `List what each ${noun} was billed`,
        query: {...PERIOD_QUERY, search: TEXT, page: {type: 'integer'}, per_page: {type: 'integer'}},
        reply: fields({success: FLAG, message: TEXT, [key]: HISTORY}),
      },
      answer: inquiry => withPeriod(inquiry, period => listHistory(inquiry, kind, period)),
    },
    {
      method: 'GET',
      pattern: `/billing/billing/history/${path}/${id}`,
      requires: READS,
      describes: {
        ...PERIODIC,
        summary: `Read what a ${noun} was billed`,
        reply: envelope({[`${key}_details`]: HISTORY}),
      },
      answer: inquiry =>
        withMeter(inquiry, kind, (meter, period) => {
          const record = {attributes: attributesOf(meter), metrics: detailedMetricsOf(meter, period)};
          return details(inquiry, kind, record);
        }),
    },
    {
      method: 'GET',
      pattern: `/billing/billing/history/${path}/${id}/graph`,
      requires: READS,
      describes: {
        ...PERIODIC,
        summary: `Read what a ${noun} was billed, step by step`,
        reply: envelope({[`${key}_details`]: HISTORY}),
      },
      answer: inquiry =>
        withMeter(inquiry, kind, (meter, period) => {
          const {granularityS, points, total} = graphOf([meter], period);
          const metrics = {incurred_bill: total, incurred_bill_graph: points};
          return details(inquiry, kind, {attributes: attributesOf(meter), metrics}, {granularity: granularityS});
        }),
    },
    {
      method: 'GET',
      pattern: `/billing/billing/${path}/${id}/billing-events`,
      requires: READS,
      describes: {
        ...PERIODIC,
        summary: `Read what each state of a ${noun} has cost`,
        reply: envelope({billing_events_history: listOf(BILLING_EVENT)}),
      },
      answer: inquiry => withMeter(inquiry, kind, (meter, period) => billingEvents(meter, period)),
    },
  ];
}

function organizationHistory({world, query}: Inquiry, period: Period): Response {
  const meters = world.meters.filter(meter => existsWithin(meter, period));
  if (meters.length === 0) return noData();
  const attributes = organizationAttributes(world);
  const metrics = organizationMetrics(meters, period);
  const shared = {org_id: world.organization.id, total_count: 1};
  if (query('graph')?.toLowerCase() !== 'true') {
    // The key is doubled.
    return succeeded('Getting billing history successful', {
      billing_history: {...shared, billing_history: [{attributes, metrics}]},
    });
  }
  const {granularityS, points} = graphOf(meters, period);
  const record = {attributes, metrics: {...metrics, incurred_bill_graph: points}};
  return succeeded('Getting billing history successful', {
    billing_history: {...shared, billing_history: [record], granularity: granularityS},
  });
}

// Alone among the answers, this list has `success` where the others have `status`.
function listHistory({world, query}: Inquiry, {type, key}: Kind, period: Period): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const found = world.meters
    .filter(meter => meter.resourceType === type && existsWithin(meter, period))
    .filter(({name, resourceId}) => name.toLowerCase().includes(search) || String(resourceId).includes(search));
  if (found.length === 0) return noData();
  const page = pageOf(found, {page: query('page'), pageSize: query('per_page'), sizeName: 'per_page'});
  if (!page.isValid) return invalidInput(page.errors);
  const size = page.keys.page_size ?? Math.max(1, found.length);
  const history = {
    org_id: world.organization.id,
    billing_history: page.records.map(meter => ({attributes: attributesOf(meter), metrics: metricsOf(meter, period)})),
    total_count: found.length,
    pagination: {page: page.keys.page ?? 1, per_page: size, pages: Math.ceil(found.length / size)},
  };
  return json({success: true, message: 'Getting billing history successful', [key]: history});
}

function withMeter(inquiry: Inquiry, kind: Kind, answer: (meter: Meter, period: Period) => Response): Response {
  return withPeriod(inquiry, period => {
    const id = inquiry.part(kind.type === 'vm' ? 'vm_id' : 'volume_id');
    const meter = inquiry.world.meters.find(
      ({resourceType, resourceId}) => resourceType === kind.type && String(resourceId) === id,
    );
    return meter === undefined || !existsWithin(meter, period) ? noData() : answer(meter, period);
  });
}

function details({world}: Inquiry, {key}: Kind, record: object, extra: object = {}): Response {
  const history = {org_id: world.organization.id, billing_history: [record], total_count: 1, ...extra};
  return succeeded('Getting billing history successful', {[`${key}_details`]: history});
}

function billingEvents(meter: Meter, period: Period): Response {
  const events = pricedStretches(meter, period).map(stretch => ({
    event: stretch.state,
    start: bareTimestamp(stretch.from),
    event_duration: (stretch.until - stretch.from) / 1000,
    price_per_hour: stretch.nanoPerHour / NANO_PER_DOLLAR,
    total_cost: printedDollars(stretch.paid),
  }));
  return succeeded('Getting billing events successful', {billing_events_history: events});
}
