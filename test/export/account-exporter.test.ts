import {describe, expect, it} from 'vitest';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {rational, ratePerHour} from '../../src/domain/money.ts';
import {type SafeText, safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics, Series} from '../../src/domain/series.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, MINUTE_MS, monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import type {Mute} from '../../src/domain/triage/mute.ts';
import {type MachineStatus, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {AccountExporter} from '../../src/export/account-exporter.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {priceBookFeed} from '../../src/state/catalogue.ts';
import {UP} from '../../src/state/poller/circuit-breaker.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import type {Want} from '../../src/state/poller/poll-schedule.ts';
import type {Session} from '../../src/state/session.ts';
import {createStore} from '../../src/state/store.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {createVirtualClock} from '../support/clock.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';

const ID = virtualMachineId(7);
const FLAVOR = {name: safeText('n1-cpu-small'), cpuCount: 4, gpuCount: 0, ramGb: 4};
const CPU = 'skydeck_machine_cpu_utilization_ratio';
const RECEIVED = 'skydeck_machine_network_receive_bytes_total';

/** A GB at a cent an hour. */
const BOOK = [{name: safeText('Cloud-SSD'), rate: ratePerHour(rational(1n, 100n))}];

/** One running machine, as it was listed at the start; the test supplies its metrics. */
function openExporter({
  mutes = [],
  mutesTrouble,
  status = 'ACTIVE',
}: {
  mutes?: readonly Mute[];
  mutesTrouble?: SafeText;
  status?: MachineStatus;
} = {}) {
  const time = createVirtualClock();
  const {clock} = time;
  const store = createStore();
  let wants: readonly Want[] = [];
  const poller: Session['poller'] = {
    want: (_, next) => {
      wants = next;
    },
    refresh: () => {},
    readNow: () => Promise.reject(new Error('Nothing is read at once.')),
    hasten: () => {},
    keepRead: store.writeValue,
    forget: feed => store.forget(feed),
    budgetWait: () => 0,
    health: () => UP,
    subscribe: () => () => {},
    stop: () => {},
  };
  const link = {
    clockOffsetMs: () => 0,
    isClockFollowed: () => true,
    followedOffsetMs: () => 0,
    settledNow: clock.wallNow,
    latencyMs: () => 1,
    waitingSince: () => undefined,
    asked: () => () => {},
    saw: () => {},
  };
  const budget = {usedLastMinute: () => 0, ceilingPerMinute: 100};
  const session = {store, poller, link, budget} as unknown as Session;
  const exporter = new AccountExporter({
    session,
    clock,
    preferences: DEFAULT_PREFERENCES,
    activity: new LearntActivity(undefined),
    mutes: {all: () => mutes, trouble: () => mutesTrouble},
    measuredLimit: 10,
    processFacts: () => ({startedAt: epochMs(0), cpuSeconds: 0, residentBytes: 0}),
  });
  const machine = aVirtualMachine({
    id: ID,
    status,
    flavor: FLAVOR,
    createdAt: epochMs(clock.wallNow() - 40 * DAY_MS),
  });
  const list = () => {
    store.writeValue(machinesFeed, aListing([machine]), clock.monotonicNow());
    store.writeValue(usageFeed, {records: [], quarantined: []}, clock.monotonicNow());
  };
  list();
  exporter.follow();
  return {
    store,
    pass: async (durationMs: DurationMs) => {
      await time.advance(durationMs);
      list();
      await time.advance(2 * SECOND_MS);
    },
    read: (window: '1h' | '1d' | '15d', metrics: MachineMetrics) =>
      store.writeValue(metricsFeed(ID, window), metrics, clock.monotonicNow()),
    /** A counter that grows by a million a second, with a sample every five seconds for the last `lengthMs`. */
    growing: (lengthMs: DurationMs): Series => samples(clock.wallNow(), lengthMs),
    wanted: () => wants.map(({feed: {key}}) => key),
    windows: () => wants.flatMap(({feed: {key}}) => (key.startsWith('metrics:') ? [key.split(':')[2]] : [])),
    /** Lets time pass in which no list is read. */
    passUnread: time.advance,
    labelled: (name: string, labels: Readonly<Record<string, string>>) =>
      exporter
        .scrape()
        .find(family => family.name === name)
        ?.samples.find(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
        ?.value,
    value: (name: string) => exporter.scrape().find(family => family.name === name)?.samples[0]?.value,
    findings: () =>
      exporter
        .scrape()
        .flatMap(({name, samples: own}) =>
          name === 'skydeck_finding' ? own.map(({labels}) => `${labels.rule} ${labels.subject_id}`) : [],
        ),
  };
}

function samples(now: number, lengthMs: DurationMs): Series {
  const count = lengthMs / (5 * SECOND_MS);
  return Array.from({length: count + 1}, (_, index) => ({
    sampledAt: epochMs(now - (count - index) * 5 * SECOND_MS),
    value: index * 5e6,
  }));
}

describe('AccountExporter', () => {
  it.each([
    [401, 'key-refused'],
    [403, 'not-authorised'],
  ] as const)('tells a refused key (401) from a missing permission (403): %i', (httpStatus, reason) => {
    const {store, labelled} = openExporter();
    store.writeFailure(machinesFeed, {kind: 'not-authorised', httpStatus, message: safeText('no')}, monotonicMs(5));
    expect(labelled('skydeck_reading_failed', {feed: 'machines', reason})).toBe(1);
  });

  it('repeats the last reading with its age, until it is too old', async () => {
    const {read, growing, pass, value} = openExporter();
    read('1h', {cpu: growing(10 * MINUTE_MS), networkIn: growing(10 * MINUTE_MS)});
    // A million nanoseconds a second of four processors.
    expect(value(CPU)).toBeCloseTo(1e6 / 4e9, 12);
    // Ten minutes of a million bytes a second.
    expect(value(RECEIVED)).toBe(600e6);
    await pass(4 * MINUTE_MS);
    expect(value(CPU)).toBeCloseTo(1e6 / 4e9, 12);
    expect(value('skydeck_machine_sample_age_seconds')).toBe(242);
    await pass(7 * MINUTE_MS);
    expect(value(CPU)).toBe(undefined);
  });

  it('reports a sample ahead of the clock with a negative age, which the alerting rules handle', () => {
    const {read, growing, value} = openExporter();
    const ahead = 3 * HOUR_MS;
    read('1h', {cpu: Array.from(growing(MINUTE_MS), each => ({...each, sampledAt: epochMs(each.sampledAt + ahead)}))});
    expect(value('skydeck_machine_sample_age_seconds')).toBe(-ahead / SECOND_MS);
  });

  it('reports no rate of waste for a machine that is not metered', () => {
    const {labelled} = openExporter();
    expect(labelled('cloudcost_idle_hourly_cost', {verdict: 'unmetered'})).toBe(undefined);
    // There is no kept address, which is known to cost nothing.
    expect(labelled('cloudcost_idle_hourly_cost', {verdict: 'kept-address'})).toBe(0);
  });

  it('reports no rate for a kind of waste that cannot be told yet, rather than zero', () => {
    const {store, labelled, value} = openExporter();
    const ofKind = (verdict: string) => labelled('cloudcost_idle_hourly_cost', {verdict});
    // Neither volumes nor activity were read: with both, the two would be known.
    expect(['unattached-volume', 'idle', 'ghost', 'stopped-but-billed'].map(ofKind)).toEqual([
      undefined,
      undefined,
      undefined,
      0,
    ]);
    store.writeValue(volumesFeed, {records: [], quarantined: []}, monotonicMs(1));
    expect(['unattached-volume', 'idle', 'ghost'].map(ofKind)).toEqual([0, undefined, 0]);
    // What is known was zero all the time.
    expect(value('cloudcost_idle_wasted_dollars_total')).toBe(0);
  });

  it('prices waste that is not metered by the price list of the account, which it reads', () => {
    const {store, labelled, wanted} = openExporter();
    const status = {status: 'AVAILABLE', statusText: safeText('available')} as const;
    const volume = {id: volumeId(8), name: safeText('scratch'), ...status, attachments: []};
    const records = [{...volume, sizeGb: 100, createdAt: epochMs(0)}];
    store.writeValue(volumesFeed, {records, quarantined: []}, monotonicMs(1));
    store.writeValue(priceBookFeed, {records: BOOK, quarantined: []}, monotonicMs(1));
    // 100 GB at a cent.
    expect(labelled('cloudcost_idle_hourly_cost', {verdict: 'unattached-volume'})).toBe(1);
    expect(wanted()).toContain(priceBookFeed.key);
  });

  it('reports which list was read too long ago to be repeated', async () => {
    const {passUnread, pass, labelled, value} = openExporter();
    const isTooOld = () => labelled('skydeck_reading_too_old', {feed: 'machines'});
    await passUnread(5 * MINUTE_MS);
    expect([isTooOld(), value('skydeck_machines')]).toEqual([0, 1]);
    await passUnread(1);
    expect([isTooOld(), value('skydeck_machines')]).toEqual([1, undefined]);
    expect(labelled('skydeck_reading_too_old', {feed: 'volumes'})).toBe(undefined);
    await pass(0);
    expect([isTooOld(), value('skydeck_machines')]).toEqual([0, 1]);
  });

  it('reads a day of a machine first, then the last hour every five minutes', async () => {
    const {read, growing, pass, windows} = openExporter();
    await pass(SECOND_MS);
    expect(windows()).toEqual(['1d']);
    read('1d', {cpu: growing(DAY_MS), networkOut: growing(DAY_MS)});
    await pass(SECOND_MS);
    expect(windows()).toEqual([]);
    await pass(5 * MINUTE_MS);
    expect(windows()).toEqual(['1h']);
  });

  it('reads two weeks of a quiet machine once, and forgets them after they are evaluated', async () => {
    const {read, pass, windows, store} = openExporter();
    const still = (lengthMs: DurationMs): MachineMetrics => {
      const flat = flatSamples(lengthMs);
      return {cpu: flat, networkOut: flat, diskRead: flat, diskWrite: flat};
    };
    const flatSamples = (lengthMs: DurationMs): Series => {
      const count = lengthMs / (5 * MINUTE_MS);
      return Array.from({length: count + 1}, (_, index) => ({
        sampledAt: epochMs(START + clockMs - (count - index) * 5 * MINUTE_MS),
        value: 0,
      }));
    };
    const START = createVirtualClock().clock.wallNow();
    let clockMs = 0;
    read('1d', still(DAY_MS));
    await pass(SECOND_MS);
    expect(windows()).toEqual(['15d']);
    clockMs = 3 * SECOND_MS;
    read('15d', still(15 * DAY_MS));
    await pass(SECOND_MS);
    expect(windows()).toEqual([]);
    await pass(5 * MINUTE_MS);
    expect(windows()).toEqual(['1h']);
    clockMs = 5 * MINUTE_MS;
    read('1h', still(HOUR_MS));
    await pass(SECOND_MS);
    expect(store.get(metricsFeed(ID, '15d')).status).toBe('waiting');
    expect(windows()).toEqual([]);
  });

  it('counts muted findings separately', () => {
    const mute: Mute = {kind: 'acknowledged', finding: 'machine-in-error vm 7', severity: 'warning', at: epochMs(0)};
    expect(openExporter({status: 'ERROR'}).findings()).toContain('machine-in-error 7');
    const muted = openExporter({status: 'ERROR', mutes: [mute]});
    expect(muted.findings()).not.toContain('machine-in-error 7');
    expect(muted.value('skydeck_muted_findings')).toBe(1);
    expect(muted.value('skydeck_mutes_unreadable')).toBe(0);
  });

  it('says when muted findings count again because what was muted cannot be read', () => {
    const {value, findings} = openExporter({status: 'ERROR', mutesTrouble: safeText('not in our format')});
    expect(findings()).toContain('machine-in-error 7');
    expect(value('skydeck_mutes_unreadable')).toBe(1);
  });
});
