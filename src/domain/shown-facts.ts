import type {CloudResource} from './cloud-resource.ts';
import {compare, type Rate} from './money.ts';
import {gigabytesText} from './number-text.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** Facts by the words for them, `its address` or `volume #50`; undefined for one that is not known. */
export type NamedFacts = ReadonlyMap<SafeText, SafeText | undefined>;

/** The cost that a question shows, in its words, and the rates in them: less is better, and one may be unknown. */
export type ShownCost = {
  readonly words: SafeText;
  readonly rates: readonly (Rate | undefined)[];
  /** Under a contract, the saving is only the most it can be. */
  readonly isUncertain?: true;
};

/** What a question says of its subject besides name and state: how much would be lost, and what sets its price. */
export type ShownFacts = {
  readonly createdAt?: EpochMs;
  readonly flavorName?: SafeText;
  readonly sizeGb?: number;
  readonly objectCount?: number;
  readonly sizeBytes?: number;
  /** Of a machine. That it changes shows in the cost. */
  readonly isUnderContract?: boolean;
  /** What only the action's own question says. */
  readonly named?: NamedFacts;
  /** What it says of others, such as the volumes that are attached to its subject. */
  readonly others?: NamedFacts;
  readonly cost?: ShownCost;
};

/** A bucket in use grows all the time; what matters is that it is not much more than the person was shown. */
const MAX_GROWTH = 1.01;

export function factsOf(subject: CloudResource): ShownFacts {
  return {
    ...('createdAt' in subject ? {createdAt: subject.createdAt} : {}),
    ...('flavor' in subject && subject.flavor !== undefined && isKnown(subject.flavor.name)
      ? {flavorName: subject.flavor.name}
      : {}),
    ...('sizeGb' in subject ? {sizeGb: subject.sizeGb} : {}),
    ...('objectCount' in subject ? {objectCount: subject.objectCount} : {}),
    ...('sizeBytes' in subject ? {sizeBytes: subject.sizeBytes} : {}),
    ...('volumes' in subject && subject.hasUnreadContract !== true
      ? {isUnderContract: subject.contractId !== undefined}
      : {}),
  };
}

/** Which fact is known to be other than shown; undefined if none is. */
export function changedFact(was: ShownFacts, is: ShownFacts): SafeText | undefined {
  if (differ(was.createdAt, is.createdAt)) return say`it was deleted and created again meanwhile`;
  if (is.flavorName !== undefined && differ(was.flavorName, is.flavorName))
    return say`its flavor is now ${is.flavorName}`;
  if (is.sizeGb !== undefined && differ(was.sizeGb, is.sizeGb)) return say`it now has ${gigabytesText(is.sizeGb)}`;
  if (hasGrown(was.objectCount, is.objectCount)) return say`it now has ${grouped(is.objectCount)} objects`;
  if (hasGrown(was.sizeBytes, is.sizeBytes)) return say`it now has ${grouped(is.sizeBytes)} bytes of objects`;
  if (was.cost && is.cost && isDearer(was.cost, is.cost)) return say`the cost is not as shown: now ${is.cost.words}`;
  return changedNamedFact(was.named, is.named) ?? changedNamedFact(was.others, is.others);
}

const OWN_FACTS = [
  ['createdAt', say`when it was created`],
  ['flavorName', say`its flavor`],
  ['sizeGb', say`its size`],
  ['objectCount', say`its number of objects`],
  ['sizeBytes', say`the size of its objects`],
  ['isUnderContract', say`whether it is under a contract`],
] as const;

/** Which fact was shown and is not known any more, so that it may have changed; undefined if none is. */
export function lostFact(was: ShownFacts, is: ShownFacts): SafeText | undefined {
  const own = OWN_FACTS.filter(([fact]) => was[fact] !== undefined && is[fact] === undefined).map(([, words]) => words);
  const [lost] = [...own, ...lostNames(was.named, is.named), ...lostNames(was.others, is.others)];
  return lost && lostWords(lost);
}

export function lostWords(fact: SafeText): SafeText {
  return say`${fact} is not known any more`;
}

/** What could not be read may be empty instead of absent. */
function isKnown(value: SafeText | undefined): value is SafeText {
  return value !== undefined && value !== '';
}

function lostNames(was: NamedFacts = new Map(), is: NamedFacts = new Map()): readonly SafeText[] {
  return [...was].flatMap(([name, value]) => (isKnown(value) && !isKnown(is.get(name)) ? [name] : []));
}

/** Whether a rate is higher than was shown, or is no longer known or certain. What reads the same was shown. */
function isDearer(was: ShownCost, is: ShownCost): boolean {
  const isHigher = was.rates.some((rate, index) => {
    const now = is.rates[index];
    return rate !== undefined && (now === undefined || compare(now, rate) > 0);
  });
  const isLessCertain = was.isUncertain !== true && is.isUncertain === true;
  return (isHigher || isLessCertain) && was.words !== is.words;
}

function changedNamedFact(was: NamedFacts | undefined, is: NamedFacts | undefined): SafeText | undefined {
  if (was === undefined || is === undefined) return undefined;
  for (const [name, value] of is) {
    if (!was.has(name)) return say`${name} was added meanwhile`;
    if (isKnown(value) && differ(was.get(name), value)) return say`${name} is now ${value}`;
  }
  const gone = [...was.keys()].find(name => !is.has(name));
  return gone && say`${gone} was removed meanwhile`;
}

function differ(was: unknown, is: unknown): boolean {
  return was !== undefined && is !== undefined && was !== is;
}

function hasGrown(was: number | undefined, is: number | undefined): boolean {
  return was !== undefined && is !== undefined && is > MAX_GROWTH * was;
}

/** `2,481,907`. */
function grouped(count: number | undefined): SafeText {
  return safeText(String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
}
