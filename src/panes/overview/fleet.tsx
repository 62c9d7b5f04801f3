import type {ReactNode} from 'react';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {stateLook} from '../../resources/machines.ts';
import {missingLine} from '../../resources/detail.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatBytesPerSecond, formatCount, formatCounted, formatPercent, formatRateFigure} from '../../ui/format.ts';
import {sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line, textOf, widthOf} from '../../ui/text.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {type FleetGroup, fleetGroups, type StateGroup, stateGroups} from './fleet-groups.ts';
import {inOneLine, Part, type BoxProps} from './part.tsx';

/** The machines grouped by the beginning of their names; the title counts them by state. */
export const Fleet = memoBox(function Fleet({scene, layout}: BoxProps): ReactNode {
  const lines = fleetLines(scene, layout);
  return (
    <Part
      title={fleetTitle(scene)}
      scene={scene}
      feed={machinesFeed}
      place={layout.fleet}
      layout={layout}
      lines={lines}
      hidden={from => hiddenMachines(scene, layout, from)}
    />
  );
});

function fleetTitle(scene: Scene): string {
  const states = stateGroups(scene);
  const count = states?.reduce((sum, group) => sum + group.count, 0);
  // Several states share a sign: HIBERNATING and STOPPING are both on their way down.
  const bySign = Map.groupBy(states ?? [], group => stateSign(group, scene));
  const byState = [...bySign]
    .map(([sign, groups]) => ({sign, count: groups.reduce((sum, group) => sum + group.count, 0)}))
    .sort((left, right) => right.count - left.count)
    .map(({sign, count: ofSign}) => `${sign}${ofSign}`)
    .join(' ');
  return count === undefined ? 'machines' : `machines ${formatCount(count)}${count === 0 ? '' : `  ${byState}`}`;
}

const GROUP_CELLS = 10;
const PERCENT_CELLS = 5;
const MOST_CPU_CELLS = 12;
const MOST_MEMORY_CELLS = 8;
/** A shorter graph shows nothing. */
const LEAST_GRAPH_CELLS = 6;
const NETWORK_CELLS = 21;
/** Further states are only counted. */
const MOST_STATE_CELLS = 22;
/** A state and how many others there are: `12 HIBERNATED  +1 more`. */
const LEAST_STATE_CELLS = 22;
/** `cpu ` or `mem ` before a figure, in a list without titles. */
const NAME_CELLS = 4;

/** The widths that depend on account and terminal. */
type FleetWidths = {
  readonly up: number;
  readonly cpu: number;
  /** The width of its graph, 0 if there is none; undefined if memory is not shown. */
  readonly memory: number | undefined;
  readonly hasNetwork: boolean;
  /** Figures are named in each line, in place of titles above them. */
  readonly hasNames: boolean;
  readonly cost: number;
  readonly state: number;
};

function fleetLines(scene: Scene, {isWide, fleet}: OverviewLayout): readonly Line[] {
  const groups = fleetGroups(scene);
  if (groups === undefined) return [missingLine(scene, machinesFeed, 'machines')];
  if (groups.length === 0) return [[{text: ' no machines', tone: 'dim'}]];
  // Only the visible groups count: a group further down must not take the room of their graphs.
  const seen = groups.slice(0, Math.max(1, fleet.rows - BOX_ROWS - (isWide ? TITLE_ROWS : 0)));
  const columns = columnsFor(seen, isWide ? fleet.columns - BOX_COLUMNS : fleet.columns, isWide);
  const lines = groups.map(group => groupLine(group, scene, columns));
  return isWide ? [[{text: titles(columns), tone: 'dim'}], ...lines] : lines;
}

function hiddenMachines(scene: Scene, {isWide}: OverviewLayout, from: number): string {
  const groups = fleetGroups(scene)?.slice(from - (isWide ? TITLE_ROWS : 0)) ?? [];
  return formatCounted(
    groups.reduce((sum, {count}) => sum + count, 0),
    'machine',
  );
}

const BOX_COLUMNS = 2;
const BOX_ROWS = 2;
const TITLE_ROWS = 1;

/** States get the width their words need; graphs and network share the rest. */
function columnsFor(groups: readonly FleetGroup[], width: number, isWide: boolean): FleetWidths {
  const widest = (texts: readonly string[], least: number) => Math.max(least, ...texts.map(widthOf));
  // With a blank in front of the longest.
  const up = widest(groups.map(upText), 4) + 1;
  const cost = widest(groups.map(costText), 7);
  const fixed = 1 + GROUP_CELLS + up + 2 + PERCENT_CELLS + 1 + cost + 2;
  const stateCells = (room: number) =>
    widest(
      groups.map(group => textOf(inOneLine(stateWords(group), room))),
      'STATE'.length,
    );
  if (!isWide) {
    const memory = 0;
    const cpu = MOST_MEMORY_CELLS;
    const named = width - fixed - cpu - PERCENT_CELLS - 2 * NAME_CELLS;
    const hasNames = named >= LEAST_STATE_CELLS;
    return {up, cpu, memory, hasNetwork: false, hasNames, cost, state: named + (hasNames ? 0 : 2 * NAME_CELLS)};
  }
  // One state in full and the number of others, even if that leaves no room for a graph.
  const least = stateCells(0);
  const state = Math.max(least, Math.min(stateCells(MOST_STATE_CELLS), width - fixed - LEAST_GRAPH_CELLS));
  const left = Math.max(0, width - fixed - state);
  const memoryRoom = left - LEAST_GRAPH_CELLS - PERCENT_CELLS - 1;
  if (memoryRoom < LEAST_GRAPH_CELLS) {
    const cpu = left < LEAST_GRAPH_CELLS ? 0 : Math.min(MOST_CPU_CELLS, left);
    return {up, cpu, memory: undefined, hasNetwork: false, hasNames: false, cost, state: state + left - cpu};
  }
  const hasNetwork = memoryRoom - NETWORK_CELLS >= LEAST_GRAPH_CELLS;
  const graphs = left - PERCENT_CELLS - 1 - (hasNetwork ? NETWORK_CELLS : 0);
  const cpu = Math.min(MOST_CPU_CELLS, Math.ceil(graphs / 2));
  const memory = Math.min(MOST_MEMORY_CELLS, graphs - cpu);
  return {up, cpu, memory, hasNetwork, hasNames: false, cost, state: state + graphs - cpu - memory};
}

function titles({up, cpu, memory, hasNetwork, cost}: FleetWidths): string {
  return [
    ` ${'GROUP'.padEnd(GROUP_CELLS)}${'UP'.padStart(up)}  ${shareTitle('CPU', cpu)}`,
    memory === undefined ? '' : shareTitle('MEM', memory),
    hasNetwork ? `${'NET in'.padStart(9)} ${'out'.padStart(9)}  ` : '',
    `${'$/h'.padStart(cost)}  STATE`,
  ].join('');
}

function shareTitle(name: string, graphCells: number): string {
  return graphCells === 0 ? name.padEnd(PERCENT_CELLS) : `${`${name} 1h`.padEnd(PERCENT_CELLS + graphCells)} `;
}

function groupLine(group: FleetGroup, scene: Scene, widths: FleetWidths): Line {
  const {up, cpu, memory, hasNetwork, hasNames, cost, state} = widths;
  const {glyphs} = scene.theme;
  const share = (name: string, {latest, bins}: FleetGroup['cpu'], width: number): Line => [
    {text: hasNames ? name : '', tone: 'dim'},
    {text: `${formatPercent(latest).padStart(PERCENT_CELLS - 1)} `},
    ...(width === 0 ? [] : [...sparkline(bins, {width, glyphs, min: 0, max: 1}), {text: ' '}]),
  ];
  return [
    {text: ' '},
    ...fitLine([{text: group.name, tone: 'strong', isName: true}], GROUP_CELLS),
    ...fitLine([{text: upText(group)}], up, {align: 'right'}),
    {text: '  '},
    ...share('cpu ', group.cpu, cpu),
    ...(memory === undefined ? [] : share('mem ', group.memory, memory)),
    ...(hasNetwork ? [{text: networkText(group)}] : []),
    {text: `${costText(group).padStart(cost)}  `, tone: 'money'},
    ...inOneLine(stateWords(group), state),
  ];
}

function upText({activeCount, count}: FleetGroup): string {
  return `${activeCount}/${count}`;
}

function costText({rate, hasUnpriced}: FleetGroup): string {
  return rate === undefined ? 'unknown' : `${formatRateFigure(rate)}${hasUnpriced ? '+' : ''}`;
}

function networkText({networkIn, networkOut}: FleetGroup): string {
  return `${formatBytesPerSecond(networkIn).padStart(9)} ${formatBytesPerSecond(networkOut).padStart(9)}  `;
}

/** Machines that are not running, by state; the means cover the machines whose metrics were read. */
function stateWords({others, measuredCount, activeCount}: FleetGroup): readonly Line[] {
  const isPart = measuredCount > 0 && measuredCount < activeCount;
  const read: Line = isPart ? [{text: `, ${measuredCount} read`, tone: 'dim'}] : [];
  if (others.length === 0) return [[{text: 'ok', tone: 'good'}, ...read]];
  return others.map(
    ({status, word, count}, index): Line => [
      {text: `${count} ${word}`, tone: STATE_TONES[status] ?? 'notice'},
      ...(index === others.length - 1 ? read : []),
    ],
  );
}

const STATE_TONES: Readonly<Partial<Record<VirtualMachine['status'], 'good' | 'warning' | 'danger' | 'notice'>>> = {
  ACTIVE: 'good',
  SHUTOFF: 'warning',
  ERROR: 'danger',
};

function stateSign({status}: StateGroup, {theme}: Scene): string {
  return theme.glyphs.states[stateLook({status}).shape];
}
