import {Box} from 'ink';
import type {ReactNode} from 'react';
import {describeOperation} from '../../domain/describe-operation.ts';
import {usdNumber} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {HOUR_MS} from '../../domain/time.ts';
import {isTransitional, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {billingFigures, creditLeft} from '../../state/billing.ts';
import {
  clustersFeed,
  contractsFeed,
  creditFeed,
  deletedUsageFeed,
  eventsFeed,
  firewallsFeed,
  machinesFeed,
  meFeed,
  organizationFeed,
  usageFeed,
} from '../../state/feeds.ts';
import {observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poller.ts';
import {
  formatCounted,
  formatDuration,
  formatRate,
  formatRateFigure,
  formatRunway,
  formatShortUsd,
  formatUsd,
} from '../../ui/format.ts';
import {frameBox, rule} from '../../ui/frame-box.ts';
import {shareBar} from '../../ui/gauge.ts';
import {Lines, PaintedLines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {tableBox} from '../../ui/table-box.ts';
import type {Line} from '../../ui/text.ts';
import {feedAge, isOld, missingLine} from '../feed-state.ts';
import {settledCursor} from '../list.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {OVERVIEW_COMMANDS} from './commands.ts';
import {type OverviewLayout, overviewLayout} from './layout.ts';
import {
  ATTENTION_COLUMNS,
  attentionRows,
  exposures,
  parseAttentionFilter,
  type StateGroup,
  stateGroups,
} from './rows.ts';
import {INITIAL_VIEW, type OverviewView} from './view.ts';

type Context = PaneContext<OverviewView>;
type Place = {readonly columns: number; readonly rows: number};

export const overviewPane: PaneDefinition<OverviewView> = {
  id: 'overview',
  key: '1',
  title: say`Overview`,
  aliases: ['home', 'now'],
  initialView: INITIAL_VIEW,
  commands: OVERVIEW_COMMANDS,
  menus: [],
  filter: {
    text: view => view.filterText,
    withText: (view, filterText) => ({...view, filterText}),
    mistake: text => {
      const parsed = parseAttentionFilter(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
  },
  wants,
  settle: ({scene, view}) => {
    const height = overviewLayout(scene.size).attention.rows - LIST_FRAME_ROWS;
    const cursor = settledCursor(view, attentionRows(scene, view), ({item}) => item.key, {
      height,
      hasChosen: scene.hasChosen,
    });
    return cursor === view ? view : {...view, ...cursor};
  },
  trail: () => ['overview'],
  back: view => (view.filterText === '' ? undefined : {...view, filterText: ''}),
  withCursorOn: view => view,
  table: ({scene, view}) => ({
    columns: ['severity', 'what', 'where', 'since', '$/h'],
    rows: attentionRows(scene, view).map(({item, now}) => [
      item.severity,
      item.what,
      item.where,
      item.since === undefined ? '' : formatDuration(now - item.since),
      formatRateFigure(item.rate),
    ]),
  }),
  render: context => <OverviewScreen {...context} />,
};

const LIST_FRAME_ROWS = 3;
/** Histories are one request a machine: only those that tell since when something is wrong. */
const MAX_HISTORIES = 6;

function wants({scene}: Context): readonly Want[] {
  const troubled = (observedMachines(scene.store) ?? []).filter(isTroubled).slice(0, MAX_HISTORIES);
  return [
    {feed: machinesFeed, priority: 1},
    {feed: usageFeed, priority: 1},
    {feed: organizationFeed, priority: 2},
    {feed: creditFeed, priority: 2},
    {feed: clustersFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: contractsFeed, priority: 3},
    {feed: deletedUsageFeed, priority: 3},
    {feed: meFeed, priority: 4},
    ...troubled.map(({id}) => ({feed: eventsFeed(id), priority: 4, intervalMs: HISTORY_INTERVAL_MS})),
  ];
}

const HISTORY_INTERVAL_MS = 60_000;

function isTroubled({status}: VirtualMachine): boolean {
  return status === 'ERROR' || status === 'SHUTOFF' || isTransitional(status);
}

function OverviewScreen(context: Context): ReactNode {
  const {scene} = context;
  const layout = overviewLayout(scene.size);
  const {theme} = scene;
  const attention = <PaintedLines lines={attentionBox(context, layout)} width={layout.attention.columns} />;
  const money = <Lines lines={moneyPart(scene, layout)} width={layout.money.columns} theme={theme} />;
  const fleet = <Lines lines={fleetPart(scene, layout)} width={layout.fleet.columns} theme={theme} />;
  const clusters = <Lines lines={clustersPart(scene, layout)} width={layout.clusters.columns} theme={theme} />;
  const events = <Lines lines={eventsPart(scene, layout)} width={layout.events.columns} theme={theme} />;
  if (!layout.isWide) {
    return (
      <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
        {attention}
        {money}
        {fleet}
        {clusters}
        {events}
      </Box>
    );
  }
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <Box>
        {attention}
        {money}
      </Box>
      <Box>
        {fleet}
        {clusters}
      </Box>
      <Box>
        <Lines lines={exposurePart(scene, layout)} width={layout.exposure.columns} theme={theme} />
        {events}
      </Box>
    </Box>
  );
}

function attentionBox({scene, view}: Context, layout: OverviewLayout): readonly string[] {
  const rows = attentionRows(scene, view);
  const filter = view.filterText === '' ? '' : `  /${view.filterText}`;
  const {columns: width, rows: height} = layout.attention;
  return tableBox(
    {
      columns: ATTENTION_COLUMNS,
      rows,
      idOf: ({item}) => item.key,
      cursor: {id: view.cursorId, index: view.cursorIndex},
      offset: view.offset,
      empty: emptyLine(scene, view),
    },
    {
      title: `needs you now ${rows.length}${filter}`,
      right: feedAge(scene, machinesFeed),
      width,
      height,
      theme: scene.theme,
      isFocused: true,
      isLinkDown: scene.health.status !== 'up',
      isStale: isOld(scene, machinesFeed),
    },
  );
}

/** Calm is only told when everything that could disturb it was read. */
function emptyLine(scene: Scene, view: OverviewView): Line {
  if (view.filterText !== '')
    return [{text: ` nothing matches /${view.filterText}; esc clears the filter`, tone: 'dim'}];
  const missing = [
    {feed: machinesFeed, what: 'machines'},
    {feed: usageFeed, what: 'usage'},
    {feed: clustersFeed, what: 'clusters'},
    {feed: firewallsFeed, what: 'firewalls'},
  ].find(({feed}) => lastValue(scene.store.get<unknown>(feed)) === undefined);
  return missing === undefined
    ? [{text: ` ${scene.theme.glyphs.check} nothing needs you now`, tone: 'good'}]
    : missingLine(scene, missing.feed, missing.what);
}

const LABEL_CELLS = 13;
const RUNWAY_DANGER_MS = 48 * HOUR_MS;

function moneyPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const figures = billingFigures(scene.store, scene.now);
  const leftMs = creditLeft(scene.store, figures);
  const balance = lastValue(scene.store.get(creditFeed))?.balance;
  const isShort = leftMs !== undefined && leftMs < RUNWAY_DANGER_MS;
  const days = figures?.days.map(({cost}) => usdNumber(cost)) ?? [];
  const today = figures?.days.at(-1)?.cost;
  const runway: Line = [
    {
      text: leftMs === undefined ? 'unknown' : `${isShort ? 'CRIT ' : ''}${formatRunway(leftMs)}`,
      tone: isShort ? 'danger' : 'strong',
    },
  ];
  if (!layout.isWide) {
    const spent: Line = [
      {text: ` ${formatRate(figures?.burn)}`, tone: ['money', 'strong']},
      {text: `  today ${today === undefined ? 'unknown' : formatUsd(today)}  month ${formatUsd(figures?.monthToDate)}`},
    ];
    const left: Line = [{text: ` credit ${balance === undefined ? 'unknown' : formatUsd(balance)} lasts `}, ...runway];
    const head = rule({
      title: 'money',
      right: feedAge(scene, usageFeed),
      width: layout.money.columns,
      theme: scene.theme,
    });
    return [head, spent, left].slice(0, layout.money.rows);
  }
  const lines: readonly Line[] = [
    fact('burn', [{text: formatRate(figures?.burn), tone: ['money', 'strong']}]),
    fact('today', [{text: today === undefined ? 'unknown' : formatUsd(today), tone: 'money'}]),
    fact('month', [{text: figures === undefined ? 'unknown' : formatUsd(figures.monthToDate), tone: 'money'}]),
    fact(
      'per day',
      sparkline(days, {width: Math.min(31, Math.max(1, days.length)), glyphs: scene.theme.glyphs, min: 0}),
    ),
    fact('if unchanged', [
      {text: formatShortUsd(figures?.projection.ifNothingChanges), tone: 'money'},
      {text: ' at month end', tone: 'dim'},
    ]),
    fact('credit', [{text: balance === undefined ? 'unknown' : formatUsd(balance), tone: 'money'}]),
    fact('runway', runway),
  ];
  return box('money', scene, usageFeed, layout.money, lines);
}

function fact(label: string, value: Line): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...value];
}

const WORD_CELLS = 16;

function fleetPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const groups = stateGroups(scene);
  const place = layout.fleet;
  const count = groups?.reduce((sum, group) => sum + group.count, 0);
  const title = count === undefined ? 'machines' : `machines ${count}`;
  if (groups === undefined)
    return part(title, scene, machinesFeed, place, layout, [missingLine(scene, machinesFeed, 'machines')]);
  if (!layout.isWide) {
    const words: Line = groups.flatMap(group => [...stateMark(group, scene), {text: ` ${group.count}  `}]);
    return part(title, scene, machinesFeed, place, layout, [[{text: ' '}, ...words]]);
  }
  const largest = Math.max(...groups.map(group => group.count), 1);
  const barCells = Math.max(0, place.columns - WORD_CELLS - 24);
  const lines = groups.map(
    (group): Line => [
      {text: ' '},
      ...stateMark(group, scene),
      {text: ' '.repeat(Math.max(1, WORD_CELLS - group.word.length))},
      {text: String(group.count).padStart(5), tone: 'strong'},
      {text: formatRateFigure(group.rate).padStart(10), tone: 'money'},
      {text: group.unpricedCount > 0 && group.unpricedCount === group.count ? ' ?  ' : '    ', tone: 'dim'},
      ...shareBar(group.count / largest, {width: barCells, glyphs: scene.theme.glyphs, tone: 'series'}),
    ],
  );
  return part(`${title}  count, $/h`, scene, machinesFeed, place, layout, lines);
}

const STATE_TONES: Readonly<Partial<Record<VirtualMachine['status'], 'good' | 'warning' | 'danger' | 'notice'>>> = {
  ACTIVE: 'good',
  SHUTOFF: 'warning',
  ERROR: 'danger',
};

function stateMark({status, word}: StateGroup, {theme}: Scene): Line {
  const {states} = theme.glyphs;
  const shapes: Readonly<Partial<Record<VirtualMachine['status'], string>>> = {
    ACTIVE: states.active,
    SHUTOFF: states.shutoff,
    HIBERNATED: states.hibernated,
    ERROR: states.error,
    DELETED: states.deleted,
  };
  const shape = shapes[status] ?? (isTransitional(status) ? states.transitional : states.unknown);
  return [{text: `${shape} ${word}`, tone: STATE_TONES[status] ?? 'notice'}];
}

function clustersPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title = clusters === undefined ? 'clusters' : `clusters ${clusters.length}`;
  const lines = clusters?.map((cluster): Line => {
    const workers = cluster.nodes.filter(({role}) => role === 'worker');
    const active = workers.filter(({status}) => status === 'ACTIVE').length;
    const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
    return [
      {text: ` ${cluster.name}`, tone: 'strong'},
      {text: `  ${cluster.statusText}`, tone},
      {text: `  ${active}/${workers.length} workers  ${cluster.statusReason ?? ''}`},
    ];
  });
  const none: Line = [{text: ' no clusters', tone: 'dim'}];
  const shown =
    lines === undefined ? [missingLine(scene, clustersFeed, 'clusters')] : lines.length === 0 ? [none] : lines;
  return part(title, scene, clustersFeed, layout.clusters, layout, shown);
}

function exposurePart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const open = exposures(scene);
  const title = open === undefined ? 'open to the world' : `open to the world ${open.length}`;
  const none: Line = [{text: ' nothing is open to the world', tone: 'good'}];
  const lines = open?.map(
    (each): Line => [
      {text: ` ${each.where}`.padEnd(22), tone: 'strong'},
      {text: ` ${each.ports}`, tone: 'warning'},
      {text: `  ${formatCounted(each.machineCount, 'machine')}`, tone: 'dim'},
    ],
  );
  const shown =
    lines === undefined ? [missingLine(scene, firewallsFeed, 'firewalls')] : lines.length === 0 ? [none] : lines;
  return part(title, scene, firewallsFeed, layout.exposure, layout, shown);
}

/** What was done from here, and what the troubled machines' histories tell, newest first. */
function eventsPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const machines = (observedMachines(scene.store) ?? []).filter(isTroubled);
  const told = machines.flatMap(machine => {
    const events = lastValue(scene.store.get(eventsFeed(machine.id)))?.records ?? [];
    return events.map(event => ({
      at: event.occurredAt ?? 0,
      where: machine.name,
      what: event.reason,
      tone: 'text' as const,
    }));
  });
  const done = (scene.operations?.all() ?? []).map(operation => {
    const {text, tone} = describeOperation(operation);
    return {at: operation.confirmedAt, where: say`you`, what: text, tone};
  });
  const lines = [...told, ...done]
    .sort((left, right) => right.at - left.at)
    .map(
      (event): Line => [
        {text: `${formatDuration(scene.now - event.at).padStart(6)} `, tone: 'dim'},
        {text: `${event.where}  `, tone: 'strong'},
        {text: event.what, tone: event.tone},
      ],
    );
  const isReading = machines.some(({id}) => lastValue(scene.store.get(eventsFeed(id))) === undefined);
  const none: Line = [{text: isReading ? ' reading the histories…' : ' no events of machines in trouble', tone: 'dim'}];
  return part('recent events', scene, machinesFeed, layout.events, layout, lines.length === 0 ? [none] : lines);
}

/** A box where there is room for its edges, else a line with the title above the content. */
function part(
  title: string,
  scene: Scene,
  feed: Parameters<typeof feedAge>[1],
  place: Place,
  layout: OverviewLayout,
  lines: readonly Line[],
): readonly Line[] {
  if (place.rows === 0) return [];
  if (layout.isWide) return box(title, scene, feed, place, lines);
  const head = rule({title, right: feedAge(scene, feed), width: place.columns, theme: scene.theme});
  return [head, ...lines].slice(0, place.rows);
}

function box(
  title: string,
  scene: Scene,
  feed: Parameters<typeof feedAge>[1],
  {columns: width, rows: height}: Place,
  lines: readonly Line[],
): readonly Line[] {
  const isLinkDown = scene.health.status !== 'up';
  const room = Math.max(0, height - 2);
  const hiddenCount = lines.length - room;
  const right = hiddenCount > 0 ? `${hiddenCount} more  ${feedAge(scene, feed)}` : feedAge(scene, feed);
  return frameBox(lines, {title, right, width, height, theme: scene.theme, isLinkDown, isStale: isOld(scene, feed)});
}
