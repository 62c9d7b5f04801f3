import type {ReactNode} from 'react';
import {missingLine} from '../../resources/detail.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {formatCounted} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {type Scene, useRevised} from '../pane.ts';
import {type Exposure as ExposureRow, exposures} from './rows.ts';
import {inOneLine, Part, type PartProps} from './part.tsx';

/** What accepts connections from everywhere. */
export function Exposure({scene, layout}: PartProps): ReactNode {
  const open = useRevised(scene, () => exposures(scene));
  const ruleCount = open?.reduce((sum, each) => sum + each.ruleCount, 0);
  const title = ruleCount === undefined ? 'open to the world' : `open to the world ${formatCounted(ruleCount, 'rule')}`;
  const lines = useRevised(scene, () =>
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
export function exposureLines(scene: Scene, width: number): readonly Line[] {
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
