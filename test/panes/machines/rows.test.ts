import {describe, expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, monotonicMs} from '../../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {MACHINE_COLUMNS, machinesPart, withoutGpus} from '../../../src/panes/machines/rows.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {usageFeed} from '../../../src/state/billing.ts';
import {flavorsFeed} from '../../../src/state/catalogue.ts';
import {machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import {LearntActivity} from '../../../src/state/learnt-activity.ts';
import {createStore} from '../../../src/state/store.ts';
import {machines} from '../../../src/resources/machines.ts';
import {layoutColumns} from '../../../src/ui/table.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aScene, THEME} from '../../app/a-scene.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';

const MACHINES = [
  aVirtualMachine({
    id: 1,
    name: safeText('train-2'),
    flavor: A_FLAVOR,
    labels: [safeText('prod')],
    createdAt: epochMs(NOW - 2 * HOUR_MS),
  }),
  aVirtualMachine({id: 2, name: safeText('train-10'), flavor: A_FLAVOR, createdAt: epochMs(NOW - 3 * DAY_MS)}),
  aVirtualMachine({id: 3, name: safeText('dev-1'), status: 'SHUTOFF', clusterId: 31}),
  aVirtualMachine({id: 4, name: safeText('dev-2'), status: 'REBOOTING', flavor: A_FLAVOR}),
];

type Chosen = {readonly sortKey: string; readonly isDescending: boolean; readonly filterText: string};

function shownMachines(scene: Scene, view: Chosen) {
  return machinesPart.list.shown({scene, view});
}

/** Two machines have a rate and two have metrics; nothing is known of the others. */
function openScene(): Scene {
  return aKnownScene({
    machines: MACHINES,
    usage: [aUsageRecord(1, '1'), aUsageRecord(2, '12'), aUsageRecord(3, undefined)],
    metrics: new Map([
      [virtualMachineId(1), busyMetrics(4)],
      [virtualMachineId(4), busyMetrics(12)],
    ]),
  });
}

function ids(sortKey: string, isDescending: boolean, filterText = '', scene = openScene()): readonly number[] {
  return shownMachines(scene, {sortKey, isDescending, filterText}).rows.map(({machine}) => machine.id);
}

describe('the order by cost', () => {
  const usage = (first: string | undefined) => ({
    records: [aUsageRecord(1, first), aUsageRecord(2, '12'), aUsageRecord(3, '1')],
    quarantined: [],
  });
  const fleet = (status: VirtualMachine['status']) =>
    [1, 2, 3].map(id => ({...aVirtualMachine({id, flavor: A_FLAVOR}), ...(id === 1 ? {status} : {})}));

  /** The ids in their order, and what is shown as the cost of machine 1, after each reading. */
  function orders(readings: readonly [VirtualMachine['status'], string | undefined][]) {
    const store = createStore();
    return readings.map(([status, rate], second) => {
      store.writeValue(machinesFeed, aListing(fleet(status)), monotonicMs(second * 1000));
      store.writeValue(usageFeed, usage(rate), monotonicMs(second * 1000));
      const {rows} = shownMachines(aScene({store, now: NOW}), {sortKey: 'cost', isDescending: true, filterText: ''});
      const first = rows.find(({machine}) => machine.id === 1);
      const cell = first && MACHINE_COLUMNS.find(({key}) => key === 'cost')?.cell(first, 9, THEME);
      return `${rows.map(({machine}) => machine.id).join(' ')}: ${textOf(cell ?? []).trim()}`;
    });
  }

  it('leaves a machine in its place while its rate is unknown, which is not shown as the present one', () => {
    expect(
      orders([
        ['ACTIVE', '25.60'],
        ['STOPPING', '25.60'],
        ['STOPPING', '0'],
        ['STOPPING', undefined],
        ['SHUTOFF', '0'],
        ['SHUTOFF', '25.60'],
      ]),
    ).toEqual(['1 2 3: 25.60', '1 2 3: –', '1 2 3: –', '1 2 3: –', '1 2 3: –', '1 2 3: 25.60']);
  });

  it('moves it once its new rate is known', () => {
    // Its disk and address while hibernated cost a cent an hour.
    expect(
      orders([
        ['HIBERNATING', '25.60'],
        ['HIBERNATED', '25.60'],
        ['HIBERNATED', '0.0097'],
        ['RESTORING', '0'],
      ]),
    ).toEqual(['1 2 3: –', '1 2 3: –', '2 3 1: 0.0097', '2 3 1: –']);
  });

  it('puts last what was never known', () => {
    expect(orders([['STOPPING', '0']])).toEqual(['2 3 1: –']);
    expect(orders([['CREATING', undefined]])).toEqual(['2 3 1: –']);
  });
});

describe('the order', () => {
  it.each<[string, boolean, readonly number[]]>([
    ['cost', true, [2, 1, 3, 4]],
    ['cost', false, [1, 2, 3, 4]],
    ['cpu', true, [4, 1, 2, 3]],
    ['cpu', false, [1, 4, 2, 3]],
    ['age', true, [2, 1, 3, 4]],
    ['age', false, [1, 2, 3, 4]],
    ['cluster', true, [3, 1, 2, 4]],
    ['name', false, [3, 4, 1, 2]],
    ['name', true, [2, 1, 4, 3]],
    ['id', true, [4, 3, 2, 1]],
  ])('by %s, descending %s, puts unknown values last, by id', (sortKey, isDescending, expected) => {
    expect(ids(sortKey, isDescending)).toEqual(expected);
  });

  it('is the order of the service when there is no such column', () => {
    expect(ids('no such column', true)).toEqual([1, 2, 3, 4]);
  });
});

describe('the filter', () => {
  it.each<[string, readonly number[]]>([
    ['', [1, 2, 3, 4]],
    ['   ', [1, 2, 3, 4]],
    ['train', [1, 2]],
    ['state:rebooting', [4]],
    ['cost>10', [2]],
    // 4 of 16 processors are 25 %, 12 of them 75 %; a machine without metrics is on neither side.
    ['cpu>50', [4]],
    ['cpu<50', [1]],
    ['!cpu>50', [1]],
    ['age<1d', [1]],
    ['label:prod', [1]],
    ['kind:node', [3]],
    // All but dev-1 have an L40; the word is in none of their names.
    ['gpu', [1, 2, 4]],
    ['train !label:prod', [2]],
    ['/^dev-\\d$/', [3, 4]],
    ['no such machine', []],
  ])('%s', (filterText, expected) => {
    expect(ids('id', false, filterText)).toEqual(expected);
  });

  it.each([
    ['serve', [1]],
    ['!serve', [2]],
    // No name and no other visible column contains the word, so hidden columns are searched too.
    ['ubuntu', [1, 2]],
    ['!ubuntu', []],
  ])('%s finds matches in visible columns before those in hidden ones', (filterText, expected) => {
    const imageName = safeText('Ubuntu Server 24.04');
    const machines = [
      aVirtualMachine({id: 1, name: safeText('serve-1'), imageName}),
      aVirtualMachine({id: 2, name: safeText('train-1'), imageName}),
    ];
    expect(ids('id', false, filterText, aKnownScene({machines}))).toEqual(expected);
  });

  it('hides nothing while it is invalid', () => {
    expect(ids('id', false, 'nonsense>80')).toEqual([1, 2, 3, 4]);
  });

  it('keeps the count of all machines', () => {
    const {totalCount} = shownMachines(openScene(), {sortKey: 'id', isDescending: false, filterText: 'train'});
    expect(totalCount).toBe(4);
  });
});

describe('after a reading', () => {
  const READ_AT = monotonicMs(200_000);
  const shownBy = (scene: Scene, sortKey: string) =>
    shownMachines(scene, {sortKey, isDescending: true, filterText: ''}).rows;

  function openStore() {
    const store = createStore();
    store.writeValue(machinesFeed, aListing(MACHINES), monotonicMs(0));
    return {store, scene: aScene({store, now: NOW})};
  }

  it.each([
    'name',
    'cpu',
    'cost',
  ])('sorted by %s, only the row that was read changes, and the order is right', sortKey => {
    const {store, scene} = openStore();
    const before = shownBy(scene, sortKey);
    store.writeValue(metricsFeed(virtualMachineId(4), '1h'), busyMetrics(12), READ_AT);
    const after = shownBy(scene, sortKey);
    const fresh = openStore();
    fresh.store.writeValue(metricsFeed(virtualMachineId(4), '1h'), busyMetrics(12), READ_AT);
    expect(after.map(({machine}) => machine.id)).toEqual(shownBy(fresh.scene, sortKey).map(({machine}) => machine.id));
    expect(after.filter(row => !before.includes(row)).map(({machine}) => machine.id)).toEqual([4]);
    expect(after.find(({machine}) => machine.id === 4)?.metrics).toBeDefined();
  });

  it('the array of rows is the same when the reading did not concern them', () => {
    const {store, scene} = openStore();
    const before = shownBy(scene, 'name');
    store.writeValue(flavorsFeed, {records: [], quarantined: []}, READ_AT);
    expect(shownBy(scene, 'name')).toBe(before);
  });

  it('a renamed machine moves to its place in the order', () => {
    const {store, scene} = openStore();
    expect(shownBy(scene, 'name')[0]?.machine.id).toBe(2);
    const renamed = MACHINES.map(machine => (machine.id === 3 ? {...machine, name: safeText('zebra')} : machine));
    store.writeValue(machinesFeed, aListing(renamed), READ_AT);
    expect(shownBy(scene, 'name')[0]?.machine.id).toBe(3);
  });

  it('a machine that is gone is no longer shown', () => {
    const {store, scene} = openStore();
    shownBy(scene, 'name');
    for (const at of [1, 2]) store.writeValue(machinesFeed, aListing(MACHINES.slice(1)), monotonicMs(READ_AT + at));
    expect(shownBy(scene, 'name').map(({machine}) => machine.id)).not.toContain(1);
  });
});

describe('the rows', () => {
  const view = {sortKey: 'cost', isDescending: true, filterText: ''};

  it('show no load of a machine that was started until a sample is newer than its start', () => {
    const [first] = MACHINES;
    if (first === undefined) throw new Error('Expected machines.');
    const metrics = new Map([[first.id, busyMetrics(12)]]);
    // The newest sample is at NOW.
    const cpuAfterStartAt = (startedAt: EpochMs) => {
      const activity = new LearntActivity(undefined);
      activity.learnStates([{...first, status: 'STARTING'}], epochMs(startedAt - 5_000));
      activity.learnStates([first], startedAt);
      const scene = {...aKnownScene({machines: [first], metrics}), activity};
      const [row] = machinesPart.list.shown({scene, view}).rows;
      return machines.columns.find(({key}) => key === 'cpu')?.value(row ?? ({} as never))?.text;
    };
    expect(cpuAfterStartAt(epochMs(NOW - 1000))).toMatch(/%$/);
    expect(cpuAfterStartAt(epochMs(NOW + 1000))).toBeUndefined();
  });

  it.each([
    'SHUTOFF',
    'STARTING',
    'RESTORING',
    'HIBERNATED',
    'ERROR',
  ] as const)('show no load for a machine that is %s', status => {
    const [first] = MACHINES;
    if (first === undefined) throw new Error('Expected machines.');
    const metrics = new Map([[first.id, busyMetrics(12)]]);
    const loadOf = (machine: typeof first) => {
      const [row] = machinesPart.list.shown({scene: aKnownScene({machines: [machine], metrics}), view}).rows;
      if (row === undefined) throw new Error('Expected a row.');
      return ['cpu', 'quiet'].map(key => machines.columns.find(column => column.key === key)?.value(row)?.text);
    };
    expect(loadOf(first)[0]).toMatch(/%$/);
    expect(loadOf({...first, status})).toEqual([undefined, undefined]);
  });

  it('show no machines and no count before the list was read', () => {
    expect(shownMachines(aScene(), view)).toMatchObject({rows: [], totalCount: undefined});
  });

  it('distinguish an empty account from one that was never read', () => {
    expect(shownMachines(aKnownScene({machines: []}), view)).toMatchObject({rows: [], totalCount: 0});
  });

  it('stay the same objects if they did not change, so that they are not painted again', () => {
    const store = createStore();
    const scene = aScene({store});
    const [first, ...others] = MACHINES;
    if (first === undefined) throw new Error('Expected machines.');
    store.writeValue(machinesFeed, aListing(MACHINES), monotonicMs(1));
    const before = shownMachines(scene, {...view, sortKey: 'id'}).rows;
    store.writeValue(machinesFeed, aListing([{...first, status: 'SHUTOFF'}, ...others]), monotonicMs(2));
    const after = shownMachines(scene, {...view, sortKey: 'id'}).rows;
    expect(after.map((row, index) => row === before[index])).toEqual([true, true, true, false]);
  });

  it('show the operation under way on a machine', () => {
    const operations = inMemoryOperations();
    const scene = {...openScene(), operations};
    operations.begin({action: {kind: 'vm.stop', id: virtualMachineId(2)}, subjectName: safeText('train-10')});
    const underWay = shownMachines(scene, view).rows.filter(({operation}) => operation !== undefined);
    expect(underWay.map(({machine}) => machine.id)).toEqual([2]);
  });

  it.each([
    ['ACTIVE', 9_000, 15, /^. ACTIVE \S9s *$/],
    ['HIBERNATING', 9_000, 15, /^. HIBERNA\S*… \S9s$/],
    ['HIBERNATING', 72_000, 15, /^. HIBER\S*… \S1m12$/],
    ['HIBERNATING', 72_000, 40, /^. HIBERNATING hibernate checking 1m12 *$/],
  ] as const)('keep the time of the operation beside %s after %d ms in %d cells', (status, now, width, shown) => {
    const operations = inMemoryOperations();
    operations.begin({
      action: {kind: 'vm.hibernate', id: virtualMachineId(2), retainIp: true},
      subjectName: safeText('a'),
    });
    const [, machine] = MACHINES;
    if (machine === undefined) throw new Error('Expected a machine.');
    const machines = [{...machine, status, statusText: safeText(status)}];
    const [row] = shownMachines({...aKnownScene({machines}), operations, now: epochMs(now)}, view).rows;
    const state = MACHINE_COLUMNS.find(({key}) => key === 'state');
    if (row === undefined || state === undefined) throw new Error('Expected a row and its state.');
    expect(textOf(state.cell(row, width, THEME))).toMatch(shown);
  });
});

it('shows the whole price of a machine in the smallest terminal', () => {
  // Between the edges of 60 columns, less the cells for cursor and mark.
  const placed = layoutColumns(withoutGpus(MACHINE_COLUMNS), 55);
  expect(placed.map(({column}) => column.key)).toEqual(['name', 'state', 'cpu', 'cost']);
  expect(placed.at(-1)?.width).toBe(7);
});
