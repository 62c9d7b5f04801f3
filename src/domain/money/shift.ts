import {accrue, minutesOf, sumUsd, type Usd} from '../money.ts';
import {type EpochMs, HOUR_MS} from '../time.ts';
import {type BilledSoFar, type SpentInput, type SpentSince, spentSince} from './billed-day.ts';
import {type BurnChange, burnChange, type PastBurn} from './burn-change.ts';
import type {CostReport} from './report.ts';
import {recordsOf} from './settled.ts';
import type {Waste} from './waste.ts';

/** The cost of a shift, for whoever takes over: everything spent since it began, and how the burn rate changed. */
export type ShiftReport = SpentSince & {
  readonly since: EpochMs;
  /**
   * How much of it at least was wasted, undefined if nothing of it is known, and on how many resources: on those that
   * are wasteful now, since nothing tells of those that were mended.
   */
  readonly wasted: Usd | undefined;
  readonly wastefulCount: number;
  readonly change: BurnChange;
  /**
   * What the change of the burn rate adds to the month if it stays, in dollars; undefined if that change is unknown.
   */
  readonly monthEndChange: number | undefined;
};

/**
 * `waste`, `billed`, `past` (the burn rate when the shift began): undefined if unknown. `isSteady`: what was seen in one
 * state since the shift began; undefined if nothing watched.
 */
export function shiftReport(
  report: CostReport,
  {
    waste,
    billed,
    past,
    isSteady,
  }: {
    readonly waste: readonly Waste[] | undefined;
    readonly billed: BilledSoFar | undefined;
    readonly past?: PastBurn | undefined;
    readonly isSteady?: SpentInput['isSteady'];
  },
  since: EpochMs,
): ShiftReport {
  const {usage, reading} = report;
  const {now, month} = reading;
  const change = burnChange(report, Math.max(0, now - since), past);
  const {thenPerHour, nowPerHour} = change;
  const leftHours = Math.max(0, month.end - now) / HOUR_MS;
  const wasteful = (waste ?? []).flatMap(each => wastedSince(each, since, now));
  const isWasteUnknown = waste === undefined || (waste.length > 0 && wasteful.length === 0);
  return {
    since,
    ...spentSince(recordsOf(usage), {since, now, billed, isSteady}),
    wasted: isWasteUnknown ? undefined : sumUsd(wasteful),
    wastefulCount: wasteful.length,
    change,
    monthEndChange:
      thenPerHour === undefined || nowPerHour === undefined ? undefined : (nowPerHour - thenPerHour) * leftHours,
  };
}

function wastedSince({rate, since: from}: Waste, since: EpochMs, now: EpochMs): readonly Usd[] {
  if (rate === undefined || from === undefined) return [];
  return [accrue(rate, minutesOf(Math.max(0, now - Math.max(from, since))))];
}
