import {lastingRunway, type Runway} from '../../domain/cost.ts';
import {type Commitment, coverageRatio, utilizationRatio} from '../../domain/money/commitment.ts';
import type {PastBurn} from '../../domain/money/burn-change.ts';
import type {SpendGroup} from '../../domain/money/group.ts';
import {
  type BudgetPace,
  type CostReport,
  knownBurn,
  knownMonthToDate,
  monthEndAt,
  unknownDays,
} from '../../domain/money/report.ts';
import {recordsOf} from '../../domain/money/settled.ts';
import {usageFlags} from '../../domain/money/usage-flag.ts';
import type {ShiftReport} from '../../domain/money/shift.ts';
import type {Waste} from '../../domain/money/waste.ts';
import type {Usd as Dollars, MicroUsd, Rate} from '../../domain/money.ts';
import {accrue, allocate, minutesOf, toMicroUsd} from '../../domain/money.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  HOUR_MS,
  MINUTE_MS,
  momentOf,
  PRICED_MONTH_MS,
  shortIsoText,
} from '../../domain/time.ts';

/** The result of `skydeck cost`. */
export type CostResult = {
  readonly report: CostReport;
  readonly groups: readonly SpendGroup[] | undefined;
  readonly waste: readonly Waste[] | undefined;
  /** What is kept on purpose, and left out of the waste. */
  readonly kept: readonly Waste[];
  /** Running machines that may be idle but could not be judged: the waste may be higher. */
  readonly unjudgedCount: number;
  /** What else may make it higher, in words. */
  readonly unknownToWaste: readonly SafeText[];
  /** Whether all usage was read: otherwise the burn rate is at least what is known. */
  readonly isUsageWhole: boolean;
  readonly budget: BudgetPace | undefined;
  readonly credit: Dollars | undefined;
  /** The burn rate of the past as billed; undefined if the provider does not say. */
  readonly hourAgo: PastBurn | undefined;
  readonly dayAgo: PastBurn | undefined;
  /** The moment given with `--since`, from which spending is counted. */
  readonly shift: ShiftReport | undefined;
};

/** How long the credit lasts; undefined if it is unknown. */
export function runwayOf({report, credit, isUsageWhole}: CostResult): Runway | undefined {
  const {live: records, machines, prices} = report.reading;
  return (
    credit && lastingRunway({balance: credit}, knownBurn(report), {records, isWhole: isUsageWhole, machines, prices})
  );
}

/** The format of `skydeck cost -o json`: integer micro-dollars, UTC, half-open periods; null is unknown, never 0. */
export function costJson(result: CostResult): object {
  const {report, groups, waste, budget, credit, shift} = result;
  const {days, reading} = report;
  const unknown = unknownDays(report);
  const amounts = allocate(days.map(({cost}) => cost));
  return {
    now: shortIsoText(reading.now),
    month: {start: shortIsoText(reading.month.start), end: shortIsoText(reading.month.end)},
    burn: burnJson(knownBurn(report)),
    monthToDateMicrousd: micro(knownMonthToDate(report)),
    forecast: forecastJson(report),
    days: days.map((day, index) => ({
      start: shortIsoText(day.start),
      end: shortIsoText(day.end),
      microusd: unknown.has(day) ? null : (amounts[index] ?? null),
      source: day.source,
    })),
    groups:
      groups?.map(({key, spent, perHour}) => ({
        key,
        monthToDateMicrousd: spent ?? null,
        perHourMicrousd: perHour ?? null,
      })) ?? null,
    waste: waste?.map(wasteJson) ?? null,
    commitments: report.commitments?.map(commitmentJson) ?? null,
    budget: budgetJson(budget),
    runway: credit === undefined ? null : runwayJson(credit, report.reading.now, runwayOf(result)),
    ...(shift === undefined ? {} : {shift: shiftJson(shift)}),
    unpriced: report.unpriced.map(({resourceId}) => resourceId),
    flags: usageFlags(recordsOf(report.usage), report.reading.now)
      .map(({record: {resourceId}, flag}) => ({resourceId, flag}))
      .sort((left, right) => left.resourceId - right.resourceId),
  };
}

function burnJson(burn: Rate | undefined): object {
  const during = (durationMs: DurationMs) => (burn === undefined ? null : over(burn, durationMs));
  return {
    perMinuteMicrousd: during(MINUTE_MS),
    perHourMicrousd: during(HOUR_MS),
    perDayMicrousd: during(DAY_MS),
    per730hMicrousd: during(PRICED_MONTH_MS),
  };
}

function forecastJson(report: CostReport): object {
  const {forecast, projection} = report;
  const monthToDate = knownMonthToDate(report);
  const plain = {
    ifNothingChangesMicrousd: micro(projection.ifNothingChanges),
    runRateMicrousd: micro(projection.runRate),
  };
  if (forecast.status === 'insufficient-data') {
    const unknown = {method: null, monthEndMicrousd: null, low80Microusd: null, high80Microusd: null};
    return {status: forecast.status, ...unknown, ...plain, replay: null};
  }
  const {remaining, low80, high80, replay, followsStep} = forecast;
  const at = (rest: number) => (monthToDate === undefined ? null : toMicroUsd(monthEndAt(monthToDate, rest)));
  return {
    status: forecast.status,
    method: followsStep ? 'replay-weighted, follows the last step' : 'replay-weighted',
    monthEndMicrousd: at(remaining),
    low80Microusd: at(low80),
    high80Microusd: at(high80),
    ...plain,
    replay: {points: replay.points, meanAbsoluteErrorRatio: replay.points === 0 ? null : replay.meanAbsoluteErrorRatio},
  };
}

function wasteJson({rate, soFar, since, kind, resourceType, resourceId, name, confidence, evidence}: Waste): object {
  return {
    resourceType,
    resourceId,
    name,
    kind,
    confidence,
    since: since === undefined ? null : shortIsoText(since),
    perHourMicrousd: rate === undefined ? null : over(rate, HOUR_MS),
    soFarMicrousd: micro(soFar),
    evidence,
  };
}

function commitmentJson({contract, daysLeft, use, cliff, machines}: Commitment): object {
  return {
    contractId: contract.id,
    endsAt: contract.endsAt === undefined ? null : shortIsoText(contract.endsAt),
    policy: contract.expirationPolicy.kind,
    daysLeft: daysLeft ?? null,
    utilizationRatio: (use && utilizationRatio(use)) ?? null,
    coverageRatio: (use && coverageRatio(use)) ?? null,
    unusedMicrousd: micro(use?.unused),
    cliffPer730hMicrousd: cliff === undefined ? null : over(cliff, PRICED_MONTH_MS),
    resourceIds: machines?.map(({id}) => id) ?? null,
  };
}

function budgetJson(pace: BudgetPace | undefined): object | null {
  if (pace === undefined) return null;
  return {
    microusd: toMicroUsd(pace.budget),
    pace: pace.pace ?? null,
    crossings: pace.crossings.map(({ratio, at}) => ({ratio, at: at === undefined ? null : shortIsoText(at)})),
  };
}

function runwayJson(balance: Dollars, now: EpochMs, runway: Runway | undefined): object {
  const {leftMs, isAtMost = true, atListMs} = runway ?? {};
  // At a few cents a day the end can be beyond the last valid date.
  const endsAt = leftMs === undefined ? undefined : momentOf(now + leftMs);
  return {
    creditMicrousd: toMicroUsd(balance),
    hours: leftMs === undefined ? null : leftMs / HOUR_MS,
    isAtMost,
    atListPricesHours: atListMs === undefined ? null : atListMs / HOUR_MS,
    endsAt: endsAt === undefined ? null : shortIsoText(endsAt),
  };
}

function shiftJson({since, spent, source, isAtLeast, wasted, change, monthEndChange}: ShiftReport): object {
  return {
    since: shortIsoText(since),
    spentMicrousd: micro(spent),
    source,
    isAtLeast,
    wastedMicrousd: micro(wasted),
    thenPerHourMicrousd: microOf(change.thenPerHour),
    perHourMicrousd: microOf(change.nowPerHour),
    monthEndChangeMicrousd: microOf(monthEndChange),
  };
}

function over(rate: Rate, durationMs: DurationMs): MicroUsd {
  return toMicroUsd(accrue(rate, minutesOf(durationMs)));
}

function micro(amount: Dollars | undefined): MicroUsd | null {
  return amount === undefined ? null : toMicroUsd(amount);
}

function microOf(dollars: number | undefined): number | null {
  return dollars === undefined ? null : Math.round(dollars * 1e6);
}
