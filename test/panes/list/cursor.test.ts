import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {LIST_START, type ListCursor, movedCursor, rowAtCursor, adjustedCursor} from '../../../src/panes/list/cursor.ts';

type Cursor = ListCursor<string>;
const idOf = (row: string) => row;
const ROWS = ['a', 'b', 'c', 'd', 'e', 'f'];
const FOREVER = Number.POSITIVE_INFINITY;

function on(cursorIndex: number, offset = 0): Cursor {
  return {cursorId: ROWS[cursorIndex], cursorIndex, offset};
}

describe('movedCursor', () => {
  it.each<[string, number, number, string]>([
    ['one down', 2, 1, 'd'],
    ['one up', 2, -1, 'b'],
    ['up at the first', 0, -1, 'a'],
    ['down at the last', 5, 1, 'f'],
    ['to the end', 1, FOREVER, 'f'],
    ['to the beginning', 4, -FOREVER, 'a'],
  ])('goes %s', (_, from, step, id) => {
    const moved = movedCursor(on(from), ROWS, idOf, step);
    expect(moved).toMatchObject({cursorId: id, cursorIndex: ROWS.indexOf(id)});
  });

  it('is on nothing in an empty list', () => {
    expect(movedCursor<string, string>(LIST_START, [], idOf, 1)).toMatchObject({cursorId: undefined, cursorIndex: 0});
  });

  it('never leaves the list, and returns by the opposite step if it met no end', () => {
    fc.assert(
      fc.property(anyRows(1), fc.nat(30), fc.integer({min: -40, max: 40}), (rows, start, step) => {
        const index = start % rows.length;
        const cursor: Cursor = {cursorId: rows[index], cursorIndex: index, offset: 0};
        const moved = movedCursor(cursor, rows, idOf, step);
        expect(moved.cursorId).toBe(rows[moved.cursorIndex]);
        if (index + step < 0 || index + step >= rows.length) return;
        expect(movedCursor(moved, rows, idOf, -step)).toEqual(cursor);
      }),
    );
  });
});

describe('rowAtCursor', () => {
  it('gives the row at its position while no object was chosen', () => {
    expect(rowAtCursor<string, string>(LIST_START, ROWS, idOf)).toBe('a');
  });

  it('follows its object to another position', () => {
    expect(rowAtCursor(on(2), ['c', 'b', 'a'], idOf)).toBe('c');
  });

  it('gives no other row in place of an object that is gone', () => {
    expect(rowAtCursor(on(2), ['a', 'b', 'd'], idOf)).toBeUndefined();
  });

  it('gives nothing in an empty list', () => {
    expect(rowAtCursor<string, string>(LIST_START, [], idOf)).toBeUndefined();
  });
});

describe('adjustedCursor', () => {
  const chosen = {height: 3, hasChosen: true};

  it('stays at the top until a key has chosen an object', () => {
    const settled = adjustedCursor<string, string>(LIST_START, ROWS, idOf, {height: 3, hasChosen: false});
    expect(settled).toBe(LIST_START);
  });

  it('takes the object at its position once a key was pressed', () => {
    expect(adjustedCursor<string, string>(LIST_START, ROWS, idOf, chosen)).toEqual(on(0));
  });

  it('follows its object when the order changes', () => {
    expect(adjustedCursor(on(1), ['d', 'c', 'a', 'b'], idOf, chosen)).toEqual({
      cursorId: 'b',
      cursorIndex: 3,
      offset: 1,
    });
  });

  it('takes the row that moved up when its object is gone, or the last one at the end', () => {
    expect(adjustedCursor(on(1), ['a', 'c', 'd'], idOf, chosen)).toMatchObject({cursorId: 'c', cursorIndex: 1});
    expect(adjustedCursor(on(5), ['a', 'b'], idOf, chosen)).toMatchObject({cursorId: 'b', cursorIndex: 1});
  });

  it('remembers its object while a list is empty', () => {
    const waiting = adjustedCursor(on(1), [], idOf, chosen);
    expect(adjustedCursor(waiting, ROWS, idOf, chosen)).toMatchObject({cursorId: 'b', cursorIndex: 1});
  });

  it('is on a visible row, changes nothing when applied again, and keeps an object that still exists', () => {
    fc.assert(
      fc.property(
        anyRows(1),
        anyRows(1),
        fc.nat(30),
        fc.nat(30),
        fc.integer({min: 1, max: 12}),
        (before, after, start, offset, height) => {
          const index = start % before.length;
          const cursor: Cursor = {cursorId: before[index], cursorIndex: index, offset};
          const settled = adjustedCursor(cursor, after, idOf, {height, hasChosen: true});
          expect(settled.cursorId).toBe(after[settled.cursorIndex]);
          expect(settled.cursorIndex).toBeGreaterThanOrEqual(settled.offset);
          expect(settled.cursorIndex).toBeLessThan(settled.offset + height);
          expect(settled.offset).toBeLessThanOrEqual(Math.max(0, after.length - height));
          expect(adjustedCursor(settled, after, idOf, {height, hasChosen: true})).toBe(settled);
          if (after.some(row => row === cursor.cursorId)) expect(settled.cursorId).toBe(cursor.cursorId);
        },
      ),
    );
  });
});

function anyRows(minLength: number): fc.Arbitrary<string[]> {
  return fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), {minLength, maxLength: 20});
}
