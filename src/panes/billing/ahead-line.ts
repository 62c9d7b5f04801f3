import {AHEAD_DAYS, moneyAhead} from '../../domain/money/ahead.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {budgetPace} from '../../domain/money/report.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {DAY_MS, momentOf} from '../../domain/time.ts';
import {creditLeft} from '../../state/billing.ts';
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
 * end are counted.
 */
export function aheadLine(scene: Scene, figures: BillingFigures | undefined, width: number): Line {
  const label = ` ${AHEAD_DAYS} days `;
  if (figures === undefined) return [];
  const {preferences, store, now, theme} = scene;
  const leftMs = creditLeft(store, figures, preferences);
  const budget = preferences.budget && budgetPace(figures, preferences.budget, preferences.budgetAlertRatios);
  const dates = moneyAhead(figures, {budget, creditEndsAt: leftMs === undefined ? undefined : momentOf(now + leftMs)});
  const {horizontal, live} = theme.glyphs;
  const axis = width - label.length - 1;
  const spans: Span[] = [{text: label, tone: 'dim'}];
  let [used, hidden] = [0, 0];
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
  if (dates.length === 0) spans.push({text: 'no contract, budget or credit ends ', tone: 'dim'});
  const rest = hidden > 0 ? ` +${hidden}` : '';
  const filled = dates.length === 0 ? 0 : Math.max(0, axis - used - rest.length);
  return [...spans, {text: `${horizontal.repeat(filled)}${rest}`, tone: 'dim'}];
}

/** Cells kept free at the end for the count of entries that do not fit. */
const HIDDEN_CELLS = 4;
