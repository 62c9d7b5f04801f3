import {describe, expect, it} from 'vitest';
import type {ResourceType} from '../../src/domain/cloud-resource.ts';
import {clusterId} from '../../src/domain/cluster.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {cataloguePane} from '../../src/panes/catalogue/pane.tsx';
import {firewallsPane} from '../../src/panes/firewalls/pane.tsx';
import {machinesPane} from '../../src/panes/machines/pane.tsx';
import {openPane, type Pane, type Scene} from '../../src/panes/pane.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {placeOf, RESOURCES} from '../../src/resources/resources.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {environmentsFeed} from '../../src/state/environments.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {aCluster} from './a-catalogue.ts';
import {aContract} from './a-known-scene.ts';
import {aReadScene, listed} from './a-read-scene.ts';

const PRODUCTION = safeText('production-ca');
const MACHINES = Array.from({length: 8}, (_, index) =>
  aVirtualMachine({
    id: index + 1,
    name: safeText(`m${index + 1}`),
    environmentName: PRODUCTION,
    ...(index === 0 ? {contractId: 118, clusterId: 31} : {}),
  }),
);
const FIREWALL = {
  id: firewallId(5),
  name: safeText('web'),
  status: 'SUCCESS',
  statusText: safeText('SUCCESS'),
  rules: [],
  environmentName: PRODUCTION,
  attachments: [{machineId: virtualMachineId(1), machineName: safeText('m1')}],
} as const;

function openScene(): Scene {
  const read = aReadScene([
    listed(machinesFeed, MACHINES),
    listed(contractsFeed, [aContract(5, {description: safeText('H100 training')})]),
    listed(clustersFeed, [aCluster({id: clusterId(31), name: safeText('k8s')})]),
    listed(firewallsFeed, [FIREWALL]),
    listed(environmentsFeed, [{id: environmentId(7), name: PRODUCTION}]),
  ]);
  return {...read, hasChosen: true};
}

function related(pane: Pane, scene: Scene) {
  pane.adjust(scene);
  const opener = pane.commands.find(({keys}) => keys.includes('r'));
  expect(opener?.disabledReason(scene)).toBeUndefined();
  expect(opener?.run(scene)).toEqual({kind: 'menu', menuId: 'related'});
  return pane.menus.find(({id}) => id === 'related')?.offered(scene) ?? [];
}

describe('the related menu', () => {
  it('leads from a machine to each related resource, where that is shown', () => {
    const scene = openScene();
    const pane = openPane(machinesPane);
    pane.goTo({objectId: 1});
    const choices = related(pane, scene);
    expect(choices.map(({title}) => title)).toEqual([
      'contract H100 training #118',
      'cluster k8s',
      'firewall web',
      'volumes',
      'environment production-ca',
    ]);
    expect(choices.map(({disabledReason}) => disabledReason(scene))).toEqual([
      undefined,
      undefined,
      undefined,
      'not read yet',
      undefined,
    ]);
    expect(choices[0]?.run(scene)).toEqual({kind: 'go', paneId: 'billing', objectId: 118});
    expect(choices[4]?.run(scene)).toEqual({kind: 'go', paneId: 'catalogue', part: 'environments', objectId: 7});
  });

  it('leads from a firewall to its machine', () => {
    const scene = openScene();
    const [machine] = related(openPane(firewallsPane), scene);
    expect(machine?.run(scene)).toEqual({kind: 'go', paneId: 'machines', objectId: 1});
  });

  it('leads to many machines with a filter that finds them', () => {
    const scene = openScene();
    const catalogue = openPane(cataloguePane);
    catalogue.goTo({part: 'environments', objectId: 7});
    const [machines] = related(catalogue, scene);
    expect(machines?.title).toBe('8 machines');
    const outcome = machines?.run(scene);
    expect(outcome).toMatchObject({kind: 'go', paneId: 'machines', filterText: 'environment:"production-ca"'});
    const pane = openPane(machinesPane);
    pane.goTo(outcome?.kind === 'go' ? outcome : {});
    expect(pane.table(scene).rows).toHaveLength(8);
  });
});

describe('where a kind is shown', () => {
  const shown = RESOURCES.flatMap(({names: [name], shownIn}) => (shownIn === undefined ? [] : [{name, ...shownIn}]));

  it.each(shown)('$name: pane $paneId, with the part if it has several', ({paneId, part}) => {
    const pane = openPanes().find(({id}) => id === paneId);
    pane?.goTo({objectId: 1, ...(part === undefined ? {} : {part})});
    expect(pane?.trail(openScene())).toEqual(expect.arrayContaining([paneId, ...(part === undefined ? [] : [part])]));
  });

  it('is known for everything that has an id, so that the journal can open it', () => {
    const types: readonly ResourceType[] = RESOURCES.flatMap(({type = [], subjects}) =>
      subjects === undefined ? [] : type,
    );
    expect(types.toSorted()).toEqual([
      'access-key',
      'bucket',
      'cluster',
      'environment',
      'firewall',
      'key-pair',
      'vm',
      'volume',
    ]);
    expect(types.filter(type => placeOf(type, 1) === undefined)).toEqual([]);
  });
});
