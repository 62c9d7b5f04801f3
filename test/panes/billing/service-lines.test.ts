import {expect, it} from 'vitest';
import {type BillingHistory, monthSoFar} from '../../../src/domain/billing-history.ts';
import type {DaySource} from '../../../src/domain/money/billed-day.ts';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {type Rational, rational, usd, ZERO_USD} from '../../../src/domain/money.ts';
import {HOUR_MS, monotonicMs} from '../../../src/domain/time.ts';
import {monthSourceSpans, narrowServiceLine, yesterdayText} from '../../../src/panes/billing/service-lines.ts';
import {historyFeed, lastDayCostFeed} from '../../../src/state/billing.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, failing, listed, read} from '../a-read-scene.ts';

/** One machine at a hundred dollars an hour for an hour: $100.00 this month. */
const FIGURES = computeFigures([aUsageRecord(1, '100')], [], NOW);
const FEED = historyFeed(monthSoFar(NOW));

function billed(amount: Rational): BillingHistory {
  return {billedCost: usd(amount)};
}

function sceneWith(records: readonly BillingHistory[], ageMs = 0) {
  // The readings here were made at 100 s.
  return aReadScene([listed(FEED, records)], {monotonicNow: monotonicMs(100_000 + ageMs)});
}

it('shows what yesterday cost, and that it is unknown until it was read', () => {
  expect(yesterdayText(aReadScene([]))).toBe('unknown');
  expect(yesterdayText(aReadScene([read(lastDayCostFeed, {})]))).toBe('unknown');
  expect(yesterdayText(aReadScene([read(lastDayCostFeed, {total: usd(rational(61_748n, 100n))})]))).toBe('$617.48');
});

it.each([
  [rational(100n, 1n), ''],
  [rational(1004n, 10n), ''],
  [rational(996n, 10n), ''],
  [rational(102n, 1n), '  the usage records give $100.00'],
  [rational(90n, 1n), '  the usage records give $100.00'],
])('shows what usage says when it differs by more than half a percent of $100: %o', (amount, expected) => {
  const spans = monthSourceSpans(sceneWith([billed(amount)]), FIGURES);
  expect(textOf(spans)).toBe(` bill read 0s ago${expected}`);
  expect(spans.some(({tone}) => tone === 'warning')).toBe(expected !== '');
});

it('compares as of the moment when the service was asked', () => {
  // Half an hour ago our own figure was $50.
  const spans = monthSourceSpans(sceneWith([billed(rational(50n, 1n))], HOUR_MS / 2), FIGURES);
  expect(textOf(spans)).toBe(' bill read 30m ago');
});

it('draws no conclusion while our own figure lacks deleted resources', () => {
  const lacking = computeFigures([aUsageRecord(1, '100')], undefined, NOW);
  expect(textOf(monthSourceSpans(sceneWith([billed(rational(900n, 1n))]), lacking))).toBe(' bill read 0s ago');
});

it('calls the month an estimate when nothing was billed, or the bill is not read yet or unreadable', () => {
  const estimated = ' estimated from usage; ';
  expect(textOf(monthSourceSpans(sceneWith([]), FIGURES))).toBe(`${estimated}the provider has no bill of it`);
  expect(textOf(monthSourceSpans(aReadScene([]), FIGURES))).toBe(`${estimated}the bill is being read`);
  expect(textOf(monthSourceSpans(failing(aReadScene([]), FEED), FIGURES))).toMatch(/; bill unknown: .*reset/);
  expect(textOf(monthSourceSpans(sceneWith([{}]), FIGURES))).toBe(`${estimated}the bill cannot be read`);
});

it('says how the days of a month without a bill are known, with the fill of their bars', () => {
  const sources: DaySource[] = [...Array.from({length: 12}, () => 'events' as const), 'samples', 'usage'];
  const days = sources.map(source => ({start: NOW, end: NOW, cost: ZERO_USD, source}));
  const line = textOf(monthSourceSpans(sceneWith([]), {...FIGURES, days}));
  expect(line).toBe(' no bill, estimated: █ 1 day sampled, ▒ 12 by events, ░ 1 spread evenly');
});

it('shows both in one line when the month has no box', () => {
  const line = textOf(narrowServiceLine(sceneWith([billed(rational(90n, 1n))]), FIGURES));
  expect(line).toBe(' yesterday unknown  month bill read 0s ago  usage $100.00');
  // With amounts of eleven characters it must fit between the edges of 80 columns.
  expect(line.length + '$100,000.00'.length * 2 - 'unknown'.length - '$100.00'.length).toBeLessThanOrEqual(78);
});
