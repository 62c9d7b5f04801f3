import type {ReactNode} from 'react';
import {verbOf} from '../../actions/actions.ts';
import {clustersByUrgency} from '../../domain/cluster.ts';
import {describeOperation} from '../../domain/describe-operation.ts';
import type {BillingFigures} from '../../domain/money/figures.ts';
import {usdNumber} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {isTransitional, isTroubled, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {billingFigures, usageFeed} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Feed} from '../../state/feed.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {
  formatCounted,
  formatDuration,
  formatKnown,
  formatRate,
  formatRateFigure,
  formatShortUsd,
  formatUsd,
  formatUtcMoment,
} from '../../ui/format.ts';
import {rule, staleLine} from '../../ui/frame-box.ts';
import {shareBar} from '../../ui/gauge.ts';
import {Lines} from '../../ui/lines.tsx';
import {sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {budgetLines} from '../budget.ts';
import {feedAge, feedFrame} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import {creditText, runwayLine} from '../runway.ts';
import type {OverviewLayout} from './layout.ts';
import {exposures, type FindingRow, type StateGroup, stateGroups} from './rows.ts';

type PartProps = {readonly scene: Scene; readonly layout: OverviewLayout};

const LABEL_CELLS = 13;

/** What is burning, what was spent, what is left: in two lines, or a fact a line where there is room. */
export function Money({scene, layout}: PartProps): ReactNode {
  const figures = billingFigures(scene);
  const lines = layout.isWide ? wideLines(scene, figures) : narrowLines(scene, figures);
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

const WORD_CELLS = 16;

/** The machines by state, with what each state costs where there is room. */
export function Fleet({scene, layout}: PartProps): ReactNode {
  const groups = stateGroups(scene);
  const count = groups?.reduce((sum, group) => sum + group.count, 0);
  const counted = count === undefined ? 'machines' : `machines ${count}`;
  const title = layout.isWide && count !== undefined && count > 0 ? `${counted}  count, $/h` : counted;
  const lines = fleetLines(scene, groups, layout);
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.fleet} layout={layout} lines={lines} />;
}

function fleetLines(
  scene: Scene,
  groups: readonly StateGroup[] | undefined,
  {isWide, fleet}: OverviewLayout,
): readonly Line[] {
  if (groups === undefined) return [missingLine(scene, machinesFeed, 'machines')];
  if (groups.length === 0) return [[{text: ' no machines', tone: 'dim'}]];
  if (!isWide)
    return [[{text: ' '}, ...groups.flatMap(group => [...stateMark(group, scene), {text: ` ${group.count}  `}])]];
  const largest = Math.max(...groups.map(group => group.count), 1);
  const barCells = Math.max(0, fleet.columns - WORD_CELLS - 24);
  return groups.map(
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

/** The clusters with how much of each works. */
export function Clusters({scene, layout}: PartProps): ReactNode {
  const clusters = lastValue(scene.store.get(clustersFeed))?.records;
  const title = clusters === undefined ? 'clusters' : `clusters ${clusters.length}`;
  const lines =
    clusters &&
    clustersByUrgency(clusters, scene.now).flatMap((cluster): readonly Line[] => {
      const workers = cluster.nodes.filter(({role}) => role === 'worker');
      const active = workers.filter(({status}) => status === 'ACTIVE').length;
      const tone = cluster.status === 'ACTIVE' ? 'good' : cluster.status === 'ERROR' ? 'danger' : 'warning';
      const told: Line = [
        {text: cluster.name, tone: 'strong', isName: true},
        {text: `  ${cluster.statusText}`, tone},
        {text: `  ${active}/${workers.length} workers  ${cluster.statusReason ?? ''}`},
      ];
      // The few lines of a narrow overview are for one cluster each; their own pane has the rest.
      const [first = [], ...more] = layout.isWide ? wrapLine(told, layout.clusters.columns - 5) : [told];
      return [[{text: ' '}, ...first], ...more.map((line): Line => [{text: '   '}, ...line])];
    });
  const none: Line = [{text: ' no clusters', tone: 'dim'}];
  const shown =
    lines === undefined ? [missingLine(scene, clustersFeed, 'clusters')] : lines.length === 0 ? [none] : lines;
  return <Part title={title} scene={scene} feed={clustersFeed} place={layout.clusters} layout={layout} lines={shown} />;
}

/** The finding under the cursor whole: what proves it, what to do, and by which key or command. */
export function Preview({scene, layout, row}: PartProps & {readonly row: FindingRow | undefined}): ReactNode {
  const {columns} = layout.preview;
  const title = row === undefined ? 'finding' : `${row.what}: ${row.where}`;
  const width = Math.max(1, columns - (layout.isWide ? 5 : 2));
  const lines = row === undefined ? [NOTHING_CHOSEN] : previewLines(row, layout.isWide);
  const shown = lines.flatMap(line => wrapLine(line, width)).map((line): Line => [{text: ' '}, ...line]);
  return <Part title={title} scene={scene} feed={machinesFeed} place={layout.preview} layout={layout} lines={shown} />;
}

const NOTHING_CHOSEN: Line = [{text: 'nothing is under the cursor', tone: 'dim'}];

function previewLines(row: FindingRow, isWide: boolean): readonly Line[] {
  return [...mutedLines(row), ...findingLines(row, isWide)];
}

/** Since when it is not listed, and how it is listed again. */
function mutedLines({mutes: [mute, ...others]}: FindingRow): readonly Line[] {
  if (mute === undefined) return [];
  const again: Line = [{text: 'A', tone: 'strong'}, {text: others.length > 0 ? ' lists all again' : ' lists it again'}];
  if (others.length > 0) return [again];
  const until = mute.kind === 'acknowledged' ? '' : ` until ${formatUtcMoment(mute.until)}`;
  return [[{text: `${mute.kind}${until}; `, tone: 'notice'}, ...again]];
}

function findingLines({findings, mutes, fold}: FindingRow, isWide: boolean): readonly Line[] {
  const [{advice, evidence, commands, fix: ownFix}, ...others] = findings;
  const fix = mutes.length > 0 ? undefined : ownFix;
  const [command] = commands;
  const way: Line =
    fix !== undefined
      ? [
          {text: 'f', tone: 'strong'},
          {text: ` ${verbOf(fix.kind)}${others.length > 0 ? ` all ${findings.length}` : ''}`},
        ]
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
  if (!isWide) return [[{text: evidence.join('; ')}], [...way, {text: `  ${advice}`, tone: 'dim'}]];
  return [...evidence.map((text): Line => [{text}]), [{text: advice, tone: 'dim'}], way];
}

/** What takes connections from everywhere. */
export function Exposure({scene, layout}: PartProps): ReactNode {
  const open = exposures(scene);
  const title = open === undefined ? 'open to the world' : `open to the world ${open.length}`;
  const none: Line = [{text: ' nothing is open to the world', tone: 'good'}];
  const lines = open?.map(
    (each): Line => [
      {text: ' '},
      ...fitLine([{text: each.where, tone: 'strong', isName: true}], 21),
      {text: ` ${each.ports}`, tone: 'warning'},
      {text: `  ${formatCounted(each.machineCount, 'machine')}`, tone: 'dim'},
    ],
  );
  const shown =
    lines === undefined ? [missingLine(scene, firewallsFeed, 'firewalls')] : lines.length === 0 ? [none] : lines;
  return (
    <Part title={title} scene={scene} feed={firewallsFeed} place={layout.exposure} layout={layout} lines={shown} />
  );
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
