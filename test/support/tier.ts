/**
 * Which deck a journey of test/deck meets. `virtual`: in this process, on a virtual screen, in a time that passes as
 * fast as the machine allows. `real`: the built program on a terminal of the operating system, as `npm run test:deep`
 * has it.
 */
export const deckTier: 'virtual' | 'real' = process.env.SKYDECK_TEST_DECK === 'virtual' ? 'virtual' : 'real';

/** How much of a long sweep is taken: a sample in `npm test`, all of it in `npm run test:deep`. */
export function sweepOf<T>({sample, deep}: {readonly sample: T; readonly deep: T}): T {
  return process.env.SKYDECK_TEST_DEEP === '1' ? deep : sample;
}
