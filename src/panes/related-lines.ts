import type {RelatedGroup} from '../resources/related.ts';
import {resourceOf} from '../resources/resources.ts';
import {observedMachines} from '../state/machines.ts';
import type {Line} from '../ui/text.ts';
import {hangingLines} from '../ui/wrap.ts';
import {machineTableLines} from './machine-table.ts';
import type {Scene} from './pane.ts';

const LABEL_CELLS = 14;

/** What belongs to an object: its machines as their list has them, and the names of all else. */
export function relatedLines(scene: Scene, groups: readonly RelatedGroup[], width: number): readonly Line[] {
  const machineIds = new Set(
    groups.flatMap(({kind, objects = []}) => (kind === 'vm' ? objects.map(({id}) => id) : [])),
  );
  const machines = (observedMachines(scene.store) ?? []).filter(({id}) => machineIds.has(id));
  const others = groups
    .filter(({kind}) => kind !== 'vm' || machines.length === 0)
    .flatMap(group => namesOf(group, width));
  return [...(machines.length === 0 ? [] : [...machineTableLines(scene, machines, width), []]), ...others];
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
