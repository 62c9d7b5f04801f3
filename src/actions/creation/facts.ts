import type {EnvironmentId} from '../../domain/environment.ts';
import {joinSafe, nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {NamedFacts} from '../../domain/shown-facts.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {flavorsFeed, imagesFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {type Feed, isWhole, type Listing} from '../../state/feed.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import type {Known} from '../../state/known.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatGigabytes} from '../../ui/format.ts';
import {environmentNamed} from './choices.ts';
import {flavorWords} from './cost.ts';

/** What something new is made of. Only names are sent, and what has the name can change after the question. */
type Ingredients = {
  readonly environmentName: SafeText;
  readonly flavorNames?: readonly SafeText[];
  readonly keyPairName?: SafeText | undefined;
  readonly imageName?: SafeText | undefined;
  readonly volumeName?: SafeText | undefined;
};

/** The lists in which these names are looked up. */
export function ingredientFeeds(named: Ingredients): readonly Feed<unknown>[] {
  return [
    environmentsFeed,
    ...(named.flavorNames === undefined ? [] : [flavorsFeed]),
    ...(named.keyPairName === undefined ? [] : [keyPairsFeed]),
    ...(named.imageName === undefined ? [] : [imagesFeed]),
    ...(named.volumeName === undefined ? [] : [volumesFeed]),
  ];
}

/** What these names stand for, as last read: `flavor n3-L40x1` is `16 cores, 128 GB, 1 × L40`. */
export function ingredientFacts(
  known: Pick<Known, 'store'>,
  {environmentName: place, flavorNames = [], keyPairName, imageName, volumeName}: Ingredients,
): NamedFacts {
  const region = environmentNamed(known, place)?.regionName;
  const inRegion = ({regionName = region}: {readonly regionName?: SafeText}) => regionName === region;
  const isHere = ({environmentName = place}: {readonly environmentName?: SafeText}) => environmentName === place;
  const flavors = {feed: flavorsFeed, isHere: inRegion};
  const keyPairs = {feed: keyPairsFeed, isHere};
  return new Map([
    ...factOf(known, say`environment`, place, {
      feed: environmentsFeed,
      wordsOf: ({id, regionName}) => say`#${id} in ${regionName ?? say`an unknown region`}`,
    }),
    ...flavorNames.flatMap(name =>
      factOf(known, say`flavor`, name, {...flavors, wordsOf: flavor => safeText(flavorWords(flavor))}),
    ),
    ...factOf(known, say`the fingerprint of key pair`, keyPairName, {
      ...keyPairs,
      wordsOf: ({fingerprint}) => fingerprint,
    }),
    ...factOf(known, say`the public key of key pair`, keyPairName, {...keyPairs, wordsOf: ({publicKey}) => publicKey}),
    ...factOf(known, say`image`, imageName, {
      feed: imagesFeed,
      isHere: inRegion,
      wordsOf: ({id, imageType, displaySize, isPublic}) =>
        joinSafe(
          [say`#${id}`, imageType, displaySize, isPublic === false ? say`not public` : undefined].flatMap(
            part => part ?? [],
          ),
        ),
    }),
    ...factOf(known, say`volume`, volumeName, {
      feed: volumesFeed,
      isHere,
      wordsOf: ({id, sizeGb}) => say`#${id} ${safeText(formatGigabytes(sizeGb))}`,
    }),
  ]);
}

/** What this id stands for, as last read: `environment #7` is `prod in CANADA-1`. A firewall's request has only the id. */
export function environmentFacts(known: Pick<Known, 'store'>, environmentId: EnvironmentId): NamedFacts {
  return new Map(
    factOfRecords(known, say`environment #${environmentId}`, {
      feed: environmentsFeed,
      isSought: ({id}) => id === environmentId,
      wordsOf: ({name, regionName}) => say`${nameInWords(name)} in ${regionName ?? say`an unknown region`}`,
    }),
  );
}

type Sought<R> = {
  readonly feed: Feed<Listing<R>>;
  /** Which of the records can be meant; all if absent. */
  readonly isHere?: (record: R) => boolean;
  /** Undefined if the service does not say. */
  readonly wordsOf: (record: R) => SafeText | undefined;
};

function factOf<R extends {readonly name: SafeText}>(
  known: Pick<Known, 'store'>,
  what: SafeText,
  name: SafeText | undefined,
  {feed, isHere = () => true, wordsOf}: Sought<R>,
): readonly Fact[] {
  if (name === undefined) return [];
  const isSought = (record: R) => record.name === name && isHere(record);
  return factOfRecords(known, say`${what} ${nameInWords(name)}`, {feed, isSought, wordsOf});
}

type Fact = readonly [SafeText, SafeText | undefined];

/** No fact of what is not in the list; one that was not read, or is not told, has no value. */
function factOfRecords<R>(
  {store}: Pick<Known, 'store'>,
  fact: SafeText,
  {feed, isSought, wordsOf}: Pick<Sought<R>, 'feed' | 'wordsOf'> & {readonly isSought: (record: R) => boolean},
): readonly Fact[] {
  const listing = lastValue(store.get(feed));
  if (listing === undefined) return [[fact, undefined]];
  const found = listing.records.filter(isSought);
  if (found.length === 0) return isWhole(listing) ? [] : [[fact, say`unknown, as its list is incomplete`]];
  // All of them, in case the name is listed twice.
  const words = [...new Set(found.flatMap(record => wordsOf(record) ?? []))].sort();
  return [[fact, words.length === 0 ? undefined : joinSafe(words, ' and ')]];
}
