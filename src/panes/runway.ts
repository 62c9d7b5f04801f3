import type {BillingFigures} from '../domain/money/figures.ts';
import {knownBurn} from '../domain/money/report.ts';
import {creditLeft, knownCredit} from '../state/billing.ts';
import {formatRunway, formatUsd} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Scene} from './pane.ts';

/** The credit, and its source if that is not the service. */
export function creditText({store, preferences}: Pick<Scene, 'store' | 'preferences'>): string {
  const credit = knownCredit(store, preferences);
  if (credit === undefined) return 'unknown';
  return credit.isOwn ? `${formatUsd(credit.balance)} from your settings` : formatUsd(credit.balance);
}

/** How long the credit lasts at the present burn rate: `40h  CRIT: suspended at $0`. */
export function runwayLine(
  {store, preferences}: Pick<Scene, 'store' | 'preferences'>,
  figures: BillingFigures | undefined,
): Line {
  const leftMs = creditLeft(store, figures, preferences);
  if (leftMs === undefined) {
    const isKnown =
      figures !== undefined && knownBurn(figures) !== undefined && knownCredit(store, preferences) !== undefined;
    return [{text: isKnown ? 'no end, nothing is billed' : 'unknown', tone: 'dim'}];
  }
  if (leftMs >= preferences.runwayCriticalMs) return [{text: formatRunway(leftMs), tone: 'strong'}];
  return [{text: `${formatRunway(leftMs)}  CRIT: suspended at $0`, tone: 'danger'}];
}
