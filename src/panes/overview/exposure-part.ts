import {firewallsFeed} from '../../state/firewalls.ts';
import {formatCounted} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {missingLine} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';
import {part} from './part.ts';
import {exposures} from './rows.ts';

export function exposurePart(scene: Scene, layout: OverviewLayout): readonly Line[] {
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
