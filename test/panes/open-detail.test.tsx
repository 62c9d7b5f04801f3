import {describe, expect, it} from 'vitest';
import {clustersPane} from '../../src/panes/clusters/pane.tsx';
import {firewallsPane} from '../../src/panes/firewalls/pane.tsx';
import {openPane, type Pane, type Scene} from '../../src/panes/pane.ts';
import {shownLines} from '../support/shown-lines.ts';
import {aCluster, aFirewall} from './a-catalogue.ts';
import {aKnownScene, aRule} from './a-known-scene.ts';

const SCENE: Scene = {
  ...aKnownScene({clusters: [aCluster()], firewalls: [{...aFirewall(), rules: [aRule()]}]}),
  hasChosen: true,
};

function press(pane: Pane, key: string) {
  const command = pane.commands.find(({keys}) => keys.includes(key));
  expect(command?.disabledReason(SCENE)).toBeUndefined();
  command?.run(SCENE);
  pane.adjust(SCENE);
}

function linesOf({Screen}: Pane): string {
  return shownLines(<Screen scene={SCENE} />, SCENE.size.columns).join('\n');
}

describe.each([
  ['clusters', () => openPane(clustersPane), 'kubernetes'],
  ['firewalls', () => openPane(firewallsPane), 'ingress tcp/22 0.0.0.0/0'],
])('the detail of the %s pane', (_name, open, told) => {
  it('fills the pane, can be searched, and is closed by one step back', () => {
    const pane = open();
    expect(pane.search(SCENE)).toBeUndefined();
    press(pane, 'd');
    expect(linesOf(pane)).toContain(told);
    pane.search(SCENE)?.find(told);
    expect(pane.search(SCENE)?.matchCount).toBe(1);
    expect(pane.goBack()).toBe(true);
    expect(pane.search(SCENE)?.text).toBe('');
    expect(pane.goBack()).toBe(true);
    expect(pane.search(SCENE)).toBeUndefined();
    expect(pane.goBack()).toBe(false);
  });

  it('stays open when the key of the next part is pressed, which says how to close it', () => {
    const pane = open();
    press(pane, '+');
    const next = pane.commands.find(({keys}) => keys.includes('tab'));
    expect(next?.disabledReason(SCENE)).toBe('details are open; esc closes them');
    expect(pane.search(SCENE)).toBeDefined();
  });
});
