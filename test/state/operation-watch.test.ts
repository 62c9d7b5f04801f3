import {expect, it} from 'vitest';
import {ACTIONS, recordOf} from '../../src/actions/actions.ts';
import {newOperation} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, type MonotonicMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {eventsFeed, machineFeed} from '../../src/state/machines.ts';
import {OperationWatch} from '../../src/state/operation-watch.ts';
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
