import {describeReadFailure, type Failure} from '../../domain/failure.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {SECOND_MS} from '../../domain/time.ts';
import type {Listed} from '../../resources/listing.ts';
import type {Entry, RowInput} from '../../resources/resource.ts';
import {withPricesInForce} from '../../state/catalogue.ts';
import {type Feed, feedName} from '../../state/feed.ts';
import {complain} from '../command-io.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {
  type Asked,
  columnsWithReads,
  listFailed,
  missingPart,
  type Sought,
  soughtRecords,
  unknownWords,
} from './context.ts';
import {unjudgedLines, viewed} from './view.ts';
import {lostOf, openPrinter, printedMark, warnOfLost} from '../print/print-records.ts';

const WATCH = 'get --watch';

/**
 * Prints the records, and again whatever changed, until the reader goes away. The list and what its columns need are
 * feeds of the one poller, so a watch backs off and keeps to the budget like the deck.
 */
export async function watch(asked: Asked): Promise<ExitCode> {
  const {io, account, options, progress, resource} = asked;
  const {poller, store} = account.session;
  const list = listFeed(asked);
  const columnFeeds = columnsWithReads(asked).flatMap(({key, reads}) =>
    reads === undefined || reads === 'each' ? [] : [reads].flat().map(feed => ({key, feed})),
  );
  const want = (raw: readonly unknown[]) =>
    poller.want(WATCH, [
      {feed: list, priority: 0, intervalMs: list.intervalMs},
      ...columnFeeds.map(({feed}) => ({feed, priority: 1})),
      ...eachFeeds(asked, raw).map(feed => ({feed, priority: 2})),
    ]);
  const said = sayOnce(asked);
  const show = openPrinter(io, resource, options);
  const shownMarks = new Map<string, string>();
  const changes = changesOf(asked);
  let hasShown = false;
  try {
    want([]);
    while (await changes.next()) {
      const snapshot = store.get(list);
      const failure = failureOf(snapshot);
      const listed = lastValue(snapshot);
      if (failure !== undefined && (listed === undefined || failure.kind === 'not-authorised')) {
        return listFailed(asked, mistakes.get(failure) ?? {ok: false, failure});
      }
      said.failure(failure);
      if (listed === undefined) continue;
      want(listed.raw);
      const needed = [...columnFeeds.map(({feed}) => feed), ...eachFeeds(asked, listed.raw)];
      if (!hasShown && needed.some(feed => store.get(feed).status === 'waiting')) continue;
      progress.end();
      if (!hasShown) for (const why of listed.missing) complain(io, `get: ${why}`);
      if (!hasShown && listed.raw.length === 0 && listed.missing.length > 0) return EXIT.notFound;
      hasShown = true;
      for (const {key, feed} of columnFeeds) said.column(key, feed, failureOf(store.get(feed)));
      const listedEntries = entriesOf(asked, listed);
      const entries = viewed(asked.view, resource, listedEntries);
      await show(changed(asked, entries, shownMarks));
      // Metrics of a machine that is new are on their way.
      if (needed.every(feed => store.get(feed).status !== 'waiting'))
        said.unjudged(unjudgedLines(asked.view, resource, listedEntries));
      said.lost(entries);
      said.incomplete(listed.incompleteReason);
      // What is missing from an incomplete list may still be in the rest of it.
      const gone = listed.incompleteReason === undefined ? takeGone(entries, shownMarks) : [];
      for (const identity of gone) complain(io, account.redact(`${identity} is no longer listed`));
    }
    return EXIT.done;
  } finally {
    changes.end();
    poller.stop();
  }
}

/** A usage error is not a failure of the service, but a feed can only fail. */
const mistakes = new WeakMap<Failure, Extract<Listed, {readonly mistake: unknown}>>();

/** The list as a feed, read as often as the settings say. */
function listFeed(asked: Asked): Feed<Sought> {
  return {
    ...feedName(['get', asked.resource.names[0]]),
    intervalMs: asked.account.settings.refreshSeconds * SECOND_MS,
    read: async (client, signal = asked.reader.signal) => {
      const listed = await soughtRecords({...asked, reader: {...asked.reader, client, signal}});
      if (listed.ok || 'failure' in listed) return listed;
      const failure: Failure = {kind: 'incomplete', detail: listed.mistake};
      mistakes.set(failure, listed);
      return {ok: false, failure};
    },
  };
}

function eachFeeds(asked: Asked, raw: readonly unknown[]): readonly Feed<unknown>[] {
  if (!columnsWithReads(asked).some(({reads}) => reads === 'each')) return [];
  return raw.flatMap(each => asked.resource.feedOf(each) ?? []);
}

function entriesOf({account, resource}: Asked, {raw, owners}: Sought): readonly Entry[] {
  const {session, clock, activity} = account;
  const [store, now] = [session.store, clock.wallNow()];
  const preferences = withPricesInForce(account.preferences, {store, now});
  const known: RowInput = {store, now, preferences, activity};
  return raw.map(resource.entry(owners === undefined ? known : {...known, owners}));
}

/** Entries not yet printed in their present form; they count as printed from here on. */
function changed({resource, options}: Asked, entries: readonly Entry[], shown: Map<string, string>): readonly Entry[] {
  return entries.filter(entry => {
    const identity = identityOf(entry);
    const mark = printedMark(resource, entry, options);
    if (shown.get(identity) === mark) return false;
    shown.set(identity, mark);
    return true;
  });
}

/** What was printed and is no longer among the entries. */
function takeGone(entries: readonly Entry[], shown: Map<string, string>): readonly string[] {
  const present = new Set(entries.map(identityOf));
  const gone = [...shown.keys()].filter(identity => !present.has(identity));
  for (const identity of gone) shown.delete(identity);
  return gone;
}

function identityOf({id, name, raw}: Entry): string {
  if (id === undefined) return name ?? JSON.stringify(raw);
  return name === undefined || name === '' || name === id ? `#${id}` : `${name} #${id}`;
}

/** Resolves each time something was read since the last call; with false once the reader of the output has gone. */
function changesOf({io, account}: Asked): {readonly next: () => Promise<boolean>; readonly end: () => void} {
  let hasNews = false;
  let wake = () => {};
  const stop = account.session.store.subscribe(() => {
    hasNews = true;
    wake();
  });
  const leave = () => wake();
  io.gone.addEventListener('abort', leave);
  return {
    next: async () => {
      if (!hasNews && !io.gone.aborted) {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
      hasNews = false;
      return !io.gone.aborted;
    },
    end: () => {
      stop();
      io.gone.removeEventListener('abort', leave);
    },
  };
}

/** Trouble is reported when it begins and when it is over. */
function sayOnce({io, account, resource}: Asked) {
  const known = new Map<string, string>();
  const say = (about: string, words: string | undefined, over?: string) => {
    if (known.get(about) === words) return;
    const wasSaid = known.has(about);
    if (words === undefined) known.delete(about);
    else known.set(about, words);
    if (words !== undefined) complain(io, account.redact(words));
    else if (wasSaid && over !== undefined) complain(io, over);
  };
  return {
    failure: (failure: Failure | undefined) => {
      const name = `get ${resource.names[0]}`;
      const words = failure === undefined ? undefined : `${name}: ${describeReadFailure(failure)}; still watching`;
      say('list', words, `${name}: answered again`);
    },
    column: (key: string, feed: Feed<unknown>, failure: Failure | undefined) =>
      say(`${key} ${feed.key}`, failure && unknownWords(missingPart(key, feed), failure)),
    unjudged: (lines: readonly string[]) => say('unjudged', lines.length === 0 ? undefined : lines.join('; ')),
    incomplete: (why: string | undefined) =>
      say('whole', why === undefined ? undefined : `the list may be incomplete (${why})`),
    lost: (entries: readonly Entry[]) => {
      const mark = JSON.stringify(entries.flatMap(({lost}) => lost));
      if (known.get('lost') === mark) return;
      known.set('lost', mark);
      warnOfLost(io, lostOf(entries), entries.length);
    },
  };
}
