import {billingInStatus} from '../../domain/cost.ts';
import {type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {rowOrder, type SortValue} from '../../domain/machine-order.ts';
import {isEnded} from '../../domain/operation.ts';
import type {MachineMetrics} from '../../domain/series.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {type MachineRow, machines} from '../../resources/machines.ts';
import type {Value} from '../../resources/resource.ts';
import {presentRates} from '../../state/billing.ts';
import type {Feed} from '../../state/feed.ts';
import {metricsFeed, observedMachines} from '../../state/machines.ts';
import {rowAtCursor} from '../list.ts';
import type {PaneContext, Scene} from '../pane.ts';
import type {MachinesView} from './view.ts';

export type ShownMachines = {
  /** Filtered and sorted. */
  readonly rows: readonly MachineRow[];
  /** All machines of the account; undefined while the list was never read. */
  readonly totalCount: number | undefined;
};

const VALUES = new Map(machines.columns.map(({key, value}) => [key, value]));

/** What a column is sorted by: its number where it has one. */
function sortValue(value: Value | undefined): SortValue {
  return value?.number ?? value?.text;
}

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
    cache.shown = {all, key, rows: patched(cache.shown, all, key, view) ?? sorted(all, view)};
  }
  return {rows: cache.shown.rows, totalCount: all.length};
}

export function machineUnderCursor({scene, view}: PaneContext<MachinesView>): VirtualMachine | undefined {
  return rowUnderCursor({scene, view})?.machine;
}

export function rowUnderCursor({scene, view}: PaneContext<MachinesView>): MachineRow | undefined {
  return rowAtCursor(view, shownMachines(scene, view).rows, row => row.machine.id);
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

/** All rows; the same array where nothing has changed, and in another one the same row for each that has not. */
function allRows(scene: Scene, cache: Cache): readonly MachineRow[] | undefined {
  const isUnderWay = scene.operations?.all().some(({phase}) => !isEnded(phase)) ?? false;
  const bucket = bucketOf(scene.now, isUnderWay);
  const key = `${scene.store.version()} ${scene.operations?.version() ?? 0} ${bucket}`;
  if (key === cache.allKey) return cache.all;
  cache.allKey = key;
  const observed = observedMachines(scene.store);
  const rates = presentRates(scene.store);
  const isStoppedBilled = billingInStatus('SHUTOFF', scene.preferences.prices) === 'full';
  const rows = observed?.map(machine => {
    const before = cache.byId.get(machine.id);
    const known = {
      machine,
      rate: rates.get(machine.id),
      metrics: lastValue(scene.store.get(hourFeed(machine.id))),
      operation: isUnderWay ? scene.operations?.openOn({type: 'vm', id: machine.id}) : undefined,
      isBilledStopped: isStoppedBilled && machine.status === 'SHUTOFF',
    };
    return before !== undefined && isSameRow(before, known, scene.now) ? before : {...known, now: scene.now};
  });
  if (rows === undefined || !isSameList(rows, cache.all)) {
    cache.all = rows;
    cache.byId = new Map(rows?.map(row => [row.machine.id, row]));
  }
  return cache.all;
}

/** Ten thousand machines are asked for with every reading; their feeds are made once. */
const hourFeeds = new Map<VirtualMachineId, Feed<MachineMetrics>>();
const MAX_HOUR_FEEDS = 50_000;

function hourFeed(id: VirtualMachineId): Feed<MachineMetrics> {
  const known = hourFeeds.get(id);
  if (known !== undefined) return known;
  if (hourFeeds.size >= MAX_HOUR_FEEDS) hourFeeds.clear();
  const feed = metricsFeed(id, '1h');
  hourFeeds.set(id, feed);
  return feed;
}

function isSameRow(before: MachineRow, known: Omit<MachineRow, 'now'>, now: number): boolean {
  return (
    before.machine === known.machine &&
    before.rate === known.rate &&
    before.metrics === known.metrics &&
    before.operation === known.operation &&
    bucketOf(before.now, known.operation !== undefined) === bucketOf(now, known.operation !== undefined)
  );
}

function isSameList(rows: readonly MachineRow[], before: readonly MachineRow[] | undefined): boolean {
  return before?.length === rows.length && rows.every((row, index) => row === before[index]);
}

/** A row with something under way counts the seconds; the others are judged anew less often. */
function bucketOf(now: number, isUnderWay: boolean): number {
  return Math.floor(now / (isUnderWay ? SECOND_MS : JUDGED_EVERY_MS));
}

/** With more rows than these to compare, sorting anew costs no more. */
const MAX_COMPARED = 200;
/** What these show changes with time and with readings; the others follow the machine and its rate alone. */
const TIMED_COLUMNS: ReadonlySet<string> = new Set(['cpu', 'mem', 'in', 'out', 'quiet', 'age']);

/**
 * A reading mostly changes a few rows and the order of none: then they only take the places of those they were.
 * Undefined where the list has to be filtered and sorted anew.
 */
function patched(
  shown: Cache['shown'],
  all: readonly MachineRow[],
  key: string,
  {sortKey, filterText}: Pick<MachinesView, 'filterText' | 'sortKey'>,
): readonly MachineRow[] | undefined {
  const valueIn = VALUES.get(sortKey);
  if (shown === undefined || shown.key !== key || filterText.trim() !== '' || valueIn === undefined) return undefined;
  if (shown.all.length !== all.length) return undefined;
  const changes = new Map<MachineRow, MachineRow>();
  let comparedCount = 0;
  for (const [index, row] of all.entries()) {
    const before = shown.all[index];
    if (before === row || before === undefined) continue;
    if (before.machine.id !== row.machine.id) return undefined;
    if (before.machine !== row.machine || before.rate !== row.rate || TIMED_COLUMNS.has(sortKey)) {
      comparedCount += 1;
      const isSamePlace = sortValue(valueIn(before)) === sortValue(valueIn(row));
      if (!isSamePlace || comparedCount > MAX_COMPARED) return undefined;
    }
    changes.set(before, row);
  }
  return shown.rows.map(row => changes.get(row) ?? row);
}

function sorted(all: readonly MachineRow[], view: Pick<MachinesView, 'filterText' | 'sortKey' | 'isDescending'>) {
  return sortRows(filterRows(all, view.filterText), view);
}

/** An expression with a mistake hides nothing; the mistake is told where it is typed. */
function filterRows(rows: readonly MachineRow[], text: string): readonly MachineRow[] {
  if (text.trim() === '') return rows;
  const parsed = parseMachineFilter(text);
  return parsed.ok ? rows.filter(row => matchesFilter(parsed.filter, filterRow(row))) : rows;
}

export function parseMachineFilter(text: string): ReturnType<typeof parseFilter> {
  return parseFilter(text, [...VALUES.keys(), 'label']);
}

function filterRow(row: MachineRow): FilterRow {
  return {
    cell: column => VALUES.get(column)?.(row),
    shownTexts: () => [...VALUES.values()].map(value => value(row)?.text ?? ''),
    labels: row.machine.labels,
  };
}

function sortRows(
  rows: readonly MachineRow[],
  {sortKey, isDescending}: Pick<MachinesView, 'sortKey' | 'isDescending'>,
): readonly MachineRow[] {
  const valueIn = VALUES.get(sortKey);
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
