import {hourlyUsd, type Rate} from '../domain/money.ts';
import type {EpochMs} from '../domain/time.ts';
import {formatDuration, formatRateFigure, UNKNOWN} from '../ui/format.ts';
import type {Tone} from '../ui/theme.ts';
import type {CollectionColumn} from './collection-part.ts';

type Placing = Pick<
  CollectionColumn<object>,
  'key' | 'title' | 'minWidth' | 'maxWidth' | 'flex' | 'align' | 'priority'
>;

/** A column of words. What is absent shows as `absent`, and neither a filter nor a saved table takes that for a value. */
export function textColumn<Row>(
  placing: Placing,
  text: (row: Row) => string | undefined,
  {tone = 'text', absent = UNKNOWN}: {readonly tone?: Tone | ((row: Row) => Tone); readonly absent?: string} = {},
): CollectionColumn<Row> {
  return {
    ...placing,
    cell: row => {
      const shown = text(row);
      if (shown === undefined || shown === '') return [{text: absent, tone: 'dim'}];
      return [{text: shown, tone: typeof tone === 'function' ? tone(row) : tone}];
    },
    value: row => {
      const shown = text(row);
      return shown === undefined ? undefined : {text: shown};
    },
  };
}

/** A column of figures, at the right; the filter compares the number itself. */
export function numberColumn<Row>(
  placing: Placing,
  number: (row: Row) => number | undefined,
  format: (value: number) => string,
  tone: Tone | ((row: Row) => Tone) = 'text',
): CollectionColumn<Row> {
  const formatted = (row: Row) => {
    const value = number(row);
    return value === undefined ? undefined : format(value);
  };
  return {
    ...textColumn<Row>({align: 'right', ...placing}, formatted, {tone}),
    value: row => {
      const value = number(row);
      return value === undefined ? undefined : {text: format(value), number: value};
    },
  };
}

/** Dollars an hour. */
export function rateColumn<Row>(placing: Placing, rate: (row: Row) => Rate | undefined): CollectionColumn<Row> {
  return {
    ...textColumn<Row>({align: 'right', ...placing}, row => rateText(rate(row)), {tone: 'money'}),
    value: row => {
      const value = rate(row);
      return value === undefined ? undefined : {text: formatRateFigure(value), number: hourlyUsd(value)};
    },
  };
}

function rateText(rate: Rate | undefined): string | undefined {
  return rate === undefined ? undefined : formatRateFigure(rate);
}

/** How long ago something was; the filter counts milliseconds, as it reads `age<7d`. */
export function ageColumn<Row extends {readonly now: EpochMs}>(
  placing: Placing,
  at: (row: Row) => EpochMs | undefined,
): CollectionColumn<Row> {
  const ageMs = (row: Row) => {
    const moment = at(row);
    return moment === undefined ? undefined : Math.max(0, row.now - moment);
  };
  return numberColumn<Row>(placing, ageMs, formatDuration, 'dim');
}
