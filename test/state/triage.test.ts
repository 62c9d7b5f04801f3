import {expect, it} from 'vitest';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {type MachineStatus, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {firewallFeed, firewallsFeed} from '../../src/state/firewalls.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {learnActivity, presentTriage} from '../../src/state/triage.ts';
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

it.each([
  ['at the usual interval', 10, 15],
  ['at a slower one', 60, 90],
])('calls a list late only after it failed for so long that five readings are missed: %s', (_, refreshSeconds, intervalSeconds) => {
  const store = createStore();
  const late = (at: number) =>
    presentTriage({
      store,
      now: epochMs(Date.UTC(2026, 10, 20, 12) + at * 1000),
      monotonicNow: monotonicMs(at * 1000),
      preferences: {...DEFAULT_PREFERENCES, refreshMs: refreshSeconds * 1000},
    }).findings.flatMap(({rule, summary, subject}) =>
      rule === 'stale-readings' ? [`${subject.name}: ${summary}`] : [],
    );
  store.writeValue(clustersFeed, {records: [], quarantined: []}, monotonicMs(0));
  // For ten intervals nobody wanted the list; then it failed, again and again.
  const failing = 10 * intervalSeconds;
  const fails = (at: number) =>
    store.writeFailure(clustersFeed, {kind: 'timed-out', afterMs: 5000}, monotonicMs(at * 1000));
  fails(failing);
  expect(late(failing)).toEqual([]);
  fails(failing + 2 * intervalSeconds);
  // Had it been read one interval before it failed, five would be over after four more.
  expect(late(failing + 4 * intervalSeconds)).toEqual([]);
  expect(late(failing + 4 * intervalSeconds + 10)).toEqual([
    `clusters: not read for ${intervalSeconds === 15 ? '3 min' : '21 min'}`,
  ]);
});

it('does not find again what a machine did before it was stopped and started, until it is measured again', () => {
  const START = Date.UTC(2026, 10, 20, 8);
  const store = createStore();
  const activity = new LearntActivity(undefined);
  const flavor = {name: safeText('n3-L40x1'), cpuCount: 10, ramGb: 100, gpuCount: 1};
  const at = (minutes: number) => monotonicMs(minutes * MINUTE_MS + 1);
  const known = (minutes: number) => ({
    store,
    now: epochMs(START + minutes * MINUTE_MS),
    monotonicNow: at(minutes),
    preferences: DEFAULT_PREFERENCES,
    activity,
  });
  const found = (minutes: number) => {
    const triage = presentTriage(known(minutes));
    const {findings, unknown} = triage;
    return {
      findings: findings.filter(({subject}) => subject.type === 'vm').map(({summary}) => summary),
      unknown: unknown.flatMap(({rule, reason}) => (rule === 'saturated' ? [reason] : [])),
    };
  };
  const becomes = (minutes: number, status: MachineStatus) => {
    const machine = aVirtualMachine({id: 1, name: safeText('infer-04'), status, flavor});
    store.writeValue(machinesFeed, aListing([machine]), at(minutes));
    learnActivity(known(minutes));
  };
  /** An hour of memory up to `minutes`, in percent of all, a sample every five minutes. */
  const measured = (minutes: number, percent: number) => {
    const memory = Array.from({length: 13}, (_, index) => ({
      sampledAt: epochMs(START + minutes * MINUTE_MS - HOUR_MS + index * 5 * MINUTE_MS),
      value: percent * 1024 ** 3,
    }));
    store.writeValue(metricsFeed(virtualMachineId(1), '1d'), {memory}, at(minutes));
  };
  becomes(20, 'ACTIVE');
  measured(22, 96);
  expect(found(22)).toEqual({findings: ['memory nearly full'], unknown: []});
  becomes(23, 'SHUTOFF');
  expect(found(23).findings).not.toContain('memory nearly full');
  becomes(33, 'ACTIVE');
  const reason = 'the metrics of infer-04 are from before its last start';
  expect(found(37)).toEqual({findings: [], unknown: [reason]});
  measured(39, 34);
  expect(found(39)).toEqual({findings: [], unknown: []});
});
