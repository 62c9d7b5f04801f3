import {Box} from 'ink';
import type {ReactNode} from 'react';
import {monthSoFar} from '../../domain/billing-history.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {accrue, hourlyUsd, isPositive, minutesOf, type Rate, usdNumber, ZERO_RATE} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {soonestContract} from '../../resources/contracts.ts';
import {missingLine} from '../../resources/detail.ts';
import {wasteTotal} from '../../resources/waste.ts';
import {
  billedDayFeeds,
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  historyFeed,
  lastDayCostFeed,
  machineHistoriesFeed,
  presentRates,
  usageFeed,
} from '../../state/billing.ts';
import {contractFeed, contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {type Bar, barChart} from '../../ui/bar-chart.ts';
import {formatCounted, formatKnown, formatRate, formatUsd} from '../../ui/format.ts';
import {Lines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {budgetLines} from '../budget.ts';
import {feedFrame} from '../feed-state.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import {SCROLL_START} from '../scroll.ts';
import {ZoomedDetail, zoomedBack} from '../zoomed-detail.tsx';
import {aheadLine} from './ahead-line.ts';
import {BILLING_COMMANDS, BILLING_MENUS} from './commands.ts';
import {type BillingLayout, billingLayout, visibleRows} from './layout.ts';
import {contractList, contractsAt, openDetail, spenderList, wasteAt, wasteList} from './lists.ts';
import {anomalyLines, changeLines, forecastLine, projectionLine, sumsLine} from './outlook-lines.ts';
import {monthSourceSpans, narrowServiceLine, yesterdayText} from './service-lines.ts';
import {type BillingView, INITIAL_VIEW} from './view.ts';

type Context = PaneContext<BillingView>;
type Place = {readonly columns: number; readonly rows: number};

export const billingPane: PaneDefinition<BillingView> = {
  id: 'billing',
  key: '5',
  title: say`Billing`,
  aliases: ['cost', 'costs', 'money', 'usage', 'contracts', 'credit'],
  initialView: INITIAL_VIEW,
  commands: BILLING_COMMANDS,
  menus: BILLING_MENUS,
  filter: {
    text: view => (view.part === 'spenders' ? view : view[view.part]).filterText,
    withText,
    // The lists have columns of their own; what one of them knows is no mistake while it is typed.
    mistake: text => {
      const mistakes = [spenderList, wasteList, contractList].map(list => list.filterMistake(text));
      return mistakes.includes(undefined) ? undefined : mistakes[0];
    },
  },
  openDetail,
  wants,
  settle,
  trail: context => {
    const contract =
      context.view.part === 'contracts' ? contractList.rowUnderCursor(contractsAt(context))?.contract : undefined;
    return contract === undefined ? ['billing'] : ['billing', `contract #${contract.id}`];
  },
  back: view => {
    const back = zoomedBack(view);
    if (back !== undefined) return back;
    if (view.part !== 'spenders') {
      return view[view.part].filterText === '' ? {...view, part: 'spenders'} : withText(view, '');
    }
    return view.filterText === '' ? undefined : withText(view, '');
  },
  // Other panes lead to a contract: what it covers has to be read there.
  withCursorOn: (view, id) => ({
    ...view,
    part: 'contracts',
    contracts: {...view.contracts, cursorId: id, filterText: ''},
    isZoomed: true,
    scroll: SCROLL_START,
  }),
  table: context => {
    if (context.view.part === 'contracts') return contractList.table(contractsAt(context));
    return context.view.part === 'waste' ? wasteList.table(wasteAt(context)) : spenderList.table(context);
  },
  Screen: BillingScreen,
};

function withText(view: BillingView, filterText: string): BillingView {
  switch (view.part) {
    case 'spenders':
      return {...view, filterText};
    case 'waste':
      return {...view, waste: {...view.waste, filterText}};
    case 'contracts':
      return {...view, contracts: {...view.contracts, filterText}};
  }
}

/** Keeps the cursors on their objects; a detail never shows another contract than the one it was opened on. */
function settle({scene, view}: Context): BillingView {
  const layout = billingLayout(scene.size);
  const spenders = spenderList.settled({scene, view}, visibleRows(layout.spenders));
  const waste = wasteList.settled(wasteAt({scene, view: spenders}), visibleRows(layout.waste));
  const settled = waste === spenders.waste ? spenders : {...spenders, waste};
  const contracts = contractList.settled(contractsAt({scene, view: settled}), visibleRows(layout.contracts));
  if (contracts === settled.contracts) return settled;
  const isOther = settled.contracts.cursorId !== undefined && contracts.cursorId !== settled.contracts.cursorId;
  return {...settled, contracts, isZoomed: settled.isZoomed && !isOther};
}

/** Histories are one request a machine: those of the first tell since when they stand still. */
const MAX_HISTORIES = 6;

function stoppedMachines({store}: Scene): readonly VirtualMachine[] {
  const machines = observedMachines(store) ?? [];
  return machines.filter(({status}) => status === 'SHUTOFF' || status === 'HIBERNATED').slice(0, MAX_HISTORIES);
}

/** Two weeks of samples are a megabyte a machine: idleness is looked for where it costs most. */
const MAX_JUDGED = 6;

function costliestMachines({store}: Scene): readonly VirtualMachine[] {
  const rates = presentRates(store);
  const perHour = ({id}: VirtualMachine) => hourlyUsd(rates.get(id) ?? ZERO_RATE);
  return (observedMachines(store) ?? [])
    .filter(({status}) => status === 'ACTIVE')
    .sort((left, right) => perHour(right) - perHour(left))
    .slice(0, MAX_JUDGED);
}

function wants({scene}: Context): readonly Want[] {
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
    ...costliestMachines(scene).map(({id}) => ({feed: metricsFeed(id, '15d'), priority: 5})),
    {feed: historyFeed(period), priority: 3},
    {feed: lastDayCostFeed, priority: 3},
    {feed: machineHistoriesFeed(period), priority: 3},
    ...billedDayFeeds(scene.store, scene.now).map(feed => ({feed, priority: 4})),
    // The contract at its end may change or be renewed under the reader's eyes, so it is read oftener than the list.
    ...(soonest === undefined ? [] : [{feed: contractFeed(soonest.id), priority: 3, intervalMs: MINUTE_MS}]),
  ];
}

function isWide({month}: BillingLayout): boolean {
  return month.columns > 0;
}

function BillingScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = billingLayout(scene.size);
  const detail = openDetail(context);
  if (detail !== undefined) {
    const id = contractList.rowUnderCursor(contractsAt(context))?.contract.id;
    const wasted = wasteList.rowUnderCursor(wasteAt(context))?.waste.name;
    const [title, feed] =
      view.part === 'waste' ? [`waste: ${wasted}`, machinesFeed] : [`contract #${id}`, contractsFeed];
    return <ZoomedDetail scene={scene} detail={detail} title={title} feed={feed} />;
  }
  const figures = billingFigures(scene);
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <Box>
        <Now scene={scene} figures={figures} layout={layout} />
        {isWide(layout) && <Month scene={scene} figures={figures} place={layout.month} />}
      </Box>
      <Box>
        {(layout.isSideBySide || view.part !== 'waste') && (
          <spenderList.Box {...context} place={layout.spenders} isFocused={view.part === 'spenders'} />
        )}
        {(layout.isSideBySide || view.part === 'waste') && (
          <wasteList.Box {...wasteAt(context)} place={layout.waste} isFocused={view.part === 'waste'} />
        )}
      </Box>
      {layout.ahead.rows > 0 && (
        <Lines lines={[aheadLine(scene, figures, scene.size.columns)]} width={scene.size.columns} theme={scene.theme} />
      )}
      <contractList.Box {...contractsAt(context)} place={layout.contracts} isFocused={view.part === 'contracts'} />
    </Box>
  );
}

type Known = {readonly scene: Scene; readonly figures: BillingFigures | undefined};

const HOURS_PER_DAY = 24;
/** As clouds quote prices by the month. */
const HOURS_PER_MONTH = 730;
const MINUTES_PER_HOUR = 60;
const LABEL_CELLS = 13;

/** Burn rate in four spans, yesterday, credit and how long it lasts; with the month in it where the month has no box of its own. */
function Now({scene, figures, layout}: Known & {readonly layout: BillingLayout}): ReactNode {
  const lines = isWide(layout) ? wideLines(scene, figures) : narrowLines(scene, figures, layout.now.columns);
  return <FeedBox title="now" scene={scene} feed={usageFeed} place={layout.now} lines={lines} />;
}

function wideLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const {burn} = figures ?? {};
  return [
    fact('burn', formatKnown(burn, formatRate), unpricedText(figures?.unpricedCount)),
    fact('per minute', perMinute(burn)),
    fact('per day', spent(burn, HOURS_PER_DAY)),
    fact('per 730 h', spent(burn, HOURS_PER_MONTH)),
    ...changeLines(figures, LABEL_CELLS),
    fact('yesterday', yesterdayText(scene), {text: '  as billed', tone: 'dim'}),
    fact('credit', creditText(scene)),
    [{text: ' runway'.padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...runwayLine(scene, figures)],
    ...budgetLines(scene, figures).map(
      (line, index): Line => [{text: (index === 0 ? ' budget' : '').padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...line],
    ),
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
  const {burn} = figures;
  const spans = `${perMinute(burn)}/min  ${spent(burn, HOURS_PER_DAY)}/day  ${spent(burn, HOURS_PER_MONTH)}/730h`;
  const days = figures.days.map(({cost}) => usdNumber(cost));
  const unusual = anomalyLines(figures);
  return [
    [
      {text: ' burn ', tone: 'dim'},
      {text: formatRate(burn), tone: ['money', 'strong']},
      {text: `  ${spans}`, tone: 'dim'},
    ],
    [
      ...monthSpentLine(figures),
      ...sumsLine(figures, scene.theme.glyphs.check, true),
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

/** What is wasted, and the key that shows it where its list has no room beside the others. */
function narrowWaste(scene: Scene): Line {
  const total = wasteTotal(scene);
  if (total === undefined || !isPositive(total.perHour)) return [];
  return [
    {text: '  waste ', tone: 'dim'},
    {text: formatRate(total.perHour), tone: 'warning'},
    {text: ' (tab)', tone: 'dim'},
  ];
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

/** The month by day and its forecast, what has been spent, and where it ends. */
function Month({scene, figures, place}: Known & {readonly place: Place}): ReactNode {
  const title = figures === undefined ? 'month' : 'month, $ per day (UTC)';
  const text = figures === undefined ? [missingLine(scene, usageFeed, 'usage')] : monthLines(scene, figures);
  const chart = figures === undefined ? [] : monthChart(scene, figures, {...place, rows: place.rows - text.length});
  return <FeedBox title={title} scene={scene} feed={usageFeed} place={place} lines={[...chart.map(padded), ...text]} />;
}

/** Days that have been, days as they are forecast with how high they may turn out, and the budget of a day. */
function monthChart(scene: Scene, figures: BillingFigures, place: Place): readonly Line[] {
  const {month, days} = figures;
  const dayCount = Math.round((month.end - month.start) / DAY_MS);
  const ahead = forecastPerDay(figures);
  const cliffDays = new Set((figures.commitments ?? []).map(({contract}) => dayOf(contract.endsAt, month.start)));
  const {budget} = scene.preferences;
  const bars = Array.from({length: dayCount}, (_, index): Bar => {
    const day = days[index];
    const label = `${index + 1}${cliffDays.has(index) ? '!' : ''}`;
    if (day === undefined) return {value: ahead?.value, mayReach: ahead?.mayReach, label, tone: 'dim'};
    const tone = index === days.length - 1 ? 'money' : day.source === 'billed' ? 'series' : 'text';
    return {value: usdNumber(day.cost), label, tone};
  });
  return barChart(bars, {
    width: place.columns - 4,
    height: Math.max(0, place.rows - 2),
    format: value => dollarTick(value).padStart(6),
    glyphs: scene.theme.glyphs,
    line: budget === undefined ? undefined : {value: usdNumber(budget) / dayCount, tone: 'warning'},
  });
}

function dayOf(at: EpochMs | undefined, start: EpochMs): number | undefined {
  return at === undefined ? undefined : Math.floor((at - start) / DAY_MS);
}

/** The forecast of the rest of the month, spread over its days. */
function forecastPerDay({forecast, month, reading}: BillingFigures): Pick<Bar, 'value' | 'mayReach'> | undefined {
  const daysAhead = (month.end - reading.now) / DAY_MS;
  if (forecast.status !== 'ready' || daysAhead <= 0) return undefined;
  return {value: forecast.remaining / daysAhead, mayReach: forecast.high80 / daysAhead};
}

/** Ticks are round: cents only where the steps have some. */
function dollarTick(value: number): string {
  return `$${value.toLocaleString('en-US', {minimumFractionDigits: Number.isInteger(value) ? 0 : 2})}`;
}

function monthSpentLine(figures: BillingFigures): Line {
  const missing = [
    ...(figures.lacksDeleted ? ['without deleted resources'] : []),
    ...(figures.monthUnpricedCount > 0 ? [`${formatCounted(figures.monthUnpricedCount, 'resource')} unpriced`] : []),
  ].join(', ');
  return [
    {text: ' month-to-date ', tone: 'dim'},
    {text: formatUsd(figures.monthToDate), tone: ['money', 'strong']},
    {text: missing === '' ? '' : `  ${missing}`, tone: 'warning'},
  ];
}

function monthLines(scene: Scene, figures: BillingFigures): readonly Line[] {
  return [
    [...monthSpentLine(figures), ...sumsLine(figures, scene.theme.glyphs.check)],
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

function unpricedText(count: number | undefined): Line[number] {
  return count === undefined || count === 0 ? {text: ''} : {text: `  ${count} unpriced`, tone: 'warning'};
}

function padded(line: Line): Line {
  return [{text: ' '}, ...line];
}
