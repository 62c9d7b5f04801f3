/**
 * How much of a long sweep to run: a sample in `npm test`, more in `npm run test:deep`, and in `npm run torture` as
 * much as its goal requires.
 */
export function sweepOf<T>({
  sample,
  deep,
  whole = deep,
}: {
  readonly sample: T;
  readonly deep: T;
  readonly whole?: T;
}): T {
  if (process.env.SKYDECK_TEST_TORTURE === '1') return whole;
  return process.env.SKYDECK_TEST_DEEP === '1' ? deep : sample;
}

/**
 * For `test.runIf`: only `npm run test:deep` runs a test that repeats on the whole program what another test shows in
 * `npm test` for less.
 */
export const isDeep = sweepOf({sample: false, deep: true});
