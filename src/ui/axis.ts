/** The factor between the units of an axis: 1024 for bytes, 1000 otherwise. */
export type Scale = 'decimal' | 'binary';

/** From zero to `top` in equal steps, all of them round; the first tick is zero, the last is the top. */
export type Axis = {readonly top: number; readonly ticks: readonly number[]};

const MAX_STEPS = 4;
const DECIMAL_STEPS = [1, 2, 2.5, 5, 10, 20, 25, 50] as const;
/** Below 1024 of a unit. The halves and quarters of the next unit are the round figures near its end. */
const BINARY_STEPS = [1, 2, 2.5, 5, 10, 20, 25, 50, 100, 200, 256, 512] as const;
/** Below this there is no room left for the steps of an axis. */
const NEXT_TO_NOTHING = 1e-300;
/** 1024 to this power is the last that is a number. */
const LAST_BINARY_POWER = 102;

/** The smallest round axis that has room for `largest`. Zero alone has no scale to tell. */
export function roundAxis(largest: number, scale: Scale = 'decimal'): Axis {
  if (!(largest > NEXT_TO_NOTHING)) return {top: 1, ticks: [0]};
  const step = scale === 'binary' ? binaryStep(largest) : decimalStep(largest);
  // What floating point adds to a whole number of steps is not another step.
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  const ticks = Array.from({length: count + 1}, (_, index) => Math.min(Number.MAX_VALUE, index * step));
  return {top: ticks[count] ?? step, ticks};
}

/** The value that is written beside each row, where `rowOf` tells in which a value stands: as many ticks as stand evenly. */
export function axisTicks(axis: Axis, rows: number, rowOf: (value: number) => number): (number | undefined)[] {
  const ticks: (number | undefined)[] = Array.from({length: rows}, () => undefined);
  // The top comes last: where there is one row alone, it tells the scale.
  for (const value of evenTicks(axis, rowOf)) ticks[rowOf(value)] = value;
  return ticks;
}

/** A row without a label between two that have one. */
const LEAST_GAP = 2;
/** By how much of the smallest gap the largest may be larger: as good as even, and the most that is shown. */
const EVENNESS = [0.25, 0.5] as const;

/** Every tick, every second or the two ends: the most of them that leave gaps of about the same height. */
function evenTicks({ticks}: Axis, rowOf: (value: number) => number): readonly number[] {
  const stepCount = ticks.length - 1;
  const choices = [1, 2]
    .filter(stride => stepCount % stride === 0 && stepCount > stride)
    .map(stride => ticks.filter((_, index) => index % stride === 0));
  for (const tolerance of EVENNESS) {
    const even = choices.find(choice => unevenness(choice.map(rowOf)) <= tolerance);
    if (even !== undefined) return even;
  }
  return ticks.filter((_, index) => index === 0 || index === stepCount);
}

function unevenness(rows: readonly number[]): number {
  const gaps = rows.slice(1).map((row, index) => Math.abs(row - (rows[index] ?? row)));
  const least = Math.min(...gaps);
  return least < LEAST_GAP ? Number.POSITIVE_INFINITY : Math.max(...gaps) / least - 1;
}

function decimalStep(largest: number): number {
  const unit = 10 ** Math.floor(Math.log10(largest / MAX_STEPS));
  return (DECIMAL_STEPS.find(step => largest / (step * unit) <= MAX_STEPS) ?? 50) * unit;
}

function binaryStep(largest: number): number {
  for (let power = 0; power <= LAST_BINARY_POWER; power++) {
    const unit = 1024 ** power;
    // There are no parts of a byte.
    const step = BINARY_STEPS.find(
      each => largest / (each * unit) <= MAX_STEPS && (power > 0 || Number.isInteger(each)),
    );
    if (step !== undefined) return step * unit;
  }
  return 512 * 1024 ** LAST_BINARY_POWER;
}
