import {describe, expect, it} from 'vitest';
import type {Subject} from '../../src/domain/action.ts';
import type {Operation, OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {type EpochMs, epochMs, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {volumeId} from '../../src/domain/volume.ts';
import {withBusyColumn} from '../../src/panes/busy-column.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {List} from '../../src/ui/list.tsx';
import type {TableColumn} from '../../src/ui/table.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {anOperation} from '../actions/an-operation.ts';
import {shownLines} from '../support/shown-lines.ts';
import {NOW} from './a-known-scene.ts';

type Row = {readonly id: number};
const NAME: TableColumn<Row> = {key: 'name', title: 'NAME', minWidth: 8, cell: ({id}) => [{text: `disk-${id}`}]};
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
  const columns = withBusyColumn([NAME, SIZE], rows, subjectOf, {operations, now}, width);
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

describe('withBusyColumn', () => {
  it('says beside the name what is under way, and for how long', () => {
    const [titles, busy, idle] = table(operationsOn(7, 'accepted', epochMs(NOW - 72 * SECOND_MS)));
    expect(titles).toMatch(/^ +NAME +UNDER WAY +SIZE$/);
    expect(busy).toMatch(/disk-7 +delete accepted 1m12 +50 GB$/);
    expect(idle).toMatch(/disk-8 {20,}50 GB$/);
  });

  it('counts on, though the row is the same', () => {
    const operations = operationsOn(7, 'unknown', epochMs(NOW - 3 * SECOND_MS));
    const rows = someRows();
    expect(table(operations, {rows})[1]).toContain('delete unknown 3s');
    expect(table(operations, {rows, now: epochMs(NOW + SECOND_MS)})[1]).toContain('delete unknown 4s');
  });

  it('is not there while nothing is under way on any of the rows', () => {
    for (const operations of [
      undefined,
      operationsOn(7, 'CONFIRMED', NOW),
      operationsOn(9, 'sent', epochMs(NOW - MINUTE_MS)),
    ]) {
      expect(table(operations)[0]).toMatch(/^ +NAME +SIZE$/);
    }
  });

  it('says the words where they cost no more than columns further right, and else only that something is', () => {
    const operations = operationsOn(7, 'in-progress', epochMs(NOW - 5 * SECOND_MS));
    expect(table(operations, {width: 70})[1]).toMatch(/disk-7 +delete under way 5s +50 GB$/);
    expect(table(operations, {width: 34})[1]).toMatch(/disk-7 +●5s +50 GB$/);
  });
});
