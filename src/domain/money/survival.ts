import {HOUR_MS} from '../time.ts';
import type {Slope} from './spend-curve.ts';

/** How long resources live, by Kaplan and Meier: those that still live count for as long as they have lived. */
export type Survival = {
  /** The mean of how long one of this age lives on within a time: at most that time. All in milliseconds. */
  readonly expectedMs: (ageMs: number, withinMs: number) => number;
};

/** Ages are told apart by the hour, up to a hundred days; older ones have seen all that can be told. */
const MAX_HOURS = 2400;

/** The lifetimes of spans as known at `at`: those that began before it, and of their ends those before it. */
export function survivalAt(slopes: readonly Slope[], at: number): Survival {
  const [ended, left] = [new Float64Array(MAX_HOURS + 1), new Float64Array(MAX_HOURS + 1)];
  for (const {from, to} of slopes) {
    if (from >= at) continue;
    const hours = Math.min(MAX_HOURS, Math.floor((Math.min(to, at) - from) / HOUR_MS));
    const counted = to < at ? ended : left;
    counted[hours] = (counted[hours] ?? 0) + 1;
  }
  return integrated(shares(ended, left));
}

/** The share that lives at least so many hours. */
function shares(ended: Float64Array, left: Float64Array): Float64Array {
  let atRisk = ended.reduce((sum, count) => sum + count, 0) + left.reduce((sum, count) => sum + count, 0);
  const alive = new Float64Array(MAX_HOURS + 2);
  alive[0] = 1;
  for (let hour = 0; hour <= MAX_HOURS; hour += 1) {
    const deaths = ended[hour] ?? 0;
    alive[hour + 1] = (alive[hour] ?? 0) * (atRisk > 0 ? 1 - deaths / atRisk : 1);
    atRisk -= deaths + (left[hour] ?? 0);
  }
  return alive;
}

function integrated(alive: Float64Array): Survival {
  const area = new Float64Array(alive.length);
  for (let hour = 1; hour < alive.length; hour += 1) {
    area[hour] = (area[hour - 1] ?? 0) + ((alive[hour - 1] ?? 0) + (alive[hour] ?? 0)) / 2;
  }
  const last = alive.length - 1;
  const between = (values: Float64Array, hours: number): number => {
    const index = Math.min(last, Math.floor(hours));
    const [low, high] = [values[index] ?? 0, values[Math.min(last, index + 1)] ?? 0];
    return low + (high - low) * Math.min(1, hours - index);
  };
  // Beyond the last hour told apart nobody is known to end.
  const areaUntil = (hours: number) =>
    between(area, Math.min(last, hours)) + Math.max(0, hours - last) * (alive[last] ?? 0);
  return {
    expectedMs: (ageMs, withinMs) => {
      const [from, to] = [ageMs / HOUR_MS, (ageMs + withinMs) / HOUR_MS];
      const share = between(alive, Math.min(last, from));
      return share > 0 ? Math.min(withinMs, ((areaUntil(to) - areaUntil(from)) / share) * HOUR_MS) : withinMs;
    },
  };
}
