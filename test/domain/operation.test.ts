import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {confirmationOf, recordOf, unmetPrecondition} from '../../src/actions/actions.ts';
import type {PowerAction} from '../../src/actions/machines/power.ts';
import {type Evidence, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../../src/domain/action.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {
  afterCheck,
  afterLateObservation,
  afterObservation,
  afterReply,
  afterSending,
  awaitsLateEffect,
  isEnded,
  newOperation,
  type Operation,
  type OperationPhase,
  staleReason,
  withoutHistory,
} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {NamedFacts} from '../../src/domain/shown-facts.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {
  MACHINE_STATUSES,
  type MachineEvent,
  type MachineStatus,
  type VirtualMachine,
  virtualMachineId,
} from '../../src/domain/virtual-machine.ts';
import {aVolume} from '../actions/some-things.ts';

const id = virtualMachineId(793001);
const text = safeText('why');
const SENT_AT = 1000;
const CONFIRMED_AT = epochMs(1_700_000_000_000);

/** The states that each action needs, passes through and ends in, as the provider documents them. */
const WAYS: readonly (readonly [
  PowerAction,
  from: readonly MachineStatus[],
  through: MachineStatus,
  target: MachineStatus,
])[] = [
  [{kind: 'vm.start', id}, ['SHUTOFF'], 'STARTING', 'ACTIVE'],
  [{kind: 'vm.stop', id}, ['ACTIVE', 'ERROR'], 'STOPPING', 'SHUTOFF'],
  [{kind: 'vm.hard-reboot', id}, ['ACTIVE', 'ERROR'], 'REBOOTING', 'ACTIVE'],
  [{kind: 'vm.hibernate', id, retainsIp: true}, ['ACTIVE'], 'HIBERNATING', 'HIBERNATED'],
  [{kind: 'vm.restore', id}, ['HIBERNATED'], 'RESTORING', 'ACTIVE'],
];

const ALL_FAILURES: readonly (readonly [Failure, OperationPhase])[] = [
  [{kind: 'not-sent', detail: text}, 'NOT_SENT'],
  [{kind: 'refused', httpStatus: 400, reason: text, message: text}, 'REFUSED'],
  [{kind: 'not-authorised', httpStatus: 401, message: text}, 'REFUSED'],
  [{kind: 'not-authorised', httpStatus: 403, message: text}, 'REFUSED'],
  [{kind: 'not-found', message: text}, 'REFUSED'],
  [{kind: 'rate-limited'}, 'REFUSED'],
  [{kind: 'timed-out', afterMs: 45_000}, 'unknown'],
  [{kind: 'cut', detail: text}, 'unknown'],
  [{kind: 'service-error', httpStatus: 502, message: text}, 'unknown'],
  [{kind: 'incomplete', detail: text}, 'unknown'],
  [{kind: 'redirected', host: text}, 'unknown'],
  [{kind: 'odd-answer', detail: text}, 'unknown'],
];

/** What the reason of a failure contains, if it has no text of its own. */
const TOLD: Partial<Record<Failure['kind'], string>> = {'rate-limited': '429', 'timed-out': '45 s'};

function anOperation(action: PowerAction, initialStatus: MachineStatus, rest: Partial<Operation> = {}): Operation {
  return {
    id: 'op-1',
    action,
    traits: recordOf(action),
    subjectName: safeText('gpu-7'),
    initialStatus,
    phase: 'preflight',
    confirmedAt: CONFIRMED_AT,
    hasSeenTransition: false,
    targetReadCount: 0,
    otherReadCount: 0,
    unchangedReadCount: 0,
    ...rest,
  };
}

function sent(action: PowerAction, initialStatus: MachineStatus, failure?: Failure): Operation {
  return afterReply(afterSending(anOperation(action, initialStatus), monotonicMs(SENT_AT)), failure);
}

type Seen = MachineStatus | 'GONE';

function seen(status: Seen, startedAt = SENT_AT + 1, events?: readonly MachineEvent[]): Observation<VirtualMachine> {
  return {
    startedAt: monotonicMs(startedAt),
    records: status === 'GONE' ? [] : [aMachine({status})],
    isWhole: true,
    ...(events === undefined ? {} : {events}),
  };
}

function showing(machine: VirtualMachine): Observation<VirtualMachine> {
  return {startedAt: monotonicMs(1), records: [machine], isWhole: true};
}

function seeing(operation: Operation, ...statuses: readonly Seen[]): Operation {
  return statuses.reduce((now, status) => afterObservation(now, seen(status)), operation);
}

function anEvent(reason: string, secondsAfter: number): MachineEvent {
  return {occurredAt: epochMs(CONFIRMED_AT + secondsAfter * 1000), reason: safeText(reason), message: safeText('')};
}

const BUCKET = {
  name: safeText('logs'),
  regionName: safeText('CANADA-1'),
  objectCount: 0,
  sizeBytes: 0,
  createdAt: epochMs(1000),
};
const {objectCount: _objects, ...UNCOUNTED} = BUCKET;
const DELETE_BUCKET = {kind: 'bucket.delete', name: BUCKET.name, regionName: BUCKET.regionName} as const;

function aMachine(rest: Partial<VirtualMachine> = {}): VirtualMachine {
  const status = rest.status ?? 'ACTIVE';
  return {
    id,
    name: safeText('gpu-7'),
    status,
    statusText: safeText(status),
    volumes: [],
    rules: [],
    labels: [],
    ...rest,
  };
}

const cut: Failure = {kind: 'cut', detail: text};
const [start, stop, reboot, hibernate, restore] = WAYS.map(([action]) => action) as [
  PowerAction,
  PowerAction,
  PowerAction,
  PowerAction,
  PowerAction,
];

describe('the precondition of a power action', () => {
  it.each(WAYS)('allows $kind in its own states only', (action, from) => {
    for (const status of [...MACHINE_STATUSES, 'UNKNOWN'] as const) {
      const reason = unmetPrecondition(action, {subject: aMachine({status})});
      if (from.includes(status)) expect(reason).toBeUndefined();
      else
        expect(reason).toMatch(
          status === 'UNKNOWN' ? /^skydeck does not know its state UNKNOWN/ : /^(already|must be)/,
        );
    }
  });

  it.each<[PowerAction, MachineStatus, string]>([
    [{kind: 'vm.stop', id}, 'SHUTOFF', 'already SHUTOFF'],
    [{kind: 'vm.stop', id}, 'HIBERNATED', 'must be ACTIVE or ERROR, but is HIBERNATED'],
    [{kind: 'vm.hard-reboot', id}, 'SHUTOFF', 'must be ACTIVE or ERROR, but is SHUTOFF'],
    [{kind: 'vm.restore', id}, 'HIBERNATING', 'must be HIBERNATED, but is HIBERNATING'],
  ])('says why $kind does not apply to %s', (action, status, reason) => {
    expect(unmetPrecondition(action, {subject: aMachine({status})})).toBe(reason);
  });
});

describe('newOperation', () => {
  const made = {id: 'op-1', confirmedAt: CONFIRMED_AT};

  it('records the state and the set that the confirmation showed, and neither when it showed none', () => {
    const shown = {action: stop, subjectName: safeText('gpu-7'), status: 'ACTIVE', replaced: ['3']};
    expect(newOperation(made, shown, recordOf(stop))).toEqual({...anOperation(stop, 'ACTIVE'), replaced: ['3']});
    const {status: _status, replaced: _replaced, ...named} = shown;
    const bare = newOperation(made, named, recordOf(stop));
    const {initialStatus: _initial, ...expected} = anOperation(stop, 'ACTIVE');
    expect(Object.keys(bare).toSorted()).toEqual(Object.keys(expected).toSorted());
    expect(bare).toEqual(expected);
  });
});

describe('staleReason', () => {
  it.each<[string, Partial<VirtualMachine>, string | undefined]>([
    ['is undefined when nothing has changed', {}, undefined],
    ['names both states when the state has changed', {status: 'SHUTOFF'}, 'it was ACTIVE and is SHUTOFF now'],
    ['names the new name when the name has changed', {name: safeText('prod-db')}, 'the name is now prod-db'],
    ['says that the name is lost when it is empty now', {name: safeText('')}, 'its name is not known any more'],
    [
      'says that the state is lost when it is empty now',
      {status: 'UNKNOWN', statusText: safeText('')},
      'its state is not known any more',
    ],
  ])('%s', (_name, change, reason) => {
    expect(staleReason(anOperation(stop, 'ACTIVE'), showing(aMachine(change)))).toBe(reason);
  });

  it('names the present state when the confirmation showed none', () => {
    const {initialStatus: _unshown, ...unseen} = anOperation(stop, 'ACTIVE');
    expect(staleReason(unseen, showing(aMachine()))).toBe('it is ACTIVE now');
  });

  it.each<[string, CloudResource, object, string | undefined]>([
    ['an empty bucket that is full', BUCKET, {objectCount: 2_481_907}, 'it now has 2,481,907 objects'],
    [
      'one whose objects have grown',
      {...BUCKET, objectCount: 7},
      {sizeBytes: 1000},
      'it now has 1,000 bytes of objects',
    ],
    ['one that was created again', BUCKET, {createdAt: epochMs(2000)}, 'it was deleted and created again meanwhile'],
    ['one that grew by a hundredth', {...BUCKET, objectCount: 1000}, {objectCount: 1010}, undefined],
    ['one that grew by more', {...BUCKET, objectCount: 1000}, {objectCount: 1011}, 'it now has 1,011 objects'],
    ['one with fewer objects', {...BUCKET, objectCount: 1000}, {objectCount: 1}, undefined],
    [
      'one that no longer says how many',
      {...BUCKET, objectCount: 1000},
      {objectCount: undefined},
      'its number of objects is not known any more',
    ],
    [
      'one that no longer says how large',
      {...BUCKET, objectCount: 1000},
      {sizeBytes: undefined},
      'the size of its objects is not known any more',
    ],
    ['one that no longer says since when', BUCKET, {createdAt: undefined}, 'when it was created is not known any more'],
    ['one that did not say how many', UNCOUNTED, {objectCount: 1000}, undefined],
    ['a volume of unknown size', aVolume({sizeGb: 100}), {sizeGb: undefined}, 'its size is not known any more'],
    ['a larger volume', aVolume({sizeGb: 100}), {sizeGb: 500}, 'it now has 500 GB'],
  ])('judges %s', (_name, was, change, reason) => {
    const action = 'id' in was ? ({kind: 'volume.delete', id: was.id} as const) : DELETE_BUCKET;
    const confirmed = confirmationOf(action, {subject: was});
    const asked = newOperation({id: 'op-1', confirmedAt: CONFIRMED_AT}, confirmed, recordOf(action));
    expect(staleReason(asked, {startedAt: monotonicMs(0), isWhole: true, records: [was]})).toBeUndefined();
    const now = {...was, ...change} as CloudResource;
    expect(staleReason(asked, {startedAt: monotonicMs(0), isWhole: true, records: [now]})).toBe(reason);
  });

  it('names the flavor when it is not the one whose price was shown', () => {
    const was = aMachine({flavor: {name: safeText('n3-H100x1')}});
    const action = {kind: 'vm.hibernate', id, retainsIp: true} as const;
    const confirmed = confirmationOf(action, {subject: was});
    const asked = newOperation({id: 'op-1', confirmedAt: CONFIRMED_AT}, confirmed, recordOf(action));
    expect(staleReason(asked, showing(was))).toBeUndefined();
    const now = showing({...was, flavor: {name: safeText('n3-H100x8')}});
    expect(staleReason(asked, now)).toBe('its flavor is now n3-H100x8');
    expect(staleReason(asked, showing(aMachine()))).toBe('its flavor is not known any more');
    const unnamed = showing({...was, flavor: {name: safeText('')}});
    expect(staleReason(asked, unnamed)).toBe('its flavor is not known any more');
  });

  it('names what was shown of others and cannot be told any more', () => {
    const [db, size] = [safeText('volume #50'), safeText('the size of volume #50')];
    const asked = anOperation(stop, 'ACTIVE', {
      facts: {
        others: new Map([
          [db, safeText('prod-db')],
          [size, undefined],
        ]),
      },
    });
    const reasonWith = (others?: NamedFacts) =>
      staleReason(asked, showing(aMachine()), others === undefined ? {} : {others});
    expect(
      reasonWith(
        new Map([
          [db, safeText('prod-db')],
          [size, safeText('5 GB')],
        ]),
      ),
    ).toBeUndefined();
    expect(
      reasonWith(
        new Map([
          [db, undefined],
          [size, undefined],
        ]),
      ),
    ).toBe('volume #50 is not known any more');
    expect(reasonWith()).toBe('volume #50 is not known any more');
    expect(
      reasonWith(
        new Map([
          [db, safeText('')],
          [size, undefined],
        ]),
      ),
    ).toBe('volume #50 is not known any more');
  });

  it('says first what is known: that the subject is gone, or why it would be refused', () => {
    const asked = anOperation(stop, 'ACTIVE', {facts: {createdAt: epochMs(1000)}});
    expect(staleReason(asked, seen('GONE'))).toBe('the machine no longer exists');
    const unfit = anOperation(stop, 'SHUTOFF', {facts: {createdAt: epochMs(1000)}});
    expect(staleReason(unfit, seen('SHUTOFF'))).toBe('already SHUTOFF');
  });

  it('names what was added to and removed from the set that was shown', () => {
    const action = {kind: 'vm.set-labels', id, labels: [safeText('prod')]} as const;
    const {initialStatus: _of, ...setting} = anOperation(stop, 'ACTIVE', {action, traits: recordOf(action)});
    const standing = (...labels: readonly string[]) => showing(aMachine({labels: labels.map(each => safeText(each))}));
    const asShown = {...setting, replaced: ['dev', 'eu']};
    expect(staleReason(asShown, standing('eu', 'dev'))).toBeUndefined();
    expect(staleReason(asShown, standing('dev'))).toBe('eu was removed meanwhile; check it again');
    expect(staleReason(asShown, standing('dev', 'qa'))).toBe('qa was added, eu was removed meanwhile; check it again');
    expect(staleReason(asShown, standing('1', '2', '3', 'dev'))).toBe(
      '#1 was added, #2 was added, #3 was added and 1 more meanwhile; check it again',
    );
    expect(staleReason(setting, standing('dev'))).toBeUndefined();
  });

  it('names a placeholder in what would be sent, however deeply nested', () => {
    const action = {kind: 'vm.set-labels', id, labels: [safeText('prod'), safeText('a\u202eb')]} as const;
    const setting = anOperation(stop, 'ACTIVE', {action, traits: recordOf(action)});
    expect(staleReason(setting, showing(aMachine()))).toBe(
      'a<U+202E>b contains a placeholder for a character that cannot be sent',
    );
  });

  it('says that the state does not allow the action, even when it is still as shown', () => {
    expect(staleReason(anOperation(stop, 'HIBERNATED'), showing(aMachine({status: 'HIBERNATED'})))).toBe(
      'must be ACTIVE or ERROR, but is HIBERNATED',
    );
  });
});

describe('afterReply', () => {
  it('is accepted when the answer is not a failure', () => {
    expect(sent(stop, 'ACTIVE').phase).toBe('accepted');
  });

  it('stores the result of the answer, if it has one', () => {
    const result = {kind: 'created', ids: [50]} as const;
    const waiting = afterSending(anOperation(stop, 'ACTIVE'), monotonicMs(SENT_AT));
    expect(afterReply(waiting, undefined, result)).toEqual({...waiting, phase: 'accepted', result});
    expect(Object.keys(afterReply(waiting, undefined))).not.toContain('result');
  });

  it('gives only the reason when nothing was sent, as the phase says the rest', () => {
    expect(sent(stop, 'ACTIVE', {kind: 'not-sent', detail: text}).detail).toBe('why');
    expect(sent(stop, 'ACTIVE', cut).detail).not.toBe('why');
  });

  it.each(ALL_FAILURES)('sets the phase after $kind, with the reason', (failure, phase) => {
    const operation = sent(stop, 'ACTIVE', failure);
    expect(operation.phase).toBe(phase);
    expect(operation.detail).toContain(TOLD[failure.kind] ?? text);
  });

  it('changes nothing after the answer was judged', () => {
    for (const phase of ['accepted', 'in-progress', 'overdue', 'unknown', 'CONFIRMED', 'NO_EFFECT_SEEN'] as const) {
      const operation = anOperation(stop, 'ACTIVE', {phase, sentAt: monotonicMs(SENT_AT)});
      for (const [failure] of ALL_FAILURES) expect(afterReply(operation, failure)).toBe(operation);
      expect(afterReply(operation, undefined)).toBe(operation);
    }
  });
});

describe('afterObservation', () => {
  const through = WAYS.filter(([action]) => action.kind !== 'vm.hard-reboot');

  it.each(through)('confirms $kind when its target is read twice in a row, not once', (action, [
    from = 'ACTIVE',
  ], way, target) => {
    for (const failure of [undefined, cut]) {
      const operation = sent(action, from, failure);
      expect(seeing(operation, target).phase).not.toBe('CONFIRMED');
      expect(seeing(operation, target, target).phase).toBe('CONFIRMED');
      expect(seeing(operation, target, way, target).phase).toBe('in-progress');
      expect(seeing(operation, way, target, target).phase).toBe('CONFIRMED');
    }
  });

  it.each(WAYS)('is in progress as soon as the transition of $kind is seen', (action, [from = 'ACTIVE'], way) => {
    expect(seeing(sent(action, from), way)).toMatchObject({phase: 'in-progress', hasSeenTransition: true});
    expect(seeing(sent(action, from, cut), way)).toMatchObject({phase: 'in-progress', hasSeenTransition: true});
  });

  it('discards reads begun before or with the sending of the request', () => {
    const operation = sent(stop, 'ACTIVE');
    for (const startedAt of [0, SENT_AT - 1, SENT_AT]) {
      expect(afterObservation(operation, seen('SHUTOFF', startedAt))).toBe(operation);
    }
    const early = anOperation(stop, 'ACTIVE');
    expect(afterObservation(early, seen('SHUTOFF', 1e9))).toBe(early);
  });

  it('remembers only that a transition was seen while it waits for the answer', () => {
    const waiting = afterSending(anOperation(stop, 'ACTIVE'), monotonicMs(SENT_AT));
    expect(seeing(waiting, 'SHUTOFF', 'SHUTOFF', 'GONE', 'GONE')).toBe(waiting);
    const onItsWay = seeing(waiting, 'STOPPING');
    expect(onItsWay).toEqual({...waiting, hasSeenTransition: true});
    expect(seeing(afterReply(onItsWay, cut), 'ACTIVE', 'ACTIVE').phase).toBe('CONTRADICTED');
  });

  it('sees no effect after three unchanged reads in a row when the outcome is unknown', () => {
    const unknown = sent(stop, 'ACTIVE', cut);
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE').phase).toBe('unknown');
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE', 'ACTIVE').phase).toBe('NO_EFFECT_SEEN');
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE', 'UNKNOWN', 'ACTIVE', 'ACTIVE').phase).toBe('unknown');
  });

  it('sees no effect of an accepted action only after a quarter of an hour', () => {
    const accepted = sent(stop, 'ACTIVE');
    const unchangedAt = (minutes: number) => seen('ACTIVE', SENT_AT + minutes * MINUTE_MS);
    const soon = [1, 2, 3, 4].reduce((now, minutes) => afterObservation(now, unchangedAt(minutes)), accepted);
    expect(soon.phase).toBe('accepted');
    const slow = [6, 10, 14].reduce((now, minutes) => afterObservation(now, unchangedAt(minutes)), soon);
    expect(slow.phase).toBe('overdue');
    expect(afterObservation(slow, unchangedAt(15.1)).phase).toBe('NO_EFFECT_SEEN');
  });

  it.each([
    ['another than it had', '198.51.100.7', '198.51.100.9', 'its public address is now 198.51.100.9'],
    ['one where it had none', undefined, '198.51.100.9', 'its public address is now 198.51.100.9'],
    ['the one it had', '198.51.100.7', '198.51.100.7', undefined],
    ['none any more', '198.51.100.7', undefined, undefined],
  ])('says of a restored machine which public address it has, if it is %s', (_name, had, has, remark) => {
    const at = (status: MachineStatus, address: string | undefined) =>
      aMachine({status, ...(address === undefined ? {} : {floatingIp: safeText(address)})});
    const asked = {...sent(restore, 'HIBERNATED'), before: showing(at('HIBERNATED', had))};
    const read = {...seen('ACTIVE'), records: [at('ACTIVE', has)]};
    const restored = afterObservation(afterObservation(asked, read), read);
    expect(restored.phase).toBe('CONFIRMED');
    expect(restored.remark).toBe(remark);
  });

  it('is overdue after twice the usual time, and can still be confirmed', () => {
    const overdue = afterObservation(sent(stop, 'ACTIVE'), seen('STOPPING', SENT_AT + 5 * MINUTE_MS + 1));
    expect(overdue.phase).toBe('overdue');
    expect(seeing(overdue, 'SHUTOFF', 'SHUTOFF').phase).toBe('CONFIRMED');
    const hibernating = afterObservation(sent(hibernate, 'ACTIVE'), seen('HIBERNATING', SENT_AT + 44 * MINUTE_MS));
    expect(hibernating.phase).toBe('in-progress');
  });

  it.each<[string, Operation, readonly Seen[], string]>([
    ['a stop that ends in ERROR', sent(stop, 'ACTIVE'), ['ERROR', 'ERROR'], 'it is ERROR instead'],
    [
      'a restore that falls back to HIBERNATED',
      sent(restore, 'HIBERNATED'),
      ['RESTORING', 'HIBERNATED', 'HIBERNATED'],
      'it is HIBERNATED instead',
    ],
    ['a machine that no longer exists', sent(start, 'SHUTOFF', cut), ['GONE', 'GONE'], 'the machine no longer exists'],
    [
      'a target that was seen once alone',
      sent(stop, 'ACTIVE'),
      ['SHUTOFF', 'ERROR', 'ERROR'],
      'it is ERROR instead, though it was as expected at one reading',
    ],
    ['a reboot that ends in SHUTOFF', sent(reboot, 'ACTIVE'), ['SHUTOFF', 'SHUTOFF'], 'it is SHUTOFF instead'],
  ])('is contradicted by %s', (_name, operation, statuses, detail) => {
    expect(seeing(operation, ...statuses.slice(0, -1)).phase).not.toBe('CONTRADICTED');
    expect(seeing(operation, ...statuses)).toMatchObject({phase: 'CONTRADICTED', detail});
  });

  it('draws no conclusion from an unknown state or from the transition of another action', () => {
    const operation = sent(stop, 'ACTIVE', cut);
    const seenLong = seeing(operation, ...Array<'UNKNOWN'>(20).fill('UNKNOWN'), 'STARTING', 'REBOOTING', 'DELETING');
    expect(seenLong.phase).toBe('unknown');
  });

  it('is overdue in time even while the state is unknown', () => {
    const late = afterObservation(sent(stop, 'ACTIVE'), seen('UNKNOWN', SENT_AT + 6 * MINUTE_MS));
    expect(late.phase).toBe('overdue');
  });

  describe('of a hard reboot', () => {
    const before = [anEvent('InstanceRebootSuccess', -3600), anEvent('InstanceStartSuccess', -7200)];
    const knowsHistory = {...sent(reboot, 'ACTIVE'), before: seen('ACTIVE', SENT_AT - 1, before)};
    const active = (events?: readonly MachineEvent[]) => seen('ACTIVE', SENT_AT + 1, events);

    it('does not take the state before it for its effect', () => {
      for (const events of [undefined, [], before]) {
        let operation: Operation = {...knowsHistory, phase: 'unknown'};
        for (let count = 0; count < 3; count += 1) operation = afterObservation(operation, active(events));
        expect(operation.phase).toBe('NO_EFFECT_SEEN');
      }
    });

    it('is confirmed by ACTIVE twice after REBOOTING was seen', () => {
      expect(seeing(knowsHistory, 'REBOOTING', 'ACTIVE').phase).toBe('in-progress');
      expect(seeing(knowsHistory, 'REBOOTING', 'ACTIVE', 'ACTIVE').phase).toBe('CONFIRMED');
    });

    it('is confirmed by a reboot that is new in the history', () => {
      const events = [anEvent('InstanceRebootSuccess', 9), ...before];
      const once = afterObservation(knowsHistory, active(events));
      expect(once.phase).toBe('accepted');
      expect(afterObservation(once, active(events)).phase).toBe('CONFIRMED');
    });

    it('takes neither a reboot request nor another action in the history for its effect', () => {
      const events = [anEvent('InstanceRebootRequest', 1), anEvent('InstanceStopSuccess', 5), ...before];
      const twice = afterObservation(afterObservation(knowsHistory, active(events)), active(events));
      expect(twice.phase).toBe('accepted');
    });

    it('compares the times of events when the history before sending is unknown', () => {
      const restarted = sent(reboot, 'ACTIVE', cut);
      const confirmedBy = (events: readonly MachineEvent[]) =>
        afterObservation(afterObservation(restarted, active(events)), active(events)).phase;
      expect(confirmedBy([anEvent('InstanceRebootSuccess', 9)])).toBe('CONFIRMED');
      expect(confirmedBy([anEvent('InstanceRebootSuccess', -9)])).toBe('unknown');
    });

    it('is confirmed by ACTIVE when it began in ERROR', () => {
      expect(seeing(sent(reboot, 'ERROR'), 'ACTIVE', 'ACTIVE').phase).toBe('CONFIRMED');
    });
  });

  describe('whatever is seen', () => {
    const reading = fc.record({
      status: fc.constantFrom<Seen>(...MACHINE_STATUSES, 'UNKNOWN', 'GONE'),
      startedAt: fc.integer({min: 0, max: 40 * MINUTE_MS}),
    });
    const step = fc.oneof(
      {weight: 5, arbitrary: reading},
      {
        weight: 1,
        arbitrary: fc.constantFrom<{failure: Failure | undefined}>(
          {failure: undefined},
          ...ALL_FAILURES.map(([failure]) => ({failure})),
        ),
      },
    );

    it('confirms only when the last two reads begun after sending show the target, and never changes an outcome', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...WAYS),
          fc.array(step, {maxLength: 40}),
          ([action, from, through, target], steps) => {
            for (const initial of from) {
              let operation = afterSending(anOperation(action, initial), monotonicMs(SENT_AT));
              let counted: Seen[] = [];
              let wasOnItsWay = false;
              let wasUnknown = false;
              for (const each of steps) {
                const previous = operation;
                if ('failure' in each) {
                  operation = afterReply(operation, each.failure);
                } else {
                  operation = afterObservation(operation, seen(each.status, each.startedAt));
                  if (each.startedAt > SENT_AT) {
                    wasOnItsWay ||= each.status === through;
                    counted = previous.phase === 'sent' ? [] : [...counted, each.status];
                  }
                }
                if (isEnded(previous.phase)) expect(operation).toBe(previous);
                wasUnknown ||= operation.phase === 'unknown';
                if (wasUnknown)
                  expect(['REFUSED', 'NOT_SENT', 'STALE', 'accepted', 'sent']).not.toContain(operation.phase);
                if (operation.phase === 'CONFIRMED' && previous.phase !== 'CONFIRMED') {
                  expect(counted.slice(-2)).toEqual([target, target]);
                  expect(action.kind !== 'vm.hard-reboot' || wasOnItsWay || initial === 'ERROR').toBe(true);
                }
              }
            }
          },
        ),
        {numRuns: 500},
      );
    });
  });
});

describe('the readings that an operation stores', () => {
  const other = virtualMachineId(2);
  const firewall = (number: number, ...machineIds: readonly (typeof id)[]) => ({
    id: firewallId(number),
    name: safeText(`wall-${number}`),
    status: 'SUCCESS' as const,
    statusText: safeText('SUCCESS'),
    rules: [],
    attachments: machineIds.map(machineId => ({machineId, machineName: safeText('gpu'), status: safeText('SUCCESS')})),
  });
  const events = [anEvent('InstanceStopSuccess', 1)];
  const all: Observation<CloudResource> = {
    startedAt: monotonicMs(1),
    isWhole: true,
    records: [aMachine(), aMachine({id: other})],
    events,
    firewalls: [firewall(30, id, other), firewall(31, other), firewall(32)],
  };

  it('are limited to its machine and the firewalls attached to that machine', () => {
    expect(afterCheck(anOperation(stop, 'ACTIVE'), all).before).toEqual({
      ...all,
      records: [aMachine()],
      firewalls: [firewall(30, id, other)],
    });
  });

  it('have no history after the operation has ended', () => {
    const kept = {startedAt: monotonicMs(1), isWhole: true, records: [aMachine()]};
    const ended = anOperation(stop, 'ACTIVE', {
      phase: 'CONFIRMED',
      before: {...kept, events},
      after: {...kept, events},
    });
    expect(withoutHistory(ended)).toEqual({...ended, before: kept, after: kept});
    const unread = anOperation(stop, 'ACTIVE');
    expect(Object.keys(withoutHistory(unread)).toSorted()).toEqual(Object.keys(unread).toSorted());
  });
});

describe('an operation under way', () => {
  /** An operation under way, of which every reading gives this evidence. */
  function proving(evidence: Evidence, rest: Partial<Operation> = {}): Operation {
    const traits = {...recordOf(stop), evidence: () => evidence, overdueAfterMs: MINUTE_MS};
    return anOperation(stop, 'ACTIVE', {traits, phase: 'accepted', sentAt: monotonicMs(SENT_AT), ...rest});
  }
  const at = (elapsedMs: number) => seen('ACTIVE', SENT_AT + elapsedMs);

  it.each([
    ['a transition', TRANSITION, 'in-progress'],
    ['no change', UNCHANGED, 'accepted'],
    ['nothing known', NOTHING, 'accepted'],
  ] as const)('is overdue only after its time limit, not at it, when a reading shows %s', (_what, evidence, inTime) => {
    expect(afterObservation(proving(evidence), at(MINUTE_MS)).phase).toBe(inTime);
    expect(afterObservation(proving(evidence), at(MINUTE_MS + 1)).phase).toBe('overdue');
  });

  it.each([
    ['in-progress', 'overdue'],
    ['overdue', 'overdue'],
    ['unknown', 'unknown'],
  ] as const)('that is %s is %s after its time limit when a reading shows nothing known', (phase, expected) => {
    expect(afterObservation(proving(NOTHING, {phase}), at(2 * MINUTE_MS)).phase).toBe(expected);
  });

  it('that is in progress is not overdue when a reading shows no change', () => {
    expect(afterObservation(proving(UNCHANGED, {phase: 'in-progress'}), at(2 * MINUTE_MS)).phase).toBe('in-progress');
  });

  it('that was accepted ends without an effect only after a quarter of an hour, not at it', () => {
    const twice = proving(UNCHANGED, {unchangedReadCount: 2});
    expect(afterObservation(twice, at(15 * MINUTE_MS)).phase).toBe('overdue');
    expect(afterObservation(twice, at(15 * MINUTE_MS + 1)).phase).toBe('NO_EFFECT_SEEN');
  });

  it('is contradicted by a transition past the time limit when its evidence says what that means', () => {
    const stuck: Evidence = {kind: 'transition', unlessLate: safeText('it is attached still')};
    const inTime = afterObservation(proving(stuck), at(MINUTE_MS));
    expect(inTime).toMatchObject({phase: 'in-progress', otherReadCount: 0});
    const late = afterObservation(inTime, at(MINUTE_MS + 1));
    expect(late).toMatchObject({phase: 'in-progress', otherReadCount: 1});
    expect(afterObservation(late, at(MINUTE_MS + 2))).toMatchObject({
      phase: 'CONTRADICTED',
      detail: 'it is attached still',
    });
  });

  it('stores a remark, and keeps it when a later reading has none', () => {
    const noticed = afterObservation(proving({kind: 'target', remark: safeText('two reboots')}), at(1));
    expect(noticed.remark).toBe('two reboots');
    expect(afterObservation({...noticed, traits: proving(TARGET).traits}, at(2)).remark).toBe('two reboots');
  });

  it('is judged by all that is known from before the reading', () => {
    const activity: unknown[] = [];
    const traits = {
      ...recordOf(stop),
      evidence: (_action: unknown, _seen: unknown, past: unknown) => {
        activity.push(past);
        return NOTHING;
      },
    };
    const known = {before: seen('ACTIVE', 1), result: {kind: 'created', ids: [7]} as const};
    afterObservation(proving(NOTHING, {traits, ...known, hasSeenTransition: true}), at(1));
    const {initialStatus: _unshown, ...found} = proving(NOTHING, {traits});
    afterObservation(found, at(1));
    expect(activity).toStrictEqual([
      {confirmedAt: CONFIRMED_AT, hasSeenTransition: true, initialStatus: 'ACTIVE', ...known},
      {confirmedAt: CONFIRMED_AT, hasSeenTransition: false},
    ]);
  });

  describe('that has ended without an effect', () => {
    const ended = (evidence: Evidence, rest: Partial<Operation> = {}) =>
      proving(evidence, {phase: 'NO_EFFECT_SEEN', ...rest});

    it('can be corrected once, up to a quarter of an hour after it was sent', () => {
      const last = monotonicMs(SENT_AT + 15 * MINUTE_MS);
      expect(awaitsLateEffect(ended(TARGET), last)).toBe(true);
      expect(awaitsLateEffect(ended(TARGET), monotonicMs(last + 1))).toBe(false);
      expect(awaitsLateEffect(ended(TARGET, {correction: text}), last)).toBe(false);
      expect(awaitsLateEffect(proving(TARGET, {phase: 'CONFIRMED'}), last)).toBe(false);
      const {sentAt: _unsent, ...unsent} = ended(TARGET);
      expect(awaitsLateEffect(unsent, last)).toBe(false);
    });

    it('is corrected by two readings of the target in a row, but by none that is too late', () => {
      const late = seen('SHUTOFF', SENT_AT + 15 * MINUTE_MS + 1);
      const over = ended(TARGET);
      expect(afterLateObservation(over, late)).toBe(over);
      const once = afterLateObservation(ended(TARGET), at(1));
      expect([once.targetReadCount, once.correction]).toEqual([1, undefined]);
      const between = afterLateObservation({...once, traits: proving(NOTHING).traits}, at(2));
      expect(between).toMatchObject({phase: 'NO_EFFECT_SEEN', targetReadCount: 0});
      const twice = afterLateObservation(once, at(2));
      expect(twice).toMatchObject({phase: 'NO_EFFECT_SEEN'});
      expect(twice.correction).toBe('its effect was seen after all, late or by someone else');
    });

    it('remembers that a transition was seen', () => {
      const moving = afterLateObservation(ended(TRANSITION), at(1));
      expect(moving).toMatchObject({phase: 'NO_EFFECT_SEEN', hasSeenTransition: true});
      expect(afterLateObservation({...moving, traits: proving(NOTHING).traits}, at(2)).hasSeenTransition).toBe(true);
      expect(afterLateObservation(ended(NOTHING), at(1)).hasSeenTransition).toBe(false);
    });
  });
});

describe('isEnded', () => {
  it.each<[OperationPhase, boolean]>([
    ['preflight', false],
    ['sent', false],
    ['accepted', false],
    ['in-progress', false],
    ['overdue', false],
    ['unknown', false],
    ['CONFIRMED', true],
    ['REFUSED', true],
    ['NOT_SENT', true],
    ['STALE', true],
    ['CONTRADICTED', true],
    ['NO_EFFECT_SEEN', true],
  ])('of %s is %s', (phase, ended) => {
    expect(isEnded(phase)).toBe(ended);
  });
});
