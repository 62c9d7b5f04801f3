import {accrue, minutesOf, sumUsd, type Usd} from '../money.ts';
import {type EpochMs, HOUR_MS} from '../time.ts';
import {type BurnChange, burnChange, type CostReport} from './report.ts';
import {costWithin} from './spend.ts';
import type {Waste} from './waste.ts';

/** What a shift has cost, for whoever takes over: all that was spent since it began, and what came of the burn rate. */
export type ShiftReport = {
  readonly since: EpochMs;
  /** By the usage records, since a bill of a part of a day is not kept. */
  readonly spent: Usd;
  /** What of it went to waste, and to how many wasteful resources. */
  readonly wasted: Usd;
  readonly wastefulCount: number;
  readonly change: BurnChange;
  /** What the change of the burn rate adds to the month if it stays, in dollars. */
  readonly monthEndChange: number;
};

/** `waste`: undefined where that could not be told. */
export function shiftReport(report: CostReport, waste: readonly Waste[] | undefined, since: EpochMs): ShiftReport {
  const {records, reading} = report;
  const {now, month} = reading;
  const period = {start: since, end: now, now};
  const change = burnChange(report, Math.max(0, now - since));
  const wasteful = (waste ?? []).flatMap(each => wastedSince(each, since, now));
  return {
    since,
    spent: sumUsd(records.map(record => costWithin(record, period))),
    wasted: sumUsd(wasteful),
    wastefulCount: wasteful.length,
    change,
    monthEndChange: ((change.nowPerHour - change.thenPerHour) * Math.max(0, month.end - now)) / HOUR_MS,
  };
}

function wastedSince({rate, since: from}: Waste, since: EpochMs, now: EpochMs): readonly Usd[] {
  if (rate === undefined || from === undefined) return [];
  return [accrue(rate, minutesOf(Math.max(0, now - Math.max(from, since))))];
}
