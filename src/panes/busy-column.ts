import {verbOf} from '../actions/actions.ts';
import type {Subject} from '../domain/action.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import {SECOND_MS} from '../domain/time.ts';
import {formatElapsed} from '../ui/format.ts';
import type {TableColumn} from '../ui/table.ts';
import type {Line, Span} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Scene} from './pane.ts';

/** What is under way, in `room` cells; in few only that something is, and for how long. */
export function operationBadge(operation: Operation, now: number, room: number, theme: Theme): Span {
  const since = formatElapsed(Math.max(0, now - operation.confirmedAt));
  const word = operation.phase === 'in-progress' ? 'under way' : operation.phase;
  const tone = operation.phase === 'unknown' || operation.phase === 'overdue' ? 'warning' : 'accent';
  const whole = `${verbOf(operation.action.kind)} ${word} ${since}`;
  return {text: whole.length <= room ? whole : `${theme.glyphs.live}${since}`, tone};
}

const TITLE = 'UNDER WAY';
/** `remove rule accepted 12s`: in a table of some width the words are worth more than a column further right. */
const WORDS_CELLS = 24;
const NARROW_CELLS = 70;

/** The columns, with one for what is under way behind the first while there is any among the rows. */
export function withBusyColumn<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  subjectOf: (row: Row) => Subject | undefined,
  {operations, now}: Pick<Scene, 'operations' | 'now'>,
  width: number,
): readonly TableColumn<Row>[] {
  const isAnyOpen = operations?.all().some(({phase}) => !isEnded(phase)) === true;
  if (!isAnyOpen) return columns;
  const operationOn = (row: Row): Operation | undefined => {
    const subject = subjectOf(row);
    return subject === undefined ? undefined : operations.openOn(subject);
  };
  if (!rows.some(row => operationOn(row) !== undefined)) return columns;
  const cell = (row: Row, width: number, theme: Theme): Line => {
    const operation = operationOn(row);
    return operation === undefined ? [] : [operationBadge(operation, now, width, theme)];
  };
  const [name, ...rest] = columns;
  // A row is painted anew when a column's key is another one: what this one shows is not in the row.
  const key = `busy ${operations.version()} ${Math.floor(now / SECOND_MS)}`;
  const minWidth = width < NARROW_CELLS ? TITLE.length : WORDS_CELLS;
  const busy: TableColumn<Row> = {key, title: TITLE, minWidth, maxWidth: 40, flex: 1, cell};
  return name === undefined ? [busy] : [name, busy, ...rest];
}
