import {masterFlavors as masterFlavorsEndpoint} from '../api/clusters.ts';
import {flavors as flavorsEndpoint} from '../api/flavors.ts';
import {listRate, meteredRate} from '../domain/cost.ts';
import type {Flavor} from '../domain/flavor.ts';
import {compare, hourlyUsd, type Rate, subtractRates} from '../domain/money.ts';
import type {Prices} from '../domain/money/prices.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {availability, availableMachines, type Stock, type StockCount, stockOf, stockText} from '../domain/stock.ts';
import {hasAddress, type VirtualMachine} from '../domain/virtual-machine.ts';
import {presentRates, usageFeed} from '../state/billing.ts';
import {flavorsFeed, priceBookFeed, stocksFeed} from '../state/catalogue.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import {formatCount, formatCounted, formatGigabytes, formatRate, formatRateFigure} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';
import {field, missingField, wrappedField} from './detail.ts';
import {machinesWhere} from './related.ts';
import {type Column, number, rate, text, type Value, yesNo} from './column.ts';
import {rawOf, regionOf} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

export type FlavorRow = {
  readonly flavor: Flavor;
  readonly listRate: Rate | undefined;
  /**
   * Lowest and highest metered rate of the account's machines of this flavor, running or stopped; undefined if there
   * are none.
   */
  readonly metered: {readonly low: Rate; readonly high: Rate} | undefined;
  /** Machines of this flavor in its own region. */
  readonly machines: readonly VirtualMachine[];
  /** Machines of the flavor with the same name in other regions. */
  readonly elsewhere: readonly VirtualMachine[];
  readonly stock: Stock | undefined;
  /** How many more machines of it are in stock. */
  readonly available: StockCount | undefined;
  readonly availability: ReturnType<typeof availability>;
  /** Whether the list of machines was read. If not, use is unknown rather than zero. */
  readonly isUseKnown: boolean;
};

const COLUMNS: readonly Column<FlavorRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({flavor}) => number(flavor.id)},
  {
    key: 'name',
    title: 'FLAVOR',
    value: ({flavor}) => text(flavor.name),
    // Before the labels: the end of a name may be all that tells a spot variant from the other.
    list: {minWidth: 20, maxWidth: 40, flex: 8, tone: 'strong'},
  },
  {
    key: 'region',
    title: 'REGION',
    value: ({flavor}) => text(flavor.regionName),
    list: {minWidth: 8, maxWidth: 12, flex: 1},
  },
  {
    key: 'gpu',
    title: 'GPU',
    value: ({flavor}) => text(flavor.gpuModel),
    list: {
      // A GPU model with its interconnect, such as 8× A100-80G-PCIe-NVLink.
      minWidth: 23,
      maxWidth: 24,
      flex: 2,
      priority: 3,
      draw: ({flavor}) => {
        const gpus = gpuText(flavor);
        return [gpus === undefined ? {text: 'none', tone: 'dim'} : {text: gpus}];
      },
    },
  },
  {key: 'gpus', title: 'GPUS', align: 'right', value: ({flavor}) => number(flavor.gpuCount)},
  {
    key: 'cpus',
    title: 'vCPU',
    align: 'right',
    value: ({flavor}) => number(flavor.cpuCount),
    list: {minWidth: 4, priority: 2},
  },
  {
    key: 'ram',
    title: 'RAM',
    align: 'right',
    unit: 'gigabytes',
    value: ({flavor}) => gigabytes(flavor.ramGb),
    list: {minWidth: 8, priority: 2},
  },
  {
    key: 'disk',
    title: 'DISK',
    align: 'right',
    unit: 'gigabytes',
    value: ({flavor}) => gigabytes(flavor.rootDiskGb),
    list: {minWidth: 8, priority: 5, tone: 'dim'},
  },
  {
    key: 'ephemeral',
    title: 'EPHEM.',
    align: 'right',
    printed: 'wide',
    unit: 'gigabytes',
    value: ({flavor}) => gigabytes(flavor.ephemeralDiskGb),
    list: {minWidth: 9, priority: 5, tone: 'dim'},
  },
  {
    key: 'list',
    title: 'LIST $/h',
    align: 'right',
    printed: 'wide',
    reads: priceBookFeed,
    unit: 'dollars',
    value: row => rate(row.listRate),
    list: {minWidth: 8, tone: 'money'},
  },
  {
    key: 'metered',
    title: 'METERED',
    align: 'right',
    printed: 'asked',
    reads: usageFeed,
    unit: 'dollars',
    value: meteredValue,
    list: {minWidth: 7, priority: 1, tone: 'money'},
  },
  {key: 'stock', title: 'IN STOCK', value: ({flavor}) => yesNo(flavor.isInStock)},
  {
    key: 'available',
    title: 'STOCK',
    align: 'right',
    printed: 'asked',
    reads: stocksFeed,
    value: row => text(availabilityText(row)),
    list: {minWidth: 8, tone: availabilityTone},
  },
  {
    key: 'used',
    title: 'USED',
    align: 'right',
    printed: 'asked',
    reads: machinesFeed,
    value: row => fleetCount(row, holdersOf),
    list: {minWidth: 4},
  },
  {
    key: 'hibernated',
    title: 'HIB.',
    align: 'right',
    printed: 'asked',
    reads: machinesFeed,
    value: row => fleetCount(row, hibernatedOf),
    list: {minWidth: 4, tone: row => (hibernatedOf(row).length > 0 ? 'notice' : 'dim')},
  },
  {
    key: 'labels',
    title: 'LABELS',
    printed: 'wide',
    value: ({flavor}) => text(flavorLabels(flavor).join(' ')),
    list: {minWidth: 14, maxWidth: 40, flex: 1, priority: 4, tone: 'dim', absent: 'none'},
  },
];

export const flavors = defineResource<Flavor, FlavorRow>({
  names: ['flavors', 'flavor'],
  type: 'flavor',
  summary: 'flavors of machines; --region for one region',
  narrowedBy: ['region'],
  columns: COLUMNS,
  list: async ({client, signal, narrowing}) =>
    rawOf(await client.readRaw(flavorsEndpoint, regionOf(narrowing), {signal})),
  parse: flavorsEndpoint.record,
  feed: flavorsFeed,
  row: flavorRow,
  orderWords: say`waited for and used first`,
  // First flavors with machines waiting to be restored, then those in use, then by region and size.
  order: (left, right) => weight(right) - weight(left) || placeOrder(left.flavor, right.flavor),
  detail: flavorLines,
  related: ({name, regionName}, store) => [
    machinesWhere(
      store,
      machine => machine.flavor?.name === name && machine.regionName === regionName,
      `flavor:"${name}"`,
    ),
  ],
  recordIn: ({flavor}) => flavor,
  path: () => flavorsEndpoint.path({}),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
  compared: {
    nameOf: ({name, regionName}) => (regionName === undefined ? name : say`${name} in ${regionName}`),
    values: [
      {
        what: say`stock`,
        of: ({isInStock}) => (isInStock === undefined ? undefined : isInStock ? say`in stock` : say`out of stock`),
      },
    ],
    sets: [],
  },
});

export const masterFlavors = defineResource<Flavor, FlavorRow>({
  names: ['master-flavors', 'master-flavor'],
  summary: 'flavors of cluster masters',
  columns: COLUMNS,
  list: async ({client, signal}) => rawOf(await client.readRaw(masterFlavorsEndpoint, {}, {signal})),
  parse: masterFlavorsEndpoint.record,
  row: flavorRow,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

function flavorRow({store, preferences}: RowInput): (flavor: Flavor) => FlavorRow {
  const stocks = lastValue(store.get(stocksFeed))?.records ?? [];
  const rates = presentRates(store);
  const fleet = observedMachines(store);
  const byFlavor = Map.groupBy(fleet ?? [], ({flavor}) => flavor?.name);
  return flavor => {
    const ofName = byFlavor.get(flavor.name) ?? [];
    const machines = ofName.filter(({regionName}) => regionName === flavor.regionName);
    return {
      flavor,
      listRate: listRate(flavor, preferences.prices),
      metered: meteredRates(machines, rates, preferences.prices),
      machines,
      elsewhere: ofName.filter(({regionName}) => regionName !== flavor.regionName),
      stock: stockOf(flavor, stocks),
      available: availableMachines(flavor, stocks),
      availability: availability(flavor, stocks),
      isUseKnown: fleet !== undefined,
    };
  };
}

/** In a file, gigabytes as a plain number. */
function gigabytes(count: number | undefined): Value | undefined {
  return count === undefined ? undefined : {text: formatGigabytes(count), number: count, plain: String(count)};
}

function hibernatedOf({machines}: Pick<FlavorRow, 'machines'>): readonly VirtualMachine[] {
  return machines.filter(({status}) => status === 'HIBERNATED');
}

/** Machines that hold hardware of it, including stopped ones. */
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

/**
 * Hibernated machines are left out: they are billed for their disk only, which says nothing of the flavor's price. Nor
 * does a public address, which is billed with its machine.
 */
function meteredRates(
  machines: readonly VirtualMachine[],
  rates: ReadonlyMap<number, Rate>,
  prices: Prices,
): FlavorRow['metered'] {
  const {publicIp} = prices;
  const withoutAddress = (rate: Rate) => (compare(rate, publicIp) > 0 ? subtractRates(rate, publicIp) : rate);
  const paid = machines
    .filter(({status}) => status === 'ACTIVE' || status === 'SHUTOFF')
    .flatMap(machine => {
      const rate = meteredRate(machine, rates.get(machine.id), prices);
      const isAddressed = hasAddress(machine);
      if (rate === undefined || isAddressed === undefined) return [];
      return isAddressed ? withoutAddress(rate) : rate;
    })
    .sort(compare);
  const [low] = paid;
  const high = paid.at(-1);
  return low === undefined || high === undefined ? undefined : {low, high};
}

/** `2.50`, or `2.50+` if some machines are metered higher; the detail shows the upper end. Sorted by the lowest. */
function meteredValue({metered}: FlavorRow): Value | undefined {
  if (metered === undefined) return undefined;
  const [low, high] = [formatRateFigure(metered.low), formatRateFigure(metered.high)];
  return {text: low === high ? low : `${low}+`, number: hourlyUsd(metered.low)};
}

/** `2.50`, or `2.50–2.57` if machines of the flavor are metered differently, for example because of a contract. */
function meteredText({metered}: FlavorRow): string | undefined {
  if (metered === undefined) return undefined;
  const [low, high] = [formatRateFigure(metered.low), formatRateFigure(metered.high)];
  return low === high ? low : `${low}–${high}`;
}

/** Current stock: `3`, `10+`, or `in stock` if only the flavor's flag is known. */
function availabilityText({available, availability: verdict}: FlavorRow): string | undefined {
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

function availabilityTone({availability: verdict}: FlavorRow): Tone {
  return AVAILABILITY_TONES[verdict];
}

function fleetCount(row: FlavorRow, machinesOf: (row: FlavorRow) => readonly VirtualMachine[]): Value | undefined {
  return row.isUseKnown ? number(machinesOf(row).length) : undefined;
}

/** For example `8× L40`; undefined for a flavor without GPUs. */
function gpuText({gpuModel, gpuCount}: Flavor): string | undefined {
  if (gpuModel === undefined || gpuModel === '') return undefined;
  return gpuCount === undefined ? gpuModel : `${gpuCount}× ${gpuModel}`;
}

/** The labels, plus one for hibernation, which the service reports as a feature flag. */
function flavorLabels({labels, hasNoHibernation}: Flavor): readonly string[] {
  const isSaid = labels.some(label => label.toLowerCase() === NO_HIBERNATION);
  return hasNoHibernation === true && !isSaid ? [...labels, NO_HIBERNATION] : labels;
}

const NO_HIBERNATION = 'no-hibernation';

/** First whether hibernated machines can be restored, then hardware, price and use. */
function flavorLines(row: FlavorRow, known: RowInput, width: number): readonly Line[] {
  const {flavor} = row;
  const labels = flavorLabels(flavor);
  return [
    ...restoreLines(row, known, width),
    ...stockLines(row, known, width),
    ...holderLines(row, width),
    [],
    field('GPU', gpuText(flavor) ?? 'none'),
    field('vCPU', flavor.cpuCount === undefined ? undefined : formatCount(flavor.cpuCount)),
    field('RAM', flavor.ramGb === undefined ? undefined : formatGigabytes(flavor.ramGb)),
    field('root disk', flavor.rootDiskGb === undefined ? undefined : formatGigabytes(flavor.rootDiskGb)),
    field('ephemeral disk', flavor.ephemeralDiskGb === undefined ? undefined : formatGigabytes(flavor.ephemeralDiskGb)),
    field('region', flavor.regionName),
    ...wrappedField('labels', labels.length === 0 ? 'none' : labels.join('  '), width),
    field(
      'list price',
      row.listRate === undefined ? 'not published' : `${formatRate(row.listRate)} a machine`,
      'money',
    ),
    field('metered now', meteredNow(row, known)),
    field('id', String(flavor.id)),
  ];
}

function meteredNow(row: FlavorRow, {store}: RowInput): string | undefined {
  if (lastValue(store.get(usageFeed)) === undefined) return undefined;
  const text = meteredText(row);
  return text === undefined ? 'no machine of this flavor is billed now' : `$${text}/h`;
}

/** Whether hibernated machines of this flavor could be restored now. */
function restoreLines(row: FlavorRow, known: RowInput, width: number): readonly Line[] {
  if (!row.isUseKnown) return missingField(known, machinesFeed, 'to restore', width);
  const hibernated = hibernatedOf(row);
  if (hibernated.length === 0) return [field('to restore', 'no machine of this flavor is hibernated here', 'dim')];
  const {text, tone} = restoreVerdict(row, hibernated.length);
  return [
    ...wrappedField('to restore', text, width, tone),
    ...wrappedField('', hibernated.map(nameAndId).join('  '), width),
  ];
}

function restoreVerdict(row: FlavorRow, count: number) {
  const tone = availabilityTone(row);
  const what = `${formatCounted(count, 'machine')} hibernated`;
  const {available} = row;
  switch (row.availability) {
    case 'available':
      return available === undefined || isEnough(available, count)
        ? {text: `${what}: stock allows restoring now`, tone}
        : {text: `${what}: stock allows restoring ${stockText(available)} of them now`, tone: 'warning' as const};
    case 'none':
      return {text: `${what}: no stock, so none can be restored now`, tone};
    case 'doubtful':
      return {text: `${what}: stock and flavor disagree; a restore may be refused`, tone};
    case 'unknown':
      return {text: `${what}: whether there is stock is not known`, tone: 'notice' as const};
  }
}

function isEnough({count, isAtLeast}: StockCount, wanted: number): boolean {
  return isAtLeast || count >= wanted;
}

function stockLines({flavor, stock, available}: FlavorRow, known: RowInput, width: number): readonly Line[] {
  const flag = field('flavor in stock', flavor.isInStock === undefined ? undefined : flavor.isInStock ? 'yes' : 'no');
  if (stock === undefined) {
    const isKnown = lastValue(known.store.get(stocksFeed)) !== undefined;
    return [
      flag,
      ...(isKnown ? [field('stock', 'none listed for it')] : missingField(known, stocksFeed, 'stock', width)),
    ];
  }
  const sizes = stock.configurations.map(size => `${size.gpuCount}x:${stockText(size.available)}`).join('   ');
  const planned = [
    countText(stock.plannedIn7Days, '7 d'),
    countText(stock.plannedIn30Days, '30 d'),
    countText(stock.plannedIn100Days, '100 d'),
  ].filter(text => text !== undefined);
  return [
    field('available', available === undefined ? undefined : stockText(available)),
    flag,
    ...wrappedField('by GPU count', sizes === '' ? 'no sizes listed' : sizes, width),
    field('of the model', stock.available === undefined ? undefined : stockText(stock.available)),
    field('planned', planned.length === 0 ? 'not specified' : planned.join('   ')),
  ];
}

function countText(count: StockCount | undefined, when: string): string | undefined {
  return count === undefined ? undefined : `${stockText(count)} in ${when}`;
}

/** How many machines hold hardware of it, by environment and region. */
function holderLines(row: FlavorRow, width: number): readonly Line[] {
  if (!row.isUseKnown) return [field('in use', undefined)];
  const here = holdersOf(row);
  const elsewhere = row.elsewhere.filter(({status}) => status !== 'HIBERNATED');
  const hereText =
    here.length === 0 ? 'none' : `${here.length}: ${counted(here, ({environmentName}) => environmentName)}`;
  return [
    ...wrappedField('in use here', hereText, width),
    ...(elsewhere.length === 0
      ? []
      : wrappedField(
          'elsewhere',
          counted(elsewhere, ({regionName}) => regionName),
          width,
        )),
  ];
}

function counted(
  machines: readonly VirtualMachine[],
  placeOf: (machine: VirtualMachine) => SafeText | undefined,
): string {
  const places = Map.groupBy(machines, machine => placeOf(machine) ?? 'unknown');
  return [...places].map(([place, {length}]) => `${place} ${length}`).join('  ');
}

function nameAndId({name, id}: VirtualMachine): string {
  return `${name}  #${id}`;
}
