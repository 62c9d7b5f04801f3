/** Numbers that look random and are the same for the same seed. */
export type Chance = {
  readonly unit: () => number;
  readonly between: (low: number, high: number) => number;
  readonly integer: (low: number, high: number) => number;
  readonly is: (probability: number) => boolean;
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
  readonly exponential: (mean: number) => number;
  readonly normal: () => number;
};

/** The generator called mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number) => low + (high - low) * unit();
  return {
    unit,
    between,
    integer: (low, high) => Math.floor(between(low, high + 1)),
    is: probability => unit() < probability,
    pick: from => from[Math.floor(unit() * from.length)] ?? from[0],
    exponential: mean => -mean * Math.log(1 - unit()),
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
  };
}
