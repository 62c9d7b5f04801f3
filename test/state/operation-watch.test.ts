import {describe, expect, it} from 'vitest';
import {ACTIONS, recordOf} from '../../src/actions/actions.ts';
import {newOperation, type Operation} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, type MonotonicMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {eventsFeed, machineFeed, machinesFeed} from '../../src/state/machines.ts';
import {OperationWatch} from '../../src/state/operation-watch.ts';
import type {Want} from '../../src/state/poll-schedule.ts';
import {aMachine} from '../actions/some-things.ts';
import {openPolling} from './polling.ts';

it('puts a state to its operation once, each time with a history that was not put to it either', () => {
  const {read, readHistory, next} = aRebootSentAt(monotonicMs(10));
  read(9);
  readHistory(9);
  expect(next()).toBeUndefined();
  read(12);
  // Read before it was sent, so that it can hold nothing of it.
  expect(next()).toBeUndefined();
  readHistory(11);
  expect(next()).toMatchObject({startedAt: 12, eventsStartedAt: 11});
  expect(next()).toBeUndefined();
  read(14);
  expect(next()).toBeUndefined();
  // Begun before the state, as happens where answers come slowly and out of order.
  readHistory(13);
  expect(next()).toMatchObject({startedAt: 14, eventsStartedAt: 13});
  readHistory(15);
  expect(next()).toBeUndefined();
});

describe('what the poller is asked for', () => {
  const REST = {quarantined: [], records: [7, 8, 9].map(number => aMachine({id: virtualMachineId(number)}))};

  it('is the list once three of its objects are on their way, and each alone before', () => {
    const watch = aWatch();
    watch.want(hibernating(7), hibernating(8));
    expect(watch.due()).toEqual(['machine:7', 'machine:8']);
    watch.want(hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(['machines']);
  });

  it.each([
    ['is not answered', {phase: 'sent'}, 'machine:7'],
    ['has an unknown outcome', {phase: 'unknown'}, 'machine:7'],
    ['is in another state than it should be, with the cause', {otherReadCount: 1}, 'events:7 machine:7'],
  ] as const)('is its own reading for one that %s', (_what, as, expected) => {
    const watch = aWatch();
    watch.want({...hibernating(7), ...as}, hibernating(8), hibernating(9), hibernating(10));
    expect(watch.due()).toEqual([...expected.split(' '), 'machines']);
  });

  it('is its own reading for one that a list read since does not show', () => {
    const watch = aWatch();
    watch.store.writeValue(machinesFeed, REST, monotonicMs(SENT_AT + 1));
    watch.want(hibernating(6), hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(['machine:6', 'machines']);
  });

  it('is each alone where the list takes as many requests', () => {
    const watch = aWatch();
    const records = Array.from({length: 601}, (_, index) => aMachine({id: virtualMachineId(index + 1)}));
    watch.store.writeValue(machinesFeed, {quarantined: [], records}, monotonicMs(SENT_AT + 1));
    watch.want(hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(['machine:7', 'machine:8', 'machine:9']);
  });

  it('is never more than half of the budget', () => {
    const watch = aWatch();
    const unknown = Array.from({length: 40}, (_, index) => ({...hibernating(index + 1), phase: 'unknown' as const}));
    watch.want(...unknown);
    // 40 readings in 50 s are 48 a minute.
    expect(new Set(watch.wants().map(({intervalMs}) => intervalMs))).toEqual(new Set([50_000]));
  });
});

it('takes no list for the reading of one that looks like another than it should be', () => {
  const watch = aWatch();
  const {store} = watch;
  const operation = hibernating(7);
  store.writeValue(machinesFeed, {quarantined: [], records: [aMachine({id: virtualMachineId(7)})]}, monotonicMs(20));
  expect(watch.watch.newest(operation)).toMatchObject({startedAt: 20});
  expect(watch.watch.newest({...operation, otherReadCount: 1})).toBeUndefined();
  expect(watch.watch.newest({...operation, phase: 'unknown'})).toBeUndefined();
});

const SENT_AT = 10;

function hibernating(number: number): Operation {
  const action = {kind: 'vm.hibernate', id: virtualMachineId(number), retainsIp: true} as const;
  const begun = newOperation(
    {id: `op-${number}`, confirmedAt: epochMs(0)},
    {action, subjectName: safeText(`gpu-${number}`), status: 'ACTIVE'},
    recordOf(action),
  );
  return {...begun, phase: 'accepted', sentAt: monotonicMs(SENT_AT)};
}

/** A watch whose wants are seen as they are handed over. */
function aWatch() {
  const {poller, store, time} = openPolling();
  let wants: readonly Want[] = [];
  const want = (_asker: string, wanted: readonly Want[]) => {
    wants = wanted;
  };
  const watch = new OperationWatch({actions: ACTIONS, poller: {...poller, want}, store, clock: time.clock});
  return {
    watch,
    store,
    wants: () => wants,
    want: (...open: readonly Operation[]) => watch.want({open, late: [], needsOrganization: false}),
    due: () => [...new Set(wants.map(({feed}) => feed.key))].toSorted(),
  };
}

function aRebootSentAt(sentAt: MonotonicMs) {
  const id = virtualMachineId(7);
  const action = {kind: 'vm.hard-reboot', id} as const;
  const {poller, store, time} = openPolling();
  const watch = new OperationWatch({actions: ACTIONS, poller, store, clock: time.clock});
  const begun = newOperation(
    {id: 'op-1', confirmedAt: epochMs(0)},
    {action, subjectName: safeText('gpu-7')},
    recordOf(action),
  );
  const operation = {...begun, sentAt};
  return {
    read: (atMs: number) => store.writeValue(machineFeed(id), aMachine({id}), monotonicMs(atMs)),
    readHistory: (atMs: number) => store.writeValue(eventsFeed(id), {records: [], quarantined: []}, monotonicMs(atMs)),
    next: () => {
      const seen = watch.newest(operation);
      if (seen !== undefined) watch.markSeen(operation, seen);
      return seen;
    },
  };
}
