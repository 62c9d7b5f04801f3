import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {firewallsPane} from '../../src/panes/firewalls/pane.tsx';
import {objectsPane} from '../../src/panes/objects/pane.tsx';
import {openPane, type PaneDefinition} from '../../src/panes/pane.ts';
import {volumesPane} from '../../src/panes/volumes/pane.tsx';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {accessKeysFeed, bucketsFeed} from '../../src/state/object-storage.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {aFirewall, aMachine} from '../actions/some-things.ts';
import {shownLines} from '../support/shown-lines.ts';
import {aReadScene, listed} from './a-read-scene.ts';
import {aVolume} from './volumes/a-volume.ts';

const SIZE = {columns: 200, rows: 46};
const FREE_FIREWALL = listed(firewallsFeed, [aFirewall({attachments: [], environmentName: safeText('lab')})]);
const FREE_VOLUME = listed(volumesFeed, [aVolume({attachments: []})]);
const BUCKET = listed(bucketsFeed, [{name: safeText('datasets'), regionName: safeText('CANADA-1')}]);

function shown<View>(definition: PaneDefinition<View>, readings: Parameters<typeof aReadScene>[0]): string {
  const scene = aReadScene(readings, {size: SIZE});
  const pane = openPane(definition);
  pane.adjust(scene);
  return shownLines(<pane.Screen scene={scene} />, SIZE.columns).join('\n');
}

it('does not say that an unattached firewall or volume has no machines before the machines were read', () => {
  expect(shown(firewallsPane, [FREE_FIREWALL])).toMatch(/machines of lab +│[^\n]*\n│ reading the machines…/);
  expect(shown(firewallsPane, [FREE_FIREWALL])).not.toContain('no machine to attach it to');
  expect(shown(volumesPane, [FREE_VOLUME])).toMatch(/machines it can be attached to +│[^\n]*\n│ reading the machines…/);
});

it('says so when they were read and there are none', () => {
  expect(shown(firewallsPane, [FREE_FIREWALL, listed(machinesFeed, [])])).toContain('no machine to attach it to');
  expect(shown(volumesPane, [FREE_VOLUME, listed(machinesFeed, [])])).toContain(
    'none: they must be in its environment',
  );
});

it('offers an unattached volume the machines that can take it, but no node of a cluster', () => {
  const environmentName = safeText('lab');
  const machines = [
    aMachine({id: virtualMachineId(1), name: safeText('train-01'), environmentName}),
    aMachine({id: virtualMachineId(2), name: safeText('node-01'), environmentName, clusterId: 9}),
  ];
  const list = listed(machinesFeed, machines);
  const free = shown(volumesPane, [listed(volumesFeed, [aVolume({environmentName})]), list]);
  expect(free).toContain('train-01');
  expect(free).not.toContain('node-01');
  const failed = shown(volumesPane, [listed(volumesFeed, [aVolume({environmentName, status: 'ERROR'})]), list]);
  expect(failed).not.toContain('machines it can be attached to');
});

it('says that the access keys beside a bucket are being read, and then that there are none', () => {
  expect(shown(objectsPane, [BUCKET])).toMatch(/access keys for CANADA-1 +│[^\n]*\n│ reading the access keys…/);
  expect(shown(objectsPane, [BUCKET, listed(accessKeysFeed, [])])).toMatch(/access keys for CANADA-1 +│[^\n]*\n│ none/);
});
