import type {Column} from '../../resources/column.ts';
import {memoPer} from '../../domain/memo.ts';
import {UNKNOWN} from '../../ui/format.ts';
import type {TableColumn} from '../../ui/table.ts';
import {type Line, widthOf} from '../../ui/text.ts';

/** The table columns of a list: those with a place in it, in order. */
export function listColumns<Row>(columns: readonly Column<Row>[]): readonly TableColumn<Row>[] {
  return columns.flatMap(column => {
    const placement = column.list;
    if (placement === undefined) return [];
    const {title = column.title, tone, absent = UNKNOWN, draw, isProse = false, ...room} = placement;
    const drawValue = (row: Row): Line => {
      const value = column.value(row);
      if (value === undefined) return [{text: absent, tone: 'dim'}];
      return [{text: value.text, tone: typeof tone === 'function' ? tone(row) : (tone ?? 'text'), isName: !isProse}];
    };
    const align = column.align === undefined ? {} : {align: column.align};
    return [{...room, ...align, isProse, key: column.key, title, cell: draw ?? drawValue}];
  });
}

/**
 * The wide list: adds columns the list has no room for, and shows figures in place of graphs if the kind says so. Where
 * room is short, columns go in the order of the list; what is added has its own place in that order.
 */
export function wideColumns<Row>(columns: readonly Column<Row>[]): readonly TableColumn<Row>[] {
  const isChosen = columns.some(({wideList}) => wideList !== undefined);
  return listColumns(
    columns.map(({list, wideList, ...column}) => {
      const placement = list === undefined ? wideList : {...(wideList ?? list), priority: list.priority ?? 0};
      const fallback = isChosen ? undefined : defaultPlacement(column.title);
      const wide = placement ?? fallback;
      return wide === undefined ? column : {...column, list: wide};
    }),
  );
}

/** Columns a narrow list leaves out are the first to go in the wide list too. */
const ADDED_PRIORITY = 20;

/**
 * The columns, including the one the list is sorted by, with room for its arrow. If not all fit, that one stays and the
 * least important goes.
 */
export function sortedColumns<Row>(
  source: readonly Column<Row>[],
): (columns: readonly TableColumn<Row>[], sortKey: string | undefined) => readonly TableColumn<Row>[] {
  const known = memoPer<readonly TableColumn<Row>[], readonly TableColumn<Row>[]>();
  return (columns, sortKey) => known(columns, [sortKey], () => withSorted(columns, sortKey, source));
}

function withSorted<Row>(
  columns: readonly TableColumn<Row>[],
  sortKey: string | undefined,
  source: readonly Column<Row>[],
): readonly TableColumn<Row>[] {
  const place = source.findIndex(({key}) => key === sortKey);
  const column = source[place];
  if (column === undefined) return columns;
  const [sorted] = columns.filter(({key}) => key === sortKey).concat(listColumns([{...column, list: placeOf(column)}]));
  if (sorted === undefined) return columns;
  const minWidth = Math.max(sorted.minWidth, widthOf(sorted.title) + ARROW_CELLS);
  const isBefore = ({key}: TableColumn<Row>) => source.findIndex(each => each.key === key) < place;
  const others = columns.filter(({key}) => key !== sortKey);
  return [...others.filter(isBefore), {...sorted, minWidth, priority: 0}, ...others.filter(other => !isBefore(other))];
}

const ARROW_CELLS = 1;

function placeOf<Row>({title, align, list, wideList}: Column<Row>): NonNullable<Column<Row>['list']> {
  return list ?? wideList ?? (align === 'right' ? {minWidth: 5} : defaultPlacement(title));
}

function defaultPlacement(title: string) {
  return {
    minWidth: Math.max(8, title.length),
    maxWidth: 40,
    flex: 1,
    priority: ADDED_PRIORITY,
    tone: 'dim',
    absent: '',
  } as const;
}
