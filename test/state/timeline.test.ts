import {describe, expect, test} from 'vitest';
import type {ParsedRecord} from '../../src/api/endpoint.ts';
import {listFirewalls} from '../../src/api/firewalls.ts';
import {listVirtualMachines} from '../../src/api/virtual-machines.ts';
import {listVolumes} from '../../src/api/volumes.ts';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import {hourlyUsd} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import type {Finding} from '../../src/domain/triage/finding.ts';
import type {TimelineEntry} from '../../src/domain/timeline/entry.ts';
import type {MachineEvent, VirtualMachine} from '../../src/domain/virtual-machine.ts';
import {allListChanges} from '../../src/resources/resources.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import type {Feed, Listing} from '../../src/state/feed.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {listChanges} from '../../src/state/list-changes.ts';
import {eventsFeed, machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {createStore} from '../../src/state/store.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {machinesByNews, presentTimeline, SeenChanges} from '../../src/state/timeline.ts';
import {dueMetrics, learnActivity, presentTriage, unreadMetrics} from '../../src/state/triage.ts';
import {A_FLAVOR, aRule, aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from './a-machine.ts';

const START = epochMs(Date.UTC(2026, 10, 20, 2, 10));
const POLL_MS = 10 * SECOND_MS;

/** Polls ten seconds apart, each examined a second after it began. */
function watch() {
  const store = createStore();
  const changes = new SeenChanges(allListChanges());
  let pollCount = 0;
  const momentAt = (count: number) => ({
    store,
    now: epochMs(START + count * POLL_MS + SECOND_MS),
    monotonicNow: monotonicMs(count * POLL_MS + SECOND_MS),
    preferences: DEFAULT_PREFERENCES,
  });
  const write = <R>(feed: Feed<Listing<R>>, listing: Listing<R>) => {
    pollCount += 1;
    store.writeValue(feed, listing, monotonicMs(pollCount * POLL_MS));
    // As the pane that shows findings does.
    presentTriage(momentAt(pollCount));
    changes.compare(momentAt(pollCount));
  };
  return {
    changes,
    at: momentAt,
    /** A list read in a poll, which nobody looks at yet. */
    read: <R>(count: number, feed: Feed<Listing<R>>, records: readonly R[]) =>
      store.writeValue(feed, {records, quarantined: []}, monotonicMs(count * POLL_MS)),
    moment: () => momentAt(pollCount),
    write,
    poll: <R>(feed: Feed<Listing<R>>, records: readonly R[], rest: Partial<Listing<R>> = {}) =>
      write(feed, {records, quarantined: [], ...rest}),
    told: () => changes.entries().map(({subjects: [{name}], what}) => `${name}: ${what}`),
  };
}

function aFinding(rest: Pick<Finding, 'rule' | 'subject'>): Finding {
  return {...rest, severity: 'critical', summary: safeText(''), evidence: [], advice: safeText(''), commands: []};
}

function aMachine(rest: Partial<Omit<VirtualMachine, 'id'>> = {}): VirtualMachine {
  return aVirtualMachine({id: 3, name: safeText('train-03'), ...rest});
}

const EDGE: Firewall = {
  id: firewallId(5),
  name: safeText('edge'),
  status: 'SUCCESS',
  statusText: safeText('SUCCESS'),
  rules: [aRule()],
  attachments: [],
};

/** As the service sends it. */
function parsed<R>({record}: {readonly record: (raw: unknown) => ParsedRecord<R>}, raw: object): R {
  const read = record(raw);
  if (!read.ok) throw new Error(read.fields.join());
  return read.value;
}

test.each<[string, object]>([
  ['malformed', {status: 'in-use', attachments: '?'}],
  ['malformed on a volume that is available', {status: 'available', attachments: '?'}],
  ['absent from a volume in use', {status: 'in-use'}],
])('attachments of a volume that are %s have not ended', (_, odd) => {
  const {poll, told} = watch();
  const attachments = [{id: 1, instance_id: 7, status: 'ATTACHED'}];
  const volume = {id: 5, name: 'data', status: 'in-use', attachments};
  for (const raw of [volume, {...volume, attachments: undefined, ...odd}, volume])
    poll(volumesFeed, [parsed(listVolumes, raw)]);
  expect(told().filter(each => each.includes('machine'))).toEqual([]);
});

test.each([
  ['malformed', '?'],
  ['partly malformed', [null]],
  ['absent', undefined],
])('rules that are %s were not removed', (_, odd) => {
  const {poll, told} = watch();
  const rules = [{id: 1, direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22}];
  for (const each of [rules, odd, rules]) {
    poll(machinesFeed, [parsed(listVirtualMachines, {id: 3, name: 'gpu', status: 'ACTIVE', security_rules: each})]);
    poll(firewallsFeed, [parsed(listFirewalls, {id: 5, name: 'edge', status: 'SUCCESS', rules: each})]);
  }
  expect(told()).toEqual([]);
});

test.each([
  ['absent', undefined],
  ['malformed', {}],
  ['no address', '?'],
])('an address that is %s was neither detached nor attached', (_, odd) => {
  const {poll, told} = watch();
  for (const address of ['185.0.0.1', odd, '185.0.0.1'])
    poll(machinesFeed, [parsed(listVirtualMachines, {id: 3, name: 'gpu', status: 'ACTIVE', floating_ip: address})]);
  expect(told()).toEqual([]);
});

test.each([null, ''])('an address given as %j was detached', none => {
  const {poll, told} = watch();
  for (const address of ['185.0.0.1', none])
    poll(machinesFeed, [parsed(listVirtualMachines, {id: 3, name: 'gpu', status: 'ACTIVE', floating_ip: address})]);
  expect(told()).toEqual(['gpu: address detached: 185.0.0.1']);
});

describe('the change of the burn rate by a creation', () => {
  const NOW = epochMs(START);
  const createdAt = epochMs(NOW - 2 * MINUTE_MS);
  const told = (machine: VirtualMachine, usage: readonly UsageRecord[]) => {
    const {at, read} = watch();
    const event = (reason: string, seconds: number): MachineEvent => ({
      reason: safeText(reason),
      message: safeText(reason),
      occurredAt: epochMs(createdAt + seconds * SECOND_MS),
    });
    read(0, machinesFeed, [machine]);
    read(0, usageFeed, usage);
    read(0, contractsFeed, []);
    read(0, eventsFeed(machine.id), [event('createInstance', 0), event('InstanceCreationSuccess', 90)]);
    const entries = presentTimeline({
      known: {...at(0), now: NOW},
      since: epochMs(NOW - HOUR_MS),
      sent: [],
      changes: undefined,
      ownUserId: undefined,
    });
    return entries?.filter(({source}) => source === 'event') ?? [];
  };
  const ratesOf = (entries: readonly TimelineEntry[]) =>
    entries.map(({rateChange, isEstimated, isUnpriced}) => [
      rateChange && hourlyUsd(rateChange),
      isEstimated === true,
      isUnpriced === true,
    ]);
  const CREATING = aMachine({status: 'CREATING', flavor: A_FLAVOR, createdAt});
  const record = (perHour: string) => ({...aUsageRecord(3, perHour), createdAt});

  test.each<[string, VirtualMachine, readonly UsageRecord[]]>([
    ['before it is metered', CREATING, []],
    ['while it is created, which is free', CREATING, [record('0')]],
    ['before usage is read again', {...CREATING, status: 'ACTIVE'}, [record('0')]],
  ])('is the price of its flavor, shown with its first entry: %s', (_, machine, usage) => {
    const entries = told(machine, usage);
    // An L40 is $1.00 an hour.
    expect(ratesOf(entries)).toEqual([
      [undefined, false, false],
      [1, true, false],
    ]);
    expect(entries.at(-1)?.notes).toContain('the change of the burn rate is its price: it is not metered yet');
  });

  test('is what is metered, once it is', () => {
    expect(ratesOf(told({...CREATING, status: 'ACTIVE'}, [record('0.9')]))).toEqual([
      [undefined, false, false],
      [0.9, false, false],
    ]);
  });

  test('is unknown, with the reason, if neither is known', () => {
    const {flavor: _, ...unknown} = CREATING;
    const entries = told(unknown, []);
    expect(ratesOf(entries)).toEqual([
      [undefined, false, false],
      [undefined, false, true],
    ]);
    expect(entries.at(-1)?.notes).toContain(
      'the change of the burn rate is unknown: it is not metered yet, and has no known price',
    );
  });

  test('is nothing for a machine that failed, or is not billed', () => {
    const none = [
      [undefined, false, false],
      [undefined, false, false],
    ];
    expect(ratesOf(told({...CREATING, status: 'ERROR'}, []))).toEqual(none);
    expect(ratesOf(told(CREATING, [{...record('0'), isExcludedFromBilling: true}]))).toEqual(none);
  });
});

test('a change with unreadable readings between is told, since the last readable one', () => {
  const {poll, changes, at} = watch();
  const machine = (floating_ip: unknown, flavor: object | undefined, rest: object = {}) =>
    parsed(listVirtualMachines, {id: 3, name: 'gpu', status: 'ACTIVE', floating_ip, flavor, ...rest});
  const rule = (port: number) => [
    {
      id: port,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: port,
      port_range_max: port,
      remote_ip_prefix: '10.0.0.0/8',
    },
  ];
  const readings = [
    machine('185.0.0.1', {name: 'n3-L40x1'}, {security_rules: rule(22)}),
    machine('?', undefined, {security_rules: '?'}),
    // Something else has changed meanwhile, and nothing is told of what stays unreadable.
    machine('?', undefined, {security_rules: '?', is_locked: true}),
    undefined,
    machine('185.0.0.2', {name: 'n3-L40x2'}, {security_rules: rule(443)}),
  ];
  for (const each of readings) poll(machinesFeed, each === undefined ? [] : [each]);
  expect(changes.entries().map(({what, after, at: until}) => ({what, after, at: until}))).toEqual(
    [
      'flavor n3-L40x1 \u2192 n3-L40x2',
      'rule added: ingress tcp/443 10.0.0.0/8',
      'rule removed: ingress tcp/22 10.0.0.0/8',
      'address attached: 185.0.0.2',
      'address detached: 185.0.0.1',
    ].map(what => ({what, after: at(1).now - SECOND_MS, at: at(5).now - SECOND_MS})),
  );
});

test('a volume is attached to a machine by its name, or by its id where that is not known', () => {
  const {poll, told} = watch();
  const volume = {id: 5, name: 'data', status: 'in-use'};
  const attachment = (id: number) => ({instance_id: id, status: 'ATTACHED'});
  poll(machinesFeed, [aMachine()]);
  poll(volumesFeed, [parsed(listVolumes, {...volume, attachments: [attachment(4)]})]);
  poll(volumesFeed, [parsed(listVolumes, {...volume, attachments: [attachment(3)]})]);
  expect(told()).toEqual(['data: attached to machine: train-03', 'data: detached from machine: #4']);
});

test('the history of a large account is complete, down to its oldest entry', () => {
  const {at, read} = watch();
  // What begins within five minutes would be one entry.
  const records = Array.from({length: 2500}, (_, index) => ({
    ...aUsageRecord(index + 1, '1.00'),
    createdAt: epochMs(START - (index + 1) * 6 * MINUTE_MS),
  }));
  read(0, usageFeed, records);
  const entries = presentTimeline({
    known: at(1),
    since: epochMs(0),
    sent: [],
    changes: undefined,
    ownUserId: undefined,
  });
  const told = new Set(entries?.flatMap(({subjects}) => subjects.map(({id}) => id)));
  expect(records.filter(({resourceId}) => !told.has(resourceId))).toEqual([]);
});

test('what the service tells of a large account is looked up once a reading, and not for every key', () => {
  const {at, read} = watch();
  const machines = Array.from({length: 1000}, (_, index) =>
    aVirtualMachine({id: index + 1, name: safeText(`n-${index}`)}),
  );
  read(0, machinesFeed, machines);
  read(
    0,
    usageFeed,
    machines.map(({id}) => aUsageRecord(id, '1.00')),
  );
  const moment = at(1);
  let lookups = 0;
  const get: typeof moment.store.get = feed => {
    lookups += 1;
    return moment.store.get(feed);
  };
  const store = {...moment.store, get};
  const look = () => {
    lookups = 0;
    presentTimeline({
      known: {...moment, store},
      since: epochMs(0),
      sent: [],
      changes: undefined,
      ownUserId: undefined,
    });
    unreadMetrics({store, preferences: DEFAULT_PREFERENCES});
    return lookups;
  };
  expect(look()).toBeGreaterThan(machines.length);
  expect(look()).toBeLessThan(100);
});

test('a machine was last seen in another state when the list was read, not when it was judged', () => {
  const {read, at} = watch();
  const activity = new LearntActivity(undefined);
  const machine = aMachine({status: 'ACTIVE'});
  const judge = (count: number) => {
    learnActivity({...at(count), activity});
    presentTriage({...at(count), activity});
  };
  read(0, machinesFeed, [machine]);
  // The list fails to be read for ten minutes, and is judged again and again.
  for (const count of [0, 20, 40, 59]) judge(count);
  read(60, machinesFeed, [{...machine, status: 'SHUTOFF'}]);
  judge(60);
  expect(activity.changedAfter(machine)).toBe(START);
});

test('judging learns nothing about the past of machines', () => {
  const {moment, poll} = watch();
  const activity = new LearntActivity(undefined);
  const machine = aMachine({status: 'ACTIVE', flavor: A_FLAVOR, createdAt: epochMs(START - 20 * DAY_MS)});
  const cpu = Array.from({length: 15 * 24}, (_, hour) => ({
    sampledAt: epochMs(START - (15 * 24 - 1 - hour) * HOUR_MS),
    value: 0,
  }));
  poll(machinesFeed, [machine]);
  moment().store.writeValue(metricsFeed(machine.id, '15d'), {cpu}, monotonicMs(0));
  presentTriage({...moment(), activity});
  expect(activity.isLong(machine)).toBe(false);
  learnActivity({...moment(), activity});
  expect(activity.isLong(machine)).toBe(true);
});

test('metrics are not read for triage before it is known which machines cost the most', () => {
  const {read, at} = watch();
  const machines = [1, 2, 3].map(id => aVirtualMachine({id, name: safeText(`n-${id}`), status: 'ACTIVE'}));
  const due = (count: number) =>
    dueMetrics({...at(count), preferences: {...DEFAULT_PREFERENCES, judgedMachineCount: 1}}).map(({of}) => of[0]);
  read(0, machinesFeed, machines);
  expect(due(0)).toEqual([]);
  read(1, usageFeed, [aUsageRecord(1, '1.00'), aUsageRecord(2, '3.00'), aUsageRecord(3, '2.00')]);
  expect(due(1)).toEqual([2]);
});

test('the history of one object has its own moments, and not those of what began beside it', () => {
  const {at, read} = watch();
  const began = (minutesAgo: number) => epochMs(START - minutesAgo * MINUTE_MS);
  read(0, usageFeed, [
    {...aUsageRecord(1, '1.00'), createdAt: began(10)},
    {...aUsageRecord(2, '1.00'), createdAt: began(8)},
  ]);
  const told = (about?: readonly {type: 'vm'; id: number; name: ReturnType<typeof safeText>}[]) =>
    presentTimeline({known: at(1), since: epochMs(0), sent: [], changes: undefined, ownUserId: undefined, about})
      ?.filter(({source}) => source === 'billing')
      .map(entry => [entry.subjects.length, entry.at]);
  expect(told()).toEqual([[2, began(10)]]);
  expect(told([{type: 'vm', id: 2, name: safeText('gpu-2')}])).toEqual([[1, began(8)]]);
});

test('a finding proved by a reading stays until a newer reading, and is not reported as ended', () => {
  const {poll, told, moment} = watch();
  const machine = aMachine({flavor: A_FLAVOR, createdAt: epochMs(START - DAY_MS)});
  const feed = metricsFeed(machine.id, '1d');
  // A sample a minute up to the reading, with all of its 128 GB in use.
  const memory = Array.from({length: 60}, (_, index) => ({
    sampledAt: epochMs(START - (59 - index) * MINUTE_MS),
    value: 128 * 1024 ** 3,
  }));
  poll(machinesFeed, [machine]);
  moment().store.writeValue(feed, {memory}, monotonicMs(0));
  const rules = () => presentTriage(moment()).findings.map(({rule}) => rule);
  expect(rules()).toContain('saturated');
  // Twenty minutes of polls of the list alone.
  for (let count = 0; count < 120; count += 1) poll(machinesFeed, [machine]);
  expect(rules()).toContain('saturated');
  expect(told().filter(each => each.includes('ended'))).toEqual([]);
});

describe('a difference between two readings', () => {
  test('is reported with both times; the first reading reports nothing', () => {
    const {poll, told, changes} = watch();
    poll(machinesFeed, [aMachine()]);
    expect(told()).toEqual([]);
    poll(machinesFeed, [aMachine({status: 'ERROR'})]);
    expect(told()).toEqual(['train-03: ACTIVE → ERROR']);
    expect(changes.entries()[0]).toMatchObject({
      after: START + POLL_MS,
      at: START + 2 * POLL_MS,
      isTrouble: true,
    });
  });

  test('lies after the last reading without it, though those before gave the same answer', () => {
    const {write, changes} = watch();
    const quiet = {records: [aMachine()], quarantined: []};
    for (let count = 0; count < 3; count += 1) write(machinesFeed, quiet);
    write(machinesFeed, {...quiet, records: [aMachine({status: 'ERROR'})]});
    expect(changes.entries()[0]).toMatchObject({after: START + 3 * POLL_MS, at: START + 4 * POLL_MS});
  });

  test.each<[string, Partial<VirtualMachine>, Partial<VirtualMachine>, readonly string[]]>([
    [
      'a flavor',
      {flavor: A_FLAVOR},
      {flavor: {...A_FLAVOR, name: safeText('n3-L40x2')}},
      ['flavor n3-L40x1 → n3-L40x2'],
    ],
    ['an address', {}, {floatingIp: safeText('203.0.113.7')}, ['address attached: 203.0.113.7']],
    ['an address taken away', {floatingIp: safeText('203.0.113.7')}, {}, ['address detached: 203.0.113.7']],
    ['a label', {labels: [safeText('a')]}, {labels: [safeText('b')]}, ['label added: b', 'label removed: a']],
    ['a rule added during creation', {}, {rules: [aRule()]}, ['rule added: ingress tcp/22 0.0.0.0/0']],
    ['a missing field', {status: 'CREATING'}, {status: 'CREATING', rules: [aRule()]}, []],
    ['a field left out', {flavor: A_FLAVOR, powerState: safeText('RUNNING')}, {}, []],
    ['a contract', {}, {contractId: 12}, ['contract added: #12']],
    ['volumes that cannot be read', {volumes: [{name: safeText('data')}]}, {hasUnreadVolumes: true}, []],
    ['a contract that cannot be read', {contractId: 12}, {hasUnreadContract: true}, []],
    ['labels that cannot be read', {labels: [safeText('a')]}, {hasUnreadLabels: true}, []],
  ])('of a machine: %s', (_, before, is, expected) => {
    const {poll, told} = watch();
    poll(machinesFeed, [aMachine(before)]);
    poll(machinesFeed, [aMachine(is)]);
    expect(told()).toEqual(expected.map(each => `train-03: ${each}`));
  });

  test('of a firewall: its rules and attachments', () => {
    const {poll, told} = watch();
    poll(firewallsFeed, [EDGE]);
    poll(firewallsFeed, [
      {...EDGE, rules: [aRule({portRangeMin: 443, portRangeMax: 443})], attachments: [{machineName: safeText('web')}]},
    ]);
    expect(told()).toEqual([
      'edge: rule added: ingress tcp/443 0.0.0.0/0',
      'edge: rule removed: ingress tcp/22 0.0.0.0/0',
      'edge: attached to: web',
    ]);
  });

  test('of the usage: the change in rate, with its sign', () => {
    const {poll, changes, told} = watch();
    poll(machinesFeed, [aMachine()]);
    poll(usageFeed, [aUsageRecord(3, '25.60')]);
    poll(usageFeed, [aUsageRecord(3, '5.12')]);
    expect(told()).toEqual(['train-03: rate $25.60/h → $5.12/h']);
    const [change] = changes.entries();
    expect(change?.rateChange && hourlyUsd(change.rateChange)).toBeCloseTo(-20.48, 9);
  });
});

test('what a hibernation saves is unknown while it is unknown whether an address is billed', () => {
  const savedBy = (rest: Partial<Omit<VirtualMachine, 'id'>>) => {
    const {poll, moment} = watch();
    const machine = aMachine({status: 'HIBERNATED', flavor: A_FLAVOR, ...rest});
    poll(machinesFeed, [machine]);
    poll(usageFeed, [aUsageRecord(3, '0.01')]);
    const [reason, message] = [safeText('HibernateInstanceSuccess'), safeText('Instance was hibernated.')];
    poll(eventsFeed(machine.id), [{reason, message, occurredAt: START}]);
    const told = presentTimeline({
      known: moment(),
      since: epochMs(0),
      sent: [],
      changes: undefined,
      ownUserId: undefined,
    });
    const change = told?.find(({what}) => what === message)?.rateChange;
    return change && hourlyUsd(change);
  };
  // An L40 at $1.00, and its address at $0.00672043.
  expect(savedBy({})).toBeCloseTo(-0.99, 9);
  expect(savedBy({floatingIp: safeText('198.51.100.7')})).toBeCloseTo(-0.99672043, 9);
  expect(savedBy({hasUnreadAddress: true})).toBeUndefined();
});

test('a rate that changed with an unreadable one between is told, but not of a machine that is gone meanwhile', () => {
  const {poll, changes, told, at} = watch();
  const other = aUsageRecord(9, '1');
  poll(machinesFeed, [aMachine()]);
  for (const hourly of ['25.60', undefined, '5.12']) poll(usageFeed, [other, aUsageRecord(3, hourly)]);
  expect(told()).toEqual(['train-03: rate $25.60/h → $5.12/h']);
  expect(changes.entries()[0]).toMatchObject({after: at(2).now - SECOND_MS, at: at(4).now - SECOND_MS});
  poll(usageFeed, [other]);
  for (let reading = 0; reading < 3; reading += 1) poll(machinesFeed, []);
  poll(usageFeed, [other]);
  poll(machinesFeed, [aMachine()]);
  poll(usageFeed, [other, aUsageRecord(3, '7')]);
  expect(told().filter(each => each.includes('rate'))).toEqual(['train-03: rate $25.60/h → $5.12/h']);
});

describe('a rate of zero while a machine changes state', () => {
  const rates = (...steps: readonly (readonly [VirtualMachine['status'], string])[]) => {
    const {poll, told} = watch();
    for (const [status, hourly] of steps) {
      poll(machinesFeed, [aMachine({status})]);
      poll(usageFeed, [aUsageRecord(3, hourly)]);
    }
    return told().filter(each => each.includes('rate'));
  };

  test('is no change when the machine stops and starts at the same rate', () => {
    const told = rates(
      ['ACTIVE', '0.65'],
      ['STOPPING', '0'],
      ['SHUTOFF', '0.65'],
      ['STARTING', '0'],
      ['ACTIVE', '0.65'],
    );
    expect(told).toEqual([]);
  });

  test('is no change when the list of machines is older than the usage', () => {
    expect(rates(['ACTIVE', '0.65'], ['ACTIVE', '0'], ['STOPPING', '0.65'])).toEqual([]);
  });

  test('is left out of the change from the rate before to the rate after', () => {
    const told = rates(['ACTIVE', '25.60'], ['HIBERNATING', '0'], ['HIBERNATED', '0.02'], ['RESTORING', '0']);
    expect(told).toEqual(['train-03: rate $25.60/h → $0.0200/h']);
  });

  test('is a change when the machine ends in ERROR, which is free', () => {
    expect(rates(['ACTIVE', '25.60'], ['ERROR', '0'])).toEqual(['train-03: rate $25.60/h → $0.00/h']);
  });
});

describe('a resource missing', () => {
  const others = [aVirtualMachine({id: 4})];

  test('from one list is not reported, nor is its return', () => {
    const {poll, told} = watch();
    poll(firewallsFeed, [EDGE]);
    poll(firewallsFeed, []);
    poll(firewallsFeed, [EDGE]);
    expect(told()).toEqual([]);
  });

  // Equal answers are one object, as the client gives them, or two.
  test.each([true, false])('from two lists is reported as gone; the lists are one object: %s', isOneObject => {
    const {write, changes, told} = watch();
    const empty = {records: [], quarantined: []};
    write(firewallsFeed, {records: [EDGE], quarantined: []});
    write(firewallsFeed, empty);
    write(firewallsFeed, isOneObject ? empty : {...empty});
    expect(told()).toEqual(['edge: no longer in the list']);
    expect(changes.entries()[0]).toMatchObject({after: START + POLL_MS, at: START + 2 * POLL_MS});
    write(firewallsFeed, empty);
    expect(told()).toHaveLength(1);
  });

  test('from one list and then changed may have changed since it was last listed', () => {
    const {poll, changes, told} = watch();
    poll(firewallsFeed, [EDGE]);
    poll(firewallsFeed, []);
    poll(firewallsFeed, [{...EDGE, rules: []}]);
    expect(told()).toEqual(['edge: rule removed: ingress tcp/22 0.0.0.0/0']);
    expect(changes.entries()[0]).toMatchObject({after: START + POLL_MS, at: START + 3 * POLL_MS});
  });

  test('from an incomplete list first is gone since the last list that had it', () => {
    const {poll, changes, told} = watch();
    poll(firewallsFeed, [EDGE]);
    poll(firewallsFeed, [], {incompleteReason: 'page-limit'});
    poll(firewallsFeed, []);
    expect(told()).toEqual([]);
    poll(firewallsFeed, []);
    expect(changes.entries()[0]).toMatchObject({after: START + POLL_MS, at: START + 3 * POLL_MS});
  });

  test('is gone after two lists also if it is a machine, which stays in our list for one more reading', () => {
    const {write, changes, told} = watch();
    write(machinesFeed, {records: [aMachine(), ...others], quarantined: []});
    const after = {records: others, quarantined: []};
    write(machinesFeed, after);
    write(machinesFeed, after);
    expect(told()).toEqual(['train-03: no longer in the list']);
    expect(changes.entries()[0]).toMatchObject({after: START + POLL_MS, at: START + 2 * POLL_MS});
  });

  test.each<[string, Partial<Listing<VirtualMachine>>]>([
    ['an incomplete list', {incompleteReason: 'page-limit'}],
    ['a list with unreadable records', {quarantined: [{fields: [safeText('id')]}]}],
  ])('from %s is not reported as gone', (_, rest) => {
    const {poll, told} = watch();
    poll(machinesFeed, [aMachine(), ...others]);
    for (let count = 0; count < 4; count += 1) poll(machinesFeed, others, rest);
    expect(told()).toEqual([]);
  });
});

describe('a finding', () => {
  const down = aMachine({status: 'ERROR'});
  const finding = {rule: 'machine-in-error', subject: {type: 'vm', id: 3, name: safeText('train-03')}} as const;

  test('that exists at the first look has no known start', () => {
    const {poll, changes} = watch();
    poll(machinesFeed, [down]);
    expect(changes.risen(aFinding(finding))).toBeUndefined();
  });

  test('that could not be judged before has no known start either', () => {
    const {poll, changes} = watch();
    poll(machinesFeed, [aMachine()]);
    poll(firewallsFeed, [EDGE]);
    const subject = {type: 'firewall', id: EDGE.id, name: EDGE.name} as const;
    expect(changes.risen(aFinding({rule: 'unattached-firewall', subject}))).toBeUndefined();
    poll(firewallsFeed, [EDGE, {...EDGE, id: firewallId(6)}]);
    expect(changes.risen(aFinding({rule: 'unattached-firewall', subject: {...subject, id: 6}}))).toBeDefined();
  });

  test('that appears later started between two looks, and its end is reported once', () => {
    const {poll, changes, told} = watch();
    poll(machinesFeed, [aMachine()]);
    poll(machinesFeed, [down]);
    expect(changes.risen(aFinding(finding))).toEqual({
      after: START + POLL_MS + SECOND_MS,
      at: START + 2 * POLL_MS + SECOND_MS,
    });
    poll(machinesFeed, [aMachine()]);
    poll(machinesFeed, [aMachine()]);
    expect(told().filter(each => each.includes('ended'))).toEqual([
      expect.stringMatching(/^train-03: ended: machine (is )?in ERROR/),
    ]);
    // One second after the second poll; polls are ten seconds apart.
    expect(changes.entries().at(-1)?.notes[0]).toBe('it was first seen at 2026-11-20 02:10:21Z');
  });

  test('ended when the list that shows it was read, however much later that is judged, so before it began again', () => {
    const {changes, at, read} = watch();
    const judge = (count: number) => {
      presentTriage(at(count));
      changes.compare(at(count));
    };
    const opened = aRule({createdAt: epochMs(START + 5 * POLL_MS)});
    read(1, machinesFeed, [aMachine()]);
    read(1, firewallsFeed, [EDGE]);
    judge(1);
    // The rule is removed, and added again before another pane judges what was read of it.
    read(2, firewallsFeed, [{...EDGE, rules: []}]);
    changes.compare(at(2));
    judge(6);
    read(7, firewallsFeed, [{...EDGE, rules: [opened]}]);
    judge(7);
    const ended = changes.entries().filter(({what}) => what.startsWith('ended: tcp/22'));
    expect(ended.map(entry => [entry.after, entry.at])).toEqual([[START + POLL_MS + SECOND_MS, START + 2 * POLL_MS]]);
    expect(presentTriage(at(7)).findings.find(({rule}) => rule === 'open-to-world')?.since).toBe(opened.createdAt);
  });

  test('ended by another list is not dated at the reading of its own, which still showed it', () => {
    const {poll, changes} = watch();
    poll(usageFeed, [{...aUsageRecord(3, '2'), createdAt: epochMs(START - DAY_MS)}]);
    poll(machinesFeed, [aMachine({status: 'SHUTOFF'})]);
    poll(usageFeed, [{...aUsageRecord(3, '0'), createdAt: epochMs(START - DAY_MS)}]);
    const ended = changes.entries().filter(({what}) => what.startsWith('ended: SHUTOFF'));
    // The machines were read in the second poll, the bills in the third, and judged a second later.
    expect(ended.map(({at}) => at)).toEqual([START + 3 * POLL_MS + SECOND_MS]);
  });

  test('about a stopped machine does not end when its events show a recent stop, but when the machine runs', () => {
    const {poll, told} = watch();
    const stopped = aMachine({status: 'SHUTOFF'});
    const ended = () => told().filter(each => each.includes('ended'));
    poll(usageFeed, [{...aUsageRecord(3, '2'), createdAt: epochMs(START - DAY_MS)}]);
    poll(machinesFeed, [stopped]);
    poll(eventsFeed(stopped.id), [
      {
        occurredAt: epochMs(START - MINUTE_MS),
        reason: safeText('InstanceStopSuccess'),
        message: safeText('Instance was stopped.'),
      },
    ]);
    expect(ended()).toEqual([]);
    poll(machinesFeed, [aMachine()]);
    expect(ended()).toEqual(['train-03: ended: SHUTOFF but billed in full']);
  });
});

test('keeps only the latest two thousand changes', () => {
  const {poll, changes} = watch();
  const machinesIn = (status: 'ACTIVE' | 'SHUTOFF') =>
    Array.from({length: 700}, (_, id) => aVirtualMachine({id: id + 1, status}));
  for (const status of ['ACTIVE', 'SHUTOFF', 'ACTIVE', 'SHUTOFF'] as const) poll(machinesFeed, machinesIn(status));
  expect(changes.entries()).toHaveLength(2000);
  expect(changes.entries().at(-1)?.what).toBe('ACTIVE → SHUTOFF');
});

test('histories are read first for what changed last, then for the subjects of findings, then for the newest machines', () => {
  const {poll, changes, moment} = watch();
  const machines = [
    aVirtualMachine({id: 1, createdAt: epochMs(1)}),
    aVirtualMachine({id: 2, createdAt: epochMs(2)}),
    aVirtualMachine({id: 3, status: 'ERROR'}),
    aVirtualMachine({id: 4}),
  ];
  poll(machinesFeed, machines);
  poll(machinesFeed, machines.with(3, aVirtualMachine({id: 4, labels: [safeText('new')]})));
  expect(machinesByNews(moment(), changes).map(({id}) => id)).toEqual([4, 3, 2, 1]);
});

test('a list that is suddenly five thousand longer creates no more changes than are kept', () => {
  let nameCount = 0;
  const list = listChanges<VirtualMachine>(
    {
      type: 'vm',
      idOf: ({id}) => id,
      nameOf: ({name}) => {
        nameCount += 1;
        return name;
      },
      values: [],
      sets: [],
    },
    machinesFeed,
  );
  const store = createStore();
  const look = (count: number) => {
    const records = Array.from({length: count}, (_, index) => aVirtualMachine({id: index + 1}));
    store.writeValue(machinesFeed, {records, quarantined: []}, monotonicMs(count));
    return list({store, now: START, monotonicNow: monotonicMs(count)});
  };
  expect(look(1)).toEqual([]);
  const told = look(5001);
  expect(nameCount).toBe(2000);
  expect(told.map(({subjects: [{id}]}) => id)).toEqual(Array.from({length: 2000}, (_, index) => 3002 + index));
});
