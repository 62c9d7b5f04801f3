import {meteredInWords, type UsageRecord} from '../billing.ts';
import type {ChargePeriod, MachineHistory} from '../billing-history.ts';
import {isBurning, machineRates, usableRate} from '../cost.ts';
import {hourlyUsd, sumUsd, type Usd, usdNumber} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {type DurationMs, type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import {hibernatedRuns} from './hibernated-run.ts';
import {type CostReport, knownBurn} from './report.ts';
import {effectiveRate, isUndated} from './spend.ts';
import {isHibernated, slopesOf} from './spend-curve.ts';

/** What made the burn rate differ from an earlier one. */
export type BurnChange = {
  /** Dollars per hour then and now; undefined if unknown. */
  readonly thenPerHour: number | undefined;
  readonly nowPerHour: number | undefined;
  /** What costs more or less than then, largest change first, each with its name for a sentence. */
  readonly causes: readonly {readonly name: SafeText; readonly perHour: number}[];
};

/** The billed dollars per hour in the half hour around a past moment. */
export type PastBurn = {
  readonly perHour: number;
  /** That half hour; the moment need not be its middle. By default it is. */
  readonly period?: ChargePeriod | undefined;
  /** By machine; undefined if that was not requested. */
  readonly machines: ReadonlyMap<number, {readonly name: SafeText; readonly perHour: number}> | undefined;
};

const HALF_WINDOW_MS: DurationMs = 15 * MINUTE_MS;

/** The half hour whose bill gives the burn rate at a moment. */
export function burnWindow(at: EpochMs): ChargePeriod {
  return {startsAt: epochMs(at - HALF_WINDOW_MS), endsAt: epochMs(at + HALF_WINDOW_MS)};
}

/** From the bills of that half hour. */
export function pastBurn(
  billed: Usd,
  histories: readonly MachineHistory[] | undefined,
  period?: ChargePeriod,
): PastBurn {
  const perHour = (amount: Usd) => usdNumber(amount) * (HOUR_MS / (2 * HALF_WINDOW_MS));
  const known = (histories ?? []).flatMap(({machineId, name, billedCost}) =>
    machineId === undefined || billedCost === undefined ? [] : [{machineId, name, billedCost}],
  );
  const machines = [...Map.groupBy(known, ({machineId}) => machineId)].map(([id, own]) => {
    const name = own[0]?.name;
    return [id, {name, perHour: perHour(sumUsd(own.map(({billedCost}) => billedCost)))}] as const;
  });
  return {
    perHour: perHour(billed),
    period,
    machines:
      histories &&
      new Map(
        machines.flatMap(([id, {name, perHour: rate}]) => (name === undefined ? [] : [[id, {name, perHour: rate}]])),
      ),
  };
}

/**
 * From the provider's bill of that time if known, which includes what was hibernated since or has been restored since.
 * Otherwise from usage records, of which only those that began or ended since are known to have changed anything.
 */
export function burnChange(report: CostReport, agoMs: DurationMs, billed?: PastBurn): BurnChange {
  const past = billed && atTheMoment(billed, report, agoMs);
  const burn = knownBurn(report);
  const nowPerHour = burn && hourlyUsd(burn);
  const spans = spanChanges(report, agoMs);
  if (past === undefined) {
    const {live, now} = report.reading;
    const changed = spans.reduce((sum, {perHour}) => sum + perHour, 0);
    const isUnknown = live.some(record => isBurning(record) && isUndated(record, now));
    return {
      thenPerHour: isUnknown || nowPerHour === undefined ? undefined : Math.max(0, nowPerHour - changed),
      nowPerHour,
      causes: byWeight(spans),
    };
  }
  const causes =
    past.machines === undefined
      ? spans
      : [...spans.filter(({record}) => !isOfMachine(record)), ...machineChanges(report, past.machines)];
  return {thenPerHour: past.perHour, nowPerHour, causes: byWeight(causes)};
}

/** A machine is not billed while it is created, which takes minutes: a bill shortly after shows only part of its rate. */
const CREATION_MS: DurationMs = 5 * MINUTE_MS;

/**
 * The bill of half an hour is an average. For what began or ended in it, the rate at the moment is that of its record,
 * or nothing.
 */
function atTheMoment({perHour, machines, period}: PastBurn, report: CostReport, agoMs: DurationMs): PastBurn {
  const then = epochMs(report.reading.now - agoMs);
  const changed = changedAround(report, then, period ?? burnWindow(then));
  const isKnown = ({record}: ChangedSpan) => isOfMachine(record) && machines?.has(record.resourceId) === true;
  const momentById = new Map<number, number>();
  for (const {record, present} of changed.filter(isKnown))
    momentById.set(record.resourceId, (momentById.get(record.resourceId) ?? 0) + present);
  const known = [...momentById].reduce((sum, [id, present]) => sum + present - (machines?.get(id)?.perHour ?? 0), 0);
  const others = changed.filter(span => !isKnown(span)).reduce((sum, {present, average}) => sum + present - average, 0);
  const corrected = [...(machines ?? [])].map(
    ([id, machine]) => [id, {...machine, perHour: momentById.get(id) ?? machine.perHour}] as const,
  );
  return {perHour: Math.max(0, perHour + known + others), machines: machines && new Map(corrected)};
}

/** A span that began or ended within the half hour around a moment: its dollars per hour then, and on average. */
type ChangedSpan = {readonly record: UsageRecord; readonly present: number; readonly average: number};

function changedAround(
  {curve, reading}: CostReport,
  then: EpochMs,
  {startsAt, endsAt}: ChargePeriod,
): readonly ChangedSpan[] {
  const isWithin = (moment: number) => moment > startsAt - CREATION_MS && moment < endsAt;
  const runOf = hibernatedRuns(reading);
  return slopesOf(curve).flatMap(slope => {
    const {record, from, to, perMs} = slope;
    const run = isHibernated(slope) ? runOf(slope) : undefined;
    const until = run?.until ?? to;
    if (!isWithin(from) && !isWithin(until)) return [];
    const metered = effectiveRate(record);
    const full = run === undefined && metered !== undefined ? hourlyUsd(metered) : (run?.perMs ?? perMs) * HOUR_MS;
    const overlap = Math.max(0, Math.min(until, endsAt) - Math.max(from, startsAt));
    return {record, present: from < then && until >= then ? full : 0, average: (full * overlap) / (endsAt - startsAt)};
  });
}

/** The bill of half an hour is rounded: a smaller difference is no change. */
const MIN_CHANGE_PER_HOUR = 0.005;
const MIN_CHANGE_RATIO = 0.01;

/** The part of a change that its causes do not add up to; 0 if it is within what bills are rounded by. */
export function unexplainedPerHour({thenPerHour, nowPerHour, causes}: BurnChange): number {
  if (thenPerHour === undefined || nowPerHour === undefined) return 0;
  const rest = nowPerHour - thenPerHour - causes.reduce((sum, {perHour}) => sum + perHour, 0);
  return Math.abs(rest) < Math.max(MIN_CHANGE_PER_HOUR, MIN_CHANGE_RATIO * thenPerHour) ? 0 : rest;
}

function machineChanges(
  {reading: {live}}: CostReport,
  machines: NonNullable<PastBurn['machines']>,
): BurnChange['causes'] {
  const names = new Map(live.filter(isOfMachine).map(record => [record.resourceId, meteredInWords(record)]));
  const rates = machineRates(live);
  return [...new Set([...names.keys(), ...machines.keys()])].flatMap(id => {
    const past = machines.get(id);
    const name = names.get(id) ?? (past && meteredInWords({...past, resourceType: say`vm`, resourceId: id}));
    const rate = rates.get(id);
    // The present cost of a machine without a price is unknown.
    if (name === undefined || (names.has(id) && rate === undefined)) return [];
    const was = past?.perHour ?? 0;
    const perHour = (rate === undefined ? 0 : hourlyUsd(rate)) - was;
    return Math.abs(perHour) < Math.max(MIN_CHANGE_PER_HOUR, MIN_CHANGE_RATIO * was) ? [] : [{name, perHour}];
  });
}

function isOfMachine({resourceType}: UsageRecord): boolean {
  return resourceType.toLowerCase() === 'vm';
}

/** The records that began or ended since. */
function spanChanges({curve, reading: {now}}: CostReport, agoMs: DurationMs) {
  const then = now - agoMs;
  return slopesOf(curve).flatMap(({record, from, to, perMs}) => {
    const [was, is] = [from < then && to >= then, from < now && to >= now];
    if (was === is) return [];
    return [{record, name: meteredInWords(record), perHour: is ? presentPerHour(record) : -perMs * HOUR_MS}];
  });
}

function byWeight(causes: BurnChange['causes']): BurnChange['causes'] {
  return [...causes].sort((left, right) => Math.abs(right.perHour) - Math.abs(left.perHour));
}

function presentPerHour(record: UsageRecord): number {
  const rate = usableRate(record);
  return rate === undefined ? 0 : hourlyUsd(rate);
}
