import {listRate} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {compare, type Rate} from '../../domain/money.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {availability, availableMachines, type Stock, type StockCount, stockOf, stockText} from '../../domain/stock.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import type {Column} from '../../resources/resource.ts';
import {presentRates} from '../../state/billing.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import {observedMachines} from '../../state/machines.ts';
import {formatCount, formatGigabytes, formatRateFigure} from '../../ui/format.ts';
import type {Tone} from '../../ui/theme.ts';
import {numberColumn, rateColumn, textColumn} from '../column.ts';
import type {Scene} from '../pane.ts';

export type FlavorRow = {
  readonly flavor: Flavor;
  readonly listRate: Rate | undefined;
  /** What is metered for machines of it that run or stand still here, lowest and highest; undefined where there is none. */
  readonly metered: {readonly low: Rate; readonly high: Rate} | undefined;
  /** Machines of it in its own region. */
  readonly machines: readonly VirtualMachine[];
  /** Machines of a flavor of the same name in other regions. */
  readonly elsewhere: readonly VirtualMachine[];
  readonly stock: Stock | undefined;
  /** How many machines of it the stock has now. */
  readonly available: StockCount | undefined;
  readonly availability: ReturnType<typeof availability>;
  /** Without the list of machines no use is known, which is not the same as none. */
  readonly isUseKnown: boolean;
};

/** The flavors: first those with machines to be restored, then those in use, then by region and size. */
export function flavorRows({
  store,
  preferences,
}: Pick<Scene, 'store' | 'preferences'>): readonly FlavorRow[] | undefined {
  const flavors = lastValue(store.get(flavorsFeed))?.records;
  if (flavors === undefined) return undefined;
  const stocks = lastValue(store.get(stocksFeed))?.records ?? [];
  const rates = presentRates(store);
  const fleet = observedMachines(store);
  const byFlavor = Map.groupBy(fleet ?? [], ({flavor}) => flavor?.name);
  const rows = flavors.map((flavor): FlavorRow => {
    const ofName = byFlavor.get(flavor.name) ?? [];
    const machines = ofName.filter(({regionName}) => regionName === flavor.regionName);
    return {
      flavor,
      listRate: listRate(flavor, preferences.prices),
      metered: meteredRates(machines, rates),
      machines,
      elsewhere: ofName.filter(({regionName}) => regionName !== flavor.regionName),
      stock: stockOf(flavor, stocks),
      available: availableMachines(flavor, stocks),
      availability: availability(flavor, stocks),
      isUseKnown: fleet !== undefined,
    };
  });
  return rows.sort((left, right) => weight(right) - weight(left) || placeOrder(left.flavor, right.flavor));
}

export function hibernatedOf({machines}: Pick<FlavorRow, 'machines'>): readonly VirtualMachine[] {
  return machines.filter(({status}) => status === 'HIBERNATED');
}

/** Machines that hold the hardware: a stopped one does too. */
export function holdersOf({machines}: Pick<FlavorRow, 'machines'>): readonly VirtualMachine[] {
  return machines.filter(({status}) => status !== 'HIBERNATED' && status !== 'DELETED');
}

function weight(row: FlavorRow): number {
  if (hibernatedOf(row).length > 0) return 2;
  return row.machines.length > 0 ? 1 : 0;
}

function placeOrder(left: Flavor, right: Flavor): number {
  return (
    (left.regionName ?? '').localeCompare(right.regionName ?? '', 'en') ||
    (right.gpuCount ?? 0) - (left.gpuCount ?? 0) ||
    left.name.localeCompare(right.name, 'en')
  );
}

/** A hibernated machine pays for its disk alone, which says nothing about the flavor. */
function meteredRates(machines: readonly VirtualMachine[], rates: ReadonlyMap<number, Rate>): FlavorRow['metered'] {
  const paid = machines
    .filter(({status}) => status === 'ACTIVE' || status === 'SHUTOFF')
    .flatMap(({id}) => rates.get(id) ?? [])
    .sort(compare);
  const [low] = paid;
  const high = paid.at(-1);
  return low === undefined || high === undefined ? undefined : {low, high};
}

/** `2.50`, or `2.50+` where some are metered higher: the detail says up to what. */
function meteredFigure({metered}: FlavorRow): string | undefined {
  if (metered === undefined) return undefined;
  return `${formatRateFigure(metered.low)}${compare(metered.low, metered.high) === 0 ? '' : '+'}`;
}

/** `2.50`, or `2.50–2.57` where machines of one flavor are metered differently, as for a public address. */
export function meteredText({metered}: FlavorRow): string | undefined {
  if (metered === undefined) return undefined;
  const [low, high] = [formatRateFigure(metered.low), formatRateFigure(metered.high)];
  return low === high ? low : `${low}–${high}`;
}

/** What can be had now: `3`, `10+`, `in stock` where only the flavor's flag says so. */
export function availabilityText({available, availability: verdict}: FlavorRow): string | undefined {
  const figure = available === undefined ? undefined : stockText(available);
  switch (verdict) {
    case 'available':
      return figure ?? 'in stock';
    case 'none':
      return 'none';
    case 'doubtful':
      return `${figure ?? '?'}?`;
    case 'unknown':
      return undefined;
  }
}

const AVAILABILITY_TONES: Readonly<Record<FlavorRow['availability'], Tone>> = {
  available: 'good',
  none: 'warning',
  doubtful: 'warning',
  unknown: 'dim',
};

export function availabilityTone({availability: verdict}: FlavorRow): Tone {
  return AVAILABILITY_TONES[verdict];
}

export const FLAVOR_COLUMNS: readonly Column<FlavorRow>[] = [
  textColumn({key: 'name', title: 'FLAVOR', minWidth: 14, maxWidth: 40, flex: 2}, ({flavor}) => flavor.name, {
    tone: 'strong',
  }),
  textColumn({key: 'region', title: 'REGION', minWidth: 8, maxWidth: 12, flex: 1}, ({flavor}) => flavor.regionName),
  textColumn(
    {key: 'gpu', title: 'GPU', minWidth: 16, maxWidth: 24, flex: 2, priority: 3},
    ({flavor}) => gpuText(flavor),
    {absent: 'none'},
  ),
  numberColumn({key: 'vcpu', title: 'vCPU', minWidth: 4, priority: 2}, ({flavor}) => flavor.cpuCount, formatCount),
  numberColumn({key: 'ram', title: 'RAM', minWidth: 7, priority: 2}, ({flavor}) => flavor.ramGb, formatGigabytes),
  numberColumn(
    {key: 'disk', title: 'DISK', minWidth: 7, priority: 5},
    ({flavor}) => flavor.rootDiskGb,
    formatGigabytes,
    'dim',
  ),
  numberColumn(
    {key: 'ephemeral', title: 'EPHEM.', minWidth: 7, priority: 5},
    ({flavor}) => flavor.ephemeralDiskGb,
    formatGigabytes,
    'dim',
  ),
  rateColumn({key: 'list', title: 'LIST $/h', minWidth: 8}, row => row.listRate),
  textColumn({key: 'metered', title: 'METERED', minWidth: 7, align: 'right', priority: 1}, meteredFigure, {
    tone: 'money',
  }),
  textColumn({key: 'stock', title: 'STOCK', minWidth: 8, align: 'right'}, availabilityText, {tone: availabilityTone}),
  numberColumn({key: 'used', title: 'USED', minWidth: 4}, row => fleetCount(row, holdersOf), formatCount),
  numberColumn(
    {key: 'hibernated', title: 'HIB.', minWidth: 4},
    row => fleetCount(row, hibernatedOf),
    formatCount,
    row => (hibernatedOf(row).length > 0 ? 'notice' : 'dim'),
  ),
  textColumn(
    {key: 'labels', title: 'LABELS', minWidth: 14, maxWidth: 40, flex: 1, priority: 4},
    ({flavor}) => flavorLabels(flavor).join(' '),
    {tone: 'dim', absent: 'none'},
  ),
];

function fleetCount(row: FlavorRow, machinesOf: (row: FlavorRow) => readonly VirtualMachine[]): number | undefined {
  return row.isUseKnown ? machinesOf(row).length : undefined;
}

/** `8× L40`; undefined for a flavor without GPUs. */
export function gpuText({gpuModel, gpuCount}: Flavor): string | undefined {
  if (gpuModel === undefined || gpuModel === '') return undefined;
  return gpuCount === undefined ? gpuModel : `${gpuCount}× ${gpuModel}`;
}

/** The labels, with the one that the flavor's features say in another place. */
export function flavorLabels({labels, hasNoHibernation}: Flavor): readonly string[] {
  const isSaid = labels.some(label => label.toLowerCase() === NO_HIBERNATION);
  return hasNoHibernation === true && !isSaid ? [...labels, NO_HIBERNATION] : labels;
}

const NO_HIBERNATION = 'no-hibernation';
