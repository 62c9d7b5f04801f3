import {closest} from '../../domain/closest-word.ts';
import {type Filter, type FilterRow, matchesFilter, parseFilter, undecidedColumns} from '../../domain/filter.ts';
import {rowOrder, type SortDirection} from '../../domain/row-order.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {otherNames, searchedText} from '../../resources/column.ts';
import type {Entry, Resource} from '../../resources/resource.ts';
import {formatCounted} from '../../ui/format.ts';
import {HAS_COLUMNS} from '../print/print-records.ts';

/** Which records `get` prints, in which order, and with which columns. */
export type View = {
  readonly filter: Filter;
  /** Unsorted if absent. */
  readonly sort?: {readonly column: string; readonly direction: SortDirection} | undefined;
  readonly limit?: number | undefined;
  /** The format's own columns if absent. */
  readonly columns?: readonly string[] | undefined;
};

export type ViewFlags = {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly columns?: string;
  readonly output: string;
};

type ViewOutcome = {readonly ok: true; readonly view: View} | {readonly ok: false; readonly mistake: SafeText};

/** What was asked for, with every column checked; a mistake names the option. */
export function viewOf(
  resource: Resource,
  {filter: expression = '', sort, limit, columns, output}: ViewFlags,
): ViewOutcome {
  const keys = resource.columns.map(({key}) => key);
  const also = otherNames(resource.columns);
  const keyOf = (name: string) => also.get(name) ?? name;
  const filter = parseFilter(expression, resource.columns, also);
  if (!filter.ok) return {ok: false, mistake: say`--filter: ${filter.mistake}`};
  const [sortedName = '', direction = 'asc', ...more] = sort?.split(':') ?? [];
  if (more.length > 0 || !['asc', 'desc'].includes(direction)) {
    return {ok: false, mistake: say`--sort: after the column comes :asc or :desc`};
  }
  const sorted = keyOf(sortedName);
  const chosen = columns?.split(',').map(name => keyOf(name.trim()));
  if (chosen !== undefined && !HAS_COLUMNS.has(output)) {
    return {ok: false, mistake: say`--columns: -o ${safeText(output)} prints no columns`};
  }
  const unknown = [
    ...(sort === undefined ? [] : [{option: say`--sort`, name: sorted}]),
    ...(chosen ?? []).map(name => ({option: say`--columns`, name})),
  ].find(({name}) => !keys.includes(name));
  if (unknown !== undefined)
    return {ok: false, mistake: say`${unknown.option}: ${unknownColumn(resource, unknown.name)}`};
  const order = direction === 'desc' ? ('descending' as const) : ('ascending' as const);
  return {
    ok: true,
    view: {
      filter: filter.filter,
      limit,
      columns: chosen,
      sort: sort === undefined ? undefined : {column: sorted, direction: order},
    },
  };
}

function unknownColumn({names, columns}: Resource, name: string): SafeText {
  const keys = columns.map(({key}) => key);
  const meant = closest(name, keys);
  const help = meant === undefined ? say`there are ${safeText(keys.join(' '))}` : say`did you mean ${safeText(meant)}?`;
  return say`no column of ${safeText(names[0])} is called "${safeText(name)}"; ${help}`;
}

/** The matching entries, in the requested order, up to the requested number. */
export function viewed({filter, sort, limit}: View, resource: Resource, entries: readonly Entry[]): readonly Entry[] {
  const matching = entries.filter(entry => matches({filter}, resource, entry));
  return (sort === undefined ? matching : ordered(matching, sort)).slice(0, limit);
}

function ordered(entries: readonly Entry[], {column, direction}: NonNullable<View['sort']>): readonly Entry[] {
  const places = new Map(entries.map((entry, place) => [entry, place]));
  return entries.toSorted(
    rowOrder({
      value: ({cell}) => {
        const value = cell?.(column);
        return value?.number ?? value?.text;
      },
      id: entry => places.get(entry) ?? 0,
      direction,
    }),
  );
}

/** A record that could not be parsed matches no condition, and every list without conditions. */
export function matches({filter}: Pick<View, 'filter'>, resource: Resource, entry: Entry): boolean {
  if (filter.terms.length === 0) return true;
  const row = rowOf(resource, entry);
  return row !== undefined && matchesFilter(filter, row);
}

/** That a machine is not printed does not mean that it does not match, if its metrics are not known. */
export function unjudgedLines(
  view: Pick<View, 'filter'>,
  resource: Resource,
  entries: readonly Entry[],
): readonly string[] {
  const {many, one} = resource.words;
  return [...unjudgedCounts(view, resource, entries)].map(
    ([column, count]) =>
      `${formatCounted(count, one, many)} not judged: ${column} is not known, as there are no current metrics`,
  );
}

/** How many entries may match or not, as their metrics are not known, by the column that the filter names. */
function unjudgedCounts(
  {filter}: Pick<View, 'filter'>,
  resource: Resource,
  entries: readonly Entry[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const measured = new Set(resource.columns.filter(({reads}) => reads === 'each').map(({key}) => key));
  if (!filter.terms.some(({condition}) => measured.has(condition.column ?? ''))) return counts;
  for (const entry of entries) {
    const row = rowOf(resource, entry);
    const open = row === undefined ? [] : undecidedColumns(filter, row);
    const [column] = open.filter(key => measured.has(key));
    // What does not run has no metrics.
    if (column === undefined || resource.feedOf(entry.raw) === undefined) continue;
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  return counts;
}

function rowOf({columns}: Resource, {cell, labels}: Entry): FilterRow | undefined {
  if (cell === undefined) return undefined;
  return {
    cell,
    shownTexts: () => columns.filter(({printed}) => printed !== 'asked').map(({key}) => searchedText(cell(key))),
    ...(labels === undefined ? {} : {labels}),
  };
}
