import {preferencesOf} from '../config/settings.ts';
import {describeFailure, type Failure} from '../domain/failure.ts';
import type {Filter} from '../domain/filter.ts';
import type {Known, Reader, Resource} from '../resources/resource.ts';
import type {Feed} from '../state/feed.ts';
import {createStore} from '../state/store.ts';
import type {Account} from './account.ts';
import {type CommandIo, complain} from './command-io.ts';
import type {PrintOptions} from './print-records.ts';
import type {Progress} from './progress.ts';

/** A question to `get`, understood. */
export type Asked = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly resource: Resource;
  readonly reader: Reader;
  readonly filter: Filter;
  readonly expression: string;
  readonly options: PrintOptions;
  readonly progress: Progress;
};

/** The columns that need more than the records, of those that are printed or that the filter names. */
export function columnsWithReads({
  resource,
  filter,
  options,
}: Pick<Asked, 'resource' | 'filter' | 'options'>): Resource['columns'] {
  const {format} = options;
  const isTable = format === 'table' || format === 'wide' || format === 'csv';
  const named = new Set(filter.terms.flatMap(({condition}) => ('column' in condition ? (condition.column ?? []) : [])));
  // A word of the filter is sought in every column that a table shows.
  const hasWords = filter.terms.some(({condition}) => !('column' in condition) || condition.column === undefined);
  return resource.columns.filter(({key, printed, reads}) => {
    if (reads === undefined) return false;
    const isPrinted = printed === undefined || (printed === 'wide' && format !== 'table');
    return named.has(key) || (printed !== 'asked' && hasWords) || (isTable && isPrinted);
  });
}

/** Reads what those columns need, into a store of its own; what cannot be read is unknown in them, and said. */
export async function knownFor(asked: Asked, raw: readonly unknown[]): Promise<Known> {
  const {account, resource, io} = asked;
  const store = createStore();
  const columns = raw.length === 0 ? [] : columnsWithReads(asked);
  const failures = new Map<string, Failure>();
  const read = async (feed: Feed<unknown>, key: string): Promise<void> => {
    const result = await feed.read(asked.reader.client, io.gone);
    if (result.ok) store.writeValue(feed, result.value, account.clock.monotonicNow());
    else if (!failures.has(key)) failures.set(key, result.failure);
  };
  for (const {key, reads} of columns) if (reads !== undefined && reads !== 'each') await read(reads, key);
  const ofEach = columns.find(({reads}) => reads === 'each');
  for (const [index, each] of raw.entries()) {
    const feed = ofEach === undefined ? undefined : resource.feedOf(each);
    if (ofEach === undefined || feed === undefined) continue;
    asked.reader.progress(`metrics ${index + 1} of ${raw.length}`);
    await read(feed, ofEach.key);
  }
  for (const [key, failure] of failures) complain(io, `${key} is unknown: ${describeFailure(failure)}`);
  return {store, now: account.clock.wallNow(), preferences: preferencesOf(account.settings)};
}
