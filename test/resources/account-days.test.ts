import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {DAY_COLUMNS, accountDays} from '../../src/resources/account-days.ts';
import {deletedUsageFeed, historyFeed, usageFeed} from '../../src/state/billing.ts';
import {monthSoFar} from '../../src/domain/billing-history.ts';
import {accountDayLines} from '../../src/panes/billing/day-lines.ts';
import {aUsageRecord, NOW} from '../panes/a-known-scene.ts';
import {aReadScene, listed, textsOf} from '../panes/a-read-scene.ts';

// Two days of October, twenty of November so far; the last of them until 20:58:12.
const BEGUN = Date.UTC(2026, 9, 30);
const STEADY = {...aUsageRecord(1, '10'), createdAt: epochMs(BEGUN)};
const NONE_DELETED = listed(deletedUsageFeed, []);

/** The day and its cost as the list shows them, oldest first. */
function costs(records: readonly UsageRecord[], ...readings: Parameters<typeof aReadScene>[0]) {
  const days = accountDays(aReadScene([listed(usageFeed, records), ...readings])) ?? [];
  const shown = (key: string, row: (typeof days)[number]) =>
    DAY_COLUMNS.find(column => column.key === key)?.value(row)?.text ?? 'unknown';
  return days.map(day => `${shown('day', day)} ${shown('cost', day)}`).toReversed();
}

function billOf(month: number, day: number, dollars: bigint) {
  const startsAt = epochMs(Date.UTC(2026, month, day));
  const period = {startsAt, endsAt: epochMs(startsAt + DAY_MS)};
  return listed(historyFeed(period), [{billedCost: usd(rational(dollars, 1n))}]);
}

test('the detail of a day says what it cost while its bills by machine are still to come', () => {
  const month = listed(historyFeed(monthSoFar(NOW)), [{billedCost: usd(rational(4_800n, 1n))}]);
  const scene = aReadScene([listed(usageFeed, [STEADY]), NONE_DELETED, month, billOf(10, 19, 228n)]);
  const yesterday = accountDays(scene)?.[1];
  if (yesterday === undefined) throw new Error('no yesterday');
  const text = textsOf(accountDayLines(yesterday, scene, 80));
  expect(text).toMatch(/cost +\$228\.00 {2}as billed by the provider/);
  // The two are known by different ways.
  expect(text).toMatch(/burn from +usage/);
  expect(text).not.toMatch(/^ *source/m);
  expect(text).toContain('reading the bills of that day');
});

describe('what a day cost, in the list of days', () => {
  test('is its bill where that was read, in this month and before, otherwise marked as an estimate', () => {
    const shown = costs([STEADY], NONE_DELETED, billOf(9, 30, 200n), billOf(10, 19, 228n));
    expect(shown).toHaveLength(22);
    expect(shown.slice(0, 3)).toEqual(['Fri 2026-10-30 200.00', 'Sat 2026-10-31 ~240.00', 'Sun 2026-11-01 ~240.00']);
    // Today until 20:58:12: $10 × 20.97 h, and still growing.
    expect(shown.slice(-2)).toEqual(['Thu 2026-11-19 228.00', 'Fri 2026-11-20 ~209.70+']);
  });

  test('is unknown without a price, and before the deleted resources were read', () => {
    const ended = {...STEADY, isActive: false, terminatedAt: epochMs(Date.UTC(2026, 10, 1))};
    const unpriced = {...aUsageRecord(2, undefined), createdAt: epochMs(Date.UTC(2026, 10, 2))};
    const shown = costs([ended, unpriced], NONE_DELETED, billOf(10, 19, 228n));
    // Nothing was billed on the first of November, and nobody knows what on the second.
    expect(shown.slice(1, 4)).toEqual(['Sat 2026-10-31 ~240.00', 'Sun 2026-11-01 ~0.00', 'Mon 2026-11-02 unknown']);
    expect(shown.slice(-2)).toEqual(['Thu 2026-11-19 228.00', 'Fri 2026-11-20 unknown']);
    expect(costs([STEADY], billOf(10, 19, 228n)).slice(-2)).toEqual([
      'Thu 2026-11-19 228.00',
      'Fri 2026-11-20 unknown',
    ]);
  });
});
