import type {BillingFigures} from '../domain/billing-figures.ts';
import {lastValue} from '../domain/snapshot.ts';
import {HOUR_MS} from '../domain/time.ts';
import {creditLeft} from '../state/billing.ts';
import {creditFeed} from '../state/feeds.ts';
import {formatRunway} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Scene} from './pane.ts';

/** Below two days the service's suspension of everything is near enough to wake somebody. */
const RUNWAY_DANGER_MS = 48 * HOUR_MS;

/** How long the credit lasts at the present burn rate: `40h  CRIT at $0 all stops`. */
export function runwayLine({store}: Pick<Scene, 'store'>, figures: BillingFigures | undefined): Line {
  const leftMs = creditLeft(store, figures);
  if (leftMs === undefined) {
    const isKnown = figures !== undefined && lastValue(store.get(creditFeed))?.balance !== undefined;
    return [{text: isKnown ? 'no end, nothing is burning' : 'unknown', tone: 'dim'}];
  }
  if (leftMs >= RUNWAY_DANGER_MS) return [{text: formatRunway(leftMs), tone: 'strong'}];
  return [{text: `${formatRunway(leftMs)}  CRIT at $0 all stops`, tone: 'danger'}];
}
