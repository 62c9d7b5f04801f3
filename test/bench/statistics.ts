/** The middle value, or the mean of the two middle ones. NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that at least this share of the values does not exceed (nearest rank). NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median of the ratios of values measured together, so that a machine that slows down affects both. */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, index) => value / (bases[index] ?? Number.NaN)));
}

/**
 * The slope of values at equal distances, by least squares, and the half-width that it does not pass with 95 %
 * confidence on one side (Student's t).
 */
export function slopeOf(values: readonly number[]): {readonly slope: number; readonly bound: number} {
  const [meanAt, meanValue] = [(values.length - 1) / 2, sumOf(values) / values.length];
  const spread = sumOf(values.map((_value, at) => (at - meanAt) ** 2));
  const slope = sumOf(values.map((value, at) => (at - meanAt) * (value - meanValue))) / spread;
  const leftOver = sumOf(values.map((value, at) => (value - meanValue - slope * (at - meanAt)) ** 2));
  const freedom = values.length - 2;
  return {slope, bound: (T_95[freedom - 1] ?? Number.NaN) * Math.sqrt(leftOver / freedom / spread)};
}

/** The 95th percentile of Student's t, from one degree of freedom. */
const T_95 = [
  ...[6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812],
  ...[1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.74, 1.734, 1.729, 1.725],
];

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function ascending(values: readonly number[]): readonly number[] {
  return [...values].sort((left, right) => left - right);
}
