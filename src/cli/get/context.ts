import {writeKnownNames} from '../../config/known-names.ts';
import {describeReadFailure, type Failure} from '../../domain/failure.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {idOf, type Matching, notFound, sought} from '../../resources/find.ts';
import type {Listed, RawListing, Reader} from '../../resources/listing.ts';
import type {RowInput, Resource} from '../../resources/resource.ts';
import {priceBookFeed, withPricesInForce} from '../../state/catalogue.ts';
import type {Feed} from '../../state/feed.ts';
import {createStore} from '../../state/store.ts';
import type {Account} from '../account.ts';
import {type CommandIo, complain} from '../command-io.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import type {View} from './view.ts';
import {HAS_COLUMNS, type PrintOptions} from '../print/print-records.ts';
import type {Progress} from '../print/progress.ts';

/** The parsed arguments of `get`. */
export type Asked = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly resource: Resource;
  readonly reader: Reader;
  /** Ids and names; empty for the whole list. */
  readonly wanted: readonly string[];
  readonly view: View;
  readonly options: PrintOptions;
  readonly progress: Progress;
};

/** The records asked for, and an error for each name that was not found. */
export type Sought = RawListing & {readonly missing: readonly SafeText[]};
export type SoughtOutcome = {readonly ok: true; readonly value: Sought} | Extract<Listed, {readonly ok: false}>;

/** The whole list, or the records with the given names, in their order; the list is read once for all names. */
export async function soughtRecords(asked: Asked): Promise<SoughtOutcome> {
  const {resource, reader, wanted} = asked;
  if (wanted.length === 0) {
    const listed = await resource.list(reader);
    if (listed.ok && listed.value.incompleteReason === undefined) keepNames(asked, listed.value.raw);
    return withMissing(listed, []);
  }
  let whole: Promise<Listed> | undefined;
  const found: RawListing[] = [];
  const missing: SafeText[] = [];
  for (const word of new Set(wanted)) {
    const listed = await recordsOf(resource, reader, word, () => {
      whole ??= resource.list(reader);
      return whole;
    });
    if (!listed.ok) return listed;
    found.push(listed.value);
    const {raw, incompleteReason, meant} = listed.value;
    if (raw.length === 0 && incompleteReason === undefined) missing.push(notFound(resource, word, meant));
  }
  return withMissing({ok: true, value: joined(resource, found)}, missing);
}

/** For completion. A partial list, such as the machines of one cluster, removes no other names. */
function keepNames({account, resource, reader}: Asked, raw: readonly unknown[]): void {
  const {vm, cluster, firewall, region} = reader.narrowing;
  const isNarrowed = [vm, cluster, firewall, region].some(each => each !== undefined);
  if (account.namesFile === undefined || isNarrowed) return;
  // A contract is named by its number; its description is a sentence.
  const isNumbered = resource.type === 'contract';
  const names = raw.map(each => resource.parseRaw(each)).flatMap(({id, name}) => (isNumbered ? id : name) ?? []);
  writeKnownNames(
    account.namesFile,
    resource.names[0],
    names.filter(name => account.redact(name) === name),
  );
}

function withMissing(listed: Listed, missing: readonly SafeText[]): SoughtOutcome {
  return listed.ok ? {ok: true, value: {...listed.value, missing}} : listed;
}

async function recordsOf(
  resource: Resource,
  reader: Reader,
  wanted: string,
  list: () => Promise<Listed>,
): Promise<Exclude<Listed, {ok: true}> | {readonly ok: true; readonly value: Matching}> {
  const id = idOf(wanted);
  if (id !== undefined && resource.one !== undefined) {
    const one = await resource.one.read(reader, id);
    if (one.ok || one.failure.kind !== 'not-found') return one;
  }
  // For kinds without names of their own, the arguments name the machine or cluster whose history is wanted.
  if (resource.names[0] === 'events' && reader.narrowing.vm === undefined && reader.narrowing.cluster === undefined) {
    return resource.list({...reader, narrowing: {vm: wanted}});
  }
  const listed = await list();
  return listed.ok ? {ok: true, value: sought(resource, listed.value, wanted)} : listed;
}

/** A record given twice, by id and by name, is printed once. */
function joined(resource: Resource, listings: readonly RawListing[]): RawListing {
  const seen = new Set<string>();
  const raw = listings
    .flatMap(listing => listing.raw)
    .filter(each => {
      const {id} = resource.parseRaw(each);
      if (id === undefined) return true;
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew;
    });
  const incompleteReason = listings.flatMap(listing => listing.incompleteReason ?? [])[0];
  const owners = new Map<unknown, SafeText>(listings.flatMap(listing => [...(listing.owners ?? [])]));
  return {raw, owners, ...(incompleteReason === undefined ? {} : {incompleteReason})};
}

/** The printed, sorted or filtered columns that need more than the records. */
export function columnsWithReads({
  resource,
  view,
  options,
}: Pick<Asked, 'resource' | 'view' | 'options'>): Resource['columns'] {
  const {format, columns: chosen} = options;
  const {terms} = view.filter;
  const named = new Set(terms.flatMap(({condition}) => ('column' in condition ? (condition.column ?? []) : [])));
  if (view.sort !== undefined) named.add(view.sort.column);
  // A word in the filter is looked for in every column of the table.
  const hasWords = terms.some(({condition}) => !('column' in condition) || condition.column === undefined);
  return resource.columns.filter(({key, printed, reads}) => {
    if (reads === undefined) return false;
    const isPrinted = chosen?.includes(key) ?? (printed === undefined || (printed === 'wide' && format !== 'table'));
    return named.has(key) || (printed !== 'asked' && hasWords) || (HAS_COLUMNS.has(format) && isPrinted);
  });
}

/** Reads what those columns need into a separate store; whatever cannot be read is unknown, and reported. */
export async function knownFor(asked: Asked, raw: readonly unknown[]): Promise<RowInput> {
  const {account, resource, io} = asked;
  const store = createStore();
  const columns = raw.length === 0 ? [] : columnsWithReads(asked);
  // Data read beside the records may identify them in its own way.
  if (columns.length > 0) resource.keep({raw}, store.writeValue);
  const failures = new Map<string, Failure>();
  const read = async (feed: Feed<unknown>, key: string): Promise<void> => {
    const result = await feed.read(asked.reader.client, io.gone);
    if (result.ok) store.writeValue(feed, result.value, account.clock.monotonicNow());
    else if (!failures.has(missingPart(key, feed))) failures.set(missingPart(key, feed), result.failure);
  };
  const begun = new Set<string>();
  for (const {key, reads} of columns) {
    const feeds = reads === undefined || reads === 'each' ? [] : [reads].flat();
    // Several columns may come from one reading.
    for (const feed of feeds.filter(feed => !begun.has(feed.key))) {
      begun.add(feed.key);
      await read(feed, key);
    }
  }
  const ofEach = columns.find(({reads}) => reads === 'each');
  for (const [index, each] of raw.entries()) {
    const feed = ofEach === undefined ? undefined : resource.feedOf(each);
    if (ofEach === undefined || feed === undefined) continue;
    asked.reader.progress(`metrics ${index + 1} of ${raw.length}`);
    await read(feed, ofEach.key);
  }
  for (const [part, failure] of failures) complain(io, unknownWords(part, failure));
  const now = account.clock.wallNow();
  const preferences = withPricesInForce(account.preferences, {store, now});
  return {store, now, preferences, activity: account.activity};
}

/** What is unknown without the feed: the column. Without the price list, it follows the settings and published prices. */
export function missingPart(column: string, feed: Feed<unknown>): string {
  return feed.key === priceBookFeed.key ? 'the price list of the account' : column;
}

export function unknownWords(part: string, failure: Failure): string {
  return `${part} is unknown: ${describeReadFailure(failure)}`;
}

/** Says why there is no list. */
export function listFailed({io, account, resource}: Asked, listed: Extract<Listed, {ok: false}>): ExitCode {
  if (io.gone.aborted) return EXIT.done;
  if ('mistake' in listed) {
    complain(io, listed.mistake);
    return EXIT.usage;
  }
  const {failure} = listed;
  // The lists exist on every such service: where there is none, or something else, the base is wrong.
  const isForeign = failure.kind === 'odd-answer' && failure.isForeign === true;
  const isNoList = isForeign || (failure.kind === 'not-found' && failure.isSoughtInList !== true);
  const isOfBase = isNoList && !/\/v\d+\/*$/.test(account.baseUrl);
  const hint = isOfBase ? '; the base URL should end in /v1' : '';
  complain(io, account.redact(`get ${resource.names[0]}: ${describeReadFailure(failure)}${hint}`));
  return exitCodeOf(listed.failure, 'read');
}
