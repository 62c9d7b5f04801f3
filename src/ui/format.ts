import {
  centsFigure,
  decimal,
  dollars,
  dollarText,
  grouped,
  hourly,
  isBelow,
  magnitudeOf,
  percentText,
  rateFigure,
  rateText,
  signed,
  unitPriceFigure,
  withDollar,
} from '../domain/number-text.ts';
import {
  isNegative,
  isPositive,
  type MicroUsd,
  type Rate,
  rational,
  subtractRates,
  sumRates,
  type Usd,
} from '../domain/money.ts';
import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  HOUR_MS,
  clockText,
  isoText,
  MINUTE_MS,
  momentOf,
  SECOND_MS,
  secondText,
} from '../domain/time.ts';
import type {SampleAge} from '../domain/utilization.ts';

/** Shown for an unknown figure; never a zero. */
export const UNKNOWN = '–';

type Maybe<T> = T | undefined;

const BYTE_STEP = 1024;
const BYTE_UNITS = ['', 'K', 'M', 'G', 'T', 'P'] as const;
const COUNT_STEP = 1000;
const COUNT_UNITS = ['', 'k', 'M', 'B', 'T'] as const;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The figure, or the word for an unknown one in a sentence. */
export function formatKnown<T>(value: Maybe<T>, format: (value: T) => string): string {
  return value === undefined ? 'unknown' : format(value);
}

/** `$25.60/h`; four decimals below $0.10. */
export function formatRate(rate: Maybe<Rate>): string {
  return rate === undefined ? UNKNOWN : rateText(rate);
}

/**
 * `saves $25.59/h`, `costs $4.99/h more` or `no change in cost`: the effect of an action, without a minus sign. Under a
 * contract, which may be charged anyway, it saves `up to` that; if further savings are possible, `at least` that; with
 * both, it `may save` that, or less or more.
 */
export function formatSavings(savings: Maybe<Rate>, isUncertain = false, further?: Rate | 'unknown'): string {
  if (savings === undefined) return 'savings unknown';
  const most = further === undefined || further === 'unknown' ? savings : sumRates([savings, further]);
  if (isPositive(savings)) {
    if (isUncertain) return `${further === 'unknown' ? 'may save' : 'saves up to'} ${formatRate(most)}`;
    return `saves ${further === undefined ? '' : 'at least '}${formatRate(savings)}`;
  }
  if (isNegative(savings)) {
    const more = formatRate(subtractRates(sumRates([]), savings));
    return `costs ${further === undefined ? '' : 'at most '}${more} more`;
  }
  if (further === undefined) return 'no change in cost';
  return further === 'unknown' ? 'savings unknown' : `saves up to ${formatRate(further)}`;
}

/** `$0.31/h`: what remains to be paid, `at most` that where less is possible. */
export function formatAfter(after: Maybe<Rate>, further: Rate | 'unknown' | undefined): string {
  const isAtMost = after !== undefined && further !== undefined && further !== 'unknown';
  return `${isAtMost ? 'at most ' : ''}${formatRate(after)}`;
}

/** `25.60`, for a column titled `$/h`. */
export function formatRateFigure(rate: Maybe<Rate>): string {
  return rate === undefined ? UNKNOWN : signed(hourly(rate), rateFigure);
}

/** `0.000096774`: the price of one unit for an hour, for a column titled `$/h`. */
export function formatUnitPriceFigure(rate: Rate): string {
  return signed(hourly(rate), unitPriceFigure);
}

/** `$0.000096774/h`. */
export function formatUnitPrice(rate: Rate): string {
  return `${signed(hourly(rate), magnitude => withDollar(unitPriceFigure(magnitude)))}/h`;
}

/** `$31,204.00`: a total, in cents. */
export function formatUsd(amount: Maybe<Usd | MicroUsd>): string {
  return amount === undefined ? UNKNOWN : signed(dollars(amount), magnitude => withDollar(centsFigure(magnitude)));
}

/** `at least $12.00`; `some` if it is below a cent, as that says nothing. */
export function formatLeastUsd(amount: Usd | MicroUsd): string {
  const text = formatUsd(amount);
  return text.startsWith('<') || text === '$0.00' ? 'some' : `at least ${text}`;
}

/** `$0.0164`: what one hour costs, for a column titled `PER HOUR`. */
export function formatHourlyUsd(amount: MicroUsd): string {
  return signed(dollars(amount), magnitude => withDollar(rateFigure(magnitude)));
}

/** `31,204.00`, for a column titled `$`. */
export function formatUsdFigure(amount: Maybe<Usd | MicroUsd>): string {
  return amount === undefined ? UNKNOWN : signed(dollars(amount), centsFigure);
}

/**
 * `$31,204.00` from a number of dollars, such as an average; exact amounts use `formatUsd`. What rounds to zero has no
 * sign.
 */
export function formatDollars(amount: number): string {
  return dollarText(amount);
}

/**
 * `$12`, `$12.50`, `$0.025`: a tick of an axis, with cents only if it has any, and fractions of a cent below a dollar.
 */
export function formatDollarTick(value: number): string {
  const places = Number.isInteger(value) ? '' : value < 1 ? value.toFixed(4).replace(/0{1,2}$/, '') : value.toFixed(2);
  return `$${grouped(places || String(value))}`;
}

/** `$1,612` from a hundred dollars on, with cents below: for headlines. */
export function formatWholeUsd(amount: Maybe<Usd | MicroUsd>): string {
  if (amount === undefined) return UNKNOWN;
  return signed(dollars(amount), magnitude =>
    withDollar(isBelow(magnitude, rational(100n, 1n)) ? centsFigure(magnitude) : grouped(decimal(magnitude, 0))),
  );
}

/** `$31.2k`, for 80 columns. */
export function formatShortUsd(amount: Maybe<Usd | MicroUsd>): string {
  if (amount === undefined) return UNKNOWN;
  const value = dollars(amount);
  if (isBelow(magnitudeOf(value), rational(1000n, 1n))) return formatWholeUsd(amount);
  return signed(value, magnitude => `$${scaled(Number(decimal(magnitude, 0)), COUNT_STEP, COUNT_UNITS, 100)}`);
}

/** `61%` from a ratio; a value above zero is at least `<1%`. */
export function formatPercent(ratio: Maybe<number>): string {
  if (ratio === undefined || !Number.isFinite(ratio)) return UNKNOWN;
  return percentText(ratio);
}

/** `+$2.50/h`, `-$28.56/h`, `+$0.00/h`: a change of the burn rate, in dollars per hour. */
export function formatRateChange(perHour: number): string {
  const amount = formatDollars(perHour);
  return `${amount.startsWith('-') ? '' : '+'}${amount}/h`;
}

/** `+38%`, `-4%`, `+0.3%`, `unchanged`: a relative change. */
export function formatPercentChange(ratio: number): string {
  const percent = Math.abs(ratio) * 100;
  if (percent < 0.05) return 'unchanged';
  return `${ratio < 0 ? '-' : '+'}${percent < 1 ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** `9.1G`, `20M`, `640`: powers of 1024, at most four cells below a petabyte. */
export function formatBytes(bytes: Maybe<number>): string {
  return isAmount(bytes) ? scaled(bytes, BYTE_STEP, BYTE_UNITS) : UNKNOWN;
}

/** `9.1G/s`. */
export function formatBytesPerSecond(bytesPerSecond: Maybe<number>): string {
  return isAmount(bytesPerSecond) ? `${scaled(bytesPerSecond, BYTE_STEP, BYTE_UNITS)}/s` : UNKNOWN;
}

/** `147 GiB`, spelled out for a detail. */
export function formatBytesLong(bytes: Maybe<number>): string {
  if (!isAmount(bytes)) return UNKNOWN;
  const figure = scaled(bytes, BYTE_STEP, BYTE_UNITS);
  const unit = figure.replace(/[\d.<]/g, '');
  return unit === '' ? `${figure} B` : `${figure.slice(0, -1)} ${unit}iB`;
}

/** `240 GB`, `6,500 GB`: one unit, so that sizes in a column can be compared and are those that are typed. */
export function formatGigabytes(gigabytes: Maybe<number>): string {
  if (!isAmount(gigabytes)) return UNKNOWN;
  return `${gigabytes < COUNT_STEP ? trimmed(gigabytes, 1) : formatCount(gigabytes)} GB`;
}

/** How many lines are out of sight: `+7 more below`, `+2 more above, +5 below`; nothing if none are. */
export function formatHidden(aboveCount: number, belowCount: number): string {
  const [above, below] = [formatCount(aboveCount), formatCount(belowCount)];
  if (aboveCount === 0) return belowCount === 0 ? '' : `+${below} more below`;
  return `+${above} more above${belowCount === 0 ? '' : `, +${below} below`}`;
}

/** `14,203`. */
export function formatCount(count: Maybe<number>): string {
  if (count === undefined || !Number.isFinite(count)) return UNKNOWN;
  const rounded = Math.round(count);
  return `${rounded < 0 ? '-' : ''}${grouped(String(Math.abs(rounded)))}`;
}

/** `3 machines`, `1 machine`. */
export function formatCounted(count: Maybe<number>, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `3s`, `6m`, `9h14`, `13d`: a duration or age, rounded down, at most five cells. */
export function formatDuration(duration: Maybe<DurationMs>): string {
  if (!isAmount(duration)) return UNKNOWN;
  if (duration < MINUTE_MS) return `${Math.floor(duration / SECOND_MS)}s`;
  if (duration < HOUR_MS) return `${Math.floor(duration / MINUTE_MS)}m`;
  if (duration < DAY_MS) return `${Math.floor(duration / HOUR_MS)}h${twoDigits(Math.floor(duration / MINUTE_MS) % 60)}`;
  return `${Math.floor(duration / DAY_MS)}d`;
}

/** `40m old`, `2d ahead of the clock`: the age of the newest sample. */
export function formatSampleAge({ageMs, aheadMs}: Pick<SampleAge, 'ageMs' | 'aheadMs'>): string {
  return aheadMs === undefined ? `${formatDuration(ageMs)} old` : `${formatDuration(aheadMs)} ahead of the clock`;
}

/** `8s`, `4m12`, `9h14`, `13d`: how long something has been under way. */
export function formatElapsed(duration: Maybe<DurationMs>): string {
  if (!isAmount(duration) || duration < MINUTE_MS || duration >= HOUR_MS) return formatDuration(duration);
  return `${Math.floor(duration / MINUTE_MS)}m${twoDigits(Math.floor(duration / SECOND_MS) % 60)}`;
}

/** `52h` up to four days, then `13d`: a runway. */
export function formatRunway(duration: Maybe<DurationMs>): string {
  if (!isAmount(duration) || duration < HOUR_MS || duration >= 4 * DAY_MS) return formatDuration(duration);
  return `${Math.floor(duration / HOUR_MS)}h`;
}

/** `57% over pace`, `on pace`: spending compared with the budget's share for the elapsed time. */
export function formatPace(pace: number): string {
  const percent = Math.round(Math.abs(pace - 1) * 100);
  return percent === 0 ? 'on pace' : `${percent}% ${pace > 1 ? 'over' : 'under'} pace`;
}

/** `20:58:12Z`. */
export function formatUtcTime(at: Maybe<EpochMs>): string {
  return isKnown(at) ? clockText(at) : UNKNOWN;
}

/** `20:58Z`. */
export function formatUtcMinute(at: Maybe<EpochMs>): string {
  return iso(at)?.slice(11, 16).concat('Z') ?? UNKNOWN;
}

/** `26 Nov`. */
export function formatUtcDay(at: Maybe<EpochMs>): string {
  const text = iso(at);
  if (text === undefined) return UNKNOWN;
  return `${Number(text.slice(8, 10))} ${MONTHS[Number(text.slice(5, 7)) - 1]}`;
}

/** `2026-11-26`. */
export function formatUtcDate(at: Maybe<EpochMs>): string {
  return iso(at)?.slice(0, 10) ?? UNKNOWN;
}

/** `Thu`, in UTC. */
export function formatWeekday(at: Maybe<EpochMs>): string {
  return at === undefined || iso(at) === undefined ? UNKNOWN : (WEEKDAYS[new Date(at).getUTCDay()] ?? UNKNOWN);
}

/** `26 Nov 09:00Z`. */
export function formatUtcMoment(at: Maybe<EpochMs>): string {
  return iso(at) === undefined ? UNKNOWN : `${formatUtcDay(at)} ${formatUtcMinute(at)}`;
}

/** `2026-11-20 20:58:12Z`. */
export function formatUtcFull(at: Maybe<EpochMs>): string {
  return isKnown(at) ? secondText(at) : UNKNOWN;
}

function isAmount(value: Maybe<number>): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

function iso(at: Maybe<EpochMs>): string | undefined {
  return isKnown(at) ? isoText(at) : undefined;
}

/** No resource of ours is older than 1970. */
function isKnown(at: Maybe<EpochMs>): at is EpochMs {
  return at !== undefined && at >= 0 && momentOf(at) !== undefined;
}

/** A figure and a unit: `0`, `999`, `1.2K`, `20M`; one decimal below `decimalBelow`. */
function scaled(value: number, step: number, units: readonly string[], decimalBelow = 10): string {
  if (value > 0 && value < 0.5) return '<1';
  let figure = value;
  let unit = 0;
  // Rounding may carry into the next unit: 1023.7 M is 1.0 G.
  while (unit < units.length - 1 && Math.round(figure) >= Math.min(step, 1000)) {
    figure /= step;
    unit += 1;
  }
  const digits = unit > 0 && figure < decimalBelow - 0.05 ? figure.toFixed(1) : String(Math.round(figure));
  return `${digits}${units[unit] ?? ''}`;
}

function trimmed(value: number, places: number): string {
  return value.toFixed(places).replace(/\.0+$/, '');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
