import {expect, test} from 'vitest';
import {sentFrom} from '../../src/actions/sent.ts';
import type {OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, SECOND_MS} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';

const CONFIRMED_AT = epochMs(Date.UTC(2026, 10, 20, 2, 10));

test.each<[OperationPhase, number, OperationPhase]>([
  ['accepted', 12 * SECOND_MS, 'in-progress'],
  ['in-progress', 12 * SECOND_MS, 'in-progress'],
  // The answer never came.
  ['sent', 12 * SECOND_MS, 'unknown'],
  ['unknown', 12 * SECOND_MS, 'unknown'],
  ['accepted', 24 * HOUR_MS, 'unknown'],
  ['CONFIRMED', 24 * HOUR_MS, 'CONFIRMED'],
])('what the journal has as %s is told after %i ms as %s', (phase, ageMs, told) => {
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {kind: 'vm.hibernate' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase,
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  expect(sentFrom({journal, now: epochMs(CONFIRMED_AT + ageMs)}).map(sent => sent.phase)).toEqual([told]);
});
