declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z: what is shown and billed. */
export type EpochMs = number & {readonly [brand]: 'EpochMs'};

/** Milliseconds on a clock that never jumps: timers, arming, ages. */
export type MonotonicMs = number & {readonly [brand]: 'MonotonicMs'};

/** A duration in milliseconds. */
export type DurationMs = number;

export type Cancel = () => void;

/**
 * Both clocks and the timer, created once in `program.tsx` and passed down, so that tests can turn them by hand.
 * `wallNow` is corrected by the service's `Date` header; `monotonicNow` is not.
 */
export type Clock = {
  readonly wallNow: () => EpochMs;
  readonly monotonicNow: () => MonotonicMs;
  /**
   * How much of `monotonicNow` was sleep of the computer so far; absent if it leaves sleep out. A wall clock set
   * forward looks the same, so nothing may be concluded from such time having passed.
   */
  readonly sleptMs?: () => DurationMs;
  readonly after: (delayMs: DurationMs, run: () => void) => Cancel;
};

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;
/** The month that clouds quote prices for: a twelfth of 365 days. */
export const PRICED_MONTH_MS = 730 * HOUR_MS;

export function epochMs(value: number): EpochMs {
  return value as EpochMs;
}

export function monotonicMs(value: number): MonotonicMs {
  return value as MonotonicMs;
}

/** The first moment of the UTC day of a moment. */
export function dayStart(at: number): EpochMs {
  return epochMs(Math.floor(at / DAY_MS) * DAY_MS);
}

/** The times that a four-digit year can express; beyond these the ISO format changes, and further out there is none. */
const FIRST_MOMENT_MS = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_MOMENT_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A number from outside as a moment; undefined if no four-digit year can express it. Every moment read passes here. */
export function momentOf(value: number): EpochMs | undefined {
  return value >= FIRST_MOMENT_MS && value <= LAST_MOMENT_MS ? epochMs(value) : undefined;
}

/** `2026-11-20T21:00:00.000Z`. */
export function isoText(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** `2026-11-20T21:00:00Z`; with milliseconds only where there are some. */
export function shortIsoText(at: EpochMs): string {
  return isoText(at).replace('.000Z', 'Z');
}

/** `2026-11-20 21:00Z`. */
export function minuteText(at: EpochMs): string {
  return `${isoText(at).slice(0, 16).replace('T', ' ')}Z`;
}

/** `2026-11-20 21:00:04Z`. */
export function secondText(at: EpochMs): string {
  return `${isoText(at).slice(0, 19).replace('T', ' ')}Z`;
}

/** Whole seconds until then, rounded up. */
export function secondsUntil(moment: MonotonicMs, now: MonotonicMs): number {
  return Math.max(0, Math.ceil((moment - now) / SECOND_MS));
}

/** `21:00:04Z`. */
export function clockText(at: EpochMs): string {
  return `${isoText(at).slice(11, 19)}Z`;
}

/** Correct clocks differ by less once ours was adjusted. */
const MAX_AHEAD_MS: DurationMs = 5 * MINUTE_MS;

/** Whether a moment is further in the future than clocks differ: nothing can have been measured then. */
export function isAhead(moment: EpochMs, now: EpochMs): boolean {
  return moment - now > MAX_AHEAD_MS;
}

/** Every month has these days; only later ones may not exist. */
const DAYS_OF_EVERY_MONTH = 28;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Parses the service's four spellings of a moment: with `Z`, an offset, no zone (meaning UTC), or a space for the `T`.
 * Undefined for anything else, and for a day that does not exist.
 */
export function parseTimestamp(text: string): EpochMs | undefined {
  const match = TIMESTAMP.exec(text.trim());
  if (match === null) return undefined;
  const [, day = '', clock = '00:00', zone = 'Z'] = match;
  const hasSeconds = clock.length > 5;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const moment = Date.parse(`${day}T${hasSeconds ? clock : `${clock}:00`}${offset}`);
  if (Number.isNaN(moment)) return undefined;
  return isInItsMonth(day) ? momentOf(moment) : undefined;
}

/** Date.parse turns 30 February into a day in March; the day that comes back must be the day that went in. */
function isInItsMonth(day: string): boolean {
  if (Number(day.slice(8)) <= DAYS_OF_EVERY_MONTH) return true;
  return new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().startsWith(day);
}
