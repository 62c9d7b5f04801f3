import type {RowInput, TypedResource} from '../../src/resources/resource.ts';
import {listedRows} from '../../src/resources/resource.ts';
import type {Theme} from '../../src/ui/theme.ts';
import {textsOf} from '../panes/a-read-scene.ts';

/** The rows of the deck's list, in its order. */
export const rowsOf = listedRows;

/** The cell of a row in a column. */
export function cellOf<R, Row>({columns}: Pick<TypedResource<R, Row>, 'columns'>, row: Row | undefined, key: string) {
  const column = columns.find(each => each.key === key);
  if (row === undefined || column === undefined) throw new Error(`no cell ${key}`);
  return column.value(row);
}

/** The detail as text. */
export function detailOf<R, Row>(
  {detail}: Pick<TypedResource<R, Row>, 'detail'>,
  row: Row | undefined,
  known: RowInput & {readonly theme: Theme},
  width = 80,
): string {
  if (row === undefined || detail === undefined) throw new Error('no detail');
  return textsOf(detail(row, known, width));
}
