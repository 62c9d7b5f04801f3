import type {BillingFigures} from '../../domain/billing-figures.ts';
import {type BillingHistory, monthSoFar} from '../../domain/billing-history.ts';
import {describeFailure} from '../../domain/failure.ts';
import {accrue, isNegative, minutesOf, rational, scaleUsd, sumUsd, type Usd, usdNumber} from '../../domain/money.ts';
import {failureOf, lastValue, readAt} from '../../domain/snapshot.ts';
import type {DurationMs} from '../../domain/time.ts';
import {historyFeed, lastDayCostFeed} from '../../state/billing.ts';
import {formatDuration, formatKnown, formatUsd} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

/** Beyond this share our month and the service's are not the same. */
const TOLERATED_RATIO = 0.01;
const OPPOSITE = rational(-1n, 1n);

/** What yesterday cost by the service's own count. */
export function yesterdayText({store}: Pick<Scene, 'store'>): string {
  return formatKnown(lastValue(store.get(lastDayCostFeed))?.total, formatUsd);
}

/** `service $31,204.00`, and by how much that is off from ours; nothing billed is said, not shown as zero. */
export function serviceMonthSpans(scene: Scene, figures: BillingFigures | undefined): readonly Span[] {
  const snapshot = scene.store.get(historyFeed(monthSoFar(scene.now)));
  const listing = lastValue(snapshot);
  const label: Span = {text: ' service ', tone: 'dim'};
  if (listing === undefined) {
    const failure = failureOf(snapshot);
    if (failure === undefined) return [label, {text: 'being read', tone: 'dim'}];
    return [label, {text: `unknown: ${describeFailure(failure)}`, tone: 'warning'}];
  }
  const [history] = listing.records;
  if (history === undefined) {
    const isUnreadable = listing.quarantined.length > 0;
    return [label, isUnreadable ? {text: 'unreadable', tone: 'warning'} : {text: 'has no bill of it', tone: 'dim'}];
  }
  const figure: Span = {text: formatKnown(history.billedCost, formatUsd), tone: 'money'};
  const ageMs = scene.monotonicNow - (readAt(snapshot) ?? scene.monotonicNow);
  const age: Span = {text: `  ${formatDuration(ageMs)} ago`, tone: 'dim'};
  return [label, figure, ...differenceSpans(history, figures, ageMs), age];
}

/**
 * The two are compared as of when the service was asked, since ours has grown by the burn rate meanwhile. Where ours
 * is known to lack what was deleted, the difference would say nothing.
 */
function differenceSpans(
  {billedCost}: BillingHistory,
  figures: BillingFigures | undefined,
  ageMs: DurationMs,
): readonly Span[] {
  if (billedCost === undefined || figures === undefined || figures.lacksDeleted) return [];
  const ours = less(figures.monthToDate, accrue(figures.burn, minutesOf(ageMs)));
  const difference = less(billedCost, ours);
  const larger = Math.max(Math.abs(usdNumber(billedCost)), Math.abs(usdNumber(ours)));
  if (Math.abs(usdNumber(difference)) <= TOLERATED_RATIO * larger) return [];
  const isLess = isNegative(difference);
  const magnitude = isLess ? scaleUsd(difference, OPPOSITE) : difference;
  return [{text: `  ${formatUsd(magnitude)} ${isLess ? 'less' : 'more'} than ours`, tone: 'warning'}];
}

function less(from: Usd, amount: Usd): Usd {
  return sumUsd([from, scaleUsd(amount, OPPOSITE)]);
}

/** Both in one line, for a terminal without a box for the month. */
export function narrowServiceLine(scene: Scene, figures: BillingFigures | undefined): Line {
  return [
    {text: ' yesterday ', tone: 'dim'},
    {text: yesterdayText(scene), tone: 'money'},
    {text: '  month by the', tone: 'dim'},
    ...serviceMonthSpans(scene, figures),
  ];
}
