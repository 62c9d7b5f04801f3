import {InvalidArgumentError, Option} from 'commander';
import {DEFAULT_PREFERENCES} from '../domain/preferences.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, parseTimestamp, SECOND_MS} from '../domain/time.ts';

/** An option that may be given several times. Its value is a list, empty if it is not given. */
export function repeatable(flags: string, summary: string): Option {
  return new Option(flags, `${summary}; may be repeated`)
    .argParser((text, texts: readonly string[]) => [...texts, text])
    .default([], 'none');
}

const JUDGED_MACHINES = DEFAULT_PREFERENCES.judgedMachineCount;
const METRICS_FLAGS = '--metrics <none|top:N|all>';
const METRICS_SUMMARY = 'running machines whose metrics are read, the costliest first';

/** The number of running machines whose metrics are read, costliest first; `all` is infinity. `maxCount`: the limit. */
export function metricsOption(maxCount: number): Option {
  return new Option(METRICS_FLAGS, `${METRICS_SUMMARY}, at most ${maxCount}`)
    .argParser(measuredCount)
    .default(JUDGED_MACHINES, `top:${JUDGED_MACHINES}`);
}

/**
 * The same for commands that read once, where the setting of the deck is the default: only an explicit number is worth
 * waiting for.
 */
export function askedMetricsOption(): Option {
  const otherwise = `the setting judgedMachines, ${JUDGED_MACHINES}; fewer at the request limit`;
  return new Option(METRICS_FLAGS, `${METRICS_SUMMARY} (default: ${otherwise})`).argParser(measuredCount);
}

function measuredCount(text: string): number {
  if (text === 'none') return 0;
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const count = /^top:([1-9]\d{0,5})$/.exec(text)?.[1];
  if (count === undefined) throw new InvalidArgumentError('Use none, top:N or all.');
  return Number(count);
}

/** A parser for an option that takes an integer within limits. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`Use a whole number from ${low} to ${high}.`);
  };
}

const UNITS: Readonly<Record<string, number>> = {s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS};

/**
 * The moment `--since` names, in UTC: a time of day is its most recent occurrence, today or yesterday; a duration counts
 * back from now. Undefined if it is none, or is still to come.
 */
export function sinceMoment(written: string, now: EpochMs): EpochMs | undefined {
  const moment = momentIn(written, now);
  return moment !== undefined && moment <= now ? moment : undefined;
}

export const NOT_PAST = '--since needs a moment that is past, such as 22:00, 8h or 2026-11-20T22:00:00Z';

function momentIn(written: string, now: EpochMs): EpochMs | undefined {
  const length = /^(\d{1,4})([smhd])$/.exec(written);
  if (length !== null) return epochMs(now - Number(length[1]) * (UNITS[length[2] ?? ''] ?? 0));
  const time = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(written);
  if (time === null) return parseTimestamp(written);
  const startOfDay = Math.floor(now / DAY_MS) * DAY_MS;
  const today = startOfDay + Number(time[1]) * HOUR_MS + Number(time[2]) * MINUTE_MS;
  return epochMs(today > now ? today - DAY_MS : today);
}
