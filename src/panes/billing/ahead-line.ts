import {type Runway, soonestMs} from '../../domain/cost.ts';
import {AHEAD_DAYS, type MoneyDate, moneyAhead} from '../../domain/money/ahead.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {budgetPace, knownBurn, knownMonthToDate} from '../../domain/money/report.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {DAY_MS, momentOf} from '../../domain/time.ts';
import {presentRunway} from '../../state/billing.ts';
import {formatRateChange, formatUtcDay} from '../../ui/format.ts';
import {type Line, type Span, widthOf} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Scene} from '../pane.ts';

const TONES = {loss: 'danger', rise: 'warning', limit: 'warning'} as const satisfies Record<string, Tone>;
/** From this width on, a date has room for its cost. */
const PRICED_FROM = 100;

/**
 * The next thirty days on one line, today at the left: ends of contracts, shares of the budget and the end of the
 * credit, each at its day. If there is no room at its day, an entry comes after the one in its way; those beyond the
 * end are counted. What is unknown is named first, since it may end as well.
 */
export function aheadLine(scene: Scene, figures: BillingFigures | undefined, width: number): Line {
  const label = ` ${AHEAD_DAYS} days `;
  if (figures === undefined) return [];
  const {preferences, now, theme} = scene;
  const runway = presentRunway(scene, knownBurn(figures), preferences);
  const endsInMs = runway && soonestMs(runway);
  const budget = preferences.budget && budgetPace(figures, preferences.budget, preferences.budgetAlertRatios);
  const dates = moneyAhead(figures, {
    budget,
    creditEndsAt: endsInMs === undefined ? undefined : momentOf(now + endsInMs),
  });
  const {horizontal, live} = theme.glyphs;
  const axis = width - label.length - 1;
  const spans: Span[] = [{text: label, tone: 'dim'}];
  const words = unknownWords(scene, figures, {runway, dates});
  if (words !== '') spans.push({text: words, tone: 'dim'});
  let [used, hidden] = [widthOf(words), 0];
  for (const {at, kind, what, rise} of dates) {
    const price = rise === undefined || width < PRICED_FROM ? '' : ` ${formatRateChange(hourlyUsd(rise))}`;
    const text = `${live} ${formatUtcDay(at)} ${what}${price} `;
    const place = Math.max(used, Math.floor(((at - now) / (AHEAD_DAYS * DAY_MS)) * axis));
    const room = axis - used - widthOf(text);
    if (hidden > 0 || room < HIDDEN_CELLS) {
      hidden += 1;
      continue;
    }
    const start = Math.min(place, used + room - HIDDEN_CELLS);
    spans.push({text: horizontal.repeat(start - used), tone: 'dim'}, {text, tone: TONES[kind]});
    used = start + widthOf(text);
  }
  const rest = hidden > 0 ? ` +${hidden}` : '';
  const filled = dates.length === 0 ? 0 : Math.max(0, axis - used - rest.length);
  return [...spans, {text: `${horizontal.repeat(filled)}${rest}`, tone: 'dim'}];
}

/** Cells kept free at the end for the count of entries that do not fit. */
const HIDDEN_CELLS = 4;

/** `contracts and credit unknown `, and, if there is no date, what of the rest has no end: `no contract ends `. */
function unknownWords(
  {preferences}: Scene,
  figures: BillingFigures,
  {runway, dates}: {readonly runway: Runway | undefined; readonly dates: readonly MoneyDate[]},
): string {
  const isBurnKnown = knownBurn(figures) !== undefined;
  const hasBudget = preferences.budget !== undefined;
  // What is billed at an unknown price may bring an end into these days, but does not move one out of them.
  const isCrossingKnown = figures.unpricedCount === 0 || dates.some(({kind}) => kind === 'limit');
  const isBudgetKnown = !hasBudget || (isBurnKnown && isCrossingKnown && knownMonthToDate(figures) !== undefined);
  const parts = [
    {one: 'contract', all: 'contracts', isKnown: figures.commitments !== undefined},
    {one: 'budget', all: 'budget', isKnown: isBudgetKnown},
    {one: 'credit', all: 'credit', isKnown: runway !== undefined && isEndKnown(runway)},
  ];
  const unknown = parts.filter(({isKnown}) => !isKnown).map(({all}) => all);
  // Without a budget nothing of it can end, which is worth a word only if nothing else is unknown.
  const ending = parts
    .filter(({one, isKnown}) => isKnown && (one !== 'budget' || hasBudget || unknown.length === 0))
    .map(({one}) => one);
  const words = [
    ...(unknown.length === 0 ? [] : [`${joined(unknown, 'and')} unknown`]),
    ...(dates.length === 0 && ending.length > 0 ? [`no ${joined(ending, 'or')} ends`] : []),
  ];
  return words.length === 0 ? '' : `${words.join(', ')} `;
}

function isEndKnown(runway: Runway): boolean {
  const endsInMs = soonestMs(runway);
  return runway.isEndless || (endsInMs !== undefined && (!runway.hasUnpriced || endsInMs <= AHEAD_DAYS * DAY_MS));
}

function joined(words: readonly string[], word: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${word} ${words.at(-1)}`;
}
