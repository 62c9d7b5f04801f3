import {type SafeText, safeText, say} from './safe-text.ts';
import type {NamedFacts} from './shown-facts.ts';

/** A status bar has one line; a screen with more room shows the whole set. */
const MAX_LISTED = 4;

/** The first names or numbers of a set, and how many more there are: `labels prod, eu`, `no labels`. */
export function listedWords(noun: SafeText, words: readonly SafeText[]): SafeText {
  if (words.length === 0) return say`no ${noun}s`;
  const more = words.length - MAX_LISTED;
  const listed = safeText(words.slice(0, MAX_LISTED).join(', '));
  const all = more > 0 ? say`${listed} and ${more} more` : listed;
  return words.length === 1 ? say`${noun} ${all}` : say`${noun}s ${all}`;
}

/** `1 machine`, `3 machines`. */
export function countedWords(count: number, noun: SafeText): SafeText {
  return count === 1 ? say`1 ${noun}` : say`${count} ${noun}s`;
}

/** `firewalls #12, #13`; with the names of those that are known, by `firewall #12`: `firewalls edge #12, #13`. */
export function numberedWords(noun: SafeText, ids: readonly number[], names: NamedFacts = new Map()): SafeText {
  return listedWords(
    noun,
    ids.map(id => {
      const name = names.get(say`${noun} #${id}`);
      return name === undefined ? say`#${id}` : say`${name} #${id}`;
    }),
  );
}
