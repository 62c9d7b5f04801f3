import {meteredInWords} from '../../domain/billing.ts';
import {besidesBurn, machineRates, runwayText, soonestMs} from '../../domain/cost.ts';
import {moneyAhead} from '../../domain/money/ahead.ts';
import type {DaySource, DaySpend} from '../../domain/money/billed-day.ts';
import {billedDifference, differenceReason} from '../../domain/money/billed-difference.ts';
import {type BurnChange, burnChange, type PastBurn, unexplainedPerHour} from '../../domain/money/burn-change.ts';
import {type Grouping, groupsWorthALine, type SpendGroup} from '../../domain/money/group.ts';
import {
  type CostReport,
  gpuPrices,
  isBeforeRecords,
  knownBurn,
  knownMonthToDate,
  lacksContractEnds,
  monthEndAt,
  unknownDays,
  unpricedCount,
} from '../../domain/money/report.ts';
import {recordsOf} from '../../domain/money/settled.ts';
import {usageFlags} from '../../domain/money/usage-flag.ts';
import {accrue, hourlyUsd, minutesOf, sumRates, usdNumber} from '../../domain/money.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, momentOf, PRICED_MONTH_MS} from '../../domain/time.ts';
import {commitmentColumns, monthCostColumns, wasteCostColumns} from '../../resources/cost.ts';
import {
  formatCount,
  formatCounted,
  formatDollars,
  formatDuration,
  formatKnown,
  formatLeastUsd,
  formatPace,
  formatPercent,
  formatPercentChange,
  formatRate,
  formatRateChange,
  formatRunway,
  formatUsd,
  formatUtcMoment,
  UNKNOWN,
} from '../../ui/format.ts';
import {type CostResult, runwayOf} from './json.ts';
import {printedTable, type TablePrinter} from '../print/table-text.ts';

type CostTextOptions = {readonly isAscii: boolean; readonly by: Grouping; readonly table: TablePrinter};

const MAX_GROUPS = 15;
const MAX_WASTE = 20;
const MAX_CAUSES = 3;
const LABEL_CELLS = 16;

/** The report as text: what is spent now, this month and at its end, on what, and how much is wasted. */
export function costText(result: CostResult, {isAscii, by, table}: CostTextOptions): string {
  const {report} = result;
  const sections = [
    shiftLine(result),
    nowLines(result),
    monthLines(result),
    groupTable(report, result.groups, by, table),
    wasteTable(result, table),
    commitmentTable(report, table),
    aheadLines(result),
    remarkLines(report),
  ];
  const text = sections.filter(section => section !== '').join('\n');
  return isAscii ? text.replaceAll(UNKNOWN, '-') : text;
}

/** One line: `since 22:00Z (4h12): $418.20 spent, at least $63.10 of it on 3 resources still wasteful, …`. */
function shiftLine({shift, report}: CostResult): string {
  if (shift === undefined) return '';
  const {since, spent, source, isAtLeast, unpricedCount, wasted, wastefulCount, change, monthEndChange} = shift;
  // Nothing tells what was wasted on resources that were mended since.
  const waste =
    wasted === undefined || wastefulCount === 0
      ? ''
      : `, ${formatLeastUsd(wasted)} of it on ${formatCounted(wastefulCount, 'resource')} still wasteful`;
  const without = unpricedCount === 0 ? '' : `, without ${formatCounted(unpricedCount, 'resource')} of unknown cost`;
  const estimated = `${formatKnown(spent, isAtLeast ? formatLeastUsd : formatUsd)} spent (estimated from usage${without})`;
  const amount = source === 'billed' && spent !== undefined ? `${formatUsd(spent)} billed` : estimated;
  const causes = causesText(change);
  const by = causes === '' ? '' : ` (${causes})`;
  const month = formatKnown(monthEndChange, wholeDollarChange);
  const {thenPerHour, nowPerHour} = change;
  const burn =
    thenPerHour === undefined || nowPerHour === undefined ? 'unknown' : formatRateChange(nowPerHour - thenPerHour);
  return `since ${formatUtcMoment(since)} (${formatDuration(report.reading.now - since)}): ${amount}${waste}, burn ${burn}${by}, month end ${month}\n`;
}

/** `+$12`, `-$12`, `+$0`. */
function wholeDollarChange(dollars: number): string {
  const whole = Math.round(dollars);
  return `${whole < 0 ? '-' : '+'}$${formatCount(Math.abs(whole))}`;
}

function nowLines(result: CostResult): string {
  const {report, credit, hourAgo, dayAgo} = result;
  const {burn, reading, anomaly} = report;
  const over = (durationMs: DurationMs) => formatUsd(accrue(burn, minutesOf(durationMs)));
  const unknownCount = unpricedCount(report);
  const missing = unknownCount === 0 ? '' : `  without ${formatCounted(unknownCount, 'resource')} of unknown price`;
  const gpu = reading.machines === undefined ? undefined : gpuPrices(reading.machines, machineRates(reading.live));
  return lines([
    [
      'burn rate',
      knownBurn(report) === undefined
        ? `unknown${missing}`
        : `${formatRate(burn)}  ${over(DAY_MS)} a day  ${over(PRICED_MONTH_MS)} in 730 h${missing}`,
    ],
    // What the rate was is known from the bills of this month.
    ...(reading.now >= reading.month.end
      ? []
      : [
          ['1 h ago', changeText(report, HOUR_MS, hourAgo)] as const,
          ['24 h ago', changeText(report, DAY_MS, dayAgo)] as const,
        ]),
    ...(gpu?.billedPerHour === undefined ? [] : [['per GPU', gpuText(gpu)] as const]),
    ...(anomaly === undefined ? [] : [['unusual', anomalyText(report)] as const]),
    ['credit', `${formatKnown(credit, formatUsd)}  runway ${runwayWords(result)}`],
  ]);
}

/** What is free only while it changes state is counted in full, unlike in the burn rate. */
function runwayWords(result: CostResult): string {
  const known = runwayOf(result);
  const {now} = result.report.reading;
  const text = runwayText(known, formatRunway);
  const endsInMs = known && soonestMs(known);
  if (known === undefined || known.leftMs === 0 || endsInMs === undefined) return text;
  const besides = besidesBurn(known);
  const paused = besides === undefined ? '' : `, with ${besides}`;
  return `${text}, until ${formatUtcMoment(momentOf(now + endsInMs))}${paused}`;
}

function changeText(report: CostReport, agoMs: number, past: PastBurn | undefined): string {
  const known = burnChange(report, agoMs, past);
  const {thenPerHour, nowPerHour} = known;
  if (thenPerHour === undefined) return 'unknown';
  const ratio = thenPerHour > 0 && nowPerHour !== undefined ? (nowPerHour - thenPerHour) / thenPerHour : undefined;
  const change = ratio === undefined ? '' : ` (${formatPercentChange(ratio)} since)`;
  const causes = causesText(known);
  return `${certaintyText(report, past)}${formatDollars(thenPerHour)}/h${change}${causes === '' ? '' : `  ${causes}`}`;
}

/** What was billed by machine is a fact; what was deleted since and not read may have cost more. */
function certaintyText({reading: {deleted}, unpriced}: CostReport, past: PastBurn | undefined): string {
  if (past === undefined && (deleted === undefined || unpriced.length > 0)) return 'at least ';
  return past?.machines === undefined ? 'about ' : '';
}

/** The largest causes of a change, and what none of them explains. */
function causesText(change: BurnChange): string {
  const {causes} = change;
  const rest = unexplainedPerHour(change);
  return [
    ...causes.slice(0, MAX_CAUSES).map(({name, perHour}) => `${formatRateChange(perHour)} ${name}`),
    ...(causes.length > MAX_CAUSES ? [`${causes.length - MAX_CAUSES} more`] : []),
    ...(rest === 0 ? [] : [`${formatRateChange(rest)} unexplained`]),
  ].join(', ');
}

function gpuText({billedPerHour, runningPerHour}: ReturnType<typeof gpuPrices>): string {
  const price = (perHour: number | undefined) => formatKnown(perHour, value => `${formatDollars(value)}/h`);
  return `${price(billedPerHour)} billed, ${price(runningPerHour)} running`;
}

function anomalyText({anomaly, reading: {now, month}}: CostReport): string {
  if (anomaly === undefined) return '';
  const {perHour, usualPerHour, since, causes} = anomaly;
  const names = causes.slice(0, MAX_CAUSES).map(({record}) => meteredInWords(record));
  const more = causes.length > MAX_CAUSES ? ` and ${causes.length - MAX_CAUSES} more` : '';
  // If nothing new began, existing resources cost more.
  const by = names.length === 0 ? 'resources that keep running' : `${names.join(', ')}${more}`;
  const extra = perHour - usualPerHour;
  const rest = (extra * Math.max(0, month.end - now)) / HOUR_MS;
  return `${formatRateChange(extra)} now, above the usual ${formatDollars(usualPerHour)}/h since ${formatUtcMoment(epochMs(since))}: ${by}; $${formatCount(rest)} until the month ends`;
}

function monthLines({report, budget}: CostResult): string {
  const {forecast, projection, reading} = report;
  const {ifNothingChanges, runRate} = projection;
  const monthToDate = knownMonthToDate(report);
  const spent = monthToDate === undefined ? unknownText(report) : `${formatUsd(monthToDate)}  ${sourceText(report)}`;
  return lines([
    ...(reading.now >= reading.month.end
      ? [['month', spent] as const]
      : ([
          ['month-to-date', spent],
          ['forecast', forecastText(report)],
          [
            'month end',
            `${formatKnown(ifNothingChanges, formatUsd)} if nothing changes  ${formatKnown(runRate, formatUsd)} at the run rate${ifNothingChanges === undefined ? '' : withoutEnds(report)}`,
          ],
        ] as const)),
    ...(forecast.status === 'ready' && forecast.replay.points > 0
      ? [['forecast error', replayText(forecast.replay)] as const]
      : []),
    ...(budget === undefined ? [] : [['budget', budgetText(report, budget)] as const]),
  ]);
}

function unknownText({usage, reading: {month, now}}: CostReport): string {
  return isBeforeRecords(month, recordsOf(usage), now)
    ? 'unknown: no bill, and no usage record goes back that far'
    : 'unknown';
}

/** For example `11 of 23 days as billed by the provider`, or how days are estimated if it keeps no bills. */
function sourceText(report: CostReport): string {
  const {days, estimated} = report;
  const isBilled = ({source}: DaySpend) => source === 'billed';
  if (estimated.unpricedCount === 0 || days.every(isBilled)) return sourceOf(days);
  const unknownCount = unknownDays(report).size;
  if (unknownCount > 0 && days.some(isBilled)) {
    return `${sourceOf(days)}, ${formatCounted(unknownCount, 'day')} unknown`;
  }
  return `${sourceOf(days)}, without ${formatCounted(estimated.unpricedCount, 'resource')} of unknown cost`;
}

function sourceOf(days: CostReport['days']): string {
  const count = (source: DaySource) => days.filter(day => day.source === source).length;
  const [billed, sampled, byEvents] = [count('billed'), count('samples'), count('events')];
  if (billed > 0) return `${billed} of ${days.length} days as billed by the provider`;
  if (sampled + byEvents === 0) return 'estimated from usage';
  const rest = days.length - sampled - byEvents;
  const parts = [
    ...(sampled === 0 ? [] : [`${sampled} by own samples`]),
    ...(byEvents === 0 ? [] : [`${byEvents} by events`]),
    ...(rest === 0 ? [] : [`${rest} spread evenly`]),
  ];
  return `estimated from usage, of ${formatCounted(days.length, 'day')} ${parts.join(', ')}`;
}

function forecastText(report: CostReport): string {
  const {forecast, projection} = report;
  const {ifNothingChanges, runRate} = projection;
  if (forecast.status === 'insufficient-data') {
    const ends = [ifNothingChanges, runRate]
      .flatMap(end => end ?? [])
      .sort((left, right) => usdNumber(left) - usdNumber(right));
    const [low, high] = ends.map(formatUsd);
    // At the very start of a month there is no run rate; and if prices do not change, both ends of the range are equal.
    return high === undefined || low === high ? 'not enough history' : `not enough history; between ${low} and ${high}`;
  }
  const monthToDate = knownMonthToDate(report);
  if (monthToDate === undefined) return 'unknown, as month-to-date is';
  const at = (remaining: number) => formatUsd(monthEndAt(monthToDate, remaining));
  const {remaining, low80, high80} = forecast;
  return `${at(remaining)}  80% likely between ${at(low80)} and ${at(high80)}${withoutEnds(report)}`;
}

function withoutEnds(report: CostReport): string {
  return lacksContractEnds(report) ? '  without ends of contracts' : '';
}

function replayText({
  points,
  meanAbsoluteErrorRatio,
  insideCount,
}: {
  readonly points: number;
  readonly meanAbsoluteErrorRatio: number;
  readonly insideCount: number;
}): string {
  return `forecasts of the same kind for ${points} past moments were off by ${formatPercent(meanAbsoluteErrorRatio)} on average; ${insideCount} were within their range`;
}

function budgetText(report: CostReport, {budget, pace, crossings}: NonNullable<CostResult['budget']>): string {
  const monthToDate = knownMonthToDate(report);
  if (monthToDate === undefined) return `${formatUsd(budget)}  unknown how much of it is spent`;
  const share = formatPercent(usdNumber(monthToDate) / usdNumber(budget));
  const isBurnKnown = knownBurn(report) !== undefined;
  const notReached = isBurnKnown ? 'not reached' : 'unknown when';
  const isLower = isBurnKnown && unpricedCount(report) > 0 && crossings.some(({at}) => at === undefined);
  const missing = isLower ? ` without ${formatCounted(unpricedCount(report), 'resource')} of unknown price` : '';
  const dates = crossings.map(
    ({ratio, at}) => `${formatPercent(ratio)} ${at === undefined ? notReached : `on ${formatUtcMoment(at)}`}`,
  );
  const speed = pace === undefined ? '' : `, ${formatPace(pace)}`;
  return `${formatUsd(budget)}  ${share} spent${speed}; ${dates.join(', ')}${missing}`;
}

function groupTable(
  {monthToDate}: CostReport,
  groups: readonly SpendGroup[] | undefined,
  by: Grouping,
  table: TablePrinter,
): string {
  if (groups === undefined) return `spend by ${by} is unknown\n`;
  const worthALine = groupsWorthALine(groups);
  if (worthALine.length === 0) return '';
  const shown = worthALine.slice(0, MAX_GROUPS);
  const hidden = worthALine.length - shown.length;
  const columns = monthCostColumns(by, monthToDate);
  return `${table(...printedTable(columns, shown, UNKNOWN))}${hidden > 0 ? `${hidden} more; -o csv prints all\n` : ''}`;
}

function wasteTable({waste, kept, unjudgedCount, unknownToWaste, report}: CostResult, table: TablePrinter): string {
  if (waste === undefined) return 'waste is unknown\n';
  const total = sumRates(waste.flatMap(({rate, kind}) => (kind === 'unmetered' ? [] : (rate ?? []))));
  const unjudged = [
    ...unknownToWaste.map(words => `, ${words}`),
    ...(unjudgedCount === 0 ? [] : [`, ${formatCounted(unjudgedCount, 'machine')} not judged`]),
  ].join('');
  const least = unjudged === '' ? '' : 'at least ';
  const head = `waste ${least}${formatRate(total)}${unjudged}${kept.length === 0 ? '' : `, and ${formatRate(sumRates(kept.flatMap(({rate}) => rate ?? [])))} kept on purpose`}\n`;
  if (waste.length === 0) return head;
  const shown = waste.slice(0, MAX_WASTE);
  const hidden = waste.length - shown.length;
  return `${head}${table(...printedTable(wasteCostColumns(report.reading), shown, UNKNOWN))}${hidden > 0 ? `${hidden} more; -o json prints all\n` : ''}`;
}

function commitmentTable({commitments, reading}: CostReport, table: TablePrinter): string {
  if (commitments === undefined) return 'contracts are unknown\n';
  if (commitments.length === 0) return '';
  return table(...printedTable(commitmentColumns(reading), commitments, UNKNOWN));
}

/** What the next thirty days change, soonest first. */
function aheadLines(result: CostResult): string {
  const {report, budget} = result;
  const {now} = report.reading;
  const runway = runwayOf(result);
  const endsInMs = runway && soonestMs(runway);
  const creditEndsAt = endsInMs === undefined ? undefined : momentOf(now + endsInMs);
  const dates = moneyAhead(report, {budget, creditEndsAt});
  return lines(
    dates.map(({at, what, rise}) => [
      formatUtcMoment(at),
      `${what}${rise === undefined ? '' : `, ${formatRateChange(hourlyUsd(rise))}`}`,
    ]),
  );
}

function remarkLines(report: CostReport): string {
  const {usage, reading} = report;
  const monthToDate = knownMonthToDate(report);
  const flags = usageFlags(recordsOf(usage), reading.now);
  const difference = billedDifference(report);
  const remarks = [
    ...(reading.deleted === undefined ? ['deleted resources are missing in the month'] : []),
    ...(difference?.isLarge === true
      ? [
          `billed ${formatUsd(difference.billed)} for the closed days; the usage records give ${formatUsd(difference.estimated)}${reasonText(report)}`,
        ]
      : []),
    ...(flags.length === 0 ? [] : [`${flags.length} anomalies in usage records; -o json lists them`]),
    ...(monthToDate !== undefined && usdNumber(monthToDate) === 0 ? ['nothing was billed this month'] : []),
  ];
  return remarks.map(remark => `${remark}\n`).join('');
}

function reasonText(report: CostReport): string {
  const reason = differenceReason(report);
  return reason === undefined ? '' : `: ${reason}`;
}

function lines(rows: readonly (readonly [label: string, text: string])[]): string {
  return rows.map(([label, text]) => `${label.padEnd(LABEL_CELLS)}${text}\n`).join('');
}
