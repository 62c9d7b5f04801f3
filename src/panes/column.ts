import type {EpochMs} from '../domain/time.ts';
import {age, type Column, type Placement, text} from '../resources/resource.ts';
import type {Tone} from '../ui/theme.ts';

type Placing<Row> = Pick<Column<Row>, 'key' | 'title' | 'align'> &
  Pick<Placement<Row>, 'minWidth' | 'maxWidth' | 'flex' | 'priority'>;

/** A column of words. What is absent shows as `absent`, and neither a filter nor a saved table takes that for a value. */
export function textColumn<Row>(
  {key, title, align, ...room}: Placing<Row>,
  textOf: (row: Row) => string | undefined,
  look: Pick<Placement<Row>, 'tone' | 'absent' | 'isProse'> = {},
): Column<Row> {
  const aligned = align === undefined ? {} : {align};
  return {key, title, ...aligned, value: row => text(textOf(row)), list: {...room, ...look}};
}

/** A column of figures, at the right; the filter compares the number itself. */
export function numberColumn<Row>(
  placing: Placing<Row>,
  numberOf: (row: Row) => number | undefined,
  format: (value: number) => string,
  tone: Tone | ((row: Row) => Tone) = 'text',
): Column<Row> {
  return {
    ...textColumn<Row>({align: 'right', ...placing}, () => undefined, {tone}),
    value: row => {
      const value = numberOf(row);
      return value === undefined ? undefined : {text: format(value), number: value};
    },
  };
}

/** How long ago something was; the filter counts milliseconds, as it reads `age<7d`. */
export function ageColumn<Row extends {readonly now: EpochMs}>(
  placing: Placing<Row>,
  at: (row: Row) => EpochMs | undefined,
): Column<Row> {
  return {
    ...textColumn<Row>({align: 'right', ...placing}, () => undefined, {tone: 'dim'}),
    value: row => age(at(row), row.now),
  };
}
