import type {SafeText} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type StockCount, stockText} from '../../domain/stock.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {usageFeed} from '../../state/billing.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import {formatCount, formatCounted, formatGigabytes, formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {field, missingField, wrappedField} from '../detail.ts';
import type {Scene} from '../pane.ts';
import {
  availabilityTone,
  type FlavorRow,
  flavorLabels,
  gpuText,
  hibernatedOf,
  holdersOf,
  meteredText,
} from './flavor-rows.ts';

/** First whether what is hibernated can come back, then what the flavor is, what it costs and where it is used. */
export function flavorLines(row: FlavorRow, scene: Scene, width: number): readonly Line[] {
  const {flavor} = row;
  const labels = flavorLabels(flavor);
  return [
    ...restoreLines(row, width),
    ...stockLines(row, scene, width),
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
    field('metered now', meteredNow(row, scene)),
    field('id', String(flavor.id)),
  ];
}

function meteredNow(row: FlavorRow, {store}: Scene): string | undefined {
  if (lastValue(store.get(usageFeed)) === undefined) return undefined;
  const text = meteredText(row);
  return text === undefined ? 'no machine of it is billed now' : `$${text}/h`;
}

/** Is what I want to restore available? */
function restoreLines(row: FlavorRow, width: number): readonly Line[] {
  if (!row.isUseKnown) return [field('to restore', 'the machines are not known yet')];
  const hibernated = hibernatedOf(row);
  if (hibernated.length === 0) return [field('to restore', 'nothing of it is hibernated here', 'dim')];
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
      return {text: `${what}: the stock and the flavor contradict each other; a restore may be refused`, tone};
    case 'unknown':
      return {text: `${what}: whether there is stock is not known`, tone: 'notice' as const};
  }
}

function isEnough({count, isAtLeast}: StockCount, wanted: number): boolean {
  return isAtLeast || count >= wanted;
}

function stockLines({flavor, stock, available}: FlavorRow, scene: Scene, width: number): readonly Line[] {
  const flag = field('flavor in stock', flavor.isInStock === undefined ? undefined : flavor.isInStock ? 'yes' : 'no');
  if (stock === undefined) {
    const isKnown = lastValue(scene.store.get(stocksFeed)) !== undefined;
    return [
      flag,
      ...(isKnown ? [field('stock', 'none listed for it')] : missingField(scene, stocksFeed, 'stock', width)),
    ];
  }
  const sizes = stock.configurations.map(size => `${size.gpuCount}×: ${stockText(size.available)}`).join('   ');
  const planned = [
    countText(stock.plannedIn7Days, '7 d'),
    countText(stock.plannedIn30Days, '30 d'),
    countText(stock.plannedIn100Days, '100 d'),
  ].filter(text => text !== undefined);
  return [
    field('to be had now', available === undefined ? undefined : stockText(available)),
    flag,
    ...wrappedField('by GPU count', sizes === '' ? 'no sizes listed' : sizes, width),
    field('of the model', stock.available === undefined ? undefined : stockText(stock.available)),
    field('planned', planned.length === 0 ? 'nothing said' : planned.join('   ')),
  ];
}

function countText(count: StockCount | undefined, when: string): string | undefined {
  return count === undefined ? undefined : `${stockText(count)} in ${when}`;
}

/** How many machines hold hardware of it, and in which environments and regions. */
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
