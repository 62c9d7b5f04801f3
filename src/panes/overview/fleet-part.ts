import {isTransitional, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatRateFigure} from '../../ui/format.ts';
import {shareBar} from '../../ui/gauge.ts';
import type {Line} from '../../ui/text.ts';
import {missingLine} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {part} from './part.ts';
import {type StateGroup, stateGroups} from './rows.ts';

const WORD_CELLS = 16;

/** The machines by state, with what each state costs where there is room. */
export function fleetPart(scene: Scene, layout: OverviewLayout): readonly Line[] {
  const groups = stateGroups(scene);
  const place = layout.fleet;
  const count = groups?.reduce((sum, group) => sum + group.count, 0);
  const title = count === undefined ? 'machines' : `machines ${count}`;
  if (groups === undefined)
    return part(title, scene, machinesFeed, place, layout, [missingLine(scene, machinesFeed, 'machines')]);
  if (!layout.isWide) {
    const none: Line = [{text: ' no machines', tone: 'dim'}];
    const words: Line = groups.flatMap(group => [...stateMark(group, scene), {text: ` ${group.count}  `}]);
    return part(title, scene, machinesFeed, place, layout, [groups.length === 0 ? none : [{text: ' '}, ...words]]);
  }
  if (groups.length === 0)
    return part(title, scene, machinesFeed, place, layout, [[{text: ' no machines', tone: 'dim'}]]);
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
