import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {
  columnMeasure,
  cursorIndexOf,
  layoutColumns,
  type TableColumn,
  tableLines,
  viewportOf,
} from '../../src/ui/table.ts';
import {textOf} from '../../src/ui/text.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

type Machine = {readonly id: number; readonly name: string; readonly rate: string};

const COLUMNS: readonly TableColumn<Machine>[] = [
  {key: 'name', title: 'NAME', minWidth: 6, maxWidth: 12, flex: 1, cell: machine => [{text: machine.name}]},
  {key: 'state', title: 'STATE', minWidth: 8, priority: 1, cell: () => [{text: '▲ ACTIVE', tone: 'good'}]},
  {key: 'rate', title: '$/h', minWidth: 6, align: 'right', cell: machine => [{text: machine.rate, tone: 'money'}]},
];

function fleet(count: number): readonly Machine[] {
  return Array.from({length: count}, (_, index) => ({id: index + 1, name: `gpu-${index + 1}`, rate: '25.60'}));
}

describe('viewportOf', () => {
  it.each([
    ['all fit', {rowCount: 3, cursorIndex: 2, offset: 0, height: 5}, {offset: 0, end: 3}],
    ['the cursor below', {rowCount: 100, cursorIndex: 10, offset: 0, height: 5}, {offset: 6, end: 11}],
    ['the cursor above', {rowCount: 100, cursorIndex: 3, offset: 50, height: 5}, {offset: 3, end: 8}],
    ['the cursor in view', {rowCount: 100, cursorIndex: 52, offset: 50, height: 5}, {offset: 50, end: 55}],
    ['rows were removed', {rowCount: 10, cursorIndex: 9, offset: 50, height: 5}, {offset: 5, end: 10}],
    ['no room', {rowCount: 10, cursorIndex: 3, offset: 0, height: 0}, {offset: 0, end: 0}],
    ['no rows', {rowCount: 0, cursorIndex: 0, offset: 3, height: 5}, {offset: 0, end: 0}],
  ])('finds the visible rows: %s', (_name, input, expected) => {
    expect(viewportOf(input)).toEqual(expected);
  });

  it('always shows the cursor, and never leaves room that rows could fill', () => {
    const number = fc.integer({min: 0, max: 60});
    fc.assert(
      fc.property(
        fc.integer({min: 1, max: 50}),
        number,
        number,
        fc.integer({min: 1, max: 20}),
        (rowCount, cursorIndex, offset, height) => {
          const viewport = viewportOf({rowCount, cursorIndex, offset, height});
          const cursor = Math.min(cursorIndex, rowCount - 1);
          expect(cursor).toBeGreaterThanOrEqual(viewport.offset);
          expect(cursor).toBeLessThan(viewport.end);
          expect(viewport.end - viewport.offset).toBe(Math.min(rowCount, height));
        },
      ),
    );
  });
});

describe('cursorIndexOf', () => {
  const rows = fleet(5);
  const idOf = (row: Machine) => row.id;

  it.each([
    ['stays on its object', rows, {id: 2, index: 1}, 1],
    ['follows its object', rows.toReversed(), {id: 2, index: 1}, 3],
    ['keeps its place when its object is gone', rows, {id: 99, index: 2}, 2],
    ['stays inside the rows', rows, {id: 99, index: 20}, 4],
    ['keeps its place without an object', rows, {id: undefined, index: 3}, 3],
    ['is 0 without rows', [], {id: 2, index: 7}, 0],
  ] as const)('%s', (_name, all, cursor, index) => {
    expect(cursorIndexOf(all, idOf, cursor)).toBe(index);
  });
});

describe('columnMeasure', () => {
  const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});

  it('measures a row once, and draws no graph for it', () => {
    const measuredIds: number[] = [];
    const columns: readonly TableColumn<Machine>[] = [
      {
        key: 'name',
        title: 'NAME',
        minWidth: 6,
        flex: 1,
        cell: ({id, name}) => {
          measuredIds.push(id);
          return [{text: name}];
        },
      },
      {
        key: 'cpu',
        title: 'CPU',
        minWidth: 6,
        flex: 1,
        isGraph: true,
        cell: () => {
          throw new Error('a graph was drawn to be measured');
        },
      },
    ];
    const measure = columnMeasure<Machine>();
    const [first, second, third] = fleet(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three machines');
    const before = measure(columns, [first, second], theme);
    expect(before.map(({textWidth}) => textWidth)).toEqual(['gpu-1'.length, undefined]);
    expect(measure(columns, [third, second], theme)).toBe(before);
    expect(measuredIds).toEqual([1, 2, 3]);
    expect(measure(columns, [{...third, name: 'renamed-machine'}], theme)[0]?.textWidth).toBe('renamed-machine'.length);
  });
});

it('never cuts a figure while a name beside it can be shortened', () => {
  const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
  const rows = [{id: 1, name: 'hyperparam-sweep-01', rate: '1,234,567.89'}, ...fleet(2)];
  for (const width of [30, 32, 40, 80]) {
    const lines = tableLines(rows, () => false, {columns: COLUMNS, width, theme}).map(textOf);
    expect(lines[1]?.trimEnd()).toMatch(/ 1,234,567\.89$/);
    expect(lines[1]?.length).toBeLessThanOrEqual(width);
  }
});

describe('layoutColumns', () => {
  it('gives a column the room that its text needs before others get more than theirs', () => {
    const cell = () => [];
    const columns: TableColumn<never>[] = [
      {key: 'name', title: 'NAME', minWidth: 4, flex: 3, textWidth: 6, cell},
      {key: 'words', title: 'WORDS', minWidth: 5, flex: 1, textWidth: 30, cell},
    ];
    const widths = (width: number) => layoutColumns(columns, width).map(placed => placed.width);
    // 6 + 1 + 30: both fit.
    expect(widths(37)).toEqual([6, 30]);
    // Too little for both: the two cells that are left are shared, at least one each.
    expect(widths(12)).toEqual([5, 6]);
    // Room that no text needs is shared by flex: 3 to 1.
    expect(widths(41)).toEqual([9, 31]);
  });

  it('gives graphs the room that one long name would take beyond what most names need', () => {
    const cell = () => [];
    const columns: TableColumn<never>[] = [
      {key: 'name', title: 'NAME', minWidth: 15, maxWidth: 51, flex: 3, textWidth: 50, cell},
      {key: 'cpu', title: 'CPU', minWidth: 12, maxWidth: 40, flex: 1, isGraph: true, cell},
    ];
    const widths = (width: number) => layoutColumns(columns, width).map(placed => placed.width);
    // The name first gets its 28 cells: 28 + 1 + 12.
    expect(widths(41)).toEqual([28, 12]);
    // 28 + 1 + 40: then the graph all it can use.
    expect(widths(69)).toEqual([28, 40]);
    // 50 + 1 + 40: and then the name what is left.
    expect(widths(91)).toEqual([50, 40]);
  });

  it('shortens texts before it cuts a figure that has to stay', () => {
    const cell = () => [];
    const columns: TableColumn<never>[] = [
      {key: 'name', title: 'NAME', minWidth: 15, flex: 3, cell},
      {key: 'state', title: 'STATE', minWidth: 12, flex: 1, cell},
      {key: 'rate', title: '$/h', minWidth: 7, align: 'right', cell},
    ];
    // 15 + 12 + 7 and two spaces are 36: the five that are missing come from the widest, then from both.
    expect(layoutColumns(columns, 31).map(({width}) => width)).toEqual([11, 11, 7]);
    // Texts of eight cells are the shortest that can still be told apart.
    expect(layoutColumns(columns, 20).map(({width}) => width)).toEqual([8, 8, 2]);
  });

  const shownAt = (width: number) => layoutColumns(COLUMNS, width).map(({column, width: cells}) => [column.key, cells]);

  it.each([
    [
      60,
      [
        ['name', 12],
        ['state', 8],
        ['rate', 6],
      ],
    ],
    [
      24,
      [
        ['name', 8],
        ['state', 8],
        ['rate', 6],
      ],
    ],
    [
      22,
      [
        ['name', 6],
        ['state', 8],
        ['rate', 6],
      ],
    ],
    [
      21,
      [
        ['name', 12],
        ['rate', 6],
      ],
    ],
    [
      13,
      [
        ['name', 6],
        ['rate', 6],
      ],
    ],
    [
      9,
      [
        ['name', 6],
        ['rate', 2],
      ],
    ],
    [4, [['name', 4]]],
    [0, []],
  ])('fits %i cells', (width, expected) => {
    expect(shownAt(width)).toEqual(expected);
  });

  it('never takes more than its width', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 100}), width => {
        const placed = layoutColumns(COLUMNS, width);
        const used = placed.reduce((sum, {width: cells}) => sum + cells, 0) + Math.max(0, placed.length - 1);
        expect(used).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('shares the room by the flex of the columns', () => {
    const columns: readonly TableColumn<Machine>[] = [
      {key: 'one', title: '', minWidth: 4, flex: 1, cell: () => []},
      {key: 'three', title: '', minWidth: 4, flex: 3, cell: () => []},
    ];
    expect(layoutColumns(columns, 29).map(({width}) => width)).toEqual([9, 19]);
  });
});
