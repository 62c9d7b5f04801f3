import {DAY_MS, type DurationMs, HOUR_MS} from '../time.ts';
import type {Slope, SpendCurve} from './spend-curve.ts';
import {survivalAt} from './survival.ts';

/** A change of the burn rate that is known beforehand, as at the end of a contract. */
export type Cliff = {
  readonly at: number /** Dollars per millisecond, below zero where the burn rate falls. */;
  readonly perMs: number;
};

/** What the rest of a month will cost, in dollars: an estimate, with how well the same method did before. */
export type Forecast =
  | {
      readonly status: 'ready';
      readonly remaining: number;
      /** Eight times of ten the rest costs no less and no more than these. */
      readonly low80: number;
      readonly high80: number;
      readonly replay: Replay;
      /** The share that each method has in the figure. */
      readonly weights: Readonly<Record<Method, number>>;
      /** Whether a step of the burn rate has put the present rate above the past. */
      readonly followsStep: boolean;
    }
  | {readonly status: 'insufficient-data'};

/** How the method did on the past: at so many moments, off by so much on average. */
type Replay = {readonly points: number; readonly meanAbsoluteErrorRatio: number; readonly insideCount: number};

const METHODS = ['run7', 'blend', 'seasonal', 'survival', 'scheduled'] as const;
type Method = (typeof METHODS)[number];

const WEEK_MS = 7 * DAY_MS;
/** The newest week first. */
const WEEK_WEIGHTS = [0.4, 0.3, 0.2, 0.1];
const REPLAY_STEP_MS = 4 * DAY_MS;
const MAX_REPLAYS = 20;
const MIN_REPLAYS = 3;
const MIN_HISTORY_MS = 28 * DAY_MS;
/** Keeps a method that was right by chance from taking all the weight. */
const ERROR_FLOOR = 0.02;
const MIN_DEVIATION = 0.03;
/** The tenth and the ninetieth part of a normal distribution lie so many deviations from its middle. */
const DEVIATIONS_80 = 1.2816;
/** History windows overlap, and a fresh change is in none of them, so the past promises too much; the more so early. */
const WIDENING = {early: 1.3, late: 1.25} as const;
const EARLY_SHARE = 0.5;
/** Of the figure, where the burn rate has just made a step that the past knows nothing of. */
const STEP_SHARE = 0.8;

export type ForecastQuestion = {
  readonly curve: SpendCurve;
  readonly now: number;
  readonly monthStart: number;
  readonly monthEnd: number;
  readonly cliffs: readonly Cliff[];
  /** Whether a step of the burn rate is confirmed (cost.md 2.10). */
  readonly hasStep: boolean;
};

/**
 * What the rest of the month costs (cost.md 2.4 d to f): five methods, weighted by how well each did when the past was
 * forecast with what was known then, and the known cliffs. Refused where the past is too short to judge them.
 */
export function forecastRemaining(question: ForecastQuestion): Forecast {
  const {curve, now, monthStart, monthEnd, cliffs, hasStep} = question;
  const horizonMs = Math.max(0, monthEnd - now);
  if (horizonMs === 0) return settled();
  const replays = replaysOf(curve, now, horizonMs);
  if (replays.length < MIN_REPLAYS) return {status: 'insufficient-data'};
  const weights = weightsOf(replays);
  const estimates = estimatesAt(curve, now, horizonMs, newcomers(curve), aheadRate);
  const mixed = mix(estimates, weights);
  const followed = hasStep ? STEP_SHARE * estimates.scheduled + (1 - STEP_SHARE) * mixed : mixed;
  const remaining = Math.max(0, followed + cliffCost(cliffs, now, monthEnd));
  const elapsed = (now - monthStart) / (monthEnd - monthStart);
  const spread = Math.exp(DEVIATIONS_80 * deviation(replays, weights, elapsed < EARLY_SHARE ? 'early' : 'late'));
  return {
    status: 'ready',
    remaining,
    low80: remaining / spread,
    high80: remaining * spread,
    replay: judged(replays, weights, spread),
    weights,
    followsStep: hasStep,
  };
}

function settled(): Forecast {
  const replay = {points: 0, meanAbsoluteErrorRatio: 0, insideCount: 0};
  const weights = {run7: 0, blend: 0, seasonal: 0, survival: 0, scheduled: 1};
  return {status: 'ready', remaining: 0, low80: 0, high80: 0, replay, weights, followsStep: false};
}

type Estimates = Readonly<Record<Method, number>>;
type PastForecast = {readonly estimates: Estimates; readonly actual: number};

/** The same question at moments of the past, with what was known then, and what came of it. */
function replaysOf(curve: SpendCurve, now: number, horizonMs: DurationMs): readonly PastForecast[] {
  const arrivals = newcomers(curve);
  const replays: PastForecast[] = [];
  for (let back = 0; back < MAX_REPLAYS; back += 1) {
    const at = now - horizonMs - back * REPLAY_STEP_MS;
    if (at - curve.startsAt < MIN_HISTORY_MS) break;
    const actual = curve.spentBefore(at + horizonMs) - curve.spentBefore(at);
    if (actual > 0) replays.push({estimates: estimatesAt(curve, at, horizonMs, arrivals, averageRate), actual});
  }
  return replays;
}

type Newcomers = (at: number, withinMs: DurationMs) => number;

type RateOf = (slope: Slope) => number;
/** Of the past, only the average of each span is known. */
const averageRate: RateOf = ({perMs}) => perMs;
const aheadRate: RateOf = ({aheadPerMs}) => aheadPerMs;

function estimatesAt(
  curve: SpendCurve,
  at: number,
  horizonMs: DurationMs,
  arrivals: Newcomers,
  rateOf: RateOf,
): Estimates {
  const running = curve.slopes.filter(({from, to}) => from < at && to >= at);
  const scheduled = running.reduce((sum, slope) => sum + rateOf(slope), 0) * horizonMs;
  const weekMs = Math.max(HOUR_MS, Math.min(WEEK_MS, at - curve.startsAt));
  const run7 = ((curve.spentBefore(at) - curve.spentBefore(at - weekMs)) / weekMs) * horizonMs;
  return {
    run7,
    blend: (scheduled + run7) / 2,
    seasonal: seasonal(curve, at, horizonMs),
    survival: survivors(curve, running, {at, horizonMs, rateOf}) + arrivals(at, horizonMs),
    scheduled,
  };
}

/** Each coming hour as the same hours of the last four weeks were. */
function seasonal(curve: SpendCurve, at: number, horizonMs: DurationMs): number {
  const weeks = WEEK_WEIGHTS.map((weight, index) => ({weight, start: at - (index + 1) * WEEK_MS})).filter(
    ({start}) => start >= curve.startsAt,
  );
  const total = weeks.reduce((sum, {weight}) => sum + weight, 0);
  if (total === 0) return curve.burnBefore(at) * horizonMs;
  const [whole, restMs] = [Math.floor(horizonMs / WEEK_MS), horizonMs % WEEK_MS];
  const cost = (start: number, lengthMs: number) => curve.spentBefore(start + lengthMs) - curve.spentBefore(start);
  return weeks.reduce(
    (sum, {weight, start}) => sum + (weight / total) * (whole * cost(start, WEEK_MS) + cost(start, restMs)),
    0,
  );
}

/** What runs at the moment, for as long as its like has lived. */
function survivors(
  {slopes}: SpendCurve,
  running: readonly Slope[],
  {at, horizonMs, rateOf}: {readonly at: number; readonly horizonMs: DurationMs; readonly rateOf: RateOf},
): number {
  const survival = survivalAt(slopes, at);
  return running.reduce((sum, slope) => sum + rateOf(slope) * survival.expectedMs(at - slope.from, horizonMs), 0);
}

/** What resources that came within a time have cost in it, on average of the past; remembered by its moments. */
function newcomers({begunWithin, startsAt}: SpendCurve): Newcomers {
  const known = new Map<number, number>();
  const cost = (start: number, end: number) => {
    const remembered = known.get(start);
    if (remembered !== undefined) return remembered;
    const sum = begunWithin(start, end).reduce(
      (total, {from, to, perMs}) => total + perMs * (Math.min(to, end) - from),
      0,
    );
    known.set(start, sum);
    return sum;
  };
  return (at, withinMs) => {
    const costs: number[] = [];
    for (let start = at - withinMs; start >= startsAt && costs.length < MAX_REPLAYS; start -= REPLAY_STEP_MS) {
      costs.push(cost(start, start + withinMs));
    }
    return costs.length === 0 ? 0 : costs.reduce((sum, each) => sum + each, 0) / costs.length;
  };
}

function weightsOf(replays: readonly PastForecast[]): Estimates {
  const raw = estimatesOf(method => {
    const errors = replays.map(({estimates, actual}) => Math.abs(estimates[method] - actual) / actual);
    return (mean(errors) + ERROR_FLOOR) ** -2;
  });
  const total = METHODS.reduce((sum, method) => sum + raw[method], 0);
  return estimatesOf(method => raw[method] / total);
}

function mix(estimates: Estimates, weights: Estimates): number {
  return METHODS.reduce((sum, method) => sum + estimates[method] * weights[method], 0);
}

/** The deviation of what was from what was forecast, as a power of e. */
function deviation(replays: readonly PastForecast[], weights: Estimates, when: keyof typeof WIDENING): number {
  const squares = replays.map(({estimates, actual}) => Math.log(actual / Math.max(mix(estimates, weights), 1e-9)) ** 2);
  return WIDENING[when] * Math.max(MIN_DEVIATION, Math.sqrt(mean(squares)));
}

function judged(replays: readonly PastForecast[], weights: Estimates, spread: number): Replay {
  const ratios = replays.map(({estimates, actual}) => mix(estimates, weights) / actual);
  return {
    points: replays.length,
    meanAbsoluteErrorRatio: mean(ratios.map(ratio => Math.abs(ratio - 1))),
    insideCount: ratios.filter(ratio => ratio <= spread && ratio >= 1 / spread).length,
  };
}

/** What the cliffs ahead add until the month ends. */
function cliffCost(cliffs: readonly Cliff[], now: number, monthEnd: number): number {
  return cliffs.reduce((sum, {at, perMs}) => (at > now && at < monthEnd ? sum + perMs * (monthEnd - at) : sum), 0);
}

function estimatesOf(estimate: (method: Method) => number): Estimates {
  return {
    run7: estimate('run7'),
    blend: estimate('blend'),
    seasonal: estimate('seasonal'),
    survival: estimate('survival'),
    scheduled: estimate('scheduled'),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
