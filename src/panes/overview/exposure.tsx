import type {ReactNode} from 'react';
import {portWords} from '../../domain/triage/words.ts';
import {missingLine} from '../../resources/detail.ts';
import {openRules, openRulesText} from '../../resources/rules.ts';
import {firewallsFeed, observedFirewalls} from '../../state/firewalls.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatCounted} from '../../ui/format.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {memoBox, type Scene} from '../pane.ts';
import {inOneLine, Part, type BoxProps} from './part.tsx';

/** What accepts connections from everywhere. */
export const Exposure = memoBox(function Exposure({scene, layout}: BoxProps): ReactNode {
  const rules = openRules(scene);
  const title = rules === undefined ? 'open to the world' : `open to the world ${openRulesText(rules)}`;
  const lines = exposed(scene, exposure => [
    {text: ' '},
    ...fitLine([{text: exposure.where, tone: 'strong', isName: true}], 21),
    {text: ` ${exposure.ports}`, tone: 'warning'},
    {text: `  ${formatCounted(exposure.machineCount, 'machine')}`, tone: 'dim'},
  ]);
  return (
    <Part title={title} scene={scene} feed={firewallsFeed} place={layout.exposure} layout={layout} lines={lines} />
  );
});

/** The same in a line or two. */
export function exposureLines(scene: Scene, width: number): readonly Line[] {
  const words = exposed(scene, ({where, ports}) => [
    {text: `${where} `, tone: 'strong', isName: true},
    {text: ports, tone: 'warning'},
  ]);
  return [inOneLine(words, width, [{text: 'open to the world ', tone: 'dim'}])];
}

function exposed(scene: Scene, show: (exposure: OpenPlace) => Line): readonly Line[] {
  const open = exposures(scene);
  if (open === undefined) {
    const isListed = observedFirewalls(scene.store) !== undefined;
    return [isListed ? missingLine(scene, machinesFeed, 'machines') : missingLine(scene, firewallsFeed, 'firewalls')];
  }
  return open.length === 0 ? [[{text: ' nothing is open to the world', tone: 'good'}]] : open.map(show);
}

/** What is open to the world in one place: where, through what, and to how many machines. */
type OpenPlace = {
  readonly where: string;
  readonly ports: string;
  readonly machineCount: number;
};

/** All that is open to the world, firewalls first. Undefined until both lists were read. */
export function exposures(scene: Pick<Scene, 'store'>): readonly OpenPlace[] | undefined {
  const open = openRules(scene);
  if (open === undefined) return undefined;
  const byOwner = Map.groupBy(open, ({id, machineCount}) => `${machineCount === undefined} ${id}`);
  return [...byOwner.values()].flatMap(ofOne => {
    const [first] = ofOne;
    if (first === undefined) return [];
    const ports = [...new Set(ofOne.map(({rule}) => portWords(rule)))].join(', ');
    return [{where: first.name, ports, machineCount: first.machineCount ?? 1}];
  });
}
