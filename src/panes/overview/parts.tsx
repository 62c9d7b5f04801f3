import type {ReactNode} from 'react';
import {verbOf} from '../../actions/actions.ts';
import {type Cluster, clustersByUrgency} from '../../domain/cluster.ts';
import {describeOperation} from '../../domain/describe-operation.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {usdNumber} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {isTransitional, isTroubled, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {billingFigures, usageFeed} from '../../state/billing.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Feed} from '../../state/feed.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {
  formatBytesPerSecond,
  formatCounted,
  formatDuration,
  formatKnown,
  formatPercent,
  formatRate,
  formatRateFigure,
  formatShortUsd,
  formatUsd,
  formatUtcMoment,
} from '../../ui/format.ts';
import {rule, staleLine} from '../../ui/frame-box.ts';
import {Lines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line, lineWidth, type Span, textOf} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {budgetLines} from '../budget.ts';
import {feedAge, feedFrame} from '../feed-state.ts';
import {type Scene, useUntilNews} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import {evidenceLines} from './evidence.ts';
import type {OverviewLayout} from './layout.ts';
import {type FleetGroup, fleetGroups} from './fleet.ts';
import {type Exposure as ExposureRow, exposures, type FindingRow, type StateGroup, stateGroups} from './rows.ts';

type PartProps = {readonly scene: Scene; readonly layout: OverviewLayout};

const LABEL_CELLS = 13;

/** What is burning, what was spent, what is left: in two lines, or a fact a line where there is room. */
export function Money({scene, layout}: PartProps): ReactNode {
  const figures = billingFigures(scene);
  const lines = useUntilNews(scene, () => (layout.isWide ? wideLines(scene, figures) : narrowLines(scene, figures)));
  return <Part title="money" scene={scene} feed={usageFeed} place={layout.money} layout={layout} lines={lines} />;
}

function narrowLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const today = formatKnown(figures?.days.at(-1)?.cost, formatUsd);
  return [
    [
      {text: figures === undefined ? ' burn ' : ' '},
      {text: formatKnown(figures?.burn, formatRate), tone: ['money', 'strong']},
      {text: `  today ${today}  month ${formatKnown(figures?.monthToDate, formatUsd)}`},
    ],
    [{text: ` credit ${creditText(scene)}  runway `}, ...runwayLine(scene, figures)],
  ];
}

function wideLines(scene: Scene, figures: BillingFigures | undefined): readonly Line[] {
  const {glyphs} = scene.theme;
  const days = figures?.days.map(({cost}) => usdNumber(cost));
  const width = Math.min(31, Math.max(1, days?.length ?? 0));
  const perDay =
    days === undefined ? [{text: 'unknown', tone: 'dim' as const}] : sparkline(days, {width, glyphs, min: 0});
  return [
    fact('burn', [{text: formatKnown(figures?.burn, formatRate), tone: ['money', 'strong']}]),
    fact('today', [{text: formatKnown(figures?.days.at(-1)?.cost, formatUsd), tone: 'money'}]),
    fact('month', [{text: formatKnown(figures?.monthToDate, formatUsd), tone: 'money'}]),
    fact('per day', perDay),
    fact('if unchanged', [
      {text: formatKnown(figures?.projection.ifNothingChanges, formatShortUsd), tone: 'money'},
      {text: figures === undefined ? '' : ' at month end', tone: 'dim'},
    ]),
    fact('credit', [{text: creditText(scene), tone: 'money'}]),
    fact('runway', runwayLine(scene, figures)),
    ...budgetLines(scene, figures).map((line, index) => fact(index === 0 ? 'budget' : '', line)),
  ];
}

function fact(label: string, value: Line): Line {
  return [{text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'}, ...value];
}

/** The machines by the beginning of their names; how many are in which state stands in the title. */
export function Fleet({scene, layout}: PartProps): ReactNode {
  const title = useUntilNews(scene, () => fleetTitle(scene));
  const lines = useUntilNews(scene, () => fleetLines(scene, layout));
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.fleet} layout={layout} lines={lines} />;
}

function fleetTitle(scene: Scene): string {
  const states = stateGroups(scene);
  const count = states?.reduce((sum, group) => sum + group.count, 0);
  const byState = states?.map(group => `${textOf(stateMark(group, scene)).split(' ')[0]}${group.count}`).join(' ');
  return count === undefined ? 'machines' : `machines ${count}${count === 0 ? '' : `  ${byState}`}`;
}

const GROUP_CELLS = 10;
const CPU_CELLS = 12;
const MEMORY_CELLS = 8;
const NARROW_CELLS = 8;
/** From here on a box has room for the memory, and from there for the network. */
const MEMORY_FROM = 66;
const NETWORK_FROM = 86;

function fleetLines(scene: Scene, {isWide, fleet}: OverviewLayout): readonly Line[] {
  const groups = fleetGroups(scene);
  if (groups === undefined) return [missingLine(scene, machinesFeed, 'machines')];
  if (groups.length === 0) return [[{text: ' no machines', tone: 'dim'}]];
  const hasMemory = !isWide || fleet.columns >= MEMORY_FROM;
  const hasNetwork = fleet.columns >= NETWORK_FROM;
  const head = [
    ` ${'GROUP'.padEnd(GROUP_CELLS)}${'UP'.padStart(7)}  ${'CPU 1h'.padEnd(CPU_CELLS + 6)}`,
    hasMemory ? `${'MEM 1h'.padEnd(MEMORY_CELLS + 6)}` : '',
    hasNetwork ? `${'NET in'.padStart(9)} ${'out'.padStart(9)}  ` : '',
    `${'$/h'.padStart(8)}  STATE`,
  ].join('');
  const lines = groups.map(group => groupLine(group, scene, {isWide, hasMemory, hasNetwork}));
  return isWide ? [[{text: head, tone: 'dim'}], ...lines] : lines;
}

function groupLine(
  {name, count, activeCount, rate, hasUnpriced, cpu, memory, networkIn, networkOut, others}: FleetGroup,
  scene: Scene,
  {
    isWide,
    hasMemory,
    hasNetwork,
  }: {readonly isWide: boolean; readonly hasMemory: boolean; readonly hasNetwork: boolean},
): Line {
  const {glyphs} = scene.theme;
  const chart = (bins: FleetGroup['cpu']['bins'], width: number) => sparkline(bins, {width, glyphs, min: 0, max: 1});
  return [
    {text: ' '},
    ...fitLine([{text: name, tone: 'strong', isName: true}], GROUP_CELLS),
    {text: `${activeCount}/${count}`.padStart(7)},
    {text: `  ${formatPercent(cpu.latest).padStart(4)} `},
    ...chart(cpu.bins, isWide ? CPU_CELLS : NARROW_CELLS),
    {text: ' '},
    ...(hasMemory
      ? [
          {text: `${formatPercent(memory.latest).padStart(4)} `},
          ...(isWide ? [...chart(memory.bins, MEMORY_CELLS), {text: ' '}] : []),
        ]
      : []),
    ...(hasNetwork
      ? [{text: `${formatBytesPerSecond(networkIn).padStart(9)} ${formatBytesPerSecond(networkOut).padStart(9)}  `}]
      : []),
    {text: `${formatRateFigure(rate)}${hasUnpriced ? '+' : ''}`.padStart(8), tone: 'money'},
    {text: '  '},
    ...(others.length === 0
      ? [{text: 'ok', tone: 'good' as const}]
      : others.flatMap(
          ({status, word, count: each}, index): Line => [
            {text: `${index === 0 ? '' : ', '}${each} ${word}`, tone: STATE_TONES[status] ?? 'notice'},
          ],
        )),
  ];
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

/** The clusters with how much of each works, what stock there is, and where there is room what is open to the world. */
export function Clusters({scene, layout}: PartProps): ReactNode {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title = clusters === undefined ? 'clusters and stock' : `clusters ${clusters.length} and stock`;
  const width = layout.clusters.columns - (layout.isWide ? 3 : 2);
  const shown = useUntilNews(scene, () =>
    [
      ...clusterLines(scene, layout, width),
      ...stockLines(scene, layout, width),
      ...(layout.isWide && layout.exposure.rows === 0 ? exposureLines(scene, width) : []),
    ].map((line): Line => [{text: ' '}, ...line]),
  );
  return <Part title={title} scene={scene} feed={clustersFeed} place={layout.clusters} layout={layout} lines={shown} />;
}

function clusterLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  if (clusters === undefined) return [missingLine(scene, clustersFeed, 'clusters')];
  if (clusters.length === 0) return [[{text: 'no clusters', tone: 'dim'}]];
  const sorted = clustersByUrgency(clusters, scene.now);
  // The one line of a narrow overview has whole words: why a cluster is in trouble stands among the findings.
  if (!layout.isWide)
    return [
      inOneLine(
        sorted.map(cluster => clusterWords(cluster)),
        width,
      ),
    ];
  return sorted.flatMap(cluster => {
    const told = [...clusterWords(cluster), {text: `  ${cluster.statusReason ?? ''}`}];
    const [first = [], ...more] = wrapLine(told, width - 2);
    return [first, ...more.map((line): Line => [{text: '  '}, ...line])];
  });
}

function clusterWords(cluster: Cluster): Line {
  const workers = cluster.nodes.filter(({role}) => role === 'worker');
  const active = workers.filter(({status}) => status === 'ACTIVE').length;
  const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
  return [
    {text: cluster.name, tone: 'strong', isName: true},
    {text: ` ${cluster.statusText}`, tone},
    {text: ` ${active}/${workers.length}${workers.length === 1 ? ' worker' : ' workers'}`},
  ];
}

/** GPUs that can be had now, the scarcest first: by region where the box is large, else of all regions together. */
function stockLines(scene: Scene, layout: OverviewLayout, width: number): readonly Line[] {
  const stocks = lastValue(scene.store.get(stocksFeed))?.records;
  const label: Span = {text: 'stock ', tone: 'dim'};
  if (stocks === undefined) return [[label, ...missingLine(scene, stocksFeed, 'stock')]];
  if (stocks.length === 0) return [[label, {text: 'none is listed', tone: 'dim'}]];
  const isLarge = layout.exposure.rows > 0;
  const placed = stocks.map(({model, regionName, available}) => ({
    name: isLarge && regionName !== undefined ? `${model} ${regionName}` : model,
    available,
  }));
  const words = [...Map.groupBy(placed, ({name}) => name)]
    .map(([name, each]) => {
      const known = each.flatMap(({available}) => available ?? []);
      const count = known.reduce((sum, {count: free}) => sum + free, 0);
      return {name, count, text: `${count}${known.some(({isAtLeast}) => isAtLeast) ? '+' : ''}`};
    })
    .sort((left, right) => left.count - right.count || left.name.localeCompare(right.name))
    .map(({name, count, text}): Line => [{text: `${name} `}, {text, tone: count === 0 ? 'warning' : 'strong'}]);
  if (!isLarge) return [inOneLine(words, width, [label])];
  return wrapLine(
    [label, ...words.flatMap((word, index): Line => (index === 0 ? word : [{text: ', '}, ...word]))],
    width,
  );
}

/** As many as fit whole, and how many do not. */
function inOneLine(words: readonly Line[], width: number, label: Line = []): Line {
  let line: Line = label;
  for (const [index, word] of words.entries()) {
    const rest = words.length - index;
    const joined: Line = index === 0 ? [...line, ...word] : [...line, {text: '  '}, ...word];
    // What is left out has to be said, in so many cells.
    const room = rest === 1 ? width : width - `  +${rest} more`.length;
    if (index > 0 && lineWidth(joined) > room) return [...line, {text: `  +${rest} more`, tone: 'dim'}];
    line = joined;
  }
  return line;
}

/** The finding under the cursor whole: what proves it, what to do, and by which key or command. */
export function Preview({scene, layout, row}: PartProps & {readonly row: FindingRow | undefined}): ReactNode {
  const {columns} = layout.preview;
  const title = row === undefined ? 'finding' : `${row.what}: ${row.where}`;
  const width = Math.max(1, columns - (layout.isWide ? 5 : 2));
  const shown = useUntilNews(
    scene,
    () => previewLines(row, scene, layout, width).map((line): Line => [{text: ' '}, ...line]),
    row?.findings,
  );
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.preview} layout={layout} lines={shown} />;
}

const NOTHING_CHOSEN: Line = [{text: 'nothing is under the cursor', tone: 'dim'}];

/** The words, and what they leave of the room for what shows it to the eye. */
function previewLines(
  row: FindingRow | undefined,
  scene: Scene,
  {isWide, preview}: OverviewLayout,
  width: number,
): readonly Line[] {
  if (row === undefined) return [NOTHING_CHOSEN];
  const [finding, ...others] = row.findings;
  const isDrawn = others.length === 0;
  const spark = isDrawn && !isWide ? evidenceLines(finding, scene, {width: Math.floor(width / 2), rows: 1}) : [];
  const lines = [
    ...mutedLines(row),
    ...findingLines(row, {isWide, spark, width, ellipsis: scene.theme.glyphs.ellipsis}),
  ].flatMap(line => wrapLine(line, width));
  const rows = preview.rows - BOX_ROWS - lines.length;
  return isDrawn && isWide ? [...lines, ...evidenceLines(finding, scene, {width, rows})] : lines;
}

/** The edges of a box. */
const BOX_ROWS = 2;

/** Since when it is not listed, and how it is listed again. */
function mutedLines({mutes: [mute, ...others]}: FindingRow): readonly Line[] {
  if (mute === undefined) return [];
  const again: Line = [{text: 'A', tone: 'strong'}, {text: others.length > 0 ? ' lists all again' : ' lists it again'}];
  if (others.length > 0) return [again];
  const until = mute.kind === 'acknowledged' ? '' : ` until ${formatUtcMoment(mute.until)}`;
  return [[{text: `${mute.kind}${until}; `, tone: 'notice'}, ...again]];
}

function findingLines(
  {findings, mutes, fold}: FindingRow,
  {
    isWide,
    spark,
    width,
    ellipsis,
  }: {readonly isWide: boolean; readonly spark: readonly Line[]; readonly width: number; readonly ellipsis: string},
): readonly Line[] {
  const [{advice, evidence, commands}, ...others] = findings;
  const fixes = mutes.length > 0 ? [] : findings.flatMap(each => each.fixes ?? []);
  const [fix] = fixes;
  const [command] = commands;
  const way: Line =
    fix !== undefined
      ? [{text: 'f', tone: 'strong'}, {text: ` ${verbOf(fix.kind)}${fixes.length > 1 ? ` all ${fixes.length}` : ''}`}]
      : command === undefined
        ? []
        : [{text: command, tone: 'dim'}];
  if (others.length > 0) {
    const members = findings.map(
      ({subject, evidence: [proof]}): Line => [
        {text: subject.name, tone: 'strong', isName: true},
        {text: `  ${proof ?? ''}`},
      ],
    );
    return [
      [...way, {text: '  enter', tone: 'strong'}, {text: fold === 'folded' ? ' lists them' : ' opens them'}],
      ...members,
    ];
  }
  // A few lines hold the proof and the key; the advice has room where there is a box.
  if (!isWide) {
    const shown = spark.flatMap((line): Line => [{text: '  '}, ...line]);
    // The key and the chart stay in view however long the words are, and what is cut is seen to be.
    const lines: readonly Line[] = [
      [{text: evidence.join('; ')}],
      [...way, ...shown, {text: `  ${advice}`, tone: 'dim'}],
    ];
    return lines.map(line => fitLine(line, width, {ellipsis}));
  }
  return [...evidence.map((text): Line => [{text}]), [{text: advice, tone: 'dim'}], way];
}

/** What takes connections from everywhere. */
export function Exposure({scene, layout}: PartProps): ReactNode {
  const open = useUntilNews(scene, () => exposures(scene));
  const title = open === undefined ? 'open to the world' : `open to the world ${open.length}`;
  const lines = useUntilNews(scene, () =>
    exposed(scene, exposure => [
      {text: ' '},
      ...fitLine([{text: exposure.where, tone: 'strong', isName: true}], 21),
      {text: ` ${exposure.ports}`, tone: 'warning'},
      {text: `  ${formatCounted(exposure.machineCount, 'machine')}`, tone: 'dim'},
    ]),
  );
  return (
    <Part title={title} scene={scene} feed={firewallsFeed} place={layout.exposure} layout={layout} lines={lines} />
  );
}

/** The same in a line or two. */
function exposureLines(scene: Scene, width: number): readonly Line[] {
  const words = exposed(scene, ({where, ports}) => [
    {text: `${where} `, tone: 'strong', isName: true},
    {text: ports, tone: 'warning'},
  ]);
  return [inOneLine(words, width, [{text: 'open to the world ', tone: 'dim'}])];
}

function exposed(scene: Scene, show: (exposure: ExposureRow) => Line): readonly Line[] {
  const open = exposures(scene);
  if (open === undefined) return [missingLine(scene, firewallsFeed, 'firewalls')];
  return open.length === 0 ? [[{text: ' nothing is open to the world', tone: 'good'}]] : open.map(show);
}

/** What was done from here, and what the troubled machines' histories tell, newest first. */
export function Events({scene, layout}: PartProps): ReactNode {
  const observed = observedMachines(scene.store);
  const machines = (observed ?? []).filter(isTroubled);
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
        {text: event.where, tone: 'strong', isName: true},
        {text: '  '},
        {text: event.what, tone: event.tone},
      ],
    );
  const shown = lines.length === 0 ? [noEvents(scene, observed)] : lines;
  return (
    <Part title="recent events" scene={scene} feed={machinesFeed} place={layout.events} layout={layout} lines={shown} />
  );
}

/** Nothing is only told of machines that were read. */
function noEvents(scene: Scene, observed: readonly VirtualMachine[] | undefined): Line {
  if (observed === undefined) return missingLine(scene, machinesFeed, 'machines');
  const isReading = observed.filter(isTroubled).some(({id}) => scene.store.get(eventsFeed(id)).status === 'waiting');
  return [{text: isReading ? ' reading the histories…' : ' no events of machines in trouble', tone: 'dim'}];
}

/** A box where there is room for its edges, else a line with the title above the content. */
function Part({
  title,
  scene,
  feed,
  place: {columns: width, rows: height},
  layout,
  lines,
}: PartProps & {
  readonly title: string;
  readonly feed: Feed<unknown>;
  readonly place: OverviewLayout['money'];
  readonly lines: readonly Line[];
}): ReactNode {
  if (height === 0) return undefined;
  const frame = feedFrame(scene, feed);
  if (!layout.isWide) {
    const hiddenCount = lines.length - (height - 1);
    const right = hiddenCount > 0 ? `+${hiddenCount} more  ${feedAge(scene, feed)}` : feedAge(scene, feed);
    const head = rule({...frame, title, right, width});
    const shown = [head, ...(frame.isStale === true ? lines.map(staleLine) : lines)].slice(0, height);
    return <Lines lines={shown} width={width} theme={scene.theme} />;
  }
  return <TitledBox {...frame} title={title} lines={lines} width={width} height={height} />;
}
