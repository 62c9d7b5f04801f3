import fc from 'fast-check';
import {render} from 'ink-testing-library';
import stringWidth from 'string-width';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {List, type ListProps} from '../../src/ui/list.tsx';
import type {TableColumn} from '../../src/ui/table.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {shownLines} from '../support/shown-lines.ts';

type Machine = {readonly id: number; readonly name: string; readonly rate: string};

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
const colourful = createTheme({depth: '256', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});

const COLUMNS: readonly TableColumn<Machine>[] = [
  {key: 'name', title: 'NAME', minWidth: 6, maxWidth: 12, flex: 1, cell: machine => [{text: machine.name}]},
  {key: 'state', title: 'STATE', minWidth: 8, priority: 1, cell: () => [{text: '▲ ACTIVE', tone: 'good'}]},
  {key: 'rate', title: '$/h', minWidth: 6, align: 'right', cell: machine => [{text: machine.rate, tone: 'money'}]},
];

function fleet(count: number): readonly Machine[] {
  return Array.from({length: count}, (_, index) => ({id: index + 1, name: `gpu-${index + 1}`, rate: '25.60'}));
}

function propsFor(rows: readonly Machine[], over: Partial<ListProps<Machine, number>> = {}) {
  return {
    title: 'machines',
    columns: COLUMNS,
    rows,
    idOf: (row: Machine) => row.id,
    cursor: {id: 1, index: 0},
    offset: 0,
    width: 34,
    height: 7,
    theme,
    isFocused: true,
    ...over,
  };
}

function shown(props: ReturnType<typeof propsFor>): readonly string[] {
  return shownLines(<List {...props} />, Math.max(1, props.width));
}

describe('the row under the cursor', () => {
  const rows = [
    {id: 1, name: 'a cause that is longer than its column', rate: '1.00'},
    {id: 2, name: 'short', rate: '2.00'},
  ];
  const lines = (over: Partial<ListProps<Machine, number>>) => shown(propsFor(rows, {showsCut: true, ...over}));

  it('is shown in full below the list when a column cuts it', () => {
    expect(lines({}).slice(4)).toEqual([
      '│   NAME a cause that is longer  │',
      '│   than its column              │',
      '╰────────────────────────────────╯',
    ]);
    expect(lines({cursor: {id: 2, index: 1}}).join('')).not.toContain('than its column');
  });

  it('begins with its prose when not all that is cut fits', () => {
    const [name, ...others] = COLUMNS;
    if (name === undefined) throw new Error('no columns');
    const reason: TableColumn<Machine> = {
      ...name,
      key: 'reason',
      title: 'REASON',
      isProse: true,
      cell: () => [{text: 'the host did not answer'}],
    };
    // Two edges, the titles and two rows: one row of the list, and one line below it.
    const foot = lines({columns: [name, ...others, reason], height: 5, width: 44})[3];
    expect(foot).toMatch(/REASON the host did not answer/);
  });

  it('stays visible above that', () => {
    const [first] = rows;
    const many = [...fleet(9).map(row => ({...row, id: row.id + 10})), ...(first === undefined ? [] : [first])];
    const text = shown(propsFor(many, {showsCut: true, cursor: {id: 1, index: 9}, offset: 6}));
    expect(text[3]).toContain('▶');
    expect(text[4]).toContain('NAME a cause');
  });
});

it('a list without rows says why, in as many lines as that takes', () => {
  const empty = [{text: 'machines unknown: the service does not answer, asking again in 8 s'}];
  expect(shown(propsFor([], {empty})).slice(2, 5).join(' ').replaceAll(/[│ ]+/g, ' ')).toContain(
    'the service does not answer, asking again in 8 s',
  );
});

/** Columns that count how often a cell is made, and the number of rows made since it was last asked for. */
function countedColumns() {
  let cellCount = 0;
  const columns = COLUMNS.map(column => ({
    ...column,
    cell: (machine: Machine, width: number) => {
      cellCount += 1;
      return column.cell(machine, width, theme);
    },
  }));
  const rowCount = (): number => {
    const count = cellCount / COLUMNS.length;
    cellCount = 0;
    return count;
  };
  return {columns, rowCount};
}

describe('List', () => {
  it('shows titles, the cursor, marks and the sort column in a titled box', () => {
    const props = propsFor(fleet(3), {
      right: '3s',
      cursor: {id: 2, index: 1},
      markedIds: new Set([2, 3]),
      sort: {key: 'rate', isDescending: true},
    });
    expect(shown(props)).toEqual([
      '╭─ machines ──────────────── 3s ─╮',
      '│   NAME         STATE      $/h↓ │',
      '│   gpu-1        ▲ ACTIVE  25.60 │',
      '│▶● gpu-2        ▲ ACTIVE  25.60 │',
      '│ ● gpu-3        ▲ ACTIVE  25.60 │',
      `│${' '.repeat(32)}│`,
      `╰${'─'.repeat(32)}╯`,
    ]);
  });

  it('reads only the visible rows of a hundred thousand', () => {
    const touched = new Set<string | symbol>();
    const rows = new Proxy(fleet(100_000), {
      get: (target, property) => {
        if (typeof property === 'string' && /^\d+$/.test(property)) touched.add(property);
        return Reflect.get(target, property);
      },
    });
    const {columns, rowCount} = countedColumns();
    shown(propsFor(rows, {columns, cursor: {id: 50_001, index: 50_000}, offset: 49_990, height: 23}));
    expect(touched.size).toBeLessThanOrEqual(20);
    expect(rowCount()).toBe(20);
  });

  it('paints a row again only when it or its place changes', () => {
    const {columns, rowCount} = countedColumns();
    const rows = fleet(12);
    const propsOf = (over: Partial<ListProps<Machine, number>>) => propsFor(rows, {columns, height: 13, ...over});
    const {rerender} = render(<List {...propsOf({})} />);
    expect(rowCount()).toBe(10);
    const paintedBy = (over: Partial<ListProps<Machine, number>>): number => {
      rerender(<List {...propsOf(over)} />);
      return rowCount();
    };
    expect(paintedBy({})).toBe(0);
    expect(paintedBy({title: 'another title'})).toBe(0);
    expect(paintedBy({cursor: {id: 2, index: 1}})).toBe(2);
    // One row comes into view, and all others stay the same.
    expect(paintedBy({cursor: {id: 2, index: 1}, offset: 1})).toBe(1);
    const changed = rows.with(1, {id: 2, name: 'renamed', rate: '1.00'});
    expect(paintedBy({cursor: {id: 2, index: 1}, offset: 1, rows: changed})).toBe(1);
    expect(paintedBy({cursor: {id: 2, index: 1}, offset: 1, rows: changed, width: 40})).toBe(10);
    expect(paintedBy({cursor: {id: 2, index: 1}, offset: 1, rows: changed, width: 40, theme: colourful})).toBe(10);
  });

  it('takes exactly its height and width, whatever the room', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.integer({min: 0, max: 12}),
        fc.integer({min: 2, max: 60}),
        fc.nat(25),
        (count, height, width, index) => {
          const lines = shown(propsFor(fleet(count), {height, width, cursor: {id: undefined, index}}));
          if (height < 2) expect(lines).toEqual(['']);
          else expect(lines.map(line => stringWidth(line))).toEqual(Array.from({length: height}, () => width));
        },
      ),
    );
  });

  it('shows the given text when there are no rows', () => {
    expect(shown(propsFor([], {empty: [{text: '   no machines'}]}))[2]).toContain('no machines');
  });

  it('indents every line of that text if it needs several', () => {
    const lines = shown(propsFor([], {width: 24, empty: [{text: ' machines unknown: no answer within 10 s'}]}));
    expect(lines.slice(2, 4).map(line => line.slice(1, -1).trimEnd())).toEqual([
      ' machines unknown: no',
      ' answer within 10 s',
    ]);
  });
});

describe('a list with more rows than room', () => {
  it('says at the bottom how many are not visible, wherever the cursor is', () => {
    // Seven lines of which three are edges and titles leave room for four rows.
    expect(shown(propsFor(fleet(11))).at(-1)).toContain('+7 more below');
    expect(shown(propsFor(fleet(11), {cursor: {id: 11, index: 10}})).at(-1)).toContain('+7 more above');
    expect(shown(propsFor(fleet(11), {cursor: {id: 6, index: 5}})).at(-1)).toContain('+2 more above, +5 below');
    expect(shown(propsFor(fleet(4))).at(-1)).not.toContain('more');
    // A line that stands for several counts as many, as in the title: the four in sight stand for 1 + 2 + 3 + 4.
    const countOf = (rows: readonly Machine[]) => rows.reduce((sum, {id}) => sum + id, 0);
    expect(shown(propsFor(fleet(5), {countOf})).at(-1)).toContain('+5 more');
    expect(shown(propsFor(fleet(11), {countOf})).at(-1)).toContain('+56 more');
    // What stands below a line that is counted already is hidden all the same.
    expect(shown(propsFor(fleet(11), {countOf: () => 3})).at(-1)).toContain('+7 more');
  });
});
