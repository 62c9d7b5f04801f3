import {describe, expect, it} from 'vitest';
import {pricesWith} from '../../src/domain/money/prices.ts';
import {hourlyUsd, sumRates} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {packedSeries} from '../../src/domain/series.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {organizationFeed} from '../../src/state/account.ts';
import {deletedUsageFeed, usageFeed} from '../../src/state/billing.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {eventsFeed, machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {learnActivity, presentTriage} from '../../src/state/triage.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {presentWaste} from '../../src/state/waste.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from './a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const FLAVOR = {name: safeText('n3-H100x1'), cpuCount: 28, gpuCount: 1, gpuModel: safeText('H100'), ramGb: 100};

/** Counters that do not grow for this long, a sample every five minutes. */
function stillFor(lengthMs: number) {
  const flat = Array.from({length: Math.round(lengthMs / (5 * MINUTE_MS)) + 1}, (_, index) => ({
    sampledAt: epochMs(NOW - lengthMs + index * 5 * MINUTE_MS),
    value: 1e12,
  }));
  return {cpu: packedSeries(flat), networkOut: packedSeries(flat)};
}

/**
 * A stopped machine at $2, an idle one at $3, a busy one at $5, an unattached volume at $0.10, and $7 for
 * one not listed.
 */
function openStore(): WritableStore {
  const store = createStore();
  const machine = (id: number, fields = {}) =>
    aVirtualMachine({id, name: safeText(`vm-${id}`), flavor: FLAVOR, createdAt: epochMs(NOW - 40 * DAY_MS), ...fields});
  const list = <T>(records: readonly T[]) => ({records, quarantined: []});
  const machines = [machine(1, {status: 'SHUTOFF'}), machine(2), machine(3)];
  const volume = {
    id: volumeId(8),
    name: safeText('scratch'),
    status: 'AVAILABLE' as const,
    statusText: safeText('available'),
    sizeGb: 1000,
    attachments: [],
    createdAt: epochMs(NOW - 30 * DAY_MS),
  };
  const metered = (id: number, perHour: string, resourceType = 'vm') => ({
    ...aUsageRecord(id, perHour),
    resourceType: safeText(resourceType),
    createdAt: epochMs(NOW - 40 * DAY_MS),
  });
  const usage = [metered(1, '2'), metered(2, '3'), metered(3, '5'), metered(4, '7'), metered(8, '0.1', 'volume')];
  store.writeValue(machinesFeed, list(machines), monotonicMs(1));
  store.writeValue(volumesFeed, list([volume]), monotonicMs(1));
  store.writeValue(usageFeed, list(usage), monotonicMs(1));
  store.writeValue(deletedUsageFeed, list([]), monotonicMs(1));
  const stopped = {
    occurredAt: epochMs(NOW - 3 * HOUR_MS),
    reason: safeText('InstanceStopSuccess'),
    message: safeText('Instance was stopped.'),
  };
  const [off, idle] = machines;
  if (off === undefined || idle === undefined) throw new Error('no machines');
  store.writeValue(eventsFeed(off.id), list([stopped]), monotonicMs(1));
  store.writeValue(metricsFeed(idle.id, '15d'), stillFor(14 * DAY_MS), monotonicMs(1));
  return store;
}

const WASTE_RULES: readonly string[] = ['stopped-but-billed', 'idle', 'unattached-volume', 'ghost-spend'];

function told(store: WritableStore, preferences = DEFAULT_PREFERENCES, activity = new LearntActivity(undefined)) {
  const moment = {store, now: NOW, monotonicNow: monotonicMs(2), preferences, activity};
  learnActivity(moment);
  const waste = presentWaste(moment)?.waste ?? [];
  const {findings} = presentTriage(moment);
  const perHour = (rates: Parameters<typeof sumRates>[0]) => hourlyUsd(sumRates(rates)).toFixed(4);
  const ofTriage = findings.filter(({rule}) => WASTE_RULES.includes(rule));
  return {
    waste: waste.map(({resourceType, resourceId}) => `${resourceType} ${resourceId}`).sort(),
    triage: ofTriage.map(({subject}) => `${subject.type} ${subject.id}`).sort(),
    wastePerHour: perHour(waste.flatMap(({rate}) => rate ?? [])),
    triagePerHour: perHour(ofTriage.flatMap(({rate}) => rate ?? [])),
  };
}

describe('waste', () => {
  it('equals what triage finds, resource by resource and to the cent', () => {
    const all = ['vm 1', 'vm 2', 'vm 4', 'volume 8'];
    expect(told(openStore())).toEqual({
      waste: all,
      triage: all,
      wastePerHour: '12.1000',
      triagePerHour: '12.1000',
    });
  });

  it('still includes an idle machine after reading only the last hour: the two weeks before are remembered', () => {
    const [store, activity] = [openStore(), new LearntActivity(undefined)];
    told(store, DEFAULT_PREFERENCES, activity);
    store.writeValue(metricsFeed(aVirtualMachine({id: 2}).id, '1h'), stillFor(HOUR_MS), monotonicMs(2));
    const {waste, triage} = told(store, DEFAULT_PREFERENCES, activity);
    expect([waste, triage]).toEqual([
      ['vm 1', 'vm 2', 'vm 4', 'volume 8'],
      ['vm 1', 'vm 2', 'vm 4', 'volume 8'],
    ]);
  });

  it('is judged again when the settings change, within the same minute and without a reading', () => {
    const store = openStore();
    const moment = {store, now: NOW, monotonicNow: monotonicMs(2)};
    const kinds = (preferences: typeof DEFAULT_PREFERENCES) =>
      presentWaste({...moment, preferences})?.waste.map(({kind}) => kind);
    expect(kinds(DEFAULT_PREFERENCES)).toContain('stopped-but-billed');
    const prices = pricesWith({perHourByFlavor: {}, billingByState: {SHUTOFF: 'storage'}});
    expect(kinds({...DEFAULT_PREFERENCES, prices})).not.toContain('stopped-but-billed');
    // The machine is known to have been still for two weeks, but not for a month.
    const idle = {idleMs: 30 * DAY_MS, quietMs: DAY_MS};
    expect(kinds({...DEFAULT_PREFERENCES, idle})).not.toContain('idle');
  });

  it.each([
    ['nine minutes ago, although its last events show an older stop', 9, ['vm 2', 'vm 4', 'volume 8']],
    ['ten minutes ago', 10, ['vm 1', 'vm 2', 'vm 4', 'volume 8']],
  ])('includes a stopped machine at once, but triage only ten minutes after it was last seen running: %s', (_, minutes, found) => {
    const activity = new LearntActivity(undefined);
    const {id} = aVirtualMachine({id: 1});
    activity.learnStates([{id, status: 'ACTIVE'}], epochMs(NOW - minutes * MINUTE_MS));
    activity.learnStates([{id, status: 'SHUTOFF'}], epochMs(NOW - 5 * MINUTE_MS));
    const {waste, triage} = told(openStore(), DEFAULT_PREFERENCES, activity);
    expect([waste, triage]).toEqual([['vm 1', 'vm 2', 'vm 4', 'volume 8'], found]);
  });

  it.each([
    [5, 'this organization', ['vm 2', 'vm 4', 'volume 8']],
    [6, 'another organization', ['vm 1', 'vm 2', 'vm 4', 'volume 8']],
  ])('leaves out a machine that organization %i keeps only if it is our own: %s', (organizationId, _, expected) => {
    const store = openStore();
    store.writeValue(organizationFeed, {id: 5, name: safeText('acme'), users: []}, monotonicMs(1));
    const keep = [{resourceType: 'vm' as const, resourceId: 1, until: epochMs(NOW + DAY_MS), organizationId}];
    const {waste, triage} = told(store, {...DEFAULT_PREFERENCES, keep});
    expect([waste, triage]).toEqual([expected, expected]);
  });
});
