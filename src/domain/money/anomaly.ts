import {stemOf} from '../cloud-resource.ts';
import {memoPer} from '../memo.ts';
import {toNumber} from '../money.ts';
import {percentile} from '../series.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS} from '../time.ts';
import type {RunOf} from './hibernated-run.ts';
import {hibernatedAt, isHibernated, presentPerMs, type Slope, type SpendCurve, slopesOf} from './spend-curve.ts';

/** The burn rate is far above its usual value at this hour. Rates in dollars per hour. */
export type BurnAnomaly = {
  readonly usualPerHour: number;
  readonly perHour: number;
  /** When the first of what raised it began, even if that has ended since: it stays while the rise is being ended. */
  readonly since: number;
  /** When the rule first saw it, or the first of its causes began. */
  readonly aboveSince: number;
  /** The spans that explain it, because they began after the last usual hour; costliest first. */
  readonly causes: readonly Slope[];
  /** Compared with the same hours of four weeks, or only with yesterday. */
  readonly rule: 'usual' | 'doubled';
};

/**
 * An anomaly of the last day at its highest, once part of it or all of it was ended. Rates in dollars per hour, as they
 * were then.
 */
export type BurnIncident = {
  readonly usualPerHour: number;
  readonly peakPerHour: number;
  readonly peakAt: number;
  /** As for `BurnAnomaly`. */
  readonly since: number;
  /** When the rate was near the usual again; undefined while it is not. */
  readonly endedAt: number | undefined;
  /** The spans that explain the peak, as they were then; costliest first. */
  readonly causes: readonly Slope[];
  /** For some of its machines only their bills say when they stopped running. */
  readonly isEstimated: boolean;
};

/** A metered burn rate in dollars per hour, and when it was read. */
export type BurnReading = {readonly at: number; readonly perHour: number};

/** A younger account has no past to compare with. */
export const MIN_BURN_HISTORY_MS = DAY_MS;
const LOOKBACK_DAYS = 28;
const MIN_MATCHING_HOURS = 10;
const MIN_MATCHING_WEEKS = 2;
const MAX_Z = 4;
const MIN_EXCESS = 0.25;
const MIN_IMPACT_PER_DAY = 10;
const CONFIRMING_HOURS = 2;
/** Makes the median absolute deviation comparable with a standard deviation. */
const NORMAL_SCALE = 1.4826;
const MIN_RELATIVE_DEVIATION = 0.03;
/** What began at most this long before the anomaly was detected can be one of its causes, if it is large enough. */
const CAUSE_WINDOW_MS = DAY_MS;
const MIN_CAUSE_SHARE = 0.05;
/** How far back a step is searched for: an older one is part of the usual. */
const MAX_SINCE_HOURS = LOOKBACK_DAYS * 24;

/**
 * Whether there is an anomaly now: two hours in a row above the usual, or twice yesterday's rate, unless that is usual
 * on this weekday. It ends once what began with it is less than a quarter of the usual. `presentPerHour` is the metered
 * rate: on the curve, a machine hibernated a moment ago still has its average rate.
 */
export function burnAnomaly(
  curve: SpendCurve,
  now: number,
  presentPerHour = curve.burnBefore(now) * HOUR_MS,
  runOf: RunOf = priceUnknown,
): BurnAnomaly | undefined {
  const curves = {curve, running: billedWhileRunning(curve, now, runOf)};
  const usual = usualAt(curve, now);
  if (usual === undefined) return doubled(curves, now, presentPerHour);
  const rates = {usual, present: presentPerHour};
  if (isAbove(curve, now, presentPerHour) && wasAboveBefore(curve, now)) {
    const lately = anomalySince(curves, now, rates, startOfAbove(curves, now));
    const older = isExplained(lately) ? undefined : anomalySince(curves, now, rates, startOfExcess(curves, now));
    return {...(older !== undefined && isExplained(older) ? older : lately), rule: 'usual'};
  }
  return isWorthTelling(presentPerHour - usual, usual) ? restOfAnomaly(curves, now, rates) : undefined;
}

/** The curve of the records, and the same with what is hibernated now as it ran. */
type Curves = {readonly curve: SpendCurve; readonly running: SpendCurve};

const priceUnknown: RunOf = () => undefined;

/**
 * What the burn rate was like before what raised it was ended; undefined if it was no anomaly, or is highest now. Its
 * highest rate is computed, but no lower than the highest that was read since it began.
 */
export function burnIncident(
  curve: SpendCurve,
  now: number,
  presentPerHour = curve.burnBefore(now) * HOUR_MS,
  runOf: RunOf = priceUnknown,
  highestReads: readonly BurnReading[] = [],
): BurnIncident | undefined {
  const running = billedWhileRunning(curve, now, runOf);
  const peakAt = highestEnd(running, now);
  const peakPerHour = peakAt === undefined ? 0 : running.burnBefore(peakAt) * HOUR_MS;
  if (peakAt === undefined || peakPerHour < MIN_PEAK * presentPerHour) return undefined;
  const rise = riseAt(running, peakAt);
  if (rise === undefined) return undefined;
  const {usualPerHour, aboveSince} = rise;
  const lately = [...endedLately(running.over, now), ...running.open];
  const begun = lately.filter(({from}) => from >= aboveSince - CAUSE_WINDOW_MS && from < now);
  const atPeak = begun.filter(({from, to}) => from < peakAt && to >= peakAt);
  const leastPerHour = MIN_CAUSE_SHARE * (peakPerHour - usualPerHour);
  const causes = largeSeries(atPeak, leastPerHour, ({perMs}) => perMs);
  const isOver = (perHour: number) => !isWorthTelling(perHour - usualPerHour, usualPerHour);
  const ends = lately.flatMap(({to}) => (to >= peakAt && to < now ? [to] : [])).sort((left, right) => left - right);
  const incident = {
    usualPerHour,
    peakPerHour,
    peakAt,
    since: beginningOf(running, aboveSince, {now, leastPerHour}),
    endedAt: isOver(presentPerHour)
      ? (ends.find(at => isOver(running.burnBefore(at + 1) * HOUR_MS)) ?? now)
      : undefined,
    causes,
    isEstimated: begun.some(slope => isHibernated(slope) && hibernatedAt(slope) === undefined),
  };
  const {since, endedAt} = incident;
  // The highest comes first; what was higher before it began is another one.
  const highestRead = highestReads.find(read => read.at >= since);
  if (highestRead === undefined || highestRead.perHour <= peakPerHour) return incident;
  const {at, perHour} = highestRead;
  return {...incident, peakPerHour: perHour, peakAt: at, endedAt: endedAt && Math.max(endedAt, at)};
}

/** A peak this little above the present rate is the same state. */
const MIN_PEAK = 1.02;

/** By either rule, at a moment at which everything still ran. */
function riseAt(
  running: SpendCurve,
  at: number,
): {readonly usualPerHour: number; readonly aboveSince: number} | undefined {
  const usual = usualAt(running, at);
  if (usual !== undefined) {
    if (!isAbove(running, at) || !wasAboveBefore(running, at)) return undefined;
    return {usualPerHour: usual, aboveSince: startOfAbove({curve: running, running}, at)};
  }
  const [before, perHour] = [at - MIN_BURN_HISTORY_MS, at].map(moment => running.burnBefore(moment) * HOUR_MS);
  if (before === undefined || perHour === undefined || before <= 0) return undefined;
  if (perHour < 2 * before || !isWorthTelling(perHour - before, before)) return undefined;
  if (isUsualLately(running, at, perHour)) return undefined;
  const holdsAt = (moment: number) => running.burnBefore(moment) * HOUR_MS >= (1 + MIN_EXCESS) * before;
  return {usualPerHour: before, aboveSince: firstHolding(holdsAt, at)};
}

/** The rest of an anomaly after part of it was ended: the deviation of a busy month must not hide it. */
function restOfAnomaly(
  curves: Curves,
  now: number,
  rates: {readonly usual: number; readonly present: number},
): BurnAnomaly | undefined {
  const {running} = curves;
  const peak = highestEnd(running, now);
  if (peak === undefined || !isAbove(running, peak) || !wasAboveBefore(running, peak)) return undefined;
  const rest = anomalySince(curves, now, rates, startOfAbove({curve: running, running}, peak));
  const restPerHour = rest.causes.reduce((sum, slope) => sum + presentPerMs(slope) * HOUR_MS, 0);
  return isWorthTelling(restPerHour, rates.usual) ? {...rest, rule: 'usual'} : undefined;
}

function startOfAbove(curves: Curves, at: number): number {
  const hours = matchingHours(curves.curve, at);
  return startOf((known, moment) => isAbove(known, moment, known.burnBefore(moment) * HOUR_MS, hours), curves, at);
}

/** Whether most of the rise is of what began with it: of a rise of days ago, little is of what made it an anomaly. */
function isExplained({causes, perHour, usualPerHour}: Omit<BurnAnomaly, 'rule'>): boolean {
  const explained = causes.reduce((sum, slope) => sum + presentPerMs(slope) * HOUR_MS, 0);
  return explained >= (perHour - usualPerHour) / 2;
}

/** As `startOfAbove`, but since the rate is worth telling, however much it has varied. */
function startOfExcess(curves: Curves, at: number): number {
  const hours = matchingHours(curves.curve, at);
  const holds = (known: SpendCurve, moment: number) => {
    const own = matchingHours(known, moment);
    const usual = percentile(own.length < MIN_MATCHING_HOURS ? hours : own, 0.5);
    return usual !== undefined && isWorthTelling(known.burnBefore(moment) * HOUR_MS - usual, usual);
  };
  return startOf(holds, curves, at);
}

function isWorthTelling(excess: number, usual: number): boolean {
  return excess > MIN_EXCESS * usual && excess * 24 >= MIN_IMPACT_PER_DAY;
}

/** In the first hour of a Monday, the hour before is of a weekend, and may have too few of its kind to compare with. */
function wasAboveBefore(curve: SpendCurve, at: number): boolean {
  const hours = matchingHours(curve, at);
  for (let back = 1; back < CONFIRMING_HOURS; back += 1) {
    if (!isAbove(curve, at - back * HOUR_MS, undefined, hours)) return false;
  }
  return true;
}

/**
 * Of the moments of the last day at which something ended or was hibernated, the one just before which the burn rate
 * was highest.
 */
function highestEnd({over, open, burnBefore}: SpendCurve, now: number): number | undefined {
  let highest: {readonly at: number; readonly burn: number} | undefined;
  for (const slopes of [endedLately(over, now), open]) {
    for (const {to: at} of slopes) {
      if (at <= now - CAUSE_WINDOW_MS || at > now) continue;
      const burn = burnBefore(at);
      if (highest === undefined || burn > highest.burn) highest = {at, burn};
    }
  }
  return highest?.at;
}

/** Of tens of thousands of ended spans, those that may have ended within the last day; searched for once an hour. */
function endedLately(over: readonly Slope[], now: number): readonly Slope[] {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  return latelyOnce(over, [hour], () => over.filter(({to}) => to > hour - CAUSE_WINDOW_MS));
}

const latelyOnce = memoPer<readonly Slope[], readonly Slope[]>();

function doubled(curves: Curves, now: number, present: number): BurnAnomaly | undefined {
  const {curve, running} = curves;
  const before = curve.burnBefore(now - MIN_BURN_HISTORY_MS) * HOUR_MS;
  const [raised, twice] = [(1 + MIN_EXCESS) * before, 2 * before];
  if (before <= 0 || present < raised || (present - before) * 24 < MIN_IMPACT_PER_DAY) return undefined;
  if (isUsualLately(curve, now, present)) return undefined;
  const since = startOf((known, at) => known.burnBefore(at) * HOUR_MS >= raised, curves, now);
  const anomaly = {...anomalySince(curves, now, {usual: before, present}, since), rule: 'doubled' as const};
  if (present >= twice) return anomaly;
  // If part of what doubled the rate was ended, the rest is still reported until the rate is near its earlier value.
  return anomaly.causes.length > 0 && highestSince(running, since, now) >= twice ? anomaly : undefined;
}

/** The highest burn rate since then, in dollars per hour. It can rise only where something begins. */
function highestSince(running: SpendCurve, since: number, now: number): number {
  const begins = slopesOf(running).flatMap(({from}) => (from >= since && from < now ? [from] : []));
  return begins.reduce((highest, from) => Math.max(highest, running.burnBefore(from + 1) * HOUR_MS), 0);
}

function anomalySince(
  {curve, running}: Curves,
  now: number,
  {usual: usualPerHour, present: perHour}: {readonly usual: number; readonly present: number},
  detectedSince: number,
): Omit<BurnAnomaly, 'rule'> {
  // What was too small to count when the rate was highest is no cause of what remains of it.
  const peakAt = highestEnd(running, now);
  const highest = peakAt === undefined ? perHour : Math.max(perHour, running.burnBefore(peakAt) * HOUR_MS);
  // A span that has ended cannot cause a rate that is still high.
  const begun = curve.open.filter(
    slope =>
      slope.from >= detectedSince - CAUSE_WINDOW_MS && slope.from < now && slope.to >= now && !isHibernated(slope),
  );
  const leastPerHour = MIN_CAUSE_SHARE * (highest - usualPerHour);
  const causes = largeSeries(begun, leastPerHour, presentPerMs);
  // The rule may have counted the first of its causes as usual for some hours, and the first cause may have ended
  // since.
  const firstCause = causes.reduce((earliest, {from}) => Math.min(earliest, from), Infinity);
  return {
    usualPerHour,
    perHour,
    since: Math.min(firstCause, beginningOf(running, detectedSince, {now, leastPerHour})),
    aboveSince: Math.min(detectedSince, firstCause),
    causes,
  };
}

/** When the first of what raised the rate began; what ended before it rose belongs to an earlier rise. */
function beginningOf(
  {over, open}: SpendCurve,
  detectedSince: number,
  {now, leastPerHour}: {readonly now: number; readonly leastPerHour: number},
): number {
  const ran = [...endedLately(over, now), ...open].filter(
    ({from, to}) => from >= detectedSince - CAUSE_WINDOW_MS && from < now && to > detectedSince,
  );
  const raised = largeSeries(ran, leastPerHour, ({perMs}) => perMs);
  return raised.reduce((earliest, {from}) => Math.min(earliest, from), detectedSince);
}

/** The spans of each series that costs this much an hour in total, costliest first. */
function largeSeries(
  slopes: readonly Slope[],
  leastPerHour: number,
  perMsOf: (slope: Slope) => number,
): readonly Slope[] {
  // The share is that of a whole series: each of thirty machines is only a small part of their total cost.
  return [...Map.groupBy(slopes, ({record}) => stemOf(record.name)).values()]
    .filter(series => series.reduce((sum, slope) => sum + perMsOf(slope), 0) * HOUR_MS >= leastPerHour)
    .flat()
    .sort((left, right) => perMsOf(right) - perMsOf(left) || left.from - right.from);
}

/**
 * When the present condition began, to the millisecond. The search goes by full hours, so that the result is the same
 * at every minute of an hour.
 */
function startOf(holds: (curve: SpendCurve, at: number) => boolean, {curve, running}: Curves, now: number): number {
  const held = holds(running, now) ? running : curve;
  return firstHolding(at => holds(held, at), now);
}

function firstHolding(holdsAt: (at: number) => boolean, now: number): number {
  // If a machine was restored, a step may be visible only at present, although the hour before was above as well.
  let above = holdsAt(now) ? now : now - HOUR_MS;
  let below = Math.ceil(above / HOUR_MS - 1) * HOUR_MS;
  for (let hours = 0; hours < MAX_SINCE_HOURS && holdsAt(below); hours += 1) {
    above = below;
    below -= HOUR_MS;
  }
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2);
    if (holdsAt(middle)) above = middle;
    else below = middle;
  }
  return below;
}

/**
 * The curve with the bill of presently hibernated machines placed in the time they ran. Records spread it over the
 * hibernation too, which would lower the past from minute to minute. A machine ran at
 * its price, if that is known, until its events say that it was hibernated. Without them, spans from this week are taken
 * to have run first, as far as their bill or metered time goes, and to have hibernated then; older ones are left out.
 */
function billedWhileRunning(curve: SpendCurve, now: number, runOf: RunOf): SpendCurve {
  const averaged = curve.open.filter(slope => isHibernated(slope) || isNew(slope, now));
  if (averaged.length === 0) return curve;
  const running = averaged.flatMap(slope =>
    isHibernated(slope) ? (runningPart(slope, now, runOf) ?? []) : {...slope, perMs: presentPerMs(slope)},
  );
  const replaced = new Set(averaged);
  const open = curve.open.filter(slope => !replaced.has(slope));
  const before = (at: number, slopes: readonly Slope[]) =>
    slopes.reduce((sum, {from, to, perMs}) => (from < at && at <= to ? sum + perMs : sum), 0);
  return {
    ...curve,
    open: [...open, ...running],
    burnBefore: at => Math.max(0, curve.burnBefore(at) - before(at, averaged) + before(at, running)),
  };
}

/** Its average is still lowered by the minutes in which it was created and not billed. */
function isNew(slope: Slope, now: number): boolean {
  return now - slope.from < HOUR_MS && presentPerMs(slope) > slope.perMs;
}

function runningPart(slope: Slope, now: number, runOf: RunOf): Slope | undefined {
  const {record, from, perMs} = slope;
  const knownEnd = hibernatedAt(slope);
  if (knownEnd === undefined && now - from > WEEK_MS) return undefined;
  const run = runOf(slope);
  if (run !== undefined) return {...slope, to: run.until, perMs: run.perMs};
  const runningMs = record.upTimeMinutes === undefined ? 0 : toNumber(record.upTimeMinutes) * MINUTE_MS;
  if (runningMs <= 0 || runningMs > now - from) return undefined;
  return {...slope, to: knownEnd ?? from + runningMs, perMs: (perMs * (now - from)) / runningMs};
}

/**
 * If too few hours are comparable, as at a weekend, it is compared with `otherwise`; then what happens on the same
 * weekday in most weeks is not above the usual.
 */
function isAbove(
  curve: SpendCurve,
  at: number,
  perHour = curve.burnBefore(at) * HOUR_MS,
  otherwise: readonly number[] = [],
): boolean {
  const own = matchingHours(curve, at);
  const matching = own.length < MIN_MATCHING_HOURS ? otherwise : own;
  const usual = percentile(matching, 0.5);
  if (usual === undefined || matching.length < MIN_MATCHING_HOURS) return false;
  const deviation =
    NORMAL_SCALE *
    (percentile(
      matching.map(each => Math.abs(each - usual)),
      0.5,
    ) ?? 0);
  const excess = perHour - usual;
  if (matching !== own && isUsualOfWeekday(curve, at, perHour)) return false;
  return excess > MAX_Z * Math.max(deviation, MIN_RELATIVE_DEVIATION * usual) && isWorthTelling(excess, usual);
}

function usualAt(curve: SpendCurve, at: number): number | undefined {
  const matching = matchingHours(curve, at);
  return matching.length < MIN_MATCHING_HOURS ? undefined : percentile(matching, 0.5);
}

/** The burn rate at this hour of past days of the same kind: working days or weekends. */
function matchingHours(curve: SpendCurve, at: number): readonly number[] {
  const rates: number[] = [];
  for (let day = 1; day <= LOOKBACK_DAYS; day += 1) {
    const past = at - day * DAY_MS;
    if (past < curve.startsAt) break;
    if (isWeekend(past) === isWeekend(at)) rates.push(curve.burnBefore(past) * HOUR_MS);
  }
  return rates;
}

/** Also where the job of a weekday lasts less than an hour longer, into the next day. */
function isUsualLately(curve: SpendCurve, now: number, perHour: number): boolean {
  return [now, now - HOUR_MS].some(at => isUsualOfWeekday(curve, at, perHour));
}

/** Whether the burn rate was as high at this hour of this weekday in most of the past weeks, of two at least. */
function isUsualOfWeekday(curve: SpendCurve, at: number, perHour: number): boolean {
  const rates = Array.from({length: LOOKBACK_DAYS / 7}, (_, week) => at - (week + 1) * WEEK_MS)
    .filter(past => past >= curve.startsAt)
    .map(past => curve.burnBefore(past) * HOUR_MS);
  const usual = percentile(rates, 0.5);
  return usual !== undefined && rates.length >= MIN_MATCHING_WEEKS && !isWorthTelling(perHour - usual, usual);
}

function isWeekend(at: number): boolean {
  const day = new Date(at).getUTCDay();
  return day === 0 || day === 6;
}
