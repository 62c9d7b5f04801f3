import type {Column} from '../resources/resource.ts';
import {UNKNOWN} from '../ui/format.ts';
import type {TableColumn} from '../ui/table.ts';
import type {Line} from '../ui/text.ts';

/** The columns of a list as the table draws them: those that have a place in it, in their order. */
export function listColumns<Row>(
  columns: readonly Column<Row>[],
  list: 'list' | 'wideList' = 'list',
): readonly TableColumn<Row>[] {
  return columns.flatMap(column => {
    const placement = column[list];
    if (placement === undefined) return [];
    const {title = column.title, tone, absent = UNKNOWN, draw, ...room} = placement;
    const drawValue = (row: Row): Line => {
      const value = column.value(row);
      if (value === undefined) return [{text: absent, tone: 'dim'}];
      return [{text: value.text, tone: typeof tone === 'function' ? tone(row) : (tone ?? 'text')}];
    };
    const align = column.align === undefined ? {} : {align: column.align};
    return [{...room, ...align, key: column.key, title, cell: draw ?? drawValue}];
  });
}
