import {type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {rowOrder} from '../../domain/machine-order.ts';
import type {Rate} from '../../domain/money.ts';
import {isEnded} from '../../domain/operation.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {MachineActivity} from '../../domain/utilization.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {metricsFeed} from '../../state/feeds.ts';
import {observedMachines} from '../../state/machines.ts';
import {presentRates} from '../../state/rates.ts';
import {rowAtCursor} from '../list.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {activityIn, type MachineRow} from './row.ts';
import {MACHINE_VALUES, sortValue} from './values.ts';
import type {MachinesView} from './view.ts';

export type ShownMachines = {
  /** Filtered and sorted. */
  readonly rows: readonly MachineRow[];
  /** All machines of the account; undefined while the list was never read. */
  readonly totalCount: number | undefined;
};

/** Samples come every five seconds at best; a row is judged anew three times a minute, and at once when it was read. */
const JUDGED_EVERY_MS: DurationMs = 15 * SECOND_MS;

/** The machines as the table shows them. Cheap to ask twice: the answer is kept until something in it has changed. */
export function shownMachines(
  scene: Scene,
  view: Pick<MachinesView, 'filterText' | 'sortKey' | 'isDescending'>,
): ShownMachines {
  const cache = cacheOf(scene);
  const all = allRows(scene, cache);
  if (all === undefined) return {rows: [], totalCount: undefined};
  const key = `${view.sortKey} ${view.isDescending} ${view.filterText}`;
  if (cache.shown === undefined || cache.shown.all !== all || cache.shown.key !== key) {
    cache.shown = {all, key, rows: sortRows(filterRows(all, view.filterText), view)};
  }
  return {rows: cache.shown.rows, totalCount: all.length};
}

export function machineUnderCursor({scene, view}: PaneContext<MachinesView>): VirtualMachine | undefined {
  return rowUnderCursor({scene, view})?.machine;
}

export function rowUnderCursor({scene, view}: PaneContext<MachinesView>): MachineRow | undefined {
  return rowAtCursor(view, shownMachines(scene, view).rows, row => row.machine.id);
}

/** What the service meters for this machine now; undefined where it says nothing usable. */
export function presentRate(scene: Scene, id: VirtualMachineId): Rate | undefined {
  return presentRates(scene.store).get(id);
}

/** What the machine did in its last hour; undefined until its metrics were read once. */
export function activityOf(scene: Scene, machine: VirtualMachine): MachineActivity | undefined {
  const metrics = lastValue(scene.store.get(metricsFeed(machine.id, '1h')));
  return metrics === undefined ? undefined : activityIn({machine, metrics, now: scene.now}, 1);
}

type Cache = {
  /** Which state of knowledge the rows were made from. */
  allKey: string;
  all: readonly MachineRow[] | undefined;
  byId: ReadonlyMap<VirtualMachineId, MachineRow>;
  shown: {readonly all: readonly MachineRow[]; readonly key: string; readonly rows: readonly MachineRow[]} | undefined;
};

const caches = new WeakMap<Scene['store'], Cache>();

function cacheOf({store}: Scene): Cache {
  const known = caches.get(store);
  if (known !== undefined) return known;
  const fresh: Cache = {allKey: '', all: undefined, byId: new Map(), shown: undefined};
  caches.set(store, fresh);
  return fresh;
}

function allRows(scene: Scene, cache: Cache): readonly MachineRow[] | undefined {
  const isUnderWay = scene.operations?.all().some(({phase}) => !isEnded(phase)) ?? false;
  const bucket = bucketOf(scene.now, isUnderWay);
  const key = `${scene.store.version()} ${scene.operations?.version() ?? 0} ${bucket}`;
  if (key === cache.allKey) return cache.all;
  const rates = presentRates(scene.store);
  cache.allKey = key;
  cache.all = observedMachines(scene.store)?.map(machine => {
    const row: MachineRow = {
      machine,
      rate: rates.get(machine.id),
      metrics: lastValue(scene.store.get(metricsFeed(machine.id, '1h'))),
      operation: scene.operations?.openOn({type: 'vm', id: machine.id}),
      now: scene.now,
    };
    const before = cache.byId.get(machine.id);
    return before !== undefined && isSameRow(before, row) ? before : row;
  });
  cache.byId = new Map(cache.all?.map(row => [row.machine.id, row]));
  return cache.all;
}

function isSameRow(before: MachineRow, row: MachineRow): boolean {
  return (
    before.machine === row.machine &&
    before.rate === row.rate &&
    before.metrics === row.metrics &&
    before.operation === row.operation &&
    bucketOf(before.now, row.operation !== undefined) === bucketOf(row.now, row.operation !== undefined)
  );
}

/** A row with something under way counts the seconds; the others are judged anew less often. */
function bucketOf(now: number, isUnderWay: boolean): number {
  return Math.floor(now / (isUnderWay ? SECOND_MS : JUDGED_EVERY_MS));
}

/** An expression with a mistake hides nothing; the mistake is told where it is typed. */
function filterRows(rows: readonly MachineRow[], text: string): readonly MachineRow[] {
  if (text.trim() === '') return rows;
  const parsed = parseMachineFilter(text);
  return parsed.ok ? rows.filter(row => matchesFilter(parsed.filter, filterRow(row))) : rows;
}

export function parseMachineFilter(text: string): ReturnType<typeof parseFilter> {
  return parseFilter(text, [...MACHINE_VALUES.keys(), 'label']);
}

function filterRow(row: MachineRow): FilterRow {
  return {
    cell: column => MACHINE_VALUES.get(column)?.(row),
    shownTexts: () => [...MACHINE_VALUES.values()].map(value => value(row)?.text ?? ''),
    labels: row.machine.labels,
  };
}

function sortRows(
  rows: readonly MachineRow[],
  {sortKey, isDescending}: Pick<MachinesView, 'sortKey' | 'isDescending'>,
): readonly MachineRow[] {
  const valueIn = MACHINE_VALUES.get(sortKey);
  if (valueIn === undefined) return rows;
  // Each value is made once, not once for each comparison.
  const keyed = rows.map(row => ({row, value: sortValue(valueIn(row))}));
  const order = rowOrder<(typeof keyed)[number]>({
    value: ({value}) => value,
    id: ({row}) => row.machine.id,
    direction: isDescending ? 'descending' : 'ascending',
  });
  return keyed.sort(order).map(({row}) => row);
}
