import {type Filter, type FilterOutcome, undecidedColumns} from '../../domain/filter.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {whyNoMatch} from '../../resources/no-match.ts';
import {type Column, searchedText} from '../../resources/column.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {formatCount, formatCounted, formatDollars} from '../../ui/format.ts';
import {innerWidth} from '../../ui/frame-box.ts';
import {columnsInSight, type TableColumn} from '../../ui/table.ts';
import {type Line, lineWidth, widthOf} from '../../ui/text.ts';
import {KEYS} from '../../actions/keys.ts';
import type {Scene} from '../pane.ts';
import type {ListAt, ListSource, ShownRows} from './resource-list.tsx';

/** What the texts about a list need: its view, its rows as shown, and its filter. */
export type ListContent<Row, Id, Of> = {
  readonly at: ListAt<Id, Of>;
  readonly shown: ShownRows<Row>;
  readonly filter: FilterOutcome;
};

type TitledList<Row, Of> = Pick<
  ListSource<Row, unknown, Of>,
  | 'title'
  | 'feed'
  | 'detailFeed'
  | 'isNested'
  | 'columns'
  | 'none'
  | 'empty'
  | 'reach'
  | 'heading'
  | 'note'
  | 'isCounting'
  | 'sumOf'
  | 'orderWords'
>;

/** How many rows are searched to find the columns where a filter matched: no screen shows more. */
const MAX_SEARCHED = 100;

/** The title of a list with its counts, filter and sort order, and why it may be incomplete. */
export function titleLine<Row, Id, Of>(
  source: TitledList<Row, Of>,
  content: ListContent<Row, Id, Of>,
  drawn: {
    readonly columns: readonly TableColumn<Row>[];
    /** All rows, in the list's own order. */
    readonly unsorted: readonly TableColumn<Row>[];
    readonly width: number;
    readonly marked: readonly Row[];
    readonly hiddenMarkedCount: number;
  },
): Line {
  const {title, feed, columns, heading} = source;
  const {scene, view, of} = content.at;
  const {totalCount} = content.shown;
  const {marked, hiddenMarkedCount} = drawn;
  const hasOwnView = view.filterText !== '' || view.sortKey !== undefined || view.isWide;
  const shownAmong = (some: readonly TableColumn<Row>[]) =>
    new Set(hasOwnView ? columnsInSight(some, innerWidth(drawn.width)).map(({key}) => key) : []);
  const inSight = shownAmong(drawn.columns);
  const unreadableCount = listingOf(scene, feed)?.quarantined.length ?? 0;
  const note = source.note?.(scene, of);
  // Without a row that it belongs to there is nothing to count, whether there is none or none was read.
  const isUncounted = totalCount === undefined || (source.isNested === true && of === undefined);
  const line: Line = [
    {text: of === undefined ? title : (heading?.(of) ?? title), tone: 'focus', isName: hasName(of)},
    {text: isUncounted ? '' : countText(source, content), tone: 'strong'},
    {text: !isUncounted && source.isCounting?.(scene) === true ? ' so far' : '', tone: 'warning'},
    {text: view.filterText === '' ? '' : ` /${view.filterText}`, tone: 'accent'},
    {text: content.filter.ok ? '' : ' not applied', tone: 'warning'},
    {text: foundText(content, columns, inSight), tone: 'dim'},
    {text: sortText(content.at, columns, shownAmong(drawn.unsorted)), tone: 'accent'},
    {text: view.isWide ? wideText(drawn.columns.length - inSight.size) : '', tone: 'dim'},
    {text: marked.length === 0 ? '' : `  ${marked.length} marked`, tone: 'key'},
    {text: markedCostText(marked, source), tone: 'money'},
    {text: hiddenMarkedCount === 0 ? '' : `, ${hiddenMarkedCount} hidden`, tone: 'warning'},
    {text: unreadableCount === 0 ? '' : `  ${formatCounted(unreadableCount, 'record')} unreadable`, tone: 'warning'},
    {text: partText(scene, feed), tone: 'warning'},
    {text: unreadText(scene, feed), tone: 'warning'},
    {text: note === undefined ? '' : `  ${note}`, tone: 'warning', isParts: true},
  ];
  const isPlain = view.sortKey === undefined && note === undefined && source.isCounting?.(scene) !== true;
  const order = isPlain && (totalCount ?? 0) > 1 ? orderText(source) : '';
  // Remarks are worth more, and half a word is worth nothing: the sort menu says it too.
  return lineWidth(line) + widthOf(order) + RIGHT_CELLS > drawn.width ? line : [...line, {text: order, tone: 'dim'}];
}

/** The edges of the box, the blanks around its title, and the age of the data. */
const RIGHT_CELLS = 14;

function orderText({orderWords}: Pick<TitledList<never, never>, 'orderWords'>): string {
  return orderWords === undefined ? '' : `  ${orderWords}`;
}

/** The title contains the name of the object that the list belongs to, which may be shortened in its middle. */
function hasName(of: unknown): boolean {
  return typeof of === 'object' && of !== null && 'name' in of;
}

/**
 * The number of rows shown and the total; in a list that belongs to something, the total only if it is another number.
 */
function countText<Row, Id, Of>(
  {sumOf}: TitledList<Row, Of>,
  {at: {of}, shown: {rows, all}}: ListContent<Row, Id, Of>,
): string {
  const [count, total] = [rows, all].map(some => sumOf?.(some).count ?? some.length);
  return of === undefined || count !== total
    ? ` ${formatCount(count)} of ${formatCount(total)}`
    : ` ${formatCount(total)}`;
}

/** The total cost of the marked rows, if the list has a price for each row. */
function markedCostText<Row, Of>(marked: readonly Row[], {columns, sumOf}: TitledList<Row, Of>): string {
  if (sumOf !== undefined) {
    const {rate, isRateAtLeast} = sumOf(marked);
    return rate === undefined ? '' : ` ${isRateAtLeast ? 'at least ' : ''}${formatDollars(hourlyUsd(rate))}/h`;
  }
  const column = columns.find(({isRunningCost}) => isRunningCost === true);
  if (column === undefined || marked.length === 0) return '';
  const rates = marked.flatMap(row => column.value(row)?.number ?? []);
  const perHour = rates.reduce((left, right) => left + right, 0);
  const isWhole = rates.length === marked.length;
  if (!isWhole && perHour === 0) return ' cost unknown';
  return ` ${isWhole ? '' : 'at least '}${formatDollars(perHour)}/h`;
}

/** Shown when there are no rows: not read yet, none exist, or none match the filter. */
export function emptyLine<Row, Id, Of>(
  {title, feed, detailFeed, columns, none, empty, reach, sumOf}: TitledList<Row, Of>,
  {at: {scene, view, of}, shown: {rows, totalCount, all}, filter}: ListContent<Row, Id, Of>,
): Line {
  // To find out why nothing matches, all rows have to be searched, which would take too long for each key.
  if (rows.length > 0) return [];
  if (empty !== undefined && all.length === 0) return empty(scene);
  if (totalCount === undefined) {
    const missing = feed ?? detailFeed;
    return missing === undefined ? [] : missingLine(scene, missing, title);
  }
  if (totalCount === 0) return [{text: ` ${none?.(scene, of) ?? say`this account has no ${title}`}`, tone: 'dim'}];
  const cellOf = (row: Row) => (key: string) => columns.find(column => column.key === key)?.value(row);
  const never = filter.ok ? whyNoMatch(filter.filter, columns, all.map(cellOf)) : undefined;
  if (never !== undefined) return [{text: ` no matches: ${never}; ${KEYS.back} clears the filter`, tone: 'warning'}];
  const unknown = filter.ok ? unknownText(filter.filter, columns, all) : undefined;
  if (unknown !== undefined)
    return [{text: ` no matches: ${unknown} ${title}; ${KEYS.back} clears the filter`, tone: 'warning'}];
  const part = of === undefined || reach === undefined ? '' : ` ${reach(of)}`;
  const count = sumOf?.(all).count ?? totalCount;
  const text = ` no matches for /${view.filterText} (${count} ${title}${part}); ${KEYS.back} clears the filter`;
  return [{text, tone: 'dim'}];
}

/** For how many rows a missing measurement leaves open whether they match: one that is out of date is none. */
function unknownText<Row>(filter: Filter, columns: readonly Column<Row>[], rows: readonly Row[]): string | undefined {
  const measured = new Set(columns.flatMap(({key, reads}) => (reads === undefined ? [] : [key])));
  if (!filter.terms.some(({condition: {kind, column = ''}}) => kind !== 'text' && measured.has(column)))
    return undefined;
  const unknown = rows.flatMap(row => {
    const cell = (key: string) => columns.find(column => column.key === key)?.value(row);
    const shownTexts = () => columns.map(column => searchedText(column.value(row)));
    const open = undecidedColumns(filter, {cell, shownTexts});
    const missing = open.filter(key => measured.has(key) && cell(key)?.number === undefined);
    return missing.length === 0 ? [] : [missing];
  });
  if (unknown.length === 0) return undefined;
  const names = [...new Set(unknown.flat())].join(', ');
  return `${names} is not known now for ${formatCount(unknown.length)} of ${formatCount(rows.length)}`;
}

/** The sort order, if its column is shown only because of that: another column was dropped for it. */
function sortText<Row, Id, Of>(
  {scene: {theme}, view: {sortKey, isDescending}}: ListAt<Id, Of>,
  columns: readonly Column<Row>[],
  usual: ReadonlySet<string>,
): string {
  if (sortKey === undefined || usual.has(sortKey)) return '';
  const column = columns.find(({key}) => key === sortKey);
  return column === undefined ? '' : `  by ${column.title}${isDescending ? theme.glyphs.down : theme.glyphs.up}`;
}

/** If the wide list looks the same in a narrow terminal, only the title says that it is on. */
function wideText(hiddenCount: number): string {
  return hiddenCount === 0 ? '  wide' : `  wide, ${formatCounted(hiddenCount, 'column')} out of sight`;
}

/** The hidden columns in which the filter's words were found. */
function foundText<Row, Id, Of>(
  {at: {view}, shown, filter}: ListContent<Row, Id, Of>,
  columns: readonly Column<Row>[],
  inSight: ReadonlySet<string>,
): string {
  if (!filter.ok || filter.filter.terms.length === 0) return '';
  const visible = shown.rows.slice(view.offset, view.offset + MAX_SEARCHED);
  const found = new Set(visible.flatMap(row => hiddenMatches(filter.filter, row, columns, inSight)));
  return found.size === 0 ? '' : `  in ${[...found].join(', ')}`;
}

/** The hidden columns in which a row contains a word that no visible column contains. */
function hiddenMatches<Row>(
  {terms}: Filter,
  row: Row,
  columns: readonly Column<Row>[],
  inSight: ReadonlySet<string>,
): readonly string[] {
  return terms.flatMap(({isNegated, condition}) => {
    if (isNegated || condition.kind !== 'text' || condition.column !== undefined) return [];
    const matching = columns.filter(column => condition.matches(searchedText(column.value(row))));
    const [first] = matching;
    return first === undefined || matching.some(({key}) => inSight.has(key)) ? [] : [first.title];
  });
}

/** For a list longer than skydeck reads: how much is shown. */
function partText(scene: Scene, feed: Feed<unknown> | undefined): string {
  const listing = listingOf(scene, feed);
  if (listing?.incompleteReason === undefined) return '';
  if (listing.incompleteReason === 'repeated-id') return '  an id is listed twice';
  if (listing.incompleteReason === 'changed-while-read') return '  changed while it was read';
  const count = listing.serviceCount === undefined ? 'more' : formatCount(listing.serviceCount);
  return `  showing ${formatCount(listing.records.length)} of ${count}`;
}

/** Why the rows are not newer, from the first failure on. If nothing can be read, the status bar says why. */
function unreadText({store, health}: Scene, feed: Feed<unknown> | undefined): string {
  const snapshot = feed === undefined ? undefined : store.get(feed);
  if (health.status !== 'up' || snapshot?.status !== 'stale') return '';
  return `  not read: ${describeReadFailure(snapshot.failure)}`;
}

function listingOf({store}: Scene, feed: Feed<unknown> | undefined): Listing<unknown> | undefined {
  const value = feed === undefined ? undefined : lastValue(store.get(feed));
  return isListing(value) ? value : undefined;
}

function isListing(value: unknown): value is Listing<unknown> {
  return typeof value === 'object' && value !== null && 'quarantined' in value && Array.isArray(value.quarantined);
}
