import {Box} from 'ink';
import type {ReactNode} from 'react';
import {cannotOperateReason} from '../../actions/action-question.ts';
import {actionOfFix} from '../../actions/actions.ts';
import {candidatesOf, reasonAgainstAll} from '../../actions/ask.ts';
import {monthSoFar, soFar, todaySoFar} from '../../domain/billing-history.ts';
import {contractName} from '../../domain/contract.ts';
import {accrue, hourlyUsd, minutesOf, type Rate, usdNumber} from '../../domain/money.ts';
import {type BillingFigures, type Spender, topSpenders} from '../../domain/money/figures.ts';
import {forecastByDay, knownBurn, spendByHour} from '../../domain/money/report.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {describeFailure, type Failure} from '../../domain/failure.ts';
import {failureOf, readAt} from '../../domain/snapshot.ts';
import {PAST_COLUMNS, type PastDay, pastDays} from '../../resources/account-past.ts';
import {accountPastFeed} from '../../state/long-past.ts';
import {contracts, soonestContract} from '../../resources/contracts.ts';
import {missingLine} from '../../resources/detail.ts';
import {machines} from '../../resources/machines.ts';
import type {RelatedGroup} from '../../resources/related.ts';
import {oneName} from '../../resources/resource.ts';
import {isUnlisted, placeOf, resourceNamed} from '../../resources/resources.ts';
import {SPENDER_COLUMNS, spenderRows} from '../../resources/usage.ts';
import {WASTE_COLUMNS, type WasteRow, wasteDetail, wasteRows, wasteTotal} from '../../resources/waste.ts';
import {
  billedBurnFeeds,
  billedDayFeeds,
  billingFigures,
  changingCount,
  creditFeed,
  deletedUsageFeed,
  presentBillFeed,
  lastDayCostFeed,
  machineHistoriesFeed,
  usageFeed,
} from '../../state/billing.ts';
import {contractFeed, contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {costliestRunning} from '../../state/triage.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {type Bar, barChart} from '../../ui/bar-chart.ts';
import {
  formatCounted,
  formatDollarTick,
  formatDuration,
  formatKnown,
  formatRate,
  formatShortUsd,
  formatUsd,
  formatUtcDate,
} from '../../ui/format.ts';
import {Lines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {asking} from '../asking.ts';
import {budgetLines} from '../budget.ts';
import {bindPart, resourcePart} from '../collection-part.tsx';
import {collectionPane} from '../collection.tsx';
import {type ArrangedProps, partView} from '../collection-view.ts';
import type {CommandResult} from '../command.ts';
import {type Copied, copiedRecord} from '../copy-menu.ts';
import {feedFrame} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import {SCROLL_START} from '../scroll.ts';
import {creditText, runwayLine} from '../runway.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {aheadLine} from './ahead-line.ts';
import {type BillingLayout, billingLayout} from './layout.ts';
import {
  anomalyLines,
  changeLines,
  forecastLine,
  gapsLine,
  narrowWaste,
  projectionLine,
  shiftLines,
  sumsLine,
} from './outlook-lines.ts';
import {isYesterdayKnown, monthSourceSpans, narrowServiceLine, yesterdayText} from './service-lines.ts';
import {KEYS} from '../keys.ts';

const spendersPart = bindPart<Spender>({
  title: say`top spenders`,
  feed: usageFeed,
  none: say`nothing was billed this month`,
  wants: [],
  rows: spenderRows,
  opensWith: {sortKey: 'spent', isDescending: true},
  idOf: ({key}) => key,
  nameOf: ({name}) => name,
  columns: SPENDER_COLUMNS,
  showsCut: true,
  copiedAs: copiedCause,
  related: relatedToCause,
  actions: {
    open: {
      reason: (spender, scene) => {
        if (placeOfCause(spender) === undefined) return NO_PANE;
        if (!spender.isActive) return say`the ${safeText(spender.resourceType)} is deleted`;
        return unlistedReason(spender, scene);
      },
      run: goTo,
    },
  },
});

/** The title says what all of it costs an hour. */
const wastePart = bindPart<WasteRow>({
  title: say`waste`,
  feed: machinesFeed,
  none: say`none found`,
  wants: [],
  note: scene => {
    const total = wasteTotal(scene);
    if (total === undefined) return undefined;
    const {perHour, keptPerHour, unjudgedCount} = total;
    const kept = keptPerHour === undefined ? say`` : say`, kept ${safeText(formatRate(keptPerHour))}`;
    const unjudged = unjudgedCount === 0 ? say`` : say`, ${unjudgedCount} not judged`;
    return say`${safeText(formatRate(perHour))}${kept}${unjudged}`;
  },
  rows: wasteRows,
  idOf: ({key}) => key,
  nameOf: ({waste}) => waste.name,
  columns: WASTE_COLUMNS,
  detail: (row, _scene, width) => wasteDetail(row, width),
  showsCut: true,
  copiedAs: ({waste}) => copiedCause(waste),
  related: ({waste}, scene) => relatedToCause(waste, scene),
  actions: {
    open: {
      reason: ({waste}, scene) => (placeOfCause(waste) === undefined ? NO_PANE : unlistedReason(waste, scene)),
      run: ({waste}) => goTo(waste),
    },
    commands: [
      {
        key: KEYS.fix,
        title: say`fix`,
        help: 'Asks about the action that ends the waste; where that takes two, about the first.',
        reason: (row, scene) => fixReason([row], scene),
        run: (row, scene) => asking(fixesOf([row], scene), scene),
        many: {
          reason: (rows, scene) => fixReason(rows, scene),
          run: (rows, scene) => asking(fixesOf(rows, scene), scene),
        },
      },
    ],
  },
});

/** Of what is marked only what is ended by the same action as the first can be asked about at once. */
function fixesOf(rows: readonly WasteRow[], scene: Scene) {
  const actions = rows.flatMap(({fix: {first}}) => (first === undefined ? [] : (actionOfFix(first) ?? [])));
  return candidatesOf(
    actions.filter(({kind}) => kind === actions[0]?.kind),
    scene,
  );
}

function fixReason(rows: readonly WasteRow[], scene: Scene): SafeText | undefined {
  const fixes = fixesOf(rows, scene);
  if (fixes.length === 0) return say`no action ends this; its fix says what to do`;
  return cannotOperateReason(scene) ?? reasonAgainstAll(fixes);
}

/** Other panes lead to a contract: what it covers has to be read there. */
const contractsPart = resourcePart(contracts, {
  wants: [],
  isArrival: true,
  nameOf: ({contract}) => contractName(contract),
  copiedAs: ({contract}) => ({...copiedRecord(contracts, contract), name: say`#${contract.id}`}),
  actions: {},
});

/** How old the days of Prometheus are, where it gave any, and why no newer ones came. */
type HistorySource = {readonly ageMs: DurationMs | undefined; readonly failure: Failure | undefined};

/** A year by Prometheus where there is one; what it lacks, and all without it, as the usage tells. */
const historyPart = bindPart<PastDay, HistorySource>({
  title: say`history`,
  of: ({store, monotonicNow}) => {
    const snapshot = store.get(accountPastFeed);
    const [failure, at] = [failureOf(snapshot), readAt(snapshot)];
    if (failure === undefined && at === undefined) return undefined;
    return {ageMs: at === undefined ? undefined : monotonicNow - at, failure};
  },
  heading: ({ageMs, failure}) => {
    const source = ageMs === undefined ? say`computed from usage` : say`Prometheus ${safeText(formatDuration(ageMs))}`;
    const why = failure === undefined ? say`` : say`: ${describeFailure(failure)}`;
    return say`history, ${source}${why}`;
  },
  none: say`nothing was billed before today`,
  wants: [],
  rows: pastDays,
  idOf: ({at}) => formatUtcDate(at),
  nameOf: ({at}) => safeText(formatUtcDate(at)),
  columns: PAST_COLUMNS,
  actions: {},
});

export const billingPane = collectionPane({
  ...TABS.billing,
  aliases: ['cost', 'costs', 'money', 'usage', 'credit'],
  parts: [spendersPart, wastePart, contractsPart, historyPart],
  arrangement: {
    places: ({scene: {size}}) => {
      const {spenders, waste, contracts: below, history} = billingLayout(size);
      return [spenders, waste, below, history];
    },
    wants: ({scene}) => wants(scene),
    Screen: BillingScreen,
  },
});

/** What is spent for, as usage names it. */
type Cause = {readonly name: SafeText; readonly resourceType: string; readonly resourceId: number};

const NO_PANE = say`no pane shows it`;

function placeOfCause({resourceType, resourceId}: Cause) {
  return placeOf(resourceType, resourceId);
}

function unlistedReason({resourceType, resourceId}: Cause, {store}: Scene): SafeText | undefined {
  return isUnlisted(store, resourceType, resourceId) ? say`it is billed, but not in the list` : undefined;
}

function goTo(cause: Cause): CommandResult {
  const place = placeOfCause(cause);
  return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
}

function copiedCause({name, resourceType, resourceId}: Cause): Copied | undefined {
  const kind = resourceNamed(resourceType);
  const path = kind?.one?.path(resourceId);
  if (kind === undefined || path === undefined) return undefined;
  return {name, id: say`${resourceId}`, resource: oneName(kind), target: `${resourceId}`, path};
}

/** Only machines lead on. */
function relatedToCause({resourceType, resourceId}: Cause, {store}: Scene): readonly RelatedGroup[] {
  const isMachine = resourceType.toLowerCase() === 'vm';
  const machine = isMachine ? observedMachines(store)?.find(({id}) => id === resourceId) : undefined;
  return machine === undefined ? [] : (machines.related?.(machine, store) ?? []);
}

/** Histories are one request a machine: those of the first tell since when they stand still. */
const MAX_HISTORIES = 6;

function stoppedMachines({store}: Scene): readonly VirtualMachine[] {
  const machines = observedMachines(store) ?? [];
  return machines.filter(({status}) => status === 'SHUTOFF' || status === 'HIBERNATED').slice(0, MAX_HISTORIES);
}

/** Two weeks of samples are a megabyte a machine: idleness is looked for where it costs most. */
const MAX_JUDGED = 6;

function wants(scene: Scene): readonly Want[] {
  const period = monthSoFar(scene.now);
  const soonest = soonestContract(scene);
  return [
    {feed: usageFeed, priority: 1},
    {feed: deletedUsageFeed, priority: 1},
    {feed: creditFeed, priority: 2},
    {feed: contractsFeed, priority: 2},
    {feed: machinesFeed, priority: 2},
    {feed: volumesFeed, priority: 2},
    ...stoppedMachines(scene).map(({id}) => ({feed: eventsFeed(id), priority: 3})),
    ...costliestRunning(scene.store)
      .slice(0, MAX_JUDGED)
      .map(({id}) => ({feed: metricsFeed(id, '15d'), priority: 5, isBackground: true})),
    {feed: presentBillFeed(scene.store, period), priority: 3},
    {feed: presentBillFeed(scene.store, todaySoFar(scene.now)), priority: 3},
    ...(scene.openedAt === undefined
      ? []
      : [{feed: presentBillFeed(scene.store, soFar(scene.openedAt, scene.now)), priority: 4}]),
    {feed: lastDayCostFeed, priority: 3},
    {feed: accountPastFeed, priority: 4},
    {feed: machineHistoriesFeed(period), priority: 3},
    ...[HOUR_MS, DAY_MS].flatMap(agoMs => billedBurnFeeds(scene, agoMs)).map(feed => ({feed, priority: 4})),
    ...billedDayFeeds(scene.store, scene.now).map(feed => ({feed, priority: 4})),
    // The contract at its end may change or be renewed while it is shown, so it is read more often than the list.
    ...(soonest === undefined ? [] : [{feed: contractFeed(soonest.id), priority: 3, intervalMs: MINUTE_MS}]),
  ];
}

function isWide({month}: BillingLayout): boolean {
  return month.columns > 0;
}

const WASTE_INDEX = 1;
const CONTRACTS_INDEX = 2;
/** A year takes the place of both. */
const HISTORY_INDEX = 3;

function BillingScreen({scene, view, lists: [spenders, waste, contractList, history]}: ArrangedProps): ReactNode {
  const layout = billingLayout(scene.size);
  const figures = billingFigures(scene);
  const {partIndex} = view;
  const isContractsAlone = layout.isOneList && partIndex === CONTRACTS_INDEX;
  const hasLists = partIndex !== HISTORY_INDEX && !isContractsAlone;
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <Box>
        <Now scene={scene} figures={figures} layout={layout} />
        {isWide(layout) && (
          <Month scene={scene} figures={figures} place={layout.month} isHourly={partIndex === HISTORY_INDEX} />
        )}
      </Box>
      <Box>
        {partIndex === HISTORY_INDEX && history}
        {hasLists && (layout.isSideBySide || partIndex !== WASTE_INDEX) && spenders}
        {hasLists && (layout.isSideBySide || partIndex === WASTE_INDEX) && (
          <Box flexDirection="column">
            {waste}
            {layout.wasteDetail.rows > 0 && (
              <wastePart.Detail
                scene={scene}
                view={partView(view, WASTE_INDEX)}
                place={layout.wasteDetail}
                scroll={SCROLL_START}
              />
            )}
          </Box>
        )}
        {isContractsAlone && contractList}
      </Box>
      {layout.ahead.rows > 0 && (
        <Lines lines={[aheadLine(scene, figures, scene.size.columns)]} width={scene.size.columns} theme={scene.theme} />
      )}
      {!layout.isOneList && contractList}
    </Box>
  );
}

type BillingSources = {readonly scene: Scene; readonly figures: BillingFigures | undefined};

const HOURS_PER_DAY = 24;
/** As clouds quote prices by the month. */
const HOURS_PER_MONTH = 730;
const MINUTES_PER_HOUR = 60;
const LABEL_CELLS = 13;

/** Burn rate in four spans, yesterday, credit and how long it lasts; with the month in it where the month has no box of its own. */
function Now({scene, figures, layout}: BillingSources & {readonly layout: BillingLayout}): ReactNode {
  const lines = isWide(layout)
    ? wideLines(scene, figures, layout.now.columns - 2)
    : narrowLines(scene, figures, layout.now.columns);
  return <FeedBox title="now" scene={scene} feed={usageFeed} place={layout.now} lines={lines} />;
}

function wideLines(scene: Scene, figures: BillingFigures | undefined, width: number): readonly Line[] {
  const burn = figures && knownBurn(figures);
  return [
    fact('burn', formatKnown(burn, formatRate), missingText(scene, figures)),
    fact('per minute', perMinute(burn)),
    fact('per day', spent(burn, HOURS_PER_DAY), {text: `  ${inShort(burn, HOURS_PER_MONTH)} in 730 h`, tone: 'dim'}),
    fact('credit', creditText(scene)),
    [{text: ' runway'.padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...runwayLine(scene, figures)],
    ...budgetLines(scene, figures).map(
      (line, index): Line => [{text: (index === 0 ? ' budget' : '').padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...line],
    ),
    ...changeLines(scene, figures, {labelCells: LABEL_CELLS, width}),
    ...shiftLines(scene, figures, {labelCells: LABEL_CELLS, width}),
    fact('yesterday', yesterdayText(scene), {text: isYesterdayKnown(scene) ? '  as billed' : '', tone: 'dim'}),
  ];
}

/** The same and the month in five lines; what is unusual takes the place of the forecast and of yesterday. */
function narrowLines(scene: Scene, figures: BillingFigures | undefined, columns: number): readonly Line[] {
  const creditLine: Line = [
    {text: ' credit ', tone: 'dim'},
    {text: creditText(scene), tone: 'money'},
    {text: '  runway ', tone: 'dim'},
    ...runwayLine(scene, figures),
  ];
  const serviceLine = narrowServiceLine(scene, figures);
  if (figures === undefined) return [missingLine(scene, usageFeed, 'usage'), creditLine, serviceLine];
  const burn = knownBurn(figures);
  const spans =
    burn === undefined
      ? ''
      : `${perMinute(burn)}/min  ${spent(burn, HOURS_PER_DAY)}/day  ${spent(burn, HOURS_PER_MONTH)}/730h`;
  const days = figures.days.map(({cost}) => usdNumber(cost));
  const unusual = anomalyLines(figures);
  return [
    [
      {text: ' burn ', tone: 'dim'},
      {text: formatKnown(burn, formatRate), tone: ['money', 'strong']},
      {text: `  ${spans}`, tone: 'dim'},
    ],
    [
      ...monthSpentLine(figures),
      ...gapsLine(figures, topSpenders(figures)),
      ...narrowWaste(scene),
      ...narrowBudget(scene, figures),
    ],
    ...(unusual.length > 0
      ? [...unusual, creditLine]
      : [withDays(forecastLine(figures), days, columns - 2, scene), creditLine, serviceLine]),
  ];
}

const MIN_DAYS = 8;

/** The last days behind the line, as many as have room. */
function withDays(line: Line, days: readonly number[], width: number, {theme}: Scene): Line {
  const count = Math.min(days.length, width - lineWidth(line) - 2);
  if (count < MIN_DAYS) return line;
  return [...line, {text: '  '}, ...sparkline(days, {width: count, glyphs: theme.glyphs, min: 0})];
}

function narrowBudget(scene: Scene, figures: BillingFigures): Line {
  const [share] = budgetLines(scene, figures);
  return share === undefined ? [] : [{text: '  '}, ...share];
}

function perMinute(burn: Rate | undefined): string {
  return formatKnown(burn, rate => `$${(hourlyUsd(rate) / MINUTES_PER_HOUR).toFixed(4)}`);
}

/** What the burn rate comes to over a number of hours. */
function spent(burn: Rate | undefined, hours: number): string {
  return formatKnown(burn, rate => formatUsd(accrue(rate, minutesOf(hours * HOUR_MS))));
}

function inShort(burn: Rate | undefined, hours: number): string {
  return formatKnown(burn, rate => formatShortUsd(accrue(rate, minutesOf(hours * HOUR_MS))));
}

/** The month by day and its forecast, what has been spent, and where it ends. */
function Month({
  scene,
  figures,
  place,
  isHourly,
}: BillingSources & {readonly place: Place; readonly isHourly: boolean}): ReactNode {
  const title =
    figures === undefined
      ? 'month'
      : isHourly
        ? `last ${SHOWN_HOURS} hours, $ per hour (UTC)`
        : 'month, $ per day (UTC)';
  const text = figures === undefined ? [missingLine(scene, usageFeed, 'usage')] : monthLines(scene, figures);
  const room = {...place, rows: place.rows - text.length};
  const chart =
    figures === undefined ? [] : isHourly ? hoursChart(scene, figures, room) : monthChart(scene, figures, room);
  return <FeedBox title={title} scene={scene} feed={usageFeed} place={place} lines={[...chart.map(padded), ...text]} />;
}

/** As many as have a bar of their own at 120 columns. */
const SHOWN_HOURS = 48;
/** Steps of the clock that have room below bars of one cell. */
const LABELLED_HOURS = 6;

/** The last hours beside the history of days: the present one so far. */
function hoursChart(scene: Scene, figures: BillingFigures, place: Place): readonly Line[] {
  const hours = spendByHour(figures, SHOWN_HOURS);
  const bars = hours.map(({start, dollars, source}, index): Bar => {
    const tone = index === hours.length - 1 ? 'money' : source === 'billed' ? 'series' : 'text';
    const hour = new Date(start).getUTCHours();
    return {value: dollars, label: hour % LABELLED_HOURS === 0 ? String(hour) : '', tone};
  });
  return barChart(bars, {
    width: place.columns - 4,
    height: Math.max(0, place.rows - 2),
    format: value => formatDollarTick(value).padStart(6),
    glyphs: scene.theme.glyphs,
    line: undefined,
  });
}

/** Days that have been, days as they are forecast with how low and how high they may turn out, and the budget of a day. */
function monthChart(scene: Scene, figures: BillingFigures, place: Place): readonly Line[] {
  const {month, days} = figures;
  const dayCount = Math.round((month.end - month.start) / DAY_MS);
  const ahead = new Map(forecastByDay(figures).map(each => [dayOf(each.start, month.start), each]));
  const cliffDays = new Set((figures.commitments ?? []).map(({contract}) => dayOf(contract.endsAt, month.start)));
  const {budget} = scene.preferences;
  const bars = Array.from({length: dayCount}, (_, index): Bar => {
    const day = days[index];
    const label = `${index + 1}${cliffDays.has(index) ? '!' : ''}`;
    if (day === undefined) {
      const {dollars, low80, high80} = ahead.get(index) ?? {};
      return {value: dollars, mayFallTo: low80, mayReach: high80, label, tone: 'dim'};
    }
    const tone = index === days.length - 1 ? 'money' : day.source === 'billed' ? 'series' : 'text';
    return {value: usdNumber(day.cost), label, tone};
  });
  return barChart(bars, {
    width: place.columns - 4,
    height: Math.max(0, place.rows - 2),
    format: value => formatDollarTick(value).padStart(6),
    glyphs: scene.theme.glyphs,
    line: budget === undefined ? undefined : {value: usdNumber(budget) / dayCount, tone: 'warning'},
  });
}

function dayOf(at: EpochMs | undefined, start: EpochMs): number | undefined {
  return at === undefined ? undefined : Math.floor((at - start) / DAY_MS);
}

function monthSpentLine(figures: BillingFigures): Line {
  const missing = [
    ...(figures.lacksDeleted ? ['without deleted resources'] : []),
    ...(figures.estimated.unpricedCount > 0
      ? [`${formatCounted(figures.estimated.unpricedCount, 'resource')} unpriced`]
      : []),
  ].join(', ');
  return [
    {text: ' month-to-date ', tone: 'dim'},
    {text: formatUsd(figures.monthToDate), tone: ['money', 'strong']},
    {text: missing === '' ? '' : `  ${missing}`, tone: 'warning'},
  ];
}

function monthLines(scene: Scene, figures: BillingFigures): readonly Line[] {
  return [
    [...monthSpentLine(figures), ...sumsLine(figures, topSpenders(figures), scene.theme.glyphs.check)],
    monthSourceSpans(scene, figures),
    forecastLine(figures),
    projectionLine(figures),
    ...anomalyLines(figures),
  ];
}

function FeedBox({
  title,
  scene,
  feed,
  place,
  lines,
}: {
  readonly title: string;
  readonly scene: Scene;
  readonly feed: Feed<unknown>;
  readonly place: Place;
  readonly lines: readonly Line[];
}): ReactNode {
  return (
    <TitledBox {...feedFrame(scene, feed)} title={title} lines={lines} width={place.columns} height={place.rows} />
  );
}

function fact(label: string, value: string, note: Line[number] = {text: ''}): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}, {text: value, tone: 'money'}, note];
}

/** What the burn rate lacks, and what of it may be over. */
function missingText(scene: Scene, figures: BillingFigures | undefined): Line[number] {
  const changing = changingCount(scene);
  const words = [
    ...(figures === undefined || figures.unpricedCount === 0 ? [] : [`${figures.unpricedCount} unpriced`]),
    ...(changing === 0 ? [] : [`${changing} changing state`]),
  ];
  return {text: words.length === 0 ? '' : `  ${words.join(', ')}`, tone: 'warning'};
}

function padded(line: Line): Line {
  return [{text: ' '}, ...line];
}
