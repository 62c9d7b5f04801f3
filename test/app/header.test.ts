import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {type Connection, headerLine} from '../../src/app/header.ts';
import type {WriteMode} from '../../src/app/writes.ts';
import type {UsageRecord} from '../../src/domain/billing.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {parseDecimal, ratePerMinute} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, monotonicMs} from '../../src/domain/time.ts';
import type {VirtualMachine} from '../../src/domain/virtual-machine.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {organizationFeed} from '../../src/state/account.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {A_FLAVOR} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {aConnection, aScene, OPEN_MODE} from './a-scene.ts';

const failure: Failure = {kind: 'cut', detail: safeText('reset')};
const READ_AT = 96_000;

function aStore({organization = 'Acme GPU'}: {organization?: string} = {}) {
  const store = createStore();
  const at = monotonicMs(READ_AT);
  const machines = [
    aVirtualMachine({id: 1, regionName: safeText('NORWAY-1')}),
    aVirtualMachine({id: 2, regionName: safeText('CANADA-1')}),
  ];
  store.writeValue(organizationFeed, {id: 1, name: safeText(organization), users: []}, at);
  store.writeValue(machinesFeed, aListing(machines), at);
  store.writeValue(usageFeed, {records: [aUsage(1, '0.05'), aUsage(2, '0.025')], quarantined: []}, at);
  return store;
}

function aUsage(id: number, dollarsPerMinute: string | undefined): UsageRecord {
  const dollars = dollarsPerMinute === undefined ? undefined : parseDecimal(dollarsPerMinute);
  return {
    resourceId: id,
    resourceType: safeText('vm'),
    name: safeText(`gpu-${id}`),
    isActive: true,
    isExcludedFromBilling: false,
    ...(dollars === undefined ? {} : {rate: ratePerMinute(dollars)}),
  };
}

function textAt(
  width: number,
  scene: Partial<Scene> = {},
  connection: Partial<Connection> = {},
  mode: WriteMode = OPEN_MODE,
): string {
  return textOf(headerLine(aScene({store: aStore(), ...scene}), aConnection(connection), mode, width));
}

describe('headerLine', () => {
  it('says how many machines have changed state since they were metered', () => {
    const store = aStore();
    // Hibernated machines cost next to nothing; three dollars an hour were metered before.
    const hibernated = aVirtualMachine({id: 1, status: 'HIBERNATED', flavor: A_FLAVOR});
    store.writeValue(machinesFeed, aListing([hibernated, aVirtualMachine({id: 2})]), monotonicMs(READ_AT));
    expect(textAt(160, {store})).toContain('$4.50/h 1 changing state');
    expect(textAt(160)).not.toContain('changing');
  });

  it('says how many machines are free only while they change state, so that a lower burn rate is not taken for good', () => {
    const store = aStore();
    store.writeValue(usageFeed, {records: [aUsage(1, '0'), aUsage(2, '0.025')], quarantined: []}, monotonicMs(READ_AT));
    const textIn = (status: VirtualMachine['status']) => {
      store.writeValue(
        machinesFeed,
        aListing([aVirtualMachine({id: 1, status, flavor: A_FLAVOR})]),
        monotonicMs(READ_AT),
      );
      return textAt(160, {store});
    };
    expect(textIn('REBOOTING')).toContain('$1.50/h 1 changing state');
    // A machine in ERROR stays free of charge.
    expect(textIn('ERROR')).not.toContain('changing');
  });

  it('shows account, regions, burn rate, requests, latency, the age of the data and the time', () => {
    const text = textAt(160);
    // 0.075 dollars a minute are 4.50 an hour.
    for (const part of [
      'skydeck',
      'Acme GPU',
      'CANADA-1+NORWAY-1',
      '$4.50',
      'req 14/100',
      '87ms',
      'data 4s',
      '20:58',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('says at any width when reading resumes, while the machines wait for the request budget', () => {
    const wait = (waitMs: number): Partial<Scene> => ({
      budgetWait: ({key}) => (key === machinesFeed.key ? waitMs : 0),
    });
    const used = {usedLastMinute: () => 80};
    expect(textAt(160, wait(39_400), used)).toContain('req 80/100, resume in 40s');
    expect(textAt(80, wait(39_400), used)).toContain('resume in 40s');
    const store = aStore();
    const flavor = A_FLAVOR;
    store.writeValue(
      machinesFeed,
      aListing([aVirtualMachine({id: 1, status: 'REBOOTING', flavor})]),
      monotonicMs(READ_AT),
    );
    const narrow = (width: number) => textAt(width, {...wait(39_400), store}, {...used, isSimulated: true});
    expect(narrow(81)).toMatch(/SIMULATED .* reads resume in 40s {2}data 4s {2}20:58Z $/);
    // With one cell less it says less rather than nothing.
    expect(narrow(80)).toMatch(/SIMULATED .* {2}resume in 40s {2}data 4s {2}20:58Z $/);
    // One request leaves the minute after the other: that is no pause.
    expect(textAt(160, wait(900), used)).not.toContain('resume');
    expect(textAt(160, wait(0), used)).not.toContain('resume');
  });

  it('says unknown when nothing was read, never zero', () => {
    const text = textAt(160, {store: createStore()}, {latencyMs: () => undefined});
    for (const part of ['account unknown', 'region unknown', 'burn unknown', 'link …', 'data –']) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('$0');
  });

  it('does not cut the words for an unknown account in the middle', () => {
    const health = {status: 'down', failure, since: monotonicMs(0), retryAt: monotonicMs(9), attemptCount: 1} as const;
    for (let width = 40; width <= 120; width += 1) {
      expect(textAt(width, {store: createStore(), health: {...health, goodAnswerCount: 0}})).not.toMatch(/account…/);
    }
  });

  it('shows no green sign while a request has waited longer than answers usually take', () => {
    const at = (waitedMs: number, latencyMs = 80) => {
      const waitingSince = () => monotonicMs(READ_AT - waitedMs);
      return textAt(
        160,
        {store: aStore(), monotonicNow: monotonicMs(READ_AT)},
        {latencyMs: () => latencyMs, waitingSince},
      );
    };
    expect(at(2999)).toContain('80ms ●');
    expect(at(3000)).toContain('no answer 3s');
    expect(at(3000)).not.toContain('●');
    expect(at(4000, 2000)).toContain('2000ms ●');
    expect(at(6000, 2000)).toContain('no answer 6s');
  });

  it('says how old the burn rate is once it is half a minute old, since lists are read more often', () => {
    // Both were read at first, the machines again four seconds ago.
    const textFrom = (ageMs: number) => {
      const [store, now] = [aStore(), READ_AT + ageMs];
      store.writeValue(machinesFeed, aListing([aVirtualMachine({id: 1})]), monotonicMs(now - 4000));
      return textAt(160, {store, monotonicNow: monotonicMs(now)});
    };
    expect(textFrom(29_000)).toContain('$4.50/h  ');
    expect(textFrom(30_000)).toContain('$4.50/h 30s old  ');
    expect(textFrom(95_000)).toContain('$4.50/h 1m old  ');
    expect(textFrom(95_000)).toContain('data 4s');
  });

  it('shows how many have no price beside the sum of the others', () => {
    const store = aStore();
    store.writeValue(
      usageFeed,
      {records: [aUsage(1, '0.05'), aUsage(2, undefined)], quarantined: []},
      monotonicMs(READ_AT + 1),
    );
    expect(textAt(160, {store})).toContain('+1 unpriced');
  });

  it('counts among them a running machine of which usage has no record', () => {
    const store = aStore();
    const records = [aUsage(1, '0.05')];
    store.writeValue(usageFeed, {records, quarantined: []}, monotonicMs(READ_AT + 1));
    expect(textAt(160, {store})).toContain('$3.00/h +1 unpriced');
  });

  it('calls the burn rate unknown, not $0.00, when nothing that is billed has a rate', () => {
    const store = aStore();
    store.writeValue(
      usageFeed,
      {records: [aUsage(1, undefined), aUsage(2, undefined)], quarantined: []},
      monotonicMs(READ_AT + 1),
    );
    expect(textAt(160, {store})).toContain('burn unknown +2 unpriced');
    expect(textAt(160, {store})).not.toContain('$0.00/h');
  });

  it.each<[string, Scene['health'], string]>([
    [
      'down',
      {
        status: 'down',
        failure,
        since: monotonicMs(40_000),
        retryAt: monotonicMs(110_000),
        attemptCount: 3,
        goodAnswerCount: 0,
      },
      'link down 1m  next try in 10s',
    ],
    [
      'failing, though it answers, and for as long as nothing good came',
      {
        status: 'down',
        failure: {kind: 'service-error', httpStatus: 503, message: safeText('Service Unavailable')},
        // A minute before the present moment, 100 s; it was judged down half a minute later.
        failingSince: monotonicMs(40_000),
        since: monotonicMs(70_000),
        retryAt: monotonicMs(110_000),
        attemptCount: 3,
        goodAnswerCount: 0,
      },
      'service failing 1m  next try in 10s',
    ],
    [
      'rate-limited',
      {status: 'rate-limited', since: monotonicMs(90_000), retryAt: monotonicMs(130_400)},
      '429, resume in 31s',
    ],
    ['not authorised', {status: 'not-authorised', failure, since: monotonicMs(90_000)}, 'not authorised'],
  ])('says that the service is %s', (_name, health, expected) => {
    expect(textAt(160, {health})).toContain(expected);
    expect(textAt(160, {health})).not.toContain('87ms');
  });

  it('says at 80 columns when an unreachable service is tried next', () => {
    const store = aStore({organization: 'Northern Compute'});
    const records = [aUsage(1, '2'), aUsage(2, '0.025')];
    store.writeValue(usageFeed, {records, quarantined: []}, monotonicMs(READ_AT));
    const health: Scene['health'] = {
      status: 'down',
      failure,
      since: monotonicMs(READ_AT),
      retryAt: monotonicMs(READ_AT + 110_000),
      attemptCount: 3,
      goodAnswerCount: 0,
    };
    const scene = {store, health, monotonicNow: monotonicMs(READ_AT + 65_000)};
    expect(textAt(80, scene)).toMatch(/\$121\.50\/h 1m old +link down 1m {2}try in 45s {2}data 1m {2}20:58Z $/);
    // With another badge, the ages say less than that.
    expect(textAt(80, scene, {}, {access: 'locked', isDryRun: false})).toMatch(/link down 1m {2}try in 45s $/);
    expect(textAt(120, scene)).toMatch(/link down 1m {2}next try in 45s {2}data 1m {2}20:58:12Z $/);
  });

  it.each<[number, boolean, string]>([
    [1.9, false, 'dim'],
    [2.1, false, 'warning'],
    [4.9, false, 'warning'],
    [5.1, false, 'danger'],
    [0.4, true, 'warning'],
  ])('shows data that is %f intervals of ten seconds old (failing: %s) in the tone %s', (intervals, isFailing, tone) => {
    const ageMs = intervals * 10_000;
    const store = aStore();
    if (isFailing) store.writeFailure(machinesFeed, failure, monotonicMs(READ_AT + 1));
    const line = headerLine(aScene({store, monotonicNow: monotonicMs(READ_AT + ageMs)}), aConnection(), OPEN_MODE, 160);
    expect(line.find(({text}) => text.startsWith('data '))?.tone).toBe(tone);
  });

  it.each([119_000, -119_000])('does not warn about a clock that is less than two minutes off: %i ms', offsetMs => {
    expect(textAt(200, {}, {clockOffsetMs: () => offsetMs})).not.toContain('clock');
  });

  it.each([
    [180_000, "this computer's clock is 3m behind"],
    [-180_000, "this computer's clock is 3m ahead"],
  ])('warns about a clock that is minutes off: %i ms', (offsetMs, expected) => {
    expect(textAt(200, {}, {clockOffsetMs: () => offsetMs})).toContain(expected);
  });

  it("says that a service's clock which cannot be right is not followed", () => {
    const [clockOffsetMs, isClockFollowed] = [() => 400 * DAY_MS, () => false];
    expect(textAt(200, {}, {clockOffsetMs, isClockFollowed})).toContain(
      "the service's clock is 400d ahead: not followed",
    );
  });

  it('drops the least important parts first, and the badges last', () => {
    const badges = [{}, {isSimulated: true}, {access: 'locked', isDryRun: true}] as const;
    expect(textAt(80, ...badges)).toMatch(/SIMULATED.*DRY RUN.*READ-ONLY/);
    expect(textAt(80, ...badges)).not.toContain('skydeck');
    expect(textAt(60)).toContain('$4.50');
    expect(textAt(24, ...badges)).toMatch(/SIMULATED|READ-ONLY/);
  });

  it('keeps the age of the data and the time at 80 columns, however much there is to say of the burn rate', () => {
    const store = aStore({organization: 'Northern Compute'});
    store.writeValue(
      usageFeed,
      {records: [aUsage(1, '2'), aUsage(2, '0.025'), aUsage(3, undefined)], quarantined: []},
      monotonicMs(READ_AT),
    );
    const machines = [1, 2].map(id => aVirtualMachine({id, status: 'HIBERNATED', flavor: A_FLAVOR}));
    store.writeValue(machinesFeed, aListing(machines), monotonicMs(READ_AT));
    const narrow = textAt(80, {store}, {isSimulated: true});
    expect(narrow).toMatch(/\$121\.50\/h \+1 unpriced 2 changing {2}data 4s {2}20:58Z $/);
    expect(textAt(160, {store}, {isSimulated: true})).toMatch(/2 changing state .*20:58:12Z $/);
  });

  it('counts down while writes are allowed in a read-only session', () => {
    const unlockedUntil = monotonicMs(100_000 + 14 * 60_000);
    const mode: WriteMode = {access: 'unlocked', unlockedUntil, isDryRun: false};
    expect(textAt(160, {monotonicNow: monotonicMs(100_000)}, {}, mode)).toContain(' WRITES 14m ');
    expect(textAt(160, {monotonicNow: monotonicMs(100_000)}, {}, mode)).not.toContain('READ-ONLY');
  });

  it('shows Prometheus with the age of its newest sample, or as away, when a profile has one', () => {
    const now = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12));
    const giving = {status: 'giving' as const, newestSampledAt: epochMs(now - 40_000)};
    expect(textAt(160, {now}, {metricsSource: () => giving})).toMatch(/ Prometheus 40s {2}req /);
    const away = {status: 'away' as const, reason: safeText('refused (503)')};
    expect(textAt(160, {now}, {metricsSource: () => away})).toContain(' Prometheus failing ');
    expect(textAt(160, {now})).not.toContain('Prometheus');
  });

  it('warns when the requests of the minute are used up', () => {
    const line = headerLine(aScene(), aConnection({usedLastMinute: () => 100}), OPEN_MODE, 160);
    expect(line.find(({text}) => text === 'req 100/100')?.tone).toBe('warning');
  });

  it('is never wider than the terminal, however little is left of it', () => {
    fc.assert(
      fc.property(fc.integer({min: 36, max: 300}), fc.boolean(), fc.boolean(), (width, isSimulated, isReadOnly) => {
        const line = headerLine(
          aScene({store: aStore()}),
          aConnection({isSimulated}),
          {access: isReadOnly ? 'locked' : 'open', isDryRun: isReadOnly},
          width,
        );
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
