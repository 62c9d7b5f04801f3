import {listRate, usableRate} from '../cost.ts';
import {hourlyUsd, toNumber, usdNumber} from '../money.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS} from '../time.ts';
import type {CostReport} from './report.ts';
import {isAsleep, lastBefore, type Slope} from './spend-curve.ts';

/** The burn rate of any moment, as every chart and list of it shows it. */
export type BurnHistory = {
  /** Infinite where nothing was ever billed. */
  readonly startsAt: number;
  /** Dollars per millisecond just before a moment; that of now is what is metered now. */
  readonly burnBefore: (at: number) => number;
  /** The highest of it after one moment and up to another. */
  readonly highestWithin: (after: number, until: number) => number;
  /** Dollars per hour on average over the UTC day of a moment. */
  readonly dayMeanPerHour: (at: number) => number;
};

/**
 * As the usage records tell it, in the height of the provider's bill on days that have one. Records spread a bill over
 * its whole span: what sleeps now is taken to have been awake until its bill at its list price is used up.
 */
export function burnHistory({curve, burn, days, reading}: CostReport): BurnHistory {
  const {now} = reading;
  const sleeps = sleepsOf(curve.open, reading);
  const burnBefore = (at: number) =>
    Math.max(
      0,
      sleeps.reduce((sum, sleep) => sum + sleep.changeAt(at), curve.burnBefore(at)),
    );
  const spentBetween = (from: number, to: number) =>
    sleeps.reduce((sum, sleep) => sum + sleep.changeBetween(from, to), curve.spentBefore(to) - curve.spentBefore(from));
  const billed = days
    .filter(({source}) => source === 'billed')
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
  const heightBefore = (at: number) => (at >= now ? hourlyUsd(burn) / HOUR_MS : burnBefore(at) * heightAt(at));
  // Between two of these the rate is the same, so what it is before each of them is all that it ever is.
  const turns = Float64Array.from([
    ...curve.slopes.flatMap(({from, to}) => [from, to]),
    ...sleeps.map(({fellAsleepAt}) => fellAsleepAt),
    ...billed.flatMap(({start, end}) => [start, end]),
  ]).sort();
  return {
    startsAt: curve.startsAt,
    burnBefore: heightBefore,
    highestWithin: (after, until) => {
      const within = turns.subarray(lastBefore(turns, after) + 1, lastBefore(turns, until) + 1);
      return within.reduce(
        (highest, turn) => (turn > after ? Math.max(highest, heightBefore(turn)) : highest),
        heightBefore(until),
      );
    },
    dayMeanPerHour: at => {
      const start = Math.floor(at / DAY_MS) * DAY_MS;
      const end = Math.min(start + DAY_MS, now);
      return (spentBetween(start, end) * heightAt(end) * HOUR_MS) / (end - start);
    },
  };
}

/**
 * The highest burn rate in dollars per hour within each of so many parts of the time before `now`, and that of now as the
 * last, for a chart; a gap before the first record.
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

/** By how much the burn rate differs from the average of a span that sleeps now: at a moment, and summed over a time. */
type Sleep = {
  readonly fellAsleepAt: number;
  readonly changeAt: (at: number) => number;
  readonly changeBetween: (from: number, to: number) => number;
};

function sleepsOf(open: readonly Slope[], {now, machines, prices}: CostReport['reading']): readonly Sleep[] {
  const flavors = new Map<number, Parameters<typeof listRate>[0]>(machines?.map(({id, flavor}) => [id, flavor]));
  return open.filter(isAsleep).flatMap(({record, from, perMs}) => {
    const [list, present] = [listRate(flavors.get(record.resourceId), prices), usableRate(record)];
    if (record.resourceType.toLowerCase() !== 'vm' || list === undefined || present === undefined) return [];
    const [awake, asleep] = [toNumber(list) / MINUTE_MS, toNumber(present) / MINUTE_MS];
    if (awake <= perMs) return [];
    const fellAsleepAt = from + ((now - from) * (perMs - asleep)) / (awake - asleep);
    const overlap = (start: number, end: number, [left, right]: readonly [number, number]) =>
      Math.max(0, Math.min(end, right) - Math.max(start, left));
    return {
      fellAsleepAt,
      changeAt: at => (at <= from || at > now ? 0 : (at <= fellAsleepAt ? awake : asleep) - perMs),
      changeBetween: (start, end) =>
        overlap(from, fellAsleepAt, [start, end]) * (awake - perMs) +
        overlap(fellAsleepAt, now, [start, end]) * (asleep - perMs),
    };
  });
}
