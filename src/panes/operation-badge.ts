import {verbOf} from '../actions/actions.ts';
import type {Subject} from '../domain/action.ts';
import {knownOutcome} from '../domain/describe-operation.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import {formatElapsed} from '../ui/format.ts';
import type {TableColumn} from '../ui/table.ts';
import {fitLine, type Line, lineWidth, type Span} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Scene} from './pane.ts';

/**
 * What is under way, in at most `room` cells. With less room, only that something is under way and for how long, or
 * only that something is.
 */
export function operationBadge(operation: Operation, now: number, room: number, {glyphs}: Theme): Span {
  const since = formatElapsed(Math.max(0, now - operation.confirmedAt));
  const {phase} = knownOutcome(operation);
  const word = WORDS.get(phase) ?? phase;
  const tone = phase === 'unknown' || phase === 'overdue' ? 'warning' : 'accent';
  const whole = `${verbOf(operation.action.kind)} ${word} ${since}`;
  // Without room for the word, an unknown outcome is still marked by more than colour.
  const sign = phase === 'unknown' ? '?' : glyphs.live;
  const text = [whole, `${sign}${since}`].find(form => lineWidth([{text: form}]) <= room);
  return {text: text ?? sign, tone};
}

const WORDS: ReadonlyMap<Operation['phase'], string> = new Map([
  ['preflight', 'checking'],
  ['in-progress', 'under way'],
]);

/** For example `●1m12`: a state that fills its column gives up this much for the badge. */
export const SHORT_CELLS = 6;
/** A name that fills its column gives up room for the sign alone: shortened further, it may be that of another row. */
const SIGN_CELLS = 1;

/**
 * The columns, with the operation under way shown in one of them beside its text: a column of its own would shift all
 * others while they are being read.
 */
export function withBadges<Row>(
  columns: readonly TableColumn<Row>[],
  subjectOf: (row: Row) => Subject | undefined,
  {operations, now}: Pick<Scene, 'operations' | 'now'>,
): readonly TableColumn<Row>[] {
  if (operations === undefined || operations.all().every(({phase}) => isEnded(phase))) return columns;
  const place = badgeColumn(columns);
  return columns.map(column => {
    if (column !== place) return column;
    const cell = (row: Row, width: number, theme: Theme): Line => {
      const text = column.cell(row, width, theme);
      const subject = subjectOf(row);
      const operation = subject === undefined ? undefined : operations.openOn(subject);
      return operation === undefined
        ? text
        : withBadge(text, room => operationBadge(operation, now, room, theme), {width, theme, leastRoom: SIGN_CELLS});
    };
    return {...column, cell};
  });
}

/** The name column, or if there is none the widest. */
function badgeColumn<Row>(columns: readonly TableColumn<Row>[]): TableColumn<Row> | undefined {
  const [widest] = columns.toSorted((left, right) => (right.flex ?? 0) - (left.flex ?? 0));
  return columns.find(({key}) => key === 'name') ?? widest;
}

/** The text, cut if need be, and the badge in the rest of the width, or in `leastRoom` if that is less. */
export function withBadge(
  text: Line,
  badgeIn: (room: number) => Span,
  {width, theme, leastRoom}: {readonly width: number; readonly theme: Theme; readonly leastRoom: number},
): Line {
  const room = Math.max(leastRoom, width - lineWidth(text) - 1);
  const badge = badgeIn(Math.min(room, width));
  const left = Math.max(0, width - lineWidth([badge]) - 1);
  return [...fitLine(text, left, {ellipsis: theme.glyphs.ellipsis}), {text: ' '}, badge];
}
