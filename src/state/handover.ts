import {soFar} from '../domain/billing-history.ts';
import {outcomeWords} from '../domain/describe-operation.ts';
import {costSince, handoverLines} from '../domain/handover.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {organizationFeed} from './account.ts';
import {billedSoFar, billingFigures, deletedUsageFeed, usageFeed} from './billing.ts';
import type {Latest, LatestEntry} from './journal.ts';
import {presentTriage, type TriageMoment} from './triage.ts';

/**
 * The hand-over as Markdown, a line each, from what was read so far. `wordsOf` says an entry of the journal in words;
 * the list of actions, which knows them, is not for this folder.
 */
export function presentHandover(
  moment: TriageMoment,
  told: {
    readonly since: EpochMs;
    readonly entries: Latest['entries'];
    readonly wordsOf: (entry: LatestEntry) => SafeText;
  },
): readonly string[] {
  const {store, now} = moment;
  const {since, entries, wordsOf} = told;
  const usage = (feed: typeof usageFeed) => lastValue(store.get(feed))?.records;
  return handoverLines({
    account: lastValue(store.get(organizationFeed))?.name,
    now,
    since,
    found: presentTriage(moment),
    done: entries
      .filter(({at, confirmedAt = at}) => confirmedAt >= since)
      .map(entry => ({at: entry.confirmedAt ?? entry.at, words: wordsOf(entry), outcome: outcomeWords(entry)})),
    burn: billingFigures(moment)?.burn,
    cost: costSince(usage(usageFeed), usage(deletedUsageFeed), {
      since,
      now,
      billed: billedSoFar(soFar(since, now), moment),
    }),
  });
}
