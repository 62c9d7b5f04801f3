import {listRate, usableRate} from '../cost.ts';
import {hourlyUsd, toNumber, usdNumber} from '../money.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS} from '../time.ts';
import type {CostReport} from './report.ts';
import {isAsleep, type Slope} from './spend-curve.ts';

/** The burn rate of any moment, as every chart and list of it shows it. */
export type BurnHistory = {
  /** Infinite where nothing was ever billed. */
  readonly startsAt: number;
  /** Dollars per millisecond just before a moment; that of now is what is metered now. */
  readonly burnBefore: (at: number) => number;
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
  return {
    startsAt: curve.startsAt,
    burnBefore: at => (at >= now ? hourlyUsd(burn) / HOUR_MS : burnBefore(at) * heightAt(at)),
    dayMeanPerHour: at => {
      const start = Math.floor(at / DAY_MS) * DAY_MS;
      const end = Math.min(start + DAY_MS, now);
      return (spentBetween(start, end) * heightAt(end) * HOUR_MS) / (end - start);
    },
  };
}

/** By how much the burn rate differs from the average of a span that sleeps now: at a moment, and summed over a time. */
type Sleep = {
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
      changeAt: at => (at <= from || at > now ? 0 : (at <= fellAsleepAt ? awake : asleep) - perMs),
      changeBetween: (start, end) =>
        overlap(from, fellAsleepAt, [start, end]) * (awake - perMs) +
        overlap(fellAsleepAt, now, [start, end]) * (asleep - perMs),
    };
  });
}
