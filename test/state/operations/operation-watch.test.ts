import {describe, expect, it} from 'vitest';
import {ACTIONS, recordOf} from '../../../src/actions/actions.ts';
import type {PowerAction} from '../../../src/actions/machines/power.ts';
import {newOperation, type Operation} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, type MonotonicMs, monotonicMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import type {Feed} from '../../../src/state/feed.ts';
import {usageFeed} from '../../../src/state/billing.ts';
import {eventsFeed, machineFeed, machinesFeed} from '../../../src/state/machines.ts';
import {OperationBook} from '../../../src/state/operations/operation-book.ts';
import {OperationWatch} from '../../../src/state/operations/operation-watch.ts';
import type {Want} from '../../../src/state/poller/poll-schedule.ts';
import {aMachine} from '../../actions/some-things.ts';
import {openPolling} from '../polling.ts';

it('gives an operation each state once, each time with a history it has not seen either', () => {
  const {read, readHistory, next} = aRebootSentAt(monotonicMs(10));
  read(9);
  readHistory(9);
  expect(next()).toBeUndefined();
  read(12);
  // This history was read before sending, so it cannot contain the reboot.
  expect(next()).toBeUndefined();
  readHistory(11);
  expect(next()).toMatchObject({startedAt: 12, eventsStartedAt: 11});
  expect(next()).toBeUndefined();
  read(14);
  expect(next()).toBeUndefined();
  // Its reading started before that of the state, as happens when answers come slowly and out of order.
  readHistory(13);
  expect(next()).toMatchObject({startedAt: 14, eventsStartedAt: 13});
  readHistory(15);
  expect(next()).toBeUndefined();
});

describe('what the poller is asked for', () => {
  const REST = {quarantined: [], records: [7, 8, 9].map(number => aMachine({id: virtualMachineId(number)}))};

  it('is the list once three operations on its objects are under way, and each object before that', () => {
    const watch = aWatch();
    watch.want(hibernating(7), hibernating(8));
    expect(watch.due()).toEqual(['machine:7', 'machine:8']);
    watch.want(hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(['machines']);
  });

  it.each([
    ['is not answered yet', {phase: 'sent'}, 'machine:7'],
    ['has an unknown outcome', {phase: 'unknown'}, 'machine:7'],
    ['is seen in an unexpected state, along with the event history', {otherReadCount: 1}, 'events:7 machine:7'],
  ] as const)('is a reading of its own for an operation that %s', (_what, as, expected) => {
    const watch = aWatch();
    watch.want({...hibernating(7), ...as}, hibernating(8), hibernating(9), hibernating(10));
    expect(watch.due()).toEqual([...expected.split(' '), 'machines']);
  });

  it('is a reading of its own for a machine missing from a newer list', () => {
    const watch = aWatch();
    watch.store.writeValue(machinesFeed, REST, monotonicMs(SENT_AT + 1));
    watch.want(hibernating(6), hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(['machine:6', 'machines']);
  });

  it.each([
    [400, ['machines']],
    [401, ['machine:7', 'machine:8', 'machine:9']],
  ])('is the list or each machine, whichever takes fewer requests, for %i machines', (length, due) => {
    const watch = aWatch();
    const records = Array.from({length}, (_, index) => aMachine({id: virtualMachineId(index + 1)}));
    watch.store.writeValue(machinesFeed, {quarantined: [], records}, monotonicMs(SENT_AT + 1));
    watch.want(hibernating(7), hibernating(8), hibernating(9));
    expect(watch.due()).toEqual(due);
  });

  it.each(['accepted', 'in-progress', 'overdue'] as const)('is the list too when all are %s', phase => {
    const watch = aWatch();
    watch.want(...[7, 8, 9].map(number => ({...hibernating(number), phase})));
    expect(watch.due()).toEqual(['machines']);
  });

  it('includes no event history for an action that has none, whatever state is seen', () => {
    const watch = aWatch();
    watch.want({...operationOf({kind: 'vm.stop', id: virtualMachineId(7)}), otherReadCount: 1});
    expect(watch.due()).toEqual(['machine:7']);
  });

  it('has priority over what is only displayed, and uses the budget reserved for operations', () => {
    const watch = aWatch();
    watch.want(hibernating(7));
    expect(watch.wants()).toEqual([expect.objectContaining({priority: 0, isForOperation: true, intervalMs: 2500})]);
  });

  it('is nothing before the request is sent', () => {
    const watch = aWatch();
    const {sentAt: _sent, ...checked} = hibernating(7);
    watch.want({...checked, phase: 'preflight'});
    expect(watch.due()).toEqual([]);
  });

  it.each([
    [2 * MINUTE_MS - 1, 2500],
    [2 * MINUTE_MS, 10_000],
    [15 * MINUTE_MS - 1, 10_000],
    [15 * MINUTE_MS, 30_000],
    [24 * 60 * MINUTE_MS, 30_000],
  ])('is read less often over time: %i ms after sending, every %i ms', async (elapsedMs, intervalMs) => {
    const watch = aWatch();
    const sentAt = monotonicMs(watch.time.clock.monotonicNow() + 3000);
    await watch.time.advance(3000 + elapsedMs);
    watch.want({...hibernating(7), sentAt});
    expect(watch.wants().map(want => want.intervalMs)).toEqual([intervalMs]);
  });

  it('is, less often, an ended operation whose effect may still come, and the organization when it is needed', () => {
    const watch = aWatch();
    watch.watch.want({open: [], late: [hibernating(7)], needsOrganization: true});
    expect(watch.wants().map(({feed, intervalMs}) => [feed.key, intervalMs])).toEqual([
      ['machine:7', 10_000],
      [organizationFeed.key, undefined],
    ]);
  });

  it('does not count readings made once a minute or less against the budget', () => {
    const watch = aWatch();
    const reboots = Array.from({length: 20}, (_, index) =>
      operationOf({kind: 'vm.hard-reboot', id: virtualMachineId(index + 1)}),
    );
    watch.want(...reboots);
    // The list and twenty histories are 21 readings; the user and the organization are read hourly.
    expect(new Set(watch.wants().map(({intervalMs}) => intervalMs))).toEqual(new Set([26_250]));
  });

  it('is due at once for an operation that was just answered, but not for many that a list covers', () => {
    const watch = aWatch();
    const two = [hibernating(7), hibernating(8)] as const;
    watch.watch.hasten(two[1], two);
    expect(watch.hastened()).toEqual(['machine:8']);
    watch.watch.hasten(two[1], [...two, hibernating(9)]);
    watch.watch.hasten(hibernating(6), two);
    expect(watch.hastened()).toEqual(['machine:8']);
  });

  it('is never more than half of the budget', () => {
    const watch = aWatch();
    const unknown = Array.from({length: 40}, (_, index) => ({...hibernating(index + 1), phase: 'unknown' as const}));
    watch.want(...unknown);
    // 40 readings in 50 s are 48 a minute.
    expect(new Set(watch.wants().map(({intervalMs}) => intervalMs))).toEqual(new Set([50_000]));
  });
});

it('asks for the usage after an operation ends, until it was read or a minute has passed', async () => {
  const {watch, store, want, due, time} = aWatch();
  want();
  expect(due()).toEqual([]);
  await time.advance(1000);
  watch.end({...hibernating(7), phase: 'CONFIRMED'});
  want();
  expect(due()).toEqual(['usage']);
  store.writeValue(usageFeed, {quarantined: [], records: []}, monotonicMs(time.clock.monotonicNow()));
  want();
  // A reading started at the same moment may have been metered before the end.
  expect(due()).toEqual(['usage']);
  store.writeValue(usageFeed, {quarantined: [], records: []}, monotonicMs(time.clock.monotonicNow() + 1));
  want();
  expect([due(), watch.wantsMoney()]).toEqual([[], false]);
  watch.end({...hibernating(8), phase: 'CONFIRMED'});
  await time.advance(60_001);
  want();
  expect(due()).toEqual([]);
});

it('does not use the list for an operation seen in an unexpected state or with an unknown outcome', () => {
  const watch = aWatch();
  const {store} = watch;
  const operation = hibernating(7);
  store.writeValue(machinesFeed, {quarantined: [], records: [aMachine({id: virtualMachineId(7)})]}, monotonicMs(20));
  expect(watch.watch.newest(operation)).toMatchObject({startedAt: 20});
  expect(watch.watch.newest({...operation, otherReadCount: 1})).toBeUndefined();
  expect(watch.watch.newest({...operation, phase: 'unknown'})).toBeUndefined();
});

it('does not wait for the history when the state alone proves the end', () => {
  const {store, watch} = aWatch();
  const id = virtualMachineId(7);
  store.writeValue(eventsFeed(id), {records: [], quarantined: []}, monotonicMs(SENT_AT - 1));
  store.writeValue(machineFeed(id), aMachine({id}), monotonicMs(20));
  expect(watch.newest(hibernating(7))).toMatchObject({startedAt: 20});
});

describe('an operation that ended without effect', () => {
  const ended = (number = 7): Operation => ({...hibernating(number), phase: 'NO_EFFECT_SEEN'});

  it('is watched until its effect can no longer come', async () => {
    const {watch, time} = aWatch();
    const sentAt = time.clock.monotonicNow();
    const operation = {...ended(), sentAt};
    const book = new OperationBook();
    book.add(operation, {kind: 'own'});
    watch.end(operation);
    expect(watch.late(book)).toEqual([operation]);
    await time.advance(15 * MINUTE_MS);
    watch.endLate(operation);
    expect([watch.isLate(operation), watch.late(book)]).toEqual([true, [operation]]);
    await time.advance(1);
    watch.endLate(operation);
    expect([watch.isLate(operation), watch.late(book)]).toEqual([false, []]);
  });

  it('is no longer watched once an operation begins on its object, unlike those on other objects', () => {
    const {watch} = aWatch();
    const book = new OperationBook();
    for (const operation of [ended(7), ended(8)]) {
      book.add(operation, {kind: 'own'});
      watch.end(operation);
    }
    watch.forgetLate(operationOf({kind: 'vm.start', id: virtualMachineId(7)}), book);
    expect([watch.isLate(ended(7)), watch.isLate(ended(8))]).toEqual([false, true]);
  });

  it('is watched, unlike one whose end was seen', () => {
    const {watch} = aWatch();
    watch.end({...hibernating(7), phase: 'CONFIRMED'});
    expect(watch.isLate(hibernating(7))).toBe(false);
  });
});

const SENT_AT = 10;

function hibernating(number: number): Operation {
  return operationOf({kind: 'vm.hibernate', id: virtualMachineId(number), retainsIp: true});
}

function operationOf(action: PowerAction): Operation {
  const begun = newOperation(
    {id: `op-${action.id}`, confirmedAt: epochMs(0)},
    {action, subjectName: safeText(`gpu-${action.id}`), status: 'ACTIVE'},
    recordOf(action),
  );
  return {...begun, phase: 'accepted', sentAt: monotonicMs(SENT_AT)};
}

/** A watch whose requests to the poller can be inspected. */
function aWatch() {
  const {poller, store, time} = openPolling();
  let wants: readonly Want[] = [];
  const want = (_asker: string, wanted: readonly Want[]) => {
    wants = wanted;
  };
  const hastened: string[] = [];
  const hasten = ({key}: Feed<unknown>) => hastened.push(key);
  const watch = new OperationWatch({actions: ACTIONS, poller: {...poller, want, hasten}, store, clock: time.clock});
  return {
    watch,
    time,
    hastened: () => hastened,
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
