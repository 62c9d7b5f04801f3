import {missingLine} from '../../resources/detail.ts';
import {listedRows, type TypedResource} from '../../resources/resource.ts';
import {tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {listColumns} from './list-columns.ts';
import type {Scene} from '../pane.ts';

/** Some rows of a kind in the columns of its list, without a cursor: those that belong to something else. */
export function rowsTable<R, Row>(
  resource: TypedResource<R, Row>,
  scene: Scene,
  isWanted: (row: Row) => boolean,
  width: number,
): readonly Line[] {
  const rows = listedRows(resource, scene)?.filter(isWanted);
  if (rows === undefined) {
    const {feed, words} = resource;
    return [feed === undefined ? [{text: ' not read yet', tone: 'dim'}] : missingLine(scene, feed, words.many)];
  }
  if (rows.length === 0) return [[{text: ' none', tone: 'dim'}]];
  return tableLines(rows, () => false, {columns: listColumns(resource.columns), width, theme: scene.theme});
}
