import {monthStart} from './money/spend.ts';
import {type Rate, sumUsd, type Usd} from './money.ts';
import type {SafeText} from './safe-text.ts';
import {DAY_MS, type DurationMs, dayStart, type EpochMs, epochMs} from './time.ts';

/** What yesterday cost, in exact dollars. A part without a usable number is absent, never zero. */
export type LastDayCost = {
  readonly machines?: Usd;
  readonly volumes?: Usd;
  readonly clusters?: Usd;
  readonly total?: Usd;
};

/** A half-open span, start inclusive and end exclusive. The service takes whole seconds in UTC. */
export type ChargePeriod = {readonly startsAt: EpochMs; readonly endsAt: EpochMs};

/** What the organization was billed in a period, exact dollars. Tiny negative parts are real. */
export type BillingHistory = {
  readonly billedCost?: Usd;
  readonly listCost?: Usd;
};

/** What one machine was billed in a period. */
export type MachineHistory = {
  /** Absent on a record that only has the bill's own id. */
  readonly machineId?: number;
  readonly name: SafeText;
  readonly statusText?: SafeText;
  readonly contractId?: number;
  readonly billedCost?: Usd;
  readonly listCost?: Usd;
  readonly rate?: Rate;
  readonly listRate?: Rate;
  /** How long it was metered. Negative values have been seen, and are shown as they are. */
  readonly usedMs?: DurationMs;
  /** The same by state, if requested for a single machine; states the machine was never in are missing. */
  readonly usedByState: readonly {readonly state: SafeText; readonly usedMs: DurationMs}[];
};

/** What one machine was billed over a period, in steps. */
export type MachineHistoryGraph = {
  readonly machineId?: number;
  readonly name: SafeText;
  readonly billedCost?: Usd;
  readonly stepMs?: DurationMs;
  readonly steps: readonly {readonly startsAt: EpochMs; readonly billedCost: Usd}[];
};

/**
 * From a moment to the end of today, UTC: the same request all day. Nothing is billed ahead, so the answer covers the
 * time until it was given.
 */
export function soFar(since: EpochMs, now: EpochMs): ChargePeriod {
  return {startsAt: since, endsAt: epochMs((Math.floor(now / DAY_MS) + 1) * DAY_MS)};
}

export function monthSoFar(now: EpochMs): ChargePeriod {
  return soFar(monthStart(now), now);
}

export function todaySoFar(now: EpochMs): ChargePeriod {
  return soFar(dayStart(now), now);
}

/** The days of the month before today; undefined on its first day. */
export function monthBeforeToday(now: EpochMs): ChargePeriod | undefined {
  const [startsAt, endsAt] = [monthStart(now), dayStart(now)];
  return startsAt < endsAt ? {startsAt, endsAt} : undefined;
}

/** What each UTC day of the period was billed, from the steps: a day without a step is a gap. */
export function billedPerDay(
  {steps}: MachineHistoryGraph,
  {startsAt, endsAt}: ChargePeriod,
): readonly (Usd | undefined)[] {
  const byDay = Map.groupBy(steps, step => Math.floor((step.startsAt - startsAt) / DAY_MS));
  return Array.from({length: Math.round((endsAt - startsAt) / DAY_MS)}, (_, day) => {
    const ofDay = byDay.get(day);
    return ofDay === undefined ? undefined : sumUsd(ofDay.map(({billedCost}) => billedCost));
  });
}
