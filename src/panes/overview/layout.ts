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

const MONEY_COLUMNS = 44;
/** The most it takes beside findings with evidence. */
const MOST_MONEY_COLUMNS = 70;
/** The width of a finding with its evidence and its fix. */
const ATTENTION_COLUMNS = 144;
/** A title, and enough lines for a long cause with its advice. */
const MOST_PREVIEW_ROWS = 7;
const NO_PLACE: Place = {columns: 0, rows: 0};

/** In a narrow terminal, rows the findings do not need go to the one under the cursor. */
export function overviewLayout({columns, rows}: Scene['size'], findingCount?: number): OverviewLayout {
  if (columns >= MEDIUM_COLUMNS) return wideLayout(columns, rows);
  const layout = narrowLayout(columns, rows);
  const {attention, preview} = layout;
  if (findingCount === undefined || findingCount === 0 || preview.rows === 0) return layout;
  const freeRows = Math.min(MOST_PREVIEW_ROWS - preview.rows, attention.rows - LIST_FRAME_ROWS - findingCount);
  if (freeRows <= 0) return layout;
  return {
    ...layout,
    attention: {columns, rows: attention.rows - freeRows},
    preview: {columns, rows: preview.rows + freeRows},
  };
}

/** Findings beside money, then machines beside clusters, then the finding under the cursor with related information. */
function wideLayout(columns: number, rows: number): OverviewLayout {
  const top = Math.max(8, Math.round(rows * 0.42));
  const middle = Math.max(0, Math.floor((rows - top) / 2));
  const bottom = Math.max(0, rows - top - middle);
  const left = Math.floor(columns / 2);
  const isThree = columns >= LARGE_COLUMNS;
  const third = Math.floor(columns / 3);
  const preview = isThree ? third : left;
  const money = Math.min(MOST_MONEY_COLUMNS, Math.max(MONEY_COLUMNS, columns - ATTENTION_COLUMNS));
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
