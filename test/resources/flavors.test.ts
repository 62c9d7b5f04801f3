import {describe, expect, it} from 'vitest';
import type {Flavor} from '../../src/domain/flavor.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {Stock} from '../../src/domain/stock.ts';
import type {VirtualMachine} from '../../src/domain/virtual-machine.ts';
import {holdersOf, flavors as resource} from '../../src/resources/flavors.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {flavorsFeed, stocksFeed} from '../../src/state/catalogue.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {formatRateFigure} from '../../src/ui/format.ts';
import {A_FLAVOR, aUsageRecord} from '../panes/a-known-scene.ts';
import {aReadScene, failing, listed, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const CANADA = safeText('CANADA-1');
const L40: Flavor = {id: 11, labels: [], regionName: CANADA, ...A_FLAVOR};
const L40_STOCK: Stock = {
  model: safeText('L40'),
  regionName: CANADA,
  configurations: [{gpuCount: 1, available: {count: 2, isAtLeast: false}}],
};

function machine(id: number, rest: Partial<Omit<VirtualMachine, 'id'>> = {}): VirtualMachine {
  return aVirtualMachine({flavor: A_FLAVOR, regionName: CANADA, environmentName: safeText('research'), ...rest, id});
}

function sceneWith({
  flavors = [L40],
  stocks = [L40_STOCK],
  machines = [],
  usage = [],
}: {
  readonly flavors?: readonly Flavor[];
  readonly stocks?: readonly Stock[];
  readonly machines?: readonly VirtualMachine[];
  readonly usage?: readonly ReturnType<typeof aUsageRecord>[];
}) {
  const scene = aReadScene([
    listed(flavorsFeed, flavors),
    listed(stocksFeed, stocks),
    read(machinesFeed, aListing(machines)),
    listed(usageFeed, usage),
  ]);
  const [row] = rowsOf(resource, scene) ?? [];
  if (row === undefined) throw new Error('the flavor has no row');
  return {scene, row, rows: rowsOf(resource, scene) ?? [], text: detailOf(resource, row, scene, 200)};
}

describe('flavors', () => {
  it('joins the stock of its model and size, the list price, and the machines in its region', () => {
    const {row} = sceneWith({
      machines: [machine(1), machine(2, {status: 'HIBERNATED'}), machine(3, {regionName: safeText('NORWAY-1')})],
    });
    expect(row.available).toEqual({count: 2, isAtLeast: false});
    // One L40 is published at a dollar an hour.
    expect(formatRateFigure(row.listRate)).toBe('1.00');
    expect(holdersOf(row).map(({id}) => id)).toEqual([1]);
    expect(cellOf(resource, row, 'hibernated')?.number).toBe(1);
    expect(row.elsewhere.map(({id}) => id)).toEqual([3]);
  });

  it('shows the rates at which its machines are metered, without those of hibernated machines', () => {
    const machines = [machine(1), machine(2, {status: 'SHUTOFF'}), machine(3, {status: 'HIBERNATED'})];
    const usage = [aUsageRecord(1, '1.00'), aUsageRecord(2, '1.02'), aUsageRecord(3, '0.01')];
    const dear = sceneWith({machines, usage});
    expect(cellOf(resource, dear.row, 'metered')?.text).toBe('1.00+');
    expect(dear.text).toContain('$1.00–1.02/h');
    expect(cellOf(resource, sceneWith({machines: machines.slice(0, 1), usage}).row, 'metered')?.text).toBe('1.00');
    expect(cellOf(resource, sceneWith({}).row, 'metered')).toBeUndefined();
  });

  it('shows the metered rates without public addresses, which the list price does not include either', () => {
    const floatingIp = safeText('198.18.0.7');
    // An address is $0.00672043 an hour.
    const usage = [aUsageRecord(1, '1.00672043'), aUsageRecord(2, '1.00')];
    const {row, text} = sceneWith({machines: [machine(1, {floatingIp}), machine(2)], usage});
    expect(cellOf(resource, row, 'metered')?.text).toBe('1.00');
    expect(text).toMatch(/metered now\s+\$1\.00\/h/);
    // Whether this one's rate includes an address is unknown.
    const unread = sceneWith({machines: [machine(1, {hasUnreadAddress: true}), machine(2)], usage});
    expect(cellOf(resource, unread.row, 'metered')?.text).toBe('1.00');
    // What a contract pays separately is metered at nothing.
    const free = sceneWith({machines: [machine(1, {floatingIp, contractId: 7})], usage: [aUsageRecord(1, '0')]});
    expect(cellOf(resource, free.row, 'metered')?.text).toBe('0.00');
  });

  it('leaves out machines whose rate was metered in an earlier state, as their list does', () => {
    // Started since usage was read, when the first was still being created and the second was hibernated.
    const machines = [machine(1), machine(2, {flavor: {...A_FLAVOR, rootDiskGb: 100}}), machine(3)];
    // 100 GB of storage are $0.0096774 an hour.
    const before = [aUsageRecord(1, '0'), aUsageRecord(2, '0.0096774')];
    const {row} = sceneWith({machines, usage: [...before, aUsageRecord(3, '1.00')]});
    expect(cellOf(resource, row, 'metered')?.text).toBe('1.00');
    const unknown = sceneWith({machines: machines.slice(0, 2), usage: before});
    expect(cellOf(resource, unknown.row, 'metered')).toBeUndefined();
  });

  it('lists those with hibernated machines first, then those in use', () => {
    const of = (id: number, name: string): Flavor => ({id, name: safeText(name), regionName: CANADA, labels: []});
    const {rows} = sceneWith({
      flavors: [of(1, 'unused'), of(2, 'used'), of(3, 'asleep')],
      machines: [
        machine(1, {flavor: {name: safeText('used')}}),
        machine(2, {flavor: {name: safeText('asleep')}, status: 'HIBERNATED'}),
      ],
    });
    expect(rows.map(({flavor}) => flavor.name)).toEqual(['asleep', 'used', 'unused']);
  });

  it('shows unknown use, not none, while the machines are not loaded', () => {
    const scene = aReadScene([listed(flavorsFeed, [L40])]);
    const [row] = rowsOf(resource, scene) ?? [];
    expect(cellOf(resource, row, 'used')).toBeUndefined();
    expect(detailOf(resource, row, scene)).toMatch(/to restore +being read…/);
  });
});

describe('the availability of a flavor', () => {
  it.each<[string, Partial<Flavor>, readonly Stock[], string | undefined]>([
    ['a count', {}, [L40_STOCK], '2'],
    ['a flag without a count', {isInStock: true}, [], 'in stock'],
    ['a flag that says no', {isInStock: false}, [], 'none'],
    ['a contradiction, with a question mark', {isInStock: false}, [L40_STOCK], '2?'],
    ['nothing', {}, [], undefined],
  ])('shows %s', (_case, rest, stocks, expected) => {
    expect(cellOf(resource, sceneWith({flavors: [{...L40, ...rest}], stocks}).row, 'available')?.text).toBe(expected);
  });
});

describe('the stock for hibernated machines', () => {
  const asleep = (count: number) =>
    Array.from({length: count}, (_, index) => machine(index + 1, {status: 'HIBERNATED'}));

  it.each<[string, number, Partial<Flavor>, readonly Stock[], string]>([
    ['is enough for all', 2, {}, [L40_STOCK], '2 machines hibernated: stock allows restoring now'],
    ['is enough for some', 3, {}, [L40_STOCK], 'stock allows restoring 2 of them now'],
    ['is none', 1, {isInStock: false}, [], '1 machine hibernated: no stock, so none can be restored now'],
    ['differs between the two sources', 1, {isInStock: false}, [L40_STOCK], 'disagree'],
    ['is unknown', 1, {}, [], 'whether there is stock is not known'],
    ['is not needed', 0, {}, [L40_STOCK], 'no machine of this flavor is hibernated here'],
  ])('is reported when it %s', (_case, count, rest, stocks, expected) => {
    const {text} = sceneWith({flavors: [{...L40, ...rest}], stocks, machines: asleep(count)});
    expect(text).toContain(expected);
    for (let id = 1; id <= count; id += 1) expect(text).toContain(`#${id}`);
  });

  it('reports why the stock is unknown, and does not show usage that was never read as none', () => {
    const scene = failing(aReadScene([]), stocksFeed);
    const text = detailOf(resource, sceneWith({stocks: []}).row, scene);
    expect(text).toMatch(/stock\s+unknown: /);
    expect(text).toMatch(/metered now\s+–/);
  });

  it('reports in which environments and regions its hardware is in use', () => {
    const machines = [
      machine(1),
      machine(2),
      machine(3, {environmentName: safeText('production')}),
      machine(4, {regionName: safeText('NORWAY-1')}),
    ];
    const {text} = sceneWith({machines});
    expect(text).toContain('3: research 2  production 1');
    expect(text).toContain('NORWAY-1 1');
  });
});

describe('the labels of a flavor', () => {
  it('show no-hibernation once, even if two fields of the service say it', () => {
    const label = safeText('no-hibernation');
    const labelsOf = (rest: Partial<Flavor>) =>
      cellOf(resource, sceneWith({flavors: [{...L40, ...rest}]}).row, 'labels');
    expect(labelsOf({hasNoHibernation: true})?.text).toBe('no-hibernation');
    expect(labelsOf({hasNoHibernation: true, labels: [label]})?.text).toBe('no-hibernation');
    expect(labelsOf({hasNoHibernation: false})).toBeUndefined();
  });
});
