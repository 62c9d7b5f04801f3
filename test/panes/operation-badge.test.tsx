import {describe, expect, it} from 'vitest';
import type {Subject} from '../../src/domain/action.ts';
import type {Operation, OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {type EpochMs, epochMs, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {withBadges} from '../../src/panes/operation-badge.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {List} from '../../src/ui/list.tsx';
import type {TableColumn} from '../../src/ui/table.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {anOperation} from '../actions/an-operation.ts';
import {shownLines} from '../support/shown-lines.ts';
import {NOW} from './a-known-scene.ts';

type Row = {readonly id: number; readonly name?: string};
const NAME: TableColumn<Row> = {
  key: 'name',
  title: 'NAME',
  minWidth: 8,
  flex: 1,
  cell: ({id, name}) => [{text: name ?? `disk-${id}`, isName: true}],
};
const SIZE: TableColumn<Row> = {key: 'size', title: 'SIZE', minWidth: 6, priority: 1, cell: () => [{text: '50 GB'}]};
const someRows = (): readonly Row[] => [{id: 7}, {id: 8}];
const subjectOf = ({id}: Row): Subject => ({type: 'volume', id});
const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});

function operationsOn(id: number, phase: OperationPhase, confirmedAt: EpochMs) {
  const action = {kind: 'volume.delete', id: volumeId(id)} as const;
  const operation: Operation = {...anOperation('a', {action, subjectName: safeText('disk')}, confirmedAt), phase};
  const openOn = (subject: Subject) => ('id' in subject && subject.id === id ? operation : undefined);
  return {all: () => [operation], openOn, version: () => 1};
}

function table(
  operations: ReturnType<typeof operationsOn> | undefined,
  {rows = someRows(), now = NOW, width = 80} = {},
) {
  const columns = withBadges([NAME, SIZE], subjectOf, {operations, now});
  const list = (
    <List
      title="disks"
      columns={columns}
      rows={rows}
      idOf={({id}) => id}
      cursor={{id: 7, index: 0}}
      offset={0}
      width={width + 2}
      height={5}
      theme={theme}
    />
  );
  return shownLines(list, width + 2)
    .slice(1, -1)
    .map(line => line.slice(1, -1).trimEnd());
}

describe('withBadges', () => {
  it('shows beside the name what is under way, and for how long', () => {
    const [, busy, idle] = table(operationsOn(7, 'accepted', epochMs(NOW - 72 * SECOND_MS)));
    expect(busy).toMatch(/disk-7 +delete accepted 1m12 +50 GB$/);
    expect(idle).toMatch(/disk-8 {20,}50 GB$/);
  });

  it('moves no other column', () => {
    for (const width of [20, 34, 70, 120]) {
      const [titles, , other] = table(undefined, {width});
      const [busyTitles, busy, busyOther] = table(operationsOn(7, 'accepted', NOW), {width});
      expect(busyTitles).toBe(titles);
      expect(busyOther).toBe(other);
      expect(busy?.indexOf('50 GB')).toBe(other?.indexOf('50 GB'));
    }
  });

  it('keeps counting although the row is the same', () => {
    const operations = operationsOn(7, 'unknown', epochMs(NOW - 3 * SECOND_MS));
    const rows = someRows();
    expect(table(operations, {rows})[1]).toContain('delete unknown 3s');
    expect(table(operations, {rows, now: epochMs(NOW + SECOND_MS)})[1]).toContain('delete unknown 4s');
  });

  it('shows nothing while nothing is under way on any of the rows', () => {
    const quiet = table(undefined);
    expect(table(operationsOn(7, 'CONFIRMED', NOW))).toEqual(quiet);
    expect(table(operationsOn(9, 'sent', epochMs(NOW - MINUTE_MS)))).toEqual(quiet);
  });

  it('shows words when they fit beside the name, otherwise a sign and the time, and without room for that the sign', () => {
    const operations = operationsOn(7, 'in-progress', epochMs(NOW - 5 * SECOND_MS));
    expect(table(operations, {width: 70})[1]).toMatch(/disk-7 +delete under way 5s +50 GB$/);
    const checked = operationsOn(7, 'preflight', epochMs(NOW - 5 * SECOND_MS));
    expect(table(checked, {width: 70})[1]).toMatch(/disk-7 +delete checking 5s +50 GB$/);
    expect(table(operations, {width: 34})[1]).toMatch(/disk-7 +●5s +50 GB$/);
    expect(table(operations, {width: 18})[1]).toMatch(/disk-7 ● +50 GB$/);
    // Of a name that fills its column the sign takes no more than its own cell and a blank.
    const long = [{id: 7, name: 'k8s-training-batch'}];
    expect(table(operations, {width: 18, rows: long})[1]).toMatch(/^\S* {0,2}\S{1,4}…\S{1,4} ● +50 GB$/);
  });
});
