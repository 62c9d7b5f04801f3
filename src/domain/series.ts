import {assert} from './assert.ts';
import {oncePer} from './memo.ts';
import {type DurationMs, type EpochMs, epochMs, isAhead, MINUTE_MS} from './time.ts';

/** One value at one moment. */
export type Sample = {readonly sampledAt: EpochMs; readonly value: number};

/**
 * One metric series of a machine as the service gives it, cleaned: ascending, one sample a moment (the finest
 * granularity where several overlap). Values are in base units: ns of CPU time, bytes.
 */
export type Series = Rows<Sample>;

/** What an array and a packed series have in common. */
export type Rows<T> = Iterable<T> & {
  readonly length: number;
  /** Counted from the end where it is negative. */
  readonly at: (index: number) => T | undefined;
};

/** A machine's metrics over one window. A series the service did not give is absent; an empty one means no samples yet. */
export type MachineMetrics = {
  /** Cumulative ns of CPU time over all vCPUs since boot. */
  readonly cpu?: Series;
  /** Bytes in use in the guest: a gauge. */
  readonly memory?: Series;
  /** Cumulative bytes since boot. */
  readonly networkIn?: Series;
  readonly networkOut?: Series;
  readonly diskRead?: Series;
  readonly diskWrite?: Series;
};

/** How fast a counter grew between two samples, per second, on average. */
export type RateSample = {readonly startedAt: EpochMs; readonly endedAt: EpochMs; readonly perSecond: number};

/** Ascending, and none overlaps another. */
export type Rates = Rows<RateSample>;

/** Each value counts from zero since boot, or each is the amount since the sample before. */
export type CounterKind = 'cumulative' | 'delta';

/** `count` equal parts of `[start, end)`. */
export type BinRange = {readonly start: EpochMs; readonly end: EpochMs; readonly count: number};

/** A spacing this many times the usual one means that samples are missing (cost.md 2.9). */
const GAP_FACTOR = 2.5;
/** Spacings on each side that say what is usual here. */
const NEIGHBOUR_COUNT = 5;
const MAX_UNEXPLAINED_FALL_RATIO = 0.02;
const MIN_LEVEL_IN_STEPS = 10;
/** A counter that was reset is near zero; noise is not. */
const RESET_RATIO = 0.5;
/** Two reboots within an hour of twelve samples are usual in an outage. */
const MIN_TOLERATED_RESETS = 2;
/** A terabyte, or a thousand processors' time, in a second: more than any machine has. */
export const MAX_PER_SECOND = 1e12;
const CURRENT_INTERVALS = 3;
const CURRENT_GRACE_MS = MINUTE_MS;

/** The same series in the least memory: an object for each sample takes five times as much. */
export function packedSeries(samples: Series): Series {
  const count = samples.length;
  const numbers = new Float64Array(2 * count);
  let index = 0;
  for (const {sampledAt, value} of samples) {
    numbers[index] = sampledAt;
    numbers[count + index] = value;
    index += 1;
  }
  return new PackedRows(count, at => ({
    sampledAt: epochMs(numbers[at] ?? Number.NaN),
    value: numbers[count + at] ?? Number.NaN,
  }));
}

/** The same rates in the least memory. */
export function packedRates(rates: Rates): Rates {
  const count = rates.length;
  const numbers = new Float64Array(3 * count);
  let index = 0;
  for (const {startedAt, endedAt, perSecond} of rates) {
    numbers[index] = startedAt;
    numbers[count + index] = endedAt;
    numbers[2 * count + index] = perSecond;
    index += 1;
  }
  return new PackedRows(count, at => ({
    startedAt: epochMs(numbers[at] ?? Number.NaN),
    endedAt: epochMs(numbers[count + at] ?? Number.NaN),
    perSecond: numbers[2 * count + at] ?? Number.NaN,
  }));
}

/** Rows that are made anew whenever they are asked for. */
class PackedRows<T> implements Rows<T> {
  readonly length: number;
  readonly #row: (index: number) => T;

  constructor(length: number, row: (index: number) => T) {
    this.length = length;
    this.#row = row;
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index;
    return position >= 0 && position < this.length ? this.#row(position) : undefined;
  }

  /** By hand, since rows are gone through for nearly every figure, and a generator takes twice the time. */
  [Symbol.iterator](): Iterator<T, undefined> {
    let index = 0;
    return {
      next: () => (index < this.length ? {value: this.#row(index++)} : {done: true, value: undefined}),
    };
  }
}

/**
 * Growth per second between consecutive samples, by the time between the rows: the service's granularity column has
 * been seen to disagree with it. The first row yields no rate. A counter that fell was reset, one that grew by more than
 * any machine can do was misread, and a spacing with a gap in it was not measured: none yields a rate, so all stay holes.
 */
export function counterRates(series: Series, reading?: CounterKind): Rates {
  return reading === undefined ? ratesOnce(series) : packedRates(ratesIn([...series], reading));
}

/** Every rule asks for the rates of the same series, each time that it judges. */
const ratesOnce = oncePer((series: Series) => packedRates(ratesIn([...series])));

function ratesIn(samples: readonly Sample[], reading = readingOf(samples)): readonly RateSample[] {
  // Not cached: the gaps of a counter are not read again.
  const gaps = gapsIn(samples);
  return samples.flatMap((sample, index) => {
    const rate = gaps[index - 1] === true ? undefined : rateBetween(samples[index - 1], sample, reading);
    return rate ?? [];
  });
}

function rateBetween(before: Sample | undefined, after: Sample | undefined, reading: CounterKind) {
  if (before === undefined || after === undefined) return undefined;
  const amount = reading === 'cumulative' ? after.value - before.value : after.value;
  if (amount < 0) return undefined;
  const seconds = (after.sampledAt - before.sampledAt) / 1000;
  const perSecond = amount / seconds;
  return perSecond > MAX_PER_SECOND ? undefined : {startedAt: before.sampledAt, endedAt: after.sampledAt, perSecond};
}

/**
 * The counter test of cost.md 2.9 (hardly a step falls, and the level is far above the steps), made to hold for short
 * windows too: a young counter that never fell is one although its level is still low, and a fall to less than half
 * is a reset, of which a few say nothing against a counter.
 */
export function isCounter(series: Series): boolean {
  const values = Array.from(series, ({value}) => value);
  if (!values.some((value, index) => value < (values[index - 1] ?? value))) return true;
  const steps = values.slice(1).map((after, index) => ({before: values[index] ?? 0, after}));
  const falls = steps.filter(step => step.after < step.before);
  const tolerated = steps.length * MAX_UNEXPLAINED_FALL_RATIO;
  const resetCount = falls.filter(step => step.after < step.before * RESET_RATIO).length;
  if (falls.length - resetCount > tolerated || resetCount > Math.max(MIN_TOLERATED_RESETS, tolerated)) return false;
  const usualStep =
    percentile(
      steps.map(step => Math.abs(step.after - step.before)),
      0.5,
    ) ?? 0;
  return (maximum(values) ?? 0) > MIN_LEVEL_IN_STEPS * usualStep;
}

/**
 * For each spacing between consecutive samples, whether samples are missing in it. Spacings can differ within one
 * answer (hours at 300 s, the last minutes at 5 s), so one median over all would call either part wrong. Usual is the
 * larger of the medians of the five spacings before and the five after; longer than 2.5 × that is a gap. The very
 * first spacing, with none before it, is also held against its one neighbour: what comes twice is the sampling.
 */
export const gapsOf = oncePer(gapsIn);

function gapsIn(series: Series): readonly boolean[] {
  const moments = Array.from(series, ({sampledAt}) => sampledAt);
  const spacings = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
  if (spacings.length < 2) return spacings.map(() => false);
  return spacings.map((spacing, index) => {
    const isUsualIn = (start: number, end: number) => isUsualAmong(spacings, spacing, start, end);
    const isUsualBefore = index === 0 ? isUsualIn(1, 2) : isUsualIn(Math.max(0, index - NEIGHBOUR_COUNT), index);
    return !isUsualBefore && !isUsualIn(index + 1, Math.min(spacings.length, index + 1 + NEIGHBOUR_COUNT));
  });
}

/** Whether the median of these spacings times the factor reaches this one: so does then a majority of them. */
function isUsualAmong(spacings: readonly number[], spacing: number, start: number, end: number): boolean {
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if ((spacings[index] ?? 0) * GAP_FACTOR >= spacing) count += 1;
  }
  return count * 2 > end - start;
}

/** The time-weighted mean rate in each bin; undefined where nothing was measured. */
export function binRates(rates: Rates, bins: BinRange): readonly (number | undefined)[] {
  const binMs = binLength(bins);
  const amounts = new Float64Array(bins.count);
  const measuredMs = new Float64Array(bins.count);
  for (let position = firstAfter(rates, bins.start); position < rates.length; position += 1) {
    const rate = rates.at(position);
    if (rate === undefined) continue;
    const {startedAt, endedAt, perSecond} = rate;
    // Counted from the first bin on: moments since 1970 leave a float no room for parts of a millisecond.
    const [from, to] = [startedAt - bins.start, endedAt - bins.start];
    const last = Math.min(bins.count - 1, Math.floor(to / binMs));
    for (let index = Math.max(0, Math.floor(from / binMs)); index <= last; index += 1) {
      const overlapMs = Math.min(to, (index + 1) * binMs) - Math.max(from, index * binMs);
      if (overlapMs <= 0) continue;
      amounts[index] = (amounts[index] ?? 0) + perSecond * overlapMs;
      measuredMs[index] = (measuredMs[index] ?? 0) + overlapMs;
    }
  }
  return Array.from(amounts, (amount, index) => quotient(amount, measuredMs[index] ?? 0));
}

/** The highest rate of those that end within a span, or as little after it as clocks differ. */
export function highestRate(rates: Rates, {start, end}: Pick<BinRange, 'start' | 'end'>): number | undefined {
  let highest: number | undefined;
  for (let position = firstAfter(rates, start); position < rates.length; position += 1) {
    const rate = rates.at(position);
    if (rate === undefined || isAhead(rate.endedAt, end)) break;
    if (rate.perSecond > (highest ?? Number.NEGATIVE_INFINITY)) highest = rate.perSecond;
  }
  return highest;
}

/** The highest sample of a gauge within a span, or as little after it as clocks differ. */
export function highestSample(series: Series, {start, end}: Pick<BinRange, 'start' | 'end'>): number | undefined {
  let highest: number | undefined;
  for (let position = series.length - 1; position >= 0; position -= 1) {
    const sample = series.at(position);
    if (sample === undefined || sample.sampledAt < start) break;
    if (isAhead(sample.sampledAt, end)) continue;
    if (sample.value > (highest ?? Number.NEGATIVE_INFINITY)) highest = sample.value;
  }
  return highest;
}

/** The first rate that ends after a moment; most that are kept end long before the hour that is shown. */
function firstAfter(rates: Rates, moment: EpochMs): number {
  return firstOf(rates, ({endedAt}) => endedAt > moment);
}

/** The first sample from a moment on. */
function firstAt(series: Series, moment: EpochMs): number {
  return firstOf(series, ({sampledAt}) => sampledAt >= moment);
}

/** The first of ascending rows from which on the condition is met. */
function firstOf<T>(rows: Rows<T>, isMet: (row: T) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows.at(middle);
    if (row !== undefined && !isMet(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The mean (or last) sample of a gauge in each bin; a sample at `end` counts into the last bin. A bin finer than the
 * sampling holds the sample before it, unless samples are missing there; nothing is held after the last sample.
 */
export function binGauge(
  series: Series,
  bins: BinRange,
  choice: 'mean' | 'last' = 'mean',
): readonly (number | undefined)[] {
  const binMs = binLength(bins);
  const held: (number | undefined)[] = Array.from({length: bins.count}, () => undefined);
  const sampled: number[][] = held.map(() => []);
  const gaps = gapsOf(series);
  // The sample before the first bin is held into it.
  const first = Math.max(0, firstAt(series, bins.start) - 1);
  for (let position = first; position < series.length; position += 1) {
    const sample = series.at(position);
    if (sample === undefined) continue;
    const index = sample.sampledAt === bins.end ? bins.count - 1 : Math.floor((sample.sampledAt - bins.start) / binMs);
    sampled[index]?.push(sample.value);
    const next = series.at(position + 1);
    if (next === undefined || gaps[position] === true) continue;
    const nextIndex = Math.min(bins.count, Math.floor((next.sampledAt - bins.start) / binMs));
    for (let between = Math.max(0, index + 1); between < nextIndex; between += 1) held[between] = sample.value;
  }
  return sampled.map((values, index) => (choice === 'mean' ? mean(values) : values.at(-1)) ?? held[index]);
}

export function latest<T>(ascending: Rows<T>): T | undefined {
  return ascending.at(-1);
}

/** The nearest-rank percentile: the smallest value that at least `quantile` (0–1) of all values do not exceed. */
export function percentile(values: readonly number[], quantile: number): number | undefined {
  assert(quantile >= 0 && quantile <= 1, 'a quantile outside 0 to 1');
  const ascending = [...values].sort((left, right) => left - right);
  // 0.95 × 20 is a hair above 19 as a float, and would give the rank after the one meant.
  const rank = Math.ceil(quantile * ascending.length - 1e-9);
  return ascending[Math.max(0, rank - 1)];
}

export function maximum(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>(
    (highest, value) => (highest === undefined || value > highest ? value : highest),
    undefined,
  );
}

/**
 * Whether a value sampled then still tells the present: two samples may be missing, and a minute for the way here. Over
 * finer steps no less: the service measures each minute, or each five, and some machines are told in steps of seconds.
 */
export function isCurrent(sampledAt: EpochMs, samplingIntervalMs: DurationMs, now: EpochMs): boolean {
  const maxAgeMs = CURRENT_INTERVALS * Math.max(samplingIntervalMs, MINUTE_MS) + CURRENT_GRACE_MS;
  return !isAhead(sampledAt, now) && now - sampledAt <= maxAgeMs;
}

function readingOf(series: Series): CounterKind {
  return isCounter(series) ? 'cumulative' : 'delta';
}

function binLength({start, end, count}: BinRange): DurationMs {
  assert(Number.isInteger(count) && count > 0 && end > start, 'bins of nothing');
  return (end - start) / count;
}

function quotient(amount: number, measuredMs: number): number | undefined {
  return measuredMs > 0 ? amount / measuredMs : undefined;
}

function mean(values: readonly number[]): number | undefined {
  return quotient(
    values.reduce((left, right) => left + right, 0),
    values.length,
  );
}
