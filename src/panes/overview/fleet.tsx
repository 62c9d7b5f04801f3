import type {ReactNode} from 'react';
import {isTransitional, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatBytesPerSecond, formatPercent, formatRateFigure} from '../../ui/format.ts';
import {sparkline} from '../../ui/sparkline.ts';
import {fitLine, type Line, textOf} from '../../ui/text.ts';
import {type Scene, useRevised} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {type FleetGroup, fleetGroups} from './fleet-groups.ts';
import {type StateGroup, stateGroups} from './rows.ts';
import {Part, type PartProps} from './part.tsx';

/** The machines by the beginning of their names; how many are in which state stands in the title. */
export function Fleet({scene, layout}: PartProps): ReactNode {
  const title = useRevised(scene, () => fleetTitle(scene));
  const lines = useRevised(scene, () => fleetLines(scene, layout));
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
  {name, count, activeCount, rate, hasUnpriced, measuredCount, cpu, memory, networkIn, networkOut, others}: FleetGroup,
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
    // The means are those of the machines whose metrics were read.
    ...(measuredCount === 0 || measuredCount === activeCount
      ? []
      : [{text: `, ${measuredCount} read`, tone: 'dim' as const}]),
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
