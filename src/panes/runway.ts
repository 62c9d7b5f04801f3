import {runwayText, soonestMs} from '../domain/cost.ts';
import type {BillingFigures} from '../domain/money/figures.ts';
import {knownBurn} from '../domain/money/report.ts';
import {knownCredit, presentRunway} from '../state/billing.ts';
import {formatRunway, formatUsd} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Scene} from './pane.ts';

/** The credit, and its source if that is not the service. */
export function creditText({store, preferences}: Pick<Scene, 'store' | 'preferences'>): string {
  const credit = knownCredit(store, preferences);
  if (credit === undefined) return 'unknown';
  return credit.isOwn ? `${formatUsd(credit.balance)} from your settings` : formatUsd(credit.balance);
}

/** How long the credit lasts at the present burn rate: `40h  CRIT: suspended at $0`, `40h at list prices  WARN`. */
export function runwayLine(
  scene: Pick<Scene, 'store' | 'preferences' | 'monotonicNow'>,
  figures: BillingFigures | undefined,
): Line {
  const {preferences} = scene;
  const known = presentRunway(scene, figures && knownBurn(figures), preferences);
  const text = runwayText(known, formatRunway);
  const endsInMs = known && soonestMs(known);
  if (known === undefined || endsInMs === undefined) return [{text, tone: 'dim'}];
  const [{leftMs}, {runwayCriticalMs}] = [known, preferences];
  if (leftMs !== undefined && leftMs < runwayCriticalMs) {
    return [{text: `${text}  CRIT: suspended at $0`, tone: 'danger'}];
  }
  if (endsInMs < runwayCriticalMs) return [{text: `${formatRunway(endsInMs)} at list prices  WARN`, tone: 'warning'}];
  // Unlike in the burn rate beside it, what is free only while it changes state is counted in full.
  const {changingCount, unmeteredCount} = known;
  const [count, words] = [changingCount + unmeteredCount, unmeteredCount === 0 ? 'changing state' : 'not metered'];
  return [
    {text, tone: 'strong'},
    {text: count === 0 ? '' : `  with ${count} ${words}`, tone: 'dim'},
  ];
}
