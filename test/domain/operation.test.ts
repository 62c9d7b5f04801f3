import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {recordOf, unmetPrecondition} from '../../src/actions/actions.ts';
import type {PowerAction} from '../../src/actions/machine-power.ts';
import type {Failure} from '../../src/domain/failure.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {
  afterObservation,
  afterReply,
  afterSending,
  isEnded,
  type Operation,
  type OperationPhase,
  staleReason,
} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {
  MACHINE_STATUSES,
  type MachineEvent,
  type MachineStatus,
  type VirtualMachine,
  virtualMachineId,
} from '../../src/domain/virtual-machine.ts';

const id = virtualMachineId(793001);
const text = safeText('why');
const SENT_AT = 1000;
const CONFIRMED_AT = epochMs(1_700_000_000_000);

/** facts.md C1: what each action needs, passes through and ends in. */
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
  [{kind: 'redirected', host: text}, 'unknown'],
  [{kind: 'odd-answer', detail: text}, 'unknown'],
];

function anOperation(action: PowerAction, initialStatus: MachineStatus, rest: Partial<Operation> = {}): Operation {
  return {
    id: 'op-1',
    action,
    rule: recordOf(action),
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

describe('the state that a power action needs', () => {
  it.each(WAYS)('takes $kind in its own states only', (action, from) => {
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

describe('staleReason', () => {
  it.each<[string, Partial<VirtualMachine>, string | undefined]>([
    ['nothing has changed', {}, undefined],
    ['the state has changed', {status: 'SHUTOFF'}, 'it is SHUTOFF now'],
    ['the name has changed', {name: safeText('prod-db')}, 'the name is now prod-db'],
  ])('tells when %s', (_name, change, reason) => {
    expect(staleReason(anOperation(stop, 'ACTIVE'), showing(aMachine(change)))).toBe(reason);
  });

  it('tells when the state is still as shown and does not allow the action', () => {
    expect(staleReason(anOperation(stop, 'HIBERNATED'), showing(aMachine({status: 'HIBERNATED'})))).toBe(
      'must be ACTIVE or ERROR, but is HIBERNATED',
    );
  });
});

describe('afterReply', () => {
  it('is accepted by a complete yes', () => {
    expect(sent(stop, 'ACTIVE').phase).toBe('accepted');
  });

  it.each(ALL_FAILURES)('judges $kind', (failure, phase) => {
    const operation = sent(stop, 'ACTIVE', failure);
    expect(operation.phase).toBe(phase);
    expect(operation.detail).toContain('kind' in failure && failure.kind === 'rate-limited' ? '429' : '');
  });

  it('changes nothing once the answer was judged', () => {
    for (const phase of ['accepted', 'in-progress', 'overdue', 'unknown', 'CONFIRMED', 'NO_EFFECT_SEEN'] as const) {
      const operation = anOperation(stop, 'ACTIVE', {phase, sentAt: monotonicMs(SENT_AT)});
      for (const [failure] of ALL_FAILURES) expect(afterReply(operation, failure)).toBe(operation);
      expect(afterReply(operation, undefined)).toBe(operation);
    }
  });
});

describe('afterObservation', () => {
  const through = WAYS.filter(([action]) => action.kind !== 'vm.hard-reboot');

  it.each(through)('confirms $kind by its target twice in a row, not once', (action, [
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

  it.each(WAYS)('is in progress as soon as $kind is seen on its way', (action, [from = 'ACTIVE'], way) => {
    expect(seeing(sent(action, from), way)).toMatchObject({phase: 'in-progress', hasSeenTransition: true});
    expect(seeing(sent(action, from, cut), way)).toMatchObject({phase: 'in-progress', hasSeenTransition: true});
  });

  it('discards reads begun before the request left, and with it', () => {
    const operation = sent(stop, 'ACTIVE');
    for (const startedAt of [0, SENT_AT - 1, SENT_AT]) {
      expect(afterObservation(operation, seen('SHUTOFF', startedAt))).toBe(operation);
    }
    const early = anOperation(stop, 'ACTIVE');
    expect(afterObservation(early, seen('SHUTOFF', 1e9))).toBe(early);
  });

  it('remembers, while the answer is awaited, only that the machine was on its way', () => {
    const waiting = afterSending(anOperation(stop, 'ACTIVE'), monotonicMs(SENT_AT));
    expect(seeing(waiting, 'SHUTOFF', 'SHUTOFF', 'GONE', 'GONE')).toBe(waiting);
    const onItsWay = seeing(waiting, 'STOPPING');
    expect(onItsWay).toEqual({...waiting, hasSeenTransition: true});
    expect(seeing(afterReply(onItsWay, cut), 'ACTIVE', 'ACTIVE').phase).toBe('CONTRADICTED');
  });

  it('says no effect after three unchanged reads in a row of an unknown', () => {
    const unknown = sent(stop, 'ACTIVE', cut);
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE').phase).toBe('unknown');
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE', 'ACTIVE').phase).toBe('NO_EFFECT_SEEN');
    expect(seeing(unknown, 'ACTIVE', 'ACTIVE', 'UNKNOWN', 'ACTIVE', 'ACTIVE').phase).toBe('unknown');
  });

  it('waits a quarter of an hour before it says so of an action that was accepted', () => {
    const accepted = sent(stop, 'ACTIVE');
    const unchangedAt = (minutes: number) => seen('ACTIVE', SENT_AT + minutes * MINUTE_MS);
    const soon = [1, 2, 3, 4].reduce((now, minutes) => afterObservation(now, unchangedAt(minutes)), accepted);
    expect(soon.phase).toBe('accepted');
    const slow = [6, 10, 14].reduce((now, minutes) => afterObservation(now, unchangedAt(minutes)), soon);
    expect(slow.phase).toBe('overdue');
    expect(afterObservation(slow, unchangedAt(15.1)).phase).toBe('NO_EFFECT_SEEN');
  });

  it('is overdue beyond twice the usual time, still watching, and can be confirmed', () => {
    const overdue = afterObservation(sent(stop, 'ACTIVE'), seen('STOPPING', SENT_AT + 5 * MINUTE_MS + 1));
    expect(overdue.phase).toBe('overdue');
    expect(seeing(overdue, 'SHUTOFF', 'SHUTOFF').phase).toBe('CONFIRMED');
    const hibernating = afterObservation(sent(hibernate, 'ACTIVE'), seen('HIBERNATING', SENT_AT + 44 * MINUTE_MS));
    expect(hibernating.phase).toBe('in-progress');
  });

  it.each<[string, Operation, readonly Seen[], string]>([
    ['a stop that ends in ERROR', sent(stop, 'ACTIVE'), ['ERROR', 'ERROR'], 'it is ERROR instead'],
    [
      'a restore that falls back',
      sent(restore, 'HIBERNATED'),
      ['RESTORING', 'HIBERNATED', 'HIBERNATED'],
      'it is HIBERNATED instead',
    ],
    ['a machine that vanishes', sent(start, 'SHUTOFF', cut), ['GONE', 'GONE'], 'the machine no longer exists'],
    ['a reboot that ends shut off', sent(reboot, 'ACTIVE'), ['SHUTOFF', 'SHUTOFF'], 'it is SHUTOFF instead'],
  ])('is contradicted by %s', (_name, operation, statuses, detail) => {
    expect(seeing(operation, ...statuses.slice(0, -1)).phase).not.toBe('CONTRADICTED');
    expect(seeing(operation, ...statuses)).toMatchObject({phase: 'CONTRADICTED', detail});
  });

  it('draws no conclusion from a state it does not know, or from the way to another one', () => {
    const operation = sent(stop, 'ACTIVE', cut);
    const seenLong = seeing(operation, ...Array<'UNKNOWN'>(20).fill('UNKNOWN'), 'STARTING', 'REBOOTING', 'DELETING');
    expect(seenLong.phase).toBe('unknown');
  });

  it('tells in time that an action takes long, also while the state says nothing', () => {
    const late = afterObservation(sent(stop, 'ACTIVE'), seen('UNKNOWN', SENT_AT + 6 * MINUTE_MS));
    expect(late.phase).toBe('overdue');
  });

  describe('of a hard reboot', () => {
    const before = [anEvent('InstanceRebootSuccess', -3600), anEvent('InstanceStartSuccess', -7200)];
    const knowsHistory = {...sent(reboot, 'ACTIVE'), before: seen('ACTIVE', SENT_AT - 1, before)};
    const active = (events?: readonly MachineEvent[]) => seen('ACTIVE', SENT_AT + 1, events);

    it('does not take the state it began in for an effect', () => {
      for (const events of [undefined, [], before]) {
        let operation: Operation = {...knowsHistory, phase: 'unknown'};
        for (let count = 0; count < 3; count += 1) operation = afterObservation(operation, active(events));
        expect(operation.phase).toBe('NO_EFFECT_SEEN');
      }
    });

    it('is confirmed after it was seen on its way', () => {
      expect(seeing(knowsHistory, 'REBOOTING', 'ACTIVE').phase).toBe('in-progress');
      expect(seeing(knowsHistory, 'REBOOTING', 'ACTIVE', 'ACTIVE').phase).toBe('CONFIRMED');
    });

    it('is confirmed by a reboot in the history that was not there before', () => {
      const events = [anEvent('InstanceRebootSuccess', 9), ...before];
      const once = afterObservation(knowsHistory, active(events));
      expect(once.phase).toBe('accepted');
      expect(afterObservation(once, active(events)).phase).toBe('CONFIRMED');
    });

    it('takes neither the request nor another action in the history for its effect', () => {
      const events = [anEvent('InstanceRebootRequest', 1), anEvent('InstanceStopSuccess', 5), ...before];
      const twice = afterObservation(afterObservation(knowsHistory, active(events)), active(events));
      expect(twice.phase).toBe('accepted');
    });

    it('goes by the time of the events where the history before sending is not known', () => {
      const restarted = sent(reboot, 'ACTIVE', cut);
      const confirmedBy = (events: readonly MachineEvent[]) =>
        afterObservation(afterObservation(restarted, active(events)), active(events)).phase;
      expect(confirmedBy([anEvent('InstanceRebootSuccess', 9)])).toBe('CONFIRMED');
      expect(confirmedBy([anEvent('InstanceRebootSuccess', -9)])).toBe('unknown');
    });

    it('is confirmed by ACTIVE where it began in ERROR', () => {
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

    it('confirms only by the target in the last two reads begun after sending, and keeps every end', () => {
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
