import {hourlyUsd, usdNumber} from '../money.ts';
import {DAY_MS, dayStart, HOUR_MS} from '../time.ts';
import {SHORTEST_BILL_MS} from './billed-day.ts';
import {hibernatedRuns} from './hibernated-run.ts';
import {type CostReport, knownBurn} from './report.ts';
import {isHibernated, lastBefore, type Slope, slopesOf} from './spend-curve.ts';

/** The burn rate at any moment, as all charts and lists show it. */
export type BurnHistory = {
  /** Infinite if nothing was ever billed. */
  readonly startsAt: number;
  /** Dollars per millisecond just before a moment; for the present, the metered rate if that is known. */
  readonly burnBefore: (at: number) => number;
  /** Its maximum after one moment and up to another. */
  readonly highestWithin: (after: number, until: number) => number;
  /** The average dollars per hour over the UTC day of a moment. */
  readonly dayMeanPerHour: (at: number) => number;
};

/**
 * According to usage records, with hibernated machines at their price while they ran, scaled to the provider's bill on days
 * that have one.
 */
export function burnHistory(report: CostReport): BurnHistory {
  const {curve, days, reading, incident} = report;
  const {now} = reading;
  const burn = knownBurn(report);
  const hibernations = hibernationsOf(curve.open, reading);
  const burnBefore = (at: number) =>
    Math.max(
      0,
      hibernations.reduce((sum, hibernation) => sum + hibernation.changeAt(at), curve.burnBefore(at)),
    );
  const spentBetween = (from: number, to: number) =>
    hibernations.reduce(
      (sum, hibernation) => sum + hibernation.changeBetween(from, to),
      curve.spentBefore(to) - curve.spentBefore(from),
    );
  const billed = days
    .filter(({start, source}) => source === 'billed' && now - start >= SHORTEST_BILL_MS)
    .map(({start, end, cost}) => ({
      start,
      end,
      cost: usdNumber(cost),
      computed: spentBetween(start, Math.min(end, now)),
    }))
    .filter(({computed}) => computed > 0);
  const heightAt = (at: number) => {
    const day = billed.find(({start, end}) => start < at && at <= end);
    return day === undefined ? 1 : day.cost / day.computed;
  };
  const heightBefore = (at: number) =>
    at >= now && burn !== undefined ? hourlyUsd(burn) / HOUR_MS : burnBefore(at) * heightAt(at);
  // The rate is constant between two of these moments, so the values just before them are all the values it takes.
  const turns = Float64Array.from([
    ...slopesOf(curve).flatMap(({from, to}) => [from, to]),
    ...hibernations.map(({ranUntil}) => ranUntil),
    ...billed.flatMap(({start, end}) => [start, end]),
  ]).sort();
  return {
    startsAt: curve.startsAt,
    burnBefore: heightBefore,
    highestWithin: (after, until) => {
      const within = turns.subarray(lastBefore(turns, after) + 1, lastBefore(turns, until) + 1);
      // The rise that a finding tells has the same highest rate everywhere.
      const isPeakWithin = incident !== undefined && incident.peakAt > after && incident.peakAt <= until;
      return within.reduce(
        (highest, turn) => (turn > after ? Math.max(highest, heightBefore(turn)) : highest),
        Math.max(heightBefore(until), isPeakWithin ? incident.peakPerHour / HOUR_MS : 0),
      );
    },
    dayMeanPerHour: at => {
      const start = dayStart(at);
      const end = Math.min(start + DAY_MS, now);
      return (spentBetween(start, end) * heightAt(end) * HOUR_MS) / (end - start);
    },
  };
}

/**
 * The highest burn rate, in dollars per hour, in each of a number of parts of the time before `now`, ending with the
 * present rate, for a chart; a gap before the first record.
 */
export function burnBins(
  {startsAt, burnBefore, highestWithin}: BurnHistory,
  {now, windowMs, count}: {readonly now: number; readonly windowMs: number; readonly count: number},
): readonly (number | undefined)[] {
  return Array.from({length: count}, (_, index) => {
    const at = now - windowMs + ((index + 1) * windowMs) / count;
    if (at <= startsAt) return undefined;
    return (index === count - 1 ? burnBefore(at) : highestWithin(at - windowMs / count, at)) * HOUR_MS;
  });
}

/**
 * The difference between the burn rate and the average of a presently hibernated span: at a moment, and summed over a
 * time.
 */
type Hibernation = {
  readonly ranUntil: number;
  readonly changeAt: (at: number) => number;
  readonly changeBetween: (from: number, to: number) => number;
};

function hibernationsOf(open: readonly Slope[], reading: CostReport['reading']): readonly Hibernation[] {
  const {now} = reading;
  const runOf = hibernatedRuns(reading);
  return open.filter(isHibernated).flatMap(slope => {
    const {from, perMs} = slope;
    const run = runOf(slope);
    if (run === undefined) return [];
    const {until: ranUntil, perMs: running, hibernatedPerMs: hibernated} = run;
    const overlap = (start: number, end: number, [left, right]: readonly [number, number]) =>
      Math.max(0, Math.min(end, right) - Math.max(start, left));
    return {
      ranUntil,
      changeAt: at => (at <= from || at > now ? 0 : (at <= ranUntil ? running : hibernated) - perMs),
      changeBetween: (start, end) =>
        overlap(from, ranUntil, [start, end]) * (running - perMs) +
        overlap(ranUntil, now, [start, end]) * (hibernated - perMs),
    };
  });
}
