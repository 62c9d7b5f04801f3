import {expect, it} from 'vitest';
import {monthSoFar} from '../../../src/domain/billing-history.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {MINUTE_MS, monotonicMs} from '../../../src/domain/time.ts';
import {billingPane} from '../../../src/panes/billing/pane.tsx';
import {openPane} from '../../../src/panes/pane.ts';
import {historyFeed, machineHistoriesFeed, usageFeed} from '../../../src/state/billing.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, listed} from '../a-read-scene.ts';

const PERIOD = monthSoFar(NOW);
const USAGE = listed(usageFeed, [aUsageRecord(1, '4')]);
const MONTH = listed(historyFeed(PERIOD), [{billedCost: usd(rational(3n, 1n))}]);
const MACHINES = listed(machineHistoriesFeed(PERIOD), [
  {machineId: 1, name: safeText('gpu-1'), usedByState: [], billedCost: usd(rational(3n, 1n))},
]);
const WITHOUT_BILL = listed(historyFeed(PERIOD), []);

function shown(readings: readonly (typeof USAGE)[], columns = 160): string {
  // The readings here were made at 100 s.
  const monotonicNow = monotonicMs(100_000 + 6 * MINUTE_MS);
  const scene = aReadScene(readings, {size: {columns, rows: 40}, monotonicNow});
  const {Screen} = openPane(billingPane);
  return shownLines(<Screen scene={scene} />, columns).join('\n');
}

it.each([
  ['before the bill of the month', [USAGE]],
  ['before the bills of machines', [USAGE, MONTH]],
])('says that bills are still being read, and does not call the amounts settled: %s', (_, readings) => {
  expect(shown(readings)).toMatch(/top spenders.* bills are still being read/);
  expect(shown(readings)).not.toContain('add up');
  expect(shown(readings, 80)).toMatch(/top spenders.* bills are still being read/);
});

it.each([
  ['all bills were read', [USAGE, MONTH, MACHINES]],
  ['the provider keeps none', [USAGE, WITHOUT_BILL]],
])('says that days and spenders add up once %s', (_, readings) => {
  expect(shown(readings)).toContain('days and spenders add up');
  expect(shown(readings)).not.toContain('still being read');
});

it('counts the records with an impossible rate or bill, at any width', () => {
  const usage = listed(usageFeed, [
    aUsageRecord(1, '4'),
    aUsageRecord(2, '-4'),
    aUsageRecord(3, '1000000'),
    {...aUsageRecord(4, '4'), billedCost: usd(rational(-3n, 1n))},
  ]);
  for (const columns of [80, 160]) {
    expect(shown([usage, WITHOUT_BILL], columns)).toMatch(/top spenders.* 3 impossible amounts not counted/);
    expect(shown([USAGE, WITHOUT_BILL], columns)).not.toContain('impossible');
  }
});

it('shows the age of the bills that the spenders are taken from, which are read less often than the usage', () => {
  expect(shown([USAGE, MONTH, MACHINES])).toMatch(/top spenders.* machines billed 6m ago/);
  expect(shown([USAGE, MONTH, MACHINES], 80)).toMatch(/top spenders.* machines billed 6m ago/);
  expect(shown([USAGE, WITHOUT_BILL])).not.toContain('machines billed');
});

it('shows the bill of a resource without a creation time, and nothing when there is no bill', () => {
  const {createdAt: _, ...undated} = aUsageRecord(1, '4');
  const usage = listed(usageFeed, [undated]);
  // Six minutes at $4.00/h have passed since the bill, less the minute that it may lack.
  expect(shown([usage, MONTH, MACHINES])).toMatch(/gpu-1 .* 3\.33 +100%/);
  expect(shown([usage, MONTH])).toMatch(/gpu-1 .* – +–/);
  expect(shown([usage, WITHOUT_BILL])).toMatch(/month-to-date unknown/);
  expect(shown([usage, WITHOUT_BILL])).not.toContain('add up');
});

it('does not say that there is no waste while a running machine was not judged', () => {
  const inventory = [listed(machinesFeed, [aVirtualMachine({id: 1})]), listed(volumesFeed, [])];
  expect(shown([USAGE, WITHOUT_BILL, ...inventory])).toMatch(/waste 0 of 0 {2}1 not judged/);
});
