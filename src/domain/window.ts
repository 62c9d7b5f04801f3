import {DAY_MS, type DurationMs, HOUR_MS} from './time.ts';

/** The time windows a person can choose (key `w`); the service supports each as a duration of metrics. */
export const WINDOWS = ['1h', '6h', '1d', '7d', '30d'] as const;
export type Window = (typeof WINDOWS)[number];

export const WINDOWS_MS: Readonly<Record<Window, DurationMs>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '1d': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};

export function nextWindow(window: Window): Window {
  return WINDOWS[(WINDOWS.indexOf(window) + 1) % WINDOWS.length] ?? window;
}
