import type {ClusterProgress} from '../cluster.ts';
import {dollarText, percentText, rateText} from '../number-text.ts';
import type {Rate} from '../money.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, minuteText, MINUTE_MS} from '../time.ts';

/** `40 s`, `6 min`, `9 h 14 min`, `13 days`: rounded down. */
export function durationWords(duration: DurationMs): SafeText {
  const whole = (unit: DurationMs) => Math.floor(Math.max(0, duration) / unit);
  if (duration < MINUTE_MS) return safeText(`${whole(1000)} s`);
  if (duration < HOUR_MS) return safeText(`${whole(MINUTE_MS)} min`);
  if (duration < 2 * DAY_MS) {
    const minutes = whole(MINUTE_MS) % 60;
    return safeText(minutes === 0 ? `${whole(HOUR_MS)} h` : `${whole(HOUR_MS)} h ${minutes} min`);
  }
  return safeText(`${whole(DAY_MS)} days`);
}

/** `2026-11-20 21:00Z`. */
export function minuteWords(at: number): SafeText {
  return safeText(minuteText(epochMs(at)));
}

/** How far the service's clock is from ours. */
export function clockWords(offsetMs: DurationMs): SafeText {
  const side = offsetMs > 0 ? say`ahead of` : say`behind`;
  return say`the service's clock is ${durationWords(Math.abs(offsetMs))} ${side} this computer's`;
}

/** Why a rule that looks ahead cannot judge. */
export const BURN_UNKNOWN = say`the burn rate is unknown`;

/** Why a rule cannot judge what was spent. */
export const DELETED_UNREAD = say`the usage of deleted resources was not read`;

/** `$25.60/h`; four decimals below ten cents. */
export function rateWords(rate: Rate): SafeText {
  return safeText(rateText(rate));
}

/** `$31,204.00`. */
export function dollarWords(amount: number): SafeText {
  return safeText(dollarText(amount));
}

/** `97%`; `<1%` above zero. */
export function percentWords(ratio: number): SafeText {
  return safeText(percentText(ratio));
}

/** What to do about a cluster that takes long to be created, and so about its nodes. */
export function creationAdvice(cluster: SafeText, {kind}: ClusterProgress): SafeText {
  return kind === 'overdue'
    ? say`Delete ${cluster} and create it again: the service says to do so after 60 minutes.`
    : say`Wait until ${cluster} is an hour old; then delete it and create it again.`;
}

/** The command for it. */
export function creationCommand(id: number, {kind}: ClusterProgress): SafeText {
  return kind === 'overdue' ? say`skydeck cluster delete ${id}` : say`skydeck describe cluster ${id}`;
}
