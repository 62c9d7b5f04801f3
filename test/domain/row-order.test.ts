import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {compareNames, rowOrder, type SortDirection, type SortValue} from '../../src/domain/row-order.ts';

type Row = {readonly id: number; readonly value: SortValue};

describe('compareNames', () => {
  test('puts train-2 before train-10 and capitals beside small letters', () => {
    const names = ['train-10', 'infer-1', 'Train-3', 'train-2', 'gpu10a', 'gpu9b'];
    expect(names.sort(compareNames)).toEqual(['gpu9b', 'gpu10a', 'infer-1', 'train-2', 'Train-3', 'train-10']);
  });
});

describe('rowOrder', () => {
  test.each([
    ['numbers ascending', [3, 1, 2], 'ascending', [1, 2, 0]],
    ['numbers descending', [3, 1, 2], 'descending', [0, 2, 1]],
    ['names ascending', ['b10', 'b9', 'a'], 'ascending', [2, 1, 0]],
    ['unknowns last ascending', [undefined, 5, Number.NaN, -5], 'ascending', [3, 1, 0, 2]],
    ['unknowns last descending', [undefined, 5, Number.NaN, -5], 'descending', [1, 3, 0, 2]],
    ['equal values by id ascending', [1, 0, 1, 0], 'ascending', [1, 3, 0, 2]],
    ['equal values by id descending', [1, 0, 1, 0], 'descending', [0, 2, 1, 3]],
    ['names that differ only in case by id', ['DB', 'db', 'Db'], 'descending', [0, 1, 2]],
    ['numbers before texts', ['10+', 3, undefined, 10], 'ascending', [1, 3, 0, 2]],
    ['infinite before unknown', [undefined, Number.POSITIVE_INFINITY, 1], 'ascending', [2, 1, 0]],
  ] as const)('sorts %s', (_, values, direction, expected) => {
    expect(sortedIds(values, direction)).toEqual(expected);
  });

  test('gives the same order, whatever the order before', () => {
    const value = fc.oneof(
      fc.integer({min: 0, max: 5}),
      fc.constantFrom('a', 'B', 'b2', 'b10'),
      fc.constant(undefined),
    );
    const direction = fc.constantFrom('ascending' as const, 'descending' as const);
    fc.assert(
      fc.property(fc.array(value, {maxLength: 20}), direction, fc.infiniteStream(fc.nat()), (values, way, shuffle) => {
        const rows = values.map((each, id): Row => ({id, value: each}));
        const shuffled = rows
          .map(row => ({row, place: shuffle.next().value ?? 0}))
          .sort((left, right) => left.place - right.place)
          .map(({row}) => row);
        expect(shuffled.sort(order(way)).map(({id}) => id)).toEqual(sortedIds(values, way));
      }),
    );
  });
});

function sortedIds(values: readonly SortValue[], direction: SortDirection): number[] {
  return values
    .map((value, id): Row => ({id, value}))
    .sort(order(direction))
    .map(({id}) => id);
}

function order(direction: SortDirection) {
  return rowOrder<Row>({value: ({value}) => value, id: ({id}) => id, direction});
}
