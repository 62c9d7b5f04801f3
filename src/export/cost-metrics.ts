import type {UsageRecord} from '../domain/billing.ts';
import {isBurning, type Runway, soonestMs, usableRate} from '../domain/cost.ts';
import {coverageRatio, utilizationRatio} from '../domain/money/commitment.ts';
import {type BillingFigures, lacksDeletedSpend} from '../domain/money/figures.ts';
import {knownBurn, knownMonthToDate, monthEndAt} from '../domain/money/report.ts';
import {type JudgedWaste, WASTE_KINDS} from '../domain/money/waste.ts';
import {hourlyUsd, type Rate, sumRates, sumUsd, type Usd, usdNumber} from '../domain/money.ts';
import {type DurationMs, SECOND_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import type {Volume} from '../domain/volume.ts';
import {counters, gauge, gauges, type Labels, type MetricFamily} from './metric.ts';

/** The input of money metrics. Undefined values are not known now, and get no series. */
export type KnownCosts = {
  readonly usage: readonly UsageRecord[] | undefined;
  readonly figures: BillingFigures | undefined;
  readonly machines: readonly VirtualMachine[] | undefined;
  readonly volumes: readonly Volume[] | undefined;
  readonly waste: JudgedWaste | undefined;
  /** Wasted since the exporter started, as far as known. */
  readonly wastedUsd: number | undefined;
  readonly credit: Usd | undefined;
  readonly runway: Runway | undefined;
  readonly budget: Usd | undefined;
};

export const NODE_TOTAL_COST = {
  name: 'node_total_hourly_cost',
  help: 'Dollars an hour that the service meters for a machine now.',
} as const;
export const BURN = {
  name: 'cloudcost_burn_hourly_cost',
  help: 'Dollars an hour that all active resources cost now.',
} as const;
export const MONTH_TO_DATE = {
  name: 'cloudcost_month_to_date_dollars',
  help: 'Dollars spent in this UTC month so far.',
} as const;

/** Resources as metered now: all active records of one, and what is known about it. */
type Metered = {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  /** Both undefined if one of its records does not tell. */
  readonly rate: Rate | undefined;
  readonly billed: number | undefined;
  readonly machine: VirtualMachine | undefined;
  readonly volume: Volume | undefined;
};

/**
 * Money metrics: OpenCost's names where they fit (a machine is a node, a volume a persistent volume), our own beside
 * them.
 */
export function costMetrics(known: KnownCosts): readonly MetricFamily[] {
  const metered = meteredResources(known);
  return [...openCostMetrics(metered), ...resourceMetrics(metered), ...accountMetrics(known), ...wasteMetrics(known)];
}

function meteredResources({usage, machines, volumes}: KnownCosts): readonly Metered[] {
  const machineById = new Map<number, VirtualMachine>((machines ?? []).map(machine => [machine.id, machine]));
  const volumeById = new Map<number, Volume>((volumes ?? []).map(volume => [volume.id, volume]));
  const byResource = Map.groupBy(
    (usage ?? []).filter(isBurning),
    ({resourceType, resourceId}) => `${resourceType.toLowerCase()} ${resourceId}`,
  );
  return [...byResource.values()].flatMap((records): readonly Metered[] => {
    const [first] = records;
    if (first === undefined) return [];
    const type = first.resourceType.toLowerCase();
    const rates = records.flatMap(record => usableRate(record) ?? []);
    const bills = records.flatMap(({billedCost}) => billedCost ?? []);
    return [
      {
        id: first.resourceId,
        type,
        name: first.name,
        rate: rates.length < records.length ? undefined : sumRates(rates),
        billed: bills.length < records.length ? undefined : usdNumber(sumUsd(bills)),
        machine: type === 'vm' ? machineById.get(first.resourceId) : undefined,
        volume: type === 'volume' ? volumeById.get(first.resourceId) : undefined,
      },
    ];
  });
}

function openCostMetrics(metered: readonly Metered[]): readonly MetricFamily[] {
  const nodes = metered.filter(({type}) => type === 'vm');
  const withGpus = nodes.flatMap(node => {
    const count = node.machine?.flavor?.gpuCount ?? 0;
    return count > 0 ? [{...node, count}] : [];
  });
  const perHour = ({rate}: Metered) => (rate === undefined ? undefined : hourlyUsd(rate));
  return [
    gauges(
      NODE_TOTAL_COST,
      nodes.map(node => ({labels: nodeLabels(node), value: perHour(node)})),
    ),
    gauges(
      {
        name: 'node_gpu_hourly_cost',
        help: 'Dollars an hour for each GPU of a machine: all that the machine costs, shared by its GPUs.',
      },
      withGpus.map(node => {
        // What a hibernated machine costs is its disk: it holds no GPUs.
        const cost = node.machine?.status === 'HIBERNATED' ? undefined : perHour(node);
        return {labels: nodeLabels(node), value: cost === undefined ? undefined : cost / node.count};
      }),
    ),
    gauges(
      {name: 'node_gpu_count', help: 'GPUs of a machine.'},
      withGpus.map(node => ({labels: nodeLabels(node), value: node.count})),
    ),
    gauges(
      {name: 'kubecost_node_is_spot', help: '1 for a machine of a spot flavor, else 0.'},
      nodes
        .filter(({machine}) => machine?.flavor !== undefined)
        .map(node => ({labels: nodeLabels(node), value: node.machine?.flavor?.name.endsWith('-spot') ? 1 : 0})),
    ),
    gauges(
      {name: 'pv_hourly_cost', help: 'Dollars an hour for each GB of a volume.'},
      metered.map(({id, name, volume, rate}) => ({
        labels: {volumename: name, persistentvolume: name, provider_id: String(id)},
        value:
          volume?.sizeGb === undefined || volume.sizeGb <= 0 || rate === undefined
            ? undefined
            : hourlyUsd(rate) / volume.sizeGb,
      })),
    ),
  ];
}

/** OpenCost's labels. The service does not report a machine's architecture. */
export function nodeLabels({id, name, machine}: Pick<Metered, 'id' | 'name' | 'machine'>): Labels {
  return {
    node: name,
    instance: name,
    instance_type: machine?.flavor?.name ?? '',
    region: machine?.regionName ?? '',
    provider_id: String(id),
    arch: '',
  };
}

function resourceMetrics(metered: readonly Metered[]): readonly MetricFamily[] {
  return [
    gauges(
      {name: 'cloudcost_resource_hourly_cost', help: 'Dollars an hour that the service meters for a resource now.'},
      metered.map(({id, type, name, rate, machine, volume}) => ({
        labels: {
          resource_id: String(id),
          type,
          name,
          environment: machine?.environmentName ?? volume?.environmentName ?? '',
          flavor: machine?.flavor?.name ?? '',
          status: machine?.status ?? volume?.status ?? '',
        },
        value: rate === undefined ? undefined : hourlyUsd(rate),
      })),
    ),
    counters(
      {
        name: 'cloudcost_resource_cost_dollars_total',
        help: 'Dollars that the service has metered for an active resource so far.',
      },
      metered.map(({id, type, name, billed}) => ({labels: {resource_id: String(id), type, name}, value: billed})),
    ),
  ];
}

function accountMetrics({figures, credit, runway, budget}: KnownCosts): readonly MetricFamily[] {
  const burn = figures && knownBurn(figures);
  // Month-to-date would jump up once the deleted resources are read.
  const month = figures && !lacksDeletedSpend(figures) ? knownMonthToDate(figures) : undefined;
  const forecast = figures?.forecast.status === 'ready' ? figures.forecast : undefined;
  const monthEnd = (remaining: number | undefined) =>
    month === undefined || remaining === undefined ? undefined : usdNumber(monthEndAt(month, remaining));
  return [
    gauge(BURN, burn && hourlyUsd(burn)),
    gauge(MONTH_TO_DATE, month && usdNumber(month)),
    gauges(
      {
        name: 'cloudcost_month_forecast_dollars',
        help: 'Estimated dollars at the end of this UTC month, with the bounds of its 80% interval.',
      },
      [
        {labels: {estimate: 'low80'}, value: monthEnd(forecast?.low80)},
        {labels: {estimate: 'mid'}, value: monthEnd(forecast?.remaining)},
        {labels: {estimate: 'high80'}, value: monthEnd(forecast?.high80)},
      ],
    ),
    gauge(
      {name: 'cloudcost_budget_dollars', help: 'The monthly budget from the settings.'},
      budget && usdNumber(budget),
    ),
    gauge({name: 'cloudcost_credit_dollars', help: 'Remaining prepaid credit.'}, credit && usdNumber(credit)),
    gauges(
      {
        name: 'cloudcost_credit_runway_seconds',
        help: 'How long the credit lasts: at most, and with list prices for what has no usage record.',
      },
      [
        {labels: {estimate: 'most'}, value: seconds(runway?.leftMs)},
        {labels: {estimate: 'list'}, value: seconds(runway && soonestMs(runway))},
      ],
    ),
    gauge(
      {name: 'cloudcost_unpriced_resources', help: 'Active resources without a usable rate: missing in the burn rate.'},
      figures?.unpricedCount,
    ),
    ...commitmentMetrics(figures),
  ];
}

function seconds(duration: DurationMs | undefined): number | undefined {
  return duration === undefined ? undefined : duration / SECOND_MS;
}

function commitmentMetrics(figures: BillingFigures | undefined): readonly MetricFamily[] {
  const commitments = (figures?.commitments ?? []).map(commitment => ({
    ...commitment,
    labels: {contract_id: String(commitment.contract.id)},
  }));
  return [
    gauges(
      {name: 'cloudcost_contract_utilization_ratio', help: 'The share of the commitment of a contract that was used.'},
      commitments.map(({labels, use}) => ({labels, value: use && utilizationRatio(use)})),
    ),
    gauges(
      {name: 'cloudcost_contract_coverage_ratio', help: 'The share of what was used that a contract covered.'},
      commitments.map(({labels, use}) => ({labels, value: use && coverageRatio(use)})),
    ),
    gauges(
      {
        name: 'cloudcost_contract_expiry_timestamp_seconds',
        help: 'When a contract ends, and what happens to its machines then: delete, market price, or unknown.',
      },
      commitments.map(({labels, contract}) => ({
        labels: {...labels, policy: contract.expirationPolicy.kind},
        value: contract.endsAt === undefined ? undefined : contract.endsAt / SECOND_MS,
      })),
    ),
    gauges(
      {
        name: 'cloudcost_cliff_hourly_cost_delta',
        help: 'Dollars an hour that the end of a contract adds to the burn rate; below zero if it deletes machines.',
      },
      commitments.map(({labels, cliff}) => ({labels, value: cliff && hourlyUsd(cliff)})),
    ),
  ];
}

function wasteMetrics({waste, wastedUsd}: KnownCosts): readonly MetricFamily[] {
  return [
    gauges(
      {name: 'cloudcost_idle_hourly_cost', help: 'Dollars an hour that are wasted, by reason.'},
      waste === undefined
        ? []
        : wasteByKind(waste).map(({kind, perHour}) => ({labels: {verdict: kind}, value: perHour})),
    ),
    counters(
      {
        name: 'cloudcost_idle_wasted_dollars_total',
        help: 'Dollars wasted since the exporter started, except what was unknown at the time.',
      },
      [{value: wastedUsd}],
    ),
  ];
}

/** Undefined for what cannot be told, and if there is waste and the rate of none of it is known. */
function wasteByKind({waste, unknownKinds}: JudgedWaste) {
  return WASTE_KINDS.map(kind => {
    const own = waste.filter(each => each.kind === kind);
    const rates = own.flatMap(({rate}) => rate ?? []);
    const isUnknown = unknownKinds.has(kind) || (own.length > 0 && rates.length === 0);
    return {kind, perHour: isUnknown ? undefined : hourlyUsd(sumRates(rates))};
  });
}

/** The sum of the kinds that are known; undefined if none is. */
export function wastePerHour(waste: JudgedWaste): number | undefined {
  const known = wasteByKind(waste).flatMap(({perHour}) => perHour ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, perHour) => sum + perHour, 0);
}
