import type {UsageRecord} from '../billing.ts';
import {isBurning, usableRate} from '../cost.ts';
import {compare, isNegative, toNumber, usdNumber} from '../money.ts';
import {type EpochMs, MINUTE_MS, WEEK_MS} from '../time.ts';
import {HIBERNATED_SHARE} from './spend.ts';

/**
 * One billing span as floats: dollars per millisecond over `[from, to)`. For estimates only: published amounts come
 * from exact sums.
 */
export type Slope = {
  readonly record: UsageRecord;
  readonly from: number;
  /** The end of the span; infinite while it goes on. */
  readonly to: number;
  /** Its average so far: bill divided by time. */
  readonly perMs: number;
  /** Its rate from now on, if it goes on. */
  readonly aheadPerMs: number;
};

/** What was spent until any moment, and at what rate, according to usage records. */
export type SpendCurve = {
  /** Ended spans, which do not change, in order of their start; and the others. */
  readonly over: readonly Slope[];
  readonly open: readonly Slope[];
  /** When the first span began; infinite if there is none. */
  readonly startsAt: number;
  /** Dollars spent before a moment. */
  readonly spentBefore: (at: number) => number;
  /** Dollars per millisecond just before a moment. */
  readonly burnBefore: (at: number) => number;
};

/** All spans. Created on demand, since with many records it would be costly at each reading. */
export function slopesOf({over, open}: Pick<SpendCurve, 'over' | 'open'>): readonly Slope[] {
  return [...over, ...open];
}

const HIBERNATED_RATIO = toNumber(HIBERNATED_SHARE);

/** Whether it is billed almost nothing now, or not yet: then it does not cause the present burn rate. */
export function isHibernated(slope: Slope): boolean {
  return presentPerMs(slope) <= HIBERNATED_RATIO * slope.perMs;
}

/** When a hibernated machine stopped running, if its events say so. */
export function hibernatedAt({record: {paidTimes}}: Slope): number | undefined {
  const last = paidTimes?.findLast(({share}) => compare(share, HIBERNATED_SHARE) > 0)?.until;
  return last === undefined || last === Infinity ? undefined : last;
}

/** Its metered rate, in dollars; its average if that is unknown. */
export function presentPerMs({record, perMs}: Slope): number {
  const rate = usableRate(record);
  return rate === undefined ? perMs : toNumber(rate) / MINUTE_MS;
}

/** A span metered for less than this share of its time was paused at some point. */
const MAX_PAUSED_DUTY = 0.995;

/** The curve of ended spans: it does not change, and running ones are added to it. */
export type PastCurve = SpendCurve & {readonly duty: Duty};

/** The curve of these records, all of which ended before `now`. */
export function pastCurve(records: readonly UsageRecord[], now: EpochMs): PastCurve {
  const slopes = records.flatMap(record => slopeOf(record, now) ?? []).sort((left, right) => left.from - right.from);
  return {...levelsOf(slopes), over: slopes, open: [], duty: usualDuty(slopes, now)};
}

/**
 * The curve of these records: each bill spread evenly over its span; what is still running continues at its present
 * rate after `now`.
 */
export function spendCurve(
  records: readonly UsageRecord[],
  now: EpochMs,
  past: PastCurve = pastCurve([], now),
): SpendCurve {
  const running = withUsualHibernation(
    records.flatMap(record => slopeOf(record, now) ?? []),
    past.duty,
    now,
  );
  const present = levelsOf(running);
  return {
    over: past.over,
    open: running,
    startsAt: Math.min(past.startsAt, present.startsAt),
    spentBefore: at => past.spentBefore(at) + present.spentBefore(at),
    burnBefore: at => past.burnBefore(at) + present.burnBefore(at),
  };
}

type Levels = Pick<SpendCurve, 'startsAt' | 'spentBefore' | 'burnBefore'>;

function levelsOf(slopes: readonly Slope[]): Levels {
  const moments = Float64Array.from(new Set(slopes.flatMap(({from, to}) => (to === Infinity ? [from] : [from, to]))));
  moments.sort();
  const indexOf = new Map([...moments].map((moment, index) => [moment, index]));
  const change = new Float64Array(moments.length);
  for (const {from, to, perMs} of slopes) {
    const [first, last] = [indexOf.get(from) ?? 0, indexOf.get(to)];
    change[first] = (change[first] ?? 0) + perMs;
    if (last !== undefined) change[last] = (change[last] ?? 0) - perMs;
  }
  const [burn, spent] = [new Float64Array(moments.length), new Float64Array(moments.length)];
  for (let index = 0, rate = 0, sum = 0; index < moments.length; index += 1) {
    if (index > 0) sum += rate * ((moments[index] ?? 0) - (moments[index - 1] ?? 0));
    rate += change[index] ?? 0;
    [burn[index], spent[index]] = [Math.max(0, rate), sum];
  }
  const before = (at: number) => lastBefore(moments, at);
  return {
    startsAt: moments[0] ?? Infinity,
    spentBefore: at => {
      const index = before(at);
      return index < 0 ? 0 : (spent[index] ?? 0) + (burn[index] ?? 0) * (at - (moments[index] ?? 0));
    },
    burnBefore: at => {
      const index = before(at);
      return index < 0 ? 0 : (burn[index] ?? 0);
    },
  };
}

function slopeOf(record: UsageRecord, now: EpochMs): Slope | undefined {
  const {createdAt: from, terminatedAt, billedCost} = record;
  if (record.isExcludedFromBilling || from === undefined || from >= now) return undefined;
  const end = Math.min(terminatedAt ?? now, now);
  const spanMs = end - from;
  if (spanMs <= 0) return undefined;
  const rate = usableRate(record);
  const metered = billedCost === undefined || isNegative(billedCost) ? undefined : usdNumber(billedCost) / spanMs;
  const present = rate === undefined ? undefined : toNumber(rate) / MINUTE_MS;
  const perMs = metered ?? present;
  if (perMs === undefined) return undefined;
  const aheadPerMs = wasPaused(record, spanMs) ? perMs : (present ?? perMs);
  return {
    record,
    from,
    to: isBurning(record) ? Infinity : end,
    perMs,
    aheadPerMs,
  };
}

type Duty = {readonly runningMs: number; readonly spanMs: number};

/** How long spans of a week or more were billed in full, in total. */
function usualDuty(slopes: readonly Slope[], now: EpochMs): Duty {
  let [runningMs, spanMs] = [0, 0];
  for (const slope of slopes) {
    const duty = dutyOf(slope, now);
    if (duty === undefined || duty.spanMs < WEEK_MS) continue;
    runningMs += duty.runningMs;
    spanMs += duty.spanMs;
  }
  return {runningMs, spanMs};
}

/**
 * A resource younger than a week cannot have shown yet how much of a week it hibernates: it is expected to hibernate as
 * often as older ones, less so the more of a week is known.
 */
function withUsualHibernation(slopes: readonly Slope[], past: Duty, now: EpochMs): readonly Slope[] {
  const present = usualDuty(slopes, now);
  const knownMs = past.spanMs + present.spanMs;
  const usual = knownMs > 0 ? (past.runningMs + present.runningMs) / knownMs : 1;
  if (usual >= MAX_PAUSED_DUTY) return slopes;
  return slopes.map(slope => {
    const duty = slope.to === Infinity ? dutyOf(slope, now) : undefined;
    if (duty === undefined || duty.spanMs >= WEEK_MS || duty.runningMs <= 0) return slope;
    const {runningMs, spanMs} = duty;
    const weekShare = spanMs / WEEK_MS;
    const expected = weekShare * (runningMs / spanMs) + (1 - weekShare) * usual;
    return {
      ...slope,
      aheadPerMs: slope.perMs * (spanMs / runningMs) * expected,
    };
  });
}

/** How much of its time a span was metered. */
function dutyOf({record: {upTimeMinutes}, from, to}: Slope, now: EpochMs): Duty | undefined {
  const spanMs = Math.min(to, now) - from;
  if (upTimeMinutes === undefined) return undefined;
  return {
    spanMs,
    runningMs: Math.min(spanMs, toNumber(upTimeMinutes) * MINUTE_MS),
  };
}

/** Metered for less time than it has existed: it hibernates now and then, so its present rate says little. */
export function wasPaused({upTimeMinutes}: UsageRecord, spanMs: number): boolean {
  return upTimeMinutes !== undefined && toNumber(upTimeMinutes) * MINUTE_MS < MAX_PAUSED_DUTY * spanMs;
}

/** The index of the last moment before this one, -1 if there is none. */
export function lastBefore(ascending: Float64Array, at: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
