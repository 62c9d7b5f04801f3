import {expect, it} from 'vitest';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {type BillingHistory, monthSoFar} from '../../../src/domain/billing-history.ts';
import {type Rational, rational, usd} from '../../../src/domain/money.ts';
import {HOUR_MS, monotonicMs} from '../../../src/domain/time.ts';
import {narrowServiceLine, serviceMonthSpans, yesterdayText} from '../../../src/panes/billing/service-lines.ts';
import {historyFeed, lastDayCostFeed} from '../../../src/state/billing.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, failing, listed, read} from '../a-read-scene.ts';

/** One machine at a hundred dollars an hour for an hour: $100.00 this month. */
const FIGURES = computeFigures([aUsageRecord(1, '100')], [], NOW);
const FEED = historyFeed(monthSoFar(NOW));

function billed(amount: Rational): BillingHistory {
  return {billedCost: usd(amount), classes: []};
}

function sceneWith(records: readonly BillingHistory[], ageMs = 0) {
  // What is read here was read at 100 s.
  return aReadScene([listed(FEED, records)], {monotonicNow: monotonicMs(100_000 + ageMs)});
}

it('says what yesterday cost, and that it is unknown until it was read', () => {
  expect(yesterdayText(aReadScene([]))).toBe('unknown');
  expect(yesterdayText(aReadScene([read(lastDayCostFeed, {})]))).toBe('unknown');
  expect(yesterdayText(aReadScene([read(lastDayCostFeed, {total: usd(rational(61_748n, 100n))})]))).toBe('$617.48');
});

it.each([
  [rational(100n, 1n), ' service $100.00  0s ago'],
  [rational(101n, 1n), ' service $101.00  0s ago'],
  [rational(99n, 1n), ' service $99.00  0s ago'],
  [rational(102n, 1n), ' service $102.00  $2.00 more than ours  0s ago'],
  [rational(90n, 1n), ' service $90.00  $10.00 less than ours  0s ago'],
])('warns of a month that is off by more than one percent of $100: %o', (amount, expected) => {
  const spans = serviceMonthSpans(sceneWith([billed(amount)]), FIGURES);
  expect(textOf(spans)).toBe(expected);
  expect(spans.some(({tone}) => tone === 'warning')).toBe(expected.includes('than ours'));
});

it('compares as of the moment when the service was asked', () => {
  // Half an hour ago ours was at $50.
  const spans = serviceMonthSpans(sceneWith([billed(rational(50n, 1n))], HOUR_MS / 2), FIGURES);
  expect(textOf(spans)).toBe(' service $50.00  30m ago');
});

it('draws no conclusion while what was deleted is missing in ours', () => {
  const lacking = computeFigures([aUsageRecord(1, '100')], undefined, NOW);
  expect(textOf(serviceMonthSpans(sceneWith([billed(rational(900n, 1n))]), lacking))).toBe(' service $900.00  0s ago');
});

it('says that nothing was billed, was not read, or cannot be known, and shows no zero for it', () => {
  expect(textOf(serviceMonthSpans(sceneWith([]), FIGURES))).toBe(' service has no bill of it');
  expect(textOf(serviceMonthSpans(aReadScene([]), FIGURES))).toBe(' service being read');
  expect(textOf(serviceMonthSpans(failing(aReadScene([]), FEED), FIGURES))).toMatch(/^ service unknown: .*reset/);
  expect(textOf(serviceMonthSpans(sceneWith([{classes: []}]), FIGURES))).toBe(' service unknown  0s ago');
});

it('has both in one line where there is no box for the month', () => {
  const line = textOf(narrowServiceLine(sceneWith([billed(rational(90n, 1n))]), FIGURES));
  expect(line).toBe(' yesterday unknown  month by the service $90.00  $10.00 less than ours  0s ago');
});
