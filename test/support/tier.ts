/**
 * Which deck a journey of test/deck meets. `virtual`: in this process, on a virtual screen, in a time that passes as
 * fast as the machine allows. `real`: the built program on a terminal of the operating system, as `npm run test:deep`
 * has it.
 */
export const deckTier: 'virtual' | 'real' = process.env.SKYDECK_TEST_DECK === 'virtual' ? 'virtual' : 'real';
