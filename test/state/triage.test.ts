import {expect, it} from 'vitest';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {firewallFeed, firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {presentTriage} from '../../src/state/triage.ts';
import {aRule} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from './a-machine.ts';

it('judges a firewall by its own reading where that is newer than the list, as after a rule was removed', () => {
  const store = createStore();
  const open: Firewall = {
    id: firewallId(5),
    name: safeText('bastion'),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    rules: [aRule()],
    attachments: [{machineId: virtualMachineId(1), machineName: safeText('gpu-1'), status: safeText('SUCCESS')}],
  };
  const found = (at: number) =>
    presentTriage({
      store,
      now: epochMs(Date.UTC(2026, 10, 20, 12, 0, at)),
      monotonicNow: monotonicMs(at * 1000),
      preferences: DEFAULT_PREFERENCES,
    }).findings.filter(({subject}) => subject.type === 'firewall');
  store.writeValue(machinesFeed, aListing([aVirtualMachine({id: 1})]), monotonicMs(1));
  store.writeValue(firewallsFeed, {records: [open], quarantined: []}, monotonicMs(1));
  expect(found(1)).toHaveLength(1);
  store.writeValue(firewallFeed(firewallId(5)), {...open, rules: []}, monotonicMs(2));
  expect(found(2)).toEqual([]);
  // A list that is newer again counts.
  store.writeValue(firewallsFeed, {records: [open], quarantined: []}, monotonicMs(3));
  expect(found(3)).toHaveLength(1);
});
