const MAX_DISTANCE = 2;
const MAX_LENGTH = 40;

/**
 * The word that was probably meant: at most two typing errors away, and fewer than half its letters; undefined if none
 * is that close.
 */
export function closest<Word extends string>(written: string, words: readonly Word[]): Word | undefined {
  const wanted = written.toLowerCase();
  if (wanted.length > MAX_LENGTH) return undefined;
  const limit = Math.min(MAX_DISTANCE, Math.floor(wanted.length / 2));
  const [best] = words
    .filter(word => Math.abs(word.length - wanted.length) <= limit)
    .map(word => ({word, distance: slips(wanted, word.toLowerCase())}))
    .filter(({distance}) => distance <= limit)
    .sort((left, right) => left.distance - right.distance);
  return best?.word ?? words.find(word => wanted.length >= 2 && word.toLowerCase().startsWith(wanted));
}

/** The words in the order of how few typing errors away they are, for a list that is cut off. */
export function nearestFirst<Word extends string>(written: string, words: readonly Word[]): readonly Word[] {
  const wanted = written.toLowerCase().slice(0, MAX_LENGTH);
  const distances = new Map(words.map(word => [word, slips(wanted, word.toLowerCase())]));
  return words.toSorted((left, right) => (distances.get(left) ?? 0) - (distances.get(right) ?? 0));
}

/** The number of letters inserted, deleted, changed or swapped with a neighbour (optimal string alignment). */
function slips(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = [...Array(to.length + 1).keys()];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
