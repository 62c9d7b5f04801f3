import {describe, expect, test} from 'vitest';
import {operationWords} from '../../../src/domain/describe-operation.ts';
import {newOperation} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {journalRows} from '../../../src/panes/journal/rows.ts';
import type {JournalEntry, RawEntry} from '../../../src/state/journal.ts';

const now = epochMs(Date.UTC(2026, 10, 21, 12));
const ago = (ms: number) => epochMs(now - ms);
const act = {kind: 'vm.stop', id: virtualMachineId(7)} as const;
const subjectName = safeText('train-01');

function anEntry(operationId: string, phase: JournalEntry['phase']): JournalEntry {
  return {operationId, at: ago(MINUTE_MS), confirmedAt: ago(2 * MINUTE_MS), phase, act, subjectName};
}

function aRaw(phase: RawEntry['phase'], confirmedAgoMs: number): RawEntry {
  const confirmedAt = ago(confirmedAgoMs);
  return {
    operationId: 'raw',
    at: confirmedAt,
    confirmedAt,
    phase,
    request: safeText('DELETE /core/clusters/7/nodes/9'),
  };
}

describe('journalRows', () => {
  test('tells of an entry nobody watched to its end that its outcome is unknown', () => {
    const entries = [anEntry('a', 'accepted'), anEntry('b', 'REFUSED'), anEntry('c', 'preflight')];
    const rows = journalRows({operations: undefined, journal: () => ({entries, raws: []}), now});
    expect(rows.map(({id, phase}) => [id, phase])).toEqual([
      ['a', 'unknown'],
      ['b', 'REFUSED'],
    ]);
  });

  test('shows an operation of this session once, as it stands now, and the newest first', () => {
    const operation = newOperation('a', {act, subjectName, status: 'ACTIVE'}, ago(SECOND_MS));
    const operations = {
      all: () => [{...operation, phase: 'in-progress' as const}],
      openOn: () => undefined,
      version: () => 0,
    };
    const journal = () => ({entries: [anEntry('a', 'sent'), anEntry('b', 'CONFIRMED')], raws: []});
    const rows = journalRows({operations, journal, now});
    expect(rows.map(({id, phase}) => [id, phase])).toEqual([
      ['a', 'in-progress'],
      ['b', 'CONFIRMED'],
    ]);
    expect(rows[0]?.words).toBe(operationWords(operation));
  });

  test.each([
    ['accepted', 30 * MINUTE_MS, 'accepted'],
    ['REFUSED', 30 * MINUTE_MS, 'REFUSED'],
    ['sent', 10 * SECOND_MS, 'sent'],
    ['sent', 2 * MINUTE_MS, 'unknown'],
  ] as const)('shows a raw request that was %s %d ms ago as %s', (phase, agoMs, shown) => {
    const journal = () => ({entries: [], raws: [aRaw(phase, agoMs)]});
    const [row] = journalRows({operations: undefined, journal, now});
    expect(row).toMatchObject({words: 'DELETE /core/clusters/7/nodes/9', phase: shown, act: undefined});
  });
});
