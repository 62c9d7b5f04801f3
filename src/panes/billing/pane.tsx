import {Box} from 'ink';
import type {ReactNode} from 'react';
import {monthSoFar, soFar} from '../../domain/billing-history.ts';
import {accrue, minutesOf, type Rate, usdNumber} from '../../domain/money.ts';
import {type BillingFigures, topSpenders} from '../../domain/money/figures.ts';
import {knownBurn} from '../../domain/money/report.ts';
import {DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS, PRICED_MONTH_MS} from '../../domain/time.ts';
import {isStopped, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {accountDaysFeed} from '../../state/long-metrics.ts';
import {soonestContract} from '../../resources/contracts.ts';
import {missingLine} from '../../resources/detail.ts';
import {
  billedBurnFeeds,
  billedDayFeeds,
  billingFigures,
  changingCount,
  creditFeed,
  deletedUsageFeed,
  presentBillFeed,
  presentBillFeeds,
  earlierBillFeeds,
  lastDayCostFeed,
  machineHistoriesFeed,
  unsteadyEventFeeds,
  usageFeed,
} from '../../state/billing.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {contractFeed, contractsFeed} from '../../state/contracts.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {costliestRunning} from '../../state/triage.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatKnown, formatRate, formatShortUsd, formatUsd} from '../../ui/format.ts';
import {Lines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {budgetLines} from '../budget.ts';
import {collectionPane} from '../list/collection.tsx';
import {type ArrangedProps, type CollectionContext, partView} from '../list/collection-view.ts';
import {memoBox, type Scene} from '../pane.ts';
import {SCROLL_START} from '../scroll.ts';
import type {Place} from '../sizes.ts';
import {creditText, runwayLine} from '../runway.ts';
import {TABS} from '../tabs.ts';
import {aheadLine} from './ahead-line.ts';
import {accountDayWants} from './day-lines.ts';
import {contractsPart, historyPart, spendersPart, wastePart} from './lists.ts';
import {type MonthSources, FeedBox, Month, MonthDays, monthSpentLine} from './month.tsx';
import {type BillingLayout, billingLayout} from './layout.ts';
import {anomalyLines, changeLines, forecastLine, gapsLine, narrowWaste, shiftLines} from './outlook-lines.ts';
import {isYesterdayKnown, narrowServiceLine, yesterdayText} from './service-lines.ts';

export const billingPane = collectionPane({
  ...TABS.billing,
  aliases: ['cost', 'costs', 'money', 'usage', 'credit'],
  parts: [spendersPart, wastePart, contractsPart, historyPart],
  arrangement: {
    places: ({scene: {size}, view: {partIndex}}) => {
      const {spenders, waste, contracts: below, history} = billingLayout(size);
      return [spenders, waste, below, partIndex === HISTORY_INDEX ? history : undefined];
    },
    wants: ({scene, view}) => [...wants(scene), ...openDayWants({scene, view})],
    Screen: BillingScreen,
  },
});

/**
 * Histories take one request per machine, so only the first few are read; they show since when a machine has been
 * stopped.
 */
const MAX_HISTORIES = 6;

function stoppedMachines({store}: Scene): readonly VirtualMachine[] {
  const machines = observedMachines(store) ?? [];
  return machines.filter(isStopped).slice(0, MAX_HISTORIES);
}

/** Two weeks of samples are a megabyte per machine, so idleness is looked for where it costs most. */
const MAX_JUDGED = 6;

/** They cover past days, and for today what was billed since. */
const EVENTS_INTERVAL_MS = 10 * MINUTE_MS;

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
    ...stoppedMachines(scene).map(({id}) => ({feed: eventsFeed(id), priority: 3, isBackground: true})),
    ...costliestRunning(scene.store)
      .slice(0, MAX_JUDGED)
      .map(({id}) => ({feed: metricsFeed(id, '15d'), priority: 5, isBackground: true})),
    ...presentBillFeeds(scene.store, scene.now).map(feed => ({feed, priority: 3})),
    ...earlierBillFeeds(scene.now, scene.openedAt).map(feed => ({feed, priority: 4, isBackground: true})),
    ...(scene.openedAt === undefined
      ? []
      : [{feed: presentBillFeed(scene.store, soFar(scene.openedAt, scene.now)), priority: 4}]),
    {feed: lastDayCostFeed, priority: 3},
    {feed: priceBookFeed, priority: 4},
    {feed: accountDaysFeed, priority: 4},
    {feed: machineHistoriesFeed(period), priority: 3},
    // One request per day or machine: these leave room for the lists of the next pane a person opens.
    ...[HOUR_MS, DAY_MS]
      .flatMap(agoMs => billedBurnFeeds(scene, agoMs))
      .map(feed => ({feed, priority: 4, isBackground: true})),
    ...billedDayFeeds(scene.store, scene.now).map(feed => ({feed, priority: 4, isBackground: true})),
    ...unsteadyEventFeeds(scene).map(feed => ({
      feed,
      priority: 4,
      intervalMs: EVENTS_INTERVAL_MS,
      isBackground: true,
    })),
    // A contract about to end may change or be renewed while it is shown, so it is read more often than the list.
    ...(soonest === undefined ? [] : [{feed: contractFeed(soonest.id), priority: 3, intervalMs: MINUTE_MS}]),
  ];
}

/** The day whose detail is open. */
function openDayWants({scene, view}: CollectionContext<undefined>): readonly Want[] {
  if (!view.isZoomed || view.partIndex !== HISTORY_INDEX) return [];
  const day = historyPart.rowUnderCursor(scene, partView(view));
  return day === undefined ? [] : accountDayWants(day, scene);
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
  const isHistory = partIndex === HISTORY_INDEX;
  const hasLists = !isHistory && !isContractsAlone;
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <Box>
        <Now scene={scene} figures={figures} place={layout.now} isBesideMonth={isWide(layout)} isHistory={isHistory} />
        {isWide(layout) && <Month scene={scene} figures={figures} place={layout.month} isHourly={isHistory} />}
      </Box>
      {isHistory && layout.days.rows > 0 && <MonthDays scene={scene} figures={figures} place={layout.days} />}
      <Box>
        {isHistory && history}
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
      {!layout.isOneList && (layout.isSideBySide || !isHistory) && contractList}
    </Box>
  );
}

const LABEL_CELLS = 13;

/**
 * The burn rate per hour to per month, yesterday, credit and how long it lasts; also the month, if that has no box of
 * its own.
 */
const Now = memoBox(
  function Now({
    scene,
    figures,
    place,
    isBesideMonth,
    isHistory,
  }: MonthSources & {readonly place: Place; readonly isBesideMonth: boolean; readonly isHistory: boolean}): ReactNode {
    const narrow = isHistory ? changedLines : narrowLines;
    const lines = isBesideMonth ? wideLines(scene, figures, place.columns - 2) : narrow(scene, figures, place.columns);
    return <FeedBox title="now" scene={scene} feed={usageFeed} place={place} lines={lines} />;
  },
  {countsSeconds: true},
);

function wideLines(scene: Scene, figures: BillingFigures | undefined, width: number): readonly Line[] {
  const burn = figures && knownBurn(figures);
  return [
    fact('burn', formatKnown(burn, formatRate), missingText(scene, figures)),
    fact('per minute', perMinute(burn)),
    fact('per day', spent(burn, DAY_MS), {text: `  ${inShort(burn, PRICED_MONTH_MS)} in 730 h`, tone: 'dim'}),
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

/** The same and the month in five lines; an unusual burn rate replaces the forecast and yesterday. */
function narrowLines(scene: Scene, figures: BillingFigures | undefined, columns: number): readonly Line[] {
  const creditLine: Line = [
    {text: ' credit ', tone: 'dim'},
    {text: creditText(scene), tone: 'money'},
    {text: '  runway ', tone: 'dim'},
    ...runwayLine(scene, figures),
  ];
  const serviceLine = narrowServiceLine(scene, figures);
  // Why nothing is known is not cut: there is room for it.
  if (figures === undefined) {
    return [missingLine(scene, usageFeed, 'usage'), creditLine, serviceLine].flatMap(line =>
      wrapLine(line, columns - 2),
    );
  }
  const days = figures.days.map(({cost}) => usdNumber(cost));
  const unusual = anomalyLines(figures);
  return [
    burnLine(figures),
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

/** Above the history: what the burn rate was, what changed it, and what it has added up to. */
function changedLines(scene: Scene, figures: BillingFigures | undefined, columns: number): readonly Line[] {
  const serviceLine = narrowServiceLine(scene, figures);
  if (figures === undefined) return [missingLine(scene, usageFeed, 'usage'), serviceLine];
  const room = {labelCells: CHANGED_LABEL_CELLS, width: columns - 2};
  return [
    burnLine(figures),
    ...changeLines(scene, figures, {...room, causes: 'beside'}),
    serviceLine,
    ...shiftLines(scene, figures, room),
  ];
}

const CHANGED_LABEL_CELLS = 13;

function burnLine(figures: BillingFigures): Line {
  const burn = knownBurn(figures);
  const spans =
    burn === undefined
      ? ''
      : `${perMinute(burn)}/min  ${spent(burn, DAY_MS)}/day  ${spent(burn, PRICED_MONTH_MS)}/730h`;
  return [
    {text: ' burn ', tone: 'dim'},
    {text: formatKnown(burn, formatRate), tone: ['money', 'strong']},
    {text: `  ${spans}`, tone: 'dim'},
  ];
}

const MIN_DAYS = 8;

/** The last days after the line, as many as fit. */
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
  return formatKnown(burn, rate => `$${usdNumber(accrue(rate, minutesOf(MINUTE_MS))).toFixed(4)}`);
}

/** What a duration costs at the present burn rate. */
function spent(burn: Rate | undefined, durationMs: DurationMs): string {
  return formatKnown(burn, rate => formatUsd(accrue(rate, minutesOf(durationMs))));
}

function inShort(burn: Rate | undefined, durationMs: DurationMs): string {
  return formatKnown(burn, rate => formatShortUsd(accrue(rate, minutesOf(durationMs))));
}

function fact(label: string, value: string, note: Line[number] = {text: ''}): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}, {text: value, tone: 'money'}, note];
}

/** What the burn rate does not include, and which part of it may already have ended. */
function missingText(scene: Scene, figures: BillingFigures | undefined): Line[number] {
  const changing = changingCount(scene);
  const words = [
    ...(figures === undefined || figures.unpricedCount === 0 ? [] : [`${figures.unpricedCount} unpriced`]),
    ...(changing === 0 ? [] : [`${changing} changing state`]),
  ];
  return {text: words.length === 0 ? '' : `  ${words.join(', ')}`, tone: 'warning'};
}
