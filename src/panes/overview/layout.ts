import type {Scene} from '../pane.ts';
import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS, type Place} from '../sizes.ts';

/** The parts of the overview, in cells. What does not fit is left out, starting from the end. */
export type OverviewLayout = {
  readonly attention: Place;
  readonly money: Place;
  /** The finding under the cursor, in full. */
  readonly preview: Place;
  readonly fleet: Place;
  readonly clusters: Place;
  readonly exposure: Place;
  readonly events: Place;
  readonly isWide: boolean;
};

/** Room for its longest words, such as when everything is suspended. */
const MONEY_COLUMNS = 44;
/** Room for its amounts, where the findings would lose their age. */
const LEAST_MONEY_COLUMNS = 35;
/** The width of a finding without evidence, in whole words. */
const LEAST_ATTENTION_COLUMNS = 76;
/** The most it takes beside findings with evidence. */
const MOST_MONEY_COLUMNS = 70;
/** The width of a finding with its evidence and its fix. */
const ATTENTION_COLUMNS = 144;
/** The facts about money, without a chart. */
const LEAST_MONEY_ROWS = 10;
const NO_PLACE: Place = {columns: 0, rows: 0};

/** What is in the list: how many rows, and how many the longest text about one of them takes. */
type Found = {
  readonly findingCount: number;
  readonly previewRows: (preview: Pick<OverviewLayout, 'isWide'> & Pick<Place, 'columns'>) => number;
};

/** Rows the list does not need go to the finding under the cursor, as far as its text needs them. */
export function overviewLayout({columns, rows}: Scene['size'], found?: Found): OverviewLayout {
  const layout = columns >= MEDIUM_COLUMNS ? wideLayout(columns, rows) : narrowLayout(columns, rows);
  const {attention, money, preview, isWide} = layout;
  if (found === undefined || found.findingCount === 0 || preview.rows === 0) return layout;
  const listRows = LIST_FRAME_ROWS + found.findingCount;
  const unusedRows = attention.rows - (isWide ? Math.max(LEAST_MONEY_ROWS, listRows) : listRows);
  if (unusedRows <= 0) return layout;
  const movedRows = Math.min(unusedRows, found.previewRows({...preview, isWide}) - preview.rows);
  if (movedRows <= 0) return layout;
  const higher = (place: Place): Place => (place.rows === 0 ? place : {...place, rows: place.rows + movedRows});
  return {
    ...layout,
    attention: {...attention, rows: attention.rows - movedRows},
    money: isWide ? {...money, rows: money.rows - movedRows} : money,
    preview: higher(preview),
    ...(isWide ? {exposure: higher(layout.exposure), events: higher(layout.events)} : {}),
  };
}

/**
 * A cause is never cut: in one column, the finding under the cursor takes the rows that its text lacks from the boxes at
 * the end, first from stock. None keeps a title alone.
 */
export function withWholeText(layout: OverviewLayout, textRows: number): OverviewLayout {
  const {preview, clusters, events, isWide} = layout;
  if (isWide || preview.rows === 0) return layout;
  const fromClusters = lentRows(clusters, textRows - preview.rows);
  const fromEvents = lentRows(events, textRows - preview.rows - fromClusters);
  return {
    ...layout,
    preview: {...preview, rows: preview.rows + fromClusters + fromEvents},
    clusters: {...clusters, rows: clusters.rows - fromClusters},
    events: {...events, rows: events.rows - fromEvents},
  };
}

function lentRows({rows}: Place, wanted: number): number {
  if (wanted <= 0) return 0;
  return rows - wanted >= LEAST_PART_ROWS ? wanted : rows;
}

/** A title and a line. */
const LEAST_PART_ROWS = 2;

/** Findings beside money, then machines beside clusters, then the finding under the cursor with related information. */
function wideLayout(columns: number, rows: number): OverviewLayout {
  const top = Math.max(8, Math.round(rows * 0.42));
  const middle = Math.max(0, Math.floor((rows - top) / 2));
  const bottom = Math.max(0, rows - top - middle);
  const left = Math.floor(columns / 2);
  const isThree = columns >= LARGE_COLUMNS;
  const third = Math.floor(columns / 3);
  const preview = isThree ? third : left;
  const money = moneyColumns(columns);
  return {
    attention: {columns: columns - money, rows: top},
    money: {columns: money, rows: top},
    fleet: {columns: left, rows: middle},
    clusters: {columns: columns - left, rows: middle},
    preview: {columns: preview, rows: bottom},
    exposure: isThree ? {columns: third, rows: bottom} : NO_PLACE,
    events: {columns: columns - preview - (isThree ? third : 0), rows: bottom},
    isWide: true,
  };
}

function moneyColumns(columns: number): number {
  const beside = Math.min(MONEY_COLUMNS, Math.max(LEAST_MONEY_COLUMNS, columns - LEAST_ATTENTION_COLUMNS));
  return Math.min(MOST_MONEY_COLUMNS, Math.max(beside, columns - ATTENTION_COLUMNS));
}

/** One column: findings take what the others leave. */
function narrowLayout(columns: number, rows: number): OverviewLayout {
  const money = {columns, rows: Math.min(3, rows)};
  const fleet = {columns, rows: rows >= 20 ? Math.min(6, 3 + Math.max(0, rows - 20)) : rows >= 14 ? 2 : 0};
  // A cause and its advice are shown in full, which takes three lines of text.
  const preview = {columns, rows: rows >= 20 ? 4 : rows >= 16 ? 3 : 0};
  const clusters = {columns, rows: rows >= 20 ? 3 : 0};
  const events = {columns, rows: rows >= 26 ? 4 : 0};
  const used = money.rows + fleet.rows + preview.rows + clusters.rows + events.rows;
  return {
    attention: {columns, rows: Math.max(0, rows - used)},
    money,
    preview,
    fleet,
    clusters,
    exposure: NO_PLACE,
    events,
    isWide: false,
  };
}
