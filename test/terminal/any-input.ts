import fc from 'fast-check';

export const START = '\u001b[200~';
export const END = '\u001b[201~';

const WORDS = [START, END, START, END, '\u001b[20', '\u001b', 'y', '\r', 'yy', 'a ', 'train-02', 'px', '\u0003', '東'];
/** Keys that answer a question, among whole and broken paste markers, as a hostile clipboard may contain them. */
export const anyInput = fc.array(fc.constantFrom(...WORDS), {maxLength: 12}).map(words => words.join(''));

/** A text cut into pieces at any places, with pauses between them. */
export function inPieces(text: fc.Arbitrary<string>, longestPauseMs: number) {
  const cuts = fc.array(fc.record({share: fc.double({min: 0, max: 1, noNaN: true}), pauseMs: fc.nat(longestPauseMs)}), {
    maxLength: 12,
  });
  return fc.tuple(text, cuts).map(([whole, places]) => {
    const ends = places.map(({share}) => Math.round(share * whole.length)).sort((left, right) => left - right);
    return places.map(({pauseMs}, index) => ({
      chunk: whole.slice(ends[index - 1] ?? 0, index === places.length - 1 ? whole.length : ends[index]),
      pauseMs,
    }));
  });
}
