import {expect, it} from 'vitest';
import {leavingWords, unsentLines} from '../../src/app/leaving.ts';
import type {Outstanding} from '../../src/app/writes.ts';
import type {Confirmed} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';

const hibernate = (id: number): Confirmed => ({
  action: {kind: 'vm.hibernate', id: virtualMachineId(id), retainsIp: true},
  subjectName: safeText(`sweep-${id}`),
});

/** Hibernations of which the first ones were sent and the others were not. */
function outstanding(sentCount: number, unsentCount: number): Outstanding {
  const operations = inMemoryOperations();
  const ids = Array.from({length: sentCount + unsentCount}, (_, index) => index + 1);
  for (const id of ids.slice(0, sentCount)) operations.begin(hibernate(id));
  return {sent: operations.all(), unsent: ids.slice(sentCount).map(hibernate), secret: []};
}

it.each([
  [4, 5, '4 operations are under way and continue; 5 were not sent yet and will not be sent'],
  [1, 1, '1 operation is under way and continues; 1 was not sent yet and will not be sent'],
  [2, 0, '2 operations are under way and continue'],
  [0, 3, '3 actions were not sent yet and will not be sent'],
  [0, 0, undefined],
])('says in the question that %i continue and %i are never sent', (sentCount, unsentCount, words) => {
  expect(leavingWords(outstanding(sentCount, unsentCount))).toBe(words);
});

it.each([
  [1, 'the secret key is not shown again'],
  [2, '2 secret keys are not shown again'],
])('says that %i secrets are lost, but not in the list of what was not sent', (count, words) => {
  const {sent: secret} = outstanding(count, 0);
  expect(leavingWords({...outstanding(0, 0), secret})).toBe(words);
  expect(unsentLines({...outstanding(0, 1), secret})[0]).toBe(
    'skydeck: 1 action was not sent yet and will not be sent:',
  );
});

it('lists up to ten actions that were not sent once the deck has closed', () => {
  const lines = unsentLines(outstanding(4, 12));
  expect(lines.slice(0, 2)).toEqual([
    'skydeck: 4 operations are under way and continue; 12 were not sent yet and will not be sent:',
    '  hibernate sweep-5 #5',
  ]);
  expect(lines.slice(10)).toEqual(['  hibernate sweep-14 #14', '  and 2 more']);
});

it('prints nothing once the deck has closed if everything was sent', () => {
  expect(unsentLines(outstanding(4, 0))).toEqual([]);
});
