import type {VirtualMachine} from '../domain/virtual-machine.ts';
import type {RelatedGroup} from '../resources/related.ts';
import {resourceOf} from '../resources/resources.ts';
import {metricsFeed, observedMachines} from '../state/machines.ts';
import type {Want} from '../state/poller/poll-schedule.ts';
import type {Line} from '../ui/text.ts';
import {hangingLines} from '../ui/wrap.ts';
import {chartLines} from './machine-charts.ts';
import {machineTableLines} from './list/rows-table.ts';
import type {Scene} from './pane.ts';
import type {Place} from './sizes.ts';

const LABEL_CELLS = 14;

/** A chart with fewer rows shows nothing. */
const MIN_CHART_ROWS = 12;

/** The input for the charts of a machine that belongs to an object. */
export function relatedWants(scene: Scene, groups: readonly RelatedGroup[]): readonly Want[] {
  const machine = chartedMachine(scene, groups);
  return machine === undefined ? [] : [{feed: metricsFeed(machine.id, '1h'), priority: 4}];
}

/**
 * What belongs to an object, further lines about it and, in the remaining room, charts of its first running machine.
 */
export function relatedPreview(
  scene: Scene,
  groups: readonly RelatedGroup[],
  {columns, rows}: Place,
  more: readonly Line[] = [],
): readonly Line[] {
  const width = columns - 2;
  const lines = [...relatedLines(scene, groups, width), ...more];
  const left = rows - 2 - lines.length - 2;
  const machine = chartedMachine(scene, groups);
  if (machine === undefined || left < MIN_CHART_ROWS) return lines;
  return [
    ...lines,
    [],
    [{text: ` ${machine.name}`, tone: 'title'}],
    ...chartLines(scene, machine, '1h', {columns: width, rows: left}),
  ];
}

/** What belongs to an object: machines in the columns of their list, everything else by name. */
export function relatedLines(scene: Scene, groups: readonly RelatedGroup[], width: number): readonly Line[] {
  const machines = machinesAmong(scene, groups);
  const others = groups
    .filter(({kind}) => kind !== 'vm' || machines.length === 0)
    .flatMap(group => namesOf(group, width));
  return [...(machines.length === 0 ? [] : [...machineTableLines(scene, machines, width), []]), ...others];
}

/** The first running one, because the others have no samples to draw. */
function chartedMachine(scene: Scene, groups: readonly RelatedGroup[]): VirtualMachine | undefined {
  return machinesAmong(scene, groups).find(({status}) => status === 'ACTIVE');
}

function machinesAmong(scene: Scene, groups: readonly RelatedGroup[]): readonly VirtualMachine[] {
  const ids = new Set(groups.flatMap(({kind, objects = []}) => (kind === 'vm' ? objects.map(({id}) => id) : [])));
  return (observedMachines(scene.store) ?? []).filter(({id}) => ids.has(id));
}

function namesOf({kind, objects}: RelatedGroup, width: number): readonly Line[] {
  const {many} = resourceOf(kind).words;
  const names = objects === undefined ? 'not read yet' : objects.map(({name}) => name).join('  ') || 'none';
  const isKnown = objects !== undefined && objects.length > 0;
  return hangingLines(
    [{text: ` ${many}`.padEnd(LABEL_CELLS), tone: 'dim'}],
    [{text: names, tone: isKnown ? 'text' : 'dim'}],
    width - 1,
  );
}
