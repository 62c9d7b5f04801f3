import type {Environment} from '../../domain/environment.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {hasCuda, type Image} from '../../domain/image.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {compareNames} from '../../domain/row-order.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {availableMachines, stockText} from '../../domain/stock.ts';
import {contentsIn} from '../../resources/environments.ts';
import {flavorsFeed, imagesFeed, stocksFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import type {Feed, Listing} from '../../state/feed.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import type {ChoiceFacts, FormField} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {formatBytesLong, formatCount, formatGigabytes, formatRateFigure, UNKNOWN} from '../../ui/format.ts';
import {type CreationInput, flavorPrice} from './cost.ts';

/** The choices for something new, from what was read of the service. */
function environmentsOf(known: Pick<CreationInput, 'store'>): readonly Environment[] {
  return recordsOf(known, environmentsFeed);
}

/** The environment with this name. It decides the region, and so everything else there is to choose. */
export function environmentNamed(
  known: Pick<CreationInput, 'store'>,
  name: string | undefined,
): Environment | undefined {
  return environmentsOf(known).find(environment => environment.name === name);
}

/** The form's initial environment: the named one, or the first. */
export function firstEnvironment(known: CreationInput, name: string | undefined): Environment | undefined {
  return environmentNamed(known, name) ?? environmentsOf(known)[0];
}

/** The flavors of a region: those in stock first, cheapest first. */
export function flavorsIn(known: CreationInput, regionName: string | undefined): readonly Flavor[] {
  return recordsOf(known, flavorsFeed)
    .filter(flavor => flavor.regionName === undefined || flavor.regionName === regionName)
    .map(flavor => ({flavor, rank: rankOf(known, flavor)}))
    .sort((left, right) => left.rank - right.rank || (left.flavor.name < right.flavor.name ? -1 : 1))
    .map(({flavor}) => flavor);
}

/** The facts to choose a flavor by: price, stock and size. */
export function flavorFacts(known: CreationInput, flavors: readonly Flavor[]): ChoiceFacts {
  const stocks = recordsOf(known, stocksFeed);
  return {
    titles: ['$/h', 'STOCK', 'GPU', 'RAM', 'vCPU', 'DISK'],
    texts: ['GPU'],
    priceTitle: '$/h',
    of: choice => {
      const flavor = flavors.find(({name}) => name === choice);
      if (flavor === undefined) return [];
      const {gpuCount = 0, gpuModel, ramGb, cpuCount, rootDiskGb, isInStock} = flavor;
      const free = availableMachines(flavor, stocks);
      const stock = isInStock === false ? 'none' : free === undefined ? (isInStock ? 'yes' : UNKNOWN) : stockText(free);
      return [
        formatRateFigure(flavorPrice(known, flavor)?.rate),
        stock,
        gpuCount === 0 ? 'none' : `${gpuCount} × ${gpuModel ?? 'GPU'}`,
        formatGigabytes(ramGb),
        formatCount(cpuCount),
        formatGigabytes(rootDiskGb),
      ];
    },
  };
}

export function imageFacts(known: CreationInput): ChoiceFacts {
  const images = recordsOf(known, imagesFeed);
  return {
    titles: ['SIZE', 'TYPE'],
    texts: ['TYPE'],
    of: choice => {
      const image = images.find(({name}) => name === choice);
      if (image === undefined) return [];
      return [image.displaySize ?? formatBytesLong(image.sizeBytes), image.imageType ?? UNKNOWN];
    },
  };
}

export function keyPairFacts(known: CreationInput, environmentName: string | undefined): ChoiceFacts {
  const pairs = recordsOf(known, keyPairsFeed).filter(pair => pair.environmentName === environmentName);
  return {
    titles: ['KIND', 'FINGERPRINT'],
    texts: ['KIND', 'FINGERPRINT'],
    of: choice => {
      const pair = pairs.find(({name}) => name === choice);
      return pair === undefined ? [] : [pair.publicKey?.split(' ')[0] ?? UNKNOWN, pair.fingerprint ?? UNKNOWN];
    },
  };
}

function environmentFacts(known: CreationInput): ChoiceFacts {
  const contentsOf = contentsIn(known.store);
  return {
    titles: ['REGION', 'MACHINES'],
    texts: ['REGION'],
    of: choice => {
      const environment = environmentNamed(known, choice);
      const machines = environment && contentsOf(environment).machine;
      return [environment?.regionName ?? UNKNOWN, formatCount(machines?.length)];
    },
  };
}

/** Where something new is made. */
export function environmentField(known: CreationInput, initial: Environment | undefined): FormField {
  return {
    key: 'environment',
    label: 'environment',
    initial: initial?.name ?? '',
    choices: environmentsOf(known).map(({name}) => name),
    facts: environmentFacts(known),
  };
}

/** Higher than any price, so that flavors without price or stock come last. */
const BEHIND = 1e9;

function rankOf(known: CreationInput, flavor: Flavor): number {
  const price = flavorPrice(known, flavor);
  const cost = price === undefined ? BEHIND : hourlyUsd(price.rate);
  return (flavor.isInStock === false ? 2 * BEHIND : 0) + cost;
}

export function flavorNamed(
  known: CreationInput,
  regionName: string | undefined,
  name: string | undefined,
): Flavor | undefined {
  return flavorsIn(known, regionName).find(flavor => flavor.name === name);
}

/** The images of a region that run on a flavor: those without a restriction, and those that name it. */
export function imagesFor(
  known: CreationInput,
  regionName: string | undefined,
  flavorName: string | undefined,
): readonly SafeText[] {
  return [...new Set(fittingImages(known, regionName, flavorName).map(({name}) => name))];
}

/** The image preselected for a machine: with GPUs the provider's newest CUDA, by the versions in the names. */
export function usualImage(
  known: CreationInput,
  regionName: string | undefined,
  flavor: Pick<Flavor, 'name' | 'gpuCount'> | undefined,
): SafeText | undefined {
  if (flavor === undefined || (flavor.gpuCount ?? 0) === 0) return undefined;
  return fittingImages(known, regionName, flavor.name)
    .filter(image => image.isPublic !== false && hasCuda(image))
    .map(({name}) => name)
    .sort(compareNames)
    .at(-1);
}

function fittingImages(
  known: CreationInput,
  regionName: string | undefined,
  flavorName: string | undefined,
): readonly Image[] {
  return recordsOf(known, imagesFeed).filter(
    image => (image.regionName === undefined || image.regionName === regionName) && runsOn(image, flavorName),
  );
}

function runsOn({flavorRestriction}: Image, flavorName: string | undefined): boolean {
  return flavorRestriction === undefined || flavorRestriction.flavorNames.some(name => name === flavorName);
}

export function keyPairsIn(known: CreationInput, environmentName: string | undefined): readonly SafeText[] {
  return recordsOf(known, keyPairsFeed)
    .filter(pair => pair.environmentName === environmentName)
    .map(({name}) => name);
}

/** Why no environment can be chosen, if so. */
export function environmentMistake(known: CreationInput, environment: Environment | undefined): string | undefined {
  if (environment !== undefined) return undefined;
  return environmentsOf(known).length === 0
    ? emptyReason(known, environmentsFeed, 'environments')
    : 'choose an environment';
}

/** Why nothing of a kind can be chosen that belongs to an environment or its region. */
export function emptyIn(
  known: CreationInput,
  environment: Environment | undefined,
  feed: Feed<unknown>,
  what: string,
): string {
  return environment === undefined ? 'depends on the environment' : emptyReason(known, feed, what);
}

/** The first steps in a new account, with their keys: everything is in an environment, including key pairs. */
export function firstSteps(
  known: CreationInput,
  environment: Environment | undefined,
  {needsKeyPair}: {readonly needsKeyPair: boolean},
): readonly Line[] {
  const keyPairStep = ':key-pairs and n';
  if (lastValue(known.store.get(environmentsFeed))?.records.length === 0) {
    const next = needsKeyPair ? ` Then a key pair: ${keyPairStep}.` : '';
    return [[{text: `First create an environment: esc, then :environments and n.${next}`, tone: 'warning'}]];
  }
  const isRead = lastValue(known.store.get(keyPairsFeed)) !== undefined;
  if (!needsKeyPair || environment === undefined || !isRead || keyPairsIn(known, environment.name).length > 0)
    return [];
  return [[{text: `${environment.name} has no key pair yet: esc, then ${keyPairStep}.`, tone: 'warning'}]];
}

/** Why a required field has no choices: not read yet, not readable, or there are none. */
function emptyReason(known: CreationInput, feed: Feed<unknown>, what: string): string {
  const snapshot = known.store.get(feed);
  if (lastValue(snapshot) !== undefined) return `no ${what}`;
  const failure = failureOf(snapshot);
  return failure === undefined ? `reading the ${what}…` : `${what} unknown: ${describeReadFailure(failure)}`;
}

export function recordsOf<R>({store}: Pick<CreationInput, 'store'>, feed: Feed<Listing<R>>): readonly R[] {
  return lastValue(store.get(feed))?.records ?? [];
}
