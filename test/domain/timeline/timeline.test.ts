import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {hourlyUsd, rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {changesOf, rateChangeEntry} from '../../../src/domain/timeline/changes.ts';
import {
  billingEntries,
  contractEntries,
  eventEntry,
  findingEntry,
  operationEntry,
  hibernationChange,
  type TimelineEntry,
  type TimelineSubject,
} from '../../../src/domain/timeline/entry.ts';
import {
  foldedByMachine,
  stepOfEntry,
  subjectWords,
  timelineOf,
  withHibernationChanges,
} from '../../../src/domain/timeline/timeline.ts';
import {anEntry, dollarsPerHour, TWO_TEN, vm} from './an-entry.ts';

const later = (ms: number) => epochMs(TWO_TEN + ms);

function stopEvent(userId: number) {
  return happened(vm(3), 'InstanceStopRequest', 'Instance is to be stopped.', {seconds: 1, userId});
}

/** An event as it is read with the key of user 12. */
function happened(
  subject: TimelineSubject,
  reason: string,
  message: string,
  {seconds, userId}: {readonly seconds: number; readonly userId: number},
): TimelineEntry {
  const event = {
    occurredAt: later(seconds * SECOND_MS),
    type: safeText('normal'),
    reason: safeText(reason),
    message: safeText(message),
    userId,
  };
  return eventEntry(event, subject, 12);
}

const STOP = operationEntry({
  id: 'a1',
  change: 'stopped',
  subject: vm(3),
  words: safeText('stop train-03 #3'),
  phase: 'CONFIRMED',
  confirmedAt: TWO_TEN,
  endedAt: later(40 * SECOND_MS),
});

const SEEN_STOPPED = anEntry({
  source: 'change',
  after: later(10 * SECOND_MS),
  at: later(20 * SECOND_MS),
  what: safeText('ACTIVE → SHUTOFF'),
  changes: ['stopped'],
});

function spansFrom(count: number, startMs: (index: number) => number): readonly UsageRecord[] {
  return Array.from({length: count}, (_, index) => ({
    resourceId: index + 1,
    resourceType: safeText('vm'),
    name: safeText(`sweep-${index + 1}`),
    createdAt: later(startMs(index)),
    rate: dollarsPerHour('25.60'),
    isActive: true,
    isExcludedFromBilling: false,
  }));
}

test('a contract is named by its description and id', () => {
  const contract = {
    id: 118,
    description: safeText('H100 training, quarter'),
    status: 'ACTIVE' as const,
    statusText: safeText('Active'),
    expirationPolicy: {kind: 'delete' as const, code: 0},
    discounts: [],
    startsAt: TWO_TEN,
  };
  const told = contractEntries(contract).map(({subjects, what}) => [...subjects.map(({name}) => name), what]);
  expect(told).toEqual([['H100 training, quarter #118', 'contract began']]);
});

describe('entries about the same event from several sources', () => {
  test('become one entry, with the time of the event, the person of the journal and the state of the readings', () => {
    const [entry, ...others] = timelineOf([SEEN_STOPPED, STOP, stopEvent(12)]);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      at: later(SECOND_MS),
      source: 'event',
      alsoFrom: ['operation', 'change'],
      who: {kind: 'you'},
    });
    expect(entry?.notes.join(' | ')).toContain('change: ACTIVE → SHUTOFF');
  });

  test('name the user of the key when nothing was sent from here, as others use the same account', () => {
    expect(timelineOf([stopEvent(12)]).map(({who}) => who)).toEqual([{kind: 'user', id: 12, isOfKey: true}]);
  });

  test.each([
    ['16 seconds later by the user of the key', vm(3), 17, 12, {kind: 'you'}],
    ['by another user', vm(3), 17, 99, {kind: 'user', id: 99}],
    ['long after the operation ended', vm(3), 600, 12, {kind: 'user', id: 12, isOfKey: true}],
    ['of another machine', vm(4), 17, 12, {kind: 'user', id: 12, isOfKey: true}],
  ] as const)('say who completed an operation sent from here: %s', (_, subject, seconds, userId, who) => {
    const completion = happened(subject, 'InstanceStop', 'Instance was stopped.', {seconds, userId});
    expect(timelineOf([STOP, stopEvent(12), completion]).find(({what}) => what.includes('was'))?.who).toEqual(who);
  });

  test.each([
    ['batch-worker-1', {kind: 'you'}],
    ['batch2-worker-1', {kind: 'user', id: 12, isOfKey: true}],
  ])('say who deleted a machine after the deletion of a cluster was sent from here: %s', (name, who) => {
    const deletion = operationEntry({
      id: 'a2',
      change: 'deleted',
      subject: {type: 'cluster', id: 7, name: safeText('batch')},
      words: safeText('delete batch #7'),
      phase: 'in-progress',
      confirmedAt: TWO_TEN,
    });
    const node = {type: 'vm' as const, id: 5, name: safeText(name)};
    const gone = happened(node, 'InstanceDelete', 'Instance was deleted.', {seconds: 50, userId: 12});
    expect(timelineOf([deletion, gone]).find(({source}) => source === 'event')?.who).toEqual(who);
  });

  test('stay separate when another user did it', () => {
    expect(timelineOf([STOP, stopEvent(99)]).map(({who}) => who)).toEqual([{kind: 'user', id: 99}, {kind: 'you'}]);
  });

  test.each([
    ['another machine', {subjects: [vm(4)] as const}],
    ['another change', {changes: ['started'] as const}],
    ['a time minutes later', {after: later(3 * MINUTE_MS), at: later(4 * MINUTE_MS)}],
  ])('stay separate for %s', (_, difference) => {
    expect(timelineOf([stopEvent(12), {...SEEN_STOPPED, ...difference}])).toHaveLength(2);
  });

  test('stay separate when they are two entries of one source', () => {
    const request = stopEvent(12);
    expect(timelineOf([request, {...request, key: 'other', what: safeText('Instance was stopped.')}])).toHaveLength(2);
    expect(timelineOf([request, request])).toHaveLength(1);
  });

  test('take the change of the rate from the meter, which alone is an entry of its own', () => {
    const change = anEntry({
      source: 'billing',
      at: later(MINUTE_MS),
      after: TWO_TEN,
      what: safeText('rate'),
      rateChange: dollarsPerHour('-12.50'),
    });
    const [entry, ...others] = timelineOf([change, stopEvent(12)]);
    expect(others).toEqual([]);
    expect(entry?.rateChange && hourlyUsd(entry.rateChange)).toBe(-12.5);
    expect(timelineOf([change])).toHaveLength(1);
  });
});

describe('machines whose billing begins', () => {
  const metered = {upTimeMinutes: rational(60n, 1n), billedCost: usd(rational(2560n, 100n))};
  const list = dollarsPerHour('25.60');
  test.each([
    ['while it runs', {...metered}, list],
    ['hibernated an hour ago, as metered before', {...metered, rate: dollarsPerHour('0.01')}, undefined],
    [
      'hibernated for long, by its list price',
      {upTimeMinutes: rational(600n, 1n), billedCost: usd(rational(2569n, 100n)), rate: dollarsPerHour('0.01')},
      list,
    ],
    ['on its way to another state', {...metered, rate: dollarsPerHour('0')}, list],
    [
      'hibernated before its first minute was metered',
      {upTimeMinutes: rational(0n, 1n), billedCost: usd(rational(0n, 1n)), rate: dollarsPerHour('0.01')},
      list,
    ],
    ['at a discount, not hibernated', {...metered, rate: dollarsPerHour('25.60')}, dollarsPerHour('40')],
    // Its last reading may still show a rate.
    [
      'deleted',
      {...metered, isActive: false, rate: dollarsPerHour('0'), terminatedAt: later(60 * MINUTE_MS)},
      undefined,
    ],
  ])('begin at the same rate, whatever came later: %s', (_, change, listed) => {
    const [begin] = spansFrom(1, () => 0).flatMap(span => billingEntries({...span, ...change}, listed));
    expect(begin?.rateChange && hourlyUsd(begin.rateChange)).toBeCloseTo(25.6, 6);
  });

  test('lower the burn rate when hibernated, shown as an estimate with the last hibernation only', () => {
    const [record] = spansFrom(1, () => 0).map(span => ({...span, ...metered, rate: dollarsPerHour('0.01')}));
    const change = record && hibernationChange(record, dollarsPerHour('20'));
    expect(change && hourlyUsd(change)).toBeCloseTo(-19.99, 9);
    expect(record && hibernationChange({...record, rate: dollarsPerHour('19')}, dollarsPerHour('20'))).toBeUndefined();
    const hibernation = (seconds: number) =>
      happened(vm(1), 'HibernateInstanceSuccess', 'Instance was hibernated.', {seconds, userId: 11});
    const entries = timelineOf([hibernation(0), hibernation(3600)]);
    const changes = new Map([[1, dollarsPerHour('-19.99')]]);
    expect(
      withHibernationChanges(entries, changes).map(({rateChange, isEstimated}) => [rateChange, isEstimated]),
    ).toEqual([
      [dollarsPerHour('-19.99'), true],
      [undefined, undefined],
    ]);
    const [newest, ...older] = entries;
    if (newest === undefined) throw new Error('Expected two entries.');
    const read = [{...newest, rateChange: dollarsPerHour('-19.50')}, ...older];
    expect(withHibernationChanges(read, changes)).toEqual(read);
  });

  test('of a hibernation are booked once, although it is told by a request, its success and two readings', () => {
    const request = happened(vm(1), 'HibernateInstance', 'Instance is to be hibernated.', {seconds: 0, userId: 11});
    const success = happened(vm(1), 'HibernateInstanceSuccess', 'Instance was hibernated.', {seconds: 30, userId: 11});
    const rateRead = (after: number, at: number) => ({
      ...anEntry({
        subjects: [vm(1)],
        source: 'billing',
        after: later(after * SECOND_MS),
        at: later(at * SECOND_MS),
        what: safeText('rate $20.00/h → $0.0100/h'),
      }),
      rateChange: dollarsPerHour('-19.99'),
    });
    const changes = new Map([[1, dollarsPerHour('-19.98')]]);
    const told = (entries: readonly TimelineEntry[]) =>
      withHibernationChanges(timelineOf(entries), changes).map(({what, rateChange}) => [
        what,
        rateChange && hourlyUsd(rateChange),
      ]);
    // Both are between the readings: what it saves begins with the success.
    expect(told([request, success, rateRead(-30, 60)])).toEqual([
      ['Instance was hibernated.', -19.99],
      ['Instance is to be hibernated.', undefined],
    ]);
    // Usage was read again before the success, as clocks differ.
    expect(told([request, success, rateRead(-30, 10)])).toEqual([
      ['Instance was hibernated.', undefined],
      ['Instance is to be hibernated.', -19.99],
    ]);
    // Usage was not read for some minutes, so the change is an entry of its own.
    expect(told([request, success, rateRead(200, 260)])).toEqual([
      ['rate $20.00/h → $0.0100/h', -19.99],
      ['Instance was hibernated.', undefined],
      ['Instance is to be hibernated.', undefined],
    ]);
  });

  test('of a hibernation are estimated although those of an earlier one were read', () => {
    const hibernated = (seconds: number) =>
      happened(vm(1), 'HibernateInstanceSuccess', 'Instance was hibernated.', {seconds, userId: 11});
    const restored = happened(vm(1), 'RestoreInstanceSuccess', 'Instance was restored.', {seconds: 1800, userId: 11});
    const [first, change] = [{...hibernated(0), rateChange: dollarsPerHour('-9')}, dollarsPerHour('-19.99')];
    const entries = timelineOf([first, restored, hibernated(3600)]);
    expect(withHibernationChanges(entries, new Map([[1, change]])).map(({rateChange}) => rateChange)).toEqual([
      change,
      undefined,
      dollarsPerHour('-9'),
    ]);
  });

  test('of a hibernation are not booked on the end of a restoration that failed', () => {
    const hibernated = happened(vm(1), 'HibernateInstanceSuccess', 'Instance was hibernated.', {
      seconds: 0,
      userId: 11,
    });
    const states = {
      type: 'vm',
      idOf: () => 1,
      nameOf: () => safeText('gpu-1'),
      state: (status: string) => ({word: safeText(status), status}),
      values: [],
      sets: [],
    } as const;
    const moved = (before: string, is: string, seconds: number) =>
      changesOf(states, before, is, {after: later((seconds - 5) * SECOND_MS), at: later(seconds * SECOND_MS)});
    const failed = (seconds: number) => [
      ...moved('HIBERNATED', 'RESTORING', seconds),
      ...moved('RESTORING', 'HIBERNATED', seconds + 300),
    ];
    const entries = timelineOf([hibernated, ...failed(3600), ...failed(7200)]);
    const shown = withHibernationChanges(entries, new Map([[1, dollarsPerHour('-4.99')]]));
    expect(shown.map(({what, rateChange}) => [what, rateChange && hourlyUsd(rateChange)])).toEqual([
      ['RESTORING → HIBERNATED', undefined],
      ['HIBERNATED → RESTORING', undefined],
      ['RESTORING → HIBERNATED', undefined],
      ['HIBERNATED → RESTORING', undefined],
      ['Instance was hibernated.', -4.99],
    ]);
  });

  test('within minutes of each other and with numbered names are one step', () => {
    const entries = timelineOf(spansFrom(20, index => index * MINUTE_MS).flatMap(record => billingEntries(record)));
    expect(entries).toHaveLength(1);
    const [step] = entries;
    expect(step).toMatchObject({at: TWO_TEN, until: later(19 * MINUTE_MS), what: 'billing began for 20 machines'});
    // 20 × $25.60.
    expect(step?.rateChange && hourlyUsd(step.rateChange)).toBeCloseTo(512, 9);
    expect(step && subjectWords(step)).toBe('sweep-* (20)');
    expect(step && stepOfEntry(step, dollarsPerHour('600'))).toBe('burn');
  });

  test('further apart are separate steps', () => {
    expect(
      timelineOf(spansFrom(3, index => index * 25 * MINUTE_MS).flatMap(record => billingEntries(record))),
    ).toHaveLength(3);
  });

  test('together are not merged with the event of one of them', () => {
    const event = {
      occurredAt: TWO_TEN,
      reason: safeText('InstanceCreationRequest'),
      message: safeText('asked'),
      userId: 12,
    };
    const entries = timelineOf([
      eventEntry(event, vm(1, 'sweep-1'), 12),
      ...spansFrom(2, index => index * MINUTE_MS).flatMap(record => billingEntries(record)),
    ]);
    expect(entries.map(({source, subjects}) => [source, subjects.length])).toEqual([
      ['event', 1],
      ['billing', 2],
    ]);
  });

  test('and end lower the burn rate by their average, since a span that ended has no rate', () => {
    const [record] = spansFrom(1, () => -60 * MINUTE_MS);
    const {rate: _rate, ...rest} = record ?? expect.unreachable();
    const ended: UsageRecord = {
      ...rest,
      isActive: false,
      terminatedAt: TWO_TEN,
      upTimeMinutes: rational(30n, 1n),
      billedCost: usd(rational(3n, 1n)),
    };
    const [, end] = billingEntries(ended);
    expect(end).toMatchObject({at: TWO_TEN, what: 'billing ended'});
    expect(end?.rateChange && hourlyUsd(end.rateChange)).toBeCloseTo(-6, 9);
  });
});

describe('the same event over and over', () => {
  const runs = (count: number, rest = {}) =>
    Array.from({length: count}, (_, index) =>
      anEntry({at: later(index * 10 * MINUTE_MS), what: safeText('Instance was stopped.'), ...rest}),
    );

  test('is one entry with its count, at the time of the last', () => {
    const [entry, ...others] = timelineOf(runs(5));
    expect(others).toEqual([]);
    expect(entry).toMatchObject({at: later(40 * MINUTE_MS), what: 'Instance was stopped. (5 times)'});
    expect(entry?.notes[0]).toBe('5 times since 2026-11-20 02:10:00Z; this is the last');
  });

  test.each([
    ['three times', runs(3), 3],
    ['with a change of the rate', runs(5, {rateChange: dollarsPerHour('2')}), 5],
    ['as trouble', runs(5, {isTrouble: true}), 5],
    ['after a pause', [...runs(2), ...runs(2).map(each => ({...each, at: later(90 * MINUTE_MS)}))], 4],
  ])('stays separate %s', (_, entries, count) => {
    expect(timelineOf(entries)).toHaveLength(count);
  });
});

test('an event absorbs only the nearest of the operations it can be of, and the others stay', () => {
  // Added, removed and added again: the list shows only the rule that exists now, with its own date.
  const firewall = {type: 'firewall', id: 5, name: safeText('dev')} as const;
  const sent = (seconds: number, change: 'rule added' | 'rule removed') =>
    operationEntry({
      id: `at ${seconds}`,
      change,
      subject: firewall,
      words: safeText(change),
      phase: 'CONFIRMED',
      confirmedAt: later(seconds * SECOND_MS),
    });
  const event = anEntry({
    subjects: [firewall],
    at: later(61 * SECOND_MS),
    what: safeText('rule added: tcp/9100'),
    changes: ['rule added'],
  });
  const told = timelineOf([sent(0, 'rule added'), sent(30, 'rule removed'), sent(60, 'rule added'), event]);
  expect(told.map(({key, alsoFrom}) => [key, alsoFrom])).toEqual([
    [event.key, ['operation']],
    ['operation at 30', []],
    ['operation at 0', []],
  ]);
});

test('the timeline is in order of time, newest first, with entries of unknown time last', () => {
  const {at: _at, ...unknown} = anEntry({what: safeText('unknown')});
  const order = timelineOf([
    unknown,
    anEntry({what: safeText('first')}),
    anEntry({at: later(MINUTE_MS), what: safeText('second')}),
  ]);
  expect(order.map(({what}) => what)).toEqual(['second', 'first', 'unknown']);
});

test.each([
  ['a dollar an hour on a burn rate of zero', '1', '0', 'burn'],
  ['less than a dollar an hour on a burn rate of zero', '0.99', '0', undefined],
  ['a twentieth of the burn rate', '-10', '200', 'burn'],
  ['less than a twentieth of the burn rate', '9.99', '200', undefined],
])('decides whether a change is a step in burn: %s', (_, change, burn, step) => {
  expect(stepOfEntry(anEntry({rateChange: dollarsPerHour(change)}), dollarsPerHour(burn))).toBe(step);
});

test('a failure is a step in health', () => {
  expect(stepOfEntry(anEntry({isTrouble: true}), undefined)).toBe('health');
  const failed = {reason: safeText('HibernateInstanceFailed'), message: safeText(''), occurredAt: TWO_TEN};
  expect(eventEntry(failed, vm(3), undefined)).toMatchObject({isTrouble: true, what: 'HibernateInstanceFailed'});
});

test('a rate that did not change is no entry, and no words are made of it', () => {
  const inWords = vi.spyOn(Number.prototype, 'toLocaleString');
  onTestFinished(() => inWords.mockRestore());
  const rate = dollarsPerHour('25.6');
  const between = {after: TWO_TEN, at: later(MINUTE_MS)};
  expect(rateChangeEntry(vm(3), {before: rate, rate: dollarsPerHour('25.60')}, between)).toBeUndefined();
  expect(inWords).not.toHaveBeenCalled();
  expect(rateChangeEntry(vm(3), {before: rate, rate: dollarsPerHour('12')}, between)?.what).toBe(
    'rate $25.60/h → $12.00/h',
  );
});

describe('a short list of what happened', () => {
  const STATES = ['ACTIVE → STOPPING', 'STOPPING → SHUTOFF', 'SHUTOFF → STARTING', 'STARTING → ACTIVE'];
  const change = (machine: TimelineSubject, minutes: number, what: string, isTrouble = false) =>
    anEntry({
      key: `${machine.id} ${minutes}`,
      source: 'change',
      at: later(minutes * MINUTE_MS),
      subjects: [machine],
      what: safeText(what),
      changes: [],
      isTrouble,
    });
  const flapping = (count: number) =>
    Array.from({length: count}, (_, index) => change(vm(7), index, STATES[index % STATES.length] ?? ''));
  const told = (entries: readonly TimelineEntry[]) =>
    foldedByMachine(timelineOf(entries)).map(entry => `${entry.subjects[0].id} ${entry.what}`);

  test.each([
    ['a first round', 4, 'STARTING → ACTIVE (4 changes)'],
    ['many rounds', 20, 'STARTING → ACTIVE (20 changes)'],
  ])('has one line for a machine that starts and stops all the time, after %s', (_name, count, what) => {
    const others = [change(vm(1), 2, 'ACTIVE → SHUTOFF'), change(vm(2), 1, 'ERROR', true)];
    expect(told([...flapping(count), ...others])).toEqual([`7 ${what}`, '1 ACTIVE → SHUTOFF', '2 ERROR']);
  });

  test('names who changed it only if one person made all the changes', () => {
    const by = (ids: readonly number[]) =>
      foldedByMachine(
        timelineOf(flapping(ids.length).map((each, index) => ({...each, who: {kind: 'user', id: ids[index] ?? 0}}))),
      ).map(({who}) => who);
    expect(by([3, 3, 3, 3])).toEqual([{kind: 'user', id: 3}]);
    expect(by([2, 3, 3, 3])).toEqual([undefined]);
  });

  test('leaves alone what happened now and then, and every problem', () => {
    expect(told([...flapping(3)])).toHaveLength(3);
    const failures = [0, 1, 2, 3].map(minutes => change(vm(7), minutes, 'ERROR', true));
    expect(told(failures)).toHaveLength(4);
    expect(told([0, 20, 40, 60].map(minutes => change(vm(7), minutes, `${minutes}`)))).toHaveLength(4);
  });
});

describe('a finding', () => {
  const finding = {
    rule: 'unattached-firewall',
    severity: 'notice',
    subject: {type: 'firewall', id: 5, name: safeText('edge')},
    summary: safeText('unattached firewall'),
    evidence: [],
    advice: safeText('Delete it.'),
    commands: [],
  } as const;
  const risen = {after: TWO_TEN, at: later(MINUTE_MS)};

  test('is dated at its cause where its rule knows when that was, whenever it was seen', () => {
    const {at, after, what} = findingEntry({...finding, since: later(-MINUTE_MS)}, {risen});
    expect([at, after, what]).toEqual([later(-MINUTE_MS), undefined, 'unattached firewall']);
  });

  test('is dated at when it was first seen otherwise, and says so', () => {
    const {at, after, what, notes} = findingEntry(finding, {risen});
    expect([at, after, what]).toEqual([risen.at, risen.after, 'seen: unattached firewall']);
    expect(notes[0]).toBe('notice finding; first seen at 2026-11-20 02:11:00Z, when it began is not known');
    expect(findingEntry(finding, {risen: undefined})).toMatchObject({what: 'unattached firewall'});
  });
});
