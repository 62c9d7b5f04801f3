import {assert, describe, expect, it, test} from 'vitest';
import {type Cluster, clusterId} from '../../src/domain/cluster.ts';
import {type Contract, discountTerms, expirationPolicy} from '../../src/domain/contract.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import type {Runway} from '../../src/domain/cost.ts';
import {burnAnomaly, burnIncident} from '../../src/domain/money/anomaly.ts';
import {pricesWith} from '../../src/domain/money/prices.ts';
import {spendCurve} from '../../src/domain/money/spend-curve.ts';
import {hourlyUsd, ratePerHour, rational, usd} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics, Series} from '../../src/domain/series.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {findingKey, type Mute} from '../../src/domain/triage/mute.ts';
import {type Finding, type KnownAccount, unreadAccount} from '../../src/domain/triage/finding.ts';
import {TRIAGE_RULES} from '../../src/domain/triage/rules.ts';
import {
  alikeFindings,
  commandForAll,
  costOfAll,
  memberNames,
  triage,
  unjudgedCount,
  unjudgedWords,
} from '../../src/domain/triage/triage.ts';
import {
  isTransitional,
  MACHINE_STATUSES,
  type MachineStatus,
  type SecurityRule,
  type VirtualMachine,
  virtualMachineId,
} from '../../src/domain/virtual-machine.ts';
import {type Volume, volumeId} from '../../src/domain/volume.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {aRecord} from './money/a-usage-record.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const dollarsPerHour = (dollars: bigint) => ratePerHour(rational(dollars, 1n));

function account(known: Partial<KnownAccount>): KnownAccount {
  return {...unreadAccount(NOW, DEFAULT_PREFERENCES), ...known};
}

function aRunway(rest: Partial<Runway>): Runway {
  const known = {isEndless: false, isAtMost: false, hasUnpriced: false, changingCount: 0, unmeteredCount: 0};
  return {leftMs: undefined, ...known, ...rest};
}

function found(known: Partial<KnownAccount>): readonly string[] {
  return triage(account(known)).findings.map(
    ({severity, summary, subject}) => `${severity}: ${summary} @ ${subject.name}`,
  );
}

function aMachine(status: MachineStatus, rest: Partial<Omit<VirtualMachine, 'id'>> = {}): VirtualMachine {
  return aVirtualMachine({id: 7, name: safeText('gpu-7'), status, ...rest});
}

function aCluster(rest: Partial<Cluster>): Cluster {
  return {
    id: clusterId(31),
    name: safeText('k8s'),
    status: 'ACTIVE',
    statusText: safeText(rest.status ?? 'ACTIVE'),
    nodeGroups: [],
    nodes: [],
    hasKubeConfig: false,
    ...rest,
  };
}

function aContract(days: number | undefined, rest: Partial<Contract> = {}): Contract {
  return {
    id: 12,
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    expirationPolicy: expirationPolicy(0),
    discounts: [],
    ...(days === undefined ? {} : {endsAt: epochMs(NOW + days * DAY_MS)}),
    ...rest,
  };
}

function aFirewall(rest: Partial<Firewall>): Firewall {
  const machineName = safeText('gpu-7');
  return {
    id: firewallId(5),
    name: safeText('edge'),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    rules: [],
    attachments: [{machineId: aMachine('ACTIVE').id, machineName}],
    ...rest,
  };
}

function aRule(rest: Partial<SecurityRule> = {}): SecurityRule {
  return {
    id: 501,
    direction: safeText('ingress'),
    protocol: safeText('tcp'),
    etherType: safeText('IPv4'),
    remoteIpPrefix: safeText('0.0.0.0/0'),
    portRangeMin: 22,
    portRangeMax: 22,
    status: safeText('SUCCESS'),
    ...rest,
  };
}

function eventsAgo(...agesMs: readonly number[]): KnownAccount['eventsOf'] {
  return () => agesMs.map(ageMs => eventAgo(ageMs, 'a reason'));
}

function eventAgo(ageMs: number, reason: string) {
  const message = safeText('the whole cause, however long it is');
  return {occurredAt: epochMs(NOW - ageMs), reason: safeText(reason), message};
}

/** It was stopped `ageMs` ago, and something else happened to it in the last minute. */
function stoppedAgo(ageMs: number): KnownAccount['eventsOf'] {
  return () => [eventAgo(ageMs, 'InstanceStopSuccess'), eventAgo(MINUTE_MS, 'InstanceLabelsUpdated')];
}

/** A sample every five minutes up to now, the newest `endsAgoMs` ago. */
function series(lengthMs: number, valueAt: (agoMs: number) => number, endsAgoMs = 0, everyMs = 5 * MINUTE_MS): Series {
  const count = Math.floor(lengthMs / everyMs);
  return Array.from({length: count + 1}, (_, index) => {
    const agoMs = endsAgoMs + (count - index) * everyMs;
    return {sampledAt: epochMs(NOW - agoMs), value: valueAt(agoMs)};
  });
}

const GB = 1024 ** 3;
const FLAVOR = {name: safeText('n3-L40x1'), cpuCount: 10, ramGb: 100, gpuCount: 1};

describe('a machine', () => {
  it.each<[MachineStatus, readonly string[]]>([
    ['ACTIVE', []],
    ['HIBERNATED', []],
    ['DELETED', []],
    ['UNKNOWN', []],
    ['ERROR', ['warning: machine in ERROR @ gpu-7']],
    ['SHUTOFF', ['warning: SHUTOFF but billed in full @ gpu-7']],
    ['STARTING', []],
  ])('in %s has the findings %j', (status, expected) => {
    expect(found({machines: [aMachine(status)]})).toEqual(expected);
  });

  it.each(
    MACHINE_STATUSES.filter(isTransitional),
  )('in %s is reported after an hour, but not after a minute', status => {
    const machines = [aMachine(status)];
    expect(found({machines, eventsOf: eventsAgo(MINUTE_MS)})).toEqual([]);
    expect(found({machines, eventsOf: eventsAgo(HOUR_MS)})).toEqual([`warning: ${status} for too long @ gpu-7`]);
  });

  it.each<[MachineStatus, number]>([
    ['STOPPING', 5],
    ['HIBERNATING', 45],
    ['RESTORING', 30],
  ])('in %s is reported after more than %i minutes, not before', (status, minutes) => {
    const machines = [aMachine(status)];
    expect(found({machines, eventsOf: eventsAgo(minutes * MINUTE_MS)})).toEqual([]);
    expect(found({machines, eventsOf: eventsAgo(minutes * MINUTE_MS + 1)})).toEqual([
      `warning: ${status} for too long @ gpu-7`,
    ]);
  });

  it('is judged by its newest event, whatever the order of the events', () => {
    const machines = [aMachine('STOPPING')];
    for (const eventsOf of [eventsAgo(MINUTE_MS, DAY_MS), eventsAgo(DAY_MS, MINUTE_MS)]) {
      expect(found({machines, eventsOf})).toEqual([]);
    }
  });

  it('is not judged by a history that was read before the change began', () => {
    const machines = [aMachine('HIBERNATING')];
    const before = [
      eventAgo(DAY_MS + MINUTE_MS, 'InstanceCreationRequest'),
      eventAgo(DAY_MS, 'InstanceCreationSuccess'),
    ];
    const {findings, unknown} = triage(account({machines, eventsOf: () => before}));
    expect(findings).toEqual([]);
    expect(unknown).toContainEqual({rule: 'stuck-transition', reason: 'the events of gpu-7 were not read'});
    const asked = eventAgo(MINUTE_MS, 'HibernateInstanceRequest');
    const after = triage(account({machines, eventsOf: () => [...before, asked]}));
    expect(after.findings).toEqual([]);
    expect(after.unknown.map(({rule}) => rule)).not.toContain('stuck-transition');
  });

  it('is late by the time of the request for the change, whatever other events came later', () => {
    const machines = [aMachine('HIBERNATING')];
    const asked = eventAgo(HOUR_MS, 'HibernateInstanceRequest');
    const aside = ['DetachFloatingIPToInstanceRequest', 'DetachFloatingIPToInstanceSuccess', 'InstanceLabelsUpdated'];
    const events = [asked, ...aside.map(reason => eventAgo(MINUTE_MS, reason))];
    expect(found({machines, eventsOf: () => events})).toEqual(['warning: HIBERNATING for too long @ gpu-7']);
  });

  it('in CREATING is judged by its creation time while no event is read; another change cannot be judged', () => {
    const createdAt = epochMs(NOW - HOUR_MS);
    expect(found({machines: [aMachine('CREATING', {createdAt})]})).toEqual(['warning: CREATING for too long @ gpu-7']);
    const {findings, unknown} = triage(account({machines: [aMachine('STOPPING', {createdAt})]}));
    expect(findings).toEqual([]);
    expect(unknown).toContainEqual({rule: 'stuck-transition', reason: 'the events of gpu-7 were not read'});
  });

  it('in DELETING is not late because of a creation that never ended, nor when it was in another state moments ago', () => {
    const machines = [aMachine('DELETING')];
    const created = eventAgo(79 * MINUTE_MS, 'InstanceCreationRequest');
    expect(found({machines, eventsOf: () => [created]})).toEqual([]);
    // Its deletion was asked for an hour ago and refused; three seconds ago it was ACTIVE.
    const asked = eventAgo(HOUR_MS, 'InstanceDeletionRequest');
    const seen = {changedAfter: () => epochMs(NOW - 3000)};
    expect(found({machines, eventsOf: () => [created, asked]})).toEqual(['warning: DELETING for too long @ gpu-7']);
    expect(found({machines, eventsOf: () => [created, asked], ...seen})).toEqual([]);
  });

  it('in ERROR names no cause when its last event is a success', () => {
    const machines = [aMachine('ERROR')];
    const [finding] = triage(
      account({machines, eventsOf: () => [eventAgo(DAY_MS, 'InstanceCreationSuccess')]}),
    ).findings;
    expect(finding?.since).toBeUndefined();
    expect(finding?.evidence).toEqual(['its state is ERROR']);
  });

  // Each event an hour after the one before, the last one an hour ago.
  it.each<[string, readonly string[], string | undefined, number | undefined]>([
    [
      'a failure, whatever came after it',
      ['HibernateInstanceFailed', 'AttachVolumeToInstanceSuccess'],
      'last failure: HibernateInstanceFailed',
      2,
    ],
    [
      'a failure before a change that says neither',
      ['InstanceDeleteFailed', 'InstanceLabelsUpdated'],
      'last failure: InstanceDeleteFailed',
      2,
    ],
    [
      'the newest of two failures',
      ['HibernateInstanceFailed', 'InstanceDeleteFailed', 'Audit'],
      'last failure: InstanceDeleteFailed',
      2,
    ],
    [
      'no failure of a console',
      ['HibernateInstanceFailed', 'GenerateVNCConsoleFailed'],
      'last failure: HibernateInstanceFailed',
      2,
    ],
    ['no failure before it worked again', ['HibernateInstanceFailed', 'InstanceStartSuccess'], undefined, undefined],
    ['no success with such a name', ['HibernateInstanceFailed', 'FailoverSuccess'], undefined, undefined],
    ['no console at all', ['InstanceStartSuccess', 'GenerateVNCConsoleFailed'], undefined, undefined],
    [
      'nothing else about it, such as a volume',
      ['AttachVolumeToInstanceFailed', 'VolumeDeleteFailed'],
      undefined,
      undefined,
    ],
    [
      'a failure before a snapshot of it, which is no change of its state',
      ['HibernateInstanceFailed', 'SnapshotCreateSuccess'],
      'last failure: HibernateInstanceFailed',
      2,
    ],
    [
      'what failed of a restoration, not of an address after it',
      ['RestoreHibernationInstanceFailed', 'AttachFloatingIPToInstanceFailed'],
      'last failure: RestoreHibernationInstanceFailed',
      2,
    ],
    [
      'a resize that failed',
      ['InstanceResizeFailed', 'AttachSecurityRuleToInstanceSuccess'],
      'last failure: InstanceResizeFailed',
      2,
    ],
    [
      'the last event where none is a failure',
      ['InstanceStartSuccess', 'HostMaintenance'],
      'last event: HostMaintenance',
      1,
    ],
  ])('in ERROR gives as its reason %s', (_, reasons, expected, hours) => {
    const events = reasons.map((reason, index) => eventAgo((reasons.length - index) * HOUR_MS, reason));
    const [finding] = triage(account({machines: [aMachine('ERROR')], eventsOf: () => events})).findings;
    const cause = 'the whole cause, however long it is';
    expect(finding?.evidence.slice(1)).toEqual(expected === undefined ? [] : [`${expected}: ${cause}`]);
    expect(finding?.since).toBe(hours === undefined ? undefined : NOW - hours * HOUR_MS);
  });

  it('in ERROR gives the message of an event whose type is an error', () => {
    const event = {...eventAgo(2 * HOUR_MS, 'HostLost'), type: safeText('error')};
    const events = [event, eventAgo(HOUR_MS, 'AttachVolumeToInstanceSuccess')];
    const [finding] = triage(account({machines: [aMachine('ERROR')], eventsOf: () => events})).findings;
    expect(finding?.evidence).toContain('last failure: HostLost: the whole cause, however long it is');
  });

  it('in ERROR gives the whole message of its last event', () => {
    const [finding] = triage(account({machines: [aMachine('ERROR')], eventsOf: eventsAgo(HOUR_MS)})).findings;
    expect(finding?.since).toBe(NOW - HOUR_MS);
    expect(finding?.evidence).toContain('last event: a reason: the whole cause, however long it is');
  });

  it.each<[MachineStatus, string, readonly string[]]>([
    ['ACTIVE', 'RUNNING', []],
    ['ACTIVE', 'NOSTATE', []],
    ['ACTIVE', 'SHUTDOWN', ['warning: power state differs from state @ gpu-7']],
    ['STOPPING', 'RUNNING', []],
    ['HIBERNATED', 'SHUTDOWN', []],
  ])('in %s with power state %s has the findings %j', (status, powerState, expected) => {
    const machines = [aMachine(status, {powerState: safeText(powerState)})];
    expect(found({machines, eventsOf: eventsAgo(MINUTE_MS)})).toEqual(expected);
  });

  it('that is a node of a cluster is not reported for being SHUTOFF, as the cluster manages its power', () => {
    expect(found({machines: [aMachine('SHUTOFF', {clusterId: 31})]})).toEqual([]);
  });

  it('that is SHUTOFF is not reported while it is excluded from billing', () => {
    const usage = [aRecord({resourceId: 7, isExcludedFromBilling: true})];
    expect(found({machines: [aMachine('SHUTOFF')], usage, rates: new Map()})).toEqual([]);
  });

  it('that is SHUTOFF is reported with its rate, since when, and the command', () => {
    const rate = dollarsPerHour(3n);
    const [finding] = triage(
      account({machines: [aMachine('SHUTOFF')], rates: new Map([[7, rate]]), eventsOf: stoppedAgo(90 * MINUTE_MS)}),
    ).findings;
    expect(finding).toMatchObject({
      rate,
      since: NOW - 90 * MINUTE_MS,
      evidence: ['SHUTOFF for 1 h 30 min and metered at $3.00/h'],
      commands: ['skydeck vm start 7 --wait && skydeck vm hibernate 7 --retain-ip'],
    });
  });

  it.each([
    ['is marked so', {name: safeText('n3-L40x1-no-hib'), hasNoHibernation: true}],
    ['has no GPU, whatever its flag says', {name: safeText('n1-cpu-small'), gpuCount: 0, hasNoHibernation: false}],
  ])('that is SHUTOFF is not started for a hibernation that its flavor does not have, as it %s', (_why, flavor) => {
    const [finding] = triage(
      account({machines: [aMachine('SHUTOFF', {flavor})], eventsOf: stoppedAgo(90 * MINUTE_MS)}),
    ).findings;
    expect(finding).toMatchObject({
      advice: 'Its flavor cannot hibernate: delete it if it is not needed.',
      fixes: [{kind: 'vm.delete', id: 7}],
      commands: ['skydeck vm delete 7'],
    });
  });

  it('that is SHUTOFF is reported after ten minutes, not before, as it may be started again', () => {
    const machines = [aMachine('SHUTOFF')];
    expect(found({machines, eventsOf: stoppedAgo(10 * MINUTE_MS - 1)})).toEqual([]);
    expect(found({machines, eventsOf: stoppedAgo(10 * MINUTE_MS)})).toHaveLength(1);
  });

  it('that is SHUTOFF is fine when the settings say that this state is billed for storage only', () => {
    const prices = pricesWith({perHourByFlavor: {}, billingByState: {SHUTOFF: 'storage'}});
    expect(found({machines: [aMachine('SHUTOFF')], preferences: {...DEFAULT_PREFERENCES, prices}})).toEqual([]);
  });
});

describe('metrics', () => {
  const running = [aMachine('ACTIVE', {flavor: FLAVOR, createdAt: epochMs(NOW - DAY_MS)})];
  const foundIn = (metrics: MachineMetrics | undefined, machines = running) =>
    found({machines, metricsOf: () => metrics});

  it('that ended 15 minutes ago are reported, more recent ones are not', () => {
    const ended = (agoMs: number) => ({memory: series(HOUR_MS, () => GB, agoMs)});
    expect(foundIn(ended(15 * MINUTE_MS - 1))).toEqual([]);
    expect(foundIn(ended(15 * MINUTE_MS))).toEqual(['warning: no metrics while running @ gpu-7']);
  });

  it('that never came are reported, but not for a machine created 14 minutes ago', () => {
    expect(foundIn({})).toEqual(['warning: no metrics while running @ gpu-7']);
    expect(foundIn({}, [aMachine('ACTIVE', {createdAt: epochMs(NOW - 14 * MINUTE_MS)})])).toEqual([]);
  });

  it('that are dated too far in the future are reported, as nobody knows when they were measured', () => {
    const ahead = (aheadMs: number) => ({memory: series(HOUR_MS, () => GB, -aheadMs)});
    expect(foundIn(ahead(5 * MINUTE_MS))).toEqual([]);
    expect(foundIn(ahead(3 * DAY_MS))).toEqual(['warning: metrics dated in the future @ gpu-7']);
    const [finding] = triage(account({machines: running, metricsOf: () => ahead(3 * DAY_MS)})).findings;
    expect(finding).toMatchObject({evidence: ['the newest sample is 3 days ahead of the clock']});
    expect(finding).not.toHaveProperty('since');
  });

  it.each([
    ['that ended 15 minutes ago', {memory: series(HOUR_MS, () => GB, 15 * MINUTE_MS)}, 'are not current'],
    ['that never came', {}, 'are not current'],
    ['that are dated three days ahead', {memory: series(HOUR_MS, () => GB, -3 * DAY_MS)}, 'are not current'],
    ['that were not read', undefined, 'were not read'],
  ])('%s leave the rules about present figures without judgement', (_, metrics, reason) => {
    const {unknown} = triage(account({machines: running, metricsOf: () => metrics}));
    for (const rule of ['saturated', 'fallen-silent', 'memory-leak'])
      expect(unknown).toContainEqual({rule, reason: `the metrics of gpu-7 ${reason}`});
  });

  it.each([
    ['14 minutes old', DAY_MS, {memory: series(HOUR_MS, () => GB, 14 * MINUTE_MS)}],
    ['not to be expected yet from a machine that started 14 minutes ago', 14 * MINUTE_MS, {}],
  ])('%s are no reason not to judge', (_, startedAgoMs, metrics) => {
    const activeSince = () => epochMs(NOW - startedAgoMs);
    const {unknown} = triage(account({machines: running, metricsOf: () => metrics, activeSince}));
    expect(unknown.map(({rule}) => rule)).not.toContain('saturated');
  });

  it('of some machines that were not read and of others that ended are told apart', () => {
    const machines = [7, 8, 9].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), status: 'ACTIVE'}));
    const {unknown} = triage(account({machines, metricsOf: ({id}) => (id === 7 ? undefined : {})}));
    for (const reason of ['the metrics of gpu-7 were not read', 'the metrics of 2 machines are not current'])
      expect(unknown).toContainEqual({rule: 'memory-leak', reason});
  });

  describe('of many machines that fell silent', () => {
    const fleet = Array.from({length: 20}, (_, index) => aVirtualMachine({id: index + 1, status: 'ACTIVE'}));
    const rates = new Map(fleet.map(({id}) => [id, dollarsPerHour(2n)]));
    /** The first ones are silent, each for a minute longer than the one before; the others are not. */
    const silentAmong = (count: number, machines = fleet) =>
      triage(
        account({
          machines,
          rates,
          metricsOf: ({id}) => ({memory: series(2 * HOUR_MS, () => GB, id <= count ? (20 + id) * MINUTE_MS : 0)}),
        }),
      ).findings;

    it('become one about the metrics of all, if nine of ten are silent', () => {
      const findings = silentAmong(18);
      expect(findings).toHaveLength(1);
      expect(findings[0]).toMatchObject({
        rule: 'silent-metrics',
        subject: {type: 'service', name: 'metrics'},
        summary: 'no metrics from 18 of 20 machines',
        // When the last of them fell silent.
        since: NOW - 21 * MINUTE_MS,
        machineIds: fleet.slice(0, 18).map(({id}) => id),
      });
      expect(silentAmong(20)[0]?.summary).toBe('no metrics from any of 20 machines');
      // Eighteen machines at $2 an hour.
      expect(hourlyUsd(findings[0]?.rate ?? dollarsPerHour(0n))).toBe(36);
    });

    it('stay findings of their own otherwise', () => {
      expect(silentAmong(17).map(({subject}) => subject.type)).toEqual(Array.from({length: 17}, () => 'vm'));
      expect(silentAmong(4, fleet.slice(0, 4)).map(({subject}) => subject.type)).toEqual(['vm', 'vm', 'vm', 'vm']);
      expect(silentAmong(1, fleet.slice(0, 1))).toMatchObject([{subject: {type: 'vm', id: 1}}]);
    });
  });

  it('that were not read are listed as not judged', () => {
    expect(triage(account({machines: running})).unknown).toContainEqual({
      rule: 'silent-metrics',
      reason: 'the metrics of gpu-7 were not read',
    });
  });

  it('of a machine that has just started are missed 15 minutes after its start, and count as missing since its start', () => {
    const metrics = {memory: series(HOUR_MS, () => GB, 29 * MINUTE_MS)};
    const begun = (agoMs: number) => ({
      machines: running,
      metricsOf: () => metrics,
      activeSince: () => epochMs(NOW - agoMs),
    });
    expect(found(begun(14 * MINUTE_MS))).toEqual([]);
    const [finding] = triage(account(begun(16 * MINUTE_MS))).findings;
    expect(finding).toMatchObject({rule: 'silent-metrics', since: NOW - 16 * MINUTE_MS});
    const restored = () => [
      {occurredAt: epochMs(NOW - 5 * MINUTE_MS), reason: safeText('Restoring'), message: safeText('')},
    ];
    expect(found({machines: running, metricsOf: () => metrics, eventsOf: restored})).toEqual([]);
  });

  it('give the same age in words as in the moment since when, even minutes after they were read', () => {
    const readAt = epochMs(NOW - 4 * MINUTE_MS);
    const known = {
      machines: running,
      metricsOf: () => ({memory: series(HOUR_MS, () => GB, 40 * MINUTE_MS)}),
      metricsReadAt: () => readAt,
    };
    const [finding] = triage(account(known)).findings;
    expect(finding).toMatchObject({since: NOW - 40 * MINUTE_MS, evidence: ['the newest sample is 40 min old']});
  });

  it('that were not read again are judged as of their last reading, and the evidence says so', () => {
    // They were read twenty minutes ago and are complete until then: the memory was full, and nothing newer is known.
    const readAgoMs = 20 * MINUTE_MS;
    const known = {
      machines: running,
      metricsOf: () => ({memory: series(2 * HOUR_MS, () => 96 * GB, readAgoMs)}),
      metricsReadAt: () => epochMs(NOW - readAgoMs),
    };
    const {findings, unknown} = triage(account(known));
    expect(findings.map(({rule, evidence}) => [rule, evidence.at(-1)])).toEqual([['saturated', 'as of 20 min ago']]);
    expect(unknown).toContainEqual({rule: 'silent-metrics', reason: 'the metrics of gpu-7 were not read'});
  });

  describe('from before the last start of a machine', () => {
    // Stopped 14 minutes ago with memory nearly full, growing in a straight line, and started again ten minutes ago.
    const endedAgoMs = 14 * MINUTE_MS;
    const before = {
      memory: series(8 * HOUR_MS, agoMs => (96 - (20 * (agoMs - endedAgoMs)) / (8 * HOUR_MS)) * GB, endedAgoMs),
    };
    const startedAt = epochMs(NOW - 10 * MINUTE_MS);
    const seen = {activeSince: () => startedAt};
    const told = {eventsOf: () => [eventAgo(10 * MINUTE_MS, 'InstanceStartSuccess')]};
    const readAt = epochMs(NOW - 13 * MINUTE_MS);

    it.each<[string, Partial<KnownAccount>]>([
      ['seen to start', seen],
      ['seen to start, with metrics read before that', {...seen, metricsReadAt: () => readAt}],
      ['started according to its events', told],
    ])('make no finding once it was %s, and it counts as not judged', (_, known) => {
      const {findings, unknown} = triage(account({machines: running, metricsOf: () => before, ...known}));
      expect(findings).toEqual([]);
      for (const rule of ['saturated', 'fallen-silent', 'memory-leak'])
        expect(unknown).toContainEqual({rule, reason: 'the metrics of gpu-7 are from before its last start'});
    });

    it('are judged when it was not restarted', () => {
      expect(found({machines: running, metricsOf: () => before})).toEqual([
        'warning: memory full in 2 h @ gpu-7',
        'warning: memory nearly full @ gpu-7',
      ]);
      for (const reason of ['InstanceRebootFailed', 'SnapshotRestoreRequest']) {
        const eventsOf = () => [eventAgo(10 * MINUTE_MS, reason)];
        expect(found({machines: running, metricsOf: () => before, eventsOf})).toHaveLength(2);
      }
    });

    it('are told apart from those after it: a level is high, and a machine without work, only since then', () => {
      const full = {memory: series(2 * HOUR_MS, () => 96 * GB)};
      const high = (agoMs: number) =>
        triage(account({machines: running, metricsOf: () => full, activeSince: () => epochMs(NOW - agoMs)})).findings;
      expect(high(9 * MINUTE_MS)).toEqual([]);
      // The first of its samples after that start came two minutes later.
      expect(high(32 * MINUTE_MS)).toMatchObject([{rule: 'saturated', since: NOW - 30 * MINUTE_MS}]);
    });

    it('do not make it idle, by the host or by its GPUs', () => {
      const flat = {cpu: series(9 * DAY_MS, () => 1e15), networkOut: series(9 * DAY_MS, () => 1e12)};
      const idleAfter = (agoMs: number) =>
        found({
          machines: running,
          metricsOf: () => flat,
          rates: new Map([[7, dollarsPerHour(2n)]]),
          activeSince: () => epochMs(NOW - agoMs),
        });
      const {idleMs} = DEFAULT_PREFERENCES.idle;
      expect(idleAfter(HOUR_MS)).toEqual([]);
      const machines = [aMachine('ACTIVE', {flavor: FLAVOR, createdAt: epochMs(NOW - 40 * DAY_MS)})];
      const {unknown} = triage(account({machines, metricsOf: () => flat, activeSince: () => epochMs(NOW - HOUR_MS)}));
      expect(unknown.flatMap(({rule, reason}) => (rule === 'idle' ? [reason] : []))).toEqual([
        'too little was measured of gpu-7 in the last 24 h',
      ]);
      expect(idleAfter(idleMs / 2)).toEqual([]);
      expect(idleAfter(idleMs)).toEqual(['warning: idle and billed @ gpu-7']);
    });
  });

  it('of memory above 95% for ten minutes are reported, for five minutes they are not', () => {
    const at = (fullForMs: number) => ({
      memory: series(2 * HOUR_MS, agoMs => (agoMs <= fullForMs ? 96 : 40) * GB),
    });
    expect(foundIn(at(10 * MINUTE_MS))).toEqual(['warning: memory nearly full @ gpu-7']);
    expect(foundIn(at(5 * MINUTE_MS))).toEqual([]);
  });

  it('of a CPU at 98 % for two hours are reported as a notice, at 90 % they are not', () => {
    // Ten cores at 98 %: 9.8 s of CPU time a second.
    const busy = (ratio: number) => ({cpu: series(2 * HOUR_MS, agoMs => (DAY_MS - agoMs) * 1e6 * 10 * ratio)});
    expect(foundIn(busy(0.98))).toEqual(['notice: CPU at its limit @ gpu-7']);
    expect(foundIn(busy(0.9))).toEqual([]);
  });

  describe('of outbound traffic', () => {
    /** Traffic of `before` bytes a second until an hour ago and of `lately` since, measured for `lengthMs`. */
    const stream = (before: number, lately: (agoMs: number) => number, lengthMs = 12 * HOUR_MS): MachineMetrics => {
      const step = 5 * MINUTE_MS;
      let total = 0;
      const samples = Array.from({length: lengthMs / step + 1}, (_, index) => {
        const agoMs = lengthMs - index * step;
        total += ((agoMs < HOUR_MS ? lately(agoMs) : before) * step) / 1000;
        return {sampledAt: epochMs(NOW - agoMs), value: total};
      });
      return {networkOut: samples};
    };
    const atLimit = ['notice: possible limit: outbound network @ gpu-7'];

    it.each<[string, MachineMetrics, readonly string[]]>([
      ['that is at 1.2 GB/s for an hour after a tenth of that are reported', stream(120e6, () => 1200e6), atLimit],
      ['that varies by a tenth are fine', stream(120e6, agoMs => 1200e6 * (1 - ((agoMs / 300_000) % 2) / 10)), []],
      ['that was nearly as high before are fine', stream(900e6, () => 1200e6), []],
      ['that is low are fine', stream(1e6, () => 99e6), []],
      ['that was measured for two hours only are fine', stream(120e6, () => 1200e6, 2 * HOUR_MS), []],
    ])('%s', (_, metrics, expected) => {
      expect(foundIn(metrics)).toEqual(expected);
    });
  });

  it('of memory that grows steadily and will be full within a day are reported, with the time left', () => {
    // 5 GB an hour from 60 of 100 GB: the 40 left are full in 8 hours.
    const growing = {memory: series(4 * HOUR_MS, agoMs => (60 - (5 * agoMs) / HOUR_MS) * GB)};
    const {findings} = triage(account({machines: running, metricsOf: () => growing}));
    expect(findings.map(({summary}) => summary)).toEqual(['memory full in 8 h']);
    expect(findings[0]?.evidence).toEqual([
      'memory at 60%, growing by 5% an hour: if that continues, full in about 8 h',
    ]);
  });

  it('of memory with a value that is not a number lead to no finding', () => {
    const odd = {memory: series(4 * HOUR_MS, agoMs => (agoMs === 0 ? Number.NaN : 60 * GB))};
    expect(triage(account({machines: running, metricsOf: () => odd})).findings).toEqual([]);
  });

  it.each<[string, Series]>([
    ['that is level', series(4 * HOUR_MS, () => 80 * GB)],
    ['that goes up and down', series(4 * HOUR_MS, agoMs => (60 + ((agoMs / (5 * MINUTE_MS)) % 12)) * GB)],
    ['that grows by 1 GB an hour', series(4 * HOUR_MS, agoMs => (60 - agoMs / HOUR_MS) * GB)],
    ['that grows from a low level', series(4 * HOUR_MS, agoMs => (30 - (5 * agoMs) / HOUR_MS) * GB)],
    ['that grows, measured for one hour only,', series(HOUR_MS, agoMs => (60 - (5 * agoMs) / HOUR_MS) * GB)],
  ])('of memory %s are fine', (_, memory) => {
    expect(foundIn({memory})).toEqual([]);
  });

  describe('of two weeks', () => {
    /** One core works while the machine is busy. */
    const metricsOf = (isBusyAt: (agoMs: number) => boolean): MachineMetrics => {
      let cpu = 0;
      const counter = series(14 * DAY_MS, agoMs => {
        cpu += isBusyAt(agoMs) ? 300e9 : 0;
        return cpu;
      });
      return {cpu: counter, networkOut: Array.from(counter, ({sampledAt}) => ({sampledAt, value: 0}))};
    };

    it('without work in the last eight days are reported as idle, with the rate', () => {
      const metrics = metricsOf(agoMs => agoMs >= 8 * DAY_MS);
      const {findings} = triage(
        account({machines: running, metricsOf: () => metrics, rates: new Map([[7, dollarsPerHour(14n)]])}),
      );
      expect(findings).toMatchObject([
        {rule: 'idle', severity: 'warning', since: NOW - 8 * DAY_MS, rate: dollarsPerHour(14n)},
      ]);
    });

    it('of a machine that is excluded from billing are not asked for, and lead to no finding', () => {
      const usage = [aRecord({resourceId: 7, isExcludedFromBilling: true})];
      const metrics = metricsOf(agoMs => agoMs >= 8 * DAY_MS);
      expect(triage(account({machines: running, metricsOf: () => metrics, usage})).findings).toEqual([]);
      const {unknown} = triage(account({machines: running, usage}));
      expect(unknown.filter(({rule}) => rule === 'idle')).toEqual([]);
    });

    it('with an hour of work a day are fine', () => {
      expect(foundIn(metricsOf(agoMs => Math.floor(agoMs / HOUR_MS) % 24 === 5))).toEqual([]);
    });

    it.each<[string, number, number, readonly string[]]>([
      ['quiet and read for a day only', 40, 1, ['the last 7 days of gpu-7 were not read yet, or not measured']],
      ['quiet and read for two weeks', 40, 14, []],
      ['three days old', 3, 3, []],
      ['half a day old', 0.5, 0.5, []],
      ['old and measured for half a day', 40, 0.5, ['too little was measured of gpu-7 in the last 24 h']],
    ])('of a machine %s are judged, or the reason why not is given', (_, ageDays, readDays, expected) => {
      const all = metricsOf(() => false);
      const since = NOW - readDays * DAY_MS;
      const read = (name: 'cpu' | 'networkOut') => [...(all[name] ?? [])].filter(({sampledAt}) => sampledAt >= since);
      const known = {
        machines: [aMachine('ACTIVE', {flavor: FLAVOR, createdAt: epochMs(NOW - ageDays * DAY_MS)})],
        metricsOf: () => ({cpu: read('cpu'), networkOut: read('networkOut')}),
      };
      const {unknown} = triage(account(known));
      expect(unknown.flatMap(({rule, reason}) => (rule === 'idle' ? [reason] : []))).toEqual(expected);
    });

    it('of a machine kept on purpose lead to a muted finding until the date that was set', () => {
      const metrics = metricsOf(agoMs => agoMs >= 8 * DAY_MS);
      const keptUntil = (until: number) => ({
        ...DEFAULT_PREFERENCES,
        keep: [{resourceType: 'vm' as const, resourceId: 7, until: epochMs(until)}],
      });
      const known = {machines: running, metricsOf: () => metrics};
      const kept = triage(account({...known, preferences: keptUntil(NOW + 1)}));
      expect(kept.findings).toEqual([]);
      expect(kept.muted).toMatchObject([{mute: {kind: 'kept', until: NOW + 1}}]);
      expect(triage(account({...known, preferences: keptUntil(NOW)})).findings).toHaveLength(1);
    });
  });

  describe('of a machine that worked', () => {
    /** One core works, except in the last `silentMs` and when `isIdleAt` is true. */
    const worked = (silentMs: number, isIdleAt: (agoMs: number) => boolean = () => false): MachineMetrics => {
      let cpu = 0;
      const counter = series(23 * HOUR_MS, agoMs => {
        cpu += agoMs < silentMs || isIdleAt(agoMs) ? 0 : 300e9;
        return cpu;
      });
      return {cpu: counter, networkOut: Array.from(counter, ({sampledAt}) => ({sampledAt, value: 0}))};
    };

    it('all day and has been silent for an hour are reported, with hibernation as the fix', () => {
      const {findings} = triage(account({machines: running, metricsOf: () => worked(HOUR_MS)}));
      expect(findings).toMatchObject([{rule: 'fallen-silent', severity: 'warning', since: NOW - HOUR_MS}]);
      expect(findings[0]?.evidence).toContain('GPU load is not reported by this API');
      expect(findings[0]?.commands[0]).toBe('skydeck vm hibernate 7 --retain-ip');
      expect(findings[0]?.fixes).toEqual([{kind: 'vm.hibernate', id: 7, retainsIp: true}]);
    });

    it('as a node of a cluster are reported without hibernation as a fix, as the cluster manages its power', () => {
      const node = aMachine('ACTIVE', {flavor: FLAVOR, createdAt: epochMs(NOW - DAY_MS), clusterId: clusterId(31)});
      const [finding] = triage(account({machines: [node], metricsOf: () => worked(HOUR_MS)})).findings;
      expect(finding?.fixes).toBeUndefined();
      expect(finding?.commands[0]).toBe('skydeck ssh 7');
    });

    it.each([
      {hasNoHibernation: true},
      {gpuCount: 0, hasNoHibernation: false},
    ])('are reported with deletion as the fix if the flavor cannot hibernate: %j', rest => {
      const flavor = {...FLAVOR, ...rest};
      const machine = aMachine('ACTIVE', {flavor, createdAt: epochMs(NOW - DAY_MS)});
      const [finding] = triage(account({machines: [machine], metricsOf: () => worked(HOUR_MS)})).findings;
      expect(finding?.advice).toMatch(/Delete it if nothing else is to run\.$/);
      expect(finding?.fixes).toEqual([{kind: 'vm.delete', id: 7}]);
      expect(finding?.commands[0]).toBe('skydeck vm delete 7');
    });

    it('are fine when a GPU works according to DCGM, and name the idle GPUs when none does', () => {
      const withGpu = (utilization: number) => {
        const gpus = [{index: 0, name: safeText('H100'), utilization, isThrottled: false}];
        const load = {host: safeText('gpu-7'), sampledAt: NOW, gpus, history: {}};
        return triage(
          account({machines: running, metricsOf: () => worked(HOUR_MS), gpusOf: () => ({load, activity: undefined})}),
        ).findings;
      };
      expect(withGpu(0.9)).toEqual([]);
      expect(withGpu(0)[0]?.evidence).toContain('its GPUs are idle now, according to DCGM');
    });

    it('and was started again after it fell silent are fine, as what ran before is over', () => {
      const startedAgo = (agoMs: number) => ({
        machines: running,
        metricsOf: () => worked(HOUR_MS),
        eventsOf: () => [
          {occurredAt: epochMs(NOW - agoMs), reason: safeText('InstanceStartSuccess'), message: safeText('')},
        ],
      });
      expect(found(startedAgo(40 * MINUTE_MS))).toEqual([]);
      expect(found(startedAgo(2 * HOUR_MS))).toEqual(['warning: inactive after hours of work @ gpu-7']);
    });

    it('and pauses every other hour are fine', () => {
      expect(foundIn(worked(HOUR_MS, agoMs => Math.floor(agoMs / HOUR_MS) % 2 === 0))).toEqual([]);
    });

    it('and has been silent for 20 minutes are fine', () => {
      expect(foundIn(worked(20 * MINUTE_MS))).toEqual([]);
    });
  });
});

describe('a cluster', () => {
  const created = (minutes: number) => ({status: 'CREATING', createdAt: epochMs(NOW - minutes * MINUTE_MS)}) as const;

  it.each<[string, Partial<Cluster>, readonly string[]]>([
    ['that is up is fine', {}, []],
    ['in creation for 20 minutes is fine', created(20), []],
    ['in creation for 21 minutes is slow', created(21), ['notice: cluster slow in creation @ k8s']],
    ['in creation for an hour is slow', created(60), ['notice: cluster slow in creation @ k8s']],
    ['in creation for longer than an hour is stuck', created(61), ['critical: cluster stuck in creation @ k8s']],
    ['in creation since an unknown time is fine', {status: 'CREATING'}, []],
    ['in ERROR is critical', {status: 'ERROR'}, ['critical: cluster in ERROR @ k8s']],
    ['in RECONCILING is a notice', {status: 'RECONCILING'}, ['notice: cluster RECONCILING @ k8s']],
    ['in WARNING is a warning', {status: 'WARNING'}, ['warning: cluster in WARNING @ k8s']],
    ['that is being deleted is fine', {status: 'DELETING'}, []],
  ])('%s', (_, rest, expected) => {
    expect(found({clusters: [aCluster(rest)]})).toEqual(expected);
  });

  it.each<[string, readonly number[], Partial<KnownAccount>, boolean | undefined]>([
    ['all is known', [1, 2], {}, undefined],
    ['a machine has no usage record', [1], {}, true],
    [
      'a machine may be missing from the list',
      [1, 2],
      {clusters: [aCluster({...created(75), hasUnreadNodes: true})]},
      true,
    ],
  ])('has the cost of its machines, as far as it is known: %s', (_, metered, rest, isAtLeast) => {
    const machines = [1, 2].map(id => aVirtualMachine({id, clusterId: 31}));
    const partial = new Map([['machines', [safeText('the list of machines is not complete')]]] as const);
    const [finding] = triage(
      account({
        clusters: [aCluster(created(75))],
        machines,
        rates: new Map(metered.map(id => [id, dollarsPerHour(2n)])),
        partial,
        ...rest,
      }),
    ).findings.filter(({rule}) => rule === 'cluster-not-ready');
    expect([finding?.rate, finding?.isRateAtLeast]).toEqual([dollarsPerHour(2n * BigInt(metered.length)), isAtLeast]);
  });

  it('in creation for longer than an hour should be deleted, and its status reason is given in full', () => {
    const [finding] = triage(
      account({clusters: [aCluster({...created(75), statusReason: safeText('waiting for the load balancer')})]}),
    ).findings;
    expect(finding?.evidence).toEqual([
      'CREATING for 1 h 15 min; usually 5 to 20 min',
      'waiting for the load balancer',
    ]);
    expect(finding?.commands).toEqual(['skydeck cluster delete 31']);
  });

  it.each([
    [45, 'Wait until cluster #31 is an hour old; then delete it and create it again.', 'skydeck describe cluster 31'],
    [
      75,
      'Delete cluster #31 and create it again: the service says to do so after 60 minutes.',
      'skydeck cluster delete 31',
    ],
  ])('in creation for %i min has the same advice as a node of it that is stuck', (minutes, advice, command) => {
    const cluster = aCluster(created(minutes));
    const machines = [aMachine('CREATING', {createdAt: epochMs(NOW - minutes * MINUTE_MS), clusterId: cluster.id})];
    const {findings} = triage(account({clusters: [cluster], machines}));
    const [ofCluster, ofNode] = ['cluster-not-ready', 'stuck-transition'].map(rule =>
      findings.find(finding => finding.rule === rule),
    );
    expect(ofNode?.advice).toBe(`Nothing can be sent to it meanwhile. ${advice}`);
    expect(ofNode?.commands).toEqual([command]);
    expect(ofCluster?.advice.toLowerCase()).toBe(advice.replace('cluster #31', 'it').toLowerCase());
    expect(ofCluster?.commands).toEqual([command]);
  });

  it('in RECONCILING is a warning after half an hour by its events', () => {
    const clusters = [aCluster({status: 'RECONCILING'})];
    const since = (agoMs: number) => () => [
      {occurredAt: epochMs(NOW - agoMs), reason: safeText('Reconciling'), message: safeText('node group gpu')},
    ];
    expect(found({clusters, clusterEventsOf: since(30 * MINUTE_MS)})).toEqual(['notice: cluster RECONCILING @ k8s']);
    expect(found({clusters, clusterEventsOf: since(31 * MINUTE_MS)})).toEqual([
      'warning: RECONCILING for too long @ k8s',
    ]);
  });

  it('reports failed and missing nodes, each with its cause', () => {
    const group = {name: safeText('gpu'), count: 3, firewallIds: []};
    const {findings} = triage(
      account({clusters: [aCluster({nodeGroups: [group], nodes: [node('ACTIVE', 1), node('ERROR', 2)]})]}),
    );
    expect(findings.map(({summary, evidence}) => [summary, evidence])).toEqual([
      ['a node is in ERROR', ['k8s-worker-2 is in ERROR: no host has room']],
      ['cluster has 2 of 3 workers', ['gpu has 2 of 3']],
    ]);
  });

  it('that is being deleted has no findings: what it lacks is not to be reconciled any more', () => {
    const failed = {
      id: 1,
      role: 'worker',
      roleText: safeText('worker'),
      status: 'ERROR',
      statusText: safeText('ERROR'),
    } as const;
    const clusters = [aCluster({status: 'DELETING', isReconciling: true, nodes: [failed]})];
    expect(found({clusters})).toEqual([]);
  });

  it('without readable nodes is not judged by how many there are', () => {
    const nodeGroups = [{name: safeText('gpu'), count: 3, firewallIds: []}];
    const {findings, unknown} = triage(account({clusters: [aCluster({nodeGroups, hasUnreadNodes: true})]}));
    expect(findings).toEqual([]);
    expect(unknown).toContainEqual({rule: 'cluster-nodes', reason: 'the nodes of 1 cluster could not be read'});
  });

  it('in RECONCILING reports no missing nodes, as they may still come', () => {
    const nodeGroups = [{name: safeText('gpu'), count: 3, firewallIds: []}];
    expect(found({clusters: [aCluster({status: 'RECONCILING', nodeGroups})]})).toEqual([
      'notice: cluster RECONCILING @ k8s',
    ]);
  });
});

function node(status: 'ACTIVE' | 'ERROR', id: number) {
  return {
    id,
    role: 'worker' as const,
    roleText: safeText('worker'),
    status,
    statusText: safeText(status),
    nodeGroupName: safeText('gpu'),
    machineName: safeText(`k8s-worker-${id}`),
    ...(status === 'ERROR' ? {statusReason: safeText('no host has room')} : {}),
  };
}

it('a finding about a cluster has the rate of the machines that name it, or that it lists as its nodes', () => {
  const machines = [7, 8, 9, 10].map(id =>
    aVirtualMachine({id, ...(id < 9 ? {clusterId: 31} : {isNodeUnknown: true})}),
  );
  const rates = new Map([7, 8, 9, 10].map(id => [id, dollarsPerHour(2n)]));
  const nodes = [{...node('ACTIVE', 1), machineId: virtualMachineId(9)}];
  const {findings} = triage(account({clusters: [aCluster({status: 'ERROR', nodes})], machines, rates}));
  // Three at $2/h each; the fourth does not belong to the cluster.
  expect(findings.find(({rule}) => rule === 'cluster-not-ready')?.rate).toEqual(dollarsPerHour(6n));
});

it('the fixes of a finding about two open ports close both', () => {
  const rules = [aRule(), aRule({id: 502, portRangeMin: 8888, portRangeMax: 8888})];
  for (const known of [{firewalls: [aFirewall({rules})]}, {machines: [aMachine('ACTIVE', {rules})]}]) {
    const {findings} = triage(account(known));
    const [finding] = findings.filter(({rule}) => rule === 'open-to-world');
    expect(finding?.summary).toBe('tcp/22, tcp/8888 open to the world');
    // The command does the same, for both.
    const command = finding?.commands[0] ?? '';
    expect(command.match(/--port (\d+)/g)).toEqual(['--port 22', '--port 8888']);
    expect(command.match(/ && skydeck rule remove (\d+)/g)).toHaveLength(2);
    expect(finding?.commands).toHaveLength(1);
    expect(finding?.fixes?.map(fix => 'ruleId' in fix && fix.ruleId)).toEqual([501, 502]);
  }
});

it('a rule that is being removed is open until it is gone, and is neither removed twice nor added again', () => {
  const going = aRule({status: safeText('DELETING')});
  const later = aRule({id: 502, portRangeMin: 8888, portRangeMax: 8888});
  const about = (rules: readonly SecurityRule[]) =>
    triage(account({firewalls: [aFirewall({rules})]})).findings.find(({rule}) => rule === 'open-to-world');
  const gone = about([going]);
  expect(gone?.evidence).toContain('ingress tcp/22 0.0.0.0/0 (DELETING)');
  expect(gone?.advice).toBe(
    'It is being removed and stays open until that is done. Ask the provider if it takes longer than some minutes.',
  );
  expect(gone?.fixes).toBeUndefined();
  expect(gone?.commands).toEqual(['skydeck describe firewall 5']);
  const both = about([going, later]);
  expect(both?.summary).toBe('tcp/22, tcp/8888 open to the world');
  expect(both?.fixes?.map(fix => 'ruleId' in fix && fix.ruleId)).toEqual([502]);
  expect(both?.commands.join('')).not.toMatch(/501|--port 22 /);
});

it('a rule open to the world that failed is to be removed like any other, with its state as evidence', () => {
  const {findings} = triage(account({firewalls: [aFirewall({rules: [aRule({status: safeText('ERROR')})]})]}));
  const open = findings.find(({rule}) => rule === 'open-to-world');
  expect(open?.evidence[0]).toBe('ingress tcp/22 0.0.0.0/0 (ERROR)');
  expect(open?.fixes).toMatchObject([{kind: 'firewall.remove-rule', id: 5, ruleId: 501}]);
  expect(open?.commands[0]).toMatch(/ && skydeck rule remove 501 --firewall 5$/);
});

it('a narrow rule in force that allows our own address already is not to be added beside the open one', () => {
  const ownAddress = safeText('203.0.113.7');
  const about = (narrow: Partial<SecurityRule>, own = ownAddress) => {
    const rules = [aRule(), aRule({id: 502, remoteIpPrefix: safeText('203.0.113.0/24'), ...narrow})];
    const {findings} = triage({...account({firewalls: [aFirewall({rules})]}), ownAddress: own});
    return findings.find(({rule}) => rule === 'open-to-world')?.commands[0];
  };
  expect(about({})).toBe('skydeck rule remove 501 --firewall 5');
  const added = /^skydeck rule add .* --wait && skydeck rule remove 501 --firewall 5$/;
  expect(about({remoteIpPrefix: safeText('198.51.100.0/24')})).toMatch(added);
  expect(about({portRangeMin: 80, portRangeMax: 80})).toMatch(added);
  expect(about({status: safeText('PENDING')})).toMatch(added);
  expect(about({}, safeText('2001:db8::7'))).toMatch(added);
});

it('a contract names in one line all machines that will be deleted, and when', () => {
  // Eight days after 20 November.
  const machines = ['train-05', 'train-02'].map((name, id) =>
    aVirtualMachine({id, name: safeText(name), contractId: 12}),
  );
  const {findings} = triage(account({contracts: [aContract(8)], machines}));
  const [finding] = findings.filter(({rule}) => rule === 'contract-ending');
  expect(finding?.evidence).toEqual(['ends on 2026-11-28 12:00Z', 'will be deleted on 28 Nov: train-05, train-02']);
});

describe('firewalls', () => {
  const machines = [aMachine('ACTIVE')];
  const reachable = [aMachine('ACTIVE', {floatingIp: safeText('185.0.0.1')})];
  const all = aRule({portRangeMin: 1, portRangeMax: 65_535});
  const outbound = aRule({id: 500, direction: safeText('egress'), portRangeMin: 1, portRangeMax: 65_535});
  const publicWith = (...rules: SecurityRule[]) => aMachine('ACTIVE', {floatingIp: safeText('185.0.0.1'), rules});

  it('of which rules could not be read end in no finding, and each check says so', () => {
    const firewalls = [aFirewall({hasUnreadRules: true})];
    const bare = aVirtualMachine({
      id: 8,
      status: 'ACTIVE',
      floatingIp: safeText('185.0.0.8'),
      rules: [],
      hasUnreadRules: true,
    });
    const {findings, unknown} = triage(account({machines: [...machines, bare], firewalls}));
    expect(findings).toEqual([]);
    const reasonsOf = (id: string) => unknown.filter(({rule}) => rule === id).map(({reason}) => reason);
    const [ofFirewalls, ofMachines] = ['firewall', 'machine'].map(what => `the rules of 1 ${what} could not be read`);
    expect(reasonsOf('open-to-world')).toEqual([ofFirewalls, ofMachines]);
    expect(reasonsOf('rule-pending')).toEqual([ofFirewalls, ofMachines]);
    expect(reasonsOf('redundant-rules')).toEqual([ofFirewalls]);
    expect(reasonsOf('unguarded-address')).toEqual([ofMachines]);
  });

  it('counts public addresses exactly only when every machine behind the firewall was read', () => {
    const attachments = [7, 8].map(id => ({machineId: virtualMachineId(id), machineName: safeText(`gpu-${id}`)}));
    const evidence = (known: readonly VirtualMachine[], rest: Partial<Firewall> = {}) => {
      const firewalls = [aFirewall({rules: [aRule()], attachments, ...rest})];
      const {findings} = triage(account({machines: known, firewalls}));
      return findings.find(({rule}) => rule === 'open-to-world')?.evidence.at(-1);
    };
    const inner = aVirtualMachine({id: 8});
    expect(evidence([...reachable, inner])).toBe('1 of them with a public address');
    expect(evidence(reachable)).toBe('at least 1 of them with a public address');
    expect(evidence([...reachable, inner], {hasUnreadAttachments: true})).toBe(
      'at least 1 of them with a public address',
    );
    expect(evidence([inner])).toBe('attached to 2 machines');
    const unread = aVirtualMachine({id: 8, hasUnreadAddress: true});
    expect(evidence([...reachable, unread])).toBe('at least 1 of them with a public address');
    expect(evidence([inner, {...unread, id: virtualMachineId(7)}])).toBe(
      'the public address of 1 of them could not be read',
    );
  });

  it('take a machine whose public address could not be read for one that may be reached', () => {
    const unread = (...rules: SecurityRule[]) => aMachine('ACTIVE', {hasUnreadAddress: true, rules});
    expect(found({machines: [unread()], firewalls: [aFirewall({rules: [all]})]})).toEqual([
      'critical: tcp/1-65535 open to the world @ edge',
    ]);
    const {findings, unknown} = triage(account({machines: [unread(all)], firewalls: []}));
    expect(findings.map(({severity}) => severity)).toEqual(['critical']);
    expect(findings[0]?.evidence).toContain('whether it has a public address could not be read');
    const reason = 'whether 1 machine has a public address could not be read';
    expect(triage(account({machines: [unread()], firewalls: []})).unknown).toContainEqual({
      rule: 'unguarded-address',
      reason,
    });
    // A machine with an inbound rule of its own is not such a finding, whatever its address.
    expect(unknown.filter(each => each.reason === reason)).toEqual([]);
  });

  it.each<[string, Partial<KnownAccount>, readonly string[]]>([
    ['ssh for everyone', {firewalls: [aFirewall({rules: [aRule()]})]}, ['warning: tcp/22 open to the world @ edge']],
    [
      'ssh for everyone on its way out',
      {
        machines: [aMachine('ACTIVE', {rules: [aRule({status: safeText('DELETING')})]})],
        firewalls: [aFirewall({rules: [aRule({status: safeText('deleting')})]})],
      },
      ['warning: tcp/22 open to the world @ edge', 'warning: tcp/22 open to the world @ gpu-7'],
    ],
    [
      // A rule of which only the removal failed is in force.
      'ssh for everyone that failed',
      {firewalls: [aFirewall({rules: [aRule({status: safeText('FAILED')})]})]},
      ['warning: tcp/22 open to the world @ edge', 'warning: a rule failed @ edge'],
    ],
    ['https for everyone', {firewalls: [aFirewall({rules: [aRule({portRangeMin: 443, portRangeMax: 443})]})]}, []],
    ['ssh for a network', {firewalls: [aFirewall({rules: [aRule({remoteIpPrefix: safeText('10.0.0.0/8')})]})]}, []],
    [
      'all ports, on a machine with a public address',
      {machines: reachable, firewalls: [aFirewall({rules: [all]})]},
      ['critical: tcp/1-65535 open to the world @ edge'],
    ],
    [
      'all ports, on a machine without one',
      {machines, firewalls: [aFirewall({rules: [all]})]},
      ['warning: tcp/1-65535 open to the world @ edge'],
    ],
    [
      'a machine’s own ssh for everyone',
      {machines: [aMachine('ACTIVE', {rules: [aRule()]})]},
      ['warning: tcp/22 open to the world @ gpu-7'],
    ],
    ['no machine', {firewalls: [aFirewall({attachments: []})]}, ['notice: unattached firewall @ edge']],
    ['attachments that could not be read', {firewalls: [aFirewall({attachments: [], hasUnreadAttachments: true})]}, []],
    [
      'a rule that has been pending for eleven minutes',
      {firewalls: [aFirewall({rules: [pendingFor(11)]})]},
      ['warning: a rule is not in force yet @ edge'],
    ],
    ['a rule that has been pending for ten minutes', {firewalls: [aFirewall({rules: [pendingFor(10)]})]}, []],
    [
      'a rule that is being removed, however old',
      {machines: [aMachine('ACTIVE', {rules: [removing()]})], firewalls: [aFirewall({rules: [removing()]})]},
      [],
    ],
    [
      'a rule that failed',
      {firewalls: [aFirewall({rules: [inside({status: safeText('ERROR')})]})]},
      ['warning: a rule failed @ edge'],
    ],
    [
      'the same rule twice',
      {firewalls: [aFirewall({rules: [inside(), inside({id: 502})]})]},
      ['notice: redundant rules @ edge'],
    ],
    [
      'a rule that is the same as one being removed',
      {firewalls: [aFirewall({rules: [removing(), inside({id: 502})]})]},
      [],
    ],
    [
      'a rule that is the same as one that failed',
      {firewalls: [aFirewall({rules: [inside({status: safeText('ERROR')}), inside({id: 502})]})]},
      ['warning: a rule failed @ edge'],
    ],
    [
      'a rule covered by another',
      {firewalls: [aFirewall({rules: [inside(), inside({id: 502, remoteIpPrefix: safeText('10.1.0.0/16')})]})]},
      ['notice: redundant rules @ edge'],
    ],
    [
      'two different rules',
      {firewalls: [aFirewall({rules: [inside(), inside({id: 502, portRangeMin: 80, portRangeMax: 80})]})]},
      [],
    ],
    [
      'no firewall for a public address',
      {machines: reachable, firewalls: []},
      ['notice: public address, no firewall @ gpu-7'],
    ],
    ['a firewall for a public address', {machines: reachable, firewalls: [aFirewall({})]}, []],
    [
      'no firewall for a public address, on a machine with the default outbound rule',
      {machines: [publicWith(outbound)], firewalls: []},
      ['notice: public address, no firewall @ gpu-7'],
    ],
    [
      'no firewall for a public address, on a machine with an inbound rule of its own',
      {machines: [publicWith(outbound, inside())], firewalls: []},
      [],
    ],
  ])('with %s', (_, known, expected) => {
    expect(found(known)).toEqual(expected);
  });

  it('are open since the oldest of their open rules, and a further one is reported although the others are muted', () => {
    const openedAgo = (id: number, agoMs: number) => aRule({id, createdAt: epochMs(NOW - agoMs)});
    const firewalls = [aFirewall({rules: [openedAgo(501, DAY_MS), openedAgo(502, MINUTE_MS)]})];
    const openIn = (mutes: readonly Mute[]) =>
      triage({...account({firewalls}), mutes}).findings.filter(({rule}) => rule === 'open-to-world');
    const [finding] = openIn([]);
    expect(finding?.since).toBe(NOW - DAY_MS);
    const mutedAgo = (agoMs: number): Mute => ({
      kind: 'acknowledged',
      finding: finding === undefined ? '' : findingKey(finding),
      severity: 'critical',
      at: epochMs(NOW - agoMs),
    });
    expect(openIn([mutedAgo(HOUR_MS)])).toHaveLength(1);
    expect(openIn([mutedAgo(SECOND_MS)])).toHaveLength(0);
  });

  function inside(rest: Partial<SecurityRule> = {}): SecurityRule {
    return aRule({remoteIpPrefix: safeText('10.0.0.0/8'), ...rest});
  }

  it('are told with how long they wait; when one failed is not known', () => {
    const failed = inside({id: 502, status: safeText('ERROR'), createdAt: epochMs(NOW - 3 * DAY_MS)});
    const {findings} = triage(account({firewalls: [aFirewall({rules: [failed, pendingFor(12)]})]}));
    expect(findings.find(({rule}) => rule === 'rule-pending')?.evidence).toEqual([
      expect.stringMatching(/ is ERROR$/),
      expect.stringMatching(/ has been pending for 12 min$/),
    ]);
  });

  it('without effect are counted in words', () => {
    const evidence = (owned: Pick<Firewall, 'rules' | 'hasUnreadRules'>) =>
      triage(account({firewalls: [aFirewall({attachments: [], ...owned})]})).findings.find(
        ({rule}) => rule === 'unattached-firewall',
      )?.evidence;
    expect(evidence({rules: []})).toEqual(['it has no rules']);
    expect(evidence({rules: [inside(), inside({id: 502})]})).toEqual(['its 2 rules have no effect']);
    expect(evidence({rules: [], hasUnreadRules: true})).toEqual(['its rules have no effect']);
    expect(evidence({rules: [inside()], hasUnreadRules: true})).toEqual(['its rules have no effect']);
  });

  function pendingFor(minutes: number): SecurityRule {
    return inside({status: safeText('pending'), createdAt: epochMs(NOW - minutes * MINUTE_MS)});
  }

  function removing(): SecurityRule {
    return inside({status: safeText('DELETING'), createdAt: epochMs(NOW - 11 * DAY_MS)});
  }
});

describe('a contract', () => {
  const market = {expirationPolicy: expirationPolicy(1)};

  it.each<[string, Contract, readonly string[]]>([
    ['that ends in 31 days', aContract(31), []],
    ['that ends in 30 days', aContract(30), ['notice: deletion in 30d, at contract end']],
    ['that ends in 15 days', aContract(15), ['notice: deletion in 15d, at contract end']],
    ['that ends in 14 days', aContract(14), ['critical: deletion in 14d, at contract end']],
    ['that ends in half a day', aContract(0.5), ['critical: deletion within a day, at contract end']],
    ['that has ended', aContract(-1), []],
    [
      'that changes to the market price in 8 days',
      aContract(8, market),
      ['notice: market price in 8d, at contract end'],
    ],
    [
      'that changes to the market price in 7 days',
      aContract(7, market),
      ['warning: market price in 7d, at contract end'],
    ],
    [
      'with an unknown expiration policy',
      aContract(3, {expirationPolicy: expirationPolicy(9)}),
      ['critical: may delete in 3d, at contract end'],
    ],
    ['without a known end', aContract(undefined), ['notice: deletion at contract end, date unknown']],
  ])('%s', (_, contract, expected) => {
    expect(found({contracts: [contract]})).toEqual(expected.map(words => `${words} @ contract #12`));
  });

  it('names the machine that will be deleted, and when', () => {
    const machines = [aMachine('ACTIVE', {contractId: 12}), aVirtualMachine({id: 8})];
    const [finding] = triage(account({contracts: [aContract(5)], machines})).findings;
    // The notice at seven days makes it worse; it is no moment at which anything happened.
    expect(finding?.since).toBeUndefined();
    expect(finding?.worseSince).toBe(NOW - 2 * DAY_MS);
    expect(finding?.evidence).toEqual(['ends on 2026-11-25 12:00Z', 'will be deleted on 25 Nov: gpu-7']);
  });

  it('with an unknown expiration policy may delete its machines: that it does is not known', () => {
    const contract = aContract(5, {expirationPolicy: expirationPolicy(9)});
    const [finding] = triage(
      account({contracts: [contract], machines: [aMachine('ACTIVE', {contractId: 12})]}),
    ).findings;
    expect(finding?.evidence).toEqual(['ends on 2026-11-25 12:00Z', 'may be deleted on 25 Nov: gpu-7']);
  });

  it('reports a discount that ends in 10 days, but not one that ends in 15', () => {
    const terms = discountTerms({type: 'percent', percent: rational(20n, 1n)});
    const undated = {terms, statusText: safeText('active')};
    const discount = {...undated, endsAt: epochMs(NOW + 10 * DAY_MS)};
    expect(found({contracts: [aContract(90, {discounts: [discount]})]})).toEqual([
      'notice: discount ends in 10d @ contract #12',
    ]);
    expect(
      found({contracts: [aContract(90, {discounts: [{...discount, endsAt: epochMs(NOW + DAY_MS / 2)}]})]}),
    ).toEqual(['notice: discount ends within a day @ contract #12']);
    expect(
      found({contracts: [aContract(90, {discounts: [{...discount, endsAt: epochMs(NOW + 15 * DAY_MS)}]})]}),
    ).toEqual([]);
    const evidence = (only: Contract['discounts'][number]) =>
      triage(account({contracts: [aContract(90, {discounts: [only]})]})).findings[0]?.evidence;
    // Ten days after 20 November.
    expect(evidence(discount)).toEqual([
      'the discount on some of its resources ends on 2026-11-30 12:00Z, before the contract',
    ]);
    for (const noDate of [
      {...undated, validityDays: 10},
      {...discount, validityDays: 2},
    ]) {
      expect(evidence(noDate)).toEqual(['the discount on some of its resources ends before the contract']);
    }
  });

  it.each([
    ['market price', 1, 'Renew it only if something is to run under it afterwards.'],
    ['deletion', 0, 'Check whether it covers anything else, such as volumes, and back that up before the end.'],
  ])('advises nothing about machines where it covers none, before %s', (_, policy, advice) => {
    const contract = aContract(5, {expirationPolicy: expirationPolicy(policy)});
    const machines = [aVirtualMachine({id: 8})];
    const advices = (rest: Partial<KnownAccount>) =>
      triage(account({contracts: [contract], ...rest})).findings.map(finding => finding.advice);
    expect(advices({machines})).toEqual([advice]);
    // The list may be unread or incomplete.
    expect(advices({machines: undefined})).not.toContain(advice);
    expect(advices({machines, partial: new Map([['machines', []]])})).not.toContain(advice);
  });
});

describe('the account', () => {
  it.each<[string, number | undefined, readonly string[]]>([
    ['unknown', undefined, []],
    ['two days', 48 * HOUR_MS, []],
    ['just below two days', 48 * HOUR_MS - 1, ['critical: credit ends in 47 h 59 min @ account']],
    ['no time', 0, ['critical: credit used up @ account']],
  ])('with credit for %s', (_, leftMs, expected) => {
    expect(found({runway: aRunway({leftMs})})).toEqual(expected);
  });

  it('cannot judge the credit while only something of unknown price is billed', () => {
    const spend = {burn: dollarsPerHour(0n), monthToDate: undefined, month: {start: NOW, end: NOW}};
    const {unknown} = triage(account({runway: aRunway({isAtMost: true, hasUnpriced: true}), spend}));
    expect(unknown.filter(({rule}) => rule === 'credit-runway').map(({reason}) => reason)).toEqual([
      'the burn rate is unknown',
    ]);
  });

  it('says that the credit lasts at most that long while something of unknown price is billed', () => {
    const spend = {burn: dollarsPerHour(10n), monthToDate: undefined, month: {start: NOW, end: NOW}};
    const [finding] = triage(
      account({runway: aRunway({leftMs: 10 * HOUR_MS, isAtMost: true, hasUnpriced: true}), spend}),
    ).findings;
    expect([finding?.summary, finding?.evidence]).toEqual([
      'credit ends in 10 h at most',
      ['at $10.00/h the credit lasts at most 10 h'],
    ]);
  });

  it('takes the times of its warnings from the settings', () => {
    const preferences = {...DEFAULT_PREFERENCES, runwayCriticalMs: HOUR_MS, contractCriticalMs: 40 * DAY_MS};
    expect(found({runway: aRunway({leftMs: 2 * HOUR_MS}), preferences})).toEqual([]);
    expect(found({contracts: [aContract(35)], preferences})).toEqual([
      'critical: deletion in 35d, at contract end @ contract #12',
    ]);
  });

  it.each<[string, bigint, readonly string[]]>([
    // 600 of 1,000 dollars are spent; at $10/h the rest lasts 40 h, at $1/h 400 h, which is past the end of the month.
    ['reaches its budget in 40 hours', 10n, ['warning: budget used up in 40 h @ account']],
    ['does not reach its budget', 1n, []],
  ])('that %s', (_, dollars, expected) => {
    const month = {start: epochMs(Date.UTC(2026, 10, 1)), end: epochMs(Date.UTC(2026, 11, 1))};
    const spend = {burn: dollarsPerHour(dollars), monthToDate: usd(rational(600n, 1n)), month};
    const preferences = {...DEFAULT_PREFERENCES, budget: usd(rational(1000n, 1n))};
    expect(found({spend, preferences})).toEqual(expected);
  });

  it.each<[string, bigint, readonly string[], readonly string[]]>([
    ['is not reached', 600n, [], ['the usage of deleted resources was not read']],
    // More was spent than is known.
    ['is used up all the same', 1200n, ['budget used up'], []],
  ])('tells that it lacks what was deleted in the month where the budget %s', (_, spent, findings, reasons) => {
    const month = {start: epochMs(Date.UTC(2026, 10, 1)), end: epochMs(Date.UTC(2026, 11, 1))};
    const spend = {burn: dollarsPerHour(1n), monthToDate: usd(rational(spent, 1n)), month, isMonthAtLeast: true};
    const preferences = {...DEFAULT_PREFERENCES, budget: usd(rational(1000n, 1n))};
    const judged = triage(account({spend, preferences}));
    expect(judged.findings.map(({summary}) => summary)).toEqual(findings);
    expect(judged.unknown.flatMap(({rule, reason}) => (rule === 'budget-crossing' ? [reason] : []))).toEqual(reasons);
  });

  it('does not judge how long budget and credit last while the burn rate is unknown', () => {
    const month = {start: epochMs(Date.UTC(2026, 10, 1)), end: epochMs(Date.UTC(2026, 11, 1))};
    const preferences = {...DEFAULT_PREFERENCES, budget: usd(rational(1000n, 1n))};
    const ofSpent = (spent: bigint) => {
      const spend = {burn: undefined, monthToDate: usd(rational(spent, 1n)), month};
      const {findings, unknown} = triage(account({spend, preferences, runway: aRunway({})}));
      return {
        findings: findings.map(({summary, evidence}) => [summary, ...evidence]),
        unknown: unknown.flatMap(({rule, reason}) =>
          ['budget-crossing', 'credit-runway'].includes(rule) ? [`${rule}: ${reason}`] : [],
        ),
      };
    };
    expect(ofSpent(600n)).toEqual({
      findings: [],
      unknown: ['credit-runway: the burn rate is unknown', 'budget-crossing: the burn rate is unknown'],
    });
    expect(ofSpent(1200n)).toEqual({
      findings: [['budget used up', '120% of the budget is spent']],
      unknown: ['credit-runway: the burn rate is unknown'],
    });
  });

  const span = (id: number, name: string, dollars: bigint, hoursAgo: number) => ({
    resourceId: id,
    resourceType: safeText('vm'),
    name: safeText(name),
    createdAt: epochMs(NOW - hoursAgo * HOUR_MS),
    rate: dollarsPerHour(dollars),
    isActive: true,
    isExcludedFromBilling: false,
  });

  it('reports a burn rate far above the usual, and what began with it', () => {
    const sweeps = [1, 2, 3].map(id => span(id, `sweep-0${id}`, 50n, 4));
    const usage = [span(9, 'web', 40n, 24 * 40), ...sweeps];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const [finding] = triage(account({usage, machines: [], volumes: [], anomaly})).findings.filter(
      ({rule}) => rule === 'burn-anomaly',
    );
    expect(finding).toMatchObject({
      severity: 'critical',
      summary: 'burn rate up by $150.00/h',
      since: NOW - 4 * HOUR_MS,
    });
    expect(finding?.evidence).toEqual([
      '3 new: sweep-*, +$150.00/h',
      '$190.00/h now, $40.00/h usually at this hour, exceeded for 4 h',
    ]);
    expect(finding?.advice).toMatch(/^Find out who started them;/);
    // The first command for the shell does the same as the key of the deck.
    expect(finding?.fixes?.map(({kind, id}) => `${kind} ${id}`)).toEqual([
      'vm.hibernate 1',
      'vm.hibernate 2',
      'vm.hibernate 3',
    ]);
    expect(finding?.commands[0]).toBe('skydeck vm hibernate 1 2 3 --retain-ip');
  });

  it.each([
    {name: safeText('n3-L40x1-no-hib'), hasNoHibernation: true},
    {name: safeText('n1-cpu-small'), gpuCount: 0, hasNoHibernation: false},
  ])('does not hibernate machines that cannot be, and names them: %j', flavor => {
    const usage = [span(9, 'web', 40n, 24 * 40), ...[1, 2, 3].map(id => span(id, `sweep-0${id}`, 50n, 4))];
    const machines = [
      aVirtualMachine({id: 1, name: safeText('sweep-01')}),
      aVirtualMachine({id: 2, name: safeText('sweep-02'), clusterId: clusterId(31)}),
      aVirtualMachine({id: 3, name: safeText('sweep-03'), flavor}),
    ];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const {findings} = triage(account({usage, machines, volumes: [], anomaly}));
    const finding = findings.find(({rule}) => rule === 'burn-anomaly');
    expect(finding?.fixes?.map(({kind, id}) => `${kind} ${id}`)).toEqual(['vm.hibernate 1']);
    expect(finding?.commands[0]).toBe('skydeck vm hibernate 1 --retain-ip');
    expect(finding?.machineIds).toEqual([1, 2, 3]);
    expect(finding?.evidence).toContain('cannot be hibernated: sweep-02 and sweep-03');
  });

  it('says that the burn rate still grows and how fast, and includes machines not billed yet in the fixes', () => {
    const minutesAgo = (minutes: number) => minutes / 60;
    const sweeps = [
      ...[1, 2, 3].map(id => span(id, `sweep-0${id}`, 50n, 4)),
      ...[4, 5, 6].map(id => span(id, `sweep-0${id}`, 50n, minutesAgo(7 - id))),
    ];
    const usage = [span(9, 'web', 40n, 24 * 40), ...sweeps];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const newest = aVirtualMachine({
      id: virtualMachineId(7),
      name: safeText('sweep-07'),
      createdAt: epochMs(NOW - 10_000),
    });
    const other = aVirtualMachine({id: virtualMachineId(8), name: safeText('web-2'), createdAt: epochMs(NOW - 10_000)});
    const findingAt = (now: number, machines: readonly VirtualMachine[]) =>
      triage(account({usage, machines, volumes: [], anomaly, now: epochMs(now)})).findings.find(
        ({rule}) => rule === 'burn-anomaly',
      );
    const finding = findingAt(NOW, [newest, other]);
    expect(finding?.evidence.slice(0, 3)).toEqual([
      'still growing: one more every minute',
      'not billed yet: sweep-07',
      '6 new: sweep-*, +$300.00/h',
    ]);
    expect(finding?.machineIds).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(finding?.fixes).toHaveLength(7);
    // By then the last one came three minutes ago, and those before it a minute apart.
    expect(findingAt(NOW + 2 * MINUTE_MS, [])?.evidence[0]).toBe('6 new: sweep-*, +$300.00/h');
  });

  it.each([
    ['slowly', [75, 50, 25], 'still growing: one more every 25 min'],
    ['faster than before', [75, 50, 25, 1.5, 0.5], 'still growing: one more every minute'],
    ['not at all when all began at once', [0.1, 0.1, 0.1, 0.1], undefined],
    ['not at all when the next is long overdue', [90, 65, 60.5], undefined],
  ])('says how a step of the burn rate continues: %s', (_, minutesAgo, words) => {
    const sweeps = minutesAgo.map((minutes, index) => span(index + 1, `sweep-0${index}`, 100n, minutes / 60));
    const usage = [span(9, 'web', 40n, 24 * 40), span(8, 'sweep-old', 300n, 3), ...sweeps];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const {findings} = triage(account({usage, machines: [], volumes: [], anomaly}));
    const growing = findings.flatMap(({evidence}) => evidence.filter(each => each.startsWith('still growing')));
    expect(growing).toEqual(words === undefined ? [] : [words]);
  });

  it('says that a step continues even when all but its newest machine were hibernated', () => {
    const asleep = [75, 50, 2.5, 1.5].map((minutes, index) => ({
      ...span(index + 1, `sweep-0${index}`, 0n, minutes / 60),
      billedCost: usd(rational(1n, 1n)),
    }));
    const others = [span(9, 'web', 40n, 24 * 40), span(8, 'train', 100n, 4)];
    const usage = [...others, ...asleep, span(7, 'sweep-07', 300n, 0.5 / 60)];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const {findings} = triage(account({usage, machines: [], volumes: [], anomaly}));
    const finding = findings.find(({rule}) => rule === 'burn-anomaly');
    expect(finding?.evidence.slice(0, 2)).toEqual(['still growing: one more every minute', 'sweep-07, +$300.00/h']);
  });

  it('quotes a name that looks like an amount', () => {
    const usage = [span(9, 'web', 40n, 24 * 40), span(1, 'db, -$150.00/h', 150n, 4)];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const {findings} = triage(account({usage, machines: [], volumes: [], anomaly}));
    const finding = findings.find(({rule}) => rule === 'burn-anomaly');
    expect(finding?.evidence[0]).toBe('"db, -$150.00/h", +$150.00/h');
  });

  it('names first who started the machines that raised the burn rate, as far as the histories of the machines say', () => {
    const sweeps = [1, 2, 3].map(id => span(id, `sweep-0${id}`, 50n, 4));
    const usage = [span(9, 'web', 40n, 24 * 40), ...sweeps];
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW);
    const machines = sweeps.map(({resourceId, name}) => aVirtualMachine({id: virtualMachineId(resourceId), name}));
    const users = [{id: 5, name: safeText('Ines Albrecht'), grantedRoles: []}];
    const told = (creators: readonly (number | undefined)[]) => {
      const eventsOf: KnownAccount['eventsOf'] = ({id}) => {
        const userId = creators[id - 1];
        return userId === undefined ? undefined : [{...eventAgo(4 * HOUR_MS, 'InstanceCreationRequest'), userId}];
      };
      const {findings} = triage(account({usage, machines, volumes: [], anomaly, users, eventsOf}));
      const finding = findings.find(({rule}) => rule === 'burn-anomaly');
      return [finding?.evidence[0], finding?.advice];
    };
    const advice = 'hibernate or delete what is not needed.';
    expect(told([5, 5, 6])).toEqual([
      '3 new: sweep-*, +$150.00/h, started by Ines Albrecht and user 6',
      `Ask Ines Albrecht and user 6; ${advice}`,
    ]);
    expect(told([5, undefined, 5])).toEqual([
      '3 new: sweep-*, +$150.00/h, started by Ines Albrecht, as far as read',
      `Ask Ines Albrecht; ${advice}`,
    ]);
  });

  it('still names who started what raised the burn rate after those whose histories were read were hibernated', () => {
    const usageWith = (ids: readonly number[]) => [
      span(9, 'web', 40n, 24 * 40),
      ...ids.map(id => span(id, `sweep-0${id}`, 50n, 4)),
    ];
    const anomalyWith = (ids: readonly number[]) => burnAnomaly(spendCurve(usageWith(ids), NOW), NOW);
    const machines = [1, 2, 3, 4].map(id =>
      aVirtualMachine({id: virtualMachineId(id), name: safeText(`sweep-0${id}`)}),
    );
    const users = [{id: 5, name: safeText('Ines Albrecht'), grantedRoles: []}];
    const eventsOf: KnownAccount['eventsOf'] = ({id}) =>
      id <= 2 ? [{...eventAgo(4 * HOUR_MS, 'InstanceCreationRequest'), userId: 5}] : undefined;
    const incident = {
      usualPerHour: 40,
      peakPerHour: 240,
      peakAt: NOW - MINUTE_MS,
      since: NOW - 4 * HOUR_MS,
      endedAt: undefined,
      causes: anomalyWith([1, 2, 3, 4])?.causes ?? [],
      isEstimated: false,
    };
    const known = {usage: usageWith([3, 4]), machines, volumes: [], anomaly: anomalyWith([3, 4]), incident};
    const {findings} = triage(account({...known, users, eventsOf}));
    const finding = findings.find(({rule}) => rule === 'burn-anomaly');
    expect(finding?.advice).toBe('Ask Ines Albrecht; hibernate or delete what is not needed.');
  });

  it('names and fixes all running machines of a step, however small the share of each is', () => {
    // Each of the thirty at $10/h is a thirtieth of the step; two of them were hibernated since.
    const sweeps = Array.from({length: 30}, (_, index) => span(index + 1, `sweep-${index + 1}`, 10n, 4));
    const usage = [span(99, 'web', 40n, 24 * 40), ...sweeps];
    // Everything else burns $5/h less than usual now.
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW, 335);
    const machines = sweeps.map(({resourceId, name}) =>
      aVirtualMachine({
        id: virtualMachineId(resourceId),
        name,
        ...(resourceId <= 2 ? {status: 'HIBERNATED', statusText: safeText('HIBERNATED')} : {}),
      }),
    );
    const [finding] = triage(account({usage, machines, volumes: [], anomaly})).findings.filter(
      ({rule}) => rule === 'burn-anomaly',
    );
    expect(finding?.fixes?.map(({id}) => id)).toEqual(sweeps.slice(2).map(({resourceId}) => resourceId));
    expect(finding?.summary).toBe('burn rate up by $295.00/h');
    // The command is about the same machines as the key of the deck.
    const ids = sweeps.slice(2).map(({resourceId}) => resourceId);
    expect(finding?.commands[0]).toBe(`skydeck vm hibernate ${ids.join(' ')} --retain-ip`);
    expect(finding?.evidence.toSpliced(2, 1)).toEqual([
      '30 new: sweep-*, +$300.00/h',
      'everything else, -$5.00/h',
      '28 of 30 still run: sweep-3, sweep-4, sweep-5, sweep-6, sweep-7 and 23 more; not included: sweep-1 (HIBERNATED), sweep-2 (HIBERNATED)',
    ]);
  });

  it('says how many of those that began still run, after the usage of most says that they hibernate', () => {
    // Of seventeen at $10/h the usage bills fourteen as hibernated and three in full; two of these hibernate by now.
    const sweeps = Array.from({length: 17}, (_, index) => {
      const record = span(index + 1, `sweep-${index + 1}`, index < 3 ? 10n : 0n, 4);
      return index < 3 ? record : {...record, billedCost: usd(rational(40n, 1n))};
    });
    const usage = [span(99, 'web', 40n, 24 * 40), span(98, 'sweep-old', 0n, 24 * 20), ...sweeps];
    const machines = sweeps.map(({resourceId, name}) => {
      const status = resourceId === 1 ? 'ACTIVE' : resourceId <= 3 ? 'HIBERNATING' : 'HIBERNATED';
      return aVirtualMachine({id: virtualMachineId(resourceId), name, status, statusText: safeText(status)});
    });
    const anomaly = burnAnomaly(spendCurve(usage, NOW), NOW, 70);
    const told = (present: readonly VirtualMachine[], records = usage) => {
      const {findings} = triage(account({usage: records, machines: present, volumes: [], anomaly}));
      const {evidence = []} = findings.find(({rule}) => rule === 'burn-anomaly') ?? {};
      return evidence.filter(text => /new:|still run/.test(text));
    };
    expect(told(machines)).toEqual([
      '3 of 17 new: sweep-*, +$30.00/h',
      '1 of 17 still run: sweep-1; not included: sweep-2 (HIBERNATING), sweep-3 (HIBERNATING), sweep-4 (HIBERNATED), sweep-5 (HIBERNATED), sweep-6 (HIBERNATED), 11 more',
    ]);
    // One that is being created was not billed yet.
    const newest = {...span(18, 'sweep-18', 0n, 0.01), billedCost: usd(rational(0n, 1n))};
    const creating = aVirtualMachine({id: 18, name: newest.name, status: 'CREATING', createdAt: newest.createdAt});
    expect(told([...machines, creating], [...usage, newest])).toEqual(told(machines));
    // Ten of those that hibernated are deleted.
    const without = usage.map(record =>
      record.resourceId > 7 && record.resourceId < 18
        ? {...record, isActive: false, terminatedAt: epochMs(NOW - MINUTE_MS)}
        : record,
    );
    expect(told(machines.slice(0, 7), without)).toEqual([
      '3 of 17 new: sweep-*, +$30.00/h',
      '1 of 17 still run: sweep-1; not included: sweep-2 (HIBERNATING), sweep-3 (HIBERNATING), sweep-4 (HIBERNATED), sweep-5 (HIBERNATED), sweep-6 (HIBERNATED), 1 more, 10 deleted',
    ]);
  });

  it('keeps its beginning while a part of it is ended, in each of its sentences', () => {
    // Four at $10/h beside $20/h, begun five, four, three and two hours ago.
    const sinceWith = (endedIds: readonly number[]) => {
      const usage = [1, 2, 3, 4].map(id => {
        const record = span(id, `sweep-${id}`, 10n, 6 - id);
        return endedIds.includes(id)
          ? {...record, isActive: false, terminatedAt: epochMs(NOW - 10 * MINUTE_MS)}
          : record;
      });
      const all = [span(99, 'web', 20n, 24 * 40), ...usage];
      const curve = spendCurve(all, NOW);
      const [anomaly, incident] = [burnAnomaly(curve, NOW), burnIncident(curve, NOW)];
      const {findings} = triage(account({usage: all, machines: [], volumes: [], anomaly, incident}));
      const found = findings.find(({rule}) => rule === 'burn-anomaly');
      return [found?.summary, found?.since, ...(found?.evidence.filter(text => /now,|was up/.test(text)) ?? [])];
    };
    const told = ([[], [1], [1, 2]] as const).map(sinceWith);
    const peak = 'burn rate was up by $40.00/h: $60.00/h at 2026-11-20 11:50Z, since 2026-11-20 07:00Z';
    expect(told).toEqual([
      ['burn rate up by $40.00/h', NOW - 5 * HOUR_MS, '$60.00/h now, $20.00/h usually at this hour, exceeded for 5 h'],
      [
        'burn rate up by $30.00/h',
        NOW - 5 * HOUR_MS,
        '$50.00/h now, $20.00/h usually at this hour, exceeded for 5 h',
        peak,
      ],
      [
        'burn rate up by $20.00/h',
        NOW - 5 * HOUR_MS,
        '$40.00/h now, $20.00/h usually at this hour, exceeded for 5 h',
        peak,
      ],
    ]);
  });

  it.each<[string, number, boolean, readonly string[]]>([
    ['begins twenty-three hours ago', 23, false, ['the usage covers only 23 h; a day is needed']],
    ['begins a day ago', 24, false, []],
    ['lacks what was deleted', 24 * 40, true, ['the usage of deleted resources was not read']],
    ['is empty', Number.POSITIVE_INFINITY, false, []],
  ])('with usage that %s says whether the burn rate can be judged', (_, hoursAgo, lacksDeleted, expected) => {
    const month = {start: epochMs(Date.UTC(2026, 10, 1)), end: epochMs(Date.UTC(2026, 11, 1))};
    const curve = {startsAt: Number.isFinite(hoursAgo) ? NOW - hoursAgo * HOUR_MS : Number.POSITIVE_INFINITY};
    const spend = {burn: dollarsPerHour(10n), monthToDate: usd(rational(600n, 1n)), month, curve, lacksDeleted};
    const {unknown} = triage(account({usage: [], machines: [], volumes: [], spend}));
    expect(unknown.flatMap(({rule, reason}) => (rule === 'burn-anomaly' ? [reason] : []))).toEqual(expected);
  });

  it('reports what is billed but in no list, after both lists had time to agree', () => {
    const record = (createdAt: number) => ({
      resourceId: 99,
      resourceType: safeText('vm'),
      name: safeText('gone-1'),
      createdAt: epochMs(createdAt),
      rate: dollarsPerHour(2n),
      isActive: true,
      isExcludedFromBilling: false,
    });
    const known = {machines: [aMachine('ACTIVE')], volumes: []};
    expect(found({...known, usage: [record(NOW - 11 * MINUTE_MS)]})).toEqual([
      'warning: billed, but not in any list @ gone-1',
    ]);
    expect(found({...known, usage: [record(NOW - 10 * MINUTE_MS)]})).toEqual([]);
    expect(found({usage: [record(NOW - DAY_MS)]})).toEqual([]);
  });

  it('does not take a volume whose attachments could not be read for unattached, and says so', () => {
    const status = {status: 'AVAILABLE', statusText: safeText('available')} as const;
    const volume = {
      id: volumeId(3),
      name: safeText('scratch'),
      ...status,
      attachments: [],
      hasUnreadAttachments: true,
    } as const;
    const {findings, unknown} = triage(account({volumes: [volume]}));
    expect(findings).toEqual([]);
    expect(unknown).toContainEqual({
      rule: 'unattached-volume',
      reason: 'the attachments of 1 volume could not be read',
    });
  });

  it.each<[string, Partial<Volume>, readonly string[]]>([
    ['for seven days', {}, ['notice: unattached volume @ scratch']],
    ['for less than seven days', {updatedAt: epochMs(NOW - 7 * DAY_MS + 1)}, []],
    ['at no time, as it is attached', {status: 'IN_USE', attachments: [{machineId: aMachine('ACTIVE').id}]}, []],
  ])('with a volume unattached %s', (_, rest, expected) => {
    const volume: Volume = {
      id: volumeId(3),
      name: safeText('scratch'),
      status: 'AVAILABLE',
      statusText: safeText('available'),
      attachments: [],
      updatedAt: epochMs(NOW - 7 * DAY_MS),
      ...rest,
    };
    expect(found({volumes: [volume]})).toEqual(expected);
  });

  it.each([
    [500, ['skydeck volume delete 3']],
    [undefined, []],
  ])('offers to delete an unattached volume of %s GB only when its price is known', (sizeGb, commands) => {
    const volume: Volume = {
      id: volumeId(3),
      name: safeText('scratch'),
      status: 'AVAILABLE',
      statusText: safeText('available'),
      attachments: [],
      updatedAt: epochMs(NOW - 7 * DAY_MS),
      ...(sizeGb === undefined ? {} : {sizeGb}),
    };
    const [finding] = triage(account({volumes: [volume]})).findings;
    expect(finding?.rule).toBe('unattached-volume');
    expect(finding?.commands).toEqual(commands);
    expect(finding?.fixes ?? []).toHaveLength(commands.length);
  });

  it('reports a hibernated machine whose flavor is out of stock in its region', () => {
    const machines = [aMachine('HIBERNATED', {flavor: FLAVOR, regionName: safeText('CANADA-1')})];
    const flavor = (regionName: string, isInStock: boolean) => ({
      id: 1,
      name: FLAVOR.name,
      regionName: safeText(regionName),
      isInStock,
      labels: [],
    });
    expect(found({machines, flavors: [flavor('CANADA-1', false)]})).toEqual([
      'notice: flavor out of stock, hibernated @ gpu-7',
    ]);
    expect(found({machines, flavors: [flavor('CANADA-1', true), flavor('NORWAY-1', false)]})).toEqual([]);
  });

  it('cannot judge a hibernated machine when its flavor and the stock disagree, as after its own hibernation', () => {
    const machines = [aMachine('HIBERNATED', {flavor: FLAVOR, regionName: safeText('CANADA-1')})];
    const model = safeText('L40');
    const place = {model, regionName: safeText('CANADA-1')};
    const flavor = {id: 1, name: FLAVOR.name, gpuModel: model, gpuCount: 1, ...place, isInStock: false, labels: []};
    const stocked = (count: number) => [
      {...place, configurations: [{gpuCount: 1, available: {count, isAtLeast: false}}]},
    ];
    const judged = (count: number) => triage(account({machines, flavors: [flavor], stocks: stocked(count)}));
    expect(judged(0).findings).toHaveLength(1);
    expect(judged(7).findings).toEqual([]);
    expect(judged(7).unknown).toContainEqual({
      rule: 'out-of-stock',
      reason: 'the stock list and the flavor list disagree about gpu-7',
    });
  });
});

describe('the service', () => {
  const service = unreadAccount(NOW, DEFAULT_PREFERENCES).service;
  const reading = {what: safeText('machines'), intervalMs: 10_000};

  it.each<[string, Partial<KnownAccount['service']>, readonly string[]]>([
    ['clocks two minutes apart', {clockOffsetMs: 2 * MINUTE_MS}, []],
    ['clocks further apart', {clockOffsetMs: -121_000}, ['warning: clocks differ by 2 min @ the service']],
    ['89 of 100 requests', {requestsLastMinute: 89, requestCeiling: 100}, []],
    [
      '90 of 100 requests',
      {requestsLastMinute: 90, requestCeiling: 100},
      ['notice: 90 of 100 requests a minute @ the service'],
    ],
    [
      'a list that failed and was not read for five intervals',
      {readings: [{...reading, ageMs: 51_000, failure: {kind: 'timed-out', afterMs: 15_000}}]},
      ['warning: not read for 51 s @ machines'],
    ],
    [
      'a list that failed and was not read for two intervals',
      {readings: [{...reading, ageMs: 20_000, failure: {kind: 'timed-out', afterMs: 15_000}}]},
      [],
    ],
    ['a list that is old but did not fail', {readings: [{...reading, ageMs: 60_000, failure: undefined}]}, []],
    [
      'lists that the key may not read',
      {
        readings: ['firewalls', 'machines'].map(what => ({
          ...reading,
          what: safeText(what),
          isMachines: what === 'machines',
          ageMs: undefined,
          failure: {kind: 'not-authorised', httpStatus: 403, message: safeText('forbidden')} as const,
        })),
      },
      ['critical: no permission to read it @ machines', 'warning: no permission to read it @ firewalls'],
    ],
    ...(
      [
        ['service-error', {kind: 'service-error', httpStatus: 500, message: safeText('oops')}, 'not read for'],
        ['permission', {kind: 'not-authorised', httpStatus: 403, message: safeText('no')}, 'no permission to read it'],
      ] as const
    ).flatMap(([name, failure, words]): [string, Partial<KnownAccount['service']>, readonly string[]][] => {
      const since = (ageMs: number | undefined) => ({readings: [{...reading, isMachines: true, ageMs, failure}]});
      const unread = name === 'permission' ? words : 'cannot be read';
      const told = (ago: string) => (name === 'permission' ? words : `${words} ${ago}`);
      return [
        [`machines failing for a short time: ${name}`, since(60_000), [`warning: ${told('1 min')} @ machines`]],
        [`machines failing for over two minutes: ${name}`, since(121_000), [`critical: ${told('2 min')} @ machines`]],
        [`machines that were never read: ${name}`, since(undefined), [`critical: ${unread} @ machines`]],
      ];
    }),
    [
      'a key that is not accepted, whatever is read with it',
      {
        readings: ['machines', 'volumes'].map(what => ({
          ...reading,
          what: safeText(what),
          ageMs: undefined,
          failure: {kind: 'not-authorised', httpStatus: 401, message: safeText('no such key')} as const,
        })),
      },
      ['critical: the key or its role is not accepted @ the service'],
    ],
  ])('with %s', (_, rest, expected) => {
    expect(found({service: {...service, ...rest}})).toEqual(expected);
  });
});

it('the advice about the requests of this skydeck is not about other decks, which have a limit of their own', () => {
  const {findings} = triage(
    account({service: {clockOffsetMs: 0, requestsLastMinute: 93, requestCeiling: 100, readings: []}}),
  );
  expect(findings.map(({advice}) => advice)).toEqual([
    'Data is read less often until these requests are a minute old. If it lasts, open fewer machines and send smaller batches. The limit is of this skydeck alone.',
  ]);
});

it('the advice about a list under the request limit is about that limit', () => {
  const adviceOf = (ageMs: number | undefined) => {
    const readings = [
      {what: safeText('machines'), intervalMs: 10_000, ageMs, failure: {kind: 'rate-limited'} as const},
    ];
    const quiet = {clockOffsetMs: 0, requestsLastMinute: 0, requestCeiling: 100};
    return triage(account({service: {...quiet, readings}})).findings.map(({advice}) => advice);
  };
  expect(adviceOf(undefined)).toEqual([
    'It was never read. The request limit of this address is used up: close other decks and scripts behind it.',
  ]);
  expect(adviceOf(51_000)).toEqual([
    'What is shown for it is old. skydeck keeps trying; the request limit of this address is used up: close other decks and scripts behind it.',
  ]);
});

it('a list that was never read has no old data on screen, and a command that ends does not try again', () => {
  const failure = {kind: 'timed-out', afterMs: 15_000} as const;
  const adviceOf = (ageMs: number | undefined) => {
    const readings = [{what: safeText('machines'), intervalMs: 10_000, ageMs, failure}];
    const quiet = {clockOffsetMs: 0, requestsLastMinute: 0, requestCeiling: 100};
    return triage(account({service: {...quiet, readings}})).findings.map(({advice}) => advice);
  };
  const {findings} = triage(
    account({
      service: {
        clockOffsetMs: 0,
        requestsLastMinute: 0,
        requestCeiling: 100,
        readings: [{what: safeText('machines'), intervalMs: 10_000, ageMs: 51_000, failure}],
      },
    }),
  );
  expect(findings).toMatchObject([{since: NOW - 51_000}]);
  expect(adviceOf(undefined)).toEqual(['It was never read. Check whether the service or the connection is down.']);
  expect(adviceOf(51_000)).toEqual([
    'What is shown for it is old. skydeck keeps trying; check whether the service or the connection is down.',
  ]);
});

describe('the order of findings', () => {
  it('is by severity, then by cost, then by name', () => {
    const machines = [1, 2, 3, 4].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), status: 'SHUTOFF'}));
    const rates = new Map([
      [2, dollarsPerHour(1n)],
      [3, dollarsPerHour(9n)],
    ]);
    const {findings} = triage(account({machines, rates, clusters: [aCluster({status: 'ERROR'})]}));
    expect(findings.map(({subject}) => subject.name)).toEqual(['k8s', 'gpu-3', 'gpu-2', 'gpu-1', 'gpu-4']);
  });

  it('does not depend on the order of the machines', () => {
    const machines = (['ERROR', 'SHUTOFF', 'ACTIVE'] as const).map((status, index) =>
      aVirtualMachine({id: index + 1, status, rules: [aRule()]}),
    );
    expect(found({machines: [...machines].reverse()})).toEqual(found({machines}));
  });
});

describe('similar findings', () => {
  const stopped = (...names: readonly string[]): readonly Finding[] =>
    triage(
      account({
        machines: names.map((name, index) => aVirtualMachine({id: index + 1, name: safeText(name), status: 'SHUTOFF'})),
        rates: new Map(names.map((_, index) => [index + 1, dollarsPerHour(2n)])),
      }),
    ).findings;

  it('are one line when there are three, with their count and the sum of their rates', () => {
    expect(alikeFindings(stopped('sweep-01', 'sweep-02'))).toHaveLength(2);
    expect(alikeFindings(stopped('sweep-01', 'sweep-02', 'sweep-10'))).toMatchObject([
      {where: 'sweep-* (3)', summary: 'SHUTOFF but billed in full', rate: dollarsPerHour(6n)},
    ]);
  });

  it('are apart where they are fixed in another way, as a node of a cluster is', () => {
    const [node, ...machines] = stopped('etl', 'web', 'db', 'api');
    assert(node !== undefined);
    const other = {...node, commands: [safeText('skydeck cluster node-group resize 31 2')]};
    expect(
      alikeFindings([other, ...machines])
        .map(({where}) => where)
        .toSorted(),
    ).toEqual(['3 machines', 'etl']);
  });

  it('are shown as a count when their names have nothing in common', () => {
    expect(alikeFindings(stopped('etl', 'web', 'db'))).toMatchObject([{where: '3 machines'}]);
  });

  it('are named, as many as wanted, with the number of the others', () => {
    const findings = stopped('etl', 'web', 'db');
    expect(memberNames(findings, {maxCount: 3})).toBe('etl, web, db');
    expect(memberNames(findings, {maxCount: 2, withIds: true})).toBe('etl #1, web #2 and 1 more');
  });

  it('get one command for all where it takes several ids, otherwise the commands one after the other', () => {
    expect(commandForAll(stopped('etl'))).toBe('skydeck vm start 1 --wait && skydeck vm hibernate 1 --retain-ip');
    expect(commandForAll(stopped('etl', 'web', 'db'))).toBe(
      'skydeck vm start 1 2 3 --wait && skydeck vm hibernate 1 2 3 --retain-ip',
    );
    const [aFinding] = stopped('etl');
    assert(aFinding !== undefined);
    const withCommand = (command: (id: number) => string): readonly Finding[] =>
      [7, 77].map(id => ({
        ...aFinding,
        subject: {type: 'vm', id, name: safeText(`vm-${id}`)},
        commands: [safeText(command(id))],
      }));
    expect(commandForAll(withCommand(id => `skydeck metrics ${id} --duration 1d`))).toBe(
      'skydeck metrics 7 --duration 1d && skydeck metrics 77 --duration 1d',
    );
    expect(commandForAll(withCommand(() => 'skydeck get stock'))).toBe('skydeck get stock');
    expect(commandForAll(withCommand(id => `skydeck rule remove ${id + 1} --vm ${id}`))).toBe(
      'skydeck rule remove 8 --vm 7 && skydeck rule remove 78 --vm 77',
    );
    expect(commandForAll([{...aFinding, commands: []}])).toBeUndefined();
    // A node of a cluster is not hibernated, so its own command follows that of the others.
    const [ssh] = withCommand(id => `skydeck ssh ${id}`);
    assert(ssh !== undefined);
    expect(commandForAll([ssh, ...stopped('etl', 'web')])).toBe(
      'skydeck ssh 7 && skydeck vm start 1 2 --wait && skydeck vm hibernate 1 2 --retain-ip',
    );
  });

  it('are all kept when they are grouped', () => {
    const findings = stopped('a-1', 'a-2', 'a-3', 'b', 'c');
    expect(alikeFindings(findings).flatMap(group => group.findings)).toHaveLength(findings.length);
  });
});

it('counts what costs money once, however many findings are about it', () => {
  const [machine] = triage(
    account({machines: [aMachine('SHUTOFF')], rates: new Map([[7, dollarsPerHour(3n)]])}),
  ).findings;
  assert(machine !== undefined);
  const volume = {
    ...machine,
    subject: {type: 'volume' as const, id: 7, name: safeText('data')},
    rate: dollarsPerHour(1n),
  };
  const whole = {...machine, subject: {type: 'account' as const, name: safeText('account')}, rate: dollarsPerHour(10n)};
  expect(costOfAll([machine, {...machine, rule: 'saturated'}, volume])).toEqual({
    rate: dollarsPerHour(4n),
    isRateAtLeast: false,
  });
  // The ten dollars of the account include those of the machine.
  const part = {...volume, isRateAtLeast: true};
  expect(costOfAll([machine, part])).toEqual({rate: dollarsPerHour(4n), isRateAtLeast: true});
  expect(costOfAll([part, whole, {...whole, rule: 'credit-runway'}])).toEqual({
    rate: dollarsPerHour(10n),
    isRateAtLeast: false,
  });
  expect(costOfAll([])).toEqual({rate: undefined, isRateAtLeast: false});
});

describe('a resource that is billed but in no list', () => {
  const usage = [
    {
      resourceId: 8,
      resourceType: safeText('vm'),
      name: safeText('gone'),
      createdAt: epochMs(NOW - DAY_MS),
      rate: dollarsPerHour(2n),
      isActive: true,
      isExcludedFromBilling: false,
    },
  ];

  it('is reported', () => {
    expect(found({usage, machines: [], volumes: []})).toEqual(['warning: billed, but not in any list @ gone']);
  });

  it('is not reported when a part of the list is missing, as it may be there', () => {
    const partial = new Map([['machines', [safeText('the list of machines is not complete')]]] as const);
    const {findings, unknown} = triage(account({usage, machines: [], volumes: [], partial}));
    expect(findings).toEqual([]);
    for (const rule of ['ghost-spend', 'open-to-world', 'rule-pending'])
      expect(unknown).toContainEqual({rule, reason: 'the list of machines is not complete'});
  });
});

/** What the list shows of a summary at 80 columns when it is cut for long names: 24 cells, the last one the mark. */
const cutAt80 = (summary: string) => (summary.length <= 24 ? summary : summary.slice(0, 23));

test.each<[name: string, known: Partial<KnownAccount>, cut: RegExp]>([
  ['what deletes, and when', {contracts: [aContract(5)]}, /deletion in 5d/],
  ['a deletion within a day', {contracts: [aContract(0.5)]}, /deletion within a day/],
  [
    'a deletion that is only possible',
    {contracts: [aContract(12, {expirationPolicy: expirationPolicy(2)})]},
    /may delete in 12d/,
  ],
  ['how long the credit lasts', {runway: aRunway({leftMs: 40 * HOUR_MS})}, /40 h/],
  [
    'how long the credit lasts at most',
    {runway: aRunway({leftMs: 10 * HOUR_MS, isAtMost: true, hasUnpriced: true})},
    /10 h/,
  ],
  [
    'when the credit may end',
    {runway: aRunway({leftMs: 60 * HOUR_MS, isAtMost: true, atListMs: 40 * HOUR_MS})},
    /may end in 40 h/,
  ],
  [
    'that ports are open',
    {
      machines: [aMachine('ACTIVE', {floatingIp: safeText('203.0.113.7')})],
      firewalls: [
        aFirewall({
          rules: [22, 3389, 5432].map((port, index) =>
            aRule({id: 501 + index, portRangeMin: port, portRangeMax: port}),
          ),
        }),
      ],
    },
    /open to the world/,
  ],
])('a summary cut at 80 columns still says %s', (_name, known, cut) => {
  const [first] = triage(account(known)).findings;
  expect(cutAt80(first?.summary ?? '')).toMatch(cut);
});

test('an unread account has no findings, and every rule that needs a reading is listed as not judged', () => {
  const {findings, unknown} = triage(unreadAccount(NOW, DEFAULT_PREFERENCES));
  expect(findings).toEqual([]);
  // A budget that nobody has set needs no judgement, and the state of our own requests is always known.
  const needNothing = ['budget-crossing', 'key-refused', 'missing-permission', 'request-ceiling', 'stale-readings'];
  const rules = TRIAGE_RULES.map(({id}) => id).filter(id => !needNothing.includes(id));
  // One that needs two lists says so of each.
  expect([...new Set(unknown.map(({rule}) => rule))]).toEqual(rules);
  expect(unjudgedCount(unknown)).toBe(rules.length);
});

test('what was not checked is told by reason, each once, and only what is missing is named', () => {
  const [late, silent] = [7, 8].map(id =>
    aVirtualMachine({id, name: safeText(`gpu-${id}`), createdAt: epochMs(NOW - 3 * DAY_MS)}),
  );
  if (late === undefined || silent === undefined) throw new Error('no machines');
  const old = [{sampledAt: epochMs(NOW - HOUR_MS), value: 1}];
  const {unknown} = triage(
    account({
      machines: [late, silent],
      usage: [],
      volumes: undefined,
      firewalls: [],
      metricsOf: ({id}) => (id === silent.id ? {cpu: old} : undefined),
    }),
  );
  const told = unjudgedWords(unknown);
  const about = (what: RegExp) => told.filter(line => what.test(line));
  expect(about(/metrics of gpu-7/)).toHaveLength(1);
  expect(about(/metrics of gpu-7/)[0]).toMatch(/full CPU or memory.*: the metrics of gpu-7 were not read$/);
  expect(about(/metrics of gpu-8/)[0]).toMatch(/full CPU or memory.*: the metrics of gpu-8 are not current$/);
  expect(about(/^[A-Za-z ,]*what is billed but not listed/)).toEqual([
    expect.stringMatching(/: the list of volumes was not read$/),
  ]);
});

test('each rule has an id of its own', () => {
  const ids = TRIAGE_RULES.map(({id}) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a finding about something that costs nothing now has no rate', () => {
  const [failed] = triage(account({machines: [aMachine('ERROR')], rates: new Map([[7, dollarsPerHour(0n)]])})).findings;
  expect(failed).toMatchObject({rule: 'machine-in-error'});
  expect(failed).not.toHaveProperty('rate');
});

describe('a rule that reads the state of a machine', () => {
  it.each(TRIAGE_RULES.map(rule => [rule.id, rule] as const))('%s says which states were not read', (_id, rule) => {
    let readCount = 0;
    const machine = {...aVirtualMachine({id: 7})};
    const {status} = machine;
    Object.defineProperty(machine, 'status', {
      get: () => {
        readCount += 1;
        return status;
      },
    });
    const lists = {volumes: [], clusters: [], firewalls: [], contracts: [], flavors: []};
    rule.judge({...unreadAccount(epochMs(0), DEFAULT_PREFERENCES), ...lists, machines: [machine]});
    const advice = `${rule.id}: set needsState where a rule reads the state of a machine, and only there`;
    expect(rule.needsState === true, advice).toBe(readCount > 0);
  });
});
