/** The factor between the units of an axis: 1024 for bytes, 1000 otherwise. */
export type Scale = 'decimal' | 'binary';

/** From zero to `top` in equal round steps; the first tick is zero, the last is the top. */
export type Axis = {readonly top: number; readonly ticks: readonly number[]};

const MAX_STEPS = 4;
const DECIMAL_STEPS = [1, 2, 2.5, 5, 10, 20, 25, 50] as const;
/** Below 1024, the round figures near a unit's end are halves and quarters of the next unit. */
const BINARY_STEPS = [1, 2, 2.5, 5, 10, 20, 25, 50, 100, 200, 256, 512] as const;
/** With fewer rows there is no room for steps. */
const NEXT_TO_NOTHING = 1e-300;
/** 1024 to a higher power is not a finite number. */
const LAST_BINARY_POWER = 102;

/** The smallest round axis that fits `largest`. Zero alone has no scale. */
export function roundAxis(largest: number, scale: Scale = 'decimal'): Axis {
  if (!(largest > NEXT_TO_NOTHING)) return {top: 1, ticks: [0]};
  const step = scale === 'binary' ? binaryStep(largest) : decimalStep(largest);
  // A floating-point error is not another step.
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  const ticks = Array.from({length: count + 1}, (_, index) => Math.min(Number.MAX_VALUE, index * step));
  return {top: ticks[count] ?? step, ticks};
}

/** The values labelled on the axis, where `rowOf` gives the row of a value: as many ticks as can be evenly spaced. */
export function axisTicks(axis: Axis, rows: number, rowOf: (value: number) => number): (number | undefined)[] {
  const ticks: (number | undefined)[] = Array.from({length: rows}, () => undefined);
  // The top comes last: if there is only one row, it shows the scale.
  for (const value of evenTicks(axis, rowOf)) ticks[rowOf(value)] = value;
  return ticks;
}

/** At least one row without a label between two labels. */
const LEAST_GAP = 2;
/** How much larger than the smallest gap the largest may be, to still look even. */
const EVENNESS = [0.25, 0.5] as const;

/** All ticks, every second one, or both ends: the most whose gaps are about equal. */
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
    // There are no fractions of a byte.
    const step = BINARY_STEPS.find(
      each => largest / (each * unit) <= MAX_STEPS && (power > 0 || Number.isInteger(each)),
    );
    if (step !== undefined) return step * unit;
  }
  return 512 * 1024 ** LAST_BINARY_POWER;
}
