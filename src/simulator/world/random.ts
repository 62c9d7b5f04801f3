/**
 * A number in [0, 1) made from up to three integers: the same integers always give the same number. There is no state,
 * so the order of calls cannot change a result.
 */
export function unit(first: number, second = 0, third = 0): number {
  let bits = Math.imul(first ^ 0x9e3779b9, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits ^ second, 0xc2b2ae35);
  bits ^= bits >>> 16;
  bits = Math.imul(bits ^ third, 0x27d4eb2f);
  bits ^= bits >>> 15;
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  return (bits >>> 0) / 2 ** 32;
}

/** A seed for one subject, from the world's seed and the subject's number or name. */
export function seedFor(seed: number, subject: number | string): number {
  let bits = Math.imul(seed, 0x01000193) ^ 0x811c9dc5;
  for (const character of String(subject)) {
    bits = Math.imul(bits ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return bits | 0;
}

/** A number in [low, high), from a number in [0, 1). */
export function between(low: number, high: number, at: number): number {
  return low + (high - low) * at;
}

/** One of the choices, from a number in [0, 1). The list must not be empty. */
export function choose<T>(choices: readonly [T, ...T[]], at: number): T {
  return choices[Math.floor(at * choices.length)] ?? choices[0];
}
