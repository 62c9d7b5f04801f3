import {describe, expect, it} from 'vitest';
import {describeOperation} from '../../src/domain/describe-operation.ts';
import {withCause} from '../../src/domain/event-evidence.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {afterCheck, afterObservation, afterReply, afterSending, type Operation} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import type {MachineEvent, VirtualMachine} from '../../src/domain/virtual-machine.ts';
import {anOperation} from '../actions/an-operation.ts';
import {EVERY_ACTION} from '../actions/every-action.ts';
import {aMachine} from '../actions/some-things.ts';

const {confirmed} = EVERY_ACTION['vm.hard-reboot'];
const CONFIRMED_AT = epochMs(1_700_000_000_000);
const ME = 11;
const SOMEBODY = 12;

function anEvent(what: 'Request' | 'Success', secondsAfter: number, userId: number | undefined = ME): MachineEvent {
  return {
    occurredAt: epochMs(CONFIRMED_AT + secondsAfter * 1000),
    reason: safeText(`InstanceReboot${what}`),
    message: safeText(''),
    ...(userId === undefined ? {} : {userId}),
  };
}

type Look = {readonly status?: 'ACTIVE' | 'REBOOTING'; readonly events?: readonly MachineEvent[]; readonly me?: number};

function look({status = 'ACTIVE', events = [], me = ME}: Look, startedAt: number): Observation<VirtualMachine> {
  return {startedAt: monotonicMs(startedAt), records: [aMachine({status})], isWhole: true, events, ownUserId: me};
}

const OLD = [anEvent('Request', -3600), anEvent('Success', -3590)];

function rebooting(isAnswered = true): Operation {
  const checked = afterCheck(anOperation('op-1', confirmed, CONFIRMED_AT), look({events: OLD}, 1));
  const failure = isAnswered ? undefined : ({kind: 'cut', detail: safeText('why')} as const);
  return afterReply(afterSending(checked, monotonicMs(10)), failure);
}

function seeing(operation: Operation, ...looks: readonly Look[]): Operation {
  return looks.reduce((now, each, index) => afterObservation(now, look(each, 11 + index)), operation);
}

describe('a hard reboot, when the history of the machine is read', () => {
  const ours = [...OLD, anEvent('Request', 1), anEvent('Success', 9)];

  it('is confirmed by a new reboot of ours in the history', () => {
    expect(seeing(rebooting(), {events: ours}, {events: ours}).phase).toBe('CONFIRMED');
  });

  it('is not confirmed by the reboot of another person, and says that another person rebooted it', () => {
    const theirs = [...OLD, anEvent('Request', 1, SOMEBODY), anEvent('Success', 9, SOMEBODY)];
    const seen = seeing(rebooting(false), {events: theirs}, {events: theirs}, {events: theirs});
    expect(seen).toMatchObject({phase: 'NO_EFFECT_SEEN', remark: 'another person rebooted it'});
    expect(describeOperation(seen).text).toMatch(/no effect seen.*; another person rebooted it$/);
  });

  it('is not confirmed by a REBOOTING state when the reboot in the history is of another person', () => {
    const theirs = [...OLD, anEvent('Request', 1, SOMEBODY), anEvent('Success', 9, SOMEBODY)];
    const seen = seeing(rebooting(), {status: 'REBOOTING'}, {events: theirs}, {events: theirs});
    expect(seen.phase).toBe('in-progress');
  });

  it('is confirmed by its own reboot, and mentions one by another person', () => {
    const both = [...ours, anEvent('Success', 20, SOMEBODY)];
    const seen = seeing(rebooting(), {events: both}, {events: both});
    expect(seen).toMatchObject({phase: 'CONFIRMED', remark: 'another person rebooted it too'});
  });

  it.each([
    ['requests', [...OLD, anEvent('Request', 1), anEvent('Request', 2), anEvent('Success', 9)]],
    ['completions', [...OLD, anEvent('Success', 9), anEvent('Success', 30)]],
  ])('warns that it was carried out twice when the history has two %s of ours', (_what, events) => {
    const seen = seeing(rebooting(), {events}, {events});
    expect(seen.phase).toBe('CONFIRMED');
    expect(describeOperation(seen)).toEqual({
      text: 'hard reboot gpu-7 #7: confirmed; its history has 2 reboots of yours where one was sent',
      tone: 'warning',
    });
  });

  it('counts an event without a user as ours, and every event as ours when our own user is unknown', () => {
    const nameless = [...OLD, {reason: safeText('InstanceRebootSuccess'), message: safeText('done')}];
    expect(seeing(rebooting(), {events: nameless}, {events: nameless}).phase).toBe('CONFIRMED');
    const theirs = [...OLD, anEvent('Success', 9, SOMEBODY)];
    const withoutMe = (startedAt: number) => {
      const {ownUserId: _me, ...rest} = look({events: theirs}, startedAt);
      return rest;
    };
    const seen = afterObservation(afterObservation(rebooting(), withoutMe(11)), withoutMe(12));
    expect(seen.phase).toBe('CONFIRMED');
  });
});

describe('a restore that failed', () => {
  it('gives as its cause the newest failure in the history since it was sent, not an older one', () => {
    const told = {kind: 'elsewhere', detail: safeText('it is HIBERNATED instead')} as const;
    const failure = (secondsAfter: number, words: string): MachineEvent => ({
      occurredAt: epochMs(CONFIRMED_AT + secondsAfter * 1000),
      reason: safeText('RestoreHibernationInstanceFailed'),
      message: safeText(words),
    });
    const old = failure(-3600, 'an older one');
    const history = {confirmedAt: CONFIRMED_AT, hasSeenTransition: true, before: look({events: [old]}, 1)};
    const since = [failure(10, 'tried again'), failure(30, 'no free capacity'), anEvent('Request', 1)];
    for (const events of [since, since.toReversed()]) {
      expect(withCause(told, history, look({events: [old, ...events]}, 20))).toEqual({
        kind: 'elsewhere',
        detail: 'it is HIBERNATED instead: no free capacity',
      });
    }
    expect(withCause(told, history, look({events: [old]}, 20))).toEqual(told);
    expect(withCause({kind: 'target'}, history, look({events: since}, 20))).toEqual({kind: 'target'});
  });
});
