import {nearestFirst} from '../../domain/closest-word.ts';
import type {Environment} from '../../domain/environment.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {meantName} from '../../resources/find.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {clusterVersionsFeed, masterFlavorsFeed} from '../../state/clusters.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {type Feed, isWhole, type Listing} from '../../state/feed.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import type {Known} from '../../state/known.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {environmentNamed} from '../creation/choices.ts';
import {someNames} from './question.ts';

// Names that an action was given and the account does not have. A form offers only what there is; a command may be
// given anything.

type Sought<R> = {
  /** One of these, in words: `key pair`. */
  readonly what: SafeText;
  readonly feed: Feed<Listing<R>>;
  readonly nameOf: (record: R) => SafeText;
  readonly name: SafeText | undefined;
  /** Which of the records can be meant; all if absent. */
  readonly isHere?: (record: R) => boolean;
  /** Where those are: `research-ca`. */
  readonly place?: SafeText | undefined;
};

/**
 * That there is nothing of this name, with the name that was probably meant, or those nearest to it. Undefined if there
 * is, or if that is not certain because the list was not read completely.
 */
export function missingName<R extends {readonly name: SafeText}>(
  known: Pick<Known, 'store'>,
  sought: Omit<Sought<R>, 'nameOf'>,
): SafeText | undefined {
  return missingAmong(known, {...sought, nameOf: ({name}) => name});
}

function missingAmong<R>(
  known: Pick<Known, 'store'>,
  {what, feed, nameOf, name, isHere = () => true, place}: Sought<R>,
): SafeText | undefined {
  if (name === undefined || !lacks(known, feed, record => isHere(record) && nameOf(record) === name)) return undefined;
  const listing = lastValue(known.store.get(feed));
  const names = [...new Set(listing?.records.filter(isHere).map(nameOf))];
  const meant = meantName(name, names);
  const nearest = nearestFirst(name, names).map(each => ({name: each}));
  const where = place === undefined ? say`` : say` in ${nameInWords(place)}`;
  const instead =
    meant !== undefined
      ? say`; did you mean ${nameInWords(meant)}?`
      : names.length === 0
        ? say`, which has none`
        : say`; available: ${safeText(someNames(nearest))}`;
  return say`${what} "${name}" not found${where}${instead}`;
}

/** The names in an environment that something new can use. */
type CreationPlace = {
  readonly environmentName: SafeText;
  readonly keyPairName?: SafeText | undefined;
  readonly volumeName?: SafeText | undefined;
  readonly kubernetesVersion?: SafeText;
  readonly masterFlavorName?: SafeText;
  readonly flavorNames?: readonly SafeText[];
};

export function missingInPlace(
  known: Pick<Known, 'store'>,
  {environmentName: place, keyPairName, volumeName, kubernetesVersion, masterFlavorName, ...others}: CreationPlace,
): SafeText | undefined {
  const isHere = ({environmentName = place}: {readonly environmentName?: SafeText}) => environmentName === place;
  const {regionName: region}: Partial<Environment> = environmentNamed(known, place) ?? {};
  const inRegion = {isHere: isIn(region), place: region};
  const version = {what: say`Kubernetes version`, feed: clusterVersionsFeed, name: kubernetesVersion, ...inRegion};
  return (
    missingName(known, {what: say`environment`, feed: environmentsFeed, name: place}) ??
    missingName(known, {what: say`key pair`, feed: keyPairsFeed, name: keyPairName, isHere, place}) ??
    missingName(known, {what: say`volume`, feed: volumesFeed, name: volumeName, isHere, place}) ??
    missingAmong(known, {...version, nameOf: each => each.version}) ??
    missingName(known, {what: say`master flavor`, feed: masterFlavorsFeed, name: masterFlavorName, ...inRegion}) ??
    others.flavorNames?.map(name => missingFlavor(known, region, name)).find(missing => missing !== undefined)
  );
}

export function missingFlavor(
  known: Pick<Known, 'store'>,
  region: SafeText | undefined,
  name: SafeText,
): SafeText | undefined {
  return missingName(known, {what: say`flavor`, feed: flavorsFeed, name, isHere: isIn(region), place: region});
}

/** Everything can be meant if a region is unknown. */
function isIn(region: SafeText | undefined): (record: {readonly regionName?: SafeText}) => boolean {
  return ({regionName}) => region === undefined || regionName === undefined || regionName === region;
}

/** Why it is unknown which of two an action names by its id: the list has the id twice. */
export function repeatedAmong(
  {store}: Pick<Known, 'store'>,
  feed: Feed<Listing<{readonly id?: number | undefined}>>,
  {what, ids}: {readonly what: SafeText; readonly ids: readonly number[]},
): SafeText | undefined {
  const {records = [], repeatedIds = []} = lastValue(store.get(feed)) ?? {};
  const twice = ids.find(id => repeatedIds.includes(`${id}`) || records.filter(record => record.id === id).length > 1);
  return twice === undefined ? undefined : say`the list has ${what} #${twice} twice, so which one is meant is unknown`;
}

/** Whether a completely read list has no such record. */
export function lacks<R>(
  {store}: Pick<Known, 'store'>,
  feed: Feed<Listing<R>>,
  isSought: (record: R) => boolean,
): boolean {
  const listing = lastValue(store.get(feed));
  return listing !== undefined && isWhole(listing) && !listing.records.some(isSought);
}
