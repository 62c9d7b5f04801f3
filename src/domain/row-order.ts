/** What a row is sorted by; undefined (or not a number) is unknown. */
export type SortValue = string | number | undefined;
export type SortDirection = 'ascending' | 'descending';

export type RowOrder<Row> = {
  readonly value: (row: Row) => SortValue;
  readonly id: (row: Row) => number | string;
  readonly direction: SortDirection;
};

// Node takes some milliseconds to make it, which a start should not wait for.
let names: Intl.Collator | undefined;

/**
 * Sorts rows by one column. Unknown values come last in either direction, since they are neither large nor small; rows
 * with equal values are ordered by id, so that a refresh moves no row needlessly.
 */
export function rowOrder<Row>({value, id, direction}: RowOrder<Row>): (left: Row, right: Row) => number {
  const sign = direction === 'ascending' ? 1 : -1;
  return (left, right) => {
    const leftValue = value(left);
    const rightValue = value(right);
    const byKnown = Number(isUnknown(leftValue)) - Number(isUnknown(rightValue));
    return byKnown || sign * compareValues(leftValue, rightValue) || compareValues(id(left), id(right));
  };
}

/** Natural order: `train-2` before `train-10`, ignoring case. */
export function compareNames(left: string, right: string): number {
  names ??= new Intl.Collator('en', {numeric: true, sensitivity: 'base'});
  return names.compare(left, right);
}

function isUnknown(value: SortValue): boolean {
  return value === undefined || Number.isNaN(value);
}

/** Numbers before texts, if a column has both. */
function compareValues(left: SortValue, right: SortValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : Number(left > right);
  if (typeof left === 'string' && typeof right === 'string') return compareNames(left, right);
  return Number(typeof left === 'string') - Number(typeof right === 'string');
}
