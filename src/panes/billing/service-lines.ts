import {type BillingHistory, monthSoFar} from '../../domain/billing-history.ts';
import {differenceReason} from '../../domain/money/billed-difference.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {accrue, minutesOf, negateUsd, sumUsd, type Usd, usdNumber} from '../../domain/money.ts';
import {failureOf, lastValue, readAt} from '../../domain/snapshot.ts';
import type {DurationMs} from '../../domain/time.ts';
import {awayText, causeOf} from '../../resources/detail.ts';
import {historyFeed, lastDayCostFeed, machineHistoriesFeed} from '../../state/billing.ts';
import {formatCounted, formatDuration, formatKnown, formatUsd} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';
import {ESTIMATED_DAYS} from '../day-bars.ts';
import {feedAge} from '../feed-state.ts';
import type {Scene} from '../pane.ts';

/** If bill and usage records differ by more than this share, both are shown. */
const TOLERATED_RATIO = 0.005;

/** Whether the bills by machine are still to come: until then the amounts of spenders are estimates. */
export function areBillsAwaited({store, now}: Pick<Scene, 'store' | 'now'>): boolean {
  const period = monthSoFar(now);
  const month = store.get(historyFeed(period));
  if (month.status === 'waiting') return true;
  const isBilled = lastValue(month)?.records[0]?.billedCost !== undefined;
  return isBilled && store.get(machineHistoriesFeed(period)).status === 'waiting';
}

/** The age of the bills by machine, which are read less often than usage and do not change in between. */
export function spendersAgeText(scene: Pick<Scene, 'store' | 'now' | 'monotonicNow'>): string | undefined {
  const period = monthSoFar(scene.now);
  const isBilled = lastValue(scene.store.get(historyFeed(period)))?.records[0]?.billedCost !== undefined;
  const bills = lastValue(scene.store.get(machineHistoriesFeed(period)))?.records ?? [];
  if (!isBilled || bills.length === 0) return undefined;
  return `machines billed ${feedAge(scene, machineHistoriesFeed(period))} ago`;
}

/** What yesterday cost, according to the service. */
export function yesterdayText({store}: Pick<Scene, 'store'>): string {
  return formatKnown(lastValue(store.get(lastDayCostFeed))?.total, formatUsd);
}

export function isYesterdayKnown({store}: Pick<Scene, 'store'>): boolean {
  return lastValue(store.get(lastDayCostFeed))?.total !== undefined;
}

/** The source of the month's figure: the provider's bill and its age, or an estimate and why. */
export function monthSourceSpans(scene: Scene, figures: BillingFigures | undefined, isNarrow = false): readonly Span[] {
  const snapshot = scene.store.get(historyFeed(monthSoFar(scene.now)));
  const listing = lastValue(snapshot);
  if (listing === undefined) {
    const failure = failureOf(snapshot);
    // Without usage there is no estimate either.
    const source = figures === undefined ? '' : ' estimated from usage;';
    if (failure !== undefined) {
      return [{text: `${source} bill unknown: ${causeOf(failure)}`, tone: 'warning'}];
    }
    const away = awayText(scene.health);
    const text = away === undefined ? 'the bill is being read' : `bill not read: ${away}`;
    return [{text: `${source} ${text}`, tone: 'dim'}];
  }
  const [history] = listing.records;
  if (history?.billedCost === undefined) {
    const isUnreadable = history !== undefined || listing.quarantined.length > 0;
    const days = figures?.days ?? [];
    if (days.some(({source}) => source !== 'usage') && !isUnreadable && !isNarrow) {
      return [{text: ` no bill, estimated: ${knownByText(days, scene.theme)}`, tone: 'dim'}];
    }
    const none = isNarrow ? 'no bill' : 'the provider has no bill of it';
    const reason = isUnreadable ? 'the bill cannot be read' : none;
    return [{text: ` estimated from usage; ${reason}`, tone: isUnreadable ? 'warning' : 'dim'}];
  }
  const ageMs = scene.monotonicNow - (readAt(snapshot) ?? scene.monotonicNow);
  return [
    {text: ` bill read ${formatDuration(ageMs)} ago`, tone: 'dim'},
    ...differenceSpans(history, figures, {ageMs, isNarrow}),
  ];
}

/** For example `█ 3 days sampled, ▒ 5 by events, ░ 12 spread evenly`: the legend of the bars. */
function knownByText(days: BillingFigures['days'], {glyphs}: Scene['theme']): string {
  return ESTIMATED_DAYS.map(kind => ({...kind, count: days.filter(({source}) => source === kind.source).length}))
    .filter(({count}) => count > 0)
    .map(
      ({fill, count, words}, index) => `${fill(glyphs)} ${index === 0 ? formatCounted(count, 'day') : count} ${words}`,
    )
    .join(', ');
}

/**
 * The two are compared as of when the service was read, since ours has grown at the burn rate since. If ours is known
 * to lack deleted resources, the comparison would be meaningless.
 */
function differs(billedCost: Usd, figures: BillingFigures, ageMs: DurationMs): boolean {
  if (figures.lacksDeleted) return false;
  const ours = less(figures.estimated.total, accrue(figures.burn, minutesOf(ageMs)));
  const difference = Math.abs(usdNumber(less(billedCost, ours)));
  const larger = Math.max(Math.abs(usdNumber(billedCost)), Math.abs(usdNumber(ours)));
  return difference > TOLERATED_RATIO * larger;
}

function differenceSpans(
  {billedCost}: BillingHistory,
  figures: BillingFigures | undefined,
  {ageMs, isNarrow}: {readonly ageMs: DurationMs; readonly isNarrow: boolean},
): readonly Span[] {
  if (billedCost === undefined || figures === undefined || !differs(billedCost, figures, ageMs)) return [];
  const estimate = formatUsd(figures.estimated.total);
  const reason = differenceReason(figures);
  return [
    {text: isNarrow ? `  usage ${estimate}` : `  the usage records give ${estimate}`, tone: 'warning'},
    ...(reason === undefined ? [] : [{text: `: ${reason}`, tone: 'dim' as const}]),
  ];
}

function less(from: Usd, amount: Usd): Usd {
  return sumUsd([from, negateUsd(amount)]);
}

/** Both on one line, for a terminal without a box for the month. */
export function narrowServiceLine(scene: Scene, figures: BillingFigures | undefined): Line {
  return [
    {text: ' yesterday ', tone: 'dim'},
    {text: yesterdayText(scene), tone: 'money'},
    {text: '  month', tone: 'dim'},
    ...monthSourceSpans(scene, figures, true),
  ];
}
