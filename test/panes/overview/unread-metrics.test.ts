import {expect, test} from 'vitest';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {unreadWords} from '../../../src/panes/overview/findings-part.ts';
import {machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';

/** The words for this many running machines of which this many were read, the first ones since none has a rate. */
function wordsFor(
  runningCount: number,
  readCount: number,
  judgedMachineCount = 50,
  failedCount = 0,
): string | undefined {
  const preferences = {...DEFAULT_PREFERENCES, judgedMachineCount};
  const store = createStore();
  const machines = Array.from({length: runningCount}, (_, index) =>
    aVirtualMachine({id: index + 1, name: safeText(`gpu-${index + 1}`)}),
  );
  store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
  for (const {id} of machines.slice(0, readCount)) store.writeValue(metricsFeed(id, '1d'), {}, monotonicMs(1));
  for (const {id} of machines.slice(readCount, readCount + failedCount)) {
    store.writeFailure(metricsFeed(id, '1d'), {kind: 'timed-out', afterMs: 15_000}, monotonicMs(1));
  }
  return unreadWords({store, preferences});
}

test.each([
  ['how many are read next', 80, 20, '60 machines without metrics: 30 to come'],
  ['that the others are not read at all once the limit is reached', 80, 50, '30 machines without metrics: limit 50'],
  ['nothing when all were read', 40, 40, undefined],
])('the note about unread metrics says %s', (_, runningCount, readCount, words) => {
  expect(wordsFor(runningCount, readCount)).toBe(words);
});

test('metrics that failed are never counted as left out by the limit', () => {
  expect(wordsFor(80, 45, 50, 5)).toBe('35 machines without metrics: 5 failed, limit 50');
  expect(wordsFor(80, 20, 50, 5)).toBe('60 machines without metrics: 5 failed, 25 to come');
  expect(wordsFor(50, 45, 50, 5)).toBe('5 machines without metrics: 5 failed');
});

test('a setting raises how many are read unasked', () => {
  expect(wordsFor(80, 50, 80)).toBe('30 machines without metrics: 30 to come');
  expect(wordsFor(80, 80, 80)).toBeUndefined();
  expect(wordsFor(80, 60, 60)).toBe('20 machines without metrics: limit 60');
});
