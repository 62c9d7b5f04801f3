import {type BudgetUse, budgetUse} from '../domain/money/budget.ts';
import type {BillingFigures} from '../domain/money/figures.ts';
import {knownBurn, knownMonthToDate} from '../domain/money/report.ts';
import type {Known} from '../state/known.ts';
import {formatPace, formatPercent, formatShortUsd, formatUtcDay} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';

type BudgetSources = Pick<Known, 'preferences' | 'now'>;

/** For example `69% of $45k  5% over pace`, then the next share to be reached and when; nothing without a budget. */
export function budgetLines({preferences, now}: BudgetSources, figures: BillingFigures | undefined): readonly Line[] {
  const {budget, budgetAlertRatios: alertRatios} = preferences;
  if (budget === undefined || figures === undefined) return [];
  const monthToDate = knownMonthToDate(figures);
  if (monthToDate === undefined) return [[{text: `unknown share of ${formatShortUsd(budget)}`, tone: 'dim'}]];
  const burn = knownBurn(figures);
  const use = budgetUse({...figures, monthToDate, burn}, {budget, alertRatios}, now);
  if (use === undefined) return [];
  const {ratio, pace} = use;
  const isTold = alertRatios.some(each => each <= ratio);
  const tone: Tone = ratio >= 1 ? 'danger' : isTold ? 'warning' : 'text';
  return [
    [
      {text: `${formatPercent(ratio)} of ${formatShortUsd(budget)}`, tone},
      {
        text: pace === undefined ? '' : `  ${formatPace(pace)}`,
        tone: pace !== undefined && pace > 1 ? 'warning' : 'dim',
      },
    ],
    [{text: nextText(use, figures), tone: 'dim'}],
  ];
}

function nextText({ratio, next}: BudgetUse, figures: BillingFigures): string {
  if (next === undefined) return ratio >= 1 ? 'all of it is spent' : 'past the last alert threshold';
  const share = formatPercent(next.ratio);
  if (next.at !== undefined) return `${share} on ${formatUtcDay(next.at)} at this burn`;
  if (knownBurn(figures) === undefined) return `unknown when ${share} is reached`;
  const {unpricedCount} = figures;
  const missing = unpricedCount === 0 ? '' : ` without ${unpricedCount} of unknown price`;
  return `stays below ${share} this month${missing}`;
}
