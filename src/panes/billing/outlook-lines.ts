import {KEYS} from '../../actions/keys.ts';
import {meteredInWords, type UsageRecord} from '../../domain/billing.ts';
import {soFar} from '../../domain/billing-history.ts';
import {machineRates} from '../../domain/cost.ts';
import {memoPer} from '../../domain/memo.ts';
import {type BurnChange, burnChange} from '../../domain/money/burn-change.ts';
import {type BillingFigures, type Spender, unattributedSpend} from '../../domain/money/figures.ts';
import {gpuPrices, knownMonthToDate, lacksContractEnds, monthEndAt} from '../../domain/money/report.ts';
import {type ShiftReport, shiftReport} from '../../domain/money/shift.ts';
import type {SpendCurve} from '../../domain/money/spend-curve.ts';
import {allocate, hourlyUsd, isPositive, rational, toMicroUsd, usd} from '../../domain/money.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {virtualMachineId} from '../../domain/virtual-machine.ts';
import {awaitedText} from '../../resources/detail.ts';
import {wasteTotal} from '../../resources/waste.ts';
import {billedBurn, billedSoFar, presentBillFeed} from '../../state/billing.ts';
import {presentWaste} from '../../state/waste.ts';
import {
  formatCounted,
  formatDollars,
  formatLeastUsd,
  formatPercent,
  formatPercentChange,
  formatRate,
  formatRateChange,
  formatShortUsd,
  formatUsd,
  formatUtcMinute,
  formatUtcMoment,
} from '../../ui/format.ts';
import {cutMiddle, type Line, lineWidth} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

/** The width of the labels, and of the lines that contain them. */
type LineRoom = {readonly labelCells: number; readonly width: number};

/** The burn rate an hour and a day ago, each with what changed it most since then, and the cost of a GPU. */
export function changeLines(
  scene: Pick<Scene, 'store' | 'now' | 'health'>,
  figures: BillingFigures | undefined,
  {labelCells, width, causes = 'below'}: LineRoom & {readonly causes?: 'below' | 'beside'},
): readonly Line[] {
  if (figures === undefined) return [];
  const label = (text: string): Line => [{text: ` ${text}`.padEnd(labelCells + 1), tone: 'dim'}];
  const [hour, day] = [billedBurn(scene, HOUR_MS), billedBurn(scene, DAY_MS)];
  const changes = changesOnce(figures.curve, [hour, day], () => [
    {when: '1 h ago', change: changeSince(figures, HOUR_MS, hour)},
    {when: '24 h ago', change: changeSince(figures, DAY_MS, day)},
  ]);
  if (causes === 'beside') {
    return changes.map(({when, change}) => {
      const then: Line = [...label(when), ...afterSpans(change, scene)];
      const since: Line = [{text: '  since ', tone: 'dim'}];
      const cause = causeSpans(change, width - lineWidth([...then, ...since]));
      return cause.length === 0 ? then : [...then, ...since, ...cause];
    });
  }
  return [
    ...changes.flatMap(({when, change}) => [
      [...label(when), ...afterSpans(change, scene)],
      ...causeSpans(change, width - labelCells - 1).map(cause => [...label('  since'), cause]),
    ]),
    ...gpuLine(figures, label),
  ];
}

/** Cached, because the box is drawn every second, and the changes are those of the records. */
const changesOnce = memoPer<SpendCurve, readonly {readonly when: string; readonly change: KnownChange}[]>();

function changeSince(figures: BillingFigures, agoMs: DurationMs, past: ReturnType<typeof billedBurn>): KnownChange {
  return past === 'awaited' ? past : {...burnChange(figures, agoMs, past), isEstimate: past === undefined};
}

/** `awaited` until the bills of that time were read. */
type KnownChange = (BurnChange & {readonly isEstimate: boolean}) | 'awaited';

/** For example `$126.35/h  +2%`: what it was, and by how much it has changed since; `~` marks an estimate. */
function afterSpans(change: KnownChange, scene: Pick<Scene, 'health'>): Line {
  if (change === 'awaited') return [{text: awaitedText(scene, 'bills'), tone: 'warning'}];
  const {thenPerHour, nowPerHour, isEstimate} = change;
  if (thenPerHour === undefined) return [{text: 'unknown', tone: 'dim'}];
  const ratio = thenPerHour > 0 && nowPerHour !== undefined ? (nowPerHour - thenPerHour) / thenPerHour : undefined;
  const percent = ratio === undefined ? '' : `  ${formatPercentChange(ratio)}`;
  return [
    {text: `${isEstimate ? '~' : ''}${formatDollars(thenPerHour)}/h`, tone: 'money'},
    {text: percent, tone: 'dim'},
  ];
}

/** For example `+$25.60/h hyperparam-sweep-08, 3 more`; a name that does not fit is cut in its middle. */
function causeSpans(change: KnownChange, width: number): Line {
  const [cause, ...others] = change === 'awaited' ? [] : change.causes;
  if (cause === undefined) return [];
  const before = `${formatRateChange(cause.perHour)} `;
  const after = others.length === 0 ? '' : `, ${others.length} more`;
  return [{text: `${before}${cutMiddle(cause.name, width - before.length - after.length)}${after}`}];
}

/** Spent and wasted since the deck was opened: `since 22:00Z   $418.20  at least $63.10 wasted`. */
export function shiftLines(
  scene: Scene,
  figures: BillingFigures | undefined,
  {labelCells, width}: LineRoom,
): readonly Line[] {
  if (figures === undefined || scene.openedAt === undefined) return [];
  const {openedAt: since, now} = scene;
  const waste = presentWaste(scene)?.waste;
  const shift = soFar(since, now);
  const bill = lastValue(scene.store.get(presentBillFeed(scene.store, shift)));
  const isSteady = ({resourceType, resourceId}: UsageRecord) =>
    resourceType.toLowerCase() === 'vm' &&
    scene.activity?.isSteadySince({id: virtualMachineId(resourceId)}, since) === true;
  const report = shiftOnce(figures.curve, [waste, bill, since], () =>
    shiftReport(figures, {waste, billed: billedSoFar(shift, scene), isSteady}, since),
  );
  const {spent, source, unpricedCount, wasted, wastefulCount} = report;
  const isMore = report.isAtLeast || unpricedCount > 0;
  const line = (before: string, after: string): Line => [
    {text: ` since ${formatUtcMinute(since)}`.padEnd(labelCells + 1), tone: 'dim'},
    {
      text: spent === undefined ? 'unknown' : `${before}${formatUsd(spent)}${isMore ? '+' : ''}`,
      tone: 'money',
    },
    {text: after, tone: 'dim'},
    {text: wasted === undefined || wastefulCount === 0 ? '' : `  ${formatLeastUsd(wasted)} wasted`, tone: 'warning'},
  ];
  const whole = line('', source === 'billed' ? '' : '  estimated');
  return [lineWidth(whole) <= width || source === 'billed' ? whole : line('~', '')];
}

/** Cached for the same reason. */
const shiftOnce = memoPer<SpendCurve, ShiftReport>();

/** Whether the sums of all spenders and of all days match the month, and by how much they do not. */
export function sumsLine(
  figures: Pick<BillingFigures, 'monthToDate' | 'days' | 'burn'>,
  spenders: readonly Spender[],
  check: string,
): Line {
  const gaps = gapsLine(figures, spenders);
  if (gaps.length > 0) return gaps;
  const rest = unattributedSpend(spenders);
  const byMinute = (hourlyUsd(figures.burn) * UNEVEN_MS) / HOUR_MS;
  const words =
    Math.abs(rest) / 1e6 <= byMinute
      ? 'days and spenders add up'
      : `days add up, ${formatUsd(rest)} not attributed to a resource`;
  return [{text: `  ${check} ${words}`, tone: 'dim'}];
}

/** Bills are by the whole minute, so those of the month and of its machines may differ by as much at either end. */
const UNEVEN_MS: DurationMs = 2 * MINUTE_MS;

/** By how much the sums of all spenders and of all days miss the month; nothing if they match. */
export function gapsLine(
  {monthToDate, days}: Pick<BillingFigures, 'monthToDate' | 'days'>,
  spenders: readonly Spender[],
): Line {
  const total = toMicroUsd(monthToDate);
  const sum = (parts: readonly number[]) => parts.reduce((left, right) => left + right, 0);
  const gaps = [
    {what: 'spenders', gap: total - sum(spenders.map(({spent}) => spent ?? 0))},
    {what: 'days', gap: total - sum(allocate(days.map(({cost}) => cost)))},
  ].filter(({gap}) => gap !== 0);
  if (gaps.length === 0) return [];
  const words = gaps.map(
    ({what, gap}) => `${what} ${formatDollars(Math.abs(gap) / 1e6)} ${gap > 0 ? 'short' : 'over'}`,
  );
  return [{text: `  ${words.join(', ')}`, tone: 'warning'}];
}

/** Per hour and GPU of the running machines; cached for the same reason. */
function runningGpuPrice({reading: {machines, live}}: BillingFigures): number | undefined {
  return gpuPriceOnce(live, [machines], () => machines && gpuPrices(machines, machineRates(live)).runningPerHour);
}

const gpuPriceOnce = memoPer<readonly UsageRecord[], number | undefined>();

function gpuLine(figures: BillingFigures, label: (text: string) => Line): readonly Line[] {
  const perHour = runningGpuPrice(figures);
  if (perHour === undefined) return [];
  return [[...label('per GPU'), {text: `${formatDollars(perHour)}/h`, tone: 'money'}, {text: ' running', tone: 'dim'}]];
}

/** The forecast for the month's end, its uncertainty, and how far off the same method was in the past. */
export function forecastLine(figures: BillingFigures): Line {
  const {forecast} = figures;
  if (forecast.status === 'insufficient-data') return [{text: ' forecast  not enough history', tone: 'dim'}];
  const monthToDate = knownMonthToDate(figures);
  if (monthToDate === undefined) return [{text: ' forecast  unknown, as month-to-date is', tone: 'dim'}];
  const at = (remaining: number) => formatShortUsd(monthEndAt(monthToDate, remaining));
  const {remaining, low80, high80, replay} = forecast;
  const error = replay.points === 0 ? '' : `  earlier ones off by ${formatPercent(replay.meanAbsoluteErrorRatio)}`;
  return [
    {text: ' forecast ', tone: 'dim'},
    {text: at(remaining), tone: ['money', 'strong']},
    ...withoutEnds(figures),
    {text: `  80% likely ${at(low80)} to ${at(high80)}${error}`, tone: 'dim'},
  ];
}

function withoutEnds(figures: BillingFigures): Line {
  return lacksContractEnds(figures) ? [{text: '  without ends of contracts', tone: 'warning'}] : [];
}

export function projectionLine(figures: BillingFigures): Line {
  const {projection} = figures;
  return [
    {text: ' month end if nothing changes ', tone: 'dim'},
    {text: formatShortUsd(projection.ifNothingChanges)},
    {text: '  at the run rate ', tone: 'dim'},
    {text: formatShortUsd(projection.runRate)},
    ...withoutEnds(figures),
  ];
}

/** An unusual burn rate: how much and since when, then what causes it and what it does to the month. */
export function anomalyLines({anomaly, month, reading}: BillingFigures): readonly Line[] {
  if (anomaly === undefined) return [];
  const {perHour, usualPerHour, since, causes} = anomaly;
  const extra = perHour - usualPerHour;
  const [first, ...others] = causes.map(({record}) => meteredInWords(record));
  const names = others.length === 0 ? first : `${first} and ${formatCounted(others.length, 'other')}`;
  const byMonthEnd = usd(rational(BigInt(Math.round((extra * (month.end - reading.now)) / HOUR_MS)), 1n));
  return [
    [
      {
        text: ` ${formatRateChange(extra)} now, above the usual since ${formatUtcMoment(epochMs(since))}`,
        tone: ['danger', 'strong'],
      },
      {text: `  +${formatShortUsd(byMonthEnd)} this month`, tone: 'danger'},
    ],
    [{text: ' caused by ', tone: 'dim'}, {text: names ?? 'resources that keep running'}],
  ];
}

/** What is wasted, and the key that shows it if its list does not fit beside the others. */
export function narrowWaste(scene: Scene): Line {
  const total = wasteTotal(scene);
  if (total === undefined) return [];
  const {perHour, unjudgedCount, unknown, isAtLeast} = total;
  if (!isPositive(perHour)) {
    const why = unjudgedCount === 0 ? unknown.join(', ') : `${unjudgedCount} not judged`;
    return isAtLeast ? [{text: `  waste: ${why}`, tone: 'dim'}] : [];
  }
  // Beside a budget there is no room for both words; the status bar names the key as well.
  const [before, after] = isAtLeast ? ['at least ', ''] : ['', ` (${KEYS.nextPart})`];
  return [
    {text: `  waste ${before}`, tone: 'dim'},
    {text: formatRate(perHour), tone: 'warning'},
    {text: after, tone: 'dim'},
  ];
}
