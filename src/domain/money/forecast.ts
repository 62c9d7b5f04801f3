import {memoPer} from '../memo.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, WEEK_MS} from '../time.ts';
import {arrivalGrowth, hoursBegun} from './arrival-trend.ts';
import type {BilledDay} from './billed-day.ts';
import {monthStart} from './spend.ts';
import type {Slope, SpendCurve} from './spend-curve.ts';
import {aheadByAge, type SpanAges, spanAges, survivalOf, survivingCost} from './survival.ts';
import {weekdayFactor} from './weekday.ts';

/** A change of the burn rate known in advance, such as at the end of a contract. */
export type Cliff = {
  readonly at: number;
  /** Dollars per millisecond, below zero where the burn rate falls. */
  readonly perMs: number;
};

/** The cost of the rest of a month, in dollars: an estimate, with the accuracy of the same method in the past. */
export type Forecast =
  | {
      readonly status: 'ready';
      readonly remaining: number;
      /** The 80% interval of the rest of the month. */
      readonly low80: number;
      readonly high80: number;
      readonly replay: Replay;
      /** The weight of each method in the figure. */
      readonly weights: Readonly<Record<Method, number>>;
      /** Whether a step has raised the present burn rate above the past. */
      readonly followsStep: boolean;
    }
  | {readonly status: 'insufficient-data'};

/** The accuracy of the method in the past: the number of moments tried, and the average error. */
type Replay = {readonly points: number; readonly meanAbsoluteErrorRatio: number; readonly insideCount: number};

const METHODS = ['run7', 'blend', 'seasonal', 'survival', 'scheduled'] as const;
type Method = (typeof METHODS)[number];

/** The newest week first. */
const WEEK_WEIGHTS = [0.4, 0.3, 0.2, 0.1];
const REPLAY_STEP_MS = 4 * DAY_MS;
const MAX_REPLAYS = 20;
const MIN_REPLAYS = 3;
/** New resources are estimated from the last four weeks: before that the account may have had another size. */
const MAX_ARRIVALS = 8;
const MIN_HISTORY_MS = 28 * DAY_MS;
/** Added to the error of each method, so that one that was exact by chance does not get all the weight. */
const ERROR_FLOOR = 0.02;
const MIN_DEVIATION = 0.03;
/** A larger deviation in the past counts as this one. */
const MAX_DEVIATION = 0.5;
/** Standard deviations from the mean to the 10th and 90th percentile of a normal distribution. */
const DEVIATIONS_80 = 1.2816;
/** Past windows overlap and do not contain a recent change, so they make the interval slightly too narrow. */
const WIDENING = 1.1;
/** The weight of `scheduled` right after a step of the burn rate, which the past does not contain. */
const STEP_SHARE = 0.8;

export type ForecastInput = {
  readonly curve: SpendCurve;
  readonly now: number;
  readonly monthEnd: number;
  readonly cliffs: readonly Cliff[];
  /** What the provider billed on past days. */
  readonly billed?: readonly BilledDay[];
  /** Whether a step of the burn rate is confirmed. */
  readonly hasStep: boolean;
};

/**
 * The cost of the rest of the month: five methods, weighted by how well each would have forecast the past with what was
 * known then; then adjusted for the remaining weekdays and the known cliffs. Refused if the past is too short to judge
 * them.
 */
export function forecastRemaining(input: ForecastInput): Forecast {
  const {curve, now, monthEnd, cliffs, billed = [], hasStep} = input;
  const horizonMs = Math.max(0, monthEnd - now);
  if (horizonMs === 0) return settled();
  const judgement = judgedOnce(curve, [now, monthEnd], () => judgedMethods(curve, {now, monthEnd, horizonMs}));
  if (judgement === undefined) return {status: 'insufficient-data'};
  const {mixed, scheduled, weights, spread, replay} = judgement;
  const followed = hasStep ? STEP_SHARE * scheduled + (1 - STEP_SHARE) * mixed : mixed;
  const weekdays = weekdayFactor(billed, curve, {start: now, end: monthEnd});
  const remaining = Math.max(0, followed * weekdays + cliffCost(cliffs, now, monthEnd));
  return {
    status: 'ready',
    remaining,
    low80: remaining / spread,
    high80: remaining * spread,
    replay,
    weights,
    followsStep: hasStep,
  };
}

/** What the methods say together, before weekdays and cliffs, and how well they did in the past. */
type Judgement = {
  readonly mixed: number;
  readonly scheduled: number;
  readonly weights: Estimates;
  readonly spread: number;
  readonly replay: Replay;
};

/** Bills change only the weekdays. */
const judgedOnce = memoPer<SpendCurve, Judgement | undefined>();

function judgedMethods(
  curve: SpendCurve,
  {now, monthEnd, horizonMs}: {readonly now: number; readonly monthEnd: number; readonly horizonMs: DurationMs},
): Judgement | undefined {
  // The past is evaluated by full hours, so ended spans are gone through once an hour and not at each poll.
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const past = pastOf(curve, {at: hour, horizonMs: monthEnd - hour});
  const replays = replaysOf(past);
  if (replays.length < MIN_REPLAYS) return undefined;
  const weights = weightsOf(replays);
  const estimates = presentEstimates(past, now, horizonMs);
  const errors = deviation(replays, weights);
  const share = evenErrorShare(errors, horizonMs, monthEnd);
  const spread = Math.exp(DEVIATIONS_80 * WIDENING * Math.max(MIN_DEVIATION, errors));
  const replay = judged(replays, weights, {share, spread});
  return {mixed: share * mix(estimates, weights), scheduled: estimates.scheduled, weights, spread, replay};
}

function settled(): Forecast {
  const replay = {points: 0, meanAbsoluteErrorRatio: 0, insideCount: 0};
  const weights = {run7: 0, blend: 0, seasonal: 0, survival: 0, scheduled: 1};
  return {status: 'ready', remaining: 0, low80: 0, high80: 0, replay, weights, followsStep: false};
}

type Estimates = Readonly<Record<Method, number>>;
type PastForecast = {readonly estimates: Estimates; readonly actual: number};

/** The past of a curve as needed for one hour: ended spans are added up once for each moment. */
type Past = {
  readonly curve: SpendCurve;
  readonly at: number;
  readonly horizonMs: DurationMs;
  readonly agesAt: (at: number) => SpanAges;
  /** The cost, within a horizon, of resources that began after a moment. */
  readonly arrivalsCost: (start: number) => number;
  /** The hours in which something began. */
  readonly hoursBegun: ReadonlySet<number>;
};

/** The sums over ended spans, for the hour in question. */
type KnownOver = {
  readonly ages: Map<number, SpanAges>;
  readonly arrivals: Map<number, number>;
  readonly hoursBegun: ReadonlySet<number>;
};

const knownOnce = memoPer<readonly Slope[], KnownOver>();

function pastOf(curve: SpendCurve, {at, horizonMs}: {readonly at: number; readonly horizonMs: DurationMs}): Past {
  const known = knownOnce(curve.over, [at, horizonMs], () => ({
    ages: new Map(),
    arrivals: new Map(),
    hoursBegun: hoursBegun(curve.over),
  }));
  return {
    curve,
    at,
    horizonMs,
    agesAt: moment =>
      spanAges(
        curve.open,
        moment,
        remembered(known.ages, moment, () => spanAges(curve.over, moment)),
      ),
    arrivalsCost: start =>
      arrivalsCost(curve.open, start, horizonMs) +
      remembered(known.arrivals, start, () => arrivalsCost(curve.over, start, horizonMs)),
    hoursBegun: new Set([...known.hoursBegun, ...hoursBegun(curve.open)]),
  };
}

function remembered<T>(known: Map<number, T>, moment: number, make: () => T): T {
  const value = known.get(moment) ?? make();
  known.set(moment, value);
  return value;
}

function arrivalsCost(slopes: readonly Slope[], start: number, withinMs: DurationMs): number {
  const end = start + withinMs;
  let sum = 0;
  for (const {from, to, perMs} of slopes) if (from >= start && from < end) sum += perMs * (Math.min(to, end) - from);
  return sum;
}

/** The same forecast at past moments, with what was known then, and what it actually cost. */
function replaysOf(past: Past): readonly PastForecast[] {
  const {curve, horizonMs} = past;
  const replays: PastForecast[] = [];
  for (let back = 0; back < MAX_REPLAYS; back += 1) {
    const at = past.at - horizonMs - back * REPLAY_STEP_MS;
    if (at - curve.startsAt < MIN_HISTORY_MS) break;
    const actual = curve.spentBefore(at + horizonMs) - curve.spentBefore(at);
    if (actual > 0) replays.push({estimates: pastEstimates(past, at), actual});
  }
  return replays;
}

/** For the past, only the average rate of each span is known. */
function pastEstimates(past: Past, at: number): Estimates {
  const ages = past.agesAt(at);
  return estimatesOf(past, {at, knownAt: at, ages, horizonMs: past.horizonMs, running: ages.running});
}

function presentEstimates(past: Past, now: number, horizonMs: DurationMs): Estimates {
  const running = aheadByAge(past.curve.open, now);
  return estimatesOf(past, {at: now, knownAt: past.at, ages: past.agesAt(past.at), horizonMs, running});
}

type ForecastPoint = {readonly curve: SpendCurve; readonly at: number; readonly horizonMs: DurationMs};

type EstimateInput = Omit<ForecastPoint, 'curve'> & {
  /** Nothing that became known after this moment is used. */
  readonly knownAt: number;
  /** The ages of the spans at that moment. */
  readonly ages: SpanAges;
  /** What is running, in dollars per millisecond by hours of age. */
  readonly running: Float64Array;
};

/**
 * `survival`: running resources last as long as similar ones have lasted, plus new ones. New resources are already part
 * of the weeks that the other methods use; if fewer are appearing by now, their share is reduced.
 */
function estimatesOf(past: Past, {at, knownAt, ages, horizonMs, running}: EstimateInput): Estimates {
  const {curve} = past;
  const scheduled = running.reduce((sum, rate) => sum + rate, 0) * horizonMs;
  const arriving = arrivals(past, knownAt) * (horizonMs / past.horizonMs);
  const survival = survivingCost(running, survivalOf(ages), horizonMs) + arriving;
  const arrivingShare = survival > 0 ? arriving / survival : 0;
  const trend = 1 + arrivingShare * (growthAfter(past, knownAt, horizonMs / 2 + WEEK_MS) - 1);
  const weekMs = Math.max(HOUR_MS, Math.min(WEEK_MS, at - curve.startsAt));
  const run7 = trend * ((curve.spentBefore(at) - curve.spentBefore(at - weekMs)) / weekMs) * horizonMs;
  const weekly = trend * seasonal({curve, at, horizonMs});
  return {run7, blend: (scheduled + run7) / 2, seasonal: weekly, survival, scheduled};
}

function growthAfter({curve, hoursBegun: hours}: Past, at: number, afterMs: DurationMs): number {
  return arrivalGrowth(hours, {at, startsAt: curve.startsAt, afterMs});
}

/** Each coming hour costs as much as the same hours of the last four weeks. */
function seasonal({curve, at, horizonMs}: ForecastPoint): number {
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

/** The cost of resources that begin within a horizon: the average of the last weeks before `at`, and its trend. */
function arrivals(past: Past, at: number): number {
  const {curve, horizonMs} = past;
  const costs: number[] = [];
  for (let start = at - horizonMs; start >= curve.startsAt && costs.length < MAX_ARRIVALS; start -= REPLAY_STEP_MS) {
    costs.push(past.arrivalsCost(start));
  }
  // From the middle of the past horizons to the middle of the coming one.
  const afterMs = horizonMs + (Math.max(0, costs.length - 1) * REPLAY_STEP_MS) / 2;
  return mean(costs) * growthAfter(past, at, afterMs);
}

function weightsOf(replays: readonly PastForecast[]): Estimates {
  const raw = byMethod(method => {
    const errors = replays.map(({estimates, actual}) => Math.abs(estimates[method] - actual) / actual);
    return (mean(errors) + ERROR_FLOOR) ** -2;
  });
  const total = METHODS.reduce((sum, method) => sum + raw[method], 0);
  return byMethod(method => raw[method] / total);
}

function mix(estimates: Estimates, weights: Estimates): number {
  return METHODS.reduce((sum, method) => sum + estimates[method] * weights[method], 0);
}

/** The deviation of the actual cost from the forecast, as a power of e. */
function deviation(replays: readonly PastForecast[], weights: Estimates): number {
  const squares = replays.map(({estimates, actual}) => Math.log(actual / Math.max(mix(estimates, weights), 1e-9)) ** 2);
  return Math.sqrt(mean(squares));
}

/**
 * The share of the expected cost to forecast. Spending is skewed: a few expensive months raise the mean above most
 * months, so forecasting the mean would be too high, in relative terms, more often than too low. This share errs
 * equally to both sides. The deviation is that of a log-normal rest of the month, and only that part of the month's
 * total is uncertain.
 */
function evenErrorShare(errors: number, horizonMs: DurationMs, monthEnd: number): number {
  const monthMs = monthEnd - monthStart(epochMs(monthEnd - 1));
  return Math.exp(-(Math.min(MAX_DEVIATION, errors) ** 2) * Math.min(1, horizonMs / monthMs));
}

function judged(
  replays: readonly PastForecast[],
  weights: Estimates,
  {share, spread}: {readonly share: number; readonly spread: number},
): Replay {
  const ratios = replays.map(({estimates, actual}) => (share * mix(estimates, weights)) / actual);
  return {
    points: replays.length,
    meanAbsoluteErrorRatio: mean(ratios.map(ratio => Math.abs(ratio - 1))),
    insideCount: ratios.filter(ratio => ratio <= spread && ratio >= 1 / spread).length,
  };
}

/** What the coming cliffs add until the month ends. */
export function cliffCost(cliffs: readonly Cliff[], now: number, monthEnd: number): number {
  return cliffs.reduce((sum, {at, perMs}) => (at > now && at < monthEnd ? sum + perMs * (monthEnd - at) : sum), 0);
}

function byMethod(estimate: (method: Method) => number): Estimates {
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
