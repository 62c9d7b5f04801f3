import {DAY_MS, type DurationMs, HOUR_MS} from '../time.ts';
import type {Slope} from './spend-curve.ts';

/** How long resources live, by Kaplan and Meier: those still alive count with their age so far. */
export type Survival = {
  /** How long a resource of this age will still live within a time, on average, in milliseconds. */
  readonly expectedMs: (ageMs: number, withinMs: number) => number;
};

/** Ages are counted in hours, up to a hundred days; all older ones count as the last. */
const MAX_HOURS = 2400;

/**
 * What spans show at a moment: by hours of age, the dollars per millisecond running then, the age at which they came
 * into view, how many had ended at that age, and how many went on. Sums, so that those of two sets of spans can be
 * added.
 */
export type SpanAges = {
  readonly running: Float64Array;
  readonly entered: Float64Array;
  readonly ended: Float64Array;
  readonly left: Float64Array;
};

/**
 * Only the last weeks of spans are used, each from its age at their start. If an account began with machines that stay
 * and later ones come and go, the whole past would make today's look like the first ones.
 */
const WINDOW_MS: DurationMs = 28 * DAY_MS;

/**
 * For spans as known at `at`: those that began before it, and their ends within the weeks before it. Added to `before`.
 */
export function spanAges(slopes: readonly Slope[], at: number, before?: SpanAges): SpanAges {
  const [running, entered, ended, left] =
    before === undefined
      ? [emptyAges(), emptyAges(), emptyAges(), emptyAges()]
      : [before.running.slice(), before.entered.slice(), before.ended.slice(), before.left.slice()];
  const since = at - WINDOW_MS;
  for (const {from, to, perMs} of slopes) {
    if (from >= at || to < since) continue;
    const hours = ageHours(Math.min(to, at) - from);
    const entry = ageHours(Math.max(from, since) - from);
    entered[entry] = (entered[entry] ?? 0) + 1;
    if (to < at) {
      ended[hours] = (ended[hours] ?? 0) + 1;
    } else {
      left[hours] = (left[hours] ?? 0) + 1;
      running[hours] = (running[hours] ?? 0) + perMs;
    }
  }
  return {running, entered, ended, left};
}

/** What is running at `at` by hours of age, at the rates that continue from then. */
export function aheadByAge(slopes: readonly Slope[], at: number): Float64Array {
  const running = emptyAges();
  for (const {from, to, aheadPerMs} of slopes) {
    if (from >= at || to < at) continue;
    const hours = ageHours(at - from);
    running[hours] = (running[hours] ?? 0) + aheadPerMs;
  }
  return running;
}

/** The cost of what is running, each for as long as similar ones have lived, within a time, in dollars. */
export function survivingCost(running: Float64Array, survival: Survival, withinMs: number): number {
  return running.reduce(
    (sum, perMs, hours) => (perMs === 0 ? sum : sum + perMs * survival.expectedMs(hours * HOUR_MS, withinMs)),
    0,
  );
}

function emptyAges(): Float64Array {
  return new Float64Array(MAX_HOURS + 1);
}

function ageHours(ageMs: number): number {
  return Math.min(MAX_HOURS, Math.floor(ageMs / HOUR_MS));
}

export function survivalOf(ages: Omit<SpanAges, 'running'>): Survival {
  return integrated(shares(ages));
}

/** The share that lives at least this many hours. */
function shares({entered, ended, left}: Omit<SpanAges, 'running'>): Float64Array {
  let atRisk = 0;
  const alive = new Float64Array(MAX_HOURS + 2);
  alive[0] = 1;
  for (let hour = 0; hour <= MAX_HOURS; hour += 1) {
    const deaths = ended[hour] ?? 0;
    atRisk += entered[hour] ?? 0;
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
  // Beyond the last hour that is distinguished, no end is known.
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
