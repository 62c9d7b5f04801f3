import type {IdleWindows} from './money/idle.ts';
import {PRICES, type Prices} from './money/prices.ts';
import type {KeptResource} from './money/waste.ts';
import type {Usd} from './money.ts';
import type {Mute} from './triage/mute.ts';
import {DAY_MS, type DurationMs, HOUR_MS, SECOND_MS} from './time.ts';

/** How a new critical finding is announced outside the deck's screen. */
export type AlertPreferences = {
  readonly bell: boolean;
  readonly notification: 'off' | 'osc9' | 'osc777';
  /** A program and its arguments; empty for none. */
  readonly command: readonly string[];
};

/** A person's settings about money, danger and intervals. */
export type Preferences = {
  readonly prices: Prices;
  /** The monthly budget, and the shares of it to report when reached. */
  readonly budget: Usd | undefined;
  readonly budgetAlertRatios: readonly number[];
  /** The prepaid credit, if the service does not report it. */
  readonly credit: Usd | undefined;
  /** Credit that lasts less than this is critical. */
  readonly runwayCriticalMs: DurationMs;
  /** A contract that deletes what it covers is critical this long before its end. */
  readonly contractCriticalMs: DurationMs;
  /** How long a machine must be quiet to count as idle, and to be mentioned. */
  readonly idle: IdleWindows;
  /** What is idle on purpose. */
  readonly keep: readonly KeptResource[];
  readonly alerts: AlertPreferences;
  /** How often the list of machines is read; other lists keep their proportion to it. */
  readonly refreshMs: DurationMs;
  /**
   * The number of running machines, costliest first, whose metrics are read for findings even if nobody looks at them.
   */
  readonly judgedMachineCount: number;
};

export const DEFAULT_PREFERENCES: Preferences = {
  prices: PRICES,
  budget: undefined,
  budgetAlertRatios: [0.5, 0.8, 1],
  credit: undefined,
  runwayCriticalMs: 48 * HOUR_MS,
  contractCriticalMs: 14 * DAY_MS,
  idle: {idleMs: 7 * DAY_MS, quietMs: DAY_MS},
  keep: [],
  alerts: {bell: false, notification: 'off', command: []},
  refreshMs: 10 * SECOND_MS,
  judgedMachineCount: 50,
};

/** The preferences, including what was kept with a key in the deck rather than in the settings. */
export function withMutes(preferences: Preferences, mutes: readonly Mute[]): Preferences {
  const kept = mutes.flatMap(mute => (mute.kind === 'kept' ? [mute] : []));
  return kept.length === 0 ? preferences : {...preferences, keep: [...preferences.keep, ...kept]};
}
