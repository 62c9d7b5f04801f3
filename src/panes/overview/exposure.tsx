import type {ReactNode} from 'react';
import type {Unread} from '../../resources/detail.ts';
import {NOTHING_OPEN, openPorts, openRules, openRulesText, reachText} from '../../resources/rules.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {fitLine, type Line} from '../../ui/text.ts';
import {memoBox, type Scene} from '../pane.ts';
import {inOneLine, Part, type BoxProps} from './part.tsx';

/** What accepts connections from everywhere. */
export const Exposure = memoBox(function Exposure({scene, layout}: BoxProps): ReactNode {
  const title = `open to the world ${openRulesText(openRules(scene))}`;
  const {places, gaps} = exposures(scene);
  const shown = places.map(
    (exposure): Line => [
      {text: ' '},
      ...fitLine([{text: exposure.where, tone: 'strong', isName: true}], 21),
      {text: ` ${exposure.ports}`, tone: 'warning'},
      {text: `  ${reachText(exposure)}`, tone: 'dim'},
    ],
  );
  const lines = shown.length + gaps.length === 0 ? [NOTHING_OPEN] : [...gaps, ...shown];
  return (
    <Part title={title} scene={scene} feed={firewallsFeed} place={layout.exposure} layout={layout} lines={lines} />
  );
});

/** The same in a line or two. */
export function exposureLines(scene: Scene, width: number): readonly Line[] {
  const {places, gaps} = exposures(scene);
  const words = places.map(
    ({where, ports}): Line => [
      {text: `${where} `, tone: 'strong', isName: true},
      {text: ports, tone: 'warning'},
    ],
  );
  // What was not read comes first, because not every place has room.
  const all = [...gaps.slice(0, 1), ...words];
  return [inOneLine(all.length === 0 ? [NOTHING_OPEN] : all, width, [{text: 'open to the world ', tone: 'dim'}])];
}

/** What is open to the world in one place: where, through what, and to how many machines. */
type OpenPlace = {
  readonly where: string;
  readonly ports: string;
  readonly machineCount: number;
  readonly hasUnreadMachines?: true;
};

/** All that is known to be open to the world, firewalls first, and what may hide more. */
export function exposures(scene: Unread): {
  readonly places: readonly OpenPlace[];
  readonly gaps: readonly Line[];
} {
  const {rules, gaps} = openRules(scene);
  const byOwner = Map.groupBy(rules, ({id, machineCount}) => `${machineCount === undefined} ${id}`);
  const places = [...byOwner.values()].flatMap(ofOne => {
    const [first] = ofOne;
    if (first === undefined) return [];
    const ports = [...new Set(ofOne.map(({rule}) => openPorts(rule)))].join(', ');
    const {machineCount = 1, hasUnreadMachines} = first;
    return [{where: first.name, ports, machineCount, ...(hasUnreadMachines === true ? {hasUnreadMachines} : {})}];
  });
  return {places, gaps};
}
