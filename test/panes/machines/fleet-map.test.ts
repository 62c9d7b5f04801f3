import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {dollarsPerHour} from '../a-known-scene.ts';
import {
  type FleetCell,
  fleetGrid,
  firstLine,
  groupCost,
  type MapLine,
  movedInMap,
} from '../../../src/panes/machines/fleet-map.ts';

function cells(from: number, count: number, isDimmed: (id: number) => boolean = () => false): readonly FleetCell[] {
  return Array.from({length: count}, (_, index) => ({
    id: virtualMachineId(from + index),
    name: `gpu-${from + index}`,
    glyph: '5',
    tone: 'good',
    isNotable: false,
    isDimmed: isDimmed(from + index),
  }));
}

function counted(line: MapLine): string | number {
  const [first] = line;
  return first?.kind === 'title' ? first.name : line.length;
}

describe('the cost of a group', () => {
  const machine = (hourly: string | undefined, isExcluded = false) => ({
    rate: hourly === undefined ? undefined : dollarsPerHour(hourly),
    isExcluded,
  });

  it('has a plus only if a rate is unknown, since what is free costs nothing', () => {
    expect(groupCost([machine('14'), machine('1.89')])).toBe('$15.89/h');
    expect(groupCost([machine('14'), machine('1.89'), machine(undefined, true)])).toBe('$15.89/h');
    expect(groupCost([machine('14'), machine('1.89'), machine(undefined)])).toBe('$15.89/h+');
    expect(groupCost([machine(undefined)])).toBe('rate unknown');
  });
});

describe('the grid', () => {
  it('names each machine when there is room', () => {
    // 22 characters a cell and 2 between: two in 46.
    const grid = fleetGrid([{name: 'a', facts: '', cells: cells(1, 3)}], {columns: 46, rows: 3});
    expect(grid.density).toBe('named');
    expect(grid.lines.map(counted)).toEqual(['a', 2, 1]);
  });

  it('puts a space between the cells while there is room', () => {
    const grid = fleetGrid([{name: 'a', facts: '', cells: cells(1, 7)}], {columns: 5, rows: 4});
    // Three cells and two spaces in a row: 3 + 3 + 1, below the title.
    expect(grid.density).toBe('apart');
    expect(grid.lines.map(counted)).toEqual(['a', 3, 3, 1]);
  });

  it('closes up with the groups one after the other, and then puts two machines into one character', () => {
    const groups = [
      {name: 'a', facts: '', cells: cells(1, 5)},
      {name: 'b', facts: '', cells: cells(6, 2)},
    ];
    // `a 12345 b 67`, in two lines of nine: no name is at the end of a line without a cell.
    const close = fleetGrid(groups, {columns: 9, rows: 2});
    expect(close.density).toBe('close');
    expect(close.lines.map(line => line.length)).toEqual([6, 3]);
    // `a ::. b :`
    const halves = fleetGrid(groups, {columns: 9, rows: 1});
    expect(halves.density).toBe('halves');
    expect(halves.lines.map(line => line.length)).toEqual([6]);
  });

  it('has room for ten thousand machines at 200×50, even in fifty groups', () => {
    // A name of 8, a space, 100 characters for 200 machines, a space: 50 such are 5,500, in lines of 196.
    const groups = Array.from({length: 50}, (_, index) => ({
      name: `fleet-${10 + index}`,
      facts: '',
      cells: cells(index * 200 + 1, 200),
    }));
    const grid = fleetGrid(groups, {columns: 196, rows: 36});
    expect(grid.density).toBe('halves');
    expect(grid.lines).toHaveLength(Math.ceil(5500 / 196));
  });

  it('contains each machine once, whatever the room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), {maxLength: 5}),
        fc.integer({min: 1, max: 20}),
        fc.integer({min: 1, max: 20}),
        (sizes, columns, rows) => {
          const starts = sizes.map((_, index) => 1 + sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
          const groups = sizes.map((size, index) => ({
            name: `${index}`,
            facts: '',
            cells: cells(starts[index] ?? 1, size),
          }));
          const grid = fleetGrid(groups, {columns, rows});
          const shown = grid.lines.flat().flatMap(piece => (piece.kind === 'cells' ? piece.cells : []));
          expect(shown).toEqual(groups.flatMap(group => group.cells));
        },
      ),
    );
  });
});

describe('the cursor', () => {
  const id = virtualMachineId;
  const groups = [
    {name: 'a', facts: '', cells: cells(1, 5)},
    {name: 'b', facts: '', cells: cells(6, 2)},
  ];
  // a: 1 2 3 / 4 5, b: 6 7
  const grid = fleetGrid(groups, {columns: 5, rows: 8});

  it('moves by cells and by rows, also between groups, and stops at the ends', () => {
    expect(movedInMap(grid, id(3), {cells: 1})).toBe(id(4));
    expect(movedInMap(grid, id(3), {lines: 1})).toBe(id(5));
    expect(movedInMap(grid, id(5), {lines: 1})).toBe(id(7));
    expect(movedInMap(grid, id(6), {lines: -2})).toBe(id(1));
    expect(movedInMap(grid, id(7), {lines: Number.POSITIVE_INFINITY})).toBe(id(7));
    expect(movedInMap(grid, id(1), {cells: -1})).toBe(id(1));
    expect(movedInMap(grid, id(4), {lines: Number.NEGATIVE_INFINITY})).toBe(id(1));
  });

  it('starts at the first machine when it is on none', () => {
    expect(movedInMap(grid, undefined, {lines: 1})).toBe(id(1));
    expect(movedInMap(grid, id(99), {cells: 1})).toBe(id(1));
    expect(movedInMap(fleetGrid([], {columns: 5, rows: 9}), undefined, {lines: 1})).toBeUndefined();
  });

  it('skips machines that the filter dims', () => {
    const dimmed = fleetGrid([{name: 'a', facts: '', cells: cells(1, 9, each => each % 3 !== 0)}], {
      columns: 3,
      rows: 5,
    });
    expect(movedInMap(dimmed, id(3), {cells: 1})).toBe(id(6));
    expect(movedInMap(dimmed, id(3), {lines: 1})).toBe(id(6));
  });

  it('is always visible, on a page that does not scroll line by line', () => {
    const tall = fleetGrid([{name: 'a', facts: '', cells: cells(1, 60)}], {columns: 1, rows: 10});
    expect(firstLine(tall, id(1), 10)).toBe(0);
    // A title and thirty lines of two: 1 and 2 are in line 1, 17 and 18 in line 9, 19 in line 10.
    expect(firstLine(tall, id(18), 10)).toBe(0);
    expect(firstLine(tall, id(19), 10)).toBe(10);
    expect(firstLine(tall, id(60), 10)).toBe(21);
  });
});
