import {assert} from './assert.ts';
import {memoPer, oncePer} from './memo.ts';
import {type DurationMs, type EpochMs, epochMs, isAhead, MINUTE_MS} from './time.ts';

/** One value at one moment. */
export type Sample = {readonly sampledAt: EpochMs; readonly value: number};

/**
 * One cleaned metric series of a machine: ascending, one sample per moment (the finest granularity where several
 * overlap). Values are in base units: ns of CPU time, bytes.
 */
export type Series = Rows<Sample>;

/** The common interface of an array and a packed series. */
export type Rows<T> = Iterable<T> & {
  readonly length: number;
  /** Counted from the end if negative. */
  readonly at: (index: number) => T | undefined;
};

/**
 * A machine's metrics over one window. A series the service did not return is absent; an empty one means no samples
 * yet.
 */
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

/** The series of a machine that the service has, in the order in which they are written. */
export const SERIES_NAMES = [
  'cpu',
  'memory',
  'networkIn',
  'networkOut',
  'diskRead',
  'diskWrite',
] as const satisfies readonly (keyof MachineMetrics)[];

/** The average growth of a counter per second between two samples. */
export type RateSample = {readonly startedAt: EpochMs; readonly endedAt: EpochMs; readonly perSecond: number};

/** Ascending and without overlaps. */
export type Rates = Rows<RateSample>;

/** Values are cumulative since boot, or each is the amount since the previous sample. */
export type CounterKind = 'cumulative' | 'delta';

/** `count` equal parts of `[start, end)`. */
export type BinRange = {readonly start: EpochMs; readonly end: EpochMs; readonly count: number};

/** A gap this many times the usual spacing means that samples are missing. */
const GAP_FACTOR = 2.5;
/** Spacings on each side that define what is usual here. */
const NEIGHBOUR_COUNT = 5;
const MAX_UNEXPLAINED_FALL_RATIO = 0.02;
const MIN_LEVEL_IN_STEPS = 10;
/** A counter that was reset is near zero; noise is not. */
const RESET_RATIO = 0.5;
/** Two reboots within an hour of twelve samples are normal in an outage. */
const MIN_TOLERATED_RESETS = 2;
/** A terabyte, or a thousand CPUs' time, per second: more than any machine has. */
export const MAX_PER_SECOND = 1e12;
const CURRENT_INTERVALS = 3;
const CURRENT_GRACE_MS = MINUTE_MS;

/** The same series in the least memory: an object per sample takes five times as much. */
export function packedSeries(samples: Series): PackedSeries {
  if (samples instanceof PackedSeries) return samples;
  const count = samples.length;
  const numbers = new Float64Array(2 * count);
  let index = 0;
  for (const {sampledAt, value} of samples) {
    numbers[index] = sampledAt;
    numbers[count + index] = value;
    index += 1;
  }
  return new PackedSeries(numbers);
}

/** What was measured from a moment on; the same object if all of it was. */
export function metricsSince(metrics: MachineMetrics, since: EpochMs): MachineMetrics {
  // Most machines have been running for long, and what is computed of a reading is cached by it.
  if (SERIES_NAMES.every(name => (metrics[name]?.at(0)?.sampledAt ?? since) >= since)) return metrics;
  return sinceOnce(metrics, [since], () => {
    const cut: Partial<Record<(typeof SERIES_NAMES)[number], Series>> = {};
    for (const name of SERIES_NAMES) {
      const series = metrics[name];
      if (series !== undefined) cut[name] = packedSeries([...series].filter(({sampledAt}) => sampledAt >= since));
    }
    return cut;
  });
}

/** Cached: what is computed of a reading is cached by it. */
const sinceOnce = memoPer<MachineMetrics, MachineMetrics>();

/** The same rates in the least memory. */
export function packedRates(rates: Rates): PackedRates {
  if (rates instanceof PackedRates) return rates;
  const count = rates.length;
  const numbers = new Float64Array(3 * count);
  let index = 0;
  for (const {startedAt, endedAt, perSecond} of rates) {
    numbers[index] = startedAt;
    numbers[count + index] = endedAt;
    numbers[2 * count + index] = perSecond;
    index += 1;
  }
  return new PackedRates(numbers);
}

/** Rows of numbers, column after column. A row is created each time it is asked for; a number alone creates nothing. */
abstract class PackedRows<T> implements Rows<T> {
  readonly length: number;
  protected readonly numbers: Float64Array;

  constructor(numbers: Float64Array, columnCount: number) {
    this.numbers = numbers;
    this.length = numbers.length / columnCount;
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index;
    return position >= 0 && position < this.length ? this.row(position) : undefined;
  }

  /** Written by hand, since a generator takes twice the time. */
  [Symbol.iterator](): Iterator<T, undefined> {
    let index = 0;
    return {
      next: () => (index < this.length ? {value: this.row(index++)} : {done: true, value: undefined}),
    };
  }

  protected abstract row(index: number): T;
}

class PackedSeries extends PackedRows<Sample> {
  constructor(numbers: Float64Array) {
    super(numbers, 2);
  }

  timeAt(index: number): EpochMs {
    return epochMs(this.numbers[index] ?? Number.NaN);
  }

  valueAt(index: number): number {
    return this.numbers[this.length + index] ?? Number.NaN;
  }

  protected override row(index: number): Sample {
    return {sampledAt: this.timeAt(index), value: this.valueAt(index)};
  }
}

class PackedRates extends PackedRows<RateSample> {
  constructor(numbers: Float64Array) {
    super(numbers, 3);
  }

  startAt(index: number): EpochMs {
    return epochMs(this.numbers[index] ?? Number.NaN);
  }

  endAt(index: number): EpochMs {
    return epochMs(this.numbers[this.length + index] ?? Number.NaN);
  }

  perSecondAt(index: number): number {
    return this.numbers[2 * this.length + index] ?? Number.NaN;
  }

  protected override row(index: number): RateSample {
    return {
      startedAt: this.startAt(index),
      endedAt: this.endAt(index),
      perSecond: this.perSecondAt(index),
    };
  }
}

/**
 * Growth per second between consecutive samples, by the time between the rows, since the service's granularity column
 * has been seen to disagree with it. The first row yields no rate. A counter that fell was reset, one that grew by more
 * than any machine can do was misread, and a spacing with a gap in it was not measured: none of these yields a rate, so
 * all stay gaps.
 */
export function counterRates(series: Series, reading?: CounterKind): Rates {
  return reading === undefined ? ratesOnce(series) : ratesIn(packedSeries(series), reading);
}

/** Cached: every rule asks for the rates of the same series each time it judges. */
const ratesOnce = oncePer((series: Series) => ratesIn(packedSeries(series)));

function ratesIn(series: PackedSeries, reading = readingOf(series)): Rates {
  // Not cached, because the gaps of a counter are not read again.
  const gaps = gapsIn(series);
  const ends: number[] = [];
  for (let index = 1; index < series.length; index += 1) {
    if (gaps[index - 1] !== true && growthAt(series, index, reading) !== undefined) ends.push(index);
  }
  const numbers = new Float64Array(3 * ends.length);
  for (let row = 0; row < ends.length; row += 1) {
    const index = ends[row] ?? 0;
    numbers[row] = series.timeAt(index - 1);
    numbers[ends.length + row] = series.timeAt(index);
    numbers[2 * ends.length + row] = growthAt(series, index, reading) ?? Number.NaN;
  }
  return new PackedRates(numbers);
}

/** The growth per second up to a sample, on average. */
function growthAt(series: PackedSeries, index: number, reading: CounterKind): number | undefined {
  const amount = reading === 'cumulative' ? series.valueAt(index) - series.valueAt(index - 1) : series.valueAt(index);
  if (amount < 0) return undefined;
  const seconds = (series.timeAt(index) - series.timeAt(index - 1)) / 1000;
  const perSecond = amount / seconds;
  return perSecond > MAX_PER_SECOND ? undefined : perSecond;
}

/**
 * A counter hardly ever falls, and its level is far above its steps. In a short window a young counter that never fell
 * counts as one although its level is still low, and a fall to less than half is a reset, a few of which do not speak
 * against a counter.
 */
export function isCounter(series: Series): boolean {
  const packed = packedSeries(series);
  if (!hasFall(packed)) return true;
  const values = Array.from({length: packed.length}, (_, index) => packed.valueAt(index));
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

function hasFall(series: PackedSeries): boolean {
  for (let index = 1; index < series.length; index += 1) {
    if (series.valueAt(index) < series.valueAt(index - 1)) return true;
  }
  return false;
}

/**
 * For each spacing between consecutive samples, whether samples are missing in it. Spacings can differ within one
 * answer (hours at 300 s, the last minutes at 5 s), so one median over all would misjudge either part. The usual
 * spacing is the larger of the medians of the five before and the five after; longer than 2.5 × that is a gap. The very
 * first spacing, with none before it, is also compared with its one neighbour: a spacing that occurs twice is the
 * sampling interval.
 */
export const gapsOf = oncePer(gapsIn);

function gapsIn(series: Series): readonly boolean[] {
  const packed = packedSeries(series);
  const spacings = new Float64Array(Math.max(0, packed.length - 1));
  for (let index = 0; index < spacings.length; index += 1) {
    spacings[index] = packed.timeAt(index + 1) - packed.timeAt(index);
  }
  const gaps: boolean[] = [];
  for (let index = 0; index < spacings.length; index += 1) {
    gaps.push(spacings.length > 1 && !isUsualBefore(spacings, index) && !isUsualAfter(spacings, index));
  }
  return gaps;
}

function isUsualBefore(spacings: Float64Array, index: number): boolean {
  return index === 0
    ? isUsualAmong(spacings, index, 1, 2)
    : isUsualAmong(spacings, index, Math.max(0, index - NEIGHBOUR_COUNT), index);
}

function isUsualAfter(spacings: Float64Array, index: number): boolean {
  return isUsualAmong(spacings, index, index + 1, Math.min(spacings.length, index + 1 + NEIGHBOUR_COUNT));
}

/** Whether the median of these spacings times the factor reaches this one, which then holds for a majority of them. */
function isUsualAmong(spacings: Float64Array, of: number, start: number, end: number): boolean {
  const spacing = spacings[of] ?? 0;
  let count = 0;
  for (let index = start; index < end; index += 1) {
    if ((spacings[index] ?? 0) * GAP_FACTOR >= spacing) count += 1;
  }
  return count * 2 > end - start;
}

/** The time-weighted mean rate in each bin; undefined if nothing was measured. */
export function binRates(rates: Rates, bins: BinRange): readonly (number | undefined)[] {
  const packed = packedRates(rates);
  const binMs = binLength(bins);
  const amounts = new Float64Array(bins.count);
  const measuredMs = new Float64Array(bins.count);
  for (let position = firstAfter(packed, bins.start); position < packed.length; position += 1) {
    const perSecond = packed.perSecondAt(position);
    // Relative to the first bin: absolute times leave a float no precision for fractions of a millisecond.
    const from = packed.startAt(position) - bins.start;
    const to = packed.endAt(position) - bins.start;
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

/** The highest rate that ends within a span, or as little after it as clocks differ. */
export function highestRate(rates: Rates, {start, end}: Pick<BinRange, 'start' | 'end'>): number | undefined {
  const packed = packedRates(rates);
  let highest: number | undefined;
  for (let position = firstAfter(packed, start); position < packed.length; position += 1) {
    if (isAhead(packed.endAt(position), end)) break;
    const perSecond = packed.perSecondAt(position);
    if (perSecond > (highest ?? Number.NEGATIVE_INFINITY)) highest = perSecond;
  }
  return highest;
}

/** The highest sample of a gauge within a span, or as little after it as clocks differ. */
export function highestSample(series: Series, {start, end}: Pick<BinRange, 'start' | 'end'>): number | undefined {
  const packed = packedSeries(series);
  let highest: number | undefined;
  for (let position = packed.length - 1; position >= 0; position -= 1) {
    const sampledAt = packed.timeAt(position);
    if (sampledAt < start) break;
    if (isAhead(sampledAt, end)) continue;
    const value = packed.valueAt(position);
    if (value > (highest ?? Number.NEGATIVE_INFINITY)) highest = value;
  }
  return highest;
}

/** The first rate that ends after a moment; most of those kept end long before the displayed hour. */
function firstAfter(rates: PackedRates, moment: EpochMs): number {
  return firstOf(rates.length, index => rates.endAt(index) > moment);
}

/** The first sample from a moment on. */
function firstAt(series: PackedSeries, moment: EpochMs): number {
  return firstOf(series.length, index => series.timeAt(index) >= moment);
}

/** The first of ascending rows from which on the condition holds. */
function firstOf(length: number, isMet: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isMet(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The mean (or last) sample of a gauge in each bin; a sample at `end` counts into the last bin. A bin finer than the
 * sampling repeats the sample before it, unless samples are missing there; nothing is repeated after the last sample.
 */
export function binGauge(
  series: Series,
  bins: BinRange,
  choice: 'mean' | 'last' = 'mean',
): readonly (number | undefined)[] {
  const packed = packedSeries(series);
  const binMs = binLength(bins);
  const held: (number | undefined)[] = Array.from({length: bins.count}, () => undefined);
  const sampled: number[][] = held.map(() => []);
  const gaps = gapsOf(series);
  // The sample before the first bin is carried into it.
  const first = Math.max(0, firstAt(packed, bins.start) - 1);
  for (let position = first; position < packed.length; position += 1) {
    const sampledAt = packed.timeAt(position);
    const value = packed.valueAt(position);
    const index = sampledAt === bins.end ? bins.count - 1 : Math.floor((sampledAt - bins.start) / binMs);
    sampled[index]?.push(value);
    if (position + 1 === packed.length || gaps[position] === true) continue;
    const nextIndex = Math.min(bins.count, Math.floor((packed.timeAt(position + 1) - bins.start) / binMs));
    for (let between = Math.max(0, index + 1); between < nextIndex; between += 1) held[between] = value;
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
  // As a float, 0.95 × 20 is slightly above 19, and would give the next rank.
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
 * Whether a value sampled then is still current: two samples may be missing, plus a minute of transmission. Not less
 * for finer steps: the service measures every minute or every five, even if some machines are reported in steps of
 * seconds.
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
