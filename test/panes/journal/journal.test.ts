import {describe, expect, test} from 'vitest';
import {operationWords} from '../../../src/domain/describe-operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, SECOND_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {journalLines, journalRows, unreadableNote} from '../../../src/panes/journal/pane.tsx';
import {JOURNAL_COLUMNS} from '../../../src/resources/journal.ts';
import type {JournalEntry, LatestEntry, RawEntry} from '../../../src/state/operations/journal.ts';
import {GLYPH_SETS} from '../../../src/terminal/glyphs.ts';
import {textOf} from '../../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../../src/ui/theme.ts';
import {anOperation} from '../../actions/an-operation.ts';

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
const now = epochMs(Date.UTC(2026, 10, 21, 12));
const ago = (ms: number) => epochMs(now - ms);
const action = {kind: 'vm.stop', id: virtualMachineId(7)} as const;
const subjectName = safeText('train-01');

function anEntry(operationId: string, phase: JournalEntry['phase']): JournalEntry {
  return {operationId, at: ago(MINUTE_MS), confirmedAt: ago(2 * MINUTE_MS), phase, action, subjectName};
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

test('text of the detail that needs several lines stays in its column', () => {
  const detail = safeText('next p h on train-03 in Machines hibernates it, saves $25.59/h');
  const entries = [{...anEntry('a', 'CONFIRMED'), detail}];
  const [row] = journalRows({operations: undefined, journal: () => ({entries, raws: [], unreadableCount: 0}), now});
  if (row === undefined) throw new Error('no row');
  const lines = journalLines(row, 40).map(textOf);
  const from = lines.findIndex(line => line.startsWith('detail'));
  const column = lines[from]?.indexOf('next') ?? 0;
  expect(column).toBeGreaterThan(0);
  const [, second = ''] = lines.slice(from);
  expect(second.slice(0, column).trim()).toBe('');
  expect(second.slice(column)).toMatch(/^\S/);
});

describe('journalRows', () => {
  test('shows an entry that nobody watched to its end as having an unknown outcome', () => {
    const entries = [anEntry('a', 'sent'), anEntry('b', 'REFUSED'), anEntry('c', 'preflight')];
    const rows = journalRows({operations: undefined, journal: () => ({entries, raws: [], unreadableCount: 0}), now});
    expect(rows.map(({id, phase}) => [id, phase])).toEqual([
      ['b', 'REFUSED'],
      ['a', 'unknown'],
    ]);
  });

  test('shows an operation of this session once, in its present phase, and the newest first', () => {
    const operation = anOperation('a', {action, subjectName, status: 'ACTIVE'}, ago(SECOND_MS));
    const operations = {
      all: () => [{...operation, phase: 'in-progress' as const}],
      openOn: () => undefined,
      version: () => 0,
    };
    const journal = () => ({entries: [anEntry('a', 'sent'), anEntry('b', 'CONFIRMED')], raws: [], unreadableCount: 0});
    const rows = journalRows({operations, journal, now});
    expect(rows.map(({id, phase}) => [id, phase])).toEqual([
      ['a', 'in-progress'],
      ['b', 'CONFIRMED'],
    ]);
    expect(rows[0]?.words).toBe(operationWords(operation));
  });

  test('shows what was confirmed at the same moment with the last first, as everything else', () => {
    const entries = ['a', 'b', 'c'].map((operationId, index) => ({
      ...anEntry(operationId, 'NOT_SENT'),
      action: {...action, id: virtualMachineId(index + 1)},
    }));
    const rows = journalRows({operations: undefined, journal: () => ({entries, raws: [], unreadableCount: 0}), now});
    expect(rows.map(({id}) => id)).toEqual(['c', 'b', 'a']);
  });

  test('marks what was sent with another key beside its words, and in its details', () => {
    const other: LatestEntry = {...anEntry('a', 'CONFIRMED'), isByOtherKey: true};
    const journal = () => ({entries: [other, anEntry('b', 'CONFIRMED')], raws: [], unreadableCount: 0});
    const rows = journalRows({operations: undefined, journal, now});
    const draw = JOURNAL_COLUMNS.find(({key}) => key === 'operation')?.list?.draw;
    const shown = rows.map(row => textOf(draw?.(row, 80, theme) ?? []));
    expect(shown).toEqual(['stop train-01 #7', 'stop train-01 #7  by another key']);
    const details = rows.map(row => journalLines(row, 100).map(textOf).join('\n'));
    expect(details.map(each => each.includes('another than the present one'))).toEqual([false, true]);
  });

  test('has the latest sent first, and times it by that', () => {
    const waited = {...anEntry('a', 'CONFIRMED'), confirmedAt: ago(9 * MINUTE_MS), sentAt: ago(2 * MINUTE_MS)};
    const other = {...anEntry('b', 'CONFIRMED'), confirmedAt: ago(5 * MINUTE_MS), sentAt: ago(4 * MINUTE_MS)};
    const stale = {...anEntry('c', 'STALE'), confirmedAt: ago(3 * MINUTE_MS)};
    const journal = () => ({entries: [other, stale, waited], raws: [], unreadableCount: 0});
    const rows = journalRows({operations: undefined, journal, now});
    const column = (key: string) => JOURNAL_COLUMNS.find(each => each.key === key);
    expect(rows.map(row => [row.id, column('time')?.value(row)?.text, column('age')?.value(row)?.text])).toEqual([
      ['a', '2026-11-21 11:58:00Z', '2m'],
      ['c', 'not sent', '3m'],
      ['b', '2026-11-21 11:56:00Z', '4m'],
    ]);
  });

  test.each([
    ['accepted', 30 * MINUTE_MS, 'accepted'],
    ['REFUSED', 30 * MINUTE_MS, 'REFUSED'],
    ['sent', 10 * SECOND_MS, 'sent'],
    ['sent', 2 * MINUTE_MS, 'unknown'],
  ] as const)('shows a raw request that was %s %d ms ago as %s', (phase, agoMs, shown) => {
    const journal = () => ({entries: [], raws: [aRaw(phase, agoMs)], unreadableCount: 0});
    const [row] = journalRows({operations: undefined, journal, now});
    expect(row).toMatchObject({words: 'DELETE /core/clusters/7/nodes/9', phase: shown, action: undefined});
  });

  test('takes the times of an operation from the journal, and its end only once it has ended', () => {
    const [sentAt, endedAt] = [ago(110 * SECOND_MS), ago(MINUTE_MS)];
    const entries = [{...anEntry('a', 'CONFIRMED'), sentAt, endedAt}];
    const operation = anOperation('a', {action, subjectName}, ago(2 * MINUTE_MS));
    const rowsWith = (phase: 'accepted' | 'CONFIRMED') =>
      journalRows({
        operations: {all: () => [{...operation, phase}], openOn: () => undefined, version: () => 0},
        journal: () => ({entries, raws: [], unreadableCount: 0}),
        now,
      });
    expect(rowsWith('CONFIRMED')[0]).toMatchObject({sentAt, endedAt});
    expect(rowsWith('accepted')[0]).toMatchObject({sentAt, endedAt: undefined});
  });

  test('shows what corrects an end in place of why it was unknown', () => {
    const correction = safeText('it came late');
    const entries = [{...anEntry('a', 'NO_EFFECT_SEEN'), detail: safeText('cut'), correction}];
    const rows = journalRows({operations: undefined, journal: () => ({entries, raws: [], unreadableCount: 0}), now});
    expect(rows[0]).toMatchObject({phase: 'NO_EFFECT_SEEN', detail: 'it came late'});
    const [outcome] = JOURNAL_COLUMNS.filter(({key}) => key === 'outcome');
    expect(rows.map(row => outcome?.value(row))).toEqual([{text: 'effect seen late'}]);
  });
});

describe('journalLines', () => {
  const linesOf = (entry: LatestEntry) => {
    const [row] = journalRows({
      operations: undefined,
      journal: () => ({entries: [entry], raws: [], unreadableCount: 0}),
      now,
    });
    if (row === undefined) throw new Error('Expected a row.');
    return journalLines(row, 60).map(textOf).join('\n');
  };

  test('shows when it was requested, when it was sent and when it ended', () => {
    const text = linesOf({
      ...anEntry('a', 'CONFIRMED'),
      sentAt: ago(110 * SECOND_MS),
      endedAt: ago(MINUTE_MS),
    });
    expect(text).toMatch(/requested +.*11:58:00Z/);
    expect(text).toMatch(/sent +.*11:58:10Z/);
    expect(text).toMatch(/ended +.*11:59:00Z/);
    expect(text).toMatch(/outcome +confirmed/);
    expect(text).not.toMatch(/^confirmed/m);
  });

  test('says of an operation that was never sent that it was not sent', () => {
    expect(linesOf({...anEntry('a', 'STALE'), sentAt: ago(MINUTE_MS), endedAt: ago(MINUTE_MS)})).toMatch(
      /sent +not sent/,
    );
  });
});

describe('unreadableNote', () => {
  test.each([
    [0, undefined],
    [1, '1 line of the journal could not be read'],
    [1200, '1,200 lines of the journal could not be read'],
  ])('says for %i damaged lines how many are missing in the list', (unreadableCount, expected) => {
    expect(unreadableNote({journal: () => ({entries: [], raws: [], unreadableCount})})).toBe(expected);
  });

  test('says from when on operations are listed if the journal is too long', () => {
    const readFrom = epochMs(Date.UTC(2026, 10, 11, 12));
    const journal = () => ({entries: [], raws: [], unreadableCount: 2, readFrom});
    expect(unreadableNote({journal})).toBe(
      '2 lines of the journal could not be read; the journal is too long to list what was before 2026-11-11 12:00:00Z',
    );
  });

  test('says why nothing could be read', () => {
    const journal = () => ({entries: [], raws: [], unreadableCount: 0, fault: safeText('/j is not a plain file')});
    expect(unreadableNote({journal})).toBe('the journal cannot be read: /j is not a plain file');
  });
});
