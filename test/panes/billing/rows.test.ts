import {describe, expect, it, test} from 'vitest';
import {type MachineHistory, monthSoFar} from '../../../src/domain/billing-history.ts';
import type {Contract} from '../../../src/domain/contract.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, monotonicMs} from '../../../src/domain/time.ts';
import {listColumns} from '../../../src/panes/list/list-columns.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {LIST_VIEW, resourceList} from '../../../src/panes/list/resource-list.tsx';
import {plainValue} from '../../../src/resources/column.ts';
import {contracts as contractsResource, soonestContract} from '../../../src/resources/contracts.ts';
import {SPENDER_COLUMNS, spenderRows} from '../../../src/resources/usage.ts';
import {deletedUsageFeed, historyFeed, machineHistoriesFeed, usageFeed} from '../../../src/state/billing.ts';
import {contractFeed, contractsFeed} from '../../../src/state/contracts.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aScene, THEME} from '../../app/a-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, listed} from '../a-read-scene.ts';

const spenderList = resourceList({
  title: safeText('top spenders'),
  columns: SPENDER_COLUMNS,
  rows: spenderRows,
  idOf: ({key}) => key,
});
/** The view with which the pane opens. */
const INITIAL_VIEW = {...LIST_VIEW, sortKey: 'spent', isDescending: true};

function aHistory(machineId: number, dollars: bigint): MachineHistory {
  return {machineId, name: safeText('a'), usedByState: [], billedCost: usd(rational(dollars, 1n))};
}

describe('the cost billed by the service', () => {
  const usage = listed(usageFeed, [
    aUsageRecord(1, '4'),
    aUsageRecord(2, '3'),
    {...aUsageRecord(1, '2'), resourceType: safeText('volume')},
  ]);

  function spent(scene: Scene): readonly string[] {
    const column = listColumns(SPENDER_COLUMNS).find(({title}) => title === 'MONTH $');
    return spenderList
      .shown({scene, view: INITIAL_VIEW})
      .rows.map(row => `${row.name} ${textOf(column?.cell(row, 11, THEME) ?? []).trim()}`);
  }

  it('is shown for its machine, and what no resource explains of the month is shown separately', () => {
    const histories = listed(machineHistoriesFeed(monthSoFar(NOW)), [
      aHistory(1, 5n),
      aHistory(1, 7n),
      aHistory(9, 1n),
    ]);
    const month = listed(historyFeed(monthSoFar(NOW)), [{billedCost: usd(rational(21n, 1n))}]);
    // The two records of machine 1 are its two lives; the volume with the same number is no machine. 21 − 12 − 3 − 2.
    expect(spent(aReadScene([usage, histories, month]))).toEqual([
      'gpu-1 12.00',
      'not attributed 4.00',
      'gpu-2 3.00',
      'gpu-1 2.00',
    ]);
    // It is no resource, so it has no type and has not ended.
    const [, rest] = spenderList.shown({scene: aReadScene([usage, histories, month]), view: INITIAL_VIEW}).rows;
    const type = listColumns(SPENDER_COLUMNS).find(({title}) => title === 'TYPE');
    expect(rest && textOf(type?.cell(rest, 12, THEME) ?? []).trim()).toBe('–');
    // Beside an estimated month, the bills of some machines would not add up to it.
    expect(spent(aReadScene([usage, histories]))).toEqual(['gpu-1 4.00', 'gpu-2 3.00', 'gpu-1 2.00']);
  });

  it('keeps the same array of rows while nothing was read', () => {
    const scene = aReadScene([usage, listed(machineHistoriesFeed(monthSoFar(NOW)), [aHistory(1, 5n)])]);
    expect(spenderList.shown({scene, view: INITIAL_VIEW}).rows).toBe(
      spenderList.shown({scene, view: INITIAL_VIEW}).rows,
    );
  });
});

describe('the contract that ends soonest', () => {
  const contracts = [aContract(1, 9), aContract(2, 6), aContract(3, -1), aContract(4, undefined)];

  it('is the next to end, not one that has ended or whose end is unknown', () => {
    expect(soonestContract(aReadScene([listed(contractsFeed, contracts)]))?.id).toBe(2);
    expect(soonestContract(aReadScene([listed(contractsFeed, [aContract(3, -1)])]))).toBeUndefined();
    expect(soonestContract(aReadScene([]))).toBeUndefined();
  });

  it.each([
    [2000, 1000, 6],
    [1000, 2000, 60],
  ])('is taken from the newer of both readings: list at %i, alone at %i', (listAt, aloneAt, expectedDays) => {
    const store = createStore();
    store.writeValue(contractsFeed, {records: contracts, quarantined: []}, monotonicMs(listAt));
    store.writeValue(contractFeed(2), aContract(2, 60), monotonicMs(aloneAt));
    const shown = contractsResource.records?.(aScene({store, now: NOW}));
    expect(shown?.map(({id}) => id)).toEqual([1, 2, 3, 4]);
    expect(shown?.find(({id}) => id === 2)?.endsAt).toBe(NOW + expectedDays * DAY_MS);
  });
});

test('the list of contracts is saved with its amounts as numbers', () => {
  const flavor = {name: safeText('n3-H100x8'), gpuModel: safeText('H100-80G-PCIe'), gpuCount: 8};
  const contract: Contract = {
    ...aContract(118, 6),
    discounts: [
      {
        resourceName: flavor.name,
        resourceCount: 2,
        statusText: safeText('active'),
        terms: {kind: 'percent', percent: rational(20n, 1n)},
      },
    ],
  };
  const scene = aReadScene([
    listed(contractsFeed, [contract]),
    listed(usageFeed, [aUsageRecord(1, '4')]),
    listed(deletedUsageFeed, []),
    listed(machinesFeed, [aVirtualMachine({id: 1, flavor, contractId: 118})]),
  ]);
  const row = contractsResource.row(scene)(contract);
  const unused = contractsResource.columns.find(({key}) => key === 'unused')?.value(row);
  // Two machines of 80 % of 20 $/h were promised for the 476.97 hours of the month so far, and one was used for an hour.
  expect(unused && plainValue(unused)).toBeCloseTo((2 * 476.97 - 1) * 16, 6);
});

test('the detail of a contract names the hour of its end, and when each of its discounts ends', () => {
  const known = aReadScene([]);
  const endsAt = epochMs(Date.UTC(2099, 0, 8, 17, 30));
  const discount = {terms: {kind: 'percent' as const, percent: rational(30n, 1n)}, resourceName: safeText('H100')};
  const contract = {
    ...aContract(602, undefined),
    endsAt,
    discounts: [{...discount, endsAt: epochMs(Date.UTC(2098, 11, 5, 18, 0))}, discount],
  };
  const row = contractsResource.row(known)(contract);
  const detail = (contractsResource.detail?.(row, known, 200) ?? []).map(textOf).join('\n');
  expect(detail).toMatch(/ends +2099-01-08 17:30:00Z /);
  expect(detail).toMatch(/discounts +30% off H100, ends 2098-12-05 18:00:00Z \(not in force\), 30% off H100 \(not/m);
});

test.each([
  [5 + 23.5 / 24, '5 d 23 h left'],
  [13.999, '13 d 23 h left'],
  [14.5, '14d left'],
  [0.5, '12h left'],
  [-2, 'ended 2d ago'],
])('shows the hours of an end that is near: %f days', (days, expected) => {
  const known = aReadScene([]);
  const row = contractsResource.row(known)(aContract(7, days));
  const detail = (contractsResource.detail?.(row, known, 200) ?? []).map(textOf).join('\n');
  expect(detail).toMatch(new RegExp(`^ends .*Z  ${expected}$`, 'm'));
});

function aContract(id: number, endsInDays: number | undefined): Contract {
  return {
    id,
    status: 'ACTIVE',
    statusText: safeText('Active'),
    expirationPolicy: {kind: 'delete', code: 0},
    discounts: [],
    ...(endsInDays === undefined ? {} : {endsAt: epochMs(NOW + endsInDays * DAY_MS)}),
  };
}
