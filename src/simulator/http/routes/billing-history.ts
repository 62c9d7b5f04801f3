import * as z from 'zod';
import {contractStatus} from '../../world/account.ts';
import {NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import {
  costWithin,
  existsWithin,
  type Meter,
  minutesWithin,
  type Period,
  paidInSteps,
  pricedStretches,
  printedDollars,
  secondsByState,
  stateOf,
} from '../../world/metering.ts';
import {seedFor} from '../../world/random.ts';
import type {World} from '../../world/world.ts';
import {badRequest, invalidInput, json, notFound, succeeded} from '../answers.ts';
import {finder, pageOf} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, FLAG, ID, INTEGER, NUMBER, RECORD, TEXT} from '../schema.ts';
import {bareTimestamp, spacedTimestamp} from '../timestamps.ts';

// The past between two dates. Its amounts are differences of bills, so they add up to the usage records.

const READS = {permission: 'billing:read', action: 'read billing'} as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A shorter period than this is charted by the hour. */
const HOURLY_UP_TO_MS = 2 * DAY_MS;
const DATE_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
const DATE_NAMES = ['start_date', 'end_date'] as const;
const SECONDS_PER_MINUTE = 60;

export const PERIOD_QUERY = z.object({start_date: TEXT, end_date: TEXT});
export const GRAPH = z.array(z.object({datetime: TEXT, value: NUMBER}));
/** Records nested under the key once more; each holds the resource it is about and its figures. */
const HISTORY = z.object({
  org_id: ID,
  billing_history: z.array(
    z.object({
      attributes: z.object({
        id: TEXT,
        infrahub_id: ID.optional(),
        resource_name: TEXT.optional(),
        status: TEXT.optional(),
        contract_id: ID.nullable().optional(),
      }),
      nodes: z.array(RECORD).optional(),
      metrics: z.object({
        incurred_bill: NUMBER.optional(),
        non_discounted_bill: NUMBER.optional(),
        incurred_bill_graph: GRAPH.optional(),
      }),
    }),
  ),
  total_count: INTEGER,
  granularity: INTEGER.meta({description: 'Seconds.'}).optional(),
  pagination: z.object({page: INTEGER, per_page: INTEGER, pages: INTEGER}).optional(),
});
const BILLING_EVENT = z.object({
  event: TEXT,
  start: TEXT,
  event_duration: NUMBER.meta({description: 'Seconds.'}),
  price_per_hour: NUMBER,
  total_cost: NUMBER,
});

/** Something that is billed: with a meter of its own, with the meters of its parts, or with none. */
type Subject = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly createdAt: number;
  readonly contractId?: number | null;
  readonly meters: readonly Meter[];
  /** Its parts, each with its own figures. */
  readonly nodes?: readonly Meter[];
};

type Kind = {
  readonly path: string;
  readonly key: string;
  readonly noun: string;
  readonly param: string;
  readonly subjectsIn: (world: World, period: Period) => readonly Subject[];
};

const MACHINES: Kind = {
  path: 'virtual-machine',
  key: 'billing_history_vm',
  noun: 'virtual machine',
  param: 'vm_id',
  subjectsIn: (world, period) => meteredSubjects(world, period, 'vm'),
};
const VOLUMES: Kind = {
  path: 'volume',
  key: 'billing_history_volume',
  noun: 'volume',
  param: 'volume_id',
  subjectsIn: (world, period) => meteredSubjects(world, period, 'volume'),
};
/** The names that billing uses for each kind of resource. */
const KINDS: readonly Kind[] = [
  MACHINES,
  VOLUMES,
  {
    path: 'cluster',
    key: 'billing_history_cluster',
    noun: 'cluster',
    param: 'cluster_id',
    // The cost of a cluster is that of its machines.
    subjectsIn: ({clusters, meters}, period) =>
      clusters.map(({id, name, status, createdAt}) => {
        const nodes = meters.filter(({compute}) => compute?.clusterId === id);
        return {id, name, status, createdAt, meters: nodes, nodes: nodes.filter(meter => existsWithin(meter, period))};
      }),
  },
  // The documents give no price for snapshots and buckets, so both are listed at no cost.
  {
    path: 'snapshot',
    key: 'billing_history_snapshot',
    noun: 'snapshot',
    param: 'snapshot_id',
    subjectsIn: ({snapshots}) => snapshots.map(snapshot => ({...snapshot, meters: []})),
  },
  {
    path: 'bucket',
    key: 'billing_history_bucket',
    noun: 'bucket',
    param: 'bucket_id',
    subjectsIn: ({objectStorage}) =>
      objectStorage.buckets.map(bucket => ({...bucket, id: bucketIdOf(bucket.name), status: 'ACTIVE', meters: []})),
  },
];
const SHARED = {method: 'GET', requires: READS, refusals: [404]} as const;

/** Only a list: what is under each contract. */
const CONTRACTS: Kind = {
  path: 'contract',
  key: 'billing_history_contract',
  noun: 'contract',
  param: 'contract_id',
  subjectsIn: ({contracts, meters, now}) =>
    contracts.map(contract => ({
      id: contract.id,
      name: contract.description,
      status: contractStatus(contract, now()),
      createdAt: contract.startsAt,
      meters: meters.filter(({compute}) => compute?.contractId === contract.id),
    })),
};

const PARTS = ['gpu', 'cpu', 'ram', 'disk', 'ephemeral', 'publicip'] as const;
type Split = Record<(typeof PARTS)[number], number>;

export const billingHistoryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/billing/billing/history',
    summary: 'Read what the organization was billed',
    requires: READS,
    query: PERIOD_QUERY.extend({graph: FLAG.optional()}),
    // The key is nested twice.
    reply: envelope({billing_history: HISTORY}),
    refusals: [404],
    answer: request => withPeriod(request, period => organizationHistory(request, period)),
  }),
  ...KINDS.flatMap(kind => [listRoute(kind), ...detailRoutes(kind)]),
  listRoute(CONTRACTS),
  ...[MACHINES, VOLUMES].map(eventsRoute),
  ...['', '/graph'].map(suffix =>
    route({
      method: 'GET',
      path: `/billing/billing/virtual-machine/:vm_id/sub-resource${suffix}`,
      summary: `Read what the parts of a virtual machine were billed${suffix === '' ? '' : ', step by step'}`,
      requires: READS,
      query: PERIOD_QUERY,
      reply: envelope({sub_resources_costs: HISTORY}),
      answer: request =>
        withSubject(request, MACHINES, (subject, period) => subResources(request, subject, period, suffix !== '')),
    }),
  ),
];

function listRoute(kind: Kind): Route {
  const {path, key, noun} = kind;
  return route({
    ...SHARED,
    path: `/billing/billing/history/${path}`,
    summary: `List what each ${noun} was billed`,
    query: PERIOD_QUERY.extend({search: TEXT.optional(), page: ID.optional(), per_page: ID.optional()}),
    // Unlike all other answers, these lists have `success` instead of `status`.
    reply: z.object({success: FLAG, message: TEXT, [key]: HISTORY}),
    answer: request => withPeriod(request, period => listHistory(request, kind, period)),
  });
}

function detailRoutes(kind: Kind): Route[] {
  const {path, key, noun, param} = kind;
  return [
    route({
      ...SHARED,
      path: `/billing/billing/history/${path}/:${param}`,
      summary: `Read what a ${noun} was billed`,
      query: PERIOD_QUERY,
      reply: envelope({[`${key}_details`]: HISTORY}),
      answer: request =>
        withSubject(request, kind, (subject, period) =>
          details(request, kind, {
            ...recordOf(subject, period),
            metrics: {...metricsOf(subject, period), ...Object.fromEntries(secondsInStates(subject, period))},
          }),
        ),
    }),
    route({
      ...SHARED,
      path: `/billing/billing/history/${path}/:${param}/graph`,
      summary: `Read what a ${noun} was billed, step by step`,
      query: PERIOD_QUERY,
      reply: envelope({[`${key}_details`]: HISTORY}),
      answer: request =>
        withSubject(request, kind, (subject, period) => {
          const {granularityS, points, total} = graphOf(subject.meters, period);
          const metrics = {incurred_bill: total, incurred_bill_graph: points};
          return details(request, kind, {attributes: attributesOf(subject), metrics}, {granularity: granularityS});
        }),
    }),
  ];
}

function eventsRoute(kind: Kind): Route {
  const {path, noun, param} = kind;
  return route({
    ...SHARED,
    path: `/billing/billing/${path}/:${param}/billing-events`,
    summary: `Read what each state of a ${noun} has cost`,
    // The service's clients call this billing endpoint without dates: it then returns everything.
    query: PERIOD_QUERY.partial(),
    reply: envelope({billing_events_history: z.array(BILLING_EVENT)}),
    answer: request => {
      const isDated = DATE_NAMES.some(name => request.query(name) !== undefined);
      const answer = ({meters}: Subject, period: Period) =>
        succeeded('Getting billing events successful', {
          billing_events_history: meters.flatMap(meter => eventsOf(meter, period)),
        });
      if (isDated) return withSubject(request, kind, answer);
      const {organization, now} = request.world;
      return subjectIn(request, kind, {from: organization.createdAt, until: now()}, answer);
    },
  });
}

/**
 * Parses the two dates that every billing request needs, without time zone or fractions. The time before the account
 * existed and after the present is cut off, since there is nothing in it.
 */
export function withPeriod({world, query}: RouteRequest, answer: (period: Period) => Response): Response {
  for (const name of DATE_NAMES) {
    if (query(name) === undefined) return badRequest(`The parameter ${name} is required.`);
    if (momentFrom(query(name)) === undefined) {
      return badRequest(`The parameter ${name} must have the form YYYY-MM-DDTHH:MM:SS.`);
    }
  }
  const [from, until] = [momentFrom(query('start_date')) ?? 0, momentFrom(query('end_date')) ?? 0];
  if (from >= until) return badRequest('The start_date must be before the end_date.');
  const begin = Math.max(from, world.organization.createdAt);
  const end = Math.min(until, world.now());
  return begin < end ? answer({from: begin, until: end}) : noData();
}

/** The steps of a chart: whole days, or whole hours of a short period, with the first and last cut to it. */
export function stepsOf({from, until}: Period): {readonly granularityS: number; readonly steps: readonly Period[]} {
  const sizeMs = until - from > HOURLY_UP_TO_MS ? DAY_MS : HOUR_MS;
  const steps: Period[] = [];
  for (let start = from; start < until; start = Math.floor(start / sizeMs) * sizeMs + sizeMs) {
    steps.push({from: start, until: Math.min(until, Math.floor(start / sizeMs) * sizeMs + sizeMs)});
  }
  return {granularityS: sizeMs / 1000, steps};
}

/** The moment of a step: the beginning of its day or hour. */
export function stepTime({from}: Period, granularityS: number): string {
  return spacedTimestamp(Math.floor(from / (granularityS * 1000)) * granularityS * 1000);
}

/** This part of the service answers an empty period with an error. */
function noData(): Response {
  return notFound('There is no billing history in this period.');
}

function momentFrom(date: string | undefined): number | undefined {
  if (date === undefined || !DATE_FORM.test(date)) return undefined;
  const moment = Date.parse(`${date}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}

function withSubject(
  request: RouteRequest,
  kind: Kind,
  answer: (subject: Subject, period: Period) => Response,
): Response {
  return withPeriod(request, period => subjectIn(request, kind, period, answer));
}

function subjectIn(
  {world, param}: RouteRequest,
  kind: Kind,
  period: Period,
  answer: (subject: Subject, period: Period) => Response,
): Response {
  const subject = kind.subjectsIn(world, period).find(({id}) => String(id) === param(kind.param));
  return subject === undefined || !isThere(subject, period) ? noData() : answer(subject, period);
}

function meteredSubjects({meters}: World, period: Period, type: Meter['resourceType']): readonly Subject[] {
  return meters
    .filter(meter => meter.resourceType === type && existsWithin(meter, period))
    .map(meter => ({
      id: meter.resourceId,
      name: meter.name,
      // Billing writes the states of volumes in capitals.
      status: stateOf(meter),
      createdAt: meter.createdAt,
      ...(type === 'volume' ? {} : {contractId: meter.compute?.contractId ?? null}),
      meters: [meter],
    }));
}

function isThere({createdAt, meters}: Subject, period: Period): boolean {
  return meters.length === 0 ? createdAt < period.until : meters.some(meter => existsWithin(meter, period));
}

/** A bucket has only a name; billing gives it a number. */
function bucketIdOf(name: string): number {
  return 1 + ((seedFor(1, name) >>> 0) % 1_000_000);
}

function organizationHistory({world, query}: RouteRequest, period: Period): Response {
  const meters = world.meters.filter(meter => existsWithin(meter, period));
  if (meters.length === 0) return noData();
  const attributes = {id: uuidOf(`organization ${world.organization.id}`)};
  const metrics = organizationMetrics(meters, period);
  const shared = {org_id: world.organization.id, total_count: 1};
  if (query('graph')?.toLowerCase() !== 'true') {
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

function listHistory(request: RouteRequest, kind: Kind, period: Period): Response {
  const {world} = request;
  const isFound = finder(request);
  const found = kind
    .subjectsIn(world, period)
    .filter(subject => isThere(subject, period) && isFound(subject.name, subject.id));
  if (found.length === 0) return noData();
  const page = pageOf(request, found, 'per_page');
  if (!page.isValid) return invalidInput(page.errors);
  const size = page.keys.page_size ?? Math.max(1, found.length);
  const history = {
    org_id: world.organization.id,
    billing_history: page.records.map(subject => recordOf(subject, period)),
    total_count: found.length,
    pagination: {page: page.keys.page ?? 1, per_page: size, pages: Math.ceil(found.length / size)},
  };
  return json({success: true, message: 'Getting billing history successful', [kind.key]: history});
}

function details({world}: RouteRequest, {key}: Kind, record: object, extra: object = {}): Response {
  const history = {org_id: world.organization.id, billing_history: [record], total_count: 1, ...extra};
  return succeeded('Getting billing history successful', {[`${key}_details`]: history});
}

/** A resource with its figures, and with those of its parts. */
function recordOf(subject: Subject, period: Period) {
  const {nodes} = subject;
  return {
    attributes: attributesOf(subject),
    metrics: metricsOf(subject, period),
    ...(nodes === undefined
      ? {}
      : {
          nodes: nodes.map(meter => {
            const node = {id: meter.resourceId, name: meter.name, status: stateOf(meter), meters: [meter]};
            return {
              attributes: attributesOf({...node, createdAt: meter.createdAt}),
              metrics: metricsOf({...node, createdAt: meter.createdAt}, period),
            };
          }),
        }),
  };
}

/** The resource a history record is about. */
function attributesOf({id, name, status, contractId}: Subject) {
  return {
    id: uuidOf(`${name} ${id}`),
    infrahub_id: id,
    resource_name: name,
    status,
    ...(contractId === undefined ? {} : {contract_id: contractId}),
  };
}

/** What a resource cost in a period, as listed. */
function metricsOf({meters}: Subject, period: Period) {
  const costs = meters.map(meter => costWithin(meter, period));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    incurred_bill: printedDollars(sum(costs.map(({paid}) => paid))),
    non_discounted_bill: printedDollars(sum(costs.map(({list}) => list))),
    price_per_hour: sum(meters.map(({nanoPerHour}) => nanoPerHour)) / NANO_PER_DOLLAR,
    non_discounted_price_per_hour: sum(meters.map(({terms}) => terms.listNanoPerHour)) / NANO_PER_DOLLAR,
    // Several run in parallel: as long as the one that ran longest.
    usage_time: Math.max(0, ...meters.map(meter => minutesWithin(meter, period))) * SECONDS_PER_MINUTE,
  };
}

/** The time in every billed state, for resources that are billed by state. */
function secondsInStates({meters}: Subject, period: Period): readonly (readonly [string, number])[] {
  const [meter, ...others] = meters;
  if (meter === undefined || others.length > 0) return [];
  return [...secondsByState(meter, period)].map(([state, seconds]) => [`usage_time_${state}`, seconds] as const);
}

/** The sum of some meters, step by step; the steps add up to the bill shown with them. */
function graphOf(meters: readonly Meter[], period: Period) {
  const {granularityS, steps} = stepsOf(period);
  const sums = steps.map(() => 0);
  for (const meter of meters) {
    for (const [index, paid] of paidInSteps(meter, steps).entries()) sums[index] = (sums[index] ?? 0) + paid;
  }
  const points = steps.map((step, index) => ({
    datetime: stepTime(step, granularityS),
    value: printedDollars(sums[index] ?? 0),
  }));
  return {granularityS, points, total: printedDollars(sums.reduce((total, sum) => total + sum, 0))};
}

/** The account as a whole, with machines under contract listed separately. */
function organizationMetrics(meters: readonly Meter[], period: Period) {
  const sums = {paid: 0, list: 0, vm: 0, contract: 0, volume: 0};
  for (const meter of meters) {
    const {paid, list} = costWithin(meter, period);
    sums.paid += paid;
    sums.list += list;
    if (meter.resourceType === 'volume') sums.volume += paid;
    else if (meter.compute?.contractId === undefined) sums.vm += paid;
    else sums.contract += paid;
  }
  return {
    incurred_bill: printedDollars(sums.paid),
    non_discounted_bill: printedDollars(sums.list),
    vm_cost: printedDollars(sums.vm),
    volume_cost: printedDollars(sums.volume),
    contract_cost: printedDollars(sums.contract),
    snapshot_cost: 0,
    bucket_cost: 0,
    ais_cost: 0,
  };
}

function eventsOf(meter: Meter, period: Period): z.output<typeof BILLING_EVENT>[] {
  return pricedStretches(meter, period).map(stretch => ({
    event: stretch.state,
    start: bareTimestamp(stretch.from),
    event_duration: (stretch.until - stretch.from) / 1000,
    price_per_hour: stretch.nanoPerHour / NANO_PER_DOLLAR,
    total_cost: printedDollars(stretch.paid),
  }));
}

/** The cost of a machine's parts. Memory and ephemeral disks come with the GPU, at no price of their own. */
function subResources({world}: RouteRequest, subject: Subject, period: Period, withGraph: boolean): Response {
  const {granularityS, steps} = stepsOf(period);
  const whole = splitOf(subject, period);
  const bills = PARTS.map(part => [`${part}_incurred_bill`, printedDollars(whole[part])]);
  const perStep = withGraph ? steps.map(step => ({step, split: splitOf(subject, step)})) : [];
  const graphs = PARTS.map(part => [
    `${part}_incurred_bill_graph`,
    perStep.map(({step, split}) => ({datetime: stepTime(step, granularityS), value: printedDollars(split[part])})),
  ]);
  const metrics = Object.fromEntries(withGraph ? [...bills, ...graphs] : bills);
  return succeeded('Getting sub resource costs successful', {
    sub_resources_costs: {
      org_id: world.organization.id,
      billing_history: [{attributes: attributesOf(subject), metrics}],
      total_count: 1,
      ...(withGraph ? {granularity: granularityS} : {}),
    },
  });
}

function splitOf({meters}: Subject, period: Period): Split {
  const split: Split = {gpu: 0, cpu: 0, ram: 0, disk: 0, ephemeral: 0, publicip: 0};
  for (const meter of meters) addSplit(split, meter, period);
  return split;
}

function addSplit(split: Split, meter: Meter, period: Period): void {
  for (const {state, paid, nanoPerHour, addressNanoPerHour} of pricedStretches(meter, period)) {
    const forAddress = nanoPerHour === 0 ? 0 : (paid * addressNanoPerHour) / nanoPerHour;
    split.publicip += forAddress;
    if (state === 'HIBERNATED') split.disk += paid - forAddress;
    else if (meter.compute?.flavor.gpu === '') split.cpu += paid - forAddress;
    else split.gpu += paid - forAddress;
  }
}

/** A number that looks like the service's own and is always the same for the same resource. */
function uuidOf(subject: string): string {
  const part = (index: number) => (seedFor(index, subject) >>> 0).toString(16).padStart(8, '0');
  const [a, b, c, d] = [part(1), part(2), part(3), part(4)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
}
